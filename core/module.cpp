// The module otap.transport.native._core: what Python sees of the native core.
#include <nanobind/nanobind.h>

#include "kernels.hpp"

namespace nb = nanobind;

void bind_short(nb::module_& module);
void bind_long(nb::module_& module);
void bind_pair(nb::module_& module);
void bind_pairs(nb::module_& module);

NB_MODULE(_core, module) {
    module.doc() = "The native core: the solver, whose Python side is otap.transport.native, and tables of pairs.";
    nb::set_leak_warnings(false); // a scorer may live until the interpreter ends
    module.attr("name") = otap::kernels().name;
    module.attr("lanes") = otap::kernels().lanes;
    bind_short(module);
    bind_long(module);
    bind_pair(module);
    bind_pairs(module);
}
