// Two sides and their node costs in, a packed problem out: otap/scoring/compare/problem.py.
#pragma once

#include <cstdint>
#include <vector>

namespace otap {

// A matrix that may lie within another one.
struct View {
    const double* data;
    int64_t row, column;  // from one entry to the next
    double operator()(int i, int j) const { return data[i * row + j * column]; }
};

// One side, as costs/nodes.py packs it: the structure (n, n); of each node its weight, the factor of its
// penalty, whether it is critical, the turn in which it ran, and its place in a topological order.
struct Side {
    int n;
    const double *D, *weights, *penalties, *critical, *turns, *places;
};

// What the structure of the run is: none, nor the reference's; its own; its own, with the inversions that its
// order of execution shows; its order of execution along the paths of the reference.
enum class Order : int { ignored, known, executed, listed };

struct Settings {
    double theta, lambda_agent, lambda_reference, kappa;
    double by_mass;  // 1: criticality weights masses; 0: penalties
    double unlike;   // node costs beyond rise, until where they are 1
    double apart;    // moving mass costs this
    double alike;    // the largest node cost of steps that are taken for each other
};

// Numbers in a packed problem, and in a packed side.
inline int64_t packed_size(int64_t n, int64_t m) { return 3 + n * m + n * n + m * m + 2 * n + 2 * m; }
inline int64_t side_size(int64_t n) { return 1 + n * n + 5 * n; }

// The signed hops between the nodes of an acyclic graph: costs/structure.py. order: a topological order;
// children[i]: the nodes that need i directly. counts: (n, n), filled.
void signed_hops(const std::vector<int>& order, const std::vector<std::vector<int>>& children, int16_t* counts);

// Fills packed; false where a value is none that a problem may hold. units: the weight that is mass 1 on the side
// of the run, and of the reference.
bool pack(const View& C, const Side& run, const Side& reference, Order order, const double* units,
          const Settings& settings, double* packed);

}  // namespace otap
