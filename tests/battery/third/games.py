"""Games and plans: moves, blocks, routes, stores."""

from battery.language import Above, Case, Equal, Finds, Silent, StepData, call, run


def move(piece: str, source: str, target: str) -> StepData:
    return call("move_piece", **{"piece": piece, "from": source, "to": target})


def stack(block: str, on: str) -> StepData:
    return call("stack_block", block=block, on=on)


def drive(truck: str, start: str, end: str) -> StepData:
    return call("drive", truck=truck, start=start, end=end)


def load(package: str, truck: str) -> StepData:
    return call("load_package", package=package, truck=truck)


def unload(package: str, truck: str) -> StepData:
    return call("unload_package", package=package, truck=truck)


def tour(count: int, wrong: int | None = None) -> list[StepData]:
    return [
        call("place_tile", tile=f"T{i}", row=i // 6, column=i % 6 + (1 if i == wrong else 0))
        for i in range(count)
    ]


def board() -> StepData:
    return call("get_board", effect={"turn": "white"})


def craft(number: str, used: str | None = None, sold: str | None = None) -> list[StepData]:
    return [
        call("craft_item", recipe="lantern", effect={"item": f"itm_{number}"}),
        call("enchant_item", item=used or f"itm_{number}", effect={"token": f"tok_{number}x"}),
        call("sell_item", token=sold or f"tok_{number}x", price=90),
    ]


CASES = [
    Case(
        "games-move-direction",
        "direction",
        "A piece moves from one square to another, not back.",
        (run(board(), move("knight", "g1", "f3")),),
        {
            "looked": run(board(), board(), move("knight", "g1", "f3")),
            "back": run(board(), move("knight", "f3", "g1")),
            "elsewhere": run(board(), move("knight", "g1", "h3")),
        },
        (
            Above("looked", "back"),
            Above("looked", "elsewhere"),
            Finds("back", "arguments", "2"),
            Finds("elsewhere", "arguments", "2"),
        ),
    ),
    Case(
        "games-stack-direction",
        "direction",
        "A on B is not B on A.",
        (run(stack("red", "blue"), stack("green", "red")),),
        {
            "same": run(stack("red", "blue"), stack("green", "red")),
            "upside_down": run(stack("blue", "red"), stack("green", "red")),
            "one_less": run(stack("red", "blue")),
        },
        (
            Silent("same"),
            Above("same", "upside_down"),
            Finds("upside_down", "arguments", "1"),
            Finds("one_less", "missing", "2"),
        ),
    ),
    Case(
        "games-delivery-order",
        "order",
        "A package is loaded before the truck leaves and unloaded where it arrives.",
        (run(load("pk1", "tr1"), drive("tr1", "depot", "market"), unload("pk1", "tr1")),),
        {
            "same": run(load("pk1", "tr1"), drive("tr1", "depot", "market"), unload("pk1", "tr1")),
            "unloaded_first": run(
                unload("pk1", "tr1"), load("pk1", "tr1"), drive("tr1", "depot", "market")
            ),
            "left_empty": run(
                drive("tr1", "depot", "market"), load("pk1", "tr1"), unload("pk1", "tr1")
            ),
        },
        (Above("same", "unloaded_first"), Above("same", "left_empty"), Silent("same")),
    ),
    Case(
        "games-two-trucks",
        "order",
        "Two trucks do not wait for each other; each of them is loaded before it leaves.",
        (
            run(
                load("pk1", "tr1"),
                drive("tr1", "depot", "market"),
                load("pk2", "tr2"),
                drive("tr2", "harbour", "mill"),
            ),
        ),
        {
            "other_truck_first": run(
                load("pk2", "tr2"),
                drive("tr2", "harbour", "mill"),
                load("pk1", "tr1"),
                drive("tr1", "depot", "market"),
            ),
            "in_turns": run(
                load("pk1", "tr1"),
                load("pk2", "tr2"),
                drive("tr1", "depot", "market"),
                drive("tr2", "harbour", "mill"),
            ),
            "both_left_empty": run(
                drive("tr1", "depot", "market"),
                load("pk1", "tr1"),
                drive("tr2", "harbour", "mill"),
                load("pk2", "tr2"),
            ),
        },
        (
            Equal("other_truck_first", "in_turns"),
            Silent("in_turns"),
            Above("other_truck_first", "both_left_empty"),
            Above("in_turns", "both_left_empty"),
        ),
    ),
    *(
        Case(
            f"games-tiles-{count}",
            "length",
            f"One tile of {count} lies in the wrong place.",
            (run(*tour(count)),),
            {
                "looked": run(board(), *tour(count)),
                "wrong": run(*tour(count, count // 2)),
                "one_less": run(*tour(count)[:-1]),
                "half": run(*tour(count)[: count // 2]),
            },
            (
                Above("looked", "wrong"),
                Above("looked", "one_less"),
                Above("wrong", "half"),
                Finds("wrong", "arguments", str(count // 2 + 1)),
            ),
        )
        for count in (8, 36)
    ),
    Case(
        "games-craft-drawn",
        "drawn ids",
        "What is crafted has a number that the game draws, and so has what is made of it.",
        (run(*craft("5501")),),
        {
            "same": run(*craft("5501")),
            "fresh": run(*craft("9137")),
            "other_item": run(*craft("9137", used="itm_0004")),
            "other_token": run(*craft("9137", sold="tok_0004x")),
            "cheaper": run(*craft("9137")[:2], call("sell_item", token="tok_9137x", price=9)),
        },
        (
            Equal("same", "fresh"),
            Above("fresh", "other_item"),
            Above("fresh", "other_token"),
            Above("fresh", "cheaper"),
            Finds("other_item", "arguments", "2"),
            Finds("cheaper", "arguments", "3"),
        ),
    ),
]
