// Polishing: from a coupling to the exact local minimum beside it, without entropy. plain.py has
// the same in NumPy, and turns concave directions downhill in another way.
//
// A problem has the registers to itself: rows are padded to whole registers, so that every loop over
// columns, or over cells in use, takes whole ones.
#pragma once

#include "algebra.hpp"
#include "arena.hpp"
#include "parameters.hpp"
#include "short.hpp"

namespace otap::OTAP_ISA {

constexpr double fastest = -500;
constexpr double first_ridge = 1e-9, least_ridge = 1e-12, firm_ridge = 1e-6, most_ridge = 1e6, definite = 1e-14;
constexpr int polish_halvings = 40, room_to_enter = 60;

OTAP_INLINE int padded(int count) { return (count + W - 1) / W * W; }

// to[k] += x from[k], whole registers of them.
OTAP_INLINE void add(double* __restrict to, double x, const double* from, int count) {
    for (int k = 0; k < count; k += W) store(to + k, load(to + k) + x * load(from + k));
}

OTAP_INLINE double sum_of_lanes(Doubles x) {
    double sum = 0;
    for (int k = 0; k < W; ++k) sum += x[k];
    return sum;
}

// What a coupling that is mostly zeros comes to: its cells, its sums, the slope of the loss in every cell.
struct Point {
    double *T, *r, *c, *slope;  // T and slope by padded rows
    int *i, *j, count;          // the cells that are not 0
    double node, structure, agent, reference;
    double value() const { return node + structure + agent + reference; }
};

class Polisher {
  public:
    Polisher(const Problem& p, Arena arena)
        : p_(p), n_(p.n), m_(p.m), rows_(padded(p.n)), columns_(padded(p.m)), most_(most(p.n, p.m)) {
        const size_t cells = size_t(n_) * columns_;
        for (double** matrix : {&node_, &Y_, &X_, &here_.T, &there_.T, &here_.slope, &there_.slope}) *matrix = arena.take<double>(cells);
        for (double** side : {&mu_, &lambda_1_, &a_, &log_r_, &here_.r, &there_.r}) *side = arena.take<double>(rows_);
        for (double** side : {&nu_, &lambda_2_, &b_, &log_c_, &here_.c, &there_.c}) *side = arena.take<double>(columns_);
        squares_p_ = arena.take<double>(size_t(n_) * rows_);
        squares_r_ = arena.take<double>(size_t(m_) * columns_);
        turned_ = arena.take<double>(size_t(m_) * columns_);
        for (int** list : {&here_.i, &here_.j, &there_.i, &there_.j, &i_, &j_, &curved_i_, &curved_j_, &idle_}) *list = arena.take<int>(most_);
        for (double** list : {&mass_, &slope_, &d_, &row_, &column_}) *list = arena.take<double>(padded(most_));
        gaps_ = arena.take<double>(size_t(most_) * padded(most_));
        U_ = arena.take<double>(size_t(most_) * padded(most_ + 1));
        load_problem();
    }

    static size_t memory(int n, int m) {
        const size_t rows = padded(n), columns = padded(m), cells = most(n, m);
        const size_t doubles = 7 * n * columns + 6 * rows + 6 * columns + n * rows + 2 * m * columns + (5 + 2 * cells) * padded(cells + 1);
        return doubles * sizeof(double) + 9 * cells * sizeof(int) + 64 * 40;
    }

    // Begins at T; false where that is spread over too many cells.
    bool begin(const double* T) {
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < columns_; ++j) here_.T[i * columns_ + j] = j < m_ ? T[i * m_ + j] : 0.0;
        leave_out_what_is_slight();
        return look(here_) && feed() && here_.count <= many(n_, m_);
    }

    // Whether it ends where no step promises anything. What the last step promises is too little to
    // be told in the loss, but it squares what is left of the slopes.
    bool run(int most_steps) {
        for (int count = 0; count < most_steps; ++count) {
            if (!choose_step()) {
                if (promise_ > 0) take(1.0, 0.0);
                return true;
            }
            if (!take_step()) return false;
        }
        return false;
    }

