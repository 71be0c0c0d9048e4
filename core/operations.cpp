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

namespace otap {

double count_operations(const Problem* const* problems, int count, const Schedule& schedule, Descent* out) {
    using namespace OTAP_ISA;
    const int n = problems[0]->n, m = problems[0]->m, rows = n < m ? m : n, columns = n < m ? n : m;
    std::vector<char> memory(Descents<Counted, 0>::memory(rows, columns));
    operations = 0;
    for (int k = 0; k < count; ++k) {
        const double* start = nullptr;
        descend_as<Counted, 0>(problems + k, &start, 1, schedule, out + k, memory.data());
    }
    return operations;
}

}  // namespace otap
