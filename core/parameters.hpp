// What decides what the solver finds, where otap/transport/parameters.py has the same and says where each comes from:
// tests/transport/test_parameters.py holds the two equal.
#pragma once

namespace otap {

constexpr double same_loss = 1e-9, agreement = 1e-7, certain = 1e-7;
constexpr int searched = 16, first_round = 6, second_round = 22, enough = 4;
constexpr double keep = 0.8, graded = 1e-9;
constexpr double least_lambda = 1e-6, most_lambda = 1e9;
constexpr double factors[] = {256.0, 64.0, 16.0, 4.0, 1.0};
constexpr double moved = 0.05, already_solved = 1e-9, of_change = 1e-2, loosest = 1e-3, tightest = 1e-9;
constexpr double slight = 1e-3, nothing = 1e-30, still = 1e-11, armijo = 1e-4, least = 1e-250, keeps = 0.05;
constexpr int entering = 4;

}  // namespace otap
