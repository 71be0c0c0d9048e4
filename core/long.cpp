#include "long.hpp"

#include "algebra.hpp"

namespace otap::OTAP_ISA {

constexpr int L = Register<float>::lanes;
constexpr int chunk = 512;  // columns whose exponents are made together
constexpr int strip_columns = 64;
constexpr int together = 8;  // rows that share what is loaded of the other side
constexpr double nothing = -1e30;

typedef float Half __attribute__((vector_size(register_bytes / 2)));

OTAP_INLINE Floats load(const float* from) {
    Floats x;
    std::memcpy(&x, from, sizeof x);
    return x;
}

OTAP_INLINE void store(float* to, Floats x) { std::memcpy(to, &x, sizeof x); }

OTAP_INLINE void narrow(float* to, Doubles x) {
    const Half half = __builtin_convertvector(x, Half);
    std::memcpy(to, &half, sizeof half);
}

OTAP_INLINE Doubles widen(const float* from) {
    Half half;
    std::memcpy(&half, from, sizeof half);
    return __builtin_convertvector(half, Doubles);
}

OTAP_INLINE double sum(Floats x) {
    double total = 0;
    for (int k = 0; k < L; ++k) total += x[k];
    return total;
}

OTAP_INLINE double sum(Doubles x) {
    double total = 0;
    for (int k = 0; k < W; ++k) total += x[k];
    return total;
}

OTAP_INLINE int rounded_up(int count, int to) { return (count + to - 1) / to * to; }

typedef int16_t Shorts __attribute__((vector_size(2 * W)));
typedef int32_t HalfInts __attribute__((vector_size(4 * W)));

OTAP_INLINE Doubles widen(const int16_t* from) {
    Shorts x;
    std::memcpy(&x, from, sizeof x);
    return __builtin_convertvector(__builtin_convertvector(x, HalfInts), Doubles);
}

namespace {

// --- exponents ---

// x[0], ..., of row i from a column on.
OTAP_INLINE void exponents(const Exponents& e, int i, int from, int count, double* __restrict x, size_t ahead = chunk) {
    const double *C = e.C + static_cast<size_t>(i) * e.m + from, *column = e.column + from;
    const double own = e.row[i], weight = e.weight;
    int j = 0;
    for (; j + W <= count; j += W) {
        __builtin_prefetch(C + j + ahead);
        store(x + j, (load(column + j) + own) - load(C + j) * weight);
    }
    for (; j < count; ++j) x[j] = (column[j] + own) - C[j] * weight;
    const double* p = e.P + static_cast<size_t>(i) * e.rank;
    const double* V = e.V + from;
    int s = 0;
    for (; s + 4 <= e.rank; s += 4) {
        const double *v0 = V + static_cast<size_t>(s) * e.m, *v1 = v0 + e.m, *v2 = v1 + e.m, *v3 = v2 + e.m;
        for (j = 0; j + W <= count; j += W)
            store(x + j, load(x + j) + ((p[s] * load(v0 + j) + p[s + 1] * load(v1 + j)) + (p[s + 2] * load(v2 + j) + p[s + 3] * load(v3 + j))));
        for (; j < count; ++j) x[j] += (p[s] * v0[j] + p[s + 1] * v1[j]) + (p[s + 2] * v2[j] + p[s + 3] * v3[j]);
    }
    for (; s < e.rank; s += 2) {
        const double *v0 = V + static_cast<size_t>(s) * e.m, *v1 = s + 1 < e.rank ? v0 + e.m : v0;
        const double p0 = p[s], p1 = s + 1 < e.rank ? p[s + 1] : 0.0;
        for (j = 0; j + W <= count; j += W) store(x + j, load(x + j) + (p0 * load(v0 + j) + p1 * load(v1 + j)));
        for (; j < count; ++j) x[j] += p0 * v0[j] + p1 * v1[j];
    }
}

// y = exp(x - shift), for count numbers, a multiple of L.
OTAP_INLINE void exponentials(const double* x, double shift, int count, float* __restrict y) {
    for (int j = 0; j < count; j += W) narrow(y + j, load(x + j) - shift);
    for (int j = 0; j < count; j += L) store(y + j, exponential(load(y + j)));
}

OTAP_INLINE double largest(const double* x, int count) {
    Doubles most = broadcast<Doubles>(x[0]), other = most;
    int j = 0;
    for (; j + 2 * W <= count; j += 2 * W) {
        most = larger(most, load(x + j));
        other = larger(other, load(x + j + W));
    }
    most = larger(most, other);
    double top = most[0];
    for (int k = 1; k < W; ++k) top = larger(top, most[k]);
    for (; j < count; ++j) top = larger(top, x[j]);
    return top;
}

void row_sums(const Exponents& e, int begin, int end, double* out, double* room) {
    float y[chunk];
    for (int i = begin; i < end; ++i) {
        exponents(e, i, 0, e.m, room);
        const double top = largest(room, e.m);
        Floats total{};
        double rest = 0;
        for (int from = 0; from < e.m; from += chunk) {
            const int count = smaller(chunk, e.m - from), whole = count / L * L;
            exponentials(room + from, top, whole, y);
            for (int j = 0; j < whole; j += L) total += load(y + j);
            for (int j = whole; j < count; ++j) rest += exponential(room[from + j] - top);
        }
        out[i] = top + logarithm(sum(total) + rest) - e.row[i];
    }
}

// The columns from `from` on, at most strip_columns.
OTAP_INLINE void strip_sums(const Exponents& e, int from, int count, double* out) {
    double x[together][strip_columns], top[strip_columns];
    float y[strip_columns], total[strip_columns];
    const int padded = rounded_up(count, L);
    for (int j = 0; j < padded; ++j) top[j] = nothing, total[j] = 0;
    for (int k = 0; k < together; ++k)
        for (int j = 0; j < padded; ++j) x[k][j] = nothing;
    for (int i = 0; i < e.n; i += together) {
        const int rows = smaller(together, e.n - i);
        for (int k = 0; k < rows; ++k) exponents(e, i + k, from, count, x[k], static_cast<size_t>(together) * e.m);
        for (int j = 0; j < padded; j += W) {
            Doubles most = load(top + j);
            for (int k = 0; k < rows; ++k) most = larger(most, load(x[k] + j));
            narrow(y + j, load(top + j) - most);
            store(top + j, most);
            for (int k = 0; k < rows; ++k) store(x[k] + j, load(x[k] + j) - most);
        }
        for (int j = 0; j < padded; j += L) store(total + j, load(total + j) * exponential(load(y + j)));
        for (int k = 0; k < rows; ++k) {
            exponentials(x[k], 0.0, padded, y);
            for (int j = 0; j < padded; j += L) store(total + j, load(total + j) + load(y + j));
        }
    }
    for (int j = 0; j < count; ++j) out[from + j] = top[j] + logarithm(static_cast<double>(total[j])) - e.column[from + j];
}

void column_sums(const Exponents& e, int begin, int end, double* out) {
    for (int from = begin; from < end; from += strip_columns) strip_sums(e, from, smaller(strip_columns, end - from), out);
}

double fill(const Exponents& e, int begin, int end, float* K) {
    double x[chunk];
    float y[chunk];
    double change = 0;
    for (int j = 0; j < chunk; ++j) x[j] = nothing;
    for (int i = begin; i < end; ++i) {
        for (int from = 0; from < e.m; from += chunk) {
            const int count = smaller(chunk, e.m - from);
            exponents(e, i, from, count, x);
            exponentials(x, 0.0, rounded_up(count, L), y);
            float* row = K + static_cast<size_t>(i) * e.m + from;
            Floats moved{};
            int j = 0;
            for (; j + L <= count; j += L) {
                __builtin_prefetch(row + j + chunk, 1);
                moved += absolute(load(y + j) - load(row + j));
                store(row + j, load(y + j));
            }
            for (; j < count; ++j) {
                change += absolute(y[j] - row[j]);
                row[j] = y[j];
            }
            change += sum(moved);
        }
    }
    return change;
}

int fill_sparse(const Exponents& e, int i, double least, int32_t* columns, float* values, double* room) {
    exponents(e, i, 0, e.m, room);
    int found = 0, j = 0;
    const auto take = [&](int column) {
        if (room[column] <= least) return;
        columns[found] = column;
        values[found++] = static_cast<float>(exponential(room[column]));
    };
    for (; j + W <= e.m; j += W)
        if (any(load(room + j) > least))
            for (int k = 0; k < W; ++k) take(j + k);
    for (; j < e.m; ++j) take(j);
    return found;
}

// --- scaling ---

// Rows of K that are worked together; those beyond the last stand for it and get weight 0.
struct Group {
    const float* row[together];
    int count;

