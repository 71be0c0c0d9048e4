#include "polish.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace otap {

namespace {

constexpr double slight = 1e-7, still = 1e-13, least_ridge = 1e-12, most_ridge = 1e6, keeps = 0.05;
constexpr int halvings = 40;

double kl(double a, double b) { return a > 0 ? std::max(a * std::log(a / b) - a + b, 0.0) : b; }

struct Cell {
    int i, j;
};

class Polisher {
  public:
    Polisher(const Problem& p, double* T) : p_(p), n_(p.n), m_(p.m), T_(T, T + size_t(n_) * m_), slope_(T_.size()), r_(n_), c_(m_) {
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                double& mass = T_[i * m_ + j];
                if (!(mass >= slight * std::min(p.mu[i], p.nu[j]))) mass = 0;
            }
        feed();
        value_ = value(T_);
    }

    // Whether it ended where no step is promising.
    bool run(int max_steps, double* out) {
        bool going = true;
        for (int count = 0; going && count < max_steps; ++count) {
            derive();
            going = step();
        }
        std::copy(T_.begin(), T_.end(), out);
        return !going;
    }

    size_t support() const { return T_.size() - static_cast<size_t>(std::count(T_.begin(), T_.end(), 0.0)); }

    static void sums(const Problem& p, const std::vector<double>& T, std::vector<double>& r, std::vector<double>& c) {
        std::fill(r.begin(), r.end(), 0.0);
        std::fill(c.begin(), c.end(), 0.0);
        for (int i = 0; i < p.n; ++i)
            for (int j = 0; j < p.m; ++j) {
                r[i] += T[i * p.m + j];
                c[j] += T[i * p.m + j];
            }
    }

  private:
    const Problem& p_;
    int n_, m_;
    std::vector<double> T_, slope_, r_, c_;
    double value_ = 0, ridge_ = 1e-9;
    std::vector<Cell> free_;
    std::vector<double> H_, L_, d_, X_, x_r_ = std::vector<double>(), x_c_;
    std::vector<Cell> some_;
    std::vector<double> masses_;

