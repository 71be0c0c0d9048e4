#include <nanobind/nanobind.h>

#include "kernels.hpp"

namespace nb = nanobind;

void bind_short(nb::module_&) {}
