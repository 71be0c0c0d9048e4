#include "polish.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace otap {

namespace {

// These have their reasons in numpy/polish.py, which has the same.
constexpr double slight = 1e-3, still = 1e-11, least = 1e-250, nothing = 1e-30, keeps = 0.05, armijo = 1e-4;
constexpr double first_ridge = 1e-9, least_ridge = 1e-12, firm_ridge = 1e-6, most_ridge = 1e6, definite = 1e-14;
constexpr int halvings = 40, entering_at_once = 4;

double kl(double a, double b) { return a > 0 ? std::max(a * std::log(a / b) - a + b, 0.0) : b; }

struct Cell {
    int i, j;
    double mass;
};

// What a coupling that is mostly zeros comes to: its cells, its sums.
struct Point {
    std::vector<double> T, r, c;
    std::vector<Cell> cells;

    Point(const Problem& p, std::vector<double> T_) : T(std::move(T_)), r(p.n), c(p.m) { look(p); }

    void look(const Problem& p) {
        std::fill(r.begin(), r.end(), 0.0);
        std::fill(c.begin(), c.end(), 0.0);
        cells.clear();
        for (int i = 0; i < p.n; ++i)
            for (int j = 0; j < p.m; ++j) {
                const double mass = T[i * p.m + j];
                if (!(mass > 0)) continue;
                cells.push_back({i, j, mass});
                r[i] += mass;
                c[j] += mass;
            }
    }
};

double gap(const Problem& p, const Cell& a, const Cell& b) {
    const double g = p.D_p[a.i * p.n + b.i] - p.D_r[a.j * p.m + b.j];
    return g * g;
}

double mismatch(const Problem& p, const Point& point, const Cell& at) {
    double sum = 0;
    for (const Cell& other : point.cells) sum += gap(p, at, other) * other.mass;
    return sum;
}

Terms terms_at(const Problem& p, const Point& point) {
    Terms terms{};
    for (size_t a = 0; a < point.cells.size(); ++a) {
        const Cell& at = point.cells[a];
        terms.node += (1 - p.theta) * p.C[at.i * p.m + at.j] * at.mass;
        double before = 0;
        for (size_t b = 0; b < a; ++b) before += gap(p, at, point.cells[b]) * point.cells[b].mass;
        terms.structure += 2 * p.theta * at.mass * before;
    }
    for (int i = 0; i < p.n; ++i) terms.agent_mass += p.lambda_1[i] * kl(point.r[i], p.mu[i]);
    for (int j = 0; j < p.m; ++j) terms.reference_mass += p.lambda_2[j] * kl(point.c[j], p.nu[j]);
    return terms;
}

class Polisher {
  public:
    Polisher(const Problem& p, const double* T)
        : p_(p), n_(p.n), m_(p.m), here_(p, {T, T + size_t(p.n) * p.m}), there_(here_), slope_(here_.T.size()),
          turned_(size_t(p.m) * p.m) {
        for (int j = 0; j < m_; ++j)
            for (int l = 0; l < m_; ++l) turned_[size_t(l) * m_ + j] = p.D_r[size_t(j) * m_ + l];
        for (const Cell& at : here_.cells)
            if (!(at.mass >= slight * std::min(here_.r[at.i], here_.c[at.j]))) here_.T[at.i * m_ + at.j] = 0;
        here_.look(p_);
        feed();
        value_ = terms_at(p_, here_).loss();
    }

    const Point& here() const { return here_; }

    // Whether it ends where no step promises anything. What the last step promises is too little to
    // be told in the loss, but it squares what is left of the slopes.
    bool run(int most_steps) {
        for (int count = 0; count < most_steps; ++count) {
            derive();
            if (!choose_step()) {
                if (promise_ > 0) take(1.0, 0.0);
                return true;
            }
            if (!take_step()) return false;
        }
        return false;
    }

  private:
    const Problem& p_;
    int n_, m_;
    Point here_, there_;
    double value_, ridge_ = first_ridge, promise_ = 0;
    std::vector<double> slope_, turned_, H_, U_, d_;  // turned_: D_r with rows for columns
    std::vector<Cell> free_;

    // A step that has nothing gets what is best for it in its cheapest cell: the slope of its penalty
    // is infinite there.
    void feed() {
        for (int i = 0; i < n_; ++i) {
            if (here_.r[i] > 0) continue;
            int best = 0;
            for (int j = 1; j < m_; ++j)
                if (cost(i, j) < cost(i, best)) best = j;
            const double taken = here_.c[best] > 0 ? p_.lambda_2[best] * std::log(here_.c[best] / p_.nu[best]) : 0.0;
            here_.T[i * m_ + best] = fed(p_.mu[i], cost(i, best) + taken, p_.lambda_1[i]);
        }
        here_.look(p_);
        for (int j = 0; j < m_; ++j) {
            if (here_.c[j] > 0) continue;
            int best = 0;
            for (int i = 1; i < n_; ++i)
                if (cost(i, j) < cost(best, j)) best = i;
            const double taken = p_.lambda_1[best] * std::log(here_.r[best] / p_.mu[best]);
            here_.T[best * m_ + j] = fed(p_.nu[j], cost(best, j) + taken, p_.lambda_2[j]);
        }
        here_.look(p_);
    }

