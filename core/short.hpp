// Problems of up to a hundred steps, in double precision.
#pragma once

#include <cstddef>

namespace otap {

struct ShortKernels {};

}  // namespace otap
