#include "pairs.hpp"

#include <utility>

namespace otap {

namespace {

constexpr size_t FIRST = 1024;  // entries of a table at first

// Spreads pairs whose numbers are near to each other, as splitmix64 does.
uint64_t spread(Pair pair) {
    uint64_t key = pair.row * 0x9e3779b97f4a7c15ULL + pair.column;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
    return key ^ (key >> 31);
}

}  // namespace

PairTable::Entry& PairTable::Generation::at(Pair pair) {
    const size_t mask = entries.size() - 1;
    size_t place = spread(pair) & mask;
    while (!entries[place].pair.is_none() && !(entries[place].pair == pair)) place = (place + 1) & mask;
    return entries[place];
}

void PairTable::Generation::grow() {
    std::vector<Entry> before(entries.empty() ? FIRST : 2 * entries.size(), Entry{{0, 0}, 0.0});
    before.swap(entries);
    for (const Entry& one : before)
        if (!one.pair.is_none()) at(one.pair) = one;
}

const double* PairTable::find(Pair pair) {
    if (!young_.entries.empty()) {
        const Entry& found = young_.at(pair);
        if (found.pair == pair) return &found.value;
    }
    if (old_.entries.empty()) return nullptr;
    const Entry found = old_.at(pair);
    if (!(found.pair == pair)) return nullptr;
    put(pair, found.value);
    return &young_.at(pair).value;
}

void PairTable::put(Pair pair, double value) {
    if (young_.used >= size_) {
        std::swap(young_, old_);
        young_ = Generation{};
    }
    if (2 * (young_.used + 1) > young_.entries.size()) young_.grow();
    Entry& entry = young_.at(pair);
    if (entry.pair.is_none()) ++young_.used;
    entry = Entry{pair, value};
}

}  // namespace otap
