// Linear assignment by Jonker and Volgenant's method (1987), row after row.
#pragma once

#include <vector>

namespace otap {

// Pairs of least total cost between n rows and m columns: the column of each row, -1 for the rows that
// have none (n > m). cost is by rows. Of several answers always the same one is given. to_free: a path ends
// at the first free column, which is faster where many of many pairs cost the same; another answer.
std::vector<int> assignment(const double* cost, int n, int m, bool to_free = false);

}  // namespace otap
