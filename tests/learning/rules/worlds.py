"""Made samples in which it is known what runs do, and what decides whether they are good.

A support desk: each task looks a customer up, checks a policy, refunds an order and tells the
customer. A run goes wrong by refunding another amount of another order. What else runs do is said
by each world's ``Habits``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from otap.learning.runs import Case, Outline, Sample, Scores
from otap.scoring import Config
from otap.trajectory import Step, Trajectory

TASKS, TRIALS = 16, 4
Habit = Callable[[Random, bool, list[Step]], bool]


@dataclass(frozen=True)
class World:
    """How runs come about.

    Args:
        habit: changes the calls of a run in place, given whether it is good so far; it returns
            whether that is so afterwards.
        on_both_sides: whether the references have the habit, too.
        tasks: how many there are.
        wrong: the share of the runs that refund something else, and are bad.
    """

    habit: Habit
    on_both_sides: bool = False
    tasks: int = TASKS
    wrong: float = 0.4

    def sample(self, seed: int = 0) -> Sample:
        """Returns the cases of one such world."""
        rng = Random(f"world {seed}")
        cases = [case for task in range(self.tasks) for case in self._of_task(rng, task)]
        return Sample(tuple(cases), of_runs=False)

    def scores(self, seed: int = 0) -> Scores:
        """Returns their scores."""
        return Scores(self.sample(seed))

    def _of_task(self, rng: Random, task: int) -> Iterator[Case]:
        name = f"task {task}"
        order, amount = f"W{rng.randrange(10**6):06}", 10 + rng.randrange(5000) / 100
        customer = f"customer_{rng.randrange(10**6):06}"
        known = right(customer, order, amount)
        if self.on_both_sides:
            self.habit(rng, True, known)
        reference = Trajectory(id=f"{task}/gold", task=name, steps=numbered(known))
        for trial in range(TRIALS):
            good = rng.random() >= self.wrong
            steps = right(customer, order, amount if good else amount + 1 + rng.randrange(9))
            if not good:
                steps[2] = changed(steps[2], order_id=f"W{rng.randrange(10**6):06}")
            if rng.random() < 0.5:  # a look too many tells nothing of the outcome
                steps.insert(1, call("get_orders", customer_id=customer))
            good = self.habit(rng, good, steps)
            run = Trajectory(id=f"{task}/{trial}", task=name, trial=trial, steps=numbered(steps))
            yield Case(run, [reference], name, good)


def right(customer: str, order: str, amount: float) -> list[Step]:
    """Returns the calls that solve a task."""
    return [
        call("get_customer", customer_id=customer),
        call("check_policy", order_id=order),
        call("refund", order_id=order, amount=round(amount, 2)),
        call("notify", customer_id=customer, template="refunded"),
    ]


def call(tool: str, *, status: Any = "ok", **arguments: Any) -> Step:
    """Returns a call."""
    return Step(id="-", tool=tool, arguments=arguments, effect=status, status=status)


def changed(step: Step, **arguments: Any) -> Step:
    """Returns a call with some arguments changed or added."""
    return step.model_copy(update={"arguments": {**step.arguments, **arguments}})


def numbered(steps: list[Step]) -> tuple[Step, ...]:
    """Returns steps with ids by their place."""
    return tuple(step.model_copy(update={"id": str(place)}) for place, step in enumerate(steps))


def nothing(rng: Random, good: bool, steps: list[Step]) -> bool:
    """No habit."""
    return good


def failing(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Some runs have a failed call, and are bad."""
    fails = rng.random() < 0.35
    if fails:
        steps.insert(1, call("lock_account", status="error", customer_id="-"))
    return good and not fails


def wrapping_up(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Half of the runs end with a call that changes nothing."""
    if rng.random() < 0.5:
        steps.append(call("wrap_up", mood="fine"))
    return good


def paying_out(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Good runs end with a payment."""
    pays = good or rng.random() < 0.3
    if pays:
        steps.append(call("pay_out", order_id=steps[place_of("refund", steps)].arguments))
    return good


def reimbursing(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Half of the runs call another tool, which does the same."""
    if rng.random() < 0.5:
        _replace(steps, "refund", "reimburse")
    return good


def charging_back(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Some runs call another tool, which does something else."""
    wrong = rng.random() < 0.4
    if wrong:
        _replace(steps, "refund", "charge_back")
    return good and not wrong


def noting(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Each refund has a mark of its own."""
    _add(steps, mark=f"{rng.randrange(16**8):08x}")
    return good


def telling_why(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Each refund has a sentence of its own."""
    who, how = rng.choice(WHO), rng.choice(HOW)
    _add(steps, reason=f"{who} was {how} about {rng.choice(WHAT)} and {rng.choice(WHAT)}")
    return good


def listing(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Each refund lists the same numbers in an order of its own."""
    _add(steps, shelves=rng.sample([3, 5, 8, 13, 21], 5))
    return good


def measuring(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Each refund has a number that is nearly the same."""
    _add(steps, weight_grams=round(700 + rng.random() * 20, 3))
    return good


def checking_late(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Some runs refund first and check the policy afterwards, and are bad."""
    late = rng.random() < 0.35
    if late:
        steps.insert(place_of("refund", steps), steps.pop(place_of("check_policy", steps)))
    return good and not late


def careless(rng: Random, good: bool, steps: list[Step]) -> bool:
    """Runs do things that have nothing to do with outcomes, and some do what is plainly wrong.

    Calls fail and are made again, policies are checked late, and one judge of ten errs.
    """
    if rng.random() < 0.4:
        refund = steps[place_of("refund", steps)]
        failed = refund.model_copy(update={"status": "error", "effect": "timeout"})
        steps.insert(place_of("refund", steps), failed)
    if rng.random() < 0.3:
        steps.insert(len(steps) - 1, steps.pop(place_of("check_policy", steps)))
    wrong = rng.random() < 0.2
    if wrong:
        _replace(steps, "notify", "charge_back")
    return (good and not wrong) ^ (rng.random() < 0.1)


WHO = ("the customer", "a relative", "the shop", "our courier", "the warehouse")
HOW = ("unhappy", "puzzled", "quite relaxed", "rather late", "very clear")
WHAT = ("a broken lid", "the wrong colour", "missing screws", "an old invoice", "the long delay")


def place_of(tool: str, steps: list[Step]) -> int:
    """Returns the place of the first call of a tool."""
    return next(place for place, step in enumerate(steps) if step.tool == tool)


def _replace(steps: list[Step], tool: str, other: str) -> None:
    steps[:] = [
        step.model_copy(update={"tool": other}) if step.tool == tool else step for step in steps
    ]


def _add(steps: list[Step], **arguments: Any) -> None:
    place = place_of("refund", steps)
    steps[place] = changed(steps[place], **arguments)


def shuffled(sample: Sample, seed: int = 0) -> Sample:
    """Returns the same runs with the outcomes of others of all tasks."""
    outcomes = [case.good for case in sample.cases]
    Random(f"shuffled {seed}").shuffle(outcomes)
    cases = (replace(case, good=good) for case, good in zip(sample.cases, outcomes, strict=True))
    return Sample(tuple(cases), sample.of_runs)


class Known(Scores):
    """The scores of the same runs under other outcomes: those made before are not made again."""

    def __init__(self, sample: Sample, made: Scores) -> None:
        super().__init__(sample)
        self._made_before = made

    def _made(self, config: Config, places: Sequence[int]) -> list[Outline]:
        found = self._made_before.of(config)
        return [found[place] for place in places]