    // The parts of the loss, by cells in the order of the rows: the structure's as a sum of what cannot
    // be negative.
    Terms terms() {
        look(here_);
        Terms terms{};
        for (int a = 0; a < here_.count; ++a) {
            terms.node += mass(a) * node_[here_.i[a] * columns_ + here_.j[a]];
            double before = 0;
            for (int b = 0; b < a; ++b) before += gap(here_.i[a], here_.j[a], here_.i[b], here_.j[b]) * mass(b);
            terms.structure += 2 * p_.theta * mass(a) * before;
        }
        for (int i = 0; i < n_; ++i) terms.agent_mass += lambda_1_[i] * kl(here_.r[i], mu_[i]);
        for (int j = 0; j < m_; ++j) terms.reference_mass += lambda_2_[j] * kl(here_.c[j], nu_[j]);
        return terms;
    }

    void write(double* T) const {
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) T[i * m_ + j] = here_.T[i * columns_ + j];
    }

  private:
    const Problem& p_;
    int n_, m_, rows_, columns_, most_;
    double *node_, *Y_, *X_, *mu_, *nu_, *lambda_1_, *lambda_2_, *a_, *b_, *log_r_, *log_c_;
    double *squares_p_, *squares_r_, *turned_;  // D^2, and D_r with rows for columns
    Point here_, there_;
    int *i_, *j_, *idle_, free_ = 0, idles_ = 0;  // the cells that a step moves; places of those in use that it does not
    int *curved_i_, *curved_j_, curved_ = 0;                   // the cells that gaps_ holds
    double *mass_, *slope_, *d_, *row_, *column_, *gaps_, *U_;  // row_, column_: i_ and j_ as numbers
    double ridge_ = first_ridge, promise_ = 0;

    // A coupling that is spread over more cells is not polished.
    static int many(int n, int m) { return 3 * (n + m) < 150 ? 150 : 3 * (n + m); }

    // Cells that there is room for.
    static int most(int n, int m) {
        const int enough = many(n, m) + room_to_enter;
        return n * m < enough ? n * m : enough;
    }

    void load_problem() {
        const double rest = 1 - p_.theta;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < columns_; ++j) node_[i * columns_ + j] = j < m_ ? rest * p_.C[i * m_ + j] : 1e300;
        load_side(mu_, p_.mu, n_, rows_);
        load_side(lambda_1_, p_.lambda_1, n_, rows_);
        load_side(nu_, p_.nu, m_, columns_);
        load_side(lambda_2_, p_.lambda_2, m_, columns_);
        load_squares(squares_p_, p_.D_p, n_, rows_);
        load_squares(squares_r_, p_.D_r, m_, columns_);
        for (int l = 0; l < m_; ++l)
            for (int j = 0; j < columns_; ++j) turned_[l * columns_ + j] = j < m_ ? p_.D_r[j * m_ + l] : 0.0;
    }

    static void load_side(double* to, const double* from, int count, int room) {
        for (int k = 0; k < room; ++k) to[k] = k < count ? from[k] : 1.0;
    }

    static void load_squares(double* to, const double* D, int count, int room) {
        for (int k = 0; k < count; ++k)
            for (int l = 0; l < room; ++l) to[k * room + l] = l < count ? D[k * count + l] * D[k * count + l] : 0.0;
    }

    static double kl(double a, double b) { return larger(a * logarithm(a / b) - a + b, 0.0); }

    double mass(int a) const { return here_.T[here_.i[a] * columns_ + here_.j[a]]; }

    double gap(int i, int j, int k, int l) const {
        const double g = p_.D_p[i * n_ + k] - p_.D_r[j * m_ + l];
        return g * g;
    }

    // --- a point ---

    // Its sums, from its cells. The padding holds what its masses hold, so that it costs nothing.
    void sum(Point& at) const {
        for (int k = 0; k < rows_; ++k) at.r[k] = k < n_ ? 0.0 : 1.0;
        for (int k = 0; k < columns_; ++k) at.c[k] = k < m_ ? 0.0 : 1.0;
        for (int a = 0; a < at.count; ++a) {
            const double mass = at.T[at.i[a] * columns_ + at.j[a]];
            at.r[at.i[a]] += mass;
            at.c[at.j[a]] += mass;
        }
    }

    // The cells that are not 0, in the order of the rows; false where there is no room for them.
    bool look(Point& at) const {
        at.count = 0;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                if (!(at.T[i * columns_ + j] > 0)) continue;
                if (at.count == most_) return false;
                at.i[at.count] = i;
                at.j[at.count++] = j;
            }
        sum(at);
        return true;
    }

    // Half the gradient of the structure term, a_i + b_j - 2 X_ij, by its sums and its product.
    void mismatch(const Point& at) const {
        for (int k = 0; k < rows_; ++k) a_[k] = 0.0;
        for (int k = 0; k < columns_; ++k) b_[k] = 0.0;
        for (int k = 0; k < n_; ++k) add(a_, at.r[k], squares_p_ + k * rows_, rows_);
        for (int k = 0; k < m_; ++k) add(b_, at.c[k], squares_r_ + k * columns_, columns_);
        for (int x = 0; x < n_ * columns_; ++x) Y_[x] = 0.0;
        for (int a = 0; a < at.count; ++a)
            add(Y_ + at.i[a] * columns_, at.T[at.i[a] * columns_ + at.j[a]], turned_ + at.j[a] * columns_, columns_);
        product(X_, p_.D_p, Y_, n_, n_, columns_);
    }

    // The weights' sum of a log(a / b) - a + b, none of its parts negative; its logarithms are kept.
    static double divergence(const double* a, const double* b, const double* weight, double* log, int count) {
        Doubles sum{};
        for (int k = 0; k < count; k += W) {
            const Doubles mass = load(a + k), ratio = logarithm(mass / load(b + k)), part = mass * ratio - mass + load(b + k);
            store(log + k, ratio);
            sum += load(weight + k) * larger(part, Doubles{});
        }
        return sum_of_lanes(sum);
    }

    // The parts of the loss, and its slope in each cell, from the cells and their sums.
    void derive(Point& at) const {
        mismatch(at);
        at.agent = divergence(at.r, mu_, lambda_1_, log_r_, rows_);
        at.reference = divergence(at.c, nu_, lambda_2_, log_c_, columns_);
        at.node = at.structure = 0;
        const double twice = 2 * p_.theta;
        for (int a = 0; a < at.count; ++a) {
            const int x = at.i[a] * columns_ + at.j[a];
            at.node += at.T[x] * node_[x];
            at.structure += at.T[x] * (a_[at.i[a]] + b_[at.j[a]] - 2 * X_[x]);
        }
        at.structure *= p_.theta;
        for (int k = 0; k < columns_; k += W) store(b_ + k, twice * load(b_ + k) + load(lambda_2_ + k) * load(log_c_ + k));
        for (int i = 0; i < n_; ++i) {
            const double own = twice * a_[i] + lambda_1_[i] * log_r_[i];
            for (int x = i * columns_, k = 0; k < columns_; k += W)
                store(at.slope + x + k, load(node_ + x + k) + (own + load(b_ + k) - 2 * twice * load(X_ + x + k)));
        }
    }

    void leave_out_what_is_slight() {
        for (int i = 0; i < n_; ++i) here_.r[i] = total(here_.T + i * columns_, columns_);
        for (int k = 0; k < columns_; ++k) here_.c[k] = 0.0;
        for (int i = 0; i < n_; ++i) add(here_.c, 1.0, here_.T + i * columns_, columns_);
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                double& mass = here_.T[i * columns_ + j];
                if (!(mass >= slight * smaller(here_.r[i], here_.c[j]))) mass = 0.0;
            }
    }

    // A step that has nothing gets what is best for it in its cheapest cell: the slope of its penalty
    // is infinite there. False where there is no room for that.
    bool feed() {
        mismatch(here_);
        for (int i = 0; i < n_; ++i) {
            if (here_.r[i] > 0) continue;
            int best = 0;
            for (int j = 1; j < m_; ++j)
                if (cost(i, j) < cost(i, best)) best = j;
            const double taken = here_.c[best] > 0 ? lambda_2_[best] * logarithm(here_.c[best] / nu_[best]) : 0.0;
            here_.T[i * columns_ + best] = fed(mu_[i], cost(i, best) + taken, lambda_1_[i]);
        }
        if (!look(here_)) return false;
        mismatch(here_);
        for (int j = 0; j < m_; ++j) {
            if (here_.c[j] > 0) continue;
            int best = 0;
            for (int i = 1; i < n_; ++i)
                if (cost(i, j) < cost(best, j)) best = i;
            const double taken = lambda_1_[best] * logarithm(here_.r[best] / mu_[best]);
            here_.T[best * columns_ + j] = fed(nu_[j], cost(best, j) + taken, lambda_2_[j]);
        }
        if (!look(here_)) return false;
        derive(here_);
        return true;
    }

    double cost(int i, int j) const {
        return node_[i * columns_ + j] + 2 * p_.theta * (a_[i] + b_[j] - 2 * X_[i * columns_ + j]);
    }

    static double fed(double mass, double cost, double lambda) {
        return larger(mass * exponential(-larger(cost, 0.0) / lambda), least);
    }

    // --- the next step ---

    // A direction among the cells in use, and with those that are worth more than that.
    bool choose_step() {
        use();
        promise_ = direct();
        const int used = free_;
        enter(larger(promise_, still));
        if (free_ > used) promise_ = direct();
        if (promise_ >= still) return true;
        if (free_ > used) {
            use();
            promise_ = direct();
        }
        return promise_ >= still;
    }

    // Cells but those that hold next to nothing and would hold less: they would only shorten steps.
    void use() {
        free_ = idles_ = 0;
        for (int a = 0; a < here_.count; ++a) {
            const int i = here_.i[a], j = here_.j[a];
            if (mass(a) > nothing * smaller(mu_[i], nu_[j]) || here_.slope[i * columns_ + j] < 0)
                free(i, j);
            else
                idle_[idles_++] = a;
        }
    }

    void free(int i, int j) {
        i_[free_] = i;
        j_[free_] = j;
        mass_[free_] = here_.T[i * columns_ + j];
        slope_[free_++] = here_.slope[i * columns_ + j];
    }

    // Frees the empty cells that are worth most: so many, and each more than that.
    void enter(double worth) {
        double offers[entering];
        int found[entering], count = 0;
        const auto offer_at = [&](int i, int j) {
            const int x = i * columns_ + j;
            const double fall = -here_.slope[x];
            if (!(fall > 0) || here_.T[x] > 0) return;
            const double offer = fall * smaller(grown(here_.r[i], mu_[i], fall / lambda_1_[i]), grown(here_.c[j], nu_[j], fall / lambda_2_[j]));
            if (!(offer > worth)) return;
            int place = count;
            while (place > 0 && offer > offers[place - 1]) --place;
            if (place == entering) return;
            if (count < entering) ++count;
            for (int k = count - 1; k > place; --k) offers[k] = offers[k - 1], found[k] = found[k - 1];
            offers[place] = offer;
            found[place] = x;
        };
        for (int i = 0; i < n_; ++i) {
            const Doubles most_by_row = broadcast<Doubles>(room(here_.r[i], mu_[i]));
            for (int j = 0; j < columns_; j += W) {
                const Doubles most_here = smaller(most_by_row, larger(load(here_.c + j), load(nu_ + j)));
                if (!any((-load(here_.slope + i * columns_ + j) * most_here > worth) & (load(here_.T + i * columns_ + j) <= 0))) continue;
                for (int k = j; k < j + W && k < m_; ++k) offer_at(i, k);
            }
        }
        for (int k = 0; k < count && free_ + idles_ < most_; ++k) free(found[k] / columns_, found[k] % columns_);
    }

    static double room(double sum, double mass) { return larger(sum, mass); }

    static double grown(double sum, double mass, double rate) {
        return smaller(sum * exponential(smaller(rate, 50.0)), room(sum, mass));
    }

    // What a Newton step promises; what has nothing and would lose stays out.
    double direct() {
        while (free_ > 0) {
            curve();
            while (!solve())
                if (!firm()) return 0;
            int left = 0;
            for (int a = 0; a < free_; ++a) {
                if (!(mass_[a] > 0 || d_[a] > 0)) continue;
                i_[left] = i_[a];
                j_[left] = j_[a];
                mass_[left] = mass_[a];
                slope_[left++] = slope_[a];
            }
            if (left == free_) return promised();
            free_ = left;
        }
        return 0;
    }

    bool firm() {
        ridge_ = larger(100 * ridge_, firm_ridge);
        return ridge_ <= most_ridge;
    }

    double promised() const {
        double sum = 0;
        for (int a = 0; a < free_; ++a) sum -= slope_[a] * d_[a];
        return sum;
    }

    // 2 theta (D_p - D_r)^2 between the free cells; those that were free before have theirs.
    void curve() {
        const int stride = padded(most_);
        const double twice = 2 * p_.theta;
        int known = 0;
        while (known < curved_ && known < free_ && curved_i_[known] == i_[known] && curved_j_[known] == j_[known]) ++known;
        for (int a = known; a < free_; ++a) {
            const int i = curved_i_[a] = i_[a], j = curved_j_[a] = j_[a];
            const double *D_p = p_.D_p + i * n_, *D_r = p_.D_r + j * m_;
            row_[a] = i;
            column_[a] = j;
            for (int b = 0; b <= a; ++b) {
                const double g = D_p[i_[b]] - D_r[j_[b]];
                gaps_[b * stride + a] = twice * g * g;
            }
        }
        curved_ = free_;
    }

    // The direction, by elimination in the Hessian with its diagonal raised; false where that is not
    // definite. The right side is a column of its own.
    bool solve() {
        const int stride = padded(free_ + 1);
        fill(stride);
        const bool definite_ = stride == W ? eliminate<W>(stride) : stride == 2 * W ? eliminate<2 * W>(stride) : eliminate<0>(stride);
        if (!definite_) return false;
        for (int a = 0; a < free_; ++a) d_[a] = U_[a * stride + free_];
        for (int a = free_ - 1; a >= 0; --a) {
            const double own = d_[a] *= U_[a * stride + a];
            for (int b = 0; b < a; ++b) d_[b] -= U_[b * stride + a] * own;
        }
        return true;
    }

    // The upper triangle, whole registers of it.
    void fill(int stride) {
        const int from = padded(most_);
        for (int a = 0; a < free_; ++a) {
            double* row = U_ + a * stride;
            const Doubles by_row = broadcast<Doubles>(lambda_1_[i_[a]] / here_.r[i_[a]]);
            const Doubles by_column = broadcast<Doubles>(lambda_2_[j_[a]] / here_.c[j_[a]]);
            for (int b = a / W * W; b < stride; b += W) {
                const Doubles along = load(row_ + b) == row_[a] ? by_row : Doubles{}, across = load(column_ + b) == column_[a] ? by_column : Doubles{};
                store(row + b, load(gaps_ + a * from + b) + along + across);
            }
            row[a] += ridge_ * row[a];
            row[free_] = -slope_[a];
        }
    }

    // Leaves the reciprocals of the pivots on the diagonal. Stride is that of U where the compiler
    // knows it, else 0.
    template <int Stride> bool eliminate(int given) {
        const int stride = Stride ? Stride : given, count = free_;
        const double least_pivot = definite / (1 + ridge_);
        double* __restrict U = U_;
        for (int a = 0; a < count; ++a) d_[a] = least_pivot * U[a * stride + a];
        for (int a = 0; a < count; ++a) {
            double* pivot = U + a * stride;
            if (!(pivot[a] > d_[a])) return false;
            const double inverse = 1.0 / pivot[a];
            for (int b = a + 1; b < count; ++b) {
                const int from = b / W * W;
                add(U + b * stride + from, -pivot[b] * inverse, pivot + from, stride - from);
            }
            pivot[a] = inverse;
        }
        return true;
    }

    bool take_step() {
        while (!search()) {
            do
                if (!firm()) return false;
            while (!solve());
            for (int a = 0; a < free_; ++a)
                if (mass_[a] <= 0) d_[a] = larger(d_[a], 0.0);
            promise_ = promised();
        }
        return true;
    }

    // The whole way, cut at 0; else up to where the first cell is empty, or a part of that.
    bool search() {
        if (take(1.0, 0.0)) {
            ridge_ = larger(ridge_ / 10, least_ridge);
            return true;
        }
        double length = 1.0;
        for (int a = 0; a < free_; ++a)
            if (d_[a] < 0 && mass_[a] > 0) length = smaller(length, -mass_[a] / d_[a]);
        for (int count = 0; count < polish_halvings; ++count, length /= 2)
            if (take(length, 1e-12)) return true;
        return false;
    }

    // Takes the step where it keeps its promise.
    bool take(double length, double empty) {
        move(length, empty);
        sum(there_);
        if (shrink(length)) sum(there_);
        for (int i = 0; i < n_; ++i)
            if (!(there_.r[i] > least)) return false;
        for (int j = 0; j < m_; ++j)
            if (!(there_.c[j] > least)) return false;
        derive(there_);
        if (!(there_.value() <= here_.value() - armijo * length * promise_ + 1e-15)) return false;
        const Point left = here_;
        here_ = there_;
        there_ = left;
        return true;
    }

    void move(double length, double empty) {
        for (int x = 0; x < n_ * columns_; x += W) store(there_.T + x, load(here_.T + x));
        there_.count = 0;
        for (int a = 0; a < free_; ++a) {
            const double moved = mass_[a] + length * d_[a], mass = moved > empty * mass_[a] ? moved : 0.0;
            there_.T[i_[a] * columns_ + j_[a]] = mass;
            if (mass > 0) list(i_[a], j_[a]);
        }
        for (int a = 0; a < idles_; ++a) list(here_.i[idle_[a]], here_.j[idle_[a]]);
    }

    void list(int i, int j) {
        there_.i[there_.count] = i;
        there_.j[there_.count++] = j;
    }

    // Cells of a step that would lose nearly all its mass shrink by their rates instead; whether there
    // are any.
    bool shrink(double length) {
        there_.count = 0;
        bool any = false;
        for (int a = 0; a < free_; ++a) {
            const int i = i_[a], j = j_[a];
            double& mass = there_.T[i * columns_ + j];
            if (mass_[a] > 0 && !(there_.r[i] > keeps * here_.r[i] && there_.c[j] > keeps * here_.c[j])) {
                mass = mass_[a] * exponential(larger(length * d_[a] / mass_[a], fastest));
                any = true;
            }
            if (mass > 0) list(i, j);
        }
        for (int a = 0; a < idles_; ++a) list(here_.i[idle_[a]], here_.j[idle_[a]]);
        return any;
    }
};

