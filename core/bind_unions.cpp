// What otap/unions/bounds.py asks of unions.
#include <algorithm>

#include "binding.hpp"
#include "unions.hpp"

namespace {

template <class T> using Side = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

otap::Strided strided(nb::handle given, size_t rows, size_t columns) {
    const auto matrix = nb::cast<Matrix>(given);
    check(matrix.shape(0) == rows && matrix.shape(1) == columns);
    return {matrix.data(), matrix.stride(0), matrix.stride(1)};
}

template <class T, class U> std::vector<T> copied(const U* data, size_t count) {
    std::vector<T> found(count);
    std::transform(data, data + count, found.begin(), [](U one) { return static_cast<T>(one); });
    return found;
}

otap::Keys keys_of(Side<uint8_t> kinds, Side<int32_t> members, Side<int32_t> filled, Table<uint8_t> holds, Table<int32_t> values,
                   Side<uint8_t> by_place) {
    const size_t n = kinds.shape(0), count = holds.shape(1);
    check(members.shape(0) == n && filled.shape(0) == n && by_place.shape(0) == n && holds.shape(0) == n);
    check(values.shape(0) == n && values.shape(1) == count);
    return {static_cast<int>(n),
            static_cast<int>(count),
            copied<otap::Kind>(kinds.data(), n),
            copied<int32_t>(members.data(), n),
            copied<int32_t>(filled.data(), n),
            copied<uint8_t>(holds.data(), n * count),
            copied<int32_t>(values.data(), n * count),
            copied<uint8_t>(by_place.data(), n)};
}

otap::Arguments arguments_of(nb::tuple given, size_t n, size_t m) {
    otap::Arguments found;
    found.weight = nb::cast<double>(given[0]);
    found.D = strided(given[1], n, m);
    found.rows = &nb::cast<const otap::Keys&>(given[2]);
    found.columns = &nb::cast<const otap::Keys&>(given[3]);
    const auto places = nb::cast<Side<int32_t>>(given[4]);
    check(size_t(found.rows->steps) == n && size_t(found.columns->steps) == m && places.shape(0) == size_t(found.rows->keys));
    const auto fits = [&](int32_t place) { return place >= -1 && place < found.columns->keys; };
    check(std::all_of(places.data(), places.data() + places.shape(0), fits));
    found.places = places.data();
    found.cosines = strided(given[5], n, m);
    found.share = strided(given[6], n, n);
    found.another_call = nb::cast<double>(given[7]);
    found.more = nb::cast<double>(given[8]);
    return found;
}

// pairs: (count, 2) rows; wholes: which columns a union may stand for.
// texts: weight, D, share and whether it is bounded of each field; of_one: weight and D of each;
// tool: weight and D, or None; arguments: what arguments_of takes, or None.
// Returns for each prospect the place of its pair, its gain and its columns.
nb::list prospects(Table<int32_t> pairs, Side<uint8_t> wholes, Matrix C, nb::list texts, nb::list of_one,
                   nb::object tool, nb::object arguments, double margin) {
    const size_t n = C.shape(0), m = C.shape(1);
    check(n > 0 && m > 0 && wholes.shape(0) == m && pairs.shape(1) == 2);
    const auto fits = [&](int32_t row) { return row >= 0 && size_t(row) < n; };
    check(std::all_of(pairs.data(), pairs.data() + 2 * pairs.shape(0), fits));
    otap::UnionProblem given;
    given.n = static_cast<int>(n), given.m = static_cast<int>(m);
    given.C = {C.data(), C.stride(0), C.stride(1)};
    given.wholes = wholes.data();
    given.pairs = pairs.data(), given.count = pairs.shape(0);
    given.margin = margin;
    for (nb::handle one : texts) {
        const auto field = nb::cast<nb::tuple>(one);
        given.texts.push_back({nb::cast<double>(field[0]), strided(field[1], n, m), strided(field[2], n, n), nb::cast<bool>(field[3])});
    }
    for (nb::handle one : of_one) {
        const auto field = nb::cast<nb::tuple>(one);
        given.of_one.push_back({nb::cast<double>(field[0]), strided(field[1], n, m)});
    }
    given.has_tool = !tool.is_none(), given.has_arguments = !arguments.is_none();
    if (given.has_tool) given.tool = {nb::cast<double>(tool[0]), strided(tool[1], n, m)};
    if (given.has_arguments) given.arguments = arguments_of(nb::cast<nb::tuple>(arguments), n, m);
    nb::list found;
    for (const otap::Prospect& one : otap::prospects(given)) {
        nb::list columns;
        for (int32_t column : one.columns) columns.append(column);
        found.append(nb::make_tuple(one.pair, one.gain, columns));
    }
    return found;
}

} // namespace

void bind_unions(nb::module_& module) {
    nb::class_<otap::Keys>(module, "Keys").def(
        "__init__",
        [](otap::Keys* place, Side<uint8_t> kinds, Side<int32_t> members, Side<int32_t> filled, Table<uint8_t> holds,
           Table<int32_t> values, Side<uint8_t> by_place) {
            new (place) otap::Keys(keys_of(kinds, members, filled, holds, values, by_place));
        });
    module.def("prospects", &prospects, nb::arg("pairs"), nb::arg("wholes"), nb::arg("C"), nb::arg("texts"),
               nb::arg("of_one"), nb::arg("tool").none(), nb::arg("arguments").none(), nb::arg("margin"));
}
