#include "shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace otap {

namespace {

constexpr double digits = 1e9;

struct Entry {
    int i, j;
    double mass;
};

std::vector<Entry> entries_of(const Coupled& x) {
    std::vector<Entry> found;
    for (int i = 0; i < x.problem.n; ++i)
        for (int j = 0; j < x.problem.m; ++j)
            if (const double mass = x.T[i * x.problem.m + j]; mass != 0) found.push_back({i, j, mass});
    return found;
}

// sum_kl (D_p_ik - D_r_jl)^2 T_kl at the entries of T, pair by pair: for a coupling that is mostly zeros.
std::vector<double> mismatch_by_pairs(const Problem& p, const std::vector<Entry>& entries) {
    std::vector<double> found(entries.size());
    for (size_t a = 0; a < entries.size(); ++a) {
        const double *D_p = p.D_p + static_cast<int64_t>(entries[a].i) * p.n;
        const double *D_r = p.D_r + static_cast<int64_t>(entries[a].j) * p.m;
        for (const Entry& b : entries) {
            const double gap = D_p[b.i] - D_r[b.j];
            found[a] += gap * gap * b.mass;
        }
    }
    return found;
}

// The same, factorised [Peyre2016]: a_i + b_j + 2 (D_p T D_r)_ij.
std::vector<double> mismatch_factorised(const Problem& p, const double* T, const std::vector<Entry>& entries) {
    const int n = p.n, m = p.m;
    std::vector<double> r(n), c(m), a(n), b(m), Y(static_cast<size_t>(n) * m), P(Y.size());
    for (const Entry& e : entries) r[e.i] += e.mass, c[e.j] += e.mass;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const double d = p.D_p[i * n + k];
            if (d == 0) continue;
            a[i] += d * d * r[k];
            for (int j = 0; j < m; ++j) Y[i * m + j] += d * T[k * m + j];
        }
    for (int j = 0; j < m; ++j)
        for (int l = 0; l < m; ++l) b[j] += p.D_r[j * m + l] * p.D_r[j * m + l] * c[l];
    for (int i = 0; i < n; ++i)
        for (int l = 0; l < m; ++l)
            if (const double y = Y[i * m + l]; y != 0)
                for (int j = 0; j < m; ++j) P[i * m + j] += y * p.D_r[l * m + j];
    std::vector<double> found;
    for (const Entry& e : entries) found.push_back(std::max(0.0, a[e.i] + b[e.j] + 2.0 * P[e.i * m + e.j]));
    return found;
}

std::vector<double> mismatch(const Coupled& x, const std::vector<Entry>& entries) {
    const bool few = entries.size() <= static_cast<size_t>(std::max(x.problem.n, x.problem.m));
    return few ? mismatch_by_pairs(x.problem, entries) : mismatch_factorised(x.problem, x.T, entries);
}

// lambda (a log(a / b) - a + b), never below 0.
double penalty(double lambda, double a, double b) {
    return lambda * std::max(0.0, a > 0 ? a * std::log(a / b) - a + b : b);
}

// Divides sums of T^2 (1 - C) by sums of T^2; 0 where nothing moves.
void divide(double* quality, const std::vector<double>& weight) {
    for (size_t k = 0; k < weight.size(); ++k) quality[k] = weight[k] > 0 ? quality[k] / weight[k] : 0.0;
}

void qualities(const Coupled& x, const std::vector<Entry>& entries, double* rows, double* columns) {
    std::vector<double> row_weight(x.problem.n), column_weight(x.problem.m);
    for (const auto& [i, j, mass] : entries) {
        const double weight = mass * mass, matched = weight * (1.0 - x.C(i, j));
        rows[i] += matched, row_weight[i] += weight;
        columns[j] += matched, column_weight[j] += weight;
    }
    divide(rows, row_weight);
    divide(columns, column_weight);
}

