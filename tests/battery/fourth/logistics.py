from battery.language import Above, Calm, Case, Critical, Equal, call, run, think


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
    call("get_stock", {"sku": "BOLT-M8", "warehouse": "HAM"}, effect={"quantity": 140}),
    call("get_supplier", {"supplier": "Schraubwerk GmbH"}, effect={"lead_days": 5}),
    call(
        "get_supplier_price",
        {"sku": "BOLT-M8", "supplier": "Schraubwerk GmbH"},
        effect={"unit_price": 0.12},
    ),
    call(
        "create_purchase_order",
        {
            "supplier": "Schraubwerk GmbH",
            "sku": "BOLT-M8",
            "quantity": 5000,
            "unit_price": 0.12,
            "deliver_to": "HAM",
            "due": "2026-04-20",
            "request_id": "9d1e-aa01",
        },
        effect={"po": "PO-4410"},
    ),
    call(
        "post_message",
        {
            "channel": "purchasing",
            "text": "PO-4410: 5000 BOLT-M8 from Schraubwerk GmbH, due 20 April.",
        },
        effect={"ok": True},
    ),
]


def buy(effect=None, **changed):
    return call(
        "create_purchase_order",
        {**A[3]["arguments"], **changed},
        effect=effect or {"po": "PO-4410"},
    )


B = [
    call("track_shipment", number="JD0146"),
    call("get_carrier_status", carrier="DHL"),
    call("inspect_container", container="MSKU-7741"),
    call("release_container", container="MSKU-7741", customs_code="T1"),
    call(
        "book_truck",
        container="MSKU-7741",
        destination="Graz",
        pickup="2026-05-11T07:00",
        refrigerated=True,
    ),
    call(
        "email_consignee",
        to="dispo@styria-food.example",
        text="MSKU-7741 leaves on 11 May at 7:00 and stays below 4 degrees.",
    ),
]


def truck(**changed):
    return call("book_truck", **{**B[4]["arguments"], **changed})


C = [
    call(
        "list_open_picks",
        zone="C",
        effect={
            "picks": [
                {"pick": 1, "sku": "A-7"},
                {"pick": 2, "sku": "A-9"},
                {"pick": 3, "sku": "B-2"},
            ]
        },
    ),
    call("assign_pick", pick=1, worker="Nadia", effect={"ok": True}),
    call("assign_pick", pick=2, worker="Nadia", effect={"ok": True}),
    call("assign_pick", pick=3, worker="Piotr", effect={"ok": True}),
    call("adjust_stock", sku="A-7", delta=-4, reason="damaged", effect={"quantity": 96}),
    call("print_labels", picks=[1, 2, 3], printer="C-02", effect={"printed": 3}),
    think("Zone C is assigned."),
]


def pick(number, worker, effect=None):
    return call("assign_pick", pick=number, worker=worker, effect=effect or {"ok": True})


D = [
    call("optimize_route", depot="Lyon", stops=["Vienne", "Valence", "Montélimar"]),
    call("check_driver_hours", driver="D-31"),
    call(
        "assign_route",
        driver="D-31",
        vehicle="AB-412-CD",
        stops=["Vienne", "Valence", "Montélimar"],
        date="2026-01-22",
    ),
    call("add_stop_note", stop="Valence", note="Ring at gate 3; closed from 12:00 to 14:00."),
    call("send_to_device", driver="D-31", route_date="2026-01-22"),
]


def route(**changed):
    return call("assign_route", **{**D[2]["arguments"], **changed})


def note(text, stop="Valence"):
    return call("add_stop_note", stop=stop, note=text)


