#include "batch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "exchange.hpp"
#include "parallel.hpp"
#include "parameters.hpp"
#include "rounding.hpp"

namespace otap {

namespace {

// Cells of couplings that are held at once; more problems are solved one portion after the other.
constexpr size_t portion = 1 << 22;
constexpr size_t most_starts = 100;  // couplings and starts of one problem, about
constexpr int rounds = 3;
constexpr double rugged_from = 1.0;  // theta to the mean lambda of the agent's side, by mass
// Below this many cells a thread costs more to start than it saves.
constexpr size_t worth_a_thread = 2048;

struct Job {
    size_t owner;         // its place among the members of the portion
    const double* start;  // null: the product coupling
    Descent descent;
    double loss, epsilon;  // what it came to, and the weight at which it is stationary
};

// Jobs of one shape and one schedule, at most as many as the kernel takes.
struct Group {
    size_t first, count;
    const Schedule* schedule;
};

// C++17's own aligned new, since not every system has aligned_alloc.
struct Aligned {
    void operator()(void* memory) const { ::operator delete(memory, std::align_val_t{64}); }
};
using Memory = std::unique_ptr<void, Aligned>;

Memory aligned(size_t bytes) { return Memory(::operator new(bytes, std::align_val_t{64})); }

class Portion {
  public:
    Portion(const Kernels& kernels, const std::vector<Problem>& problems, std::vector<Outcome>& outcomes,
            const Options& options, const size_t* members, size_t count)
        : kernels_(kernels.brief), problems_(problems), outcomes_(outcomes), options_(options),
          members_(members), count_(count), tried_(count), starts_(count), couplings_(count), memory_(options.threads) {
        for (size_t k = 0; k < count; ++k) {
            const Problem& p = problem(k);
            bytes_ = std::max({bytes_, kernels_.memory(p.n, p.m), kernels_.polish_memory(p.n, p.m)});
        }
    }

    // Solves the members, which are sorted by shape: from the product coupling, and from more starts
    // in rounds, as long as a member is in doubt.
    void solve(const std::vector<char>& doubts, const ShufflesOf& shuffles_of) {
        for (size_t k = 0; k < count_; ++k)
            add({k, nullptr, {outcomes_[members_[k]].T, {}, 0, 0, false, false}, 0, 0});
        descend_all(0);
        std::vector<size_t> used(count_);  // of the shuffles of a member's shape
        std::map<std::pair<int, int>, Shuffles> known;
        for (int round = 0; round < rounds; ++round) {
            std::vector<Shuffles> next(count_, Shuffles{nullptr, 0});
            std::vector<char> open(count_);
            for (size_t k = 0; k < count_; ++k) {
                open[k] = in_doubt(k, round, doubts[members_[k]]);
                const size_t wanted = open[k] ? shuffles_until(k, round) : 0;
                if (wanted <= used[k]) continue;
                const Problem& p = problem(k);
                const std::pair<int, int> shape{p.n, p.m};
                if (!known.count(shape)) known[shape] = shuffles_of(p.n, p.m);
                const Shuffles& all = known[shape];
                const size_t until = std::min<size_t>(wanted, all.count);
                if (until <= used[k]) continue;
                next[k] = {all.indices + 2 * used[k] * std::min(p.n, p.m), static_cast<int>(until - used[k])};
                used[k] = until;
            }
            const size_t done = jobs_.size();
            keep_what_was_found();
            prepare([&](size_t k) {
                std::vector<double> starts;
                if (searched(k)) return open[k] ? matchings(problem(k), next[k], round == 0) : starts;
                if (round == 0 && open[k]) starts = starts_by_cost_and_order(problem(k));
                if (next[k].count) {
                    const std::vector<double> more = shuffled_starts(problem(k), next[k]);
                    starts.insert(starts.end(), more.begin(), more.end());
                }
                return starts;
            });
            descend_all(done);
        }
        parallel(options_.threads, count_, [&](size_t k, int thread) { finish(k, memory(thread)); });
    }

