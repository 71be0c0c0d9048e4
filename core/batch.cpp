#include "batch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "parallel.hpp"
#include "rounding.hpp"

namespace otap {

namespace {

constexpr double same_loss = 1e-9;
// Cells of couplings that are held at once; more problems are solved one portion after the other.
constexpr size_t portion = 1 << 22;
// Below this many cells a thread costs more to start than it saves.
constexpr size_t worth_a_thread = 2048;

struct Job {
    size_t owner;
    const double* start;  // null: the product coupling
    Descent descent;
};

// Jobs of one shape and one schedule, at most as many as the kernel takes.
struct Group {
    size_t first, count;
    const Schedule* schedule;
};

struct Aligned {
    void operator()(void* memory) const { ::operator delete(memory, std::align_val_t(64)); }
};
using Memory = std::unique_ptr<void, Aligned>;

Memory aligned(size_t bytes) { return Memory(::operator new(bytes, std::align_val_t(64))); }

class Portion {
  public:
    Portion(const Kernels& kernels, const std::vector<Problem>& problems, std::vector<Outcome>& outcomes,
            const Options& options, const std::vector<const Shuffles*>& shuffles)
        : kernels_(kernels.brief), problems_(problems), outcomes_(outcomes), options_(options), shuffles_(shuffles) {}

    // Solves the problems named, which are sorted by shape.
    void solve(const size_t* members, size_t count) {
        make_jobs(members, count);
        make_groups();
        size_t bytes = 0;
        for (const Group& group : groups_) {
            const Problem& p = problems_[jobs_[group.first].owner];
            bytes = std::max(bytes, kernels_.memory(p.n, p.m));
        }
        std::vector<Memory> memory(options_.threads);
        parallel(options_.threads, groups_.size(), [&](size_t k, int thread) {
            if (!memory[thread]) memory[thread] = aligned(bytes);
            descend(groups_[k], memory[thread].get());
        });
        parallel(options_.threads, count, [&](size_t k, int) { finish(members[k], k); });
    }

  private:
    const ShortKernels& kernels_;
    const std::vector<Problem>& problems_;
    std::vector<Outcome>& outcomes_;
    const Options& options_;
    const std::vector<const Shuffles*>& shuffles_;
    std::vector<Job> jobs_;       // all first starts, then all further ones
    std::vector<Group> groups_;
    std::vector<std::vector<double>> starts_, couplings_;  // of further starts, one a member
    std::vector<size_t> further_;  // the first further job of each member

    void make_jobs(const size_t* members, size_t count) {
        starts_.resize(count);
        couplings_.resize(count);
        further_.resize(count + 1);
        for (size_t k = 0; k < count; ++k)
            jobs_.push_back({members[k], nullptr, {outcomes_[members[k]].T, {}, 0, 0, false, false}});
        parallel(options_.threads, count, [&](size_t k, int) {
            const Shuffles* shuffles = shuffles_[members[k]];
            if (!shuffles) return;
            starts_[k] = further_starts(problems_[members[k]], *shuffles);
            couplings_[k].resize(starts_[k].size());
        });
        for (size_t k = 0; k < count; ++k) {
            further_[k] = jobs_.size();
            const Problem& p = problems_[members[k]];
            for (size_t at = 0; at < starts_[k].size(); at += static_cast<size_t>(p.n) * p.m)
                jobs_.push_back({members[k], starts_[k].data() + at, {couplings_[k].data() + at, {}, 0, 0, false, false}});
        }
        further_[count] = jobs_.size();
    }

    void make_groups() {
        for (size_t k = 0; k < jobs_.size(); ++k) {
            const Problem& p = problems_[jobs_[k].owner];
            const Schedule* schedule = jobs_[k].start ? &options_.further : &options_.first;
            if (!groups_.empty()) {
                Group& group = groups_.back();
                const Problem& q = problems_[jobs_[group.first].owner];
                const bool fits = group.count < static_cast<size_t>(kernels_.lanes(q.n, q.m));
                if (fits && group.schedule == schedule && p.n == q.n && p.m == q.m) {
                    ++group.count;
                    continue;
                }
            }
            groups_.push_back({k, 1, schedule});
        }
    }

