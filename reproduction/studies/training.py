"""Trains small policies with rewards of several kinds, and counts who learns the task.

    python -m reproduction.studies.training
    python -m reproduction.studies.training --only padding --seeds 2 --groups 100 --rewards causal

Five environments (environments.py). A softmax policy whose logits are a table by position plus a
table by the last call; no language model. REINFORCE with groups of eight runs: an action's
advantage is its reward-to-go minus the mean of the other runs of the group that reached the same
position. Each reward is scaled so that the best run returns 1; with the outcome, the two are
averaged. Step sizes: .7 and 2 for each reward, and the better one counts, by the same rule: more
seeds that reach 80 %, then sooner, then more success at the end. A seed has reached 80 % when its
last ten groups have. .05 times the entropy of an action is added to its reward. training.json has
the results; a part that is trained again replaces the same part there.

Rewards: the outcome; MatchTIR's two forms [Qu2026] (a similarity of names, of keys and of
exact values; the greedy matching of its code, or balanced transport at .1; turn by turn); the score
and the skill of the run; the skill of each prefix as a potential; the causal form of
`Scorer.progress`, whose rewards sum to the skill or to the score.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import otap
from reproduction.paper.figures import COLOURS, STYLE
from reproduction.paper.rows import head, row
from reproduction.studies.environments import Call, Environment, Run, list_environments

Array = npt.NDArray[np.float64]
# Of each run of a group, one reward for each call, and one for the stop.
StepRewards = Callable[[Sequence[Run]], list[Sequence[float]]]
GROUP = 8
GROUPS = 50
ENTROPY = 0.05  # times the entropy of an action, which is added to the rewards
SEEDS = 10
WINDOW = 10  # groups over which success is measured
GOAL = 0.8
STEP_SIZES = (0.7, 2.0)
FINAL_RUNS = 100  # of each trained policy
REGULARISATION = 0.1  # of the balanced transport
RECORD = Path(__file__).with_name("training.json")
DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "training-study.md"
START, END = "<!-- {} -->\n", "<!-- end -->"
DRAWN = ("outcome", "MatchTIR hard + outcome", "MatchTIR soft + outcome", "skill + outcome",
         "causal + outcome", "causal to score + outcome")  # fmt: skip


class RunRewards:
    """OTAP's numbers for the runs of an environment; equal runs are scored once."""

    def __init__(self, environment: Environment) -> None:
        self._environment, self._scorer = environment, otap.Scorer()
        self._references = [environment.record(run) for run in environment.references]
        self._values: dict[Run, tuple[float, float]] = {}
        self._follower = self._scorer.progress(self._references)
        self._progress: dict[Run, float] = {(): 0.0}

    def score_all(self, runs: Sequence[Run]) -> None:
        """Scores the runs that were not scored yet, in one batch."""
        new = [run for run in dict.fromkeys(runs) if run not in self._values]
        pairs = [(self._environment.record(run), self._references) for run in new]
        for run, score in zip(new, self._scorer.score_many(pairs), strict=True):
            assert score.skill is not None
            self._values[run] = score.score, score.skill

    def score(self, runs: Sequence[Run]) -> list[Sequence[float]]:
        """The score, at the stop."""
        self.score_all(runs)
        return [[*[0.0] * len(run), self._values[run][0]] for run in runs]

    def skill(self, runs: Sequence[Run]) -> list[Sequence[float]]:
        """The skill, at the stop."""
        self.score_all(runs)
        return [[*[0.0] * len(run), self._values[run][1]] for run in runs]

    def prefix(self, runs: Sequence[Run]) -> list[Sequence[float]]:
        """What each call adds to the skill of the run so far."""
        prefixes = [[run[:k] for k in range(len(run) + 1)] for run in runs]
        self.score_all([prefix for row in prefixes for prefix in row])
        skills = [[self._values[prefix][1] for prefix in row] for row in prefixes]
        return [[*np.diff(row).tolist(), 0.0] for row in skills]

    def causal(self, runs: Sequence[Run]) -> list[Sequence[float]]:
        """The rewards of progress, which sum to the skill."""
        self.score_all(runs)
        return [self._follow(run, self._values[run][1]) for run in runs]

    def causal_to_score(self, runs: Sequence[Run]) -> list[Sequence[float]]:
        """The rewards of progress, which sum to the score."""
        self.score_all(runs)
        return [self._follow(run, self._values[run][0]) for run in runs]

    def _follow(self, run: Run, value: float) -> Sequence[float]:
        if run not in self._progress:
            progress = self._follower.restart()
            for k, call in enumerate(run, 1):
                reward = progress.add(self._environment.calls[call].step(k))
                self._progress[run[:k]] = reward.progress
        values = [self._progress[run[:k]] for k in range(len(run) + 1)]
        return [*np.diff(values).tolist(), value - values[-1]]


