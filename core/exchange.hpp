// Partial permutations to polish from: of plain.py, and every second one of them improved by exchanges.
#pragma once

#include <vector>

#include "starts.hpp"

namespace otap {

// Couplings of partial permutations, one after the other: where informed by cost and by order, then by
// the shuffles, every second one of these improved by exchanges.
std::vector<double> matchings(const Problem& problem, const Shuffles& shuffles, bool informed);

}  // namespace otap
