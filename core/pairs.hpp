// What pairs of numbered things are to each other, kept in two generations: when the young one is
// full it becomes the old one, which is let go; what is asked for of the old one is young again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace otap {

// Two numbers of things, each at least 1.
struct Pair {
    uint64_t row, column;

    bool operator==(const Pair& other) const { return row == other.row && column == other.column; }
    bool is_none() const { return row == 0; }
};

class PairTable {
  public:
    // size: pairs of a generation.
    explicit PairTable(size_t size) : size_(size) {}

    // The value of a pair, or null where none is kept.
    const double* find(Pair pair);
    void put(Pair pair, double value);

  private:
    struct Entry {
        Pair pair;
        double value;
    };

    // Open addressing: a power of two entries, at most half of them taken.
    struct Generation {
        std::vector<Entry> entries;
        size_t used = 0;

        Entry& at(Pair pair);
        void grow();
    };

    size_t size_;
    Generation young_, old_;
};

}  // namespace otap
