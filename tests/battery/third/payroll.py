"""Staff and payroll: salaries, leave, hires and reports."""

from battery.language import Above, Case, Equal, Finds, Shown, Silent, StepData, call, run


def salary(employee: str, amount: object) -> StepData:
    return call("set_salary", employee_id=employee, amount=amount)


def look(employee: str) -> StepData:
    return call("get_employee", employee_id=employee, effect={"employee_id": employee})


def raises(count: int, wrong: int | None = None) -> list[StepData]:
    return [
        salary(f"E-{100 + i}", 3000 + 50 * i + (500 if i == wrong else 0)) for i in range(count)
    ]


def length(count: int) -> Case:
    middle = count // 2
    return Case(
        f"payroll-raises-{count}",
        "length",
        f"One wrong salary of {count} is found, and is worse than one more look at a record.",
        (run(*raises(count)),),
        {
            "looked": run(look("E-100"), *raises(count)),
            "wrong": run(*raises(count, middle)),
            "one_less": run(*raises(count)[:-1]),
            "backwards": run(*reversed(raises(count))),
        },
        (
            Above("looked", "wrong"),
            Above("looked", "one_less"),
            Above("backwards", "wrong"),
            Finds("wrong", "arguments", str(middle + 1)),
            Silent("backwards"),
        ),
    )


def hire(contract: str, signed: str | None = None, badge: str | None = None) -> list[StepData]:
    return [
        call("create_employee", name="Ines Duarte", effect={"employee_id": f"E-{contract}"}),
        call(
            "create_contract",
            employee_id=f"E-{contract}",
            effect={"contract_id": f"C{contract}"},
        ),
        call(
            "sign_contract",
            contract_id=signed or f"C{contract}",
            effect={"badge": f"B{contract}"},
        ),
        call("activate_badge", badge=badge or f"B{contract}"),
    ]


def report(*rows: tuple[str, object]) -> StepData:
    return call("write_rows", sheet="May", rows=[[name, hours] for name, hours in rows])


HOURS = [("Duarte", 160), ("Haas", 152), ("Novak", 80), ("Okafor", 171)]

CASES = [
    *(length(count) for count in (3, 20, 60)),
    Case(
        "payroll-hire-drawn",
        "drawn ids",
        "The numbers of a new employee, contract and badge are drawn, each from the one before.",
        (run(*hire("7731")),),
        {
            "same": run(*hire("7731")),
            "fresh": run(*hire("9052")),
            "other_contract": run(*hire("9052", signed="C1111")),
            "other_badge": run(*hire("9052", badge="B2222")),
            "unsigned": run(*hire("9052")[:2], *hire("9052")[3:]),
        },
        (
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "other_contract"),
            Above("fresh", "other_badge"),
            Above("fresh", "unsigned"),
            Finds("other_contract", "arguments", "3"),
            Finds("other_badge", "arguments", "4"),
        ),
    ),
    Case(
        "payroll-hours-table",
        "lists",
        "A table of hours: one wrong cell is less than a row that is missing, and both are told.",
        (run(report(*HOURS)),),
        {
            "cell": run(report(*HOURS[:3], ("Okafor", 117))),
            "row_missing": run(report(*HOURS[:3])),
            "exchanged": run(report(("Duarte", 152), ("Haas", 160), *HOURS[2:])),
            "as_text": run(report(*((name, str(hours)) for name, hours in HOURS))),
        },
        (
            Above("cell", "row_missing"),
            Above("as_text", "cell"),
            Silent("as_text"),
            Finds("cell", "arguments", "1"),
            Finds("exchanged", "arguments", "1"),
        ),
    ),
    Case(
        "payroll-leave-decision",
        "opposite",
        "Leave that is granted is not leave that is refused, however it is worded.",
        (run(call("send_message", to="haas", text="Your leave from 3 to 14 June is granted.")),),
        {
            "reworded": run(
                call(
                    "send_message", to="haas", text="We have granted your leave from 3 to 14 June."
                )
            ),
            "refused": run(
                call("send_message", to="haas", text="Your leave from 3 to 14 June is refused.")
            ),
            "other_days": run(
                call("send_message", to="haas", text="Your leave from 3 to 24 June is granted.")
            ),
        },
        (
            Shown("reworded"),
            Above("reworded", "refused"),
            Above("reworded", "other_days"),
            Finds("refused", "arguments"),
            Finds("other_days", "arguments"),
        ),
    ),
    Case(
        "payroll-salary-twice",
        "order",
        "Of two salaries set for one employee the last stays; others can come in between.",
        (run(salary("E-1", 3000), salary("E-1", 3300), salary("E-2", 2800)),),
        {
            "other_first": run(salary("E-2", 2800), salary("E-1", 3000), salary("E-1", 3300)),
            "last_first": run(salary("E-1", 3300), salary("E-1", 3000), salary("E-2", 2800)),
        },
        (Above("other_first", "last_first"), Silent("other_first")),
    ),
    Case(
        "payroll-manager",
        "direction",
        "Who is whose manager.",
        (run(look("E-5"), call("set_manager", employee="E-5", manager="E-9")),),
        {
            "keys_turned": run(look("E-5"), call("set_manager", manager="E-9", employee="E-5")),
            "exchanged": run(look("E-5"), call("set_manager", employee="E-9", manager="E-5")),
            "looked_twice": run(
                look("E-5"), look("E-9"), call("set_manager", employee="E-5", manager="E-9")
            ),
        },
        (
            Silent("keys_turned"),
            Above("looked_twice", "exchanged"),
            Finds("exchanged", "arguments", "2"),
        ),
    ),
]
