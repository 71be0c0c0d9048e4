// The partial permutation nearest to a coupling with entropy, with its best masses: plain.py.
#pragma once

#include "short.hpp"

namespace otap {

// Where the partial permutation that carries the most of T costs less than terms say, T and terms
// become its own; true if so.
bool round_coupling(const Problem& problem, double* T, Terms& terms);

// Whether the two sides agree exactly step by step, in the order listed: the loss is then 0.
bool listed_alike(const Problem& problem);

// Whether they may be one graph listed twice: each step has one of the other side that costs nothing.
bool maybe_alike(const Problem& problem);

}  // namespace otap
