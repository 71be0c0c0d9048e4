// The coupling that is being scaled: all of it, or the entries that matter. Work is cut into blocks by the
// shape alone and summed in the order of the blocks, so that no bit depends on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "long_newton.hpp"
#include "parallel.hpp"

namespace otap {

// Consecutive indices in blocks; at most some 64, since each block has sums of its own.
struct Blocks {
    int size, step;
    explicit Blocks(int size_) : size(size_), step(std::max(32, (size_ / 64 + 7) / 8 * 8)) {}
    size_t count() const { return static_cast<size_t>((size + step - 1) / step); }
    int begin(size_t block) const { return static_cast<int>(block) * step; }
    int end(size_t block) const { return std::min(size, begin(block) + step); }
};

// Threads that are worth starting for this many cells of so many operations each.
inline int worth(int threads, size_t cells, size_t each) { return cells * each < (size_t{1} << 22) ? 1 : threads; }

class DenseMatrix {
  public:
    DenseMatrix(const LongKernels& kernels, const float* K, int n, int m, int threads)
        : n_(n), m_(m), kernels_(kernels), K_(K), blocks_(n), threads_(worth(threads, static_cast<size_t>(n) * m, 2)),
          sums_(blocks_.count() * m), squares_(blocks_.count() * m) {}

    void sweep(const float* v, const Rows& rows, Vector& c, Vector& squares) {
        each([&](int begin, int end, float* sums, float* more) { kernels_.sweep(K_, m_, begin, end, v, rows, sums, more); });
        gather(sums_, c);
        gather(squares_, squares);
    }

    void apply(const float* x, const double* weight, Vector& out) {
        each([&](int begin, int end, float* sums, float*) { kernels_.apply(K_, m_, begin, end, x, weight, sums); });
        gather(sums_, out);
    }

  private:
    template <class Work> void each(Work work) {
        std::fill(sums_.begin(), sums_.end(), 0.0f);
        std::fill(squares_.begin(), squares_.end(), 0.0f);
        parallel(threads_, blocks_.count(), [&](size_t k, int) {
            work(blocks_.begin(k), blocks_.end(k), sums_.data() + k * m_, squares_.data() + k * m_);
        });
    }

    void gather(const std::vector<float>& parts, Vector& out) const {
        out.assign(m_, 0.0);
        for (size_t k = 0; k < blocks_.count(); ++k)
            for (int j = 0; j < m_; ++j) out[j] += parts[k * m_ + j];
    }

    int n_, m_;
    const LongKernels& kernels_;
    const float* K_;
    Blocks blocks_;
    int threads_;
    std::vector<float> sums_, squares_;
};

// Entries row after row, columns ascending in each: those of row i are start[i] to start[i + 1].
struct Entries {
    const int64_t* start;
    const int32_t* column;
    const float* value;
};

class SparseMatrix {
  public:
    SparseMatrix(Entries K, int n, int m) : n_(n), m_(m), K_(K) {}

    void sweep(const float* v, const Rows& rows, Vector& c, Vector& squares) {
        c.assign(m_, 0.0);
        squares.assign(m_, 0.0);
        for (int i = 0; i < n_; ++i) {
            const double sum = times(i, v);
            if (!(sum > 0)) {  // nothing of this row matters
                rows.log_u[i] = rows.r[i] = rows.bend[i] = 0;
                continue;
            }
            rows.log_u[i] = rows.power[i] * (rows.target[i] - std::log(sum));
            const double u = std::exp(rows.log_u[i]);
            rows.r[i] = u * sum;
            rows.bend[i] = rows.per_epsilon * rows.power[i] / rows.r[i];
            for (int64_t k = K_.start[i]; k < K_.start[i + 1]; ++k) {
                const double scaled = u * K_.value[k];
                c[K_.column[k]] += scaled;
                squares[K_.column[k]] += rows.bend[i] * scaled * scaled;
            }
        }
    }

    void apply(const float* x, const double* weight, Vector& out) {
        out.assign(m_, 0.0);
        for (int i = 0; i < n_; ++i) {
            const double y = weight[i] * times(i, x);
            for (int64_t k = K_.start[i]; k < K_.start[i + 1]; ++k) out[K_.column[k]] += y * K_.value[k];
        }
    }

  private:
    double times(int i, const float* x) const {
        double sum = 0;
        for (int64_t k = K_.start[i]; k < K_.start[i + 1]; ++k) sum += static_cast<double>(K_.value[k]) * x[K_.column[k]];
        return sum;
    }

    int n_, m_;
    Entries K_;
};

}  // namespace otap
