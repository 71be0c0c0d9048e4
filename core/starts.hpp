// Where a descent starts beside the product coupling, and whether it has to: starts.py.
#pragma once

#include <cstdint>
#include <vector>

#include "short.hpp"

namespace otap {

// Permutations of the steps of both sides, size = min(n, m) of each: rows, then columns, for each start.
struct Shuffles {
    const int64_t* indices;
    int count;
};

// Whether the landscape of this problem may have several minima.
bool needs_several(const Problem& problem);

// Further starts, one after the other, (2 + shuffles.count) matrices of (n, m).
std::vector<double> further_starts(const Problem& problem, const Shuffles& shuffles);

}  // namespace otap
