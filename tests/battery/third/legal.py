"""A law office: contracts, clauses, filings, in several languages."""

from battery.language import Above, Case, Equal, Finds, Shown, Silent, StepData, call, run


def find(title: str) -> StepData:
    return call("search_documents", query=title, effect=[{"document_id": "D-88", "title": title}])


def clause(text: str, number: str = "7.1") -> StepData:
    return call("replace_clause", document_id="D-88", clause=number, text=text)


def assign(creditor: str, debtor: str, amount: object = "12,500.00 EUR") -> StepData:
    return call("record_claim", creditor=creditor, debtor=debtor, amount=amount)


def filing(number: str, filed: str | None = None, paid: str | None = None) -> list[StepData]:
    return [
        call("create_case", court="Bonn", effect={"case": {"number": f"3 O {number}/25"}}),
        call(
            "upload_brief",
            case_number=filed or f"3 O {number}/25",
            effect={"receipt": f"RC{number}A"},
        ),
        call("pay_fee", receipt=paid or f"RC{number}A", amount=340),
    ]


def redact(*pages: int) -> StepData:
    return call("redact_pages", document_id="D-88", pages=list(pages))


CASES = [
    Case(
        "legal-notice-period",
        "opposite",
        "A clause may be worded freely, but its figures, its parties and its not are the contract.",
        (run(find("lease"), clause("The tenant may terminate with three months' notice.")),),
        {
            "reworded": run(
                find("lease"), clause("The tenant may terminate giving three months' notice.")
            ),
            "six": run(find("lease"), clause("The tenant may terminate with six months' notice.")),
            "may_not": run(
                find("lease"), clause("The tenant may not terminate with three months' notice.")
            ),
            "landlord": run(
                find("lease"), clause("The landlord may terminate with three months' notice.")
            ),
        },
        (
            Shown("reworded"),
            Above("reworded", "six"),
            Above("reworded", "may_not"),
            Above("reworded", "landlord"),
            Finds("six", "arguments", "2"),
            Finds("may_not", "arguments", "2"),
            Finds("landlord", "arguments", "2"),
        ),
    ),
    Case(
        "legal-german-clause",
        "languages",
        "In German as well, the buyer is not the seller, and shall is not shall not.",
        (run(find("Kauf"), clause("Der Verkäufer haftet nicht für Mängel der Kaufsache.")),),
        {
            "turned": run(
                find("Kauf"), clause("Für Mängel der Kaufsache haftet der Verkäufer nicht.")
            ),
            "liable": run(find("Kauf"), clause("Der Verkäufer haftet für Mängel der Kaufsache.")),
            "buyer": run(find("Kauf"), clause("Der Käufer haftet nicht für Mängel der Kaufsache.")),
        },
        (
            Above("turned", "liable"),
            Above("turned", "buyer"),
            Finds("liable", "arguments", "2"),
            Finds("buyer", "arguments", "2"),
        ),
    ),
    Case(
        "legal-chinese-clause",
        "languages",
        "Party A pays party B, and not the other way round.",
        (run(clause("甲方应在十日内向乙方付款。")),),
        {
            "same": run(clause("甲方应在十日内向乙方付款。")),
            "reworded": run(clause("甲方应于十日内向乙方付款。")),
            "exchanged": run(clause("乙方应在十日内向甲方付款。")),
            "thirty": run(clause("甲方应在三十日内向乙方付款。")),
        },
        (
            Above("reworded", "exchanged"),
            Above("reworded", "thirty"),
            Finds("exchanged", "arguments", "1"),
            Finds("thirty", "arguments", "1"),
        ),
    ),
    Case(
        "legal-claim",
        "direction",
        "A claim has a creditor and a debtor.",
        (run(find("invoice"), assign("Helix Ltd", "Orbit GmbH")),),
        {
            "same": run(find("invoice"), assign("Helix Ltd", "Orbit GmbH")),
            "written": run(find("invoice"), assign("Helix Ltd", "Orbit GmbH", "EUR 12500")),
            "exchanged": run(find("invoice"), assign("Orbit GmbH", "Helix Ltd")),
            "looked": run(find("invoice"), find("contract"), assign("Helix Ltd", "Orbit GmbH")),
            "more": run(find("invoice"), assign("Helix Ltd", "Orbit GmbH", "125,000.00 EUR")),
        },
        (
            Equal("same", "written"),
            Above("looked", "exchanged"),
            Above("written", "more"),
            Finds("exchanged", "arguments", "2"),
            Finds("more", "arguments", "2"),
        ),
    ),
    Case(
        "legal-filing-drawn",
        "drawn ids",
        "The court draws the number of the case, the upload the receipt.",
        (run(*filing("214")),),
        {
            "same": run(*filing("214")),
            "fresh": run(*filing("377")),
            "other_case": run(*filing("377", filed="3 O 99/24")),
            "other_receipt": run(*filing("377", paid="RC100Z")),
        },
        (
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "other_case"),
            Above("fresh", "other_receipt"),
            Finds("other_receipt", "arguments", "3"),
        ),
    ),
    Case(
        "legal-redact",
        "lists",
        "Each page that was to be blackened counts, in whatever order.",
        (run(find("minutes"), redact(2, 5, 9, 14)),),
        {
            "reordered": run(find("minutes"), redact(14, 9, 5, 2)),
            "forgotten": run(find("minutes"), redact(2, 5, 9)),
            "other_page": run(find("minutes"), redact(2, 5, 9, 15)),
        },
        (
            Above("reordered", "other_page"),
            Above("reordered", "forgotten"),
            Finds("other_page", "arguments", "2"),
            Finds("forgotten", "arguments", "2"),
        ),
    ),
    Case(
        "legal-two-versions",
        "order",
        "The clause that is written last is the one that holds.",
        (run(clause("Draft: thirty days."), clause("Final: sixty days."), clause("Bonn", "12")),),
        {
            "place_first": run(
                clause("Bonn", "12"), clause("Draft: thirty days."), clause("Final: sixty days.")
            ),
            "draft_last": run(
                clause("Final: sixty days."), clause("Draft: thirty days."), clause("Bonn", "12")
            ),
        },
        (Above("place_first", "draft_last"),),
    ),
    Case(
        "legal-nothing-filed",
        "reads and writes",
        "To read the file twice is nothing beside withdrawing the action.",
        (run(find("action"), call("pay_fee", receipt="RC5", amount=340)),),
        {
            "read_twice": run(
                find("action"), find("statute"), call("pay_fee", receipt="RC5", amount=340)
            ),
            "withdrawn": run(
                find("action"),
                call("pay_fee", receipt="RC5", amount=340),
                call("withdraw_action", case_number="3 O 214/25"),
            ),
            "paid_twice": run(
                find("action"),
                call("pay_fee", receipt="RC5", amount=340),
                call("pay_fee", receipt="RC5", amount=340),
            ),
        },
        (
            Above("read_twice", "withdrawn"),
            Above("read_twice", "paid_twice"),
            Finds("withdrawn", "invented", "3"),
            Finds("paid_twice", "repeated"),
        ),
    ),
]
