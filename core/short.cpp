#include "short.hpp"

#include "vector.hpp"

namespace otap::OTAP_ISA {
ShortKernels short_kernels() { return {}; }
}  // namespace otap::OTAP_ISA
