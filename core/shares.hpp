// What each step has of a coupling: otap/alignment/shares.py.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "packing.hpp"
#include "short.hpp"

namespace otap {

// A coupling as it is read: T by rows; the node costs C, of which moving mass costs problem.C; what each field
// adds to C, before its weight.
struct Coupled {
    const Problem& problem;
    const double* T;
    View C;
    std::vector<std::pair<View, double>> fields;
};

// quality (n, m): how well each step is matched; contribution (n, m): what it adds to the loss; losses: what each
// field adds to it. Filled in this order, run first: 2 (n + m) numbers, and one a field.
void shares(const Coupled& coupled, double* out);

// What decides which pairs are counterparts: matching.py.
struct Limits {
    double matched, flow, same;
};

// One-to-one counterparts by greedy matching. failed: steps that failed; last: steps of the run that come after
// their equals.
std::vector<std::pair<int, int>> counterparts(const Coupled& coupled, const char* failed_run,
                                              const char* failed_reference, const char* last, const Limits& limits);

}  // namespace otap