def compare_calls(call: Call, gold: Call) -> float:
    """MatchTIR's similarity of a predicted and a gold call, in [0, 1]."""
    if call.tool != gold.tool:
        return 0.0
    keys, gold_keys = set(call.arguments), set(gold.arguments)
    shared = len(keys & gold_keys) / len(keys | gold_keys)
    equal = sum(call.arguments.get(key) == value for key, value in gold.arguments.items())
    return (1 + shared + equal) / (2 + len(gold_keys))


def match_hard(similarity: Array) -> Array:
    """The similarity of each call to its counterpart; 0 without one."""
    n, m = similarity.shape
    order = sorted(np.ndindex(n, m), key=lambda pair: -similarity[pair])
    rewards, matched = np.zeros(n), set[int]()
    done = set[int]()
    for i, j in order:
        if similarity[i, j] > 0 and i not in done and j not in matched:
            rewards[i] = similarity[i, j]
            done.add(i)
            matched.add(j)
    return rewards


def match_soft(similarity: Array) -> Array:
    """What balanced transport with uniform marginals pays each call."""
    n, m = similarity.shape
    kernel = np.exp(similarity / REGULARISATION)
    v = np.ones(m)
    for _ in range(200):
        u = (1 / n) / (kernel @ v)
        v = (1 / m) / (kernel.T @ u)
    rewards: Array = (u[:, None] * kernel * v * similarity).sum(1)
    return rewards


class MatchedRewards:
    """MatchTIR's rewards by call, against the reference that pays most.

    Args:
        environment: with the references.
        match: what each call is paid, by its similarity to the gold calls.
    """

    def __init__(self, environment: Environment, match: Callable[[Array], Array]) -> None:
        self._environment, self._match = environment, match
        self._rewards: dict[Run, Sequence[float]] = {(): [0.0]}

    def reward(self, runs: Sequence[Run]) -> list[Sequence[float]]:
        """The rewards of each run; equal runs are matched once."""
        for run in runs:
            if run not in self._rewards:
                rewards = [self._reward_against(gold, run) for gold in self._environment.references]
                self._rewards[run] = [*max(rewards, key=sum), 0.0]
        return [self._rewards[run] for run in runs]

    def _reward_against(self, gold: Run, run: Run) -> list[float]:
        calls = self._environment.calls
        similarity = [[compare_calls(calls[i], calls[j]) for j in gold] for i in run]
        rewards: list[float] = self._match(np.array(similarity)).tolist()
        return rewards


def reward_outcome(environment: Environment, runs: Sequence[Run]) -> list[Sequence[float]]:
    """1 at the stop of each run that succeeded."""
    return [[*[0.0] * len(run), float(environment.has_succeeded(run))] for run in runs]


def list_rewards(environment: Environment) -> dict[str, StepRewards]:
    """The rewards of the study, by name, each alone and with the outcome."""
    runs = RunRewards(environment)
    rewards: dict[str, StepRewards] = {
        "MatchTIR hard": MatchedRewards(environment, match_hard).reward,
        "MatchTIR soft": MatchedRewards(environment, match_soft).reward,
        "score": runs.score,
        "skill": runs.skill,
        "prefix": runs.prefix,
        "causal": runs.causal,
        "causal to score": runs.causal_to_score,
    }
    best = max(environment.references, key=len)
    outcome = partial(reward_outcome, environment)
    every: dict[str, StepRewards] = {"outcome": outcome}
    for name, reward in rewards.items():
        scale = 1 / sum(reward([best])[0])
        every[name] = partial(_add, [(reward, scale)])
        every[f"{name} + outcome"] = partial(_add, [(reward, scale / 2), (outcome, 0.5)])
    return every


