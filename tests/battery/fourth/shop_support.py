from battery.language import Above, Calm, Case, Critical, Equal, Silent, call, run, think


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
        "get_order_details",
        {"order_id": "#W4120"},
        effect={
            "status": "delivered",
            "items": [{"item_id": "880", "name": "Kettle"}, {"item_id": "881", "name": "Toaster"}],
        },
    ),
    call(
        "get_user_details",
        {"user_id": "mia_ito_4411"},
        effect={"payment_methods": ["paypal_77", "gift_card_12"]},
    ),
    call(
        "return_delivered_order_items",
        {"order_id": "#W4120", "item_ids": ["880", "881"], "payment_method_id": "paypal_77"},
        effect={"status": "return requested"},
    ),
    call(
        "send_reply",
        {
            "ticket": 5120,
            "text": "The return of the kettle and the toaster is requested. You get 84.50 EUR back on PayPal within 7 days.",
        },
        effect={"sent": True},
    ),
]


def back(**changed):
    return call(
        "return_delivered_order_items",
        {**A[2]["arguments"], **changed},
        effect={"status": "return requested"},
    )


B = [
    call("zendesk_get_ticket", ticket_id=88120),
    call("shopify_get_order", order="1042"),
    call(
        "shopify_update_shipping_address",
        order="1042",
        street="12 Mill Lane",
        city="Bath",
        postcode="BA1 5TR",
    ),
    call("shopify_add_tag", order="1042", tag="address-changed"),
    call(
        "zendesk_add_comment",
        ticket_id=88120,
        public=True,
        body="Your order 1042 now goes to 12 Mill Lane, Bath BA1 5TR. It ships on Monday.",
    ),
    call("zendesk_update_ticket", ticket_id=88120, state="solved"),
]


def address(**changed):
    return call("shopify_update_shipping_address", **{**B[2]["arguments"], **changed})


def comment(**changed):
    return call("zendesk_add_comment", **{**B[4]["arguments"], **changed})


C = [
    call("search_orders", email="li.wei@mail.example", effect={"orders": ["O-10", "O-11", "O-12"]}),
    call("check_fraud_score", email="li.wei@mail.example", effect={"score": 0.07}),
    call("refund_order", order="O-10", amount=19.99, reason="late", effect={"refund": "RF-1"}),
    call("refund_order", order="O-11", amount=24.50, reason="late", effect={"refund": "RF-2"}),
    call(
        "issue_voucher",
        email="li.wei@mail.example",
        value=10,
        currency="GBP",
        expires="2026-12-31",
        effect={"voucher": "V-8F2"},
    ),
    call(
        "send_email",
        to="li.wei@mail.example",
        subject="Late parcels",
        body="We are sorry. You get 19.99 GBP and 24.50 GBP back, and a voucher of 10 GBP until 31 December 2026.",
        effect={"queued": True},
    ),
]


def refund(order, amount, effect=None):
    return call(
        "refund_order",
        order=order,
        amount=amount,
        reason="late",
        effect=effect or {"refund": "RF-7"},
    )


D = [
    call("get_subscription", customer="cus_N1"),
    call("list_invoices", customer="cus_N1", limit=3),
    call("update_subscription", customer="cus_N1", plan="basic", prorate=True, at_period_end=True),
    call("remove_addon", customer="cus_N1", addon="priority-support"),
    call("remove_addon", customer="cus_N1", addon="extra-storage"),
    call(
        "send_chat",
        text="From 1 February you are on Basic at 9 EUR a month, without the two add-ons.",
    ),
]


def plan(**changed):
    return call("update_subscription", **{**D[2]["arguments"], **changed})


