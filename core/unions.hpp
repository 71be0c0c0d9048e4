// Which unions of two steps could stand for one step of the other side: bounds of their costs from
// the costs of their parts, before a union is made.
//
// A union that this leaves out would not have been taken. otap/unions/bounds.py is the same
// question in NumPy, with wider bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace otap {

// A matrix of doubles that lies anyhow in memory.
struct Strided {
    const double* data = nullptr;
    std::ptrdiff_t row = 0, column = 0;

    double operator()(int i, int j) const { return data[i * row + j * column]; }
};

// What the arguments of a step are, as data.
enum class Kind : std::uint8_t { none, text, object, other, empty_object, empty_text };

// What one key holds.
enum Holds : std::uint8_t {
    present = 1,
    filled = 2,   // costs something where the other object lacks the key
    exact = 4,    // has values that are equal or not
    list = 8,
    several = 16, // a list of more than one member
    wraps = 32,   // alone it would only wrap what it holds
};

// The arguments of all steps of one side, key by key.
struct Keys {
    int steps = 0, keys = 0;
    std::vector<Kind> kinds;
    std::vector<std::int32_t> members, filled; // of each step, over all keys
    std::vector<std::uint8_t> holds;           // (steps, keys)
    std::vector<std::int32_t> values;          // (steps, keys): equal where the data is
    std::vector<std::uint8_t> by_place;        // whether a step's keys are places, as [0]

    const std::uint8_t* held(int step) const { return holds.data() + std::size_t(step) * keys; }
    const std::int32_t* said(int step) const { return values.data() + std::size_t(step) * keys; }
};

// A field of texts. The vector of a union is the sum of its parts', so that its similarity is
// share(i, k) times that of part i and share(k, i) times that of part k. Infinite for a part that says
// all that the union does; NaN where nothing is known.
struct Texts {
    double weight = 0.0;
    Strided D, share;
    bool bounded = false; // costs no more than the call does
};

// Distances from columns, and the bound of arguments.
struct Arguments {
    double weight = 0.0;
    Strided D;
    const Keys *rows = nullptr, *columns = nullptr;
    const std::int32_t* places = nullptr; // for each key of the rows that of the columns, or -1
    Strided cosines, share;               // of arguments that are texts
    double another_call = 0.0, more = 0.0; // with w wrong values at least 1 - (1 - another_call) / w^more
};

struct Field {
    double weight = 0.0;
    Strided D;
};

struct UnionProblem {
    int n = 0, m = 0;
    Strided C;
    const std::uint8_t* wholes = nullptr; // whether a union may stand for a column
    const std::int32_t* pairs = nullptr;                   // (count, 2)
    std::size_t count = 0;
    double margin = 0.0;
    std::vector<Texts> texts;
    std::vector<Field> of_one; // fields in which a union says what one of its parts does
    bool has_tool = false, has_arguments = false;
    Field tool;
    Arguments arguments;
};

// Two rows whose union could stand for a column, by how much closer to it than its parts, and the
// columns to which it could be as near as to that.
struct Prospect {
    std::size_t pair;
    double gain;
    std::vector<std::int32_t> columns;
};

std::vector<Prospect> prospects(const UnionProblem& given);

} // namespace otap
