// The loops over rows that the kernels share. A V is a number, and rows are then worked on a register
// at a time, or a vector of problems, and each entry is one already.
#pragma once

#include "vector.hpp"

namespace otap::OTAP_ISA {

// The sum of x[0 .. count).
template <class V> OTAP_INLINE V total(const V* x, int count) {
    V sum{};
    for (int j = 0; j < count; ++j) sum += x[j];
    return sum;
}

template <> inline __attribute__((always_inline)) double total<double>(const double* x, int count) {
    Doubles sum{};
    int j = 0;
    for (; j + W <= count; j += W) {
        Doubles part;
        std::memcpy(&part, x + j, sizeof part);
        sum += part;
    }
    double rest = 0;
    for (; j < count; ++j) rest += x[j];
    for (int k = 0; k < W; ++k) rest += sum[k];
    return rest;
}

// The sum of x[j] y[j].
template <class V> OTAP_INLINE V dot(const V* x, const V* y, int count) {
    V sum{};
    for (int j = 0; j < count; ++j) sum += x[j] * y[j];
    return sum;
}

template <> inline __attribute__((always_inline)) double dot<double>(const double* x, const double* y, int count) {
    Doubles sum{};
    int j = 0;
    for (; j + W <= count; j += W) {
        Doubles a, b;
        std::memcpy(&a, x + j, sizeof a);
        std::memcpy(&b, y + j, sizeof b);
        sum += a * b;
    }
    double rest = 0;
    for (; j < count; ++j) rest += x[j] * y[j];
    for (int k = 0; k < W; ++k) rest += sum[k];
    return rest;
}

// out (rows, columns) = A (rows, inner) B (inner, columns), all by rows.
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

// The upper triangle of U (m, m) = - sum_i w_i s_i s_i', s_i the rows of S (n, m).
template <class V> OTAP_INLINE void negative_gram(V* __restrict U, const V* S, const V* w, int n, int m) {
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

// Solves U x = b for symmetric positive definite U, given by its upper triangle, which is overwritten;
// x replaces b. A pivot that rounding has brought to zero or below is held at 1e-14 of its diagonal.
template <class V> OTAP_INLINE void solve_symmetric(V* __restrict U, V* __restrict b, V* __restrict inverse, int m) {
    for (int k = 0; k < m; ++k) inverse[k] = 1e-14 * absolute(U[k * m + k]) + 1e-300;
    for (int k = 0; k < m; ++k) {
        V* __restrict pivot = U + k * m;
        inverse[k] = 1.0 / (pivot[k] < inverse[k] ? inverse[k] : pivot[k]);
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