    // A step that has nothing gets a little: the slope of the penalty is infinite there.
    void feed() {
        sums(p_, T_, r_, c_);
        std::vector<double> cost(T_.size());
        bool hungry = false;
        for (double x : r_) hungry |= x <= 0;
        for (double x : c_) hungry |= x <= 0;
        if (!hungry) return;
        collect();
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) cost[i * m_ + j] = (1 - p_.theta) * p_.C[i * m_ + j] + 2 * p_.theta * mismatch({i, j});
        for (int i = 0; i < n_; ++i)
            if (r_[i] <= 0) {
                const int j = static_cast<int>(std::min_element(cost.begin() + i * m_, cost.begin() + (i + 1) * m_) - cost.begin()) - i * m_;
                T_[i * m_ + j] = 0.1 * std::min(p_.mu[i], p_.nu[j]);
            }
        for (int j = 0; j < m_; ++j)
            if (c_[j] <= 0) {
                int i = 0;
                for (int k = 1; k < n_; ++k) if (cost[k * m_ + j] < cost[i * m_ + j]) i = k;
                T_[i * m_ + j] = 0.1 * std::min(p_.mu[i], p_.nu[j]);
            }
        sums(p_, T_, r_, c_);
    }

    double gap(const Cell& a, const Cell& b) const {
        const double g = p_.D_p[a.i * n_ + b.i] - p_.D_r[a.j * m_ + b.j];
        return g * g;
    }

    double value(const std::vector<double>& T) {
        x_r_.assign(n_, 0.0);
        x_c_.assign(m_, 0.0);
        some_.clear();
        masses_.clear();
        double sum = 0;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                const double mass = T[i * m_ + j];
                if (mass <= 0) continue;
                x_r_[i] += mass;
                x_c_[j] += mass;
                sum += (1 - p_.theta) * p_.C[i * m_ + j] * mass;
                some_.push_back({i, j});
                masses_.push_back(mass);
            }
        double Q = 0;
        for (size_t a = 0; a < some_.size(); ++a) {
            double row = 0;
            for (size_t b = 0; b < a; ++b) row += gap(some_[a], some_[b]) * masses_[b];
            Q += 2 * masses_[a] * row;
        }
        sum += p_.theta * Q;
        for (int i = 0; i < n_; ++i) sum += p_.lambda_1[i] * kl(x_r_[i], p_.mu[i]);
        for (int j = 0; j < m_; ++j) sum += p_.lambda_2[j] * kl(x_c_[j], p_.nu[j]);
        return sum;
    }

    void collect() {
        some_.clear();
        masses_.clear();
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j)
                if (T_[i * m_ + j] > 0) some_.push_back({i, j}), masses_.push_back(T_[i * m_ + j]);
    }

    double mismatch(const Cell& cell) const {
        double sum = 0;
        for (size_t b = 0; b < some_.size(); ++b) sum += gap(cell, some_[b]) * masses_[b];
        return sum;
    }

    void derive() {
        sums(p_, T_, r_, c_);
        collect();
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j) {
                const double sum = mismatch({i, j});
                slope_[i * m_ + j] = (1 - p_.theta) * p_.C[i * m_ + j] + 2 * p_.theta * sum +
                                     p_.lambda_1[i] * std::log(r_[i] / p_.mu[i]) + p_.lambda_2[j] * std::log(c_[j] / p_.nu[j]);
            }
    }

    double curvature(const Cell& a, const Cell& b) const {
        return 2 * p_.theta * gap(a, b) + (a.i == b.i ? p_.lambda_1[a.i] / r_[a.i] : 0.0) + (a.j == b.j ? p_.lambda_2[a.j] / c_[a.j] : 0.0);
    }

    // Cholesky of H with its diagonal raised; false where it is not definite.
    bool factor() {
        const size_t k = free_.size();
        L_ = H_; 
        for (size_t a = 0; a < k; ++a) {
            for (size_t b = 0; b <= a; ++b) {
                double sum = L_[a * k + b];
                for (size_t t = 0; t < b; ++t) sum -= L_[a * k + t] * L_[b * k + t];
                if (a == b) {
                    sum += ridge_ * H_[a * k + a];
                    if (!(sum > 1e-14 * H_[a * k + a])) return false;
                    L_[a * k + a] = std::sqrt(sum);
                } else {
                    L_[a * k + b] = sum / L_[b * k + b];
                }
            }
        }
        return true;
    }

    void solve() {
        const size_t k = free_.size();
        d_.resize(k);
        for (size_t a = 0; a < k; ++a) {
            double sum = -slope_[free_[a].i * m_ + free_[a].j];
            for (size_t t = 0; t < a; ++t) sum -= L_[a * k + t] * d_[t];
            d_[a] = sum / L_[a * k + a];
        }
        for (size_t a = k; a-- > 0;) {
            double sum = d_[a];
            for (size_t t = a + 1; t < k; ++t) sum -= L_[t * k + a] * d_[t];
            d_[a] = sum / L_[a * k + a];
        }
    }

    void choose(bool entering) {
        free_.clear();
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j)
                if (T_[i * m_ + j] > 0) free_.push_back({i, j});
        if (!entering) return;
        std::vector<std::pair<double, Cell>> new_;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < m_; ++j)
                if (T_[i * m_ + j] <= 0 && slope_[i * m_ + j] < -1e-12)
                    new_.push_back({slope_[i * m_ + j] * std::min(p_.mu[i], p_.nu[j]), {i, j}});
        std::stable_sort(new_.begin(), new_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        const size_t most = std::min<size_t>(new_.size(), 4);
        for (size_t k = 0; k < most; ++k) free_.push_back(new_[k].second);
    }

    void curve() {
        const size_t k = free_.size();
        H_.resize(k * k);
        for (size_t a = 0; a < k; ++a)
            for (size_t b = 0; b <= a; ++b) H_[a * k + b] = curvature(free_[a], free_[b]);
    }

    double at(const Cell& cell) const { return T_[cell.i * m_ + cell.j]; }
    double slope(const Cell& cell) const { return slope_[cell.i * m_ + cell.j]; }

    // What a Newton step promises; 0 where none can be found.
    double direct() {
        for (;;) {
            curve();
            while (!factor()) {
                ridge_ = std::max(10 * ridge_, least_ridge);
                if (ridge_ > most_ridge) return 0;
            }
            solve();
            // What has nothing and would lose stays out.
            bool out = false;
            std::vector<Cell> left;
            for (size_t a = 0; a < free_.size(); ++a)
                if (at(free_[a]) > 0 || d_[a] > 0) left.push_back(free_[a]); else out = true;
            if (!out) break;
            free_ = left;
            if (free_.empty()) return 0;
        }
        double promise = 0;
        for (size_t a = 0; a < free_.size(); ++a) promise -= slope(free_[a]) * d_[a];
        return promise;
    }

    bool step() {
        choose(false);
        double promise = direct();
        if (promise < still) {
            choose(true);
            promise = direct();
            if (promise < still) return false;
        }
        while (!search(promise)) {
            ridge_ = std::max(100 * ridge_, 1e-8);
            if (ridge_ > most_ridge) return false;
            while (!factor()) ridge_ *= 10;
            solve();
            promise = 0;
            for (size_t a = 0; a < free_.size(); ++a) {
                if (at(free_[a]) <= 0 && d_[a] < 0) d_[a] = 0;
                promise -= slope(free_[a]) * d_[a];
            }
        }
        return true;
    }

    bool take(double length, double promise, bool project) {
        X_ = T_;
        for (size_t a = 0; a < free_.size(); ++a) {
            double& x = X_[free_[a].i * m_ + free_[a].j];
            x += length * d_[a];
            if (x < (project ? 0.0 : 1e-12 * at(free_[a]))) x = 0;
        }
        const double there = value(X_);
        for (int i = 0; i < n_; ++i)
            if (!(x_r_[i] > keeps * r_[i])) return false;
        for (int j = 0; j < m_; ++j)
            if (!(x_c_[j] > keeps * c_[j])) return false;
        const double wanted = std::min(1e-4 * length * promise, 1e300);
        if (!(there <= value_ - wanted + 1e-15)) return false;
        if (length == 1.0) ridge_ = std::max(ridge_ / 10, least_ridge);
        std::swap(T_, X_);
        value_ = there;
        return true;
    }

    bool search(double promise) {
        double first = 1.0;
        for (size_t a = 0; a < free_.size(); ++a)
            if (d_[a] < 0 && at(free_[a]) > 0) first = std::min(first, -at(free_[a]) / d_[a]);
        if (take(1.0, promise, true)) return true;
        double length = first;
        for (int count = 0; count < halvings; ++count, length /= 2)
            if (take(length, promise, false)) return true;
        return false;
    }
};

}  // namespace

