#include "unions.hpp"

#include <algorithm>
#include <cmath>

namespace otap {
namespace {

constexpr double slack = 1e-6;     // what rounding may add to the similarity of two texts
constexpr double rounding = 1e-8;  // and to a cost
constexpr double smallest = 1e-9;  // and to a distance of arguments

bool is_object(Kind kind) { return kind == Kind::object || kind == Kind::empty_object; }
bool is_text(Kind kind) { return kind == Kind::text || kind == Kind::empty_text; }

// The least distance of arguments with so many wrong values.
double least_of(const Arguments& given, int wrong) {
    return wrong > 0 ? 1.0 - (1.0 - given.another_call) / std::pow(double(wrong), given.more) : 0.0;
}

// Whether a distance may be that least one, so that the mean over the keys can lie below it.
bool may_be_raised(const Arguments& given, double distance) {
    if (distance < given.another_call - smallest || distance >= 1.0) return false;
    const double wrong = std::pow((1.0 - given.another_call) / (1.0 - distance), 1.0 / given.more);
    return wrong > 1e6 || std::abs(least_of(given, std::max(1, int(std::lround(wrong)))) - distance) < smallest;
}

// The arguments of unions of two objects: what each key costs at least.
//
// The distance of two objects is that of the keys that both have, plus the filled ones that only one
// has, over the number of keys of both. A union has its parts' keys, each at the distance that it has
// there, but for keys with another value in each part: these hold a list of both.
class Objects {
  public:
    explicit Objects(const Arguments& given)
        : given(given), rows(*given.rows), columns(*given.columns), known(std::size_t(rows.steps) * columns.steps) {}

    // Turns to the union of two rows.
    void unite(int i, int k) {
        one = i, other = k;
        keys.clear();
        const std::uint8_t *a = rows.held(i), *b = rows.held(k);
        const std::int32_t *ours = rows.said(i), *theirs = rows.said(k);
        int lists = 0, in_one = 0, in_other = 0;
        listed = 0;
        for (int key = 0; key < rows.keys; ++key) {
            const std::uint8_t held = a[key] | b[key];
            if (!(held & present)) continue;
            const bool both = a[key] & b[key] & present, differs = both && ours[key] != theirs[key];
            keys.push_back({key, held, both, differs});
            listed += differs, lists += differs || (held & several);
            in_one += !differs && (a[key] & several), in_other += !differs && (b[key] & several);
        }
        alone = keys.size() == 1 && (keys.front().held & wraps);
        // Lists of one object are put into one order together, which others beside them may change.
        reordered = lists > 1 && lists != in_one && lists != in_other;
    }

    // The greatest similarity of the union to a column.
    double similarity(int j) {
        const bool full = rows.kinds[one] == Kind::object && rows.kinds[other] == Kind::object;
        const bool filled = full || rows.kinds[one] == Kind::object || rows.kinds[other] == Kind::object || listed;
        if (alone || !filled) return 1.0;
        if (columns.kinds[j] != Kind::object) return 0.0;
        const Shared shared = shared_with(j);
        double least = std::max(mean_or_raised(shared, j), least_of(given, shared.wrong));
        if (full && !shared.to_lists) least = std::max(least, given.D(one, j) + given.D(other, j) - 1.0);
        return std::min(1.0, 1.0 - least + smallest);
    }

  private:
    struct Key {
        int place;
        std::uint8_t held; // by either part
        bool both, differs;
    };
    // The keys that a union and a column have: in how many both parts say the same, and not the same,
    // of these against a list and not; that may be reordered. And what the other keys cost.
    struct Shared {
        int keys = 0, equal = 0, to_lists = 0, to_others = 0, reordered = 0, wrong = 0, apart = 0;
        int listed() const { return to_lists + to_others; }
    };
    // The distance of the keys that a row and a column have: where it is not known whether wrong
    // values raised the distance of the row, it is 0 if they did.
    struct Sum {
        double keys = -1.0;
        bool may_be_raised = false;
    };

    Shared shared_with(int j) const {
        Shared found;
        const std::uint8_t* column = columns.held(j);
        found.apart = columns.filled[j];
        for (const Key& key : keys) {
            const int place = given.places[key.place];
            const std::uint8_t there = place < 0 ? 0 : column[place];
            if (!(there & present)) {
                found.apart += key.differs || (key.held & otap::filled);
                continue;
            }
            found.keys += 1, found.apart -= bool(there & otap::filled);
            const bool to_list = there & list;
            if (key.differs) {
                found.to_lists += to_list, found.to_others += !to_list;
                found.wrong += !to_list && (there & key.held & exact);
            } else {
                found.equal += key.both;
                found.reordered += reordered && to_list && (key.held & several);
            }
        }
        return found;
    }