    Group(const float* K, int m, int begin, int end) : count(smaller(together, end - begin)) {
        for (int k = 0; k < together; ++k) row[k] = K + static_cast<size_t>(begin + smaller(k, count - 1)) * m;
    }

    void times(const float* x, int m, double* out) const {
        Floats sums[together] = {};
        int j = 0;
        for (; j + L <= m; j += L) {
            const Floats other = load(x + j);
            for (int k = 0; k < together; ++k) sums[k] += load(row[k] + j) * other;
        }
        for (int k = 0; k < together; ++k) out[k] = sum(sums[k]);
        for (; j < m; ++j)
            for (int k = 0; k < together; ++k) out[k] += static_cast<double>(row[k][j]) * x[j];
    }

    void add(const double* weight, int m, float* acc) const {
        Floats w[together];
        for (int k = 0; k < together; ++k) w[k] = broadcast<Floats>(static_cast<float>(weight[k]));
        int j = 0;
        for (; j + L <= m; j += L) {
            Floats total = load(acc + j);
            for (int k = 0; k < together; ++k) total += w[k] * load(row[k] + j);
            store(acc + j, total);
        }
        for (; j < m; ++j)
            for (int k = 0; k < together; ++k) acc[j] += static_cast<float>(weight[k]) * row[k][j];
    }

