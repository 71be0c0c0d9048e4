// Lists of problems from Python, and arrays of outcomes back.
#include <algorithm>
#include <chrono>

#include "assignment.hpp"
#include "batch.hpp"
#include "binding.hpp"

namespace {

// Solves problems (a list of Problem). shuffles is called with a shape (n, m), and returns the int64
// array of permutations for it. Returns three flat arrays: the couplings; for each problem the
// four terms, epsilon and change; for each problem status, converged, iterations, starts, and the
// place of its coupling. And, where they are counted, by kernels that are slow, the operations done.
nb::tuple solve(nb::list given, std::vector<double> epsilons, std::vector<double> further, bool exact, int max_outer,
                int patience, double tolerance, int threads, nb::callable shuffles, bool counted) {
    const nb::str packed("packed");
    std::vector<otap::Problem> problems;
    problems.reserve(given.size());
    size_t cells = 0;
    for (nb::handle one : given) {
        problems.push_back(problem_of(Look(one.attr(packed), 'd', 1)));  // which the Problem keeps alive
        cells += static_cast<size_t>(problems.back().n) * problems.back().m;
    }
    std::vector<double> couplings(cells);
    std::vector<otap::Outcome> outcomes(problems.size());
    double* next = couplings.data();
    for (size_t k = 0; k < problems.size(); ++k) {
        outcomes[k].T = next;
        next += static_cast<size_t>(problems[k].n) * problems[k].m;
    }
    const otap::Options options{{epsilons.data(), static_cast<int>(epsilons.size()), max_outer, tolerance},
                                {further.data(), static_cast<int>(further.size()), patience, tolerance},
                                exact,
                                counted ? 1 : threads};
    const otap::Kernels kernels = counted ? otap::Kernels{"counting", 1, otap::counting_kernels(), {}} : otap::kernels();
    nb::list kept;  // what the permutations lie in
    const auto shuffles_of = [&](int n, int m) {
        nb::gil_scoped_acquire held;
        const auto array = nb::cast<nb::ndarray<const int64_t, nb::ndim<3>, nb::c_contig>>(shuffles(n, m));
        kept.append(nb::cast(array));
        return otap::Shuffles{array.data(), static_cast<int>(array.shape(0))};
    };
    {
        nb::gil_scoped_release released;
        otap::solve(kernels, problems, outcomes, options, shuffles_of);
    }
    std::vector<double> numbers;
    std::vector<int64_t> counts;
    numbers.reserve(6 * outcomes.size());
    counts.reserve(5 * outcomes.size());
    for (const otap::Outcome& one : outcomes) {
        const otap::Terms& t = one.terms;
        numbers.insert(numbers.end(), {t.node, t.structure, t.agent_mass, t.reference_mass, one.epsilon, one.change});
        counts.insert(counts.end(), {static_cast<int>(one.status), one.converged, one.iterations, one.starts,
                                     one.T - couplings.data()});
    }
    return nb::make_tuple(array_of(std::move(couplings)), array_of(std::move(numbers)), array_of(std::move(counts)),
                          counted ? otap::operations_counted() : 0.0);
}

// Floating-point operations a second of one core, at its fullest: the best of several tries.
double peak() {
    const nb::gil_scoped_release released;
    const otap::Kernels& kernels = otap::kernels();
    constexpr long count = 2'000'000;
    double least = 1e300, kept = 0;
    for (int attempt = 0; attempt < 15; ++attempt) {
        const auto start = std::chrono::steady_clock::now();
        kept += kernels.brief.spin(count);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        least = std::min(least, time.count());
    }
    return kept > 0 ? 24.0 * kernels.lanes * count / least : 0.0;
}

// The column of each row in a linear assignment of least cost, -1 where a row has none.
std::vector<int> assign(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> cost) {
    return otap::assignment(cost.data(), static_cast<int>(cost.shape(0)), static_cast<int>(cost.shape(1)));
}

std::vector<int> assign_long(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> cost) {
    return otap::assignment(cost.data(), static_cast<int>(cost.shape(0)), static_cast<int>(cost.shape(1)), true);
}

}  // namespace

void bind_short(nb::module_& module) {
    module.def("solve", &solve, nb::arg("problems"), nb::arg("epsilons"), nb::arg("further"), nb::arg("exact"),
               nb::arg("max_outer"), nb::arg("patience"), nb::arg("tolerance"), nb::arg("threads"), nb::arg("shuffles"),
               nb::arg("counted") = false);
    module.def("assignment", &assign, nb::arg("cost"));
    module.def("long_assignment", &assign_long, nb::arg("cost"));
    module.def("peak", &peak);
}