static bool polish(const Problem& p, int most_steps, double* T, Terms& terms, void* memory) {
    Polisher polisher(p, Arena{static_cast<char*>(memory)});
    if (!polisher.begin(T)) return false;
    const bool ended = polisher.run(most_steps);
    const Terms found = polisher.terms();
    if (!(found.loss() <= terms.loss() + 1e-15)) return false;
    polisher.write(T);
    terms = found;
    return ended;
}

// By weak duality, from the potentials that T's sums stand for: the loss itself where T is a minimum
// and its structure term is 0.
static double lower_bound(const Problem& p, const double* T, void* memory) {
    Arena arena{static_cast<char*>(memory)};
    double *r = arena.take<double>(p.n), *c = arena.take<double>(p.m), *g = arena.take<double>(p.m);
    for (int i = 0; i < p.n; ++i) r[i] = 0;
    for (int j = 0; j < p.m; ++j) c[j] = 0;
    for (int i = 0; i < p.n; ++i)
        for (int j = 0; j < p.m; ++j) r[i] += T[i * p.m + j], c[j] += T[i * p.m + j];
    double value = 0;
    for (int j = 0; j < p.m; ++j) {
        if (!(c[j] > 0)) return 0;
        g[j] = -p.lambda_2[j] * logarithm(c[j] / p.nu[j]);
        value += p.lambda_2[j] * (p.nu[j] - c[j]);
    }
    for (int i = 0; i < p.n; ++i) {
        if (!(r[i] > 0)) return 0;
        double f = -p.lambda_1[i] * logarithm(r[i] / p.mu[i]);
        for (int j = 0; j < p.m; ++j) f = smaller(f, (1 - p.theta) * p.C[i * p.m + j] - g[j]);
        value -= p.lambda_1[i] * p.mu[i] * exponential_minus_1(-f / p.lambda_1[i]);
    }
    return value;
}

}  // namespace otap::OTAP_ISA
