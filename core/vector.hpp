// Vectors of the compiler's own types, and the functions of them that the core needs.
//
// Every kernel is written once, over a type V that is either a number or a vector of numbers, and is
// compiled once for each instruction set (OTAP_ISA). Everything here lives in that set's namespace
// and is static or inlined: nothing that was compiled for one processor may be linked into the code
// for another. Kernels use no standard containers for the same reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#define OTAP_INLINE static inline __attribute__((always_inline))

namespace otap::OTAP_ISA {

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

template <class T> struct Register {
    static constexpr int lanes = register_bytes / static_cast<int>(sizeof(T));
};

constexpr int W = Register<double>::lanes;  // doubles in a register

typedef double Doubles __attribute__((vector_size(register_bytes)));
typedef int64_t Longs __attribute__((vector_size(register_bytes)));
#if defined(__AVX512DQ__)
typedef long long RawLongs __attribute__((vector_size(register_bytes)));  // as the builtins know them
#endif
typedef float Floats __attribute__((vector_size(register_bytes)));
typedef int32_t Ints __attribute__((vector_size(register_bytes)));
typedef uint64_t LongBits __attribute__((vector_size(register_bytes)));
typedef uint32_t IntBits __attribute__((vector_size(register_bytes)));

// What belongs to a type of numbers: the mask that its comparisons give, and integers of its width.
template <class V> struct Of;
template <> struct Of<double> {
    using Mask = bool;
    using Bits = uint64_t;
    using Scalar = double;
    static constexpr int lanes = 1;
};
template <> struct Of<Doubles> {
    using Mask = Longs;
    using Bits = LongBits;
    using Scalar = double;
    static constexpr int lanes = W;
};
template <> struct Of<float> {
    using Mask = bool;
    using Bits = uint32_t;
    using Scalar = float;
    static constexpr int lanes = 1;
};
template <> struct Of<Floats> {
    using Mask = Ints;
    using Bits = IntBits;
    using Scalar = float;
    static constexpr int lanes = Register<float>::lanes;
};

template <class To, class From> OTAP_INLINE To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

// Less zero, not plus zero, is what a compiler may leave out.
template <class V> OTAP_INLINE V broadcast(typename Of<V>::Scalar x) { return x - V{}; }

OTAP_INLINE double lane(double v, int) { return v; }
OTAP_INLINE double lane(Doubles v, int k) { return v[k]; }
OTAP_INLINE bool lane(bool v, int) { return v; }
OTAP_INLINE bool lane(Longs v, int k) { return v[k] != 0; }
OTAP_INLINE void put(double& v, int, double x) { v = x; }
OTAP_INLINE void put(Doubles& v, int k, double x) { v[k] = x; }
OTAP_INLINE void put(bool& v, int, bool x) { v = x; }
OTAP_INLINE void put(Longs& v, int k, bool x) { v[k] = x ? -1 : 0; }

OTAP_INLINE bool any(bool m) { return m; }
OTAP_INLINE bool any(Longs m) {
#if defined(__AVX512DQ__)
    return __builtin_ia32_cvtq2mask512(reinterpret_cast<RawLongs>(m)) != 0;
#elif defined(__AVX__)
    return __builtin_ia32_movmskpd256(reinterpret_cast<Doubles>(m)) != 0;
#endif
    int64_t bits = 0;
    for (int k = 0; k < W; ++k) bits |= m[k];
    return bits != 0;
}

OTAP_INLINE bool none_of(bool m) { return !m; }
OTAP_INLINE Longs none_of(Longs m) { return ~m; }

template <class V> OTAP_INLINE V larger(V a, V b) { return a > b ? a : b; }
template <class V> OTAP_INLINE V smaller(V a, V b) { return a < b ? a : b; }
#if defined(__AVX512DQ__) && !defined(__clang__)
// One instruction, of which GCC makes two: the same also where an argument is no number.
OTAP_INLINE Doubles larger(Doubles a, Doubles b) { return __builtin_ia32_maxpd512_mask(a, b, a, -1, 4); }
OTAP_INLINE Doubles smaller(Doubles a, Doubles b) { return __builtin_ia32_minpd512_mask(a, b, a, -1, 4); }
#endif
template <class V> OTAP_INLINE V absolute(V a) { return a < 0 ? -a : a; }
OTAP_INLINE Doubles absolute(Doubles a) { return bit_cast<Doubles>(bit_cast<LongBits>(a) & 0x7fffffffffffffffu); }

// 1 / x to the last bit but one, for x whose reciprocal is a normal number.
template <class V> OTAP_INLINE V reciprocal(V x) { return 1.0 / x; }
#if defined(__AVX512DQ__)
// A quotient takes the divider 16 cycles; an estimate of 14 bits is doubled twice by products.
OTAP_INLINE Doubles reciprocal(Doubles x) {
    const Doubles rough = __builtin_ia32_rcp14pd512_mask(x, Doubles{}, -1);
    const Doubles better = rough + rough * (1.0 - x * rough);
    return better + better * (1.0 - x * better);
}
#endif

// exp as 2^k (1 + p): k = round(x / log 2), p = expm1 of the rest, by a polynomial of degree 11 with a
// relative error of 2e-17 (Chebyshev fit on |r| <= log(2) / 2). x is held within [-708, 709], where the
// result is a normal number: 3e-308 stands for 0, and 8e307 for all that is larger.
template <class V> struct Split {
    V scale, p;
};

template <class V> OTAP_INLINE Split<V> split_exp(V x) {
    using Bits = typename Of<V>::Bits;
    const V clamped = smaller(broadcast<V>(709.0), larger(broadcast<V>(-708.0), x));
    const double magic = 0x1.8p52;  // adding it rounds to the nearest integer, kept in the low bits
    const V shifted = clamped * 1.4426950408889634 + magic;
    const V k = shifted - magic;
    const V r = (clamped - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    const V r2 = r * r, r4 = r2 * r2;
    const V a = (0.50000000000000057878 + r * 0.16666666666666671118) +
                r2 * (0.041666666666570873298 + r * 0.0083333333333259663734);
    const V b = (0.0013888888933279755177 + r * 0.00019841269875408890199) +
                r2 * (0.000024801503346284117121 + r * 2.7557254656202336421e-6);
    const V c = 2.7626772573031986336e-7 + r * 2.5105525761140995285e-8;
    const V p = r + r2 * (a + r4 * (b + r4 * c));
    const Bits exponent = (bit_cast<Bits>(shifted) + 1023u) << 52;
    return {bit_cast<V>(exponent), p};
}

template <class V> OTAP_INLINE V exponential(V x) {
    const Split<V> s = split_exp(x);
    return s.scale + s.scale * s.p;
}

// exp(x) - 1, without the loss of digits near 0.
template <class V> OTAP_INLINE V exponential_minus_1(V x) {
    const Split<V> s = split_exp(x);
    return s.scale * s.p + (s.scale - 1.0);
}

// The same in single precision, with a polynomial of degree 5 (error 1.2e-8); 0 below the normal
// numbers, infinite above the largest.
OTAP_INLINE Floats exponential(Floats x) {
    const Floats low = broadcast<Floats>(-87.3f), high = broadcast<Floats>(88.0f);
    Floats clamped = low > x ? low : x;
    clamped = high < clamped ? high : clamped;
    const float magic = 0x1.8p23f;
    const Floats shifted = clamped * 1.44269504f + magic;
    const Floats k = shifted - magic;
    const Floats r = (clamped - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    const Floats p = 1.000000011f + r * (0.5000000014f + r * (0.1666650331f + r * (0.04166646257f + r * (0.008369364111f + r * 0.001393391035f))));
    const IntBits exponent = (bit_cast<IntBits>(shifted) + 127u) << 23;
    const Floats scale = bit_cast<Floats>(exponent);
    Floats value = scale + scale * (r * p);
    value = x < low ? Floats{} : value;
    return x > high ? Floats{} + __builtin_inff() : value;
}

// log of a positive normal number: x = 2^k m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1), and
// the series of log((1 + s) / (1 - s)); error below one unit in the last place.
template <class V> OTAP_INLINE V logarithm(V x) {
    using Bits = typename Of<V>::Bits;
    const Bits bits = bit_cast<Bits>(x);
    // Less the bits of sqrt(1/2), with 1024 added to the exponent so that it stays positive.
    const Bits moved = bits - 0x3fe6a09e667f3bcdu + 0x4000000000000000u;
    const Bits count = moved >> 52;
    // Under the exponent of 2^52 an integer is a number.
    const V k = bit_cast<V>(count | 0x4330000000000000u) - (0x1p52 + 1024.0);
    const V m = bit_cast<V>(bits - (count << 52) + 0x4000000000000000u);
    const V f = m - 1.0;
    const V s = f / (2.0 + f);
    const V z = s * s;
    // Coefficients of fdlibm's e_log.c (Sun Microsystems, 1993).
    const V t1 = z * z * (3.999999999940941908e-01 + z * z * (2.222219843214978396e-01 + z * z * 1.531383769920937332e-01));
    const V t2 = z * (6.666666666666735130e-01 + z * z * (2.857142874366239149e-01 +
                 z * z * (1.818357216161805012e-01 + z * z * 1.479819860511658591e-01)));
    const V half = 0.5 * f * f;
    return k * 6.93147180369123816490e-01 - ((half - (s * (half + t1 + t2) + k * 1.90821492927058770002e-10)) - f);
}

}  // namespace otap::OTAP_ISA