    // The least distance, whether or not wrong values raised that of a part: they are in the union too.
    double mean_or_raised(const Shared& shared, int j) {
        const Sum ours = sum(one, j), theirs = sum(other, j);
        double least = mean(shared, j, ours.keys, theirs.keys);
        const bool stay = shared.listed() + shared.reordered == 0;
        const auto raised = [&](double distance, double mean) { return stay ? std::max(distance, mean) : mean; };
        if (ours.may_be_raised) least = std::min(least, raised(given.D(one, j), mean(shared, j, 0.0, theirs.keys)));
        if (theirs.may_be_raised) least = std::min(least, raised(given.D(other, j), mean(shared, j, ours.keys, 0.0)));
        if (ours.may_be_raised && theirs.may_be_raised)
            least = std::min(least, raised(std::max(given.D(one, j), given.D(other, j)), mean(shared, j, 0.0, 0.0)));
        return least;
    }

    // The distance by the mean over the keys, at least.
    double mean(const Shared& shared, int j, double ours, double theirs) const {
        const double changed = shared.listed() + shared.reordered, twice = changed + shared.equal;
        const double first = std::max(0.0, ours - changed) + std::max(0.0, theirs - twice);
        const double second = std::max(0.0, ours - twice) + std::max(0.0, theirs - changed);
        const double all = shared.apart + shared.to_others + std::max(first, second);
        return all / (double(keys.size()) + columns.members[j] - shared.keys);
    }

    const Sum& sum(int i, int j) {
        Sum& found = known[std::size_t(i) * columns.steps + j];
        if (found.keys < 0.0) found = new_sum(i, j);
        return found;
    }

    Sum new_sum(int i, int j) const {
        const std::uint8_t *row = rows.held(i), *column = columns.held(j);
        int apart = rows.filled[i] + columns.filled[j], shared = 0, to_filled = 0;
        for (int key = 0; key < rows.keys; ++key) {
            const int place = given.places[key];
            if (place < 0 || !(row[key] & column[place] & present)) continue;
            apart -= bool(row[key] & otap::filled) + bool(column[place] & otap::filled);
            shared += 1, to_filled += bool(column[place] & otap::filled);
        }
        if (rows.kinds[i] == Kind::empty_object) return {double(to_filled), false};
        const double distance = given.D(i, j);
        const int both = rows.members[i] + columns.members[j] - shared;
        return {std::max(0.0, distance * both - apart), may_be_raised(given, distance)};
    }

    const Arguments& given;
    const Keys &rows, &columns;
    std::vector<Sum> known;
    std::vector<Key> keys;
    int one = 0, other = 0, listed = 0;
    bool alone = false, reordered = false;
};

// Whether a union of two texts is the text of one of them.
bool says_one(const Strided& share, int i, int k) { return std::isinf(share(i, k)) || std::isinf(share(k, i)); }

// The similarity of such a union: of two equal texts the larger one.
double of_that_one(const Strided& D, const Strided& share, int i, int k, int j) {
    return std::max(std::isinf(share(i, k)) ? 1.0 - D(i, j) : 0.0, std::isinf(share(k, i)) ? 1.0 - D(k, j) : 0.0);
}

// The similarity of a union of texts by those of its parts.
double of_both(const Strided& share, int i, int k, double first, double second) {
    if (std::isnan(share(i, k))) return 1.0;
    return std::min(1.0, std::max(0.0, share(i, k) * first + share(k, i) * second + slack));
}

double of_texts(const Texts& given, int i, int k, int j) {
    if (says_one(given.share, i, k)) return of_that_one(given.D, given.share, i, k, j);
    return of_both(given.share, i, k, 1.0 - given.D(i, j), 1.0 - given.D(k, j));
}

// The bound of arguments, union by union.
class Bound {
  public:
    explicit Bound(const Arguments& given) : given(given), rows(*given.rows), columns(*given.columns), objects(given) {}

    void unite(int i, int k) {
        one = i, other = k;
        ours = rows.kinds[i], theirs = rows.kinds[k];
        if (is_object(ours) && is_object(theirs)) objects.unite(i, k);
    }

