from battery.language import Above, Calm, Case, Critical, Equal, Silent, call, run


def alt(base, at, *new):
    """The step at this place replaced."""
    return run(*base[:at], *new, *base[at + 1 :])


def ins(base, at, *new):
    """Steps put in before this place."""
    return run(*base[:at], *new, *base[at:])


def drop(base, *at):
    """The steps at these places left out."""
    return run(*(step for place, step in enumerate(base) if place not in at))


A = [
    call(
        "get_account",
        {"account_id": "CH-4471"},
        effect={"balance": 8420.55, "currency": "CHF", "owner": "Lena Frei"},
    ),
    call(
        "list_payees",
        {"account_id": "CH-4471"},
        effect={
            "payees": [
                {"id": "P-19", "name": "Immo Nord AG"},
                {"id": "P-20", "name": "Immo Sued AG"},
            ]
        },
    ),
    call("verify_identity", {"customer": "Lena Frei", "method": "otp"}, effect={"verified": True}),
    call(
        "create_transfer",
        {
            "account_id": "CH-4471",
            "payee_id": "P-19",
            "amount": 1850.00,
            "currency": "CHF",
            "execution_date": "2026-03-31",
            "idempotency_key": "a81f-77c2",
        },
        effect={"transfer_id": "T-9001", "status": "scheduled"},
    ),
    call(
        "send_secure_message",
        {
            "customer": "Lena Frei",
            "text": "Your transfer of 1850 CHF to Immo Nord AG is set for 31 March 2026.",
        },
        effect={"sent": True},
    ),
]


def transfer(**changed):
    return call(
        "create_transfer",
        {**A[3]["arguments"], **changed},
        effect={"transfer_id": "T-9001", "status": "scheduled"},
    )


B = [
    call("search_transactions", card="4417", merchant="Fitnow", days=60),
    call("get_transaction", transaction="TX-55120"),
    call("block_card", card="4417", reason="fraud"),
    call(
        "open_dispute", transaction="TX-55120", amount=89.90, currency="EUR", reason="unauthorized"
    ),
    call("order_card", customer="C-3081", type="debit", address="Lindenweg 4, 50667 Köln"),
    call(
        "reply_to_customer",
        text="Your card ending in 4417 is blocked. We dispute the 89.90 EUR; a new card comes within 5 working days.",
    ),
]
C = [
    call(
        "get_loan_application",
        {"id": "L-778"},
        effect={"applicant": "Marek Dvorak", "amount": 24000, "months": 60},
    ),
    call("get_credit_report", {"person": "Marek Dvorak"}, effect={"score": 741}),
    call("get_income", {"person": "Marek Dvorak"}, effect={"monthly_net": 3120}),
    call(
        "update_loan_application",
        {"id": "L-778", "status": "approved", "rate": 5.49, "amount": 24000},
        effect={"ok": True},
    ),
    call(
        "generate_document",
        {"template": "loan_contract", "application": "L-778"},
        effect={"document": "DOC-71.pdf"},
    ),
    call(
        "send_email",
        {
            "to": "marek.dvorak@mail.example",
            "subject": "Your loan",
            "body": "Your loan of 24000 EUR over 60 months is approved at 5.49 %. The contract is attached.",
            "attachments": ["DOC-71.pdf"],
        },
        effect={"message_id": "m-1"},
    ),
]


def decide(**changed):
    return call("update_loan_application", {**C[3]["arguments"], **changed}, effect={"ok": True})


def letter(**changed):
    return call("send_email", {**C[5]["arguments"], **changed}, effect={"message_id": "m-1"})


D = [
    call("list_standing_orders", account="AT-9920"),
    call("get_exchange_rate", base="EUR", quote="USD"),
    call("cancel_standing_order", account="AT-9920", order="SO-3"),
    call("cancel_standing_order", account="AT-9920", order="SO-7"),
    call(
        "create_standing_order",
        account="AT-9920",
        payee="Caritas Wien",
        amount=25,
        currency="EUR",
        interval="monthly",
        start="2026-05-01",
    ),
    call(
        "notify_user",
        text="SO-3 and SO-7 are cancelled. From 1 May you give 25 EUR a month to Caritas Wien.",
    ),
]


def order(**changed):
    return call("create_standing_order", {**D[4]["arguments"], **changed})