def _add(parts: Sequence[tuple[StepRewards, float]], runs: Sequence[Run]) -> list[Sequence[float]]:
    scaled = [[factor * np.array(rewards) for rewards in reward(runs)] for reward, factor in parts]
    return [sum(parts_of_run).tolist() for parts_of_run in zip(*scaled, strict=True)]


class Policy:
    """A softmax over the calls and the stop, by position and by last call."""

    def __init__(self, environment: Environment) -> None:
        appeal = [call.appeal for call in environment.calls]
        actions = environment.stop + 1
        self._environment = environment
        self._by_position = np.tile([*appeal, 0.0], (environment.horizon, 1))
        self._by_last = np.zeros((actions, actions))  # the last row: no call yet

    def sample(self, count: int, random: np.random.Generator) -> list[Run]:
        """Draws runs."""
        return [self._sample(random) for _ in range(count)]

    def learn(self, runs: Sequence[Run], returns: Sequence[Array], step_size: float) -> None:
        """Makes actions more likely whose reward-to-go is above that of the other runs.

        Args:
            runs: a group.
            returns: of each run the reward-to-go of its calls and of its stop.
            step_size: of the gradient.
        """
        by_position, by_last = np.zeros_like(self._by_position), np.zeros_like(self._by_last)
        for t in range(self._environment.horizon):
            reached = [k for k, run in enumerate(runs) if len(run) >= t]
            if len(reached) < 2:
                break
            total = sum(returns[k][t] for k in reached)
            for k in reached:
                own = returns[k][t]
                action, last = self._action(runs[k], t), self._last(runs[k], t)
                probabilities = self._probabilities(t, last)
                logs = np.log(probabilities)
                surprise = float(probabilities @ logs) - logs[action]
                advantage = own - (total - own) / (len(reached) - 1) + ENTROPY * surprise
                gradient = -advantage * probabilities
                gradient[action] += advantage
                by_position[t] += gradient
                by_last[last] += gradient
        self._by_position += step_size * by_position
        self._by_last += step_size * by_last

    def _sample(self, random: np.random.Generator) -> Run:
        run: Run = ()
        while len(run) < self._environment.horizon:
            probabilities = self._probabilities(len(run), self._last(run, len(run)))
            action = int(np.searchsorted(np.cumsum(probabilities), random.random()))
            if action >= self._environment.stop:
                break
            run = (*run, action)
        return run

    def _probabilities(self, t: int, last: int) -> Array:
        logits = self._by_position[t] + self._by_last[last]
        weights = np.exp(logits - logits.max())
        probabilities: Array = weights / weights.sum()
        return probabilities

    def _action(self, run: Run, t: int) -> int:
        return run[t] if t < len(run) else self._environment.stop

    def _last(self, run: Run, t: int) -> int:
        return run[t - 1] if t else self._environment.stop


@dataclass(frozen=True)
class Training:
    """What one seed did.

    Attributes:
        successes: the number of good runs of each group, a digit each.
        final: the share of good runs of the trained policy.
        harm: the share of its runs with a change that nobody asked for.
        repeats: changes made again, by run.
        padding: look-ups that nobody asked for, by run.
    """

    successes: str
    final: float
    harm: float
    repeats: float
    padding: float

    @property
    def reached(self) -> int | None:
        """The group after which the last ten had 80 % success; None if never."""
        good = np.flatnonzero(self.curve >= GOAL)
        return int(good[0]) + WINDOW if good.size else None

    @property
    def curve(self) -> Array:
        """The success of the last ten groups, from the tenth group on."""
        shares = np.array([int(digit) for digit in self.successes]) / GROUP
        return np.convolve(shares, np.ones(WINDOW) / WINDOW, mode="valid")