    double similarity(int j) {
        if (ours == Kind::none) return 1.0 - given.D(other, j);
        if (theirs == Kind::none) return 1.0 - given.D(one, j);
        if (is_object(ours) && is_object(theirs)) return objects.similarity(j);
        if (is_text(ours) && is_text(theirs)) return of_text(j);
        const bool mixed = (ours == Kind::text && is_object(theirs)) || (theirs == Kind::text && is_object(ours));
        return mixed ? of_mixed(j) : 1.0;
    }

  private:
    // Two texts are one text.
    double of_text(int j) const {
        if (says_one(given.share, one, other)) return of_that_one(given.D, given.share, one, other, j);
        const Kind kind = columns.kinds[j];
        if (kind != Kind::text) return kind == Kind::other ? 1.0 : 0.0;
        return of_both(given.share, one, other, given.cosines(one, j), given.cosines(other, j));
    }

    // A text and an object are a list of both, which has its places as keys.
    double of_mixed(int j) const {
        if (columns.kinds[j] != Kind::object) return 0.0;
        if (columns.by_place[j]) return 1.0;
        const int filled = 1 + (ours == Kind::object || theirs == Kind::object);
        return 1.0 - double(filled + columns.filled[j]) / (2 + columns.members[j]) + smallest;
    }

    const Arguments& given;
    const Keys &rows, &columns;
    Objects objects;
    int one = 0, other = 0;
    Kind ours = Kind::none, theirs = Kind::none;
};

// The unions of one problem.
class Unions {
  public:
    explicit Unions(const UnionProblem& given)
        : given(given), anywhere(given.m, 1.0), nearest(given.m), least(given.m) {
        if (!given.has_tool) return;
        for (int i = 0; i < given.n; ++i)
            for (int j = 0; j < given.m; ++j) anywhere[j] = std::min(anywhere[j], given.tool.D(i, j));
    }

    std::vector<Prospect> all() {
        std::vector<Prospect> found;
        if (given.has_arguments) {
            Bound bound(given.arguments);
            look(&bound, found);
        } else {
            look(nullptr, found);
        }
        return found;
    }

  private:
    void look(Bound* bound, std::vector<Prospect>& found) {
        for (std::size_t place = 0; place < given.count; ++place) {
            const int i = given.pairs[2 * place], k = given.pairs[2 * place + 1];
            if (bound) bound->unite(i, k);
            look_at(place, i, k, bound, found);
        }
    }

    void look_at(std::size_t place, int i, int k, Bound* bound, std::vector<Prospect>& found) {
        double first = 1.0, second = 1.0; // the least two, with 1 beside them
        for (int j = 0; j < given.m; ++j) {
            nearest[j] = std::min(given.C(i, j), given.C(k, j));
            if (nearest[j] <= first) second = first, first = nearest[j];
            else second = std::min(second, nearest[j]);
        }
        double gain = 0.0, may = -1.0;
        for (int j = 0; j < given.m; ++j) {
            if (!given.wholes[j]) continue;
            const double most = std::min(nearest[j] - given.margin, nearest[j] == first ? second : first);
            least[j] = 1.0 - similarity(i, k, j, bound);
            if (least[j] < most) gain = std::max(gain, nearest[j] - least[j]), may = std::max(may, most);
        }
        if (gain <= 0.0) return;
        Prospect one{place, gain, {}};
        for (int j = 0; j < given.m; ++j)
            if (given.wholes[j] && least[j] <= may + rounding) one.columns.push_back(j);
        found.push_back(std::move(one));
    }

    double similarity(int i, int k, int j, Bound* bound) const {
        const double arguments = bound ? bound->similarity(j) : 0.0;
        double call = arguments, sum = bound ? given.arguments.weight * arguments : 0.0;
        if (given.has_tool) {
            const double parts = 1.0 - std::min(given.tool.D(i, j), given.tool.D(k, j));
            // A tool that the side calls itself has another name only for the same arguments.
            const double tool = anywhere[j] > 0.0 || arguments >= 1.0 - slack ? std::max(parts, arguments) : parts;
            call = std::min(call, tool);
            sum += given.tool.weight * tool;
        }
        for (const Texts& one : given.texts) {
            const double own = of_texts(one, i, k, j);
            sum += one.weight * (one.bounded ? std::max(own, call) : own);
        }
        for (const Field& one : given.of_one) sum += one.weight * std::min(1.0, 2.0 - one.D(i, j) - one.D(k, j));
        return sum;
    }

    const UnionProblem& given;
    std::vector<double> anywhere, nearest, least;
};

} // namespace

std::vector<Prospect> prospects(const UnionProblem& given) { return Unions(given).all(); }

} // namespace otap
