// Where a descent starts beside the product coupling, and whether it has to: plain.py.
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

// Whether this problem may have several minima: 0 no, 1 if starts disagree, 2 whatever they say.
int doubt(const Problem& problem);

// The starts by cost and by order, (n, m) each, one after the other.
constexpr int telling_starts = 2;
std::vector<double> starts_by_cost_and_order(const Problem& problem);

// The steps of both sides in orders that do not depend on how they were listed.
struct Ordered {
    explicit Ordered(const Problem& problem);
    std::vector<int> agent, reference;
    std::vector<int> column(const Shuffles& shuffles, int k) const;  // of each row, by the k-th shuffle
};

// The assignment of steps that stand as late as each other.
std::vector<int> by_position(const Problem& problem);

// Starts at random permutations, shuffles.count matrices of (n, m).
std::vector<double> shuffled_starts(const Problem& problem, const Shuffles& shuffles);

}  // namespace otap