  private:
    const ShortKernels& kernels_;
    const std::vector<Problem>& problems_;
    std::vector<Outcome>& outcomes_;
    const Options& options_;
    const size_t* members_;
    size_t count_;
    std::vector<Job> jobs_;
    std::vector<std::vector<size_t>> tried_;               // the jobs of each member
    std::vector<std::vector<double>> starts_, couplings_;  // of each member's further jobs
    std::vector<std::vector<double>> kept_;                // couplings of jobs that are done
    size_t bytes_ = 0;            // that kernels need
    std::vector<Memory> memory_;  // of each thread, once it needs it

    void* memory(int thread) {
        if (!memory_[thread]) memory_[thread] = aligned(bytes_);
        return memory_[thread].get();
    }

    // Whether a member is searched: any start is worth little where the loss is proved.
    bool searched(size_t k) const { return polishes() && std::max(problem(k).n, problem(k).m) <= otap::searched; }

    // Whether descents get as far as the last epsilon: what stops before is not settled.
    bool polishes() const { return options_.exact && options_.first.max_outer >= options_.first.stages; }

    bool in_doubt(size_t k, int round, char doubt) {
        if (!jobs_[tried_[k][0]].descent.solved) return false;
        if (!searched(k)) return round == 0 ? doubt > 0 : round == 1 && (doubt > 1 || (doubt == 1 && !agree(k)));
        if (round == 0 || tried_[k].size() == 1) return round == 0 && !proved(k);
        return round == 1 ? rugged(problem(k)) || !agree(k) : !agree(k) && hits(k) < static_cast<size_t>(enough);
    }

    size_t shuffles_until(size_t k, int round) const {
        if (!searched(k)) return round == 0 ? 0 : most_starts;
        return round == 0 ? first_round : round == 1 ? second_round : most_starts;
    }

    // Whether the loss found is the least, by the potentials at the coupling found: weak duality.
    bool proved(size_t k) {
        const Job& job = jobs_[tried_[k][0]];
        return job.loss - kernels_.lower_bound(problem(k), job.descent.T, memory(0)) < certain;
    }

    static bool rugged(const Problem& p) {
        double weights = 0;
        for (int i = 0; i < p.n; ++i) weights += p.lambda_1[i] * p.mu[i];
        return p.theta * std::accumulate(p.mu, p.mu + p.n, 0.0) > rugged_from * weights;
    }

    size_t hits(size_t k) const {
        double least = jobs_[tried_[k][0]].loss;
        for (const size_t at : tried_[k]) least = std::min(least, jobs_[at].loss);
        size_t count = 0;
        for (const size_t at : tried_[k]) count += jobs_[at].loss < least + agreement;
        return count;
    }

    const Problem& problem(size_t k) const { return problems_[members_[k]]; }

    void add(Job job) {
        tried_[job.owner].push_back(jobs_.size());
        jobs_.push_back(job);
    }

    // Adds a job for each start that a member has.
    template <class Starts> void prepare(Starts starts_of) {
        parallel(options_.threads, count_, [&](size_t k, int) {
            starts_[k] = starts_of(k);
            couplings_[k].assign(starts_[k].size(), 0.0);
        });
        for (size_t k = 0; k < count_; ++k)
            for (size_t at = 0; at < starts_[k].size(); at += cells(k))
                add({k, starts_[k].data() + at, {couplings_[k].data() + at, {}, 0, 0, false, false}, 0, 0});
    }

    void keep_what_was_found() {
        for (std::vector<double>& found : couplings_) kept_.push_back(std::move(found));
    }

    size_t cells(size_t k) const { return static_cast<size_t>(problem(k).n) * problem(k).m; }

