// What each instruction set offers, as plain functions: the boundary between the bindings, which are
// compiled for any processor, and the kernels, which are not.
#pragma once

#include "long.hpp"
#include "short.hpp"

namespace otap {

struct Kernels {
    const char* name;   // of the instruction set
    int lanes;          // doubles in a register
    ShortKernels brief;
    LongKernels lengthy;
};

// The best set that this processor has. Throws where OTAP_CORE names one that is not to be had.
const Kernels& kernels();

}  // namespace otap
