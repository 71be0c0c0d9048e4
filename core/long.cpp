#include "long.hpp"

#include "vector.hpp"

namespace otap::OTAP_ISA {
LongKernels long_kernels() { return {}; }
}  // namespace otap::OTAP_ISA