    void descend_all(size_t first) {
        const std::vector<Group> groups = grouped(first);
        parallel(options_.threads, groups.size(), [&](size_t k, int thread) { descend(groups[k], memory(thread)); });
        parallel(options_.threads, jobs_.size() - first, [&](size_t at, int thread) {
            Job& job = jobs_[first + at];
            if (!direct(job) || alike(first + at, first) != first + at) return;
            std::copy(job.start, job.start + cells(job.owner), job.descent.T);
            job.descent.terms = {1e300, 0, 0, 0, 0};
            job.descent.solved = true;
            weigh(job, memory(thread));
        });
        for (size_t at = first; at < jobs_.size(); ++at)
            if (direct(jobs_[at])) take_from(jobs_[alike(at, first)], jobs_[at]);
    }

    // The first job since `first` with the start of this one: matchings that are improved are often one.
    size_t alike(size_t at, size_t first) const {
        const Job& job = jobs_[at];
        for (const size_t other : tried_[job.owner])
            if (other >= first && std::equal(job.start, job.start + cells(job.owner), jobs_[other].start)) return other;
        return at;
    }

    void take_from(const Job& other, Job& job) const {
        if (&other == &job) return;
        double* T = job.descent.T;
        std::copy(other.descent.T, other.descent.T + cells(job.owner), T);
        job.descent = other.descent;
        job.descent.T = T;
        job.loss = other.loss;
        job.epsilon = other.epsilon;
    }

    bool direct(const Job& job) const { return job.start && searched(job.owner); }

    std::vector<Group> grouped(size_t first) const {
        std::vector<Group> groups;
        for (size_t k = first; k < jobs_.size(); ++k) {
            if (direct(jobs_[k])) continue;
            const Problem& p = problem(jobs_[k].owner);
            const Schedule* schedule = jobs_[k].start ? &options_.further : &options_.first;
            if (!groups.empty()) {
                Group& group = groups.back();
                const Problem& q = problem(jobs_[group.first].owner);
                const bool fits = group.count < static_cast<size_t>(kernels_.lanes(q.n, q.m));
                if (fits && group.schedule == schedule && p.n == q.n && p.m == q.m) {
                    ++group.count;
                    continue;
                }
            }
            groups.push_back({k, 1, schedule});
        }
        return groups;
    }

    void descend(const Group& group, void* memory) {
        const Problem* problems[16];
        const double* starts[16];
        Descent out[16];
        for (size_t k = 0; k < group.count; ++k) {
            const Job& job = jobs_[group.first + k];
            problems[k] = &problem(job.owner);
            starts[k] = job.start;
            out[k] = job.descent;
        }
        kernels_.descend(problems, starts, static_cast<int>(group.count), *group.schedule, out, memory);
        for (size_t k = 0; k < group.count; ++k) {
            Job& job = jobs_[group.first + k];
            job.descent = out[k];
            if (job.descent.solved) weigh(job, memory);
        }
    }

    // Rounds what a job found, and says what it costs; of equal costs one that converged is better.
    void weigh(Job& job, void* memory) const {
        const double weight = options_.first.epsilons[options_.first.stages - 1];
        Descent& found = job.descent;
        bool rounded = options_.exact && !direct(job) && round_coupling(problem(job.owner), found.T, found.terms);
        if (searched(job.owner) && polished(job, memory)) rounded = true;
        const double entropy = options_.exact ? 0.0 : weight * found.terms.entropy;
        job.loss = found.terms.loss() + entropy + (found.converged ? 0.0 : 2 * same_loss);
        job.epsilon = rounded ? 0.0 : weight;
    }

    bool needs_polish(const Job& job, void* memory) const {
        const Descent& found = job.descent;
        return direct(job) || found.terms.loss() - kernels_.lower_bound(problem(job.owner), found.T, memory) > still;
    }

    // Polishes what a job found, where something may be gained; whether that came to an end.
    bool polished(Job& job, void* memory) const {
        Descent& found = job.descent;
        if (!needs_polish(job, memory)) return false;
        if (!kernels_.polish(problem(job.owner), 2 * options_.first.max_outer, found.T, found.terms, memory)) return false;
        return found.converged = true;
    }

