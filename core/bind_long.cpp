// The parts that otap/transport/native/long.py is made of.
#include "binding.hpp"
#include "long_matrix.hpp"

namespace {

using otap::Blocks;
using otap::Exponents;
using otap::Vector;
template <class T> using Side = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const otap::LongKernels& kernels() { return otap::kernels().lengthy; }

// C, weight, row, column, P, V: see long.hpp.
struct Given {
    Matrix<const double> C;
    double weight;
    Side<const double> row, column;
    Matrix<const double> P, V;

    Exponents exponents() const {
        const size_t n = C.shape(0), m = C.shape(1), rank = P.shape(1);
        check(row.shape(0) == n && column.shape(0) == m && P.shape(0) == n && V.shape(0) == rank && V.shape(1) == m);
        return {static_cast<int>(n), static_cast<int>(m), static_cast<int>(rank), weight, C.data(), row.data(), column.data(), P.data(), V.data()};
    }
};

constexpr size_t per_cell = 16;  // operations of an exponent, at least

nb::object row_sums(Matrix<const double> C, double weight, Side<const double> row, Side<const double> column,
                    Matrix<const double> P, Matrix<const double> V, int threads) {
    const Exponents x = Given{C, weight, row, column, P, V}.exponents();
    Vector out(x.n);
    {
        const nb::gil_scoped_release released;
        const Blocks blocks(x.n);
        otap::parallel(otap::worth(threads, C.size(), per_cell), blocks.count(), [&](size_t k, int) {
            Vector room(x.m);
            kernels().row_sums(x, blocks.begin(k), blocks.end(k), out.data(), room.data());
        });
    }
    return array_of(std::move(out));
}

nb::object column_sums(Matrix<const double> C, double weight, Side<const double> row, Side<const double> column,
                       Matrix<const double> P, Matrix<const double> V, int threads) {
    const Exponents x = Given{C, weight, row, column, P, V}.exponents();
    Vector out(x.m);
    {
        const nb::gil_scoped_release released;
        constexpr int strip = 64;
        otap::parallel(otap::worth(threads, C.size(), per_cell), static_cast<size_t>((x.m + strip - 1) / strip), [&](size_t k, int) {
            const int begin = static_cast<int>(k) * strip;
            kernels().column_sums(x, begin, std::min(x.m, begin + strip), out.data());
        });
    }
    return array_of(std::move(out));
}

// K = exp(x); the sum of absolute differences to what K was.
double fill(Matrix<const double> C, double weight, Side<const double> row, Side<const double> column,
            Matrix<const double> P, Matrix<const double> V, Matrix<float> K, int threads) {
    const Exponents x = Given{C, weight, row, column, P, V}.exponents();
    check(K.shape(0) == C.shape(0) && K.shape(1) == C.shape(1));
    const nb::gil_scoped_release released;
    const Blocks blocks(x.n);
    Vector change(blocks.count());
    otap::parallel(otap::worth(threads, C.size(), per_cell), blocks.count(), [&](size_t k, int) {
        change[k] = kernels().fill(x, blocks.begin(k), blocks.end(k), K.data());
    });
    double sum = 0;
    for (double part : change) sum += part;
    return sum;
}

// What a block of rows has of entries.
struct Piece {
    std::vector<int32_t> columns;
    std::vector<float> values;
    double change = 0;
};

// The entries of exp(x) above exp(least) as start, columns, values, and the sum of absolute
// differences to the entries given. None where there are more than `most`.
nb::object fill_sparse(Matrix<const double> C, double weight, Side<const double> row, Side<const double> column,
                       Matrix<const double> P, Matrix<const double> V, Side<const double> least,
                       Side<const int64_t> start, Side<const int32_t> columns, Side<const float> values, int64_t most, int threads) {
    const Exponents x = Given{C, weight, row, column, P, V}.exponents();
    check(least.shape(0) == C.shape(0) && start.shape(0) == C.shape(0) + 1 && columns.shape(0) == values.shape(0));
    const Blocks blocks(x.n);
    std::vector<Piece> pieces(blocks.count());
    std::vector<int64_t> starts(x.n + 1);
    std::atomic<int64_t> count{0};
    {
        const nb::gil_scoped_release released;
        otap::parallel(otap::worth(threads, C.size(), per_cell), blocks.count(), [&](size_t k, int) {
            Vector room(x.m);
            std::vector<int32_t> at(x.m);
            std::vector<float> value(x.m);
            Piece& piece = pieces[k];
            for (int i = blocks.begin(k); i < blocks.end(k); ++i) {
                if (count > most) return;
                const int found = kernels().fill_sparse(x, i, least.data()[i], at.data(), value.data(), room.data());
                count += found;
                starts[i + 1] = found;
                piece.columns.insert(piece.columns.end(), at.begin(), at.begin() + found);
                piece.values.insert(piece.values.end(), value.begin(), value.begin() + found);
                for (int t = 0; t < found; ++t) piece.change += value[t];
                for (int64_t t = start.data()[i]; t < start.data()[i + 1]; ++t) {
                    const double now = room[columns.data()[t]] > least.data()[i] ? std::exp(room[columns.data()[t]]) : 0.0;
                    piece.change += std::abs(values.data()[t] - now) - now;
                }
            }
        });
    }
    if (count > most) return nb::none();
    std::vector<int32_t> at;
    std::vector<float> value;
    at.reserve(count);
    value.reserve(count);
    double change = 0;
    for (const Piece& piece : pieces) {
        at.insert(at.end(), piece.columns.begin(), piece.columns.end());
        value.insert(value.end(), piece.values.begin(), piece.values.end());
        change += piece.change;
    }
    for (int i = 0; i < x.n; ++i) starts[i + 1] += starts[i];
    return nb::make_tuple(array_of(std::move(starts)), array_of(std::move(at)), array_of(std::move(value)), change);
}

struct Sides {
    Side<const double> mu, nu, lambda_1, lambda_2, f, g;

