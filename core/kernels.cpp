#include "kernels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#ifdef OTAP_HAS_AVX2
#include <cpuid.h>
#endif

namespace otap {

#define OTAP_DECLARE(set)          \
    namespace set {                \
    ShortKernels short_kernels();  \
    const LongKernels& long_kernels(); \
    }

#ifdef OTAP_HAS_PLAIN
OTAP_DECLARE(plain)
#endif
#ifdef OTAP_HAS_AVX2
OTAP_DECLARE(avx2)
OTAP_DECLARE(avx512)
#endif
#ifdef OTAP_HAS_NEON
OTAP_DECLARE(neon)
#endif

namespace {

#ifdef OTAP_HAS_AVX2
// What the processor can do and the system keeps for each thread. (__builtin_cpu_supports answers the
// same, but needs a library that clang-cl does not link.)
struct Processor {
    bool avx2 = false, avx512 = false;

    Processor() {
        unsigned a, b, c, d, kept, high;
        constexpr unsigned first = bit_OSXSAVE | bit_FMA;
        if (!__get_cpuid(1, &a, &b, &c, &d) || (c & first) != first) return;
        asm("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
        constexpr unsigned ymm = 0x06, zmm = 0xe6, wide = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
        avx2 = (kept & ymm) == ymm && (b & bit_AVX2);
        avx512 = avx2 && (kept & zmm) == zmm && (b & wide) == wide;
    }
};
#endif

struct Candidate {
    bool available;
    Kernels kernels;
};

// Best first.
template <class Visit> void each_set(Visit visit) {
#ifdef OTAP_HAS_AVX2
    const Processor has;
    visit(Candidate{has.avx512, {"avx512", 8, avx512::short_kernels(), avx512::long_kernels()}});
    visit(Candidate{has.avx2, {"avx2", 4, avx2::short_kernels(), avx2::long_kernels()}});
#endif
#ifdef OTAP_HAS_NEON
    visit(Candidate{true, {"neon", 2, neon::short_kernels(), neon::long_kernels()}});
#endif
#ifdef OTAP_HAS_PLAIN
    visit(Candidate{true, {"plain", 2, plain::short_kernels(), plain::long_kernels()}});
#endif
}

Kernels chosen() {
    const char* wanted = std::getenv("OTAP_CORE");
    const std::string name = wanted == nullptr ? "" : wanted;
    Kernels found{};
    std::string names;
    each_set([&](const Candidate& one) {
        if (!one.available) return;
        names += std::string(one.kernels.name) + ", ";
        if (found.name == nullptr && (name.empty() || name == one.kernels.name)) found = one.kernels;
    });
    if (found.name == nullptr)
        throw std::runtime_error("OTAP_CORE=" + name + " names no core of this machine; it has " + names + "numpy");
    return found;
}

}  // namespace

const Kernels& kernels() {
    static const Kernels best = chosen();
    return best;
}

}  // namespace otap