CASES = [
    Case(
        "c_banking_rent",
        "values",
        "One transfer to one payee, told to the customer.",
        (run(*A),),
        {
            "same": run(*A),
            "key": alt(A, 3, transfer(idempotency_key="0c3e-19d4")),
            "amount": alt(A, 3, transfer(amount=18500.00)),
            "payee": alt(A, 3, transfer(payee_id="P-20")),
            "twice": ins(A, 4, transfer(idempotency_key="be11-0002")),
            "late_check": run(A[0], A[1], A[3], A[2], A[4]),
            "reworded": alt(
                A,
                4,
                call(
                    "send_secure_message",
                    {
                        "customer": "Lena Frei",
                        "text": "We have scheduled your transfer to Immo Nord AG: 1850 CHF on 31 March 2026.",
                    },
                    effect={"sent": True},
                ),
            ),
            "rejected": alt(
                A,
                3,
                call(
                    "create_transfer",
                    A[3]["arguments"],
                    effect={"status": "failed", "error": "insufficient funds"},
                ),
            ),
            "currency": alt(A, 3, transfer(currency="EUR")),
        },
        (
            Equal("same", "key"),
            Critical("amount"),
            Critical("payee"),
            Critical("twice"),
            Above("same", "twice"),
            Above("same", "late_check"),
            Calm("reworded"),
            Critical("rejected"),
            Critical("currency"),
            Above("key", "amount"),
            Above("same", "rejected"),
        ),
    ),
    Case(
        "c_banking_dispute",
        "progress",
        "A card is blocked, a payment disputed, a new card ordered.",
        (run(*B),),
        {
            "same": run(*B),
            "more_looks": ins(
                B, 2, call("get_card", card="4417"), call("get_customer", customer="C-3081")
            ),
            "no_new_card": drop(B, 4),
            "only_blocked": drop(B, 3, 4),
            "only_looks": run(*B[:2]),
            "other_card": alt(B, 2, call("block_card", card="4471", reason="fraud")),
            "reason": alt(
                B,
                3,
                call(
                    "open_dispute",
                    transaction="TX-55120",
                    amount=89.90,
                    currency="EUR",
                    reason="duplicate",
                ),
            ),
            "address": alt(
                B,
                4,
                call(
                    "order_card",
                    customer="C-3081",
                    type="debit",
                    address="Lindenweg 14, 50667 Köln",
                ),
            ),
            "refund_too": ins(
                B, 5, call("issue_refund", customer="C-3081", amount=89.90, currency="EUR")
            ),
        },
        (
            Calm("more_looks"),
            Critical("no_new_card"),
            Above("no_new_card", "only_blocked"),
            Above("only_blocked", "only_looks"),
            Critical("only_looks"),
            Critical("other_card"),
            Critical("reason"),
            Critical("address"),
            Critical("refund_too"),
            Above("same", "refund_too"),
            Above("more_looks", "no_new_card"),
        ),
    ),
    Case(
        "c_banking_loan",
        "told",
        "A loan is decided after the looks, and the applicant gets the contract.",
        (run(*C),),
        {
            "same": run(*C),
            "looks_swapped": run(C[0], C[2], C[1], *C[3:]),
            "spelling": alt(C, 3, decide(status="APPROVED")),
            "rejected": alt(C, 3, decide(status="rejected")),
            "rate": alt(C, 3, decide(rate=4.59)),
            "check_late": run(C[0], C[2], C[3], C[1], *C[4:]),
            "no_attachment": alt(C, 5, letter(attachments=[])),
            "other_person": alt(C, 5, letter(to="marek.dvorsky@mail.example")),
            "negated": alt(
                C,
                5,
                letter(
                    body="Your loan of 24000 EUR over 60 months is not approved at 5.49 %. The contract is attached."
                ),
            ),
        },
        (
            Equal("same", "looks_swapped"),
            Calm("spelling"),
            Critical("rejected"),
            Critical("rate"),
            Above("same", "check_late"),
            Critical("no_attachment"),
            Critical("other_person"),
            Critical("negated"),
            Above("spelling", "rejected"),
            Above("same", "no_attachment"),
        ),
    ),
    Case(
        "c_banking_orders",
        "merge",
        "Two orders are cancelled and one is made.",
        (run(*D),),
        {
            "same": run(*D),
            "batch": run(
                D[0],
                D[1],
                call("cancel_standing_orders", account="AT-9920", orders=["SO-3", "SO-7"]),
                *D[4:],
            ),
            "batch_more": run(
                D[0],
                D[1],
                call("cancel_standing_orders", account="AT-9920", orders=["SO-3", "SO-7", "SO-8"]),
                *D[4:],
            ),
            "other_order": run(D[0], D[1], D[3], D[2], *D[4:]),
            "one_cancelled": drop(D, 3),
            "none_cancelled": drop(D, 2, 3),
            "yearly": alt(D, 4, order(interval="yearly")),
            "date_format": alt(D, 4, order(start="1 May 2026")),
            "start": alt(D, 4, order(start="2026-06-01")),
        },
        (
            Silent("same"),
            Calm("batch"),
            Critical("batch_more"),
            Calm("other_order"),
            Critical("one_cancelled"),
            Above("one_cancelled", "none_cancelled"),
            Critical("yearly"),
            Calm("date_format"),
            Critical("start"),
            Above("batch", "batch_more"),
            Above("date_format", "start"),
        ),
    ),
]