// own: what each step of the run adds by itself, which is both halves of its pairs.
void contributions(const Coupled& x, const std::vector<Entry>& entries, double* rows, double* columns, double* own) {
    const Problem& p = x.problem;
    const std::vector<double> gaps = mismatch(x, entries);
    std::vector<double> r(p.n), c(p.m);
    for (size_t k = 0; k < entries.size(); ++k) {
        const auto& [i, j, mass] = entries[k];
        const double half = mass * ((1.0 - p.theta) * p.C[i * p.m + j] + p.theta * gaps[k]) / 2;
        rows[i] += half, own[i] += 2 * half, r[i] += mass;
        columns[j] += half, c[j] += mass;
    }
    for (int i = 0; i < p.n; ++i) {
        const double unmoved = penalty(p.lambda_1[i], r[i], p.mu[i]);
        rows[i] += unmoved, own[i] += unmoved;
    }
    for (int j = 0; j < p.m; ++j) columns[j] += penalty(p.lambda_2[j], c[j], p.nu[j]);
}

// What the mass adds that a step moves to steps of the reference that have enough.
void surplus(const Coupled& x, const std::vector<Entry>& entries, double* out) {
    const Problem& p = x.problem;
    std::vector<double> c(p.m);
    for (const Entry& e : entries) c[e.j] += e.mass;
    for (const Entry& e : entries)
        if (c[e.j] > p.nu[e.j]) out[e.i] += e.mass * (penalty(p.lambda_2[e.j], c[e.j], p.nu[e.j]) / c[e.j]);
}

// What the masses of the reference's steps add while none, the first, the first two of the run have moved theirs.
void lacking(const Coupled& x, double* out) {
    const Problem& p = x.problem;
    std::vector<double> c(p.m), price(p.m);
    for (int j = 0; j < p.m; ++j) price[j] = penalty(p.lambda_2[j], 0.0, p.nu[j]);
    out[0] = std::accumulate(price.begin(), price.end(), 0.0);
    for (const int i : x.ended) {
        const double* row = x.T + static_cast<int64_t>(i) * p.m;
        for (int j = 0; j < p.m; ++j)
            if (row[j] != 0) c[j] += row[j], price[j] = penalty(p.lambda_2[j], c[j], p.nu[j]);
        *++out = std::accumulate(price.begin(), price.end(), 0.0);
    }
}

// What a field adds to the loss: its share of what moving mass costs.
void field_losses(const Coupled& x, const std::vector<Entry>& entries, double* out) {
    const Problem& p = x.problem;
    for (const auto& [i, j, mass] : entries) {
        const double c = x.C(i, j), moved = c > 0 ? mass * (p.C[i * p.m + j] / c) : mass;
        for (size_t f = 0; f < x.fields.size(); ++f)
            out[f] += (1.0 - p.theta) * x.fields[f].second * x.fields[f].first(i, j) * moved;
    }
}

}  // namespace

void shares(const Coupled& x, double* out) {
    const std::vector<Entry> entries = entries_of(x);
    const int n = x.problem.n, m = x.problem.m;
    std::fill_n(out, shares_size(n, m, x.fields.size()), 0.0);
    double* credit = out + 2 * (n + m);
    qualities(x, entries, out, out + n);
    contributions(x, entries, out + n + m, out + 2 * n + m, credit);
    surplus(x, entries, credit + n);
    lacking(x, credit + 2 * n);
    field_losses(x, entries, credit + 3 * n + 1);
}

std::vector<std::pair<int, int>> counterparts(const Coupled& x, const char* failed_run, const char* failed_reference,
                                              const char* last, const Limits& limits) {
    const int n = x.problem.n, m = x.problem.m;
    std::vector<std::tuple<double, char, int, int>> ranked;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double mass = x.T[i * m + j], c = x.C(i, j);
            const double lighter = std::min(x.problem.mu[i], x.problem.nu[j]);
            const bool flows = c <= limits.matched && lighter * limits.flow <= mass;
            if ((flows || c <= limits.same) && failed_run[i] == failed_reference[j])
                ranked.emplace_back(-std::nearbyint(mass * (1.0 - c) * digits) / digits, last[i], i, j);
        }
    std::sort(ranked.begin(), ranked.end());
    std::vector<bool> taken_rows(n), taken_columns(m);
    std::vector<std::pair<int, int>> found;
    for (const auto& [worth, after, i, j] : ranked) {
        if (taken_rows[i] || taken_columns[j]) continue;
        taken_rows[i] = taken_columns[j] = true;
        found.emplace_back(i, j);
    }
    return found;
}

}  // namespace otap
