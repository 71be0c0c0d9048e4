"""Prints how many expectations of the battery hold, by phenomenon.

    scripts/battery [first|second|all|third|fourth] [--failing]

Of the first half, --failing names what does not hold. The second half and the other sets are told
in numbers alone: they judge a change that is finished, and what is known by name is worked on.
"""

import argparse
from collections import Counter

import otap
from battery.catalogue import ALL, first_half, fourth_set, second_half, third_set
from battery.language import holds, label


def main() -> None:
    """Scores the cases and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    halves = {
        "first": first_half,
        "second": second_half,
        "all": lambda: ALL,
        "third": third_set,
        "fourth": fourth_set,
    }
    parser.add_argument("half", nargs="?", choices=halves, default="first")
    parser.add_argument("--failing", action="store_true", help="name what fails in the first half")
    wanted = parser.parse_args()
    cases = halves[wanted.half]()
    known = {case.id for case in first_half()}
    scorer = otap.Scorer()
    held, every = Counter[str](), Counter[str]()
    failing = []
    for case in cases:
        for expectation in case.expect:
            every[case.phenomenon] += 1
            if holds(expectation, case, scorer):
                held[case.phenomenon] += 1
            elif case.id in known:
                failing.append(label(case, expectation))
    width = max(map(len, every), default=0)
    for phenomenon in sorted(every):
        print(f"{phenomenon:{width}}  {held[phenomenon]:4} / {every[phenomenon]}")
    print(f"{'in all':{width}}  {held.total():4} / {every.total()}, of {len(cases)} cases")
    if wanted.failing:
        print(*failing, sep="\n")


if __name__ == "__main__":
    main()
