// Conditional gradient along falling entropy weights, with damped Newton on the dual of each inner
// problem: otap/transport/plain.py is the same method in NumPy, and says why.
//
// A descent works on as many problems of one shape as V has lanes. A lane that is done stands still
// while others go on, so that it ends with the same bits whoever its neighbours are.
#pragma once

#include "algebra.hpp"
#include "arena.hpp"
#include "parameters.hpp"
#include "short.hpp"

namespace otap::OTAP_ISA {

constexpr int evaluations = 60, halvings = 30, bisections = 50;
constexpr double floor_ = 1e-200;

// Columns is the number of steps of the shorter side where it is known to the compiler, else 0.
template <class V, int Columns> struct Descents {
    using Mask = typename Of<V>::Mask;
    static constexpr int lanes = Of<V>::lanes;

    // The longer side gives the rows: Newton solves systems of the size of the shorter one.
    int n, columns;
    bool turned;  // the agent's side is the shorter one
    bool structured;
    V *C, *D_p, *D_r, *mu, *nu, *lambda_1, *lambda_2, theta;
    V *per_mu, *per_nu, *per_lambda_1, *per_lambda_2;  // reciprocals: a quotient costs as much as ten products
    V *T, *G, *S, *turn, *M, *spare, *U, *f, *g, *r, *c, *wanted_r, *wanted_c, *df, *dg, *w;
    V *log_mu, *log_nu, *tops, *sums;
    double epsilon;
    V change, value, entropy;
    V loss;  // of T without entropy; negative where it has not been computed

    int m() const { return Columns ? Columns : columns; }

    Descents(int rows, int cols, bool turned_, Arena arena) : n(rows), columns(cols), turned(turned_) {
        const size_t cells = size_t(n) * m(), square = size_t(m()) * m();
        for (V** matrix : {&C, &T, &G, &S, &turn, &M, &spare}) *matrix = arena.take<V>(cells);
        D_p = arena.take<V>(size_t(n) * n);
        D_r = arena.take<V>(square);
        U = arena.take<V>(square);
        for (V** side : {&mu, &lambda_1, &per_mu, &per_lambda_1, &log_mu, &f, &r, &wanted_r, &df, &w}) *side = arena.take<V>(n);
        for (V** side : {&nu, &lambda_2, &per_nu, &per_lambda_2, &log_nu, &g, &c, &wanted_c, &dg, &tops, &sums}) *side = arena.take<V>(m());
    }

    static size_t memory(int n, int m) {
        const size_t bytes = sizeof(V) * (7 * size_t(n) * m + size_t(n) * n + 2 * size_t(m) * m + 10 * size_t(n) + 11 * size_t(m));
        return bytes + 64 * 40;
    }

    // --- problems in and couplings out ---

    // Lanes beyond count repeat the last problem.
    void load(const Problem* const* problems, const double* const* starts, int count) {
        bool any_structure = false;
        for (int k = 0; k < lanes; ++k) {
            const Problem& p = *problems[k < count ? k : count - 1];
            const double* start = starts[k < count ? k : count - 1];
            load_matrix(C, p.C, k);
            any_structure |= load_square(D_p, turned ? p.D_r : p.D_p, n, k);
            any_structure |= load_square(D_r, turned ? p.D_p : p.D_r, m(), k);
            load_side(mu, turned ? p.nu : p.mu, n, k);
            load_side(nu, turned ? p.mu : p.nu, m(), k);
            load_side(lambda_1, turned ? p.lambda_2 : p.lambda_1, n, k);
            load_side(lambda_2, turned ? p.lambda_1 : p.lambda_2, m(), k);
            put(theta, k, p.theta);
            if (start) load_matrix(T, start, k);
        }
        structured = any_structure && any(theta > 0);
        for (int i = 0; i < n; ++i) {
            log_mu[i] = logarithm(mu[i]);
            per_mu[i] = 1.0 / mu[i];
            per_lambda_1[i] = 1.0 / lambda_1[i];
        }
        for (int j = 0; j < m(); ++j) {
            log_nu[j] = logarithm(nu[j]);
            per_nu[j] = 1.0 / nu[j];
            per_lambda_2[j] = 1.0 / lambda_2[j];
        }
        if (!starts[0])
            product_coupling();
        else
            entropy = entropy_of(T);
    }

    void load_matrix(V* to, const double* from, int k) {
        if (!turned) {
            for (int x = 0; x < n * m(); ++x) put(to[x], k, from[x]);
        } else {
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < m(); ++j) put(to[i * m() + j], k, from[j * n + i]);
        }
    }

