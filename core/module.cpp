// The module otap.transport.native._core: what Python sees of the native core.
#include <nanobind/nanobind.h>

#include "kernels.hpp"

namespace nb = nanobind;

void bind_short(nb::module_& module);
void bind_long(nb::module_& module);
void bind_unions(nb::module_& module);

NB_MODULE(_core, module) {
    module.doc() = "The native core of the solver; otap.transport.native is its Python side.";
    module.attr("name") = otap::kernels().name;
    module.attr("lanes") = otap::kernels().lanes;
    bind_short(module);
    bind_long(module);
    bind_unions(module);
}