    // Whether the jobs of a member ended at one loss: then there is no sign of another minimum.
    bool agree(size_t k) const {
        double least = jobs_[tried_[k][0]].loss, most = least;
        for (const size_t at : tried_[k]) {
            if (!jobs_[at].descent.solved) return true;  // another solver will be asked
            least = std::min(least, jobs_[at].loss);
            most = std::max(most, jobs_[at].loss);
        }
        return most - least < agreement;
    }

    // Keeps the first of a member's best jobs: which of those that are as good is least by a hair is
    // left to rounding.
    void finish(size_t k, void* memory) {
        Outcome& outcome = outcomes_[members_[k]];
        double least = jobs_[tried_[k][0]].loss;
        for (const size_t at : tried_[k]) {
            if (!jobs_[at].descent.solved) {
                outcome.status = Status::unsolved;
                return;
            }
            least = std::min(least, jobs_[at].loss);
        }
        const auto as_good = [&](size_t at) { return jobs_[at].loss <= least + same_loss; };
        Job& best = jobs_[*std::find_if(tried_[k].begin(), tried_[k].end(), as_good)];
        if (polishes() && !searched(k) && polished(best, memory)) best.epsilon = 0.0;
        const Descent& found = best.descent;
        if (found.T != outcome.T) std::copy(found.T, found.T + cells(k), outcome.T);
        outcome.terms = found.terms;
        outcome.epsilon = best.epsilon;
        outcome.change = found.change;
        outcome.iterations = found.iterations;
        outcome.starts = static_cast<int32_t>(tried_[k].size());
        outcome.converged = found.converged;
    }
};

void take_as_listed(const Problem& p, Outcome& outcome) {
    std::fill(outcome.T, outcome.T + static_cast<size_t>(p.n) * p.m, 0.0);
    for (int i = 0; i < p.n; ++i) outcome.T[static_cast<size_t>(i) * p.m + i] = p.mu[i];
    outcome.terms = {};
    outcome.epsilon = outcome.change = 0;
    outcome.iterations = outcome.starts = 0;
    outcome.converged = true;
    outcome.status = Status::alike;
}

}  // namespace

void solve(const Kernels& kernels, const std::vector<Problem>& problems, std::vector<Outcome>& outcomes,
           const Options& options, const ShufflesOf& shuffles_of) {
    Options limited = options;
    size_t cells = 0;
    for (const Problem& p : problems) cells += static_cast<size_t>(p.n) * p.m;
    limited.threads = static_cast<int>(std::min<size_t>(std::max(1, options.threads), 1 + cells / worth_a_thread));
    std::vector<char> doubts(problems.size());
    parallel(limited.threads, problems.size(), [&](size_t k, int) {
        const Problem& p = problems[k];
        outcomes[k].status = Status::solved;
        if (options.exact && listed_alike(p)) return take_as_listed(p, outcomes[k]);
        if (options.exact && maybe_alike(p)) outcomes[k].status = Status::maybe_alike;
        doubts[k] = static_cast<char>(doubt(p));
    });
    std::vector<size_t> members;
    for (size_t k = 0; k < problems.size(); ++k)
        if (outcomes[k].status != Status::alike) members.push_back(k);
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
        return std::make_pair(problems[a].n, problems[a].m) < std::make_pair(problems[b].n, problems[b].m);
    });
    for (size_t first = 0; first < members.size();) {
        size_t last = first, held = 0;
        while (last < members.size() && (last == first || held < portion)) {
            const size_t k = members[last++];
            held += static_cast<size_t>(problems[k].n) * problems[k].m * (doubts[k] ? most_starts : 1);
        }
        Portion(kernels, problems, outcomes, limited, members.data() + first, last - first).solve(doubts, shuffles_of);
        first = last;
    }
}

}  // namespace otap
