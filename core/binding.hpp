// What the bindings share: arrays of Python's as they are looked at, and vectors that become arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "packing.hpp"
#include "short.hpp"

namespace nb = nanobind;

inline void check(bool fits) {
    if (!fits) throw std::invalid_argument("the shapes of the arrays do not fit each other");
}

// The array of an object while it is looked at: through the buffer interface, which costs a third of what an
// nb::ndarray costs.
class Look {
  public:
    Look(nb::handle given, char type, int ndim) {
        if (PyObject_GetBuffer(given.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) throw nb::python_error();
        if (view_.format == nullptr || view_.format[0] != type || view_.ndim != ndim) {
            PyBuffer_Release(&view_);
            throw std::invalid_argument("an array has another type or number of axes than is asked for");
        }
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    ~Look() { PyBuffer_Release(&view_); }

    // A vector that lies in one piece.
    template <class T> const T* row(int64_t size) const {
        check(view_.shape[0] == size && (size < 2 || view_.strides[0] == sizeof(T)));
        return static_cast<const T*>(view_.buf);
    }
    otap::View matrix(int64_t n, int64_t m) const {
        check(view_.shape[0] == n && view_.shape[1] == m && view_.strides[0] % 8 == 0 && view_.strides[1] % 8 == 0);
        return {static_cast<const double*>(view_.buf), view_.strides[0] / 8, view_.strides[1] / 8};
    }
    int64_t size() const { return view_.shape[0]; }
    double first() const {
        check(view_.shape[0] > 0);
        return *static_cast<const double*>(view_.buf);
    }

  private:
    Py_buffer view_;
};

// The problem in a packed array, which somebody has to keep alive.
inline otap::Problem problem_of(const Look& packed) {
    check(packed.size() >= 3);
    const double* next = packed.row<double>(packed.size());
    const int64_t n = static_cast<int64_t>(next[0]), m = static_cast<int64_t>(next[1]);
    if (n < 1 || m < 1 || n >= 10'000 || m >= 10'000 || packed.size() != otap::packed_size(n, m))
        throw std::invalid_argument("a packed problem has as many numbers as its shape says");
    otap::Problem p{static_cast<int>(n), static_cast<int>(m), {}, {}, {}, {}, {}, {}, {}, next[2]};
    p.C = next + 3, p.D_p = p.C + n * m, p.D_r = p.D_p + n * n;
    p.mu = p.D_r + m * m, p.nu = p.mu + n, p.lambda_1 = p.nu + m, p.lambda_2 = p.lambda_1 + n;
    return p;
}

// A vector that becomes an array of Python's, of this shape.
template <class T, class... Shape> nb::object array_of(std::vector<T>&& values, Shape... shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if constexpr (sizeof...(shape) == 0)
        return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
    else
        return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<sizeof...(shape)>>(kept->data(), {size_t(shape)...}, owner));
}
