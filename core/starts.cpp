#include "starts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assignment.hpp"
#include "parameters.hpp"

namespace otap {

namespace {

// Structure outweighs node costs from here on: theta .6 where costs are spread by .75, or costs spread by less than
// .27 at theta .35; and by far: of 1,500 hard problems 13 had a better minimum than starts that agree, all beyond 9.
constexpr double alike_to = 1e-9, rugged_from = 2.0, flat_from = 8.0;

bool is_graded(const double* D, int n) {
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            if (!(std::fabs(D[i * n + k] - (D[k] - D[i])) < graded)) return false;
    return true;
}

// Most vectors differ at once.
bool apart(const double* x, const double* y, int count, int stride) {
    double distance = 0;
    for (int k = 0; k < count; ++k) {
        const double gap = x[k * stride] - y[k * stride];
        distance += gap * gap;
        if (distance >= alike_to) return true;
    }
    return false;
}

bool repeats(const double* C, int n, int m) {
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k)
            if (!apart(C + i * m, C + k * m, m, 1)) return true;
    for (int j = 0; j < m; ++j)
        for (int l = 0; l < j; ++l)
            if (!apart(C + j, C + l, n, m)) return true;
    return false;
}

double spread(const double* C, int n, int m) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double* row = C + i * m;
        double low = row[0], high = row[0];
        for (int j = 1; j < m; ++j) {
            low = row[j] < low ? row[j] : low;
            high = row[j] > high ? row[j] : high;
        }
        sum += high - low;
    }
    return sum / n;
}

// How late each step stands in its structure: the mean of its column of D.
std::vector<double> positions(const double* D, int n) {
    std::vector<double> mean(n);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) mean[k] += D[i * n + k];
    for (double& x : mean) x /= n;
    return mean;
}

std::vector<double> mean_cost(const double* C, int count, int other, int stride, int step) {
    std::vector<double> mean(count);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < other; ++j) mean[i] += C[i * stride + j * step];
    for (double& x : mean) x /= other;
    return mean;
}

double to_nine_places(double x) { return std::nearbyint(x * 1e9) / 1e9; }

// Steps in an order that does not depend on how they were listed, ties apart.
std::vector<int> ranking(const std::vector<double>& position, const std::vector<double>& cost) {
    std::vector<int> order(position.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const double x = to_nine_places(position[a]), y = to_nine_places(position[b]);
        return x != y ? x < y : to_nine_places(cost[a]) < to_nine_places(cost[b]);
    });
    return order;
}

double total_mass(const Problem& p) {
    return std::sqrt(std::accumulate(p.mu, p.mu + p.n, 0.0) * std::accumulate(p.nu, p.nu + p.m, 0.0));
}

struct Smoother {
    const Problem& p;
    double total;
    double* next;

    // Writes one start: most of the permutation, and a rest of the product coupling.
    void write(const std::vector<int>& column) {
        for (int i = 0; i < p.n; ++i)
            for (int j = 0; j < p.m; ++j) {
                const double pair = column[i] == j ? std::min(p.mu[i], p.nu[j]) : 0.0;
                *next++ = keep * pair + (1 - keep) * (p.mu[i] * p.nu[j] / total);
            }
    }
};

}  // namespace

int doubt(const Problem& p) {
    if (p.theta <= 0 || std::min(p.n, p.m) < 2) return 0;
    if (is_graded(p.D_p, p.n) || is_graded(p.D_r, p.m)) return 0;
    const double against = (1 - p.theta) * spread(p.C, p.n, p.m);
    if (p.theta > flat_from * against) return 2;
    return p.theta > rugged_from * against || repeats(p.C, p.n, p.m);
}

std::vector<double> starts_by_cost_and_order(const Problem& p) {
    std::vector<double> starts(static_cast<size_t>(telling_starts) * p.n * p.m);
    Smoother smoother{p, total_mass(p), starts.data()};
    smoother.write(assignment(p.C, p.n, p.m));
    smoother.write(by_position(p));
    return starts;
}

std::vector<double> shuffled_starts(const Problem& p, const Shuffles& shuffles) {
    std::vector<double> starts(static_cast<size_t>(shuffles.count) * p.n * p.m);
    Smoother smoother{p, total_mass(p), starts.data()};
    const Ordered ordered(p);
    for (int k = 0; k < shuffles.count; ++k) smoother.write(ordered.column(shuffles, k));
    return starts;
}

std::vector<int> by_position(const Problem& p) {
    const std::vector<double> x = positions(p.D_p, p.n), y = positions(p.D_r, p.m);
    std::vector<double> apart_(static_cast<size_t>(p.n) * p.m);
    for (int i = 0; i < p.n; ++i)
        for (int j = 0; j < p.m; ++j) apart_[static_cast<size_t>(i) * p.m + j] = (x[i] - y[j]) * (x[i] - y[j]);
    return assignment(apart_.data(), p.n, p.m);
}

Ordered::Ordered(const Problem& p)
    : agent(ranking(positions(p.D_p, p.n), mean_cost(p.C, p.n, p.m, p.m, 1))),
      reference(ranking(positions(p.D_r, p.m), mean_cost(p.C, p.m, p.n, 1, p.m))) {}

std::vector<int> Ordered::column(const Shuffles& shuffles, int k) const {
    const size_t size = std::min(agent.size(), reference.size());
    const int64_t *rows = shuffles.indices + 2 * k * size, *columns = rows + size;
    std::vector<int> found(agent.size(), -1);
    for (size_t t = 0; t < size; ++t) found[agent[rows[t]]] = reference[columns[t]];
    return found;
}

}  // namespace otap
