// Memory of the caller's, for one thing after the other.
#pragma once

#include <cstddef>

namespace otap::OTAP_ISA {

struct Arena {
    char* next;
    template <class V> V* take(size_t count) {
        V* here = reinterpret_cast<V*>(next);
        next += (count * sizeof(V) + 63) / 64 * 64;
        return here;
    }
};

}  // namespace otap::OTAP_ISA
