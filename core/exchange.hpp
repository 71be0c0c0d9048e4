// Partial permutations to polish from.
#pragma once

#include <vector>

#include "starts.hpp"

namespace otap {

// Couplings of partial permutations: where informed by cost and by order, then by the shuffles, every
// second one of these improved by exchanges.
std::vector<double> direct_starts(const Problem& problem, const Shuffles& shuffles, bool informed);

}  // namespace otap
