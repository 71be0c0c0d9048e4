// Partial permutations to polish from: of plain.py, and those at random improved by exchanges.
#pragma once

#include <vector>

#include "starts.hpp"

namespace otap {

// Couplings of partial permutations, one after the other: where informed by cost and by order, then by
// the shuffles, improved by exchanges; where not informed only every second one, since those that are
// improved are often one.
std::vector<double> matchings(const Problem& problem, const Shuffles& shuffles, bool informed);

}  // namespace otap