CASES = [
    Case(
        "c_logistics_bolts",
        "values",
        "Bolts are ordered once.",
        (run(*A),),
        {
            "same": run(*A),
            "request_key": alt(A, 3, buy(request_id="77fe-0b13")),
            "quantity": alt(A, 3, buy(quantity=50000)),
            "price_text": alt(A, 3, buy(unit_price="0.120")),
            "price": alt(A, 3, buy(unit_price=0.21)),
            "place": alt(A, 3, buy(deliver_to="BRE")),
            "twice": ins(A, 4, buy({"po": "PO-4411"}, request_id="5512-cc90")),
            "retried": ins(A, 3, buy({"error": "timeout, nothing was saved", "status": "failed"})),
            "looks_turned": run(A[2], A[1], A[0], *A[3:]),
        },
        (
            Calm("request_key"),
            Equal("same", "request_key"),
            Critical("quantity"),
            Calm("price_text"),
            Critical("price"),
            Critical("place"),
            Critical("twice"),
            Above("same", "twice"),
            Calm("retried"),
            Equal("same", "looks_turned"),
            Above("price_text", "price"),
        ),
    ),
    Case(
        "c_logistics_container",
        "order",
        "A container is inspected before it is released.",
        (run(*B),),
        {
            "same": run(*B),
            "inspected_late": run(B[0], B[1], B[3], B[4], B[2], B[5]),
            "not_released": drop(B, 3),
            "not_released_no_truck": drop(B, 3, 4),
            "warm": alt(B, 4, truck(refrigerated=False)),
            "hour": alt(B, 4, truck(pickup="2026-05-11T17:00")),
            "other_container": alt(
                B, 3, call("release_container", container="MSKU-7714", customs_code="T1")
            ),
            "told_reworded": alt(
                B,
                5,
                call(
                    "email_consignee",
                    to="dispo@styria-food.example",
                    text="On 11 May at 7:00 MSKU-7741 leaves; it stays below 4 degrees.",
                ),
            ),
            "told_above": alt(
                B,
                5,
                call(
                    "email_consignee",
                    to="dispo@styria-food.example",
                    text="MSKU-7741 leaves on 11 May at 7:00 and does not stay below 4 degrees.",
                ),
            ),
        },
        (
            Above("same", "inspected_late"),
            Critical("not_released"),
            Above("not_released", "not_released_no_truck"),
            Critical("warm"),
            Critical("hour"),
            Critical("other_container"),
            Calm("told_reworded"),
            Critical("told_above"),
            Above("told_reworded", "told_above"),
        ),
    ),
    Case(
        "c_logistics_picks",
        "merge",
        "Three picks for two workers.",
        (run(*C),),
        {
            "same": run(*C),
            "at_once": run(
                C[0],
                call(
                    "assign_picks",
                    assignments=[
                        {"pick": 1, "worker": "Nadia"},
                        {"pick": 2, "worker": "Nadia"},
                        {"pick": 3, "worker": "Piotr"},
                    ],
                    effect={"ok": True},
                ),
                *C[4:],
            ),
            "swapped_workers": run(C[0], pick(1, "Piotr"), C[2], pick(3, "Nadia"), *C[4:]),
            "any_order": run(C[0], C[3], C[1], C[2], *C[4:]),
            "delta": alt(
                C,
                4,
                call(
                    "adjust_stock", sku="A-7", delta=4, reason="damaged", effect={"quantity": 104}
                ),
            ),
            "no_end": drop(C, 6),
            "labels_singly": run(
                *C[:5],
                call("print_label", pick=1, printer="C-02", effect={"printed": 1}),
                call("print_label", pick=2, printer="C-02", effect={"printed": 1}),
                call("print_label", pick=3, printer="C-02", effect={"printed": 1}),
                C[6],
            ),
            "denied": alt(
                C, 3, pick(3, "Piotr", {"error": "permission denied: worker not in zone"})
            ),
            "two_less": drop(C, 2, 3),
        },
        (
            Calm("at_once"),
            Critical("swapped_workers"),
            Calm("any_order"),
            Critical("delta"),
            Calm("no_end"),
            Calm("labels_singly"),
            Critical("denied"),
            Above("same", "denied"),
            Above("at_once", "swapped_workers"),
            Critical("two_less"),
            Above("same", "two_less"),
        ),
    ),
    Case(
        "c_logistics_route",
        "order",
        "The driver's hours are checked before the route is given.",
        (run(*D),),
        {
            "same": run(*D),
            "hours_late": run(D[0], D[2], D[3], D[4], D[1]),
            "stop_less": alt(D, 2, route(stops=["Vienne", "Valence"])),
            "date_spelled": alt(D, 2, route(date="22 January 2026")),
            "vehicle": alt(D, 2, route(vehicle="AB-421-CD")),
            "note_reworded": alt(D, 3, note("Closed from 12:00 to 14:00. Please ring at gate 3.")),
            "note_gate": alt(D, 3, note("Ring at gate 8; closed from 12:00 to 14:00.")),
            "note_stop": alt(D, 3, note("Ring at gate 3; closed from 12:00 to 14:00.", "Vienne")),
            "weather": ins(D, 2, call("get_weather", city="Lyon", date="2026-01-22")),
        },
        (
            Above("same", "hours_late"),
            Critical("stop_less"),
            Calm("date_spelled"),
            Critical("vehicle"),
            Calm("note_reworded"),
            Critical("note_gate"),
            Critical("note_stop"),
            Calm("weather"),
            Above("note_reworded", "note_gate"),
            Above("weather", "stop_less"),
        ),
    ),
]