CASES = [
    Case(
        "c_shop_support_return",
        "values",
        "Two things are sent back, and the money goes where it came from.",
        (run(*A),),
        {
            "same": run(*A),
            "looks_swapped": run(A[1], A[0], *A[2:]),
            "items_turned": alt(A, 2, back(item_ids=["881", "880"])),
            "one_item": alt(A, 2, back(item_ids=["880"])),
            "gift_card": alt(A, 2, back(payment_method_id="gift_card_12")),
            "cancels": alt(
                A,
                2,
                call(
                    "cancel_pending_order",
                    {"order_id": "#W4120", "reason": "no longer needed"},
                    effect={"error": "non-pending order cannot be cancelled"},
                ),
            ),
            "reworded": alt(
                A,
                3,
                call(
                    "send_reply",
                    {
                        "ticket": 5120,
                        "text": "We have requested the return of the kettle and the toaster. Within 7 days 84.50 EUR go back to your PayPal.",
                    },
                    effect={"sent": True},
                ),
            ),
            "amount_told": alt(
                A,
                3,
                call(
                    "send_reply",
                    {
                        "ticket": 5120,
                        "text": "The return of the kettle and the toaster is requested. You get 48.50 EUR back on PayPal within 7 days.",
                    },
                    effect={"sent": True},
                ),
            ),
            "tried_first": ins(
                A,
                2,
                call(
                    "return_delivered_order_items",
                    A[2]["arguments"],
                    effect={"error": "service unavailable"},
                ),
            ),
        },
        (
            Equal("same", "looks_swapped"),
            Calm("items_turned"),
            Critical("one_item"),
            Critical("gift_card"),
            Critical("cancels"),
            Calm("reworded"),
            Critical("amount_told"),
            Calm("tried_first"),
            Above("reworded", "amount_told"),
            Above("tried_first", "cancels"),
            Above("same", "one_item"),
            Silent("same"),
        ),
    ),
    Case(
        "c_shop_support_address",
        "values",
        "An address is changed, the customer told, the ticket closed.",
        (run(*B),),
        {
            "same": run(*B),
            "upper": alt(B, 2, address(street="12 MILL LANE", city="BATH", postcode="ba1 5tr")),
            "number": alt(B, 2, address(street="21 Mill Lane")),
            "city": alt(B, 2, address(city="Bristol")),
            "other_order": alt(B, 2, address(order="1024")),
            "internal": alt(B, 4, comment(public=False)),
            "day": alt(
                B,
                4,
                comment(
                    body="Your order 1042 now goes to 12 Mill Lane, Bath BA1 5TR. It ships on Friday."
                ),
            ),
            "pending": alt(B, 5, call("zendesk_update_ticket", ticket_id=88120, state="pending")),
            "macros": ins(
                B, 2, call("zendesk_list_macros"), call("shopify_get_customer", order="1042")
            ),
        },
        (
            Calm("upper"),
            Critical("number"),
            Critical("city"),
            Critical("other_order"),
            Critical("internal"),
            Critical("day"),
            Critical("pending"),
            Calm("macros"),
            Above("upper", "number"),
            Above("macros", "other_order"),
            Above("same", "internal"),
        ),
    ),
    Case(
        "c_shop_support_late",
        "merge",
        "Two orders are refunded after the look at fraud.",
        (run(*C),),
        {
            "same": run(*C),
            "at_once": run(
                C[0],
                C[1],
                call(
                    "refund_orders",
                    refunds=[
                        {"order": "O-10", "amount": 19.99},
                        {"order": "O-11", "amount": 24.50},
                    ],
                    reason="late",
                    effect={"refunds": ["RF-1", "RF-2"]},
                ),
                *C[4:],
            ),
            "third": ins(C, 4, refund("O-12", 31.00)),
            "crossed": run(C[0], C[1], refund("O-10", 24.50), refund("O-11", 19.99), *C[4:]),
            "fraud_late": run(C[0], C[2], C[3], C[1], C[4], C[5]),
            "voucher": alt(
                C,
                4,
                call(
                    "issue_voucher",
                    email="li.wei@mail.example",
                    value=100,
                    currency="GBP",
                    expires="2026-12-31",
                    effect={"voucher": "V-8F2"},
                ),
            ),
            "one_refund": drop(C, 3),
            "no_refund": drop(C, 2, 3),
            "declined": alt(
                C, 3, refund("O-11", 24.50, {"status": "failed", "error": "card expired"})
            ),
        },
        (
            Calm("at_once"),
            Critical("third"),
            Above("same", "third"),
            Critical("crossed"),
            Above("same", "fraud_late"),
            Critical("voucher"),
            Critical("one_refund"),
            Above("one_refund", "no_refund"),
            Critical("declined"),
            Above("at_once", "crossed"),
        ),
    ),
    Case(
        "c_shop_support_plan",
        "progress",
        "A plan goes down and two add-ons go away.",
        (run(*D),),
        {
            "same": run(*D),
            "addons_first": run(D[0], D[1], D[4], D[3], D[2], D[5]),
            "now": alt(D, 2, plan(at_period_end=False)),
            "pro": alt(D, 2, plan(plan="pro")),
            "one_addon": drop(D, 4),
            "no_addon": drop(D, 3, 4),
            "no_addon_padded": run(
                D[0],
                D[1],
                call("list_addons", customer="cus_N1"),
                call("get_plan", plan="basic"),
                think("The customer wants to pay less."),
                D[2],
                D[5],
            ),
            "cancelled_too": ins(D, 5, call("cancel_subscription", customer="cus_N1")),
            "price": alt(
                D,
                5,
                call(
                    "send_chat",
                    text="From 1 February you are on Basic at 19 EUR a month, without the two add-ons.",
                ),
            ),
        },
        (
            Calm("addons_first"),
            Critical("now"),
            Critical("pro"),
            Critical("one_addon"),
            Above("one_addon", "no_addon"),
            Above("one_addon", "no_addon_padded"),
            Critical("cancelled_too"),
            Above("same", "cancelled_too"),
            Critical("price"),
            Above("addons_first", "pro"),
        ),
    ),
]