    void descend(const Group& group, void* memory) {
        const Problem* problems[16];
        const double* starts[16];
        Descent out[16];
        for (size_t k = 0; k < group.count; ++k) {
            const Job& job = jobs_[group.first + k];
            problems[k] = &problems_[job.owner];
            starts[k] = job.start;
            out[k] = job.descent;
        }
        kernels_.descend(problems, starts, static_cast<int>(group.count), *group.schedule, out, memory);
        for (size_t k = 0; k < group.count; ++k) jobs_[group.first + k].descent = out[k];
    }

    // Rounds what was found for one problem, and keeps the first of the best; of equal losses one that
    // converged.
    void finish(size_t member, size_t k) {
        const Problem& p = problems_[member];
        Outcome& outcome = outcomes_[member];
        std::vector<Descent*> tried{&jobs_[k].descent};
        for (size_t at = further_[k]; at < further_[k + 1]; ++at) tried.push_back(&jobs_[at].descent);
        const double weight = options_.first.epsilons[options_.first.stages - 1];
        std::vector<double> losses, epsilons;
        for (Descent* found : tried) {
            if (!found->solved) {
                outcome.status = Status::unsolved;
                return;
            }
            const bool rounded = options_.exact && round_coupling(p, found->T, found->terms);
            const double entropy = options_.exact ? 0.0 : weight * found->terms.entropy;
            losses.push_back(found->terms.loss() + entropy + (found->converged ? 0.0 : 2 * same_loss));
            epsilons.push_back(rounded ? 0.0 : weight);
        }
        // Which of those that are as good is least by a hair is left to rounding.
        const double bound = *std::min_element(losses.begin(), losses.end()) + same_loss;
        const size_t best = std::find_if(losses.begin(), losses.end(), [=](double loss) { return loss <= bound; }) - losses.begin();
        const Descent& found = *tried[best];
        if (found.T != outcome.T) std::copy(found.T, found.T + static_cast<size_t>(p.n) * p.m, outcome.T);
        outcome.terms = found.terms;
        outcome.epsilon = epsilons[best];
        outcome.change = found.change;
        outcome.iterations = found.iterations;
        outcome.starts = static_cast<int32_t>(tried.size());
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
    std::vector<char> several(problems.size());
    parallel(limited.threads, problems.size(), [&](size_t k, int) {
        const Problem& p = problems[k];
        outcomes[k].status = Status::solved;
        if (options.exact && listed_alike(p)) return take_as_listed(p, outcomes[k]);
        if (options.exact && maybe_alike(p)) outcomes[k].status = Status::maybe_alike;
        several[k] = needs_several(p);
    });
    std::map<std::pair<int, int>, Shuffles> known;
    std::vector<const Shuffles*> shuffles(problems.size());
    std::vector<size_t> members;
    for (size_t k = 0; k < problems.size(); ++k) {
        if (outcomes[k].status == Status::alike) continue;
        members.push_back(k);
        if (!several[k]) continue;
        const std::pair<int, int> shape{problems[k].n, problems[k].m};
        const auto found = known.find(shape);
        shuffles[k] = found != known.end() ? &found->second
                                           : &known.emplace(shape, shuffles_of(shape.first, shape.second)).first->second;
    }
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
        return std::make_pair(problems[a].n, problems[a].m) < std::make_pair(problems[b].n, problems[b].m);
    });
    for (size_t first = 0; first < members.size();) {
        size_t last = first, held = 0;
        while (last < members.size() && (last == first || held < portion)) {
            const size_t k = members[last++];
            held += static_cast<size_t>(problems[k].n) * problems[k].m * (shuffles[k] ? 2 * (shuffles[k]->count + 2) : 1);
        }
        Portion(kernels, problems, outcomes, limited, shuffles).solve(members.data() + first, last - first);
        first = last;
    }
}

}  // namespace otap
