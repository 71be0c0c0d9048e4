"""Selling: contacts, deals, campaigns, merged records."""

from battery.language import Above, Case, Equal, Finds, Shown, Silent, StepData, call, run


def contact(email: str = "mona.haas@helix.example", **more: object) -> StepData:
    return call("update_contact", email=email, **more)


def find(name: str = "Mona Haas") -> StepData:
    return call("search_contacts", query=name, effect=[{"id": "CT-81", "name": name}])


def stage(deal: str, value: str) -> StepData:
    return call("update_deal", deal_id=deal, stage=value)


def merge(kept: str, dropped: str) -> StepData:
    return call("merge_contacts", keep=kept, drop=dropped)


def campaign(number: str, sent: str | None = None, report: str | None = None) -> list[StepData]:
    return [
        call("create_campaign", name="Spring", effect={"id": f"cmp-{number}"}),
        call(
            "send_campaign", campaign_id=sent or f"cmp-{number}", effect={"job": f"job-{number}7"}
        ),
        call("schedule_report", job=report or f"job-{number}7", day="2025-04-01"),
    ]


def helper(*steps: StepData) -> list[StepData]:
    return [
        call("delegate_task", task="Clean up the deals of Helix", effect="done", substeps=steps),
        call("log_activity", contact_id="CT-81", text="Deals cleaned up."),
    ]


def stages(count: int, wrong: int | None = None) -> list[StepData]:
    return [stage(f"DL-{i}", "lost" if i == wrong else "won") for i in range(count)]


def quote(*lines: tuple[str, object]) -> StepData:
    return call("create_quote", deal_id="DL-3", lines=[{"sku": s, "quantity": q} for s, q in lines])


CLEANED = (stage("DL-3", "won"), stage("DL-4", "lost"), contact(owner="U-7"))
LINES = (("PUMP-2", 4), ("HOSE-9", 12), ("SEAL-1", 40))

