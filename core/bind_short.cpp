// Lists of problems from Python, and arrays of outcomes back.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "batch.hpp"

namespace nb = nanobind;

namespace {

using Doubles = nb::ndarray<nb::numpy, double>;

// The numbers of a contiguous float64 array, which its owner keeps alive.
const double* numbers(nb::handle owner, nb::handle name, Py_ssize_t size) {
    const nb::object array = owner.attr(name);
    Py_buffer view;
    if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) throw nb::python_error();
    const bool right = view.itemsize == 8 && view.format && view.format[0] == 'd' && view.len == 8 * size;
    const double* data = static_cast<const double*>(view.buf);
    PyBuffer_Release(&view);
    if (!right) throw std::invalid_argument("problems hold contiguous float64 arrays of their own shape");
    return data;
}

struct Names {
    nb::object C = nb::str("C"), D_p = nb::str("D_p"), D_r = nb::str("D_r"), mu = nb::str("mu"), nu = nb::str("nu"),
               lambda_1 = nb::str("lambda_1"), lambda_2 = nb::str("lambda_2"), theta = nb::str("theta"),
               size = nb::str("size");
};

otap::Problem problem_of(nb::handle given, const Names& names) {
    const Py_ssize_t n = nb::cast<Py_ssize_t>(given.attr(names.mu).attr(names.size));
    const Py_ssize_t m = nb::cast<Py_ssize_t>(given.attr(names.nu).attr(names.size));
    return {static_cast<int>(n), static_cast<int>(m), numbers(given, names.C, n * m), numbers(given, names.D_p, n * n),
            numbers(given, names.D_r, m * m), numbers(given, names.mu, n), numbers(given, names.nu, m),
            numbers(given, names.lambda_1, n), numbers(given, names.lambda_2, m),
            nb::cast<double>(given.attr(names.theta))};
}

template <class T> nb::object array_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// Solves problems (a list of Problem). shuffles is called with a shape (n, m), and returns the int64
// array of permutations for it. Returns all couplings one after the other, and a list for each of: status, terms,
// epsilon, converged, iterations, starts, change.
nb::tuple solve(nb::list given, std::vector<double> epsilons, std::vector<double> further, bool exact, int max_outer,
                int patience, double tolerance, int threads, nb::callable shuffles) {
    const Names names;
    std::vector<otap::Problem> problems;
    problems.reserve(given.size());
    size_t cells = 0;
    for (nb::handle one : given) {
        problems.push_back(problem_of(one, names));
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
                                threads};
    nb::list kept;  // what the permutations lie in
    const auto shuffles_of = [&](int n, int m) {
        nb::gil_scoped_acquire held;
        const auto array = nb::cast<nb::ndarray<const int64_t, nb::ndim<3>, nb::c_contig>>(shuffles(n, m));
        kept.append(nb::cast(array));
        return otap::Shuffles{array.data(), static_cast<int>(array.shape(0))};
    };
    {
        nb::gil_scoped_release released;
        otap::solve(otap::kernels(), problems, outcomes, options, shuffles_of);
    }
    nb::list terms, epsilon, change, iterations, starts, converged, status;
    for (const otap::Outcome& one : outcomes) {
        terms.append(nb::make_tuple(one.terms.node, one.terms.structure, one.terms.agent_mass, one.terms.reference_mass));
        epsilon.append(one.epsilon);
        change.append(one.change);
        iterations.append(one.iterations);
        starts.append(one.starts);
        converged.append(one.converged);
        status.append(static_cast<int>(one.status));
    }
    return nb::make_tuple(array_of(std::move(couplings)), status, terms, epsilon, converged, iterations, starts, change);
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

// Operations that the descents from the product coupling take, counted one by one: slow.
double flops(nb::list given, std::vector<double> epsilons, int max_outer, double tolerance) {
    const Names names;
    double sum = 0;
    for (nb::handle one : given) {
        const otap::Problem problem = problem_of(one, names);
        const otap::Problem* pointer = &problem;
        std::vector<double> T(static_cast<size_t>(problem.n) * problem.m);
        otap::Descent out{T.data(), {}, 0, 0, false, false};
        sum += otap::count_operations(&pointer, 1, {epsilons.data(), static_cast<int>(epsilons.size()), max_outer, tolerance}, &out);
    }
    return sum;
}

}  // namespace

void bind_short(nb::module_& module) {
    module.def("solve", &solve, nb::arg("problems"), nb::arg("epsilons"), nb::arg("further"), nb::arg("exact"),
               nb::arg("max_outer"), nb::arg("patience"), nb::arg("tolerance"), nb::arg("threads"), nb::arg("shuffles"));
    module.def("peak", &peak);
    module.def("flops", &flops, nb::arg("problems"), nb::arg("epsilons"), nb::arg("max_outer"), nb::arg("tolerance"));
}
