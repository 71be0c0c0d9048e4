#include "kernels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace otap {

#define OTAP_DECLARE(set)          \
    namespace set {                \
    ShortKernels short_kernels();  \
    LongKernels long_kernels();    \
    }

#ifdef OTAP_HAS_PLAIN
OTAP_DECLARE(plain)
#endif
#ifdef OTAP_HAS_AVX2
OTAP_DECLARE(avx2)
#endif
#ifdef OTAP_HAS_AVX512
OTAP_DECLARE(avx512)
#endif
#ifdef OTAP_HAS_NEON
OTAP_DECLARE(neon)
#endif

namespace {

struct Candidate {
    bool available;
    Kernels kernels;
};

// Best first.
template <class Visit> void each_set(Visit visit) {
#ifdef OTAP_HAS_AVX512
    visit(Candidate{__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"),
                    {"avx512", 8, avx512::short_kernels(), avx512::long_kernels()}});
#endif
#ifdef OTAP_HAS_AVX2
    visit(Candidate{__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
                    {"avx2", 4, avx2::short_kernels(), avx2::long_kernels()}});
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
