// What each step has of a coupling: otap/alignment/shares.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "packing.hpp"
#include "short.hpp"

namespace otap {

// A coupling as it is read: T by rows; the node costs C, of which moving mass costs problem.C; what each field
// adds to C, before its weight; the steps of the run in the order in which they ended.
struct Coupled {
    const Problem& problem;
    const double* T;
    View C;
    std::vector<std::pair<View, double>> fields;
    std::vector<int> ended;
};

// quality (n, m): how well each step is matched; contribution (n, m): what it adds to the loss; credit (n, n, n + 1):
// what each step of the run adds by itself, what by surplus, and what the reference lacks before and after each that
// ended; losses: what each field adds to the loss. Filled in this order, run first.
void shares(const Coupled& coupled, double* out);
inline size_t shares_size(int n, int m, size_t fields) { return 5 * size_t(n) + 2 * size_t(m) + 1 + fields; }

// What decides which pairs are counterparts: alignment/shares.py.
struct Limits {
    double matched, flow, same;
};

// One-to-one counterparts by greedy matching. failed: steps that failed; last: steps of the run that come after
// their equals.
std::vector<std::pair<int, int>> counterparts(const Coupled& coupled, const char* failed_run,
                                              const char* failed_reference, const char* last, const Limits& limits);

}  // namespace otap
