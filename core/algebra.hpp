// The loops over rows that the kernels share. A V is a number, and rows are then worked on a register
// at a time, or a vector of problems, and each entry is one already.
#pragma once

#include <type_traits>

#include "vector.hpp"

namespace otap::OTAP_ISA {

OTAP_INLINE Doubles load(const double* from) {
    Doubles x;
    std::memcpy(&x, from, sizeof x);
    return x;
}

OTAP_INLINE void store(double* to, Doubles x) { std::memcpy(to, &x, sizeof x); }

// The sum of term(j) for j below count, in the order of the entries.
template <class V, class Term> OTAP_INLINE V sum_of(const V*, int count, Term term) {
    V sum{};
    for (int j = 0; j < count; ++j) sum += term(j, [](const V* x) { return *x; });
    return sum;
}

// For numbers, one partial sum for each lane of a register, and the rest by itself.
template <class Term> OTAP_INLINE double sum_of(const double*, int count, Term term) {
    Doubles sum{};
    int j = 0;
    for (; j + W <= count; j += W) sum += term(j, load);
    double rest = 0;
    for (; j < count; ++j) rest += term(j, [](const double* x) { return *x; });
    for (int k = 0; k < W; ++k) rest += sum[k];
    return rest;
}

// The sum of x[j].
template <class V> OTAP_INLINE V total(const V* x, int count) {
    return sum_of(x, count, [=](int j, auto at) { return at(x + j); });
}

// The sum of x[j] y[j].
template <class V> OTAP_INLINE V dot(const V* x, const V* y, int count) {
    return sum_of(x, count, [=](int j, auto at) { return at(x + j) * at(y + j); });
}

// The sum of x[j]^2 y[j].
template <class V> OTAP_INLINE V squares(const V* x, const V* y, int count) {
    return sum_of(x, count, [=](int j, auto at) { return at(x + j) * at(x + j) * at(y + j); });
}

// R rows and N registers of columns of A B, kept in registers over the whole inner dimension. The
// element (r, k) of A is at A[r * row + k * step].
template <int R, int N>
OTAP_INLINE void tile(double* out, const double* A, size_t row, size_t step, const double* B, int inner, int columns) {
    Doubles sum[R][N] = {};
    for (int k = 0; k < inner; ++k) {
        Doubles b[N];
        for (int s = 0; s < N; ++s) b[s] = load(B + static_cast<size_t>(k) * columns + s * W);
        for (int r = 0; r < R; ++r) {
            const Doubles a = broadcast<Doubles>(A[r * row + k * step]);
            for (int s = 0; s < N; ++s) sum[r][s] += a * b[s];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int s = 0; s < N; ++s) store(out + static_cast<size_t>(r) * columns + s * W, sum[r][s]);
}

// R rows of A B from a column on.
template <int R>
OTAP_INLINE void strip(double* out, const double* A, size_t row, size_t step, const double* B, int inner, int columns, int from) {
    int j = from;
    for (; j + 2 * W <= columns; j += 2 * W) tile<R, 2>(out + j, A, row, step, B + j, inner, columns);
    for (; j + W <= columns; j += W) tile<R, 1>(out + j, A, row, step, B + j, inner, columns);
    for (; j < columns; ++j)
        for (int r = 0; r < R; ++r) {
            double sum = 0;
            for (int k = 0; k < inner; ++k) sum += A[r * row + k * step] * B[static_cast<size_t>(k) * columns + j];
            out[static_cast<size_t>(r) * columns + j] = sum;
        }
}

// out (rows, columns) = A (rows, inner) B (inner, columns), all by rows. Columns is their number where
// the compiler knows it, and sums then stay in registers; else 0.
template <int Columns, class V> OTAP_INLINE std::enable_if_t<(Columns > 0)> product(V* __restrict out, const V* A, const V* B, int rows, int inner, int) {
    for (int i = 0; i < rows; ++i) {
        V sum[Columns]{};
        for (int k = 0; k < inner; ++k) {
            const V a = A[i * inner + k];
#pragma GCC unroll 16
            for (int j = 0; j < Columns; ++j) sum[j] += a * B[k * Columns + j];
        }
#pragma GCC unroll 16
        for (int j = 0; j < Columns; ++j) out[i * Columns + j] = sum[j];
    }
}

template <class V> OTAP_INLINE void product(V* __restrict out, const V* A, const V* B, int rows, int inner, int columns) {
    for (int i = 0; i < rows; ++i) {
        V* __restrict row = out + i * columns;
        for (int j = 0; j < columns; ++j) row[j] = V{};
        int k = 0;
        for (; k + 4 <= inner; k += 4) {
            const V a0 = A[i * inner + k], a1 = A[i * inner + k + 1], a2 = A[i * inner + k + 2], a3 = A[i * inner + k + 3];
            const V *b0 = B + k * columns, *b1 = b0 + columns, *b2 = b1 + columns, *b3 = b2 + columns;
            for (int j = 0; j < columns; ++j) row[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
        }
        for (; k < inner; ++k) {
            const V a = A[i * inner + k];
            const V* b = B + k * columns;
            for (int j = 0; j < columns; ++j) row[j] += a * b[j];
        }
    }
}

OTAP_INLINE void product(double* out, const double* A, const double* B, int rows, int inner, int columns) {
    int i = 0;
    for (; i + 4 <= rows; i += 4) strip<4>(out + i * columns, A + i * inner, inner, 1, B, inner, columns, 0);
    for (; i < rows; ++i) strip<1>(out + i * columns, A + i * inner, inner, 1, B, inner, columns, 0);
}

template <int Columns, class V> OTAP_INLINE std::enable_if_t<Columns == 0> product(V* __restrict out, const V* A, const V* B, int rows, int inner, int columns) {
    product(out, A, B, rows, inner, columns);
}

// The upper triangle of U (m, m) = - sum_i w_i s_i s_i', s_i the rows of S (n, m). scaled is room for
// as many numbers as S has.
template <class V> OTAP_INLINE void negative_gram(V* __restrict U, const V* S, const V* w, V*, int n, int m) {
    for (int a = 0; a < m; ++a)
        for (int b = a; b < m; ++b) U[a * m + b] = V{};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const V *s0 = S + i * m, *s1 = s0 + m, *s2 = s1 + m, *s3 = s2 + m;
        for (int a = 0; a < m; ++a) {
            const V c0 = w[i] * s0[a], c1 = w[i + 1] * s1[a], c2 = w[i + 2] * s2[a], c3 = w[i + 3] * s3[a];
            V* __restrict row = U + a * m;
            for (int b = a; b < m; ++b) row[b] -= (c0 * s0[b] + c1 * s1[b]) + (c2 * s2[b] + c3 * s3[b]);
        }
    }
    for (; i < n; ++i) {
        const V* s = S + i * m;
        for (int a = 0; a < m; ++a) {
            const V c = w[i] * s[a];
            V* __restrict row = U + a * m;
            for (int b = a; b < m; ++b) row[b] -= c * s[b];
        }
    }
}

OTAP_INLINE void negative_gram(double* U, const double* S, const double* w, double* scaled, int n, int m) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) scaled[i * m + j] = -w[i] * S[i * m + j];
    int a = 0;
    for (; a + 4 <= m; a += 4) strip<4>(U + a * m, scaled + a, 1, m, S, n, m, a);
    for (; a < m; ++a) strip<1>(U + a * m, scaled + a, 1, m, S, n, m, a);
}