Terms terms_at(const Problem& p, const double* T) {
    Terms terms{};
    std::vector<double> rows(p.n), columns(p.m);
    std::vector<Cell> some;
    for (int i = 0; i < p.n; ++i)
        for (int j = 0; j < p.m; ++j) {
            const double mass = T[i * p.m + j];
            if (mass <= 0) continue;
            some.push_back({i, j});
            rows[i] += mass;
            columns[j] += mass;
            terms.node += (1 - p.theta) * p.C[i * p.m + j] * mass;
        }
    for (const Cell& a : some)
        for (const Cell& b : some) {
            const double gap = p.D_p[a.i * p.n + b.i] - p.D_r[a.j * p.m + b.j];
            terms.structure += p.theta * gap * gap * T[a.i * p.m + a.j] * T[b.i * p.m + b.j];
        }
    for (int i = 0; i < p.n; ++i) terms.agent_mass += p.lambda_1[i] * kl(rows[i], p.mu[i]);
    for (int j = 0; j < p.m; ++j) terms.reference_mass += p.lambda_2[j] * kl(columns[j], p.nu[j]);
    return terms;
}

bool polish(const Problem& p, double* T, Terms& terms) {
    const size_t cells = static_cast<size_t>(p.n) * p.m;
    Polisher polisher(p, T);
    if (polisher.support() > std::max<size_t>(150, 3 * (p.n + p.m))) return false;
    std::vector<double> X(cells);
    const bool still_ = polisher.run(200, X.data());
    const Terms found = terms_at(p, X.data());
    if (!(found.loss() <= terms.loss() + 1e-15)) return false;
    std::copy(X.begin(), X.end(), T);
    terms = found;
    return still_;
}

double lower_bound(const Problem& p, const double* T) {
    std::vector<double> r(p.n), c(p.m);
    for (int i = 0; i < p.n; ++i)
        for (int j = 0; j < p.m; ++j) {
            r[i] += T[i * p.m + j];
            c[j] += T[i * p.m + j];
        }
    double value = 0;
    for (int j = 0; j < p.m; ++j) {
        if (!(c[j] > 0)) return 0;
        value += p.lambda_2[j] * (p.nu[j] - c[j]);
    }
    for (int i = 0; i < p.n; ++i) {
        double f = -p.lambda_1[i] * std::log(r[i] / p.mu[i]);
        for (int j = 0; j < p.m; ++j)
            f = std::min(f, (1 - p.theta) * p.C[i * p.m + j] + p.lambda_2[j] * std::log(c[j] / p.nu[j]));
        value -= p.lambda_1[i] * p.mu[i] * std::expm1(-f / p.lambda_1[i]);
    }
    return value;
}

}  // namespace otap
