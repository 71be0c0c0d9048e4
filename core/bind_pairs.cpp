// Tables of pairs from Python: numbers of rows and columns in, a matrix out.
#include <limits>

#include "binding.hpp"
#include "pairs.hpp"

namespace {

using Numbers = std::vector<uint64_t>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Returns the matrix of what is kept, NaN where nothing is, and how many these are.
nb::tuple find(otap::PairTable& table, const Numbers& rows, const Numbers& columns) {
    std::vector<double> found(rows.size() * columns.size());
    size_t missing = 0;
    double* next = found.data();
    for (const uint64_t row : rows)
        for (const uint64_t column : columns) {
            const double* value = table.find({row, column});
            missing += value == nullptr;
            *next++ = value ? *value : std::numeric_limits<double>::quiet_NaN();
        }
    return nb::make_tuple(array_of(std::move(found), rows.size(), columns.size()), missing);
}

// Keeps the values of all pairs of rows and columns.
void put(otap::PairTable& table, const Numbers& rows, const Numbers& columns, Values values) {
    if (values.shape(0) != rows.size() || values.shape(1) != columns.size())
        throw std::invalid_argument("as many values as there are pairs");
    const double* next = values.data();
    for (const uint64_t row : rows)
        for (const uint64_t column : columns) table.put({row, column}, *next++);
}

}  // namespace

void bind_pairs(nb::module_& module) {
    nb::class_<otap::PairTable>(module, "PairTable")
        .def(nb::init<size_t>(), nb::arg("size"))
        .def("find", &find, nb::arg("rows"), nb::arg("columns"))
        .def("put", &put, nb::arg("rows"), nb::arg("columns"), nb::arg("values"));
}