// The same, with Columns for m where the compiler knows it: each row's sums stay in registers.
template <int Columns, int Row = 0, class V> OTAP_INLINE std::enable_if_t<(Columns > 0)> negative_gram(V* __restrict U, const V* S, const V* w, V* spare, int n, int) {
    V sum[Columns]{};
    for (int i = 0; i < n; ++i) {
        const V* s = S + i * Columns;
        const V c = w[i] * s[Row];
#pragma GCC unroll 16
        for (int b = Row; b < Columns; ++b) sum[b] -= c * s[b];
    }
#pragma GCC unroll 16
    for (int b = Row; b < Columns; ++b) U[Row * Columns + b] = sum[b];
    if constexpr (Row + 1 < Columns) negative_gram<Columns, Row + 1>(U, S, w, spare, n, Columns);
}

template <int Columns, class V> OTAP_INLINE std::enable_if_t<Columns == 0> negative_gram(V* U, const V* S, const V* w, V* spare, int n, int m) {
    negative_gram(U, S, w, spare, n, m);
}

// Solves U x = b for symmetric positive definite U, given by its upper triangle, which is overwritten;
// x replaces b. A pivot that rounding has brought to zero or below is held at 1e-14 of its diagonal.
template <class V> OTAP_INLINE void solve_symmetric(V* __restrict U, V* __restrict b, V* __restrict inverse, int m) {
    for (int k = 0; k < m; ++k) inverse[k] = 1e-14 * absolute(U[k * m + k]) + 1e-300;
    for (int k = 0; k < m; ++k) {
        V* __restrict pivot = U + k * m;
        inverse[k] = reciprocal(larger(inverse[k], pivot[k]));
        const V x = b[k];
        for (int a = k + 1; a < m; ++a) {
            const V c = pivot[a] * inverse[k];
            V* __restrict row = U + a * m;
            for (int j = a; j < m; ++j) row[j] -= c * pivot[j];
            b[a] -= c * x;
        }
    }
    for (int k = m - 1; k >= 0; --k) b[k] = (b[k] - dot(U + k * m + k + 1, b + k + 1, m - k - 1)) * inverse[k];
}

}  // namespace otap::OTAP_ISA
