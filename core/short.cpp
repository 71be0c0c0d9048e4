#include "short.hpp"

#include "descent.hpp"
#include "polish.hpp"

namespace otap::OTAP_ISA {

namespace {

// Up to here a problem takes one lane and shares registers with others; above, it has them alone.
constexpr int laned_steps = 16;

bool laned(int n, int m) { return n <= laned_steps && m <= laned_steps; }

int lanes(int n, int m) { return laned(n, m) ? W : 1; }

size_t memory(int n, int m) {
    const int rows = n < m ? m : n, columns = n < m ? n : m;
    return laned(n, m) ? Descents<Doubles, 0>::memory(rows, columns) : Descents<double, 0>::memory(rows, columns);
}

void descend(const Problem* const* problems, const double* const* starts, int count,
             const Schedule& schedule, Descent* out, void* memory) {
    const int n = problems[0]->n, m = problems[0]->m, columns = n < m ? n : m;
    if (!laned(n, m)) return descend_as<double, 0>(problems, starts, count, schedule, out, memory);
    switch (columns) {
#define OTAP_CASE(k) \
    case k: return descend_as<Doubles, k>(problems, starts, count, schedule, out, memory);
        OTAP_CASE(4) OTAP_CASE(5) OTAP_CASE(6) OTAP_CASE(7) OTAP_CASE(8) OTAP_CASE(9)
        OTAP_CASE(10) OTAP_CASE(11) OTAP_CASE(12)
        default: return descend_as<Doubles, 0>(problems, starts, count, schedule, out, memory);
    }
}

double spin(long count) {
    constexpr int registers = 12;  // enough to hide the latency of a fused operation
    Doubles x[registers], factor = broadcast<Doubles>(0.999999), rest = broadcast<Doubles>(1e-6);
    for (int k = 0; k < registers; ++k) x[k] = broadcast<Doubles>(1.0 + k);
    for (long at = 0; at < count; ++at)
        for (int k = 0; k < registers; ++k) x[k] = x[k] * factor + rest;
    double sum = 0;
    for (int k = 0; k < registers; ++k) sum += x[k][0];
    return sum;
}

}  // namespace

ShortKernels short_kernels() { return {lanes, memory, descend, Polisher::memory, polish, lower_bound, spin}; }

}  // namespace otap::OTAP_ISA
