// The inner problem of a long trace: truncated Newton on the dual of its columns, the rows' dual being
// solved exactly for it at every point, which is one Sinkhorn step and one pass over K. The Newton system
// is solved by conjugate gradients, one pass a step, behind the diagonal of its matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace otap {

using Vector = std::vector<double>;

struct InnerProblem {
    int n, m;
    const double *mu, *nu, *lambda_1, *lambda_2;
    double epsilon;
    double tolerance;  // of the marginals, relative to mu and nu
    double furthest;   // where log u or log v is beyond this, K is to be made anew
};

enum class Inner { converged = 0, far = 1, failed = 2 };

// What a point is judged by. log_v are the columns' scalings, log_u those of the rows that fit them.
struct InnerPoint {
    Vector log_u, log_v, r, bend, c, squares;
    double value = 0, miss = 0;
};

// Matrix: n, m; sweep(v, rows, c, squares), and apply(x, weight, out), as the kernels of long.hpp but
// over all rows, with sums in double.
template <class Matrix> class InnerNewton {
  public:
    InnerNewton(Matrix& K, const InnerProblem& problem, const double* f, const double* g)
        : K_(K), p_(problem), f_(f, f + problem.n), g_(g, g + problem.m), target_(problem.n), power_(problem.n), v_(problem.m), x_(problem.m) {
        for (int i = 0; i < p_.n; ++i) {
            target_[i] = std::log(p_.mu[i]) - f_[i] / p_.lambda_1[i];
            power_[i] = p_.lambda_1[i] / (p_.lambda_1[i] + p_.epsilon);
        }
        at_.log_v.assign(p_.m, 0.0);
    }

    const InnerPoint& point() const { return at_; }
    int passes() const { return passes_; }

    Inner solve() {
        evaluate(at_);
        for (int step = 0; step < steps; ++step) {
            if (!std::isfinite(at_.value) || !std::isfinite(at_.miss)) return Inner::failed;
            if (is_far()) return Inner::far;
            if (step > 0 && at_.miss < p_.tolerance) return Inner::converged;
            if (at_.miss < already_solved) return Inner::converged;
            if (at_.miss > rough || !newton()) sinkhorn();
        }
        return at_.miss < p_.tolerance ? Inner::converged : Inner::failed;
    }

  private:
    static constexpr int steps = 200, conjugate_steps = 60, halvings = 6;
    static constexpr double rough = 4.0, already_solved = 1e-7, noise = 1e-7;

    void evaluate(InnerPoint& at) {
        at.log_u.resize(p_.n);
        at.r.resize(p_.n);
        at.bend.resize(p_.n);
        for (int j = 0; j < p_.m; ++j) v_[j] = static_cast<float>(std::exp(at.log_v[j]));
        const Rows rows{target_.data(), power_.data(), 1.0 / p_.epsilon, at.log_u.data(), at.r.data(), at.bend.data()};
        K_.sweep(v_.data(), rows, at.c, at.squares);
        ++passes_;
        double value = 0, mass = 0, miss = 0;
        for (int i = 0; i < p_.n; ++i) {
            value -= p_.lambda_1[i] * p_.mu[i] * std::expm1(-(f_[i] + p_.epsilon * at.log_u[i]) / p_.lambda_1[i]);
            mass += at.r[i];
        }
        for (int j = 0; j < p_.m; ++j) {
            at.c[j] *= v_[j];
            at.squares[j] *= static_cast<double>(v_[j]) * v_[j];
            const double drop = p_.nu[j] * std::expm1(-dual(at, j) / p_.lambda_2[j]);
            value -= p_.lambda_2[j] * drop;
            const double off = std::abs(p_.nu[j] + drop - at.c[j]) / p_.nu[j];
            if (!(off <= miss)) miss = off;
        }
        at.value = value - p_.epsilon * mass;
        at.miss = miss;
    }

    double dual(const InnerPoint& at, int j) const { return g_[j] + p_.epsilon * at.log_v[j]; }

    bool is_far() const {
        double most = 0, rows = 0;
        for (double x : at_.log_v) most = std::max(most, std::abs(x));
        for (double x : at_.log_u) rows = std::max(rows, std::abs(x));
        return most + rows > p_.furthest;
    }

    // The column step: cannot lower the dual.
    void sinkhorn() {
        for (int j = 0; j < p_.m; ++j) {
            if (!(at_.c[j] > 0)) continue;  // nothing of this column is there to be scaled
            const double wanted = std::log(p_.nu[j]) - dual(at_, j) / p_.lambda_2[j];
            at_.log_v[j] += (wanted - std::log(at_.c[j])) * p_.lambda_2[j] / (p_.lambda_2[j] + p_.epsilon);
        }
        evaluate(at_);
    }

    bool newton() {
        Vector step = direction();
        double longest = 0;
        for (double x : step) longest = std::max(longest, std::abs(x));
        if (!std::isfinite(longest)) return false;
        // Far from the solution an exponential tells a step of some epsilon, not more.
        const double cap = std::min(1.0, std::max(100.0 * p_.epsilon, 1e-2));
        double length = std::min(1.0, cap / (longest + 1e-300));
        for (int attempt = 0; attempt < halvings; ++attempt, length /= 2) {
            trial_.log_v = at_.log_v;
            for (int j = 0; j < p_.m; ++j) trial_.log_v[j] += length * step[j] / p_.epsilon;
            evaluate(trial_);
            if (trial_.value >= at_.value - noise * (1.0 + std::abs(at_.value)) && trial_.miss < 2.0 * at_.miss + noise) {
                std::swap(at_, trial_);
                return true;
            }
        }
        return false;
    }

    // H x = e, H = diag(c / epsilon + w / lambda_2) - S' diag(bend) S, with w = nu exp(-g / lambda_2).
    Vector direction() {
        const int m = p_.m;
        Vector diagonal(m), scale(m), x(m, 0.0), residual(m), z(m), d(m), Hd(m);
        double rz = 0;
        for (int j = 0; j < m; ++j) {
            const double wanted = p_.nu[j] * std::exp(-dual(at_, j) / p_.lambda_2[j]);
            diagonal[j] = at_.c[j] / p_.epsilon + wanted / p_.lambda_2[j];
            // What rounding leaves of the difference is at least what the penalty adds.
            scale[j] = std::max(diagonal[j] - at_.squares[j], wanted / p_.lambda_2[j]);
            residual[j] = wanted - at_.c[j];
            d[j] = z[j] = residual[j] / scale[j];
            rz += residual[j] * z[j];
        }
        const double enough = forcing * forcing * rz;
        weights_.resize(p_.n);
        for (int i = 0; i < p_.n; ++i) weights_[i] = at_.bend[i] * std::exp(2.0 * at_.log_u[i]);
        for (int j = 0; j < m; ++j) v_[j] = static_cast<float>(std::exp(at_.log_v[j]));
        for (int k = 0; k < conjugate_steps && rz > enough; ++k) {
            for (int j = 0; j < m; ++j) x_[j] = static_cast<float>(v_[j] * d[j]);
            K_.apply(x_.data(), weights_.data(), Hd);
            ++passes_;
            double curvature = 0;
            for (int j = 0; j < m; ++j) {
                Hd[j] = diagonal[j] * d[j] - v_[j] * Hd[j];
                curvature += d[j] * Hd[j];
            }
            if (!(curvature > 0)) break;
            const double length = rz / curvature;
            double next = 0;
            for (int j = 0; j < m; ++j) {
                x[j] += length * d[j];
                residual[j] -= length * Hd[j];
                z[j] = residual[j] / scale[j];
                next += residual[j] * z[j];
            }
            const double ratio = next / rz;
            for (int j = 0; j < m; ++j) d[j] = z[j] + ratio * d[j];
            rz = next;
        }
        return x;
    }

    static constexpr double forcing = 0.1;

    Matrix& K_;
    InnerProblem p_;
    Vector f_, g_, target_, power_, weights_;
    std::vector<float> v_, x_;
    InnerPoint at_, trial_;
    int passes_ = 0;
};

}  // namespace otap