    // acc += sum_k weight_k row_k, squares += sum_k bend_k (weight_k row_k)^2.
    void add_both(const double* weight, const double* bend, int m, float* acc, float* squares) const {
        Floats w[together], b[together];
        for (int k = 0; k < together; ++k) {
            w[k] = broadcast<Floats>(static_cast<float>(weight[k]));
            b[k] = broadcast<Floats>(static_cast<float>(bend[k]));
        }
        int j = 0;
        for (; j + L <= m; j += L) {
            Floats total = load(acc + j), square = load(squares + j);
            for (int k = 0; k < together; ++k) {
                const Floats scaled = w[k] * load(row[k] + j);
                total += scaled;
                square += b[k] * scaled * scaled;
            }
            store(acc + j, total);
            store(squares + j, square);
        }
        for (; j < m; ++j)
            for (int k = 0; k < together; ++k) {
                const float scaled = static_cast<float>(weight[k]) * row[k][j];
                acc[j] += scaled;
                squares[j] += static_cast<float>(bend[k]) * scaled * scaled;
            }
    }
};

void sweep(const float* K, int m, int begin, int end, const float* v, const Rows& rows, float* acc, float* squares) {
    const double per_epsilon = rows.per_epsilon;
    for (int i = begin; i < end; i += together) {
        const Group group(K, m, i, end);
        alignas(64) double s[together], u[together] = {}, bend[together] = {};
        group.times(v, m, s);
        for (int k = 0; k < together; ++k) {
            s[k] = larger(s[k], 1e-37);  // a row that has underflowed can only recover from above 0
            u[k] = k < group.count ? rows.target[i + k] : 0.0;
            bend[k] = k < group.count ? rows.power[i + k] : 0.0;
        }
        for (int k = 0; k < together; k += W) {
            const Doubles total = load(s + k), power = load(bend + k);
            const Doubles log_u = power * (load(u + k) - logarithm(total));
            store(u + k, log_u);
        }
        for (int k = 0; k < group.count; ++k) rows.log_u[i + k] = u[k];
        for (int k = 0; k < together; k += W) store(u + k, exponential(load(u + k)));
        for (int k = 0; k < group.count; ++k) {
            rows.r[i + k] = u[k] * s[k];
            // 1 / (epsilon^2 (r / epsilon + r / lambda)), since mu exp(-f / lambda) is r after this step.
            bend[k] = rows.bend[i + k] = per_epsilon * bend[k] / rows.r[i + k];
        }
        for (int k = group.count; k < together; ++k) u[k] = bend[k] = 0;
        group.add_both(u, bend, m, acc, squares);
    }
}

void apply(const float* K, int m, int begin, int end, const float* x, const double* weight, float* acc) {
    for (int i = begin; i < end; i += together) {
        const Group group(K, m, i, end);
        double y[together];
        group.times(x, m, y);
        for (int k = 0; k < together; ++k) y[k] = k < group.count ? y[k] * weight[i + k] : 0.0;
        group.add(y, m, acc);
    }
}

// --- sums of the coupling ---

// out[k * stride + s] = rows_k . X_s for four rows of `length` numbers and `count` rows of X.
OTAP_INLINE void dots(const double* rows, size_t length, const double* X, size_t apart, int count, int n, double* out, size_t stride, int kept) {
    for (int s = 0; s < count; s += 2) {
        const double *x0 = X + s * apart, *x1 = s + 1 < count ? x0 + apart : x0;
        Doubles sum0[4] = {}, sum1[4] = {};
        int j = 0;
        for (; j + W <= n; j += W) {
            const Doubles a = load(x0 + j), b = load(x1 + j);
            for (int k = 0; k < 4; ++k) {
                const Doubles row = load(rows + k * length + j);
                sum0[k] += row * a;
                sum1[k] += row * b;
            }
        }
        for (int k = 0; k < kept; ++k) {
            double first = sum(sum0[k]), second = sum(sum1[k]);
            for (int t = j; t < n; ++t) {
                first += rows[k * length + t] * x0[t];
                second += rows[k * length + t] * x1[t];
            }
            out[k * stride + s] = first;
            if (s + 1 < count) out[k * stride + s + 1] = second;
        }
    }
}

// One row of the coupling: made, widened into T, and summed.
OTAP_INLINE void couple_row(float* row, int m, float u, const float* v, const double* C, Sums& sums, double* T, double& r) {
    Doubles total{}, node{};
    Floats change{};
    double* c = sums.c;
    int j = 0;
    for (; j + L <= m; j += L) {
        __builtin_prefetch(row + j + chunk, 1);
        __builtin_prefetch(C + j + chunk);
        const Floats old = load(row + j), mass = u * old * load(v + j);
        change += absolute(mass - old);
        store(row + j, mass);
        for (int k = 0; k < L; k += W) {
            const Doubles wide = widen(row + j + k);
            store(T + j + k, wide);
            total += wide;
            node += wide * load(C + j + k);
            store(c + j + k, load(c + j + k) + wide);
        }
    }
    double rest = 0, node_rest = 0;
    for (; j < m; ++j) {
        const float mass = u * row[j] * v[j];
        sums.change += absolute(mass - row[j]);
        row[j] = mass;
        T[j] = mass;
        c[j] += mass;
        rest += mass;
        node_rest += mass * C[j];
    }
    r = sum(total) + rest;
    sums.node += sum(node) + node_rest;
    sums.change += sum(change);
}

void couple(float* K, int m, int begin, int end, const float* u, const float* v, Sums& sums, double* room) {
    for (int i = begin; i < end; i += 4) {
        const int rows = smaller(4, end - i);
        for (int k = 0; k < rows; ++k) {
            const size_t place = static_cast<size_t>(i + k) * m;
            double* T = room + static_cast<size_t>(k) * m;
            couple_row(K + place, m, u[i + k], v, sums.C + place, sums, T, sums.r[i + k]);
            for (int s = 0; s < sums.side; ++s) {
                const double x = sums.X[static_cast<size_t>(i + k) * sums.side + s];
                double* Z = sums.Z + static_cast<size_t>(s) * m;
                int j = 0;
                for (; j + W <= m; j += W) store(Z + j, load(Z + j) + x * load(T + j));
                for (; j < m; ++j) Z[j] += x * T[j];
            }
        }
        dots(room, m, sums.W, m, sums.rank, m, sums.Y + static_cast<size_t>(i) * sums.rank, sums.rank, rows);
    }
}

// --- structure ---

void product(const int16_t* D, int n, int begin, int end, bool squared, const double* X, int count, double* out, double* room) {
    for (int i = begin; i < end; i += 4) {
        const int rows = smaller(4, end - i);
        for (int k = 0; k < rows; ++k) {
            const int16_t* row = D + static_cast<size_t>(i + k) * n;
            double* wide = room + static_cast<size_t>(k) * n;
            int j = 0;
            for (; j + W <= n; j += W) {
                const Doubles x = widen(row + j);
                store(wide + j, squared ? x * x : x);
            }
            for (; j < n; ++j) wide[j] = squared ? static_cast<double>(row[j]) * row[j] : row[j];
        }
        dots(room, n, X, n, count, n, out + static_cast<size_t>(i) * count, count, rows);
    }
}

double dot(const int16_t* D, const double* x, int n) {
    Doubles total{}, other{};
    int k = 0;
    for (; k + 2 * W <= n; k += 2 * W) {
        total += widen(D + k) * load(x + k);
        other += widen(D + k + W) * load(x + k + W);
    }
    double rest = sum(total + other);
    for (; k < n; ++k) rest += D[k] * x[k];
    return rest;
}

constexpr LongKernels all{row_sums, column_sums, fill, fill_sparse, sweep, apply, couple, product, dot};

}  // namespace

// By reference: to return the table itself would take registers that the processor may not have.
const LongKernels& long_kernels() { return all; }

}  // namespace otap::OTAP_ISA
