#include "assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace otap {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Matching {
    const double* cost;
    int n, m;  // n <= m
    std::vector<double> u, v, distance;
    std::vector<int> column_of, row_of, origin, remaining;
    std::vector<char> scanned;
    bool to_free;

    Matching(const double* cost_, int n_, int m_, bool to_free_)
        : cost(cost_), n(n_), m(m_), u(n), v(m), distance(m), column_of(n, -1), row_of(m, -1), origin(m), scanned(m),
          to_free(to_free_) {}

    // True where no two rows want the same column; then that is the answer.
    bool by_row_minima() {
        for (int i = 0; i < n; ++i) {
            const double* row = cost + static_cast<size_t>(i) * m;
            const int j = static_cast<int>(std::min_element(row, row + m) - row);
            if (row_of[j] >= 0) {
                std::fill(row_of.begin(), row_of.end(), -1);
                return false;
            }
            row_of[j] = i;
            column_of[i] = j;
        }
        return true;
    }

    // The nearest free column from a free row; the duals stay feasible.
    int shortest_path(int row) {
        std::fill(distance.begin(), distance.end(), infinite);
        std::fill(origin.begin(), origin.end(), -1);
        std::fill(scanned.begin(), scanned.end(), 0);
        remaining.resize(to_free ? m : 0);
        std::iota(remaining.rbegin(), remaining.rend(), 0);
        int i = row, sink = -1;
        double lowest = 0;
        while (true) {
            sink = to_free ? relax_to_free(i, lowest) : relax(i, lowest);
            lowest = distance[sink];
            if (row_of[sink] < 0) break;
            scanned[sink] = 1;
            i = row_of[sink];
        }
        u[row] += lowest;
        for (int j = 0; j < m; ++j) {
            if (!scanned[j]) continue;
            u[row_of[j]] += lowest - distance[j];
            v[j] -= lowest - distance[j];
        }
        return sink;
    }

    // Looks along row i; the nearest column that is not scanned.
    int relax(int i, double lowest) {
        int nearest = -1;
        for (int j = 0; j < m; ++j) {
            if (scanned[j]) continue;
            const double reduced = (lowest - u[i]) + cost[static_cast<size_t>(i) * m + j] - v[j];
            if (reduced < distance[j]) {
                distance[j] = reduced;
                origin[j] = i;
            }
            if (nearest < 0 || distance[j] < distance[nearest]) nearest = j;
        }
        return nearest;
    }

    // The same, but a free column comes before others as near: it ends the path. Where many pairs cost
    // the same, paths are short. The choice is that of scipy.optimize.linear_sum_assignment.
    int relax_to_free(int i, double lowest) {
        const double* row = cost + static_cast<size_t>(i) * m;
        size_t nearest = 0;
        double least = infinite;
        for (size_t k = 0; k < remaining.size(); ++k) {
            const int j = remaining[k];
            const double reduced = lowest + row[j] - u[i] - v[j];
            if (reduced < distance[j]) {
                distance[j] = reduced;
                origin[j] = i;
            }
            if (distance[j] < least || (distance[j] == least && row_of[j] < 0)) {
                least = distance[j];
                nearest = k;
            }
        }
        const int j = remaining[nearest];
        remaining[nearest] = remaining.back();
        remaining.pop_back();
        return j;
    }

    void flip(int row, int j) {
        while (true) {
            const int i = origin[j];
            row_of[j] = i;
            std::swap(column_of[i], j);
            if (i == row) return;
        }
    }

    void solve() {
        if (by_row_minima()) return;
        std::fill(column_of.begin(), column_of.end(), -1);
        for (int row = 0; row < n; ++row) flip(row, shortest_path(row));
    }
};

}  // namespace

std::vector<int> assignment(const double* cost, int n, int m, bool to_free) {
    if (n <= m) {
        Matching matching(cost, n, m, to_free);
        matching.solve();
        return matching.column_of;
    }
    std::vector<double> turned(static_cast<size_t>(n) * m);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) turned[static_cast<size_t>(j) * n + i] = cost[static_cast<size_t>(i) * m + j];
    Matching matching(turned.data(), m, n, to_free);
    matching.solve();
    return matching.row_of;
}

}  // namespace otap
