"""WebArena's intents as tasks: reference plans that a rule engine derives from them.

WebArena has real intents and no gold trajectories. As in the paper, a plan follows from intent,
sites and evaluation type. The rules are tables, which :mod:`reproduction.corpora.webarena_rules`
reads: what is found on which site (SITES), which words make which kind of intent (KINDS), which
steps a kind takes and what each of them needs (PLANS), which of these another evaluation type
replaces (EVALUATIONS), and how a step is told (STEPS). Texts come in three wordings of one meaning:
the canonical one, and those of the other references. Where a task is about two sites, steps
`...-elsewhere` gather from the one that is only read.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from textwrap import shorten
from typing import Any

from examples.perturbation import retraced
from otap import Step, Trajectory
from reproduction.corpora.cases import Task
from reproduction.corpora.webarena_rules import (
    DETAILS,
    EVALUATIONS,
    FIELDS,
    KINDS,
    LABELS,
    LEXICON,
    MEANS,
    NO_FACETS,
    NO_PLACES,
    PLANS,
    RIGHT,
    SITES,
    SOURCES,
    STEPS,
    TOOLS,
    TWO,
    WANTED,
    Things,
)

Config = Mapping[str, Any]  # one record of WebArena's file
DISTRACTORS = 6  # steps of plans on other sites that may be put into a task
LONGEST = 70  # characters of a value or an intent within a step's text
LONGEST_SUBJECT = 50
ELSEWHERE = "-elsewhere"  # marks the steps on the site that is only read
_FROM_TO = re.compile(
    r"\b(?:from|at) (.+?),? (?:how long .*)?to (.+?)(?: by \w+)?[?.]?$", re.IGNORECASE
)
_LEAD = re.compile(
    r"^(today is [\d/]+[.,] ?)?(please )?((tell+|show|give|get) me|show|get|list( out)?|find|see"
    r"|check ?out|provide me with|look ?up|what('s| is| are)|how (many|much)|presents?|add|approve"
    r"|subscribe to|change|update|set|make|draft|ask for|reply to|gather|create|start)\b",
    re.IGNORECASE,
)


def plan(config: Config) -> Trajectory:
    """The reference plan of a configuration: 5 to 8 steps in the canonical order and wording."""
    return _told(config, wording=0)


def references(config: Config) -> list[Trajectory]:
    """The plan, the same in the second wording and another order, and in the third wording.

    All three have the same steps by id, and the same dependencies between them.
    """
    return [plan(config), _other_order(_told(config, wording=1)), _told(config, wording=2)]


def tasks(folder: Path, count: int = 24, seed: int = 0) -> list[Task]:
    """Tasks of different templates, drawn from the first configuration of each.

    Every combination of sites has a share, the larger the more templates it has.
    """
    firsts = _firsts(configurations(folder))
    plans = [(config["sites"], plan(config)) for config in firsts]
    drawn = _drawn(firsts, count, random.Random(seed))
    return [_task(config, plans) for config in drawn]


def configurations(folder: Path) -> list[Config]:
    """All configurations, by rising id."""
    found = json.loads((folder / "test.raw.json").read_text(encoding="utf-8"))
    return sorted(found, key=lambda config: config["task_id"])


def kind_of(config: Config) -> str:
    """The kind of its intent, a key of PLANS: that of the first row of KINDS that fits."""
    where = (TWO,) if len(config["sites"]) > 1 else ("", *config["sites"])
    intent = config["intent"].casefold()
    return next(kind for kind, on, words in KINDS if on in where and re.search(words, intent))


def _drawn(firsts: Sequence[Config], count: int, rng: random.Random) -> Iterator[Config]:
    strata: dict[tuple[str, ...], list[Config]] = defaultdict(list)
    for config in firsts:
        strata[tuple(config["sites"])].append(config)
    shares = _shares({sites: len(found) for sites, found in strata.items()}, count)
    for sites in sorted(shares):
        yield from rng.sample(strata[sites], shares[sites])


def _firsts(every: Sequence[Config]) -> list[Config]:
    """The first configuration of each template, by rising template."""
    first = {config["intent_template_id"]: config for config in reversed(every)}
    return [first[template] for template in sorted(first)]


def _shares(sizes: Mapping[tuple[str, ...], int], count: int) -> Counter[tuple[str, ...]]:
    """By Adams' method of dividing seats: each gets one before any gets a second."""
    shares: Counter[tuple[str, ...]] = Counter()

    def claim(one: tuple[str, ...]) -> tuple[float, int, tuple[str, ...]]:
        return sizes[one] / shares[one] if shares[one] else inf, sizes[one], one

    for _ in range(count):
        shares[max((one for one in sizes if shares[one] < sizes[one]), key=claim)] += 1
    return shares


