// Problems of more than a hundred steps, in single precision: otap/transport/native/long.py says how the
// parts are put together. K is the coupling that is being scaled, (n, m) by rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace otap {

// The exponents x_ij = row_i + column_j - weight C_ij + sum_r P_ir V_rj, never stored as a whole: P is
// (n, rank) by rows, V (rank, m) by rows.
struct Exponents {
    int n, m, rank;
    double weight;
    const double *C, *row, *column, *P, *V;
};

// What the scaling of a row needs to know of it, and what it leaves there. target = log(mu) - f / lambda_1,
// power = lambda_1 / (lambda_1 + epsilon).
struct Rows {
    const double *target, *power;
    double per_epsilon;
    double *log_u, *r, *bend;  // the new scaling, the row sum with it, the row's part in the Hessian
};

// What a block of rows of the coupling is summed up in. W has `rank` rows of m numbers, X is (n, side).
struct Sums {
    const double *C, *W, *X;
    int rank, side;
    double *r, *Y;        // (n), and T W', (n, rank)
    double *c, *Z;        // of this block alone: (m), and X' T, (side, m)
    double node, change;  // of this block alone: sum C T, sum |T - K|
};

struct LongKernels {
    // log sum_j exp(x_ij) - row_i for the rows i below end. room: m numbers.
    void (*row_sums)(const Exponents& x, int begin, int end, double* out, double* room);
    // log sum_i exp(x_ij) - column_j for the columns j below end.
    void (*column_sums)(const Exponents& x, int begin, int end, double* out);
    // K = exp(x) in the rows below end; the sum of absolute differences to what was there.
    double (*fill)(const Exponents& x, int begin, int end, float* K);
    // The entries of row i whose exponent is above least: how many. room: m numbers, the exponents.
    int (*fill_sparse)(const Exponents& x, int i, double least, int32_t* columns, float* values, double* room);
    // One Sinkhorn step in the rows below end, given the columns' scalings v; acc_j gets sum_i u_i K_ij,
    // squares_j gets sum_i bend_i (u_i K_ij)^2.
    void (*sweep)(const float* K, int m, int begin, int end, const float* v, const Rows& rows, float* acc, float* squares);
    // acc = K' diag(weight) K x over the rows below end.
    void (*apply)(const float* K, int m, int begin, int end, const float* x, const double* weight, float* acc);
    // K = diag(u) K diag(v) in the rows below end, and its sums. room: 4 m numbers.
    void (*couple)(float* K, int m, int begin, int end, const float* u, const float* v, Sums& sums, double* room);
    // Rows begin to end of D X' (or of the entries' squares), D (n, n), X (count, n), out (n, count).
    // room: 4 n numbers.
    void (*product)(const int16_t* D, int n, int begin, int end, bool squared, const double* X, int count, double* out, double* room);
    // sum_k D_ik x_k.
    double (*dot)(const int16_t* D, const double* x, int n);
};

}  // namespace otap
