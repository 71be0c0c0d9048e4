#include "rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "assignment.hpp"

namespace otap {

namespace {

constexpr int polish = 8;
constexpr double equal = 1e-12;

struct Pair {
    int i, j;
    double pull, weight, mass;
};

// Half the structure gradient at a pair: what the other pairs cost along with it.
double mismatch(const Problem& p, const std::vector<Pair>& pairs, const Pair& at) {
    const double *ours = p.D_p + static_cast<size_t>(at.i) * p.n, *theirs = p.D_r + static_cast<size_t>(at.j) * p.m;
    double sum = 0;
    for (const Pair& other : pairs) {
        const double gap = ours[other.i] - theirs[other.j];
        sum += gap * gap * other.mass;
    }
    return sum;
}

std::vector<Pair> assigned(const Problem& p, const double* T) {
    std::vector<double> cost(static_cast<size_t>(p.n) * p.m);
    std::transform(T, T + cost.size(), cost.begin(), [](double mass) { return -mass; });
    const std::vector<int> column = assignment(cost.data(), p.n, p.m);
    std::vector<Pair> pairs;
    for (int i = 0; i < p.n; ++i) {
        const int j = column[i];
        if (j < 0) continue;
        const double weight = p.lambda_1[i] + p.lambda_2[j];
        const double pull = p.lambda_2[j] * std::log(p.nu[j] / p.mu[i]);
        pairs.push_back({i, j, pull, weight, p.mu[i] * std::exp(pull / weight)});
    }
    return pairs;
}

void improve(const Problem& p, std::vector<Pair>& pairs) {
    std::vector<double> masses(pairs.size());
    for (size_t k = 0; k < pairs.size(); ++k) {
        const Pair& at = pairs[k];
        const double structure = p.theta > 0 ? 2 * p.theta * mismatch(p, pairs, at) : 0.0;
        const double cost = (1 - p.theta) * p.C[static_cast<size_t>(at.i) * p.m + at.j] + structure;
        masses[k] = p.mu[at.i] * std::exp((at.pull - cost) / at.weight);
    }
    for (size_t k = 0; k < pairs.size(); ++k) pairs[k].mass = masses[k];
}

double kl(double a, double b) { return a > 0 ? std::max(a * std::log(a / b) - a + b, 0.0) : b; }

Terms terms_of(const Problem& p, const std::vector<Pair>& pairs) {
    Terms terms{};
    std::vector<double> rows(p.n), columns(p.m);
    for (const Pair& at : pairs) {
        terms.node += (1 - p.theta) * p.C[static_cast<size_t>(at.i) * p.m + at.j] * at.mass;
        if (p.theta > 0) terms.structure += p.theta * at.mass * mismatch(p, pairs, at);
        rows[at.i] = columns[at.j] = at.mass;
    }
    for (int i = 0; i < p.n; ++i) terms.agent_mass += p.lambda_1[i] * kl(rows[i], p.mu[i]);
    for (int j = 0; j < p.m; ++j) terms.reference_mass += p.lambda_2[j] * kl(columns[j], p.nu[j]);
    return terms;
}

}  // namespace

bool round_coupling(const Problem& p, double* T, Terms& terms) {
    std::vector<Pair> pairs = assigned(p, T);
    for (int k = 0; k < polish; ++k) improve(p, pairs);
    const Terms rounded = terms_of(p, pairs);
    if (!(rounded.loss() < terms.loss())) return false;
    terms = rounded;
    std::fill(T, T + static_cast<size_t>(p.n) * p.m, 0.0);
    for (const Pair& at : pairs) T[static_cast<size_t>(at.i) * p.m + at.j] = at.mass;
    return true;
}

bool listed_alike(const Problem& p) {
    if (p.n != p.m) return false;
    const size_t n = p.n;
    if (p.theta < 1)
        for (size_t i = 0; i < n; ++i)
            if (p.C[i * n + i] != 0) return false;
    if (!std::equal(p.mu, p.mu + n, p.nu)) return false;
    return p.theta == 0 || std::equal(p.D_p, p.D_p + n * n, p.D_r);
}

bool maybe_alike(const Problem& p) {
    if (p.n != p.m) return false;
    if (p.theta == 1) return true;
    const size_t n = p.n;
    std::vector<char> columns(n);
    for (size_t i = 0; i < n; ++i) {
        bool found = false;
        for (size_t j = 0; j < n; ++j) {
            const bool free = p.C[i * n + j] <= equal;
            found |= free;
            columns[j] |= free;
        }
        if (!found) return false;
    }
    return std::all_of(columns.begin(), columns.end(), [](char found) { return found; });
}

}  // namespace otap
