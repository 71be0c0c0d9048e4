// Many problems of any shapes in, the best coupling of each out.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels.hpp"
#include "starts.hpp"

namespace otap {

enum class Status : int8_t {
    solved,
    alike,        // the sides agree as listed: T is that, and nothing was solved
    maybe_alike,  // solved, but the sides may be one graph listed twice
    unsolved,     // an inner problem failed: ask another solver
};

struct Outcome {
    double* T;  // (n, m), the caller's
    Terms terms;
    double epsilon, change;
    int32_t iterations, starts;
    bool converged;
    Status status;
};

struct Options {
    Schedule first, further;  // of the descent from the product coupling, and of those beside it
    bool exact;               // epsilon -> 0: round, and look for sides that are alike
    int threads;
};

// The permutations that further starts of a shape are made of.
using ShufflesOf = std::function<Shuffles(int n, int m)>;

// Solves each problem into its outcome. shuffles_of is called from this thread only.
void solve(const Kernels& kernels, const std::vector<Problem>& problems, std::vector<Outcome>& outcomes,
           const Options& options, const ShufflesOf& shuffles_of);

}  // namespace otap