CASES = [
    Case(
        "crm-written",
        "representation",
        "Addresses, telephone numbers and stages are written in many ways.",
        (run(find(), contact(phone="+49 30 123456"), stage("DL-3", "CLOSED_WON")),),
        {
            "same": run(find(), contact(phone="+49 30 123456"), stage("DL-3", "CLOSED_WON")),
            "mail": run(
                find(),
                contact("Mona.Haas@Helix.example", phone="+49 30 123456"),
                stage("DL-3", "CLOSED_WON"),
            ),
            "phone": run(find(), contact(phone="+4930123456"), stage("DL-3", "closed_won")),
            "other_mail": run(
                find(),
                contact("mona.haas@helios.example", phone="+49 30 123456"),
                stage("DL-3", "CLOSED_WON"),
            ),
            "lost": run(find(), contact(phone="+49 30 123456"), stage("DL-3", "CLOSED_LOST")),
        },
        (
            Equal("same", "mail"),
            Equal("same", "phone"),
            Above("mail", "other_mail"),
            Above("phone", "lost"),
            Finds("other_mail", "arguments", "2"),
            Finds("lost", "arguments", "3"),
        ),
    ),
    Case(
        "crm-merge-direction",
        "direction",
        "One record is kept, the other one is gone.",
        (run(find(), merge("CT-81", "CT-96")),),
        {
            "looked": run(find(), find("Mona Hass"), merge("CT-81", "CT-96")),
            "exchanged": run(find(), merge("CT-96", "CT-81")),
            "other": run(find(), merge("CT-81", "CT-69")),
        },
        (
            Above("looked", "exchanged"),
            Above("looked", "other"),
            Finds("exchanged", "arguments", "2"),
            Finds("other", "arguments", "2"),
        ),
    ),
    Case(
        "crm-campaign-drawn",
        "drawn ids",
        "The campaign's number is drawn, and the number of the job that sends it.",
        (run(*campaign("61")),),
        {
            "same": run(*campaign("61")),
            "fresh": run(*campaign("84")),
            "old_campaign": run(*campaign("84", sent="cmp-12")),
            "old_job": run(*campaign("84", report="job-127")),
        },
        (
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "old_campaign"),
            Above("fresh", "old_job"),
            Finds("old_campaign", "arguments", "2"),
            Finds("old_job", "arguments", "3"),
        ),
    ),
    Case(
        "crm-helper",
        "sub-steps",
        "What a helper did to the deals is done.",
        (run(*helper(*CLEANED)),),
        {
            "same": run(*helper(*CLEANED)),
            "other_order": run(*helper(CLEANED[1], CLEANED[0], CLEANED[2])),
            "wrong_deal": run(*helper(stage("DL-8", "won"), *CLEANED[1:])),
            "one_less": run(*helper(*CLEANED[:2])),
            "deleted": run(*helper(*CLEANED, call("delete_deal", deal_id="DL-5"))),
        },
        (
            Silent("same"),
            Above("other_order", "wrong_deal"),
            Above("other_order", "one_less"),
            Above("other_order", "deleted"),
        ),
    ),
    Case(
        "crm-quote-lines",
        "lists",
        "Lines of a quote in another order are the same quote.",
        (run(find(), quote(*LINES)),),
        {
            "same": run(find(), quote(*LINES)),
            "reordered": run(find(), quote(*reversed(LINES))),
            "as_text": run(find(), quote(*((sku, str(count)) for sku, count in LINES))),
            "quantity": run(find(), quote(*LINES[:2], ("SEAL-1", 4))),
            "line_missing": run(find(), quote(*LINES[:2])),
            "exchanged": run(find(), quote(("PUMP-2", 12), ("HOSE-9", 4), LINES[2])),
        },
        (
            Equal("same", "as_text"),
            Above("reordered", "quantity"),
            Above("reordered", "exchanged"),
            Above("quantity", "line_missing"),
            Finds("quantity", "arguments", "2"),
            Finds("exchanged", "arguments", "2"),
        ),
    ),
    *(
        Case(
            f"crm-stages-{count}",
            "length",
            f"One deal of {count} is marked as lost.",
            (run(*stages(count)),),
            {
                "looked": run(find(), *stages(count)),
                "wrong": run(*stages(count, count - 1)),
                "half": run(*stages(count // 2)),
            },
            (
                Above("looked", "wrong"),
                Above("wrong", "half"),
                Finds("wrong", "arguments", str(count)),
            ),
        )
        for count in (10, 60)
    ),
    Case(
        "crm-stage-order",
        "order",
        "The stage that is set last is the deal's stage.",
        (run(stage("DL-3", "offer"), stage("DL-3", "won"), stage("DL-9", "offer")),),
        {
            "other_first": run(
                stage("DL-9", "offer"), stage("DL-3", "offer"), stage("DL-3", "won")
            ),
            "last_first": run(stage("DL-3", "won"), stage("DL-3", "offer"), stage("DL-9", "offer")),
        },
        (Above("other_first", "last_first"), Silent("other_first")),
    ),
    Case(
        "crm-french-note",
        "languages",
        "In French, to accept is not to refuse, nor is Lyon Nantes.",
        (
            run(
                find(),
                call(
                    "add_note", contact_id="CT-81", note="Le client de Lyon a accepté notre offre."
                ),
            ),
        ),
        {
            "reworded": run(
                find(),
                call(
                    "add_note",
                    contact_id="CT-81",
                    note="Notre offre a été acceptée par le client de Lyon.",
                ),
            ),
            "refused": run(
                find(),
                call(
                    "add_note", contact_id="CT-81", note="Le client de Lyon a refusé notre offre."
                ),
            ),
            "nantes": run(
                find(),
                call(
                    "add_note",
                    contact_id="CT-81",
                    note="Le client de Nantes a accepté notre offre.",
                ),
            ),
        },
        (
            Shown("reworded"),
            Finds("refused", "arguments", "2"),
            Finds("nantes", "arguments", "2"),
        ),
    ),
]
