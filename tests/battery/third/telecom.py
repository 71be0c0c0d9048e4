"""Support of a telephone company: lines, plans, SIM cards, complaints."""

from battery.language import Above, Case, Equal, Finds, Shown, Silent, StepData, call, run


def line(phone: str = "+1 415 555 0134") -> StepData:
    return call("get_line", phone=phone, effect={"line_id": "L-20331", "plan": "S"})


def plan(name: str = "UNLIMITED_M", line_id: str = "L-20331") -> StepData:
    return call("change_plan", line_id=line_id, plan=name)


def roaming(enabled: object, line_id: str = "L-20331") -> StepData:
    return call("set_roaming", line_id=line_id, enabled=enabled)


def simcard(number: str, used: str | None = None, ticket: str | None = None) -> list[StepData]:
    return [
        line(),
        call("order_sim", line_id="L-20331", effect={"iccid": f"8901{number}"}),
        call("activate_sim", iccid=used or f"8901{number}", effect={"ticket": f"TK-{number}"}),
        call("close_ticket", ticket=ticket or f"TK-{number}"),
    ]


def vouchers(count: int, wrong: int | None = None) -> list[StepData]:
    return [
        call("issue_credit", line_id=f"L-{500 + i}", amount=5 if i != wrong else 50)
        for i in range(count)
    ]


def refused(step: StepData) -> StepData:
    return {**step, "status": "error", "effect": "Error: plan is not sold any more"}


def done(step: StepData) -> StepData:
    return {**step, "status": "ok", "effect": "ok"}


def reply(text: str) -> StepData:
    return call("send_sms", phone="+14155550134", text=text)


CASES = [
    Case(
        "telecom-written",
        "representation",
        "Phone numbers, plans and switches are written in many ways.",
        (run(line(), plan(), roaming(False)),),
        {
            "same": run(line(), plan(), roaming(False)),
            "phone": run(line("+14155550134"), plan(), roaming(False)),
            "plan": run(line(), plan("unlimited_m"), roaming("false")),
            "larger": run(line(), plan("UNLIMITED_L"), roaming(False)),
            "abroad": run(line(), plan(), roaming(True)),
        },
        (
            Equal("same", "phone"),
            Equal("same", "plan"),
            Above("plan", "larger"),
            Above("plan", "abroad"),
            Finds("larger", "arguments", "2"),
            Finds("abroad", "arguments", "3"),
        ),
    ),
    Case(
        "telecom-wrong-line",
        "wrong value",
        "Another customer's line is changed.",
        (run(line(), plan(), roaming(False)),),
        {
            "looks": run(line(), line(), line(), line(), plan(), roaming(False)),
            "other_line": run(line(), plan(line_id="L-20313"), roaming(False)),
            "both": run(line(), plan(line_id="L-20313"), roaming(False, "L-20313")),
        },
        (
            Above("looks", "other_line"),
            Above("other_line", "both"),
            Finds("other_line", "arguments", "2"),
            Finds("both", "arguments", "3"),
        ),
    ),
    Case(
        "telecom-sim-drawn",
        "drawn ids",
        "The card's number is drawn, and the ticket's number by the card's activation.",
        (run(*simcard("260011")),),
        {
            "same": run(*simcard("260011")),
            "fresh": run(*simcard("774402")),
            "other_card": run(*simcard("774402", used="8901999999")),
            "other_ticket": run(*simcard("774402", ticket="TK-100000")),
        },
        (
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "other_card"),
            Above("fresh", "other_ticket"),
            Finds("other_card", "arguments", "3"),
            Finds("other_ticket", "arguments", "4"),
        ),
    ),
    Case(
        "telecom-plan-refused",
        "failed calls",
        "The change that failed has changed nothing; the one tried again has.",
        (run(line(), done(plan()), done(roaming(False))),),
        {
            "retried": run(line(), refused(plan()), done(plan()), done(roaming(False))),
            "gave_up": run(line(), refused(plan()), done(roaming(False))),
            "all_failed": run(line(), refused(plan()), refused(roaming(False))),
        },
        (
            Above("retried", "gave_up"),
            Above("gave_up", "all_failed"),
            Silent("retried", "failed"),
            Finds("gave_up", "failed", "2"),
        ),
    ),
    Case(
        "telecom-reply",
        "opposite",
        "Connected is not disconnected, and free is not charged.",
        (run(line(), reply("Your line is connected again. There is no charge for this.")),),
        {
            "reworded": run(
                line(), reply("Your line has been connected again, there is no charge for this.")
            ),
            "disconnected": run(
                line(), reply("Your line is disconnected again. There is no charge for this.")
            ),
            "charged": run(
                line(), reply("Your line is connected again. There is a charge for this.")
            ),
        },
        (
            Shown("reworded"),
            Above("reworded", "disconnected"),
            Above("reworded", "charged"),
            Finds("disconnected", "arguments", "2"),
            Finds("charged", "arguments", "2"),
        ),
    ),
    Case(
        "telecom-spanish-reply",
        "languages",
        "The technician comes or does not come, on this day and not on that one.",
        (run(line(), reply("El técnico llega el martes a las nueve.")),),
        {
            "turned": run(line(), reply("El martes a las nueve llega el técnico.")),
            "thursday": run(line(), reply("El técnico llega el jueves a las nueve.")),
            "not": run(line(), reply("El técnico no llega el martes a las nueve.")),
        },
        (
            Above("turned", "thursday"),
            Above("turned", "not"),
            Finds("thursday", "arguments", "2"),
            Finds("not", "arguments", "2"),
        ),
    ),
    *(
        Case(
            f"telecom-credits-{count}",
            "length",
            f"One credit of {count} is ten times too high.",
            (run(*vouchers(count)),),
            {
                "looked": run(line(), *vouchers(count)),
                "wrong": run(*vouchers(count, 0)),
                "one_less": run(*vouchers(count)[1:]),
                "one_more": run(*vouchers(count + 1)),
            },
            (
                Above("looked", "wrong"),
                Above("looked", "one_less"),
                Above("looked", "one_more"),
                Finds("wrong", "arguments", "1"),
                Finds("one_more", "invented", str(count + 1)),
            ),
        )
        for count in (3, 25)
    ),
]