def _task(config: Config, plans: Sequence[tuple[Sequence[str], Trajectory]]) -> Task:
    canonical, *others = references(config)
    said = " | ".join(text for step in canonical.steps for text in _texts(step))
    foreign = [one for sites, one in plans if not set(sites) & set(config["sites"])]
    return Task(
        name=_name(config),
        references=[canonical, *others],
        lexicon={phrase: ways for phrase, ways in LEXICON.items() if _has(said, phrase)},
        distractors=_distractors(_name(config), foreign),
        tools=TOOLS,
    )


def _name(config: Config) -> str:
    return f"webarena-{config['task_id']}"


def _texts(step: Step) -> list[str]:
    return [str(step.action), str(step.arguments), str(step.effect)]


def _has(text: str, phrase: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE))


def _distractors(name: str, foreign: Sequence[Trajectory]) -> list[Step]:
    steps = [step for one in foreign for step in one.steps]
    nothing: dict[str, Any] = {"depends_on": None, "metadata": {"produces": [], "consumes": []}}
    return [
        step.model_copy(update={"id": f"distractor-{number}", **nothing})
        for number, step in enumerate(random.Random(name).sample(steps, DISTRACTORS), 1)
    ]


def _told(config: Config, wording: int) -> Trajectory:
    name = _name(config)
    slots = {site: _slots(config, site, wording) for site in config["sites"]}
    steps = tuple(
        _step(step, needs, slots[_site_of(step, config)], wording)
        for step, needs in _rows(config).items()
    )
    return retraced(Trajectory(id=name, task=name, request=(config["intent"],), steps=steps))


def _step(name: str, needs: Sequence[str], slots: Mapping[str, str], wording: int) -> Step:
    telling = STEPS[name.removesuffix(ELSEWHERE)]
    said = [text.format(**slots) for text in telling.said[wording]]
    return Step(
        id=name,
        tool=telling.tool,
        **dict(zip(("action", "arguments", "effect"), said, strict=True)),
        metadata={"produces": [_made(name)], "consumes": [_made(need) for need in needs]},
    )


def _made(name: str) -> str:
    makes = STEPS[name.removesuffix(ELSEWHERE)].makes
    return f"{makes} elsewhere" if name.endswith(ELSEWHERE) else makes


def _other_order(trajectory: Trajectory) -> Trajectory:
    """Each step as late as its listing allows; another order, as no plan is a chain."""
    left, order = list(trajectory.steps), list[Step]()
    while left:
        done = {step.id for step in order}
        order.append([step for step in left if done.issuperset(step.depends_on or ())][-1])
        left.remove(order[-1])
    return retraced(trajectory.model_copy(update={"steps": tuple(order)}))


def _rows(config: Config) -> dict[str, list[str]]:
    """The steps of a plan with what they need: those of its kind, by its evaluation and sites."""
    other = EVALUATIONS[frozenset(config["eval"]["eval_types"])]
    rows = {
        other.get(step, step): [other.get(need, need) for need in needs]
        for step, needs in PLANS[kind_of(config)].items()
    }
    for step in ("login", "login" + ELSEWHERE):
        if step in rows and not SITES[_site_of(step, config)].account:
            [before] = rows.pop(step)
            rows = {s: [before if n == step else n for n in ns] for s, ns in rows.items()}
    return rows


def _site_of(step: str, config: Config) -> str:
    sites: list[str] = config["sites"]
    main = min(sites, key=SOURCES.__contains__)  # the first that is no source
    elsewhere = next((site for site in sites if site != main), main)
    return elsewhere if step.endswith(ELSEWHERE) else main