@dataclass(frozen=True)
class Trainings:
    """All seeds of a reward in an environment, with one step size."""

    environment: str
    reward: str
    step_size: float
    seeds: Sequence[Training]

    @property
    def reached(self) -> list[int]:
        """When the seeds reached 80 %, of those that did."""
        return [seed.reached for seed in self.seeds if seed.reached is not None]

    @property
    def rank(self) -> tuple[float, float, float]:
        """The rule by which a step size is chosen; more is better."""
        late = float(np.mean([seed.reached or len(seed.successes) for seed in self.seeds]))
        return len(self.reached), -late, float(np.mean([seed.final for seed in self.seeds]))


def train(
    environment: Environment, reward: StepRewards, step_size: float, seed: int, groups: int
) -> Training:
    """Trains a policy from one seed."""
    random, policy = np.random.default_rng(seed), Policy(environment)
    successes = ""
    for _ in range(groups):
        runs = policy.sample(GROUP, random)
        returns = [_sum_to_go(rewards) for rewards in reward(runs)]
        policy.learn(runs, returns, step_size)
        successes += str(sum(environment.has_succeeded(run) for run in runs))
    final = policy.sample(FINAL_RUNS, random)
    faults = [environment.list_faults(run) for run in final]
    return Training(
        successes=successes,
        final=float(np.mean([environment.has_succeeded(run) for run in final])),
        harm=float(np.mean([fault.harm for fault in faults])),
        repeats=float(np.mean([fault.repeats for fault in faults])),
        padding=float(np.mean([fault.padding for fault in faults])),
    )


def _sum_to_go(rewards: Sequence[float]) -> Array:
    to_go: Array = np.cumsum(rewards[::-1])[::-1]
    return to_go


def train_all(
    environment: Environment, seeds: int, groups: int, names: Sequence[str] | None
) -> list[Trainings]:
    """Trains with each step size, and with the named rewards or all, in an environment."""
    results: list[Trainings] = []
    for name, reward in list_rewards(environment).items():
        if names is not None and name not in names:
            continue
        for step_size in STEP_SIZES:
            trained = [train(environment, reward, step_size, seed, groups) for seed in range(seeds)]
            results.append(Trainings(environment.name, name, step_size, trained))
            print(environment.name, name, step_size, len(results[-1].reached), file=sys.stderr)
    return results


def choose(results: Sequence[Trainings]) -> dict[tuple[str, str], Trainings]:
    """The better step size of each environment and reward."""
    chosen: dict[tuple[str, str], Trainings] = {}
    for result in results:
        key = result.environment, result.reward
        if key not in chosen or result.rank > chosen[key].rank:
            chosen[key] = result
    return chosen


def show_success(results: Sequence[Trainings]) -> list[str]:
    """A row a reward: seeds that reach 80 %, when, and the success at the end."""
    chosen = choose(results)
    environments = list(dict.fromkeys(result.environment for result in results))
    lines = [*head(("reward",), environments)]
    for reward in dict.fromkeys(result.reward for result in results):
        cells = [_show_reached(chosen.get((name, reward))) for name in environments]
        lines.append(row((f"**{reward}**" if reward.startswith("causal") else reward,), cells))
    return lines


def _show_reached(result: Trainings | None) -> str:
    if result is None:
        return ""
    final = np.mean([seed.final for seed in result.seeds])
    when = f", {np.median(result.reached):.0f}" if result.reached else ""
    return f"{len(result.reached)} of {len(result.seeds)}{when} ({final:.2f})"


def show_faults(results: Sequence[Trainings]) -> list[str]:
    """A row a reward and an environment: harm, repeats and padding with 95 % intervals."""
    chosen = choose(results)
    lines = [*head(("environment", "reward"), ("harm", "repeats", "padding"))]
    for (name, reward), result in chosen.items():
        if "+" in reward and reward not in DRAWN:
            continue
        cells = [
            _show_mean([getattr(seed, fault) for seed in result.seeds])
            for fault in ("harm", "repeats", "padding")
        ]
        lines.append(row((name, reward), cells))
    return lines