    static double fed(double mass, double cost, double lambda) {
        return std::max(mass * std::exp(-std::max(cost, 0.0) / lambda), least);
    }

    double cost(int i, int j) const {
        return (1 - p_.theta) * p_.C[i * m_ + j] + 2 * p_.theta * mismatch(p_, here_, {i, j, 0});
    }

    // The slope in each cell; what it costs with all others by sums over rows and columns.
    void derive() {
        std::vector<double> columns(m_), weight(m_);
        for (int j = 0; j < m_; ++j)
            columns[j] = 2 * p_.theta * squares(p_.D_r + size_t(j) * m_, here_.c) + p_.lambda_2[j] * std::log(here_.c[j] / p_.nu[j]);
        for (int i = 0; i < n_; ++i) {
            const double *D = p_.D_p + size_t(i) * n_, *C = p_.C + size_t(i) * m_;
            double* slope = &slope_[size_t(i) * m_];
            const double row = 2 * p_.theta * squares(D, here_.r) + p_.lambda_1[i] * std::log(here_.r[i] / p_.mu[i]);
            for (int j = 0; j < m_; ++j) slope[j] = (1 - p_.theta) * C[j] + row + columns[j];
            std::fill(weight.begin(), weight.end(), 0.0);
            for (const Cell& at : here_.cells) weight[at.j] += D[at.i] * at.mass;
            for (int l = 0; l < m_; ++l) {
                const double twice = 4 * p_.theta * weight[l], *column = &turned_[size_t(l) * m_];
                if (twice != 0)
                    for (int j = 0; j < m_; ++j) slope[j] -= twice * column[j];
            }
        }
    }

    static double squares(const double* D, const std::vector<double>& mass) {
        double sum = 0;
        for (size_t k = 0; k < mass.size(); ++k) sum += D[k] * D[k] * mass[k];
        return sum;
    }

    double slope(const Cell& at) const { return slope_[at.i * m_ + at.j]; }

    // A direction among the cells in use, and with those that are worth more than that.
    bool choose_step() {
        free_ = in_use();
        promise_ = direct();
        const size_t used = free_.size();
        enter(std::max(promise_, still));
        if (free_.size() > used) promise_ = direct();
        if (promise_ >= still) return true;
        free_ = in_use();
        promise_ = direct();
        return promise_ >= still;
    }

    // Cells but those that hold next to nothing and would hold less: they would only shorten steps.
    std::vector<Cell> in_use() const {
        std::vector<Cell> found;
        for (const Cell& at : here_.cells)
            if (at.mass > nothing * std::min(p_.mu[at.i], p_.nu[at.j]) || slope(at) < 0) found.push_back(at);
        return found;
    }

    void enter(double worth) {
        std::vector<std::pair<double, Cell>> new_;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                const double s = slope_[i * m_ + j];
                if (here_.T[i * m_ + j] > 0 || !(s < 0)) continue;
                const double room = std::min(grown(here_.r[i], p_.mu[i], -s / p_.lambda_1[i]),
                                             grown(here_.c[j], p_.nu[j], -s / p_.lambda_2[j]));
                if (-s * room > worth) new_.push_back({s * room, {i, j, 0}});
            }
        std::stable_sort(new_.begin(), new_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_t k = 0; k < new_.size() && k < entering_at_once; ++k) free_.push_back(new_[k].second);
    }

    static double grown(double sum, double mass, double rate) {
        return std::min(sum * std::exp(std::min(rate, 50.0)), std::max(sum, mass));
    }

    // What a Newton step promises; what has nothing and would lose stays out.
    double direct() {
        while (!free_.empty()) {
            curve();
            while (!factor()) {
                ridge_ = std::max(100 * ridge_, firm_ridge);
                if (ridge_ > most_ridge) return 0;
            }
            solve();
            const size_t before = free_.size();
            std::vector<Cell> left;
            for (size_t a = 0; a < before; ++a)
                if (free_[a].mass > 0 || d_[a] > 0) left.push_back(free_[a]);
            if (left.size() == before) return promised();
            free_ = left;
        }
        return 0;
    }

    double promised() const {
        double sum = 0;
        for (size_t a = 0; a < free_.size(); ++a) sum -= slope(free_[a]) * d_[a];
        return sum;
    }

    void curve() {
        const size_t k = free_.size();
        H_.resize(k * k);
        for (size_t a = 0; a < k; ++a)
            for (size_t b = a; b < k; ++b) {
                const Cell &x = free_[a], &y = free_[b];
                double sum = 2 * p_.theta * gap(p_, x, y);
                if (x.i == y.i) sum += p_.lambda_1[x.i] / here_.r[x.i];
                if (x.j == y.j) sum += p_.lambda_2[x.j] / here_.c[x.j];
                H_[a * k + b] = sum;
            }
    }

