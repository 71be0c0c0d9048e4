// What becomes of a pair beside its solution: the problem before it, and what is read off the coupling after it.
#include "binding.hpp"
#include "shares.hpp"

namespace {

otap::Side side_of(const Look& given) {
    const int64_t n = static_cast<int64_t>(given.first());
    check(n > 0 && n < 10'000 && given.size() == otap::side_size(n));
    const double* next = given.row<double>(otap::side_size(n)) + 1;
    otap::Side side{static_cast<int>(n), next, {}, {}, {}, {}, {}};
    next += n * n;
    side.weights = next, side.penalties = next + n, side.critical = next + 2 * n;
    side.turns = next + 3 * n, side.places = next + 4 * n;
    return side;
}

// The packed problem between two packed sides; None where a number is none that a problem may hold. settings:
// those of packing.hpp, in their order.
nb::object pack(nb::handle C, nb::handle run, nb::handle reference, int order, double unit_run, double unit_reference,
                nb::handle settings) {
    const Look costs(C, 'd', 2), ours(run, 'd', 1), theirs(reference, 'd', 1), set(settings, 'd', 1);
    check(order >= 0 && order <= static_cast<int>(otap::Order::listed));
    const otap::Side a = side_of(ours), b = side_of(theirs);
    const double* s = set.row<double>(8);
    const double units[] = {unit_run, unit_reference};
    std::vector<double> packed(otap::packed_size(a.n, b.n));
    const bool right = otap::pack(costs.matrix(a.n, b.n), a, b, static_cast<otap::Order>(order), units,
                                  {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]}, packed.data());
    return right ? array_of(std::move(packed)) : nb::none();
}

// The signed hops of a graph, (n, n), from a topological order and the children of each node.
nb::object signed_hops(const std::vector<int>& order, const std::vector<std::vector<int>>& children) {
    const int n = static_cast<int>(order.size());
    check(children.size() == order.size() && n < 10'000);
    for (const int step : order) check(step >= 0 && step < n);
    for (const auto& below : children)
        for (const int child : below) check(child >= 0 && child < n);
    std::vector<int16_t> counts(static_cast<size_t>(n) * n);
    otap::signed_hops(order, children, counts.data());
    return array_of(std::move(counts), n, n);
}

// What each step has of a coupling, as one array (see shares.hpp), and the counterparts as a list of pairs.
// fields: (matrix, weight) each. flags: bytes, which steps of the run failed, then which of the reference, then which
// of the run come after their equals. ended: the steps of the run in the order in which they ended.
nb::tuple shares(nb::handle packed, nb::handle T, nb::handle C, nb::list fields, nb::bytes flags,
                 std::vector<int> ended, double matched, double flow, double same) {
    const Look problem(packed, 'd', 1), coupling(T, 'd', 2), costs(C, 'd', 2);
    const otap::Problem p = problem_of(problem);
    const otap::View t = coupling.matrix(p.n, p.m);
    check(t.column == 1 && (p.n < 2 || t.row == p.m) && flags.size() == static_cast<size_t>(2 * p.n + p.m));
    check(ended.size() == static_cast<size_t>(p.n));
    for (const int i : ended) check(0 <= i && i < p.n);
    otap::Coupled coupled{p, t.data, costs.matrix(p.n, p.m), {}, std::move(ended)};
    for (nb::handle field : fields) {
        const nb::tuple one = nb::cast<nb::tuple>(field);
        const Look matrix(one[0], 'd', 2);  // the caller's list keeps it
        coupled.fields.emplace_back(matrix.matrix(p.n, p.m), nb::cast<double>(one[1]));
    }
    std::vector<double> out(otap::shares_size(p.n, p.m, coupled.fields.size()));
    otap::shares(coupled, out.data());
    const char* flag = flags.c_str();
    nb::list pairs;
    for (const auto& [i, j] : otap::counterparts(coupled, flag, flag + p.n, flag + p.n + p.m, {matched, flow, same}))
        pairs.append(nb::make_tuple(i, j));
    return nb::make_tuple(array_of(std::move(out)), pairs);
}

}  // namespace

void bind_pair(nb::module_& module) {
    module.def("pack", &pack, nb::arg("C"), nb::arg("run"), nb::arg("reference"), nb::arg("order"), nb::arg("unit_run"),
               nb::arg("unit_reference"), nb::arg("settings"));
    module.def("signed_hops", &signed_hops, nb::arg("order"), nb::arg("children"));
    module.def("shares", &shares, nb::arg("packed"), nb::arg("T"), nb::arg("C"), nb::arg("fields"), nb::arg("flags"),
               nb::arg("ended"), nb::arg("matched"), nb::arg("flow"), nb::arg("same"));
}