    static bool load_square(V* to, const double* from, int size, int k) {
        bool any_structure = false;
        for (int x = 0; x < size * size; ++x) {
            put(to[x], k, from[x]);
            any_structure |= from[x] != 0;
        }
        return any_structure;
    }

    static void load_side(V* to, const double* from, int size, int k) {
        for (int x = 0; x < size; ++x) put(to[x], k, from[x]);
    }

    // The logarithms of its cells are sums of those of its sides, and so is its entropy.
    void product_coupling() {
        const V agent = total(mu, n), reference = total(nu, m()), mass = agent * reference;
        V root = broadcast<V>(0.0);
        for (int k = 0; k < lanes; ++k) put(root, k, __builtin_sqrt(lane(mass, k)));
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m(); ++j) T[i * m() + j] = mu[i] * nu[j] / root;
        const V logs = reference * dot(mu, log_mu, n) + agent * dot(nu, log_nu, m());
        entropy = logs / root - root * (logarithm(root) + 1.0);
    }

    void store(double* to, int k) const {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m(); ++j) {
                const double mass = lane(T[i * m() + j], k);
                to[turned ? j * n + i : i * m() + j] = mass > 1e-300 ? mass : 0.0;  // see exponential
            }
    }

    // --- the structure term ---

    // The gradient of Q at X, with its factor 2: see objective.py.
    void structure_gradient(const V* X, V* gradient) {
        if (!structured) {
            for (int x = 0; x < n * m(); ++x) gradient[x] = V{};
            return;
        }
        marginals(X);
        for (int i = 0; i < n; ++i) df[i] = squares(D_p + i * n, r, n);
        for (int j = 0; j < m(); ++j) dg[j] = squares(D_r + j * m(), c, m());
        product<Columns>(spare, D_p, X, n, n, m());
        product<Columns>(gradient, spare, D_r, n, m(), m());
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m(); ++j)
                gradient[i * m() + j] = 2.0 * (df[i] + dg[j] + 2.0 * gradient[i * m() + j]);
    }

    void marginals(const V* X) {
        for (int j = 0; j < m(); ++j) c[j] = V{};
        for (int i = 0; i < n; ++i) {
            r[i] = total(X + i * m(), m());
            for (int j = 0; j < m(); ++j) c[j] += X[i * m() + j];
        }
    }

    // --- the inner problem ---

    // M / epsilon, of which all exponents are made.
    void linear_cost() {
        const V node = (1.0 - theta) / epsilon, structure = theta / epsilon;
        for (int x = 0; x < n * m(); ++x) M[x] = node * C[x] + structure * G[x];
    }

    // One exact step in either dual, in the logarithmic domain; first in the agent's.
    void sweep(Mask where) {
        if (turned) {
            column_step(where);
            row_step(where);
        } else {
            row_step(where);
            column_step(where);
        }
    }

    void row_step(Mask where) {
        const double per_epsilon = 1.0 / epsilon;
        for (int i = 0; i < n; ++i) {
            V* __restrict exponent = spare;
            for (int j = 0; j < m(); ++j) exponent[j] = g[j] * per_epsilon - M[i * m() + j];
            V top = exponent[0];
            for (int j = 1; j < m(); ++j) top = larger(top, exponent[j]);
            for (int j = 0; j < m(); ++j) exponent[j] = exponential(exponent[j] - top);
            const V log_sum = top + logarithm(total(exponent, m()));
            f[i] = where ? (log_mu[i] - log_sum) * (epsilon * lambda_1[i] / (epsilon + lambda_1[i])) : f[i];
        }
    }

    void column_step(Mask where) {
        const double per_epsilon = 1.0 / epsilon;
        for (int j = 0; j < m(); ++j) tops[j] = f[0] * per_epsilon - M[j], sums[j] = V{};
        for (int i = 1; i < n; ++i) {
            const V own = f[i] * per_epsilon;
            for (int j = 0; j < m(); ++j) tops[j] = larger(tops[j], own - M[i * m() + j]);
        }
        for (int i = 0; i < n; ++i) {
            const V own = f[i] * per_epsilon;
            for (int j = 0; j < m(); ++j) sums[j] += exponential((own - M[i * m() + j]) - tops[j]);
        }
        for (int j = 0; j < m(); ++j) {
            const V log_sum = tops[j] + logarithm(sums[j]);
            g[j] = where ? (log_nu[j] - log_sum) * (epsilon * lambda_2[j] / (epsilon + lambda_2[j])) : g[j];
        }
    }

    // S, its sums, the sums that the duals ask for, and the value of the dual without its constant.
    void evaluate() {
        const double per_epsilon = 1.0 / epsilon;
        V drop{}, mass{};
        for (int j = 0; j < m(); ++j) {
            const V lost = nu[j] * exponential_minus_1(-g[j] * per_lambda_2[j]);
            wanted_c[j] = nu[j] + lost;
            drop += lambda_2[j] * lost;
            tops[j] = g[j] * per_epsilon;
            c[j] = V{};
        }
        for (int i = 0; i < n; ++i) {
            const V lost = mu[i] * exponential_minus_1(-f[i] * per_lambda_1[i]);
            wanted_r[i] = mu[i] + lost;
            drop += lambda_1[i] * lost;
            const V own = f[i] * per_epsilon;
            V* __restrict row = S + i * m();
            for (int j = 0; j < m(); ++j) row[j] = exponential(own + tops[j] - M[i * m() + j]);
            for (int j = 0; j < m(); ++j) c[j] += row[j];
            r[i] = total(row, m());
            mass += r[i];
        }
        value = -drop - epsilon * mass;
    }

    V miss() const {
        V most{};
        for (int i = 0; i < n; ++i) most = larger(absolute(wanted_r[i] - r[i]) * per_mu[i], most);
        for (int j = 0; j < m(); ++j) most = larger(absolute(wanted_c[j] - c[j]) * per_nu[j], most);
        return most;
    }

    // Damped Newton on the dual from (f, g) in the lanes of `where`; the lanes that were solved.
    Mask newton(Mask where, V tolerance) {
        Mask done = none_of(where);
        V bound = broadcast<V>(already_solved);
        evaluate();
        for (int count = 0; count < evaluations; ++count) {
            // Not a number compares false, and so is never done.
            done |= (miss() < bound) & (absolute(value) < 1e300);
            if (!any(none_of(done))) return where;
            bound = tolerance;
            direction(done);
            if (!ascend(done)) break;
        }
        return done & where;
    }

    // Epsilon scaling from potentials of 0.
    Mask by_epsilon_scaling(Mask failed, V tolerance) {
        const double asked = epsilon;
        Mask solved{};
        for (int i = 0; i < n; ++i) f[i] = failed ? broadcast<V>(0.0) : f[i];
        for (int j = 0; j < m(); ++j) g[j] = failed ? broadcast<V>(0.0) : g[j];
        for (const double factor : factors) {
            epsilon = asked * factor;
            linear_cost();
            sweep(failed);
            solved = newton(failed, tolerance);
            for (int i = 0; i < n; ++i) f[i] = none_of(failed) | (absolute(f[i]) < 1e300) ? f[i] : broadcast<V>(0.0);
            for (int j = 0; j < m(); ++j) g[j] = none_of(failed) | (absolute(g[j]) < 1e300) ? g[j] : broadcast<V>(0.0);
        }
        return solved;
    }

    // The step (df, dg), no longer than the cap, and none in the lanes that are done.
    void direction(Mask done) {
        const double per_epsilon = 1.0 / epsilon;
        for (int i = 0; i < n; ++i) {
            const V P = reciprocal(r[i] * per_epsilon + wanted_r[i] * per_lambda_1[i] + floor_);
            df[i] = P * (wanted_r[i] - r[i]);
            w[i] = P * (per_epsilon * per_epsilon);
        }
        for (int j = 0; j < m(); ++j) dg[j] = wanted_c[j] - c[j];
        for (int i = 0; i < n; ++i) {
            const V own = df[i] * per_epsilon;
            for (int j = 0; j < m(); ++j) dg[j] -= S[i * m() + j] * own;
        }
        negative_gram<Columns>(U, S, w, spare, n, m());
        for (int j = 0; j < m(); ++j)
            U[j * m() + j] += (c[j] * per_epsilon + wanted_c[j] * per_lambda_2[j] + floor_) * (1.0 + 1e-14);
        solve_symmetric(U, dg, tops, m());
        V longest{};
        for (int j = 0; j < m(); ++j) longest = larger(absolute(dg[j]), longest);
        for (int i = 0; i < n; ++i) {
            df[i] -= w[i] * epsilon * dot(S + i * m(), dg, m());
            longest = larger(absolute(df[i]), longest);
        }
        const double room = 100.0 * epsilon > 1e-2 ? 100.0 * epsilon : 1e-2;
        V scale = smaller((room < 1.0 ? room : 1.0) / (longest + floor_), broadcast<V>(1.0));
        scale = done ? broadcast<V>(0.0) : scale;
        for (int i = 0; i < n; ++i) df[i] *= scale;
        for (int j = 0; j < m(); ++j) dg[j] *= scale;
    }

    // Takes the step, halved in each lane until the dual does not fall there. False where nothing but
    // numbers that are not finite is left.
    bool ascend(Mask done) {
        const V lowest = value - 1e-13 * (1.0 + absolute(value));
        for (int i = 0; i < n; ++i) f[i] += df[i];
        for (int j = 0; j < m(); ++j) g[j] += dg[j];
        evaluate();
        for (int count = 0; count < halvings; ++count) {
            const Mask fell = none_of(done) & none_of(value >= lowest);
            if (!any(fell)) return true;
            for (int i = 0; i < n; ++i) {
                const V half = fell ? df[i] * 0.5 : broadcast<V>(0.0);
                f[i] -= half;
                df[i] -= half;
            }
            for (int j = 0; j < m(); ++j) {
                const V half = fell ? dg[j] * 0.5 : broadcast<V>(0.0);
                g[j] -= half;
                dg[j] -= half;
            }
            evaluate();
        }
        return any(none_of(done) & (absolute(value) < 1e300));
    }

    // --- the outer iteration ---

    // sum S (log S - 1) of the coupling at the duals: its logarithms are known.
    V entropy_at_duals() {
        const double per_epsilon = 1.0 / epsilon;
        V sum{};
        for (int j = 0; j < m(); ++j) tops[j] = g[j] * per_epsilon;
        for (int i = 0; i < n; ++i) {
            const V own = f[i] * per_epsilon - 1.0;
            V* __restrict part = spare;
            for (int j = 0; j < m(); ++j) part[j] = S[i * m() + j] * (own + tops[j] - M[i * m() + j]);
            sum += total(part, m());
        }
        return sum;
    }

    V entropy_of(const V* X) {
        V sum{};
        for (int x = 0; x < n * m(); ++x) {
            const V positive = X[x] > 1e-300 ? X[x] : broadcast<V>(1.0);
            sum += X[x] * (logarithm(positive) - 1.0);
        }
        return sum;
    }

    // sum weight (a log(a / b) - a + b), none of its parts negative.
    V divergence(const V* a, const V* b, const V* log_b, const V* weight, int count) {
        V sum{};
        for (int i = 0; i < count; ++i) {
            const V positive = a[i] > 1e-300 ? a[i] : b[i];
            const V part = a[i] * (logarithm(positive) - (a[i] > 1e-300 ? log_b[i] : logarithm(positive))) - a[i] + b[i];
            sum += weight[i] * (part > 0 ? part : broadcast<V>(0.0));
        }
        return sum;
    }

    struct Parts {
        V node, structure, rows, columns;
        V loss() const { return node + structure + rows + columns; }
    };

    // The parts of the objective at X, whose structure gradient is known.
    Parts parts(const V* X, const V* gradient) {
        marginals(X);
        const V node = (1.0 - theta) * dot(C, X, n * m());
        const V structure = 0.5 * theta * dot(gradient, X, n * m());
        return {node, structure > 0 ? structure : broadcast<V>(0.0), divergence(r, mu, log_mu, lambda_1, n),
                divergence(c, nu, log_nu, lambda_2, m())};
    }

    // The derivative of the objective along the move S - T, at a length of the way.
    V slope(V length, Mask where) {
        for (int x = 0; x < n * m(); ++x) spare[x] = T[x] + length * (S[x] - T[x]);
        marginals(spare);
        for (int i = 0; i < n; ++i) df[i] = lambda_1[i] * (logarithm(r[i]) - log_mu[i]);
        for (int j = 0; j < m(); ++j) dg[j] = lambda_2[j] * (logarithm(c[j]) - log_nu[j]);
        V sum{};
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m(); ++j) {
                const int x = i * m() + j;
                const V X = spare[x];
                const V log_X = logarithm(X > 1e-300 ? X : broadcast<V>(1.0));
                const V cost = (1.0 - theta) * C[x] + theta * (G[x] + length * (turn[x] - G[x]));
                sum += (cost + epsilon * log_X + df[i] + dg[j]) * (S[x] - T[x]);
            }
        return where ? sum : broadcast<V>(-1.0);
    }

    // How far to go to S: all the way but where the objective is convex and would rise.
    V line_search(Mask where, V log_sum, V& loss_there) {
        V curvature{};
        for (int i = 0; i < n; ++i) {
            V* __restrict part = spare;
            for (int j = 0; j < m(); ++j) {
                const int x = i * m() + j;
                part[j] = (turn[x] - G[x]) * (S[x] - T[x]);
            }
            curvature += total(part, m());
        }
        Mask convex = where & (curvature > 0);
        V low{}, high = broadcast<V>(1.0);
        if (!any(convex)) return high;
        if (any(convex & (loss < 0))) loss = parts(T, G).loss();
        loss_there = parts(S, turn).loss();
        const V there = loss_there + epsilon * log_sum, here = loss + epsilon * entropy;
        convex &= there > here + 1e-13;
        if (!any(convex)) return high;
        for (int count = 0; count < bisections; ++count) {
            const V middle = (low + high) * 0.5;
            const Mask rising = slope(middle, convex) > 0;
            high = rising ? middle : high;
            low = rising ? low : middle;
        }
        return convex ? low : broadcast<V>(1.0);
    }

    // One outer step in the lanes of `where`; the lanes whose inner problem was solved.
    Mask linearise(Mask where, bool last, bool first) {
        linear_cost();
        const V hundredth = of_change * change;
        V tolerance = hundredth < loosest ? hundredth : broadcast<V>(loosest);
        tolerance = larger(tolerance, broadcast<V>(tightest));
        const Mask swept = first ? where : where & (change > moved);
        if (any(swept)) sweep(swept);
        Mask solved = newton(where, tolerance);
        if (any(where & none_of(solved))) solved |= by_epsilon_scaling(where & none_of(solved), tolerance);
        const V log_sum = entropy_at_duals();
        structure_gradient(S, turn);
        V loss_there = broadcast<V>(-1.0);
        const V length = last ? line_search(where, log_sum, loss_there) : broadcast<V>(1.0);
        move(where, length);
        entropy = where ? log_sum : entropy;
        loss = where ? (length < 1.0 ? broadcast<V>(-1.0) : loss_there) : loss;
        const Mask partial = where & (length < 1.0);
        if (any(partial)) entropy = partial ? entropy_of(T) : entropy;
        return solved;
    }

    void move(Mask where, V length) {
        V moved_{};
        const V way = where ? length : broadcast<V>(0.0);
        const Mask whole = way == 1.0;
        for (int i = 0; i < n; ++i) {
            V* __restrict part = spare;
            for (int j = 0; j < m(); ++j) {
                const int x = i * m() + j;
                const V to = whole ? S[x] : T[x] + way * (S[x] - T[x]);
                part[j] = absolute(to - T[x]);
                T[x] = to;
                G[x] = whole ? turn[x] : G[x] + way * (turn[x] - G[x]);
            }
            moved_ += total(part, m());
        }
        change = where ? moved_ : change;
    }

    void run(const Schedule& schedule, Descent* out, int count) {
        for (int i = 0; i < n; ++i) f[i] = V{};
        for (int j = 0; j < m(); ++j) g[j] = V{};
        change = broadcast<V>(__builtin_inf());
        loss = broadcast<V>(-1.0);
        structure_gradient(T, G);
        Mask active = change > 0, converged = change < 0, failed = change < 0;
        V iterations{};
        const int stages = schedule.stages - 1 < schedule.max_outer ? schedule.stages - 1 : schedule.max_outer;
        for (int k = 0; k < stages; ++k) {
            epsilon = schedule.epsilons[k];
            failed |= active & none_of(linearise(active, false, true));
            active &= none_of(failed);
            iterations += 1.0;
        }
        epsilon = schedule.epsilons[schedule.stages - 1];
        for (int k = stages; k < schedule.max_outer && any(active); ++k) {
            // A loosely solved inner problem can stand still where an exact one would move.
            const Mask exact = change <= 100.0 * schedule.tolerance;
            const Mask solved = linearise(active, true, k == stages);
            iterations += active ? broadcast<V>(1.0) : broadcast<V>(0.0);
            failed |= active & none_of(solved);
            converged |= active & solved & exact & (change < schedule.tolerance);
            active &= none_of(converged | failed);
        }
        report(out, count, iterations, converged, failed);
    }

    void report(Descent* out, int count, V iterations, Mask converged, Mask failed) {
        const Parts found = parts(T, G);
        for (int k = 0; k < count; ++k) {
            const double rows = lane(found.rows, k), cols = lane(found.columns, k);
            out[k].terms = {lane(found.node, k), lane(found.structure, k), turned ? cols : rows,
                            turned ? rows : cols, lane(entropy, k)};
            out[k].change = lane(change, k);
            out[k].iterations = static_cast<int>(lane(iterations, k));
            out[k].converged = lane(converged, k);
            out[k].solved = !lane(failed, k) && out[k].terms.loss() < 1e300;
            store(out[k].T, k);
        }
    }
};

template <class V, int Columns>
void descend_as(const Problem* const* problems, const double* const* starts, int count,
                const Schedule& schedule, Descent* out, void* memory) {
    const int n = problems[0]->n, m = problems[0]->m;
    const bool turned = n < m;
    Descents<V, Columns> descents(turned ? m : n, turned ? n : m, turned, Arena{static_cast<char*>(memory)});
    descents.load(problems, starts, count);
    descents.run(schedule, out, count);
}

}  // namespace otap::OTAP_ISA
