#include "assignment.hpp"

#include <algorithm>
#include <limits>

namespace otap {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Matching {
    const double* cost;
    int n, m;  // n <= m
    std::vector<double> u, v, distance;
    std::vector<int> column_of, row_of, origin;
    std::vector<char> scanned;

    Matching(const double* cost_, int n_, int m_)
        : cost(cost_), n(n_), m(m_), u(n), v(m), distance(m), column_of(n, -1), row_of(m, -1), origin(m), scanned(m) {}

    // True where no two rows want the same column; then that is the answer.
    bool by_row_minima() {
        for (int i = 0; i < n; ++i) {
            const double* row = cost + i * m;
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
        int i = row, sink = -1;
        double lowest = 0;
        while (true) {
            sink = relax(i, lowest);
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
            const double reduced = (lowest - u[i]) + cost[i * m + j] - v[j];
            if (reduced < distance[j]) {
                distance[j] = reduced;
                origin[j] = i;
            }
            if (nearest < 0 || distance[j] < distance[nearest]) nearest = j;
        }
        return nearest;
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

std::vector<int> assignment(const double* cost, int n, int m) {
    if (n <= m) {
        Matching matching(cost, n, m);
        matching.solve();
        return matching.column_of;
    }
    std::vector<double> turned(static_cast<size_t>(n) * m);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) turned[static_cast<size_t>(j) * n + i] = cost[static_cast<size_t>(i) * m + j];
    Matching matching(turned.data(), m, n);
    matching.solve();
    return matching.row_of;
}

}  // namespace otap
