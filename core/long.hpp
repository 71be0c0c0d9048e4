// Problems of more than a hundred steps, in single precision.
#pragma once

#include <cstddef>

namespace otap {

struct LongKernels {};

}  // namespace otap
