#include "exchange.hpp"

#include <algorithm>
#include <cmath>

#include "assignment.hpp"

namespace otap {

namespace {

constexpr double worth = 1e-12;
constexpr int most_rounds = 50;

// Pairs of steps, each with the mass that both sides would agree on; the shorter side is padded with
// steps that stand for no partner. These have no mass, so no two pairs with one of them cost anything.
class Pairs {
  public:
    explicit Pairs(const Problem& p)
        : p_(p), n_(p.n), m_(p.m), size_(std::max(p.n, p.m)), single_(size_ * size_), mass_(size_ * size_), with_all_(size_ * size_),
          D_p_(size_ * size_), D_r_(size_ * size_) {
        for (int i = 0; i < size_; ++i)
            for (int j = 0; j < size_; ++j) weigh(i, j);
        for (int i = 0; i < n_; ++i) std::copy(p.D_p + i * n_, p.D_p + (i + 1) * n_, D_p_.begin() + i * size_);
        for (int j = 0; j < m_; ++j) std::copy(p.D_r + j * m_, p.D_r + (j + 1) * m_, D_r_.begin() + j * size_);
    }

    // Exchanges the partners of two steps as long as that costs less.
    std::vector<int> exchanged(const std::vector<int>& given) {
        pad(given);
        std::fill(with_all_.begin(), with_all_.end(), 0.0);
        for (int t = 0; t < size_; ++t) count(t, column_[t], 1);
        bool any = true;
        for (int round = 0; any && round < most_rounds; ++round) {
            any = false;
            for (int i = 0; i < size_; ++i)
                for (int k = 0; k < i; ++k)
                    if (gain(i, k) < -worth) exchange(i, k), any = true;
        }
        return column_;
    }

    void write(const std::vector<int>& column, double* T) const {
        for (int i = 0; i < n_; ++i) {
            const int j = column[i];
            if (j < 0 || j >= m_) continue;
            const double weight = p_.lambda_1[i] + p_.lambda_2[j];
            T[i * m_ + j] = mass_[i * size_ + j] * std::exp(-(1 - p_.theta) * p_.C[i * m_ + j] / weight);
        }
    }

  private:
    const Problem& p_;
    int n_, m_, size_;
    std::vector<double> single_, mass_, with_all_, D_p_, D_r_;
    std::vector<int> column_;

    void weigh(int i, int j) {
        double& cost = single_[i * size_ + j];
        if (i < n_) cost += p_.lambda_1[i] * p_.mu[i];
        if (j < m_) cost += p_.lambda_2[j] * p_.nu[j];
        if (i >= n_ || j >= m_) return;
        const double weight = p_.lambda_1[i] + p_.lambda_2[j];
        const double mass = p_.mu[i] * std::exp(p_.lambda_2[j] * std::log(p_.nu[j] / p_.mu[i]) / weight);
        mass_[i * size_ + j] = mass;
        cost -= weight * mass * std::exp(-(1 - p_.theta) * p_.C[i * m_ + j] / weight);
    }

    void pad(const std::vector<int>& given) {
        column_ = given;
        column_.resize(size_, -1);
        std::vector<char> taken(size_);
        for (const int j : column_)
            if (j >= 0) taken[j] = 1;
        int next = 0;
        for (int& j : column_) {
            if (j >= 0) continue;
            while (taken[next]) ++next;
            j = next++;
        }
    }

    double pair(int i, int a, int k, int b) const {
        const double gap = D_p_[i * size_ + k] - D_r_[a * size_ + b];
        return 2 * p_.theta * gap * gap * mass_[i * size_ + a] * mass_[k * size_ + b];
    }

    // Adds what each row costs in each column along with the row t in column c, or takes it away. Both
    // structures are antisymmetric: their rows t and c are their columns with the other sign.
    void count(int t, int c, double sign) {
        const double weight = sign * 2 * p_.theta * mass_[t * size_ + c];
        if (weight == 0) return;
        const double *D_p = D_p_.data() + t * size_, *D_r = D_r_.data() + c * size_;
        for (int i = 0; i < n_; ++i) {
            const double* __restrict mass = mass_.data() + i * size_;
            double* __restrict sum = with_all_.data() + i * size_;
            for (int a = 0; a < m_; ++a) {
                const double gap = D_p[i] - D_r[a];
                sum[a] += weight * gap * gap * mass[a];
            }
        }
    }

    void exchange(int i, int k) {
        const int a = column_[i], b = column_[k];
        count(i, a, -1), count(k, b, -1);
        count(i, b, 1), count(k, a, 1);
        std::swap(column_[i], column_[k]);
    }

    double with_others(int i, int a, int k) const {
        return with_all_[i * size_ + a] - pair(i, a, i, column_[i]) - pair(i, a, k, column_[k]);
    }

    // What is saved, less than 0, where two rows exchange their columns.
    double gain(int i, int k) const {
        const int a = column_[i], b = column_[k];
        const double single = single_[i * size_ + b] + single_[k * size_ + a] - single_[i * size_ + a] - single_[k * size_ + b];
        const double between = pair(i, b, k, a) - pair(i, a, k, b);
        return single + between + with_others(i, b, k) + with_others(k, a, i) - with_others(i, a, k) - with_others(k, b, i);
    }
};

}  // namespace

std::vector<double> matchings(const Problem& p, const Shuffles& shuffles, bool informed) {
    Pairs pairs(p);
    const Ordered ordered(p);
    const size_t cells = static_cast<size_t>(p.n) * p.m;
    std::vector<double> starts((shuffles.count + (informed ? telling_starts : 0)) * cells);
    double* next = starts.data();
    const auto add = [&](const std::vector<int>& column) {
        pairs.write(column, next);
        next += cells;
    };
    if (informed) {
        add(assignment(p.C, p.n, p.m));
        add(by_position(p));
    }
    for (int k = 0; k < shuffles.count; ++k) {
        const std::vector<int> column = ordered.column(shuffles, k);
        add(informed || k % 2 ? pairs.exchanged(column) : column);
    }
    return starts;
}

}  // namespace otap
