"""The calculation of one score: every number that a reader needs to check it by hand."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from otap._numbers import count_text, six_digit_text
from otap.alignment.comparison import BAND_WIDTH
from otap.errors import shown
from otap.report.model.vocabulary import PARTS, label_step
from otap.report.view import Cell, ViewLine, line
from otap.scoring import Against, Score, Side
from otap.scoring.calculation import Calculation, StepCharge

MAX_ORDER = 200  # charges for order that are listed; the smaller ones are summed
_LABEL = 60  # characters of the steps of one node
_HANG = 8  # spaces before the rest of a row that is too long
_NO_MASS = "forbidden"  # the price if no mass may move


def calculation_lines(score: Score, against: Against) -> Iterator[ViewLine]:
    """Yields the calculation of a score, from the costs of pairs to exp(-loss).

    All numbers have six significant digits, so that the score follows to five decimals.

    Args:
        score: the score against all references.
        against: the run and its best reference.
    """
    calculation = against.calculation
    yield line("How the number is computed", "bold")
    if calculation.pairs:
        yield from _list_pairs(calculation)
        yield line()
    sides = ("run", calculation.run, against.run), (
        "reference", calculation.reference, against.reference,
    )  # fmt: skip
    for name, charges, side in sides:
        yield from _list_steps(score, calculation, charges, side, name)
        yield line()
    if calculation.order:
        yield from _list_order(calculation)
        yield line()
    yield from _list_sum(score, calculation)


def _list_pairs(calculation: Calculation) -> Iterator[ViewLine]:
    fields = list(calculation.weights)
    weighted = " + ".join(f"{six_digit_text(calculation.weights[name])} {name}" for name in fields)
    yield from _explain(f"Pairs: cost = {weighted}")
    if calculation.unit is not None:
        yield from _explain("price = cost up to 0.9; above it rises to 4 at a cost of 1")
    yield from _explain(f"charge = (1 - {six_digit_text(calculation.theta)}) x price x moved")
    has_order = any(pair.order > 0 for pair in calculation.pairs)
    header = ["run", "reference", *fields, "cost", "price", "moved", "charge"]
    rows = [[*header, "order"] if has_order else header]
    for pair in calculation.pairs:
        price = _NO_MASS if pair.price is None else six_digit_text(pair.price)
        distances = [six_digit_text(pair.distances[name]) for name in fields]
        row = [
            str(pair.run + 1),
            str(pair.reference + 1),
            *distances,
            six_digit_text(pair.cost),
            price,
        ]
        row += [six_digit_text(pair.moved), six_digit_text(pair.charge)]
        rows.append([*row, six_digit_text(pair.order)] if has_order else row)
    yield from _align(rows)


def _list_steps(
    score: Score, calculation: Calculation, steps: Sequence[StepCharge], side: Side, name: str
) -> Iterator[ViewLine]:
    unit = (
        "" if calculation.unit is None else f": mass = weight / {six_digit_text(calculation.unit)}"
    )
    yield from _explain(f"Steps of the {name}{unit}")
    has_nearness = any(step.nearness < 1 for step in steps)
    factor = "factor x nearness" if has_nearness else "factor"
    yield from _explain(f"charge = {factor} x (moved ln(moved / mass) - moved + mass)")
    if has_nearness:
        yield from _explain(
            "nearness = (1 + cost of the nearest step) / 2 for a step without any allowed pair; "
            "about .05 + .1 cost for an attempt at a missing step, which is charged already"
        )
    if name == "reference":
        yield from _explain_emphasis(score, steps)
    rows = [[name, "weight", "mass", "factor", "nearness", "moved", "charge", "counts as", "step"]]
    for index, step in enumerate(steps, 1):
        numbers = step.weight, step.mass, step.factor, step.nearness, step.moved, step.penalty
        part = PARTS.get(step.part, step.part) if step.penalty > 0 else ""
        label = " + ".join(label_step(side.steps[k]) for k in step.steps)
        rows.append(
            [
                str(index),
                *[six_digit_text(value) for value in numbers],
                part or "-",
                shown(label, _LABEL),
            ]
        )
    if not has_nearness:
        rows = [[*row[:4], *row[5:]] for row in rows]
    yield from _align(rows)


def _explain_emphasis(score: Score, steps: Sequence[StepCharge]) -> Iterator[ViewLine]:
    """The factors of the reference, if some of its steps are required for its goal."""
    signature, factors = score.signature, [step.factor for step in steps]
    if not factors or max(factors) - min(factors) < 1e-9:
        return
    mean = six_digit_text(signature.lambda_reference / min(factors))
    kappa, required = six_digit_text(signature.kappa), six_digit_text(1 + signature.kappa)
    yield from _explain(
        f"factor = {required} / {mean} for a step that the goal requires, else 1 / {mean}; "
        f"{mean} is the mean by weight (kappa {kappa})"
    )


def _list_order(calculation: Calculation) -> Iterator[ViewLine]:
    theta = six_digit_text(calculation.theta)
    yield from _explain(
        "Order: two pairs (A, a) and (B, b) are charged if A precedes B otherwise than a precedes b"
    )
    yield from _explain(
        f"charge = 2 x {theta} x (run - reference)^2 x moved A x moved B; 1: first precedes second"
    )
    rows = [["pair A", "pair B", "run", "reference", "moved A", "moved B", "charge"]]
    ranked = sorted(calculation.order, key=lambda charge: -charge.charge)
    for charge in ranked[:MAX_ORDER]:
        pairs = calculation.pairs[charge.earlier], calculation.pairs[charge.later]
        numbers = charge.run, charge.reference, pairs[0].moved, pairs[1].moved, charge.charge
        names = [f"{pair.run + 1}-{pair.reference + 1}" for pair in pairs]
        rows.append([*names, *[six_digit_text(value) for value in numbers]])
    yield from _align(rows)
    smaller = ranked[MAX_ORDER:]
    if smaller:
        total = sum(charge.charge for charge in smaller)
        yield from _explain(
            f"and {count_text(len(smaller), 'smaller charge')}: {six_digit_text(total)}"
        )


def _list_sum(score: Score, calculation: Calculation) -> Iterator[ViewLine]:
    answers, losses = calculation.answers, calculation.loss_before_band
    rows = [["Sum", "loss"]]
    if calculation.pairs:
        rows.append(["pairs", six_digit_text(sum(pair.charge for pair in calculation.pairs))])
        rows.append(["order", six_digit_text(sum(pair.order for pair in calculation.pairs))])
    for name, steps in (("run", calculation.run), ("reference", calculation.reference)):
        rows.append([f"steps of the {name}", six_digit_text(sum(step.penalty for step in steps))])
    if answers.reference:
        weight, price = six_digit_text(answers.weight), six_digit_text(answers.price)
        formula = f"{len(answers.missing)} x {weight} x {price}"
        rows.append([f"missing answers: {formula}", six_digit_text(answers.loss)])
    rows.append(["loss before the severity band", six_digit_text(losses)])
    yield from _align(rows)
    yield from _explain_band(calculation)
    yield from _explain_references(score, calculation)
    yield from _explain(
        f"score = exp(-{six_digit_text(score.loss)}) = {six_digit_text(score.score)}"
    )


def _explain_band(calculation: Calculation) -> Iterator[ViewLine]:
    before, width = six_digit_text(calculation.loss_before_band), six_digit_text(BAND_WIDTH)
    if calculation.verdict == "critical":
        sentence = f"a finding is critical: {before} + {width} = {six_digit_text(calculation.loss)}"
    elif calculation.verdict == "tolerated":
        sentence = (
            f"no finding is critical: {width} x (1 - exp(-{before} / {width})) = "
            f"{six_digit_text(calculation.loss)}"
        )
    else:
        return
    yield from _explain(f"Severity band, {sentence}")


def _explain_references(score: Score, calculation: Calculation) -> Iterator[ViewLine]:
    if len(score.references) == 1:
        return
    temperature = score.signature.temperature
    if temperature == 0:
        yield from _explain(
            f"Of {len(score.references)} references, the one with the smallest loss counts: "
            f"{six_digit_text(calculation.loss)}"
        )
        return
    solved = [reference.loss for reference in score.references if reference.loss is not None]
    losses = ", ".join(six_digit_text(loss) for loss in solved)
    loss = six_digit_text(score.loss)
    yield from _explain(
        f"{len(score.references)} references: -{six_digit_text(temperature)} "
        f"ln(mean of exp(-loss / {six_digit_text(temperature)})) of the losses {losses} = {loss}"
    )


def _explain(sentence: str) -> Iterator[ViewLine]:
    yield line(sentence, "dim", 2)


def _align(rows: Sequence[Sequence[str]]) -> Iterator[ViewLine]:
    """Lays out rows in columns; a row that is too wide continues below, with all its digits."""
    widths = [max(cell_len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for index, row in enumerate(rows):
        padded = [
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        text = Cell("  ".join(padded).rstrip(), "dim" if index == 0 else "")
        yield ViewLine((Cell("    "), text), Cell(" " * _HANG))
