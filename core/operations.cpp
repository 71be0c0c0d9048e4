// Counts the operations of a descent, by running it on numbers that count.
#define OTAP_ISA counting

#include <vector>

#include "vector.hpp"

namespace otap::OTAP_ISA {

static thread_local double operations;

struct Counted {
    double v;
    Counted() = default;
    Counted(double x) : v(x) {}
    Counted operator-() const { return {-v}; }
#define OTAP_COUNTED(sign)                                                                             \
    friend Counted operator sign(Counted a, Counted b) { return ++operations, Counted(a.v sign b.v); } \
    Counted& operator sign##=(Counted b) { return *this = *this sign b; }
    OTAP_COUNTED(+)
    OTAP_COUNTED(-)
    OTAP_COUNTED(*)
    OTAP_COUNTED(/)
#undef OTAP_COUNTED
#define OTAP_COMPARED(sign) \
    friend bool operator sign(Counted a, Counted b) { return a.v sign b.v; }
    OTAP_COMPARED(<)
    OTAP_COMPARED(>)
    OTAP_COMPARED(<=)
    OTAP_COMPARED(>=)
    OTAP_COMPARED(==)
#undef OTAP_COMPARED
};

template <> struct Of<Counted> {
    using Mask = bool;
    using Bits = uint64_t;
    using Scalar = double;
    static constexpr int lanes = 1;
};

template <> inline Counted broadcast<Counted>(double x) { return x; }
OTAP_INLINE double lane(Counted v, int) { return v.v; }
OTAP_INLINE void put(Counted& v, int, double x) { v = x; }

}  // namespace otap::OTAP_ISA

#include "descent.hpp"
#include "kernels.hpp"

namespace otap {

namespace {

int one_lane(int, int) { return 1; }

size_t memory(int n, int m) {
    return counting::Descents<counting::Counted, 0>::memory(n < m ? m : n, n < m ? n : m);
}

}  // namespace

ShortKernels counting_kernels() {
    counting::operations = 0;
    ShortKernels counting = kernels().brief;
    counting.lanes = one_lane;
    counting.memory = memory;
    counting.descend = counting::descend_as<counting::Counted, 0>;
    return counting;
}

double operations_counted() { return counting::operations; }

}  // namespace otap
