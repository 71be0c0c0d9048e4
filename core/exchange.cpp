#include "exchange.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assignment.hpp"

namespace otap {

namespace {

struct Exchange {
    const Problem& p;
    int n, m, size;  // rows and columns are padded to size
    std::vector<double> single, mass;
    std::vector<int> column;

    Exchange(const Problem& p_) : p(p_), n(p.n), m(p.m), size(std::max(n, m)), single(size * size), mass(size * size) {
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j) {
                if (i < n && j < m) {
                    const double S = p.lambda_1[i] + p.lambda_2[j];
                    const double w = p.mu[i] * std::exp(p.lambda_2[j] / S * std::log(p.nu[j] / p.mu[i]));
                    mass[i * size + j] = w;
                    const double cost = (1 - p.theta) * p.C[i * m + j];
                    // least over a factor on the mass, as where structure costs nothing
                    single[i * size + j] = p.lambda_1[i] * p.mu[i] + p.lambda_2[j] * p.nu[j] - S * w * std::exp(-cost / S);
                } else if (i < n) {
                    single[i * size + j] = p.lambda_1[i] * p.mu[i];
                } else if (j < m) {
                    single[i * size + j] = p.lambda_2[j] * p.nu[j];
                }
            }
    }

    double pair(int i, int a, int k, int b) const {
        if (i >= n || k >= n || a >= m || b >= m) return 0;
        const double gap = p.D_p[i * n + k] - p.D_r[a * m + b];
        return gap == 0 ? 0 : 2 * p.theta * gap * gap * mass[i * size + a] * mass[k * size + b];
    }

    // Pads a partial matching.
    void start(const std::vector<int>& given) {
        column = given;
        column.resize(size, -1);
        std::vector<char> taken(size);
        for (const int j : column) if (j >= 0) taken[j] = 1;
        int next = 0;
        for (int& j : column) {
            if (j >= 0) continue;
            while (taken[next]) ++next;
            j = next++;
        }
    }

    double energy() const {
        double sum = 0;
        for (int i = 0; i < size; ++i) {
            sum += single[i * size + column[i]];
            for (int k = 0; k < i; ++k) sum += pair(i, column[i], k, column[k]);
        }
        return sum;
    }

    double gain(int i, int k) const {
        const int a = column[i], b = column[k];
        double sum = single[i * size + b] + single[k * size + a] - single[i * size + a] - single[k * size + b];
        sum += pair(i, b, k, a) - pair(i, a, k, b);
        for (int t = 0; t < size; ++t) {
            if (t == i || t == k) continue;
            const int c = column[t];
            sum += pair(i, b, t, c) + pair(k, a, t, c) - pair(i, a, t, c) - pair(k, b, t, c);
        }
        return sum;
    }

    void run() {
        for (int round = 0; round < 50; ++round) {
            bool any = false;
            for (int i = 0; i < size; ++i)
                for (int k = 0; k < i; ++k)
                    if (gain(i, k) < -1e-12) std::swap(column[i], column[k]), any = true;
            if (!any) return;
        }
    }
};

}  // namespace

std::vector<double> direct_starts(const Problem& p, const Shuffles& shuffles, bool informed) {
    const size_t cells = static_cast<size_t>(p.n) * p.m;
    const Ordered ordered(p);
    Exchange exchange(p);
    std::vector<double> starts;
    const auto add = [&](const std::vector<int>& column) {
        starts.resize(starts.size() + cells);
        double* T = starts.data() + starts.size() - cells;
        for (int i = 0; i < p.n; ++i) {
            const int j = column[i];
            if (j < 0 || j >= p.m) continue;
            const double S = p.lambda_1[i] + p.lambda_2[j];
            T[i * p.m + j] = exchange.mass[i * exchange.size + j] * std::exp(-(1 - p.theta) * p.C[i * p.m + j] / S);
        }
    };
    if (informed) {
        add(assignment(p.C, p.n, p.m));
        add(by_position(p));
    }
    for (int k = 0; k < shuffles.count; ++k) {
        const std::vector<int> column = ordered.column(shuffles, k);
        if (k % 2 == 0) { add(column); continue; }
        exchange.start(column);
        exchange.run();
        add(exchange.column);
    }
    return starts;
}

}  // namespace otap
