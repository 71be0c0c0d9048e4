// Problems of up to a hundred steps, in double precision: the descents, one vector lane a problem.
#pragma once

#include <cstddef>

namespace otap {

// One problem (eq. 3), with the names of the paper; arrays by rows, owned by the caller.
struct Problem {
    int n, m;
    const double *C, *D_p, *D_r, *mu, *nu, *lambda_1, *lambda_2;
    double theta;
};

// The entropy weights to pass through, and when to stop at the last of them.
struct Schedule {
    const double* epsilons;
    int stages;
    int max_outer;
    double tolerance;
};

// The parts of eq. 3 without entropy, and the entropy term.
struct Terms {
    double node, structure, agent_mass, reference_mass, entropy;
    double loss() const { return node + structure + agent_mass + reference_mass; }
};

// Where a descent ended. T belongs to the caller. solved: every inner problem was; where it is
// false nothing else means anything, and another solver has to be asked.
struct Descent {
    double* T;
    Terms terms;
    double change;
    int iterations;
    bool converged, solved;
};

struct ShortKernels {
    // Problems of this shape that are solved together, one a lane; 1 where a problem has the
    // registers to itself.
    int (*lanes)(int n, int m);
    // Bytes that descend needs at a 64-byte boundary.
    size_t (*memory)(int n, int m);
    // Descends from each start (the product coupling where it is null) for count problems of one
    // shape, at most lanes(n, m). What a lane holds does not depend on the others.
    void (*descend)(const Problem* const* problems, const double* const* starts, int count,
                    const Schedule& schedule, Descent* out, void* memory);
    // Bytes that polish and lower_bound need, at a 64-byte boundary as well.
    size_t (*polish_memory)(int n, int m);
    // Polishes T where that costs no more than terms say, which then are those of the new T; whether
    // it came to an end.
    bool (*polish)(const Problem& problem, int most_steps, double* T, Terms& terms, void* memory);
    // A lower bound of the loss, from what the sums of T say of the potentials.
    double (*lower_bound)(const Problem& problem, const double* T, void* memory);
    // Multiplies and adds count times in twelve registers at once, at the processor's full rate;
    // returns a number, so that nothing is left out.
    double (*spin)(long count);
};

// Kernels that count what they do on this thread, from 0: sums, products and quotients; comparisons,
// selections and what is done with bits are not counted.
ShortKernels counting_kernels();
double operations_counted();

}  // namespace otap
