// The exact local minimum near a coupling: numpy/polish.py says how and why.
#pragma once

#include "short.hpp"

namespace otap {

// Descends from T at epsilon 0 to where nothing more is gained; T and terms become those of the end
// where it costs no more. Whether such an end was reached in so many steps.
bool polish(const Problem& problem, int most_steps, double* T, Terms& terms);

// A lower bound of the loss by weak duality, from the potentials that the sums of T stand for.
double lower_bound(const Problem& problem, const double* T);

}  // namespace otap