def _show_mean(values: Sequence[float]) -> str:
    """A mean with the interval of a bootstrap over seeds."""
    random = np.random.default_rng(0)
    means = random.choice(values, (2000, len(values))).mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return f"{np.mean(values):.2f} [{low:.2f}, {high:.2f}]"


def draw(results: Sequence[Trainings], file: Path) -> None:
    """Draws the success by group: the median seed, and the quartiles as a band."""
    chosen = choose(results)
    names = list(dict.fromkeys(result.environment for result in results))
    with rc_context(STYLE):
        figure = Figure((10, 5.2), layout="constrained")
        *panels, legend = figure.subplots(2, 3, sharey=True).flat
        for axes, name in zip(panels, names, strict=False):
            _draw_curves(axes, [chosen.get((name, reward)) for reward in DRAWN])
            axes.set_title(name, loc="left")
            axes.spines[["top", "right"]].set_visible(False)
        for axes in (*panels[len(names) :], legend):
            axes.axis("off")
        legend.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="center")
        figure.supxlabel("groups of eight runs")
        figure.supylabel("success of the last ten groups")
        figure.savefig(file, metadata={"Date": None})


def _draw_curves(axes: Axes, results: Sequence[Trainings | None]) -> None:
    for colour, result in zip(COLOURS, results, strict=True):
        if result is None:
            continue
        curves = np.array([seed.curve for seed in result.seeds])
        low, middle, high = np.quantile(curves, (0.25, 0.5, 0.75), axis=0)
        groups = np.arange(WINDOW, WINDOW + curves.shape[1])
        axes.fill_between(groups, low, high, alpha=0.15, color=colour, linewidth=0)
        axes.plot(groups, middle, color=colour, label=result.reward)


def write_record(results: Sequence[Trainings]) -> None:
    """Writes the results, one training a line."""
    lines = ",\n".join(json.dumps(asdict(result)) for result in results)
    RECORD.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read_record() -> list[Trainings]:
    """Reads the results."""
    entries: list[dict[str, Any]] = json.loads(RECORD.read_text("utf-8"))
    return [
        Trainings(**{**entry, "seeds": [Training(**seed) for seed in entry["seeds"]]})
        for entry in entries
    ]


def replace_parts(results: Sequence[Trainings], trained: Sequence[Trainings]) -> list[Trainings]:
    """The results with new ones in place of those of the same environment, reward and step size."""
    parts = {
        (result.environment, result.reward, result.step_size): result
        for result in (*results, *trained)
    }
    return list(parts.values())


def fill_page(text: str, tables: Mapping[str, Sequence[str]]) -> str:
    """The page with its tables made anew."""
    for name, lines in tables.items():
        before, rest = text.split(START.format(name), 1)
        _, after = rest.split(END, 1)
        text = before + START.format(name) + "\n".join(lines) + "\n" + END + after
    return text


def main() -> None:
    """Trains, and writes training.json, the tables of docs/training-study.md, and the curves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--groups", type=int, default=GROUPS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", metavar="ENVIRONMENT", help="one environment")
    parser.add_argument("--rewards", nargs="+", metavar="REWARD", help="some of the rewards")
    parser.add_argument("--draw", action="store_true", help="from training.json, without training")
    options = parser.parse_args()
    environments = [
        environment
        for environment in list_environments()
        if options.only in (None, environment.name)
    ]
    results = read_record()
    if not options.draw:
        work = partial(train_all, seeds=options.seeds, groups=options.groups, names=options.rewards)
        with ProcessPoolExecutor(options.jobs) as pool:
            trained = [result for part in pool.map(work, environments) for result in part]
        results = replace_parts(results, trained)
        write_record(results)
    print("\n".join([*show_success(results), "", *show_faults(results)]))
    tables = {"success": show_success(results), "faults": show_faults(results)}
    PAGE.write_text(fill_page(PAGE.read_text("utf-8"), tables), encoding="utf-8")
    draw(results, DOCS / "training-success.svg")


if __name__ == "__main__":
    main()
