#include "packing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "parameters.hpp"

namespace otap {

namespace {

constexpr double digits = 1e9;  // node costs that differ in no digit but later ones are equal

struct Pair {
    int i, j;
};

// The mutual nearest neighbours of both sides: costs/structure.py.
std::vector<Pair> anchors(const View& C, const Side& run, const Side& reference, double alike) {
    const int n = run.n, m = reference.n;
    std::vector<double> cost(static_cast<size_t>(n) * m);
    std::vector<double> row(n, std::numeric_limits<double>::infinity()), column(m, row[0]);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double c = cost[i * m + j] = std::nearbyint(C(i, j) * digits) / digits;
            row[i] = std::min(row[i], c);
            column[j] = std::min(column[j], c);
        }
    std::vector<std::tuple<double, double, double, int, int>> found;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double c = cost[i * m + j];
            if (c == row[i] && c == column[j] && c <= alike)
                found.emplace_back(c, run.turns[i], reference.places[j], i, j);
        }
    std::sort(found.begin(), found.end());
    std::vector<bool> taken_rows(n), taken_columns(m);
    std::vector<Pair> pairs;
    for (const auto& [c, turn, place, i, j] : found) {
        if (taken_rows[i] || taken_columns[j]) continue;
        taken_rows[i] = taken_columns[j] = true;
        pairs.push_back({i, j});
    }
    return pairs;
}

int sign(double x) { return (x > 0) - (x < 0); }

// The order of execution between anchors that have no path in D: matrices.executed.
void fill_order(const View& C, const Side& run, const Side& reference, bool backwards_only, double alike, double* D) {
    const std::vector<Pair> pairs = anchors(C, run, reference, alike);
    for (const Pair& a : pairs)
        for (const Pair& b : pairs) {
            double& known = D[static_cast<int64_t>(a.i) * run.n + b.i];
            const double wanted = reference.D[static_cast<int64_t>(a.j) * reference.n + b.j];
            if (known != 0 || wanted == 0) continue;
            const int ran = sign(run.turns[b.i] - run.turns[a.i]);
            if (!backwards_only || ran * sign(wanted) < 0) known = ran * std::fabs(wanted);
        }
}

void fill_structure(const View& C, const Side& run, const Side& reference, Order order, double alike, double* D_p,
                    double* D_r) {
    const size_t n2 = static_cast<size_t>(run.n) * run.n, m2 = static_cast<size_t>(reference.n) * reference.n;
    const bool own = order == Order::known || order == Order::executed;
    own ? std::copy_n(run.D, n2, D_p) : std::fill_n(D_p, n2, 0.0);
    order != Order::ignored ? std::copy_n(reference.D, m2, D_r) : std::fill_n(D_r, m2, 0.0);
    if (order == Order::executed || order == Order::listed)
        fill_order(C, run, reference, order == Order::executed, alike, D_p);
}

// What it costs to move mass at a node cost: matrices.mass_moving_cost.
double moving(double c, const Settings& set) {
    return c + (set.apart - 1.0) * (std::max(0.0, c - set.unlike) / (1.0 - set.unlike));
}

double emphasis(const Side& side, int j, const Settings& set) { return 1.0 + set.kappa * side.critical[j]; }

double mean_emphasis(const Side& side, const Settings& set) {
    double sum = 0, weight = 0;
    for (int j = 0; j < side.n; ++j) {
        sum += side.weights[j] * emphasis(side, j, set);
        weight += side.weights[j];
    }
    return sum / weight;
}

bool antisymmetric(const double* D, int n) {
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k)
            if (!(D[i * n + k] + D[k * n + i] == 0)) return false;
    return true;
}

bool within(const double* values, int64_t count, double least, double most) {
    return std::all_of(values, values + count, [=](double x) { return x >= least && x <= most; });
}

// Whether the numbers are right that did not come from a problem's own check.
bool right(int n, int m, const double* cost, const double* D_p, const double* D_r, const double* mu) {
    constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::min();
    return within(cost, D_p - cost, 0, most) && within(mu, n + m, least, most) &&
           within(mu + n + m, n + m, least_lambda, most_lambda) && antisymmetric(D_p, n) && antisymmetric(D_r, m);
}

}  // namespace

void signed_hops(const std::vector<int>& order, const std::vector<std::vector<int>>& children, int16_t* counts) {
    const size_t n = order.size();
    std::fill_n(counts, n * n, int16_t{0});
    for (auto step = order.rbegin(); step != order.rend(); ++step) {  // children come first
        int16_t* const row = counts + *step * n;
        for (const int child : children[*step]) {
            const int16_t* const below = counts + child * n;
            for (size_t k = 0; k < n; ++k)
                if (below[k] > 0 && (row[k] == 0 || row[k] > below[k] + 1)) row[k] = static_cast<int16_t>(below[k] + 1);
            row[child] = 1;
        }
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k)
            if (counts[i * n + k] > 0) counts[k * n + i] = static_cast<int16_t>(-counts[i * n + k]);
}

bool pack(const View& C, const Side& run, const Side& reference, Order order, const double* units,
          const Settings& set, double* packed) {
    const int n = run.n, m = reference.n;
    packed[0] = n, packed[1] = m, packed[2] = set.theta;
    double *const cost = packed + 3, *const D_p = cost + static_cast<int64_t>(n) * m;
    double *const D_r = D_p + static_cast<int64_t>(n) * n, *const mu = D_r + static_cast<int64_t>(m) * m;
    double *const nu = mu + n, *const lambda_1 = nu + m, *const lambda_2 = lambda_1 + n;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) cost[i * m + j] = set.apart > 1 ? moving(C(i, j), set) : C(i, j);
    fill_structure(C, run, reference, order, set.alike, D_p, D_r);
    for (int i = 0; i < n; ++i) {
        mu[i] = run.weights[i] / units[0];
        lambda_1[i] = set.lambda_agent * run.penalties[i];
    }
    const double mean = mean_emphasis(reference, set);
    for (int j = 0; j < m; ++j) {
        const double mass = reference.weights[j] / units[1], more = emphasis(reference, j, set);
        nu[j] = set.by_mass != 0 ? mass * more / mean : mass;
        lambda_2[j] = set.lambda_reference * (set.by_mass != 0 ? 1.0 : more / mean);
    }
    return right(n, m, cost, D_p, D_r, mu);
}

}  // namespace otap