def _slots(config: Config, name: str, wording: int) -> dict[str, str]:
    """What the texts of the steps on one site are filled with."""
    site, target = SITES[name], _target(config, name)
    things = next(t for t in site.things if re.search(t.words, config["intent"].casefold()))
    targets = [_target(config, each) for each in config["sites"]]
    others = {key: value for key, value in _values(config).items() if value not in targets}
    return {
        "site": site.called[wording],
        "other": SITES[_site_of(ELSEWHERE, config)].called[wording],
        "things": things.called[wording],
        "order": things.order[wording],
        "target": target,
        **_way_slots(config),
        **_search_slots(target, others, things, wording),
        **_form_slots(others, config, wording),
        **_answer_slots(config, wording),
    }


def _target(config: Config, name: str) -> str:
    """What the intent wants of a site: where a way ends, else a value, else its own words."""
    rows, values, (start, goal) = PLANS[kind_of(config)], _values(config), _way(config)
    if name == "map" and ("goal" in rows or "join" in rows):
        return goal if "goal" in rows else start
    named = (values[key] for key in SITES[name].targets if key in values)
    return next(named, _subject(config))


def _search_slots(
    target: str, others: Mapping[str, str], things: Things, wording: int
) -> dict[str, str]:
    """What is searched for, and by what it is filtered: by the intent's values, then as usual."""
    given = {_label(key): value for key, value in others.items() if key not in NO_FACETS}
    usual = [f"{RIGHT[wording]} {f[wording]}" for f in things.facets if f[0] not in given]
    narrow, restrict, *_ = [*(f"{label} {value}" for label, value in given.items()), *usual]
    words = ", ".join([target, *(value for value in given.values() if value not in target)])
    return {"words": words, "narrow": narrow, "restrict": restrict}


def _form_slots(others: Mapping[str, str], config: Config, wording: int) -> dict[str, str]:
    """What is typed: the values of the intent beside its target, else its own words."""
    given = [f"{_label(key)} {value}" for key, value in others.items()]
    return {
        "first": given[0] if given else FIELDS[0][wording],
        "second": ", ".join(given[1:]) or FIELDS[1][wording],
        "fields": ", ".join(given) or _short(config["intent"]),
    }


def _answer_slots(config: Config, wording: int) -> dict[str, str]:
    values = _values(config)
    wanted = next((f"the {values[key]}" for key in WANTED if key in values), DETAILS[wording])
    gold = (config["eval"]["reference_answers"] or {}).values()
    answers = [text for said in gold for text in ([said] if isinstance(said, str) else said)]
    return {
        "wanted": wanted,
        "answer": _short(", ".join(answers).replace("|OR|", "or") or wanted),
        "task": _short(config["intent"]),
    }


def _way_slots(config: Config) -> dict[str, str]:
    means = (said for words, said in MEANS if re.search(words, config["intent"], re.I))
    return {"start": _way(config)[0], "means": next(means)}


def _way(config: Config) -> tuple[str, str]:
    """Where a route begins and ends: two values of the intent, else its own words."""
    places = _places(config)
    start = next((place for place in places if f"from {place}" in config["intent"]), places[0])
    goals = [place for place in places if place != start]
    return _short(start), _short(", ".join(goals or [start]))


def _places(config: Config) -> list[str]:
    """The places that an intent names; its own words where it names none."""
    places = [place for key, value in _raw(config) if key not in NO_PLACES for place in value]
    if len(places) > 1:
        return places
    match = _FROM_TO.search(config["intent"])
    return [*match.groups()] if match else [*places, _subject(config)]


def _raw(config: Config) -> Iterator[tuple[str, list[str]]]:
    """The values of the intent that are not empty, each as a list."""
    for key, value in config["instantiation_dict"].items():
        texts = [str(one).strip() for one in (value if isinstance(value, list) else [value])]
        if any(texts):
            yield key, texts


def _values(config: Config) -> dict[str, str]:
    return {key: _short(", ".join(texts)) for key, texts in _raw(config)}


def _label(key: str) -> str:
    return LABELS.get(key) or re.sub(r"[\W\d_]+", " ", key).strip().casefold()


def _subject(config: Config) -> str:
    """What an intent is about whose values do not name it: its words without the request."""
    words = _LEAD.sub("", config["intent"]).strip(" ?.,").replace('"', "'")
    return f'"{_short(words, LONGEST_SUBJECT)}"'


def _short(text: str, longest: int = LONGEST) -> str:
    return shorten(text, longest, placeholder="...")