    // Cholesky's factor U of H = U' U with its diagonal raised; false where that is not definite. Row
    // by row, so that the inner loops run along rows.
    bool factor() {
        const size_t k = free_.size();
        U_ = H_;
        for (size_t a = 0; a < k; ++a) {
            double* row = &U_[a * k];
            for (size_t t = 0; t < a; ++t) {
                const double *above = &U_[t * k], share = above[a];
                for (size_t b = a; b < k; ++b) row[b] -= share * above[b];
            }
            const double own = row[a] + ridge_ * H_[a * k + a];
            if (!(own > definite * H_[a * k + a])) return false;
            row[a] = std::sqrt(own);
            for (size_t b = a + 1; b < k; ++b) row[b] /= row[a];
        }
        return true;
    }

    void solve() {
        const size_t k = free_.size();
        d_.resize(k);
        for (size_t a = 0; a < k; ++a) d_[a] = -slope(free_[a]);
        for (size_t a = 0; a < k; ++a) {
            const double* row = &U_[a * k];
            d_[a] /= row[a];
            for (size_t b = a + 1; b < k; ++b) d_[b] -= row[b] * d_[a];
        }
        for (size_t a = k; a-- > 0;) {
            const double* row = &U_[a * k];
            for (size_t t = a + 1; t < k; ++t) d_[a] -= row[t] * d_[t];
            d_[a] /= row[a];
        }
    }

    bool take_step() {
        while (!search()) {
            ridge_ = std::max(100 * ridge_, firm_ridge);
            while (ridge_ <= most_ridge && !factor()) ridge_ *= 100;
            if (ridge_ > most_ridge) return false;
            solve();
            for (size_t a = 0; a < free_.size(); ++a)
                if (free_[a].mass <= 0) d_[a] = std::max(d_[a], 0.0);
            promise_ = promised();
        }
        return true;
    }

    // The whole way, cut at 0; else up to where the first cell is empty, or a part of that.
    bool search() {
        if (take(1.0, 0.0)) {
            ridge_ = std::max(ridge_ / 10, least_ridge);
            return true;
        }
        double length = 1.0;
        for (size_t a = 0; a < free_.size(); ++a)
            if (d_[a] < 0 && free_[a].mass > 0) length = std::min(length, -free_[a].mass / d_[a]);
        for (int count = 0; count < halvings; ++count, length /= 2)
            if (take(length, 1e-12)) return true;
        return false;
    }

    bool take(double length, double empty) {
        there_.T = here_.T;
        for (size_t a = 0; a < free_.size(); ++a) {
            const double mass = free_[a].mass + length * d_[a];
            there_.T[free_[a].i * m_ + free_[a].j] = mass > empty * free_[a].mass ? mass : 0.0;
        }
        there_.look(p_);
        for (int i = 0; i < n_; ++i)
            if (!(there_.r[i] > keeps * here_.r[i])) return false;
        for (int j = 0; j < m_; ++j)
            if (!(there_.c[j] > keeps * here_.c[j])) return false;
        const double value = terms_at(p_, there_).loss();
        if (!(value <= value_ - armijo * length * promise_ + 1e-15)) return false;
        std::swap(here_, there_);
        value_ = value;
        return true;
    }
};

}  // namespace

bool polish(const Problem& p, int most_steps, double* T, Terms& terms) {
    Polisher polisher(p, T);
    const size_t most = std::max<size_t>(150, 3 * (static_cast<size_t>(p.n) + p.m));
    if (polisher.here().cells.size() > most) return false;
    const bool ended = polisher.run(most_steps);
    const Terms found = terms_at(p, polisher.here());
    if (!(found.loss() <= terms.loss() + 1e-15)) return false;
    std::copy(polisher.here().T.begin(), polisher.here().T.end(), T);
    terms = found;
    return ended;
}

double lower_bound(const Problem& p, const double* T) {
    const Point point(p, {T, T + static_cast<size_t>(p.n) * p.m});
    if (*std::min_element(point.c.begin(), point.c.end()) <= 0 || *std::min_element(point.r.begin(), point.r.end()) <= 0) return 0;
    double value = 0;
    for (int j = 0; j < p.m; ++j) value += p.lambda_2[j] * (p.nu[j] - point.c[j]);
    for (int i = 0; i < p.n; ++i) {
        double f = -p.lambda_1[i] * std::log(point.r[i] / p.mu[i]);
        for (int j = 0; j < p.m; ++j)
            f = std::min(f, (1 - p.theta) * p.C[i * p.m + j] + p.lambda_2[j] * std::log(point.c[j] / p.nu[j]));
        value -= p.lambda_1[i] * p.mu[i] * std::expm1(-f / p.lambda_1[i]);
    }
    return value;
}

}  // namespace otap