    otap::InnerProblem inner(double epsilon, double tolerance, double furthest) const {
        const size_t n = mu.shape(0), m = nu.shape(0);
        check(lambda_1.shape(0) == n && f.shape(0) == n && lambda_2.shape(0) == m && g.shape(0) == m);
        return {static_cast<int>(n), static_cast<int>(m), mu.data(), nu.data(), lambda_1.data(), lambda_2.data(), epsilon, tolerance, furthest};
    }
};

// log u and log v of the scalings, what became of them (otap::Inner), the passes over K, and the miss.
template <class K> nb::object newton(K& matrix, const Sides& sides, const otap::InnerProblem& problem) {
    otap::InnerNewton<K> solver(matrix, problem, sides.f.data(), sides.g.data());
    otap::Inner outcome;
    {
        const nb::gil_scoped_release released;
        outcome = solver.solve();
    }
    otap::InnerPoint point = solver.point();
    return nb::make_tuple(array_of(std::move(point.log_u)), array_of(std::move(point.log_v)), static_cast<int>(outcome), solver.passes(), point.miss);
}

nb::object scale(Matrix<const float> K, Side<const double> mu, Side<const double> nu, Side<const double> lambda_1,
                 Side<const double> lambda_2, Side<const double> f, Side<const double> g, double epsilon, double tolerance,
                 double furthest, int threads) {
    const Sides sides{mu, nu, lambda_1, lambda_2, f, g};
    const otap::InnerProblem problem = sides.inner(epsilon, tolerance, furthest);
    check(K.shape(0) == mu.shape(0) && K.shape(1) == nu.shape(0));
    otap::DenseMatrix matrix(kernels(), K.data(), problem.n, problem.m, threads);
    return newton(matrix, sides, problem);
}

nb::object scale_sparse(Side<const int64_t> start, Side<const int32_t> columns, Side<const float> values,
                        Side<const double> mu, Side<const double> nu, Side<const double> lambda_1, Side<const double> lambda_2,
                        Side<const double> f, Side<const double> g, double epsilon, double tolerance, double furthest) {
    const Sides sides{mu, nu, lambda_1, lambda_2, f, g};
    const otap::InnerProblem problem = sides.inner(epsilon, tolerance, furthest);
    check(start.shape(0) == mu.shape(0) + 1 && columns.shape(0) == values.shape(0));
    otap::SparseMatrix matrix({start.data(), columns.data(), values.data()}, problem.n, problem.m);
    return newton(matrix, sides, problem);
}

// K = diag(u) K diag(v), and r, c, T W' (n, rank), X' T (side, m), sum C T, sum |T - K|.
nb::object couple(Matrix<float> K, Side<const float> u, Side<const float> v, Matrix<const double> C,
                  Matrix<const double> W, Matrix<const double> X, int threads) {
    const int n = static_cast<int>(K.shape(0)), m = static_cast<int>(K.shape(1));
    const size_t rank = W.shape(0), side = X.shape(1);
    check(u.shape(0) == K.shape(0) && v.shape(0) == K.shape(1) && C.shape(0) == K.shape(0) && C.shape(1) == K.shape(1) &&
          W.shape(1) == K.shape(1) && X.shape(0) == K.shape(0));
    Vector r(n), Y(n * rank), c(m), Z(side * m);
    double node = 0, change = 0;
    {
        const nb::gil_scoped_release released;
        const Blocks blocks(n);
        const size_t apart = (1 + side) * m;
        Vector parts(blocks.count() * apart), numbers(blocks.count() * 2);
        otap::parallel(otap::worth(threads, C.size(), per_cell), blocks.count(), [&](size_t k, int) {
            Vector room(4 * static_cast<size_t>(m));
            double* own = parts.data() + k * apart;
            otap::Sums sums{C.data(), W.data(), X.data(), static_cast<int>(rank), static_cast<int>(side), r.data(), Y.data(), own, own + m, 0, 0};
            kernels().couple(K.data(), m, blocks.begin(k), blocks.end(k), u.data(), v.data(), sums, room.data());
            numbers[2 * k] = sums.node;
            numbers[2 * k + 1] = sums.change;
        });
        for (size_t k = 0; k < blocks.count(); ++k) {
            const double* own = parts.data() + k * apart;
            for (int j = 0; j < m; ++j) c[j] += own[j];
            for (size_t j = 0; j < side * m; ++j) Z[j] += own[m + j];
            node += numbers[2 * k];
            change += numbers[2 * k + 1];
        }
    }
    return nb::make_tuple(array_of(std::move(r)), array_of(std::move(c)), array_of(std::move(Y), n, rank), array_of(std::move(Z), side, m), node, change);
}

// D X' (n, count) for D of counts (n, n) and X (count, n), or the same with the squares of the entries.
nb::object product(Matrix<const int16_t> D, Matrix<const double> X, bool squared, int threads) {
    const int n = static_cast<int>(D.shape(0)), count = static_cast<int>(X.shape(0));
    check(D.shape(1) == D.shape(0) && X.shape(1) == D.shape(0));
    Vector out(static_cast<size_t>(n) * count);
    {
        const nb::gil_scoped_release released;
        const Blocks blocks(n);
        otap::parallel(otap::worth(threads, D.size(), count), blocks.count(), [&](size_t k, int) {
            Vector room(4 * static_cast<size_t>(n));
            kernels().product(D.data(), n, blocks.begin(k), blocks.end(k), squared, X.data(), count, out.data(), room.data());
        });
    }
    return array_of(std::move(out), n, count);
}

// (D_p T D_r)_ij at each entry of T, for counts D_p and D_r. order lists the entries by columns, ends[j]
// being where those of column j end.
nb::object cross(Matrix<const int16_t> D_p, Matrix<const int16_t> D_r, Side<const int64_t> start, Side<const int32_t> columns,
                 Side<const double> mass, Side<const int32_t> rows, Side<const int64_t> order, Side<const int64_t> ends, int threads) {
    const int n = static_cast<int>(D_p.shape(0)), m = static_cast<int>(D_r.shape(0));
    check(D_p.shape(1) == D_p.shape(0) && D_r.shape(1) == D_r.shape(0) && start.shape(0) == D_p.shape(0) + 1 && ends.shape(0) == D_r.shape(0) &&
          columns.shape(0) == mass.shape(0) && rows.shape(0) == mass.shape(0) && order.shape(0) == mass.shape(0));
    Vector out(mass.shape(0));
    {
        const nb::gil_scoped_release released;
        otap::parallel(threads, m, [&](size_t j, int) {
            const int64_t begin = j ? ends.data()[j - 1] : 0, end = ends.data()[j];
            if (begin == end) return;
            const int16_t* D = D_r.data() + j * m;  // column j is minus this
            Vector seen(n);
            for (int k = 0; k < n; ++k)
                for (int64_t t = start.data()[k]; t < start.data()[k + 1]; ++t) seen[k] -= mass.data()[t] * D[columns.data()[t]];
            for (int64_t t = begin; t < end; ++t) {
                const int64_t entry = order.data()[t];
                out[entry] = kernels().dot(D_p.data() + static_cast<size_t>(rows.data()[entry]) * n, seen.data(), n);
            }
        });
    }
    return array_of(std::move(out));
}

}  // namespace

void bind_long(nb::module_& module) {
    nb::module_ part = module.def_submodule("long", "Problems of more than a hundred steps, in single precision.");
    part.def("row_sums", &row_sums);
    part.def("column_sums", &column_sums);
    part.def("fill", &fill);
    part.def("fill_sparse", &fill_sparse);
    part.def("scale", &scale);
    part.def("scale_sparse", &scale_sparse);
    part.def("couple", &couple);
    part.def("product", &product);
    part.def("cross", &cross);
}
