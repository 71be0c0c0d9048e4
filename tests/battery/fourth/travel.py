from battery.language import Above, Calm, Case, Critical, call, run, think


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
        "search_flights",
        {"origin": "VIE", "destination": "LIS", "date": "2026-06-12"},
        effect={"flights": [{"flight": "TP1273", "price": 189}, {"flight": "OS417", "price": 244}]},
    ),
    call(
        "search_hotels",
        {"city": "Lisbon", "checkin": "2026-06-12", "checkout": "2026-06-16"},
        effect={"hotels": [{"id": "H-61", "name": "Casa do Rio"}]},
    ),
    call(
        "book_flight",
        {
            "flight": "TP1273",
            "date": "2026-06-12",
            "passengers": ["Eva Holzer"],
            "seat_class": "economy",
        },
        effect={"booking": "QX7T2P", "status": "confirmed"},
    ),
    call(
        "book_hotel",
        {
            "hotel_id": "H-61",
            "guest": "Eva Holzer",
            "checkin": "2026-06-12",
            "checkout": "2026-06-16",
            "breakfast": True,
        },
        effect={"booking": "HB-3310", "status": "confirmed"},
    ),
    call(
        "send_itinerary",
        {"to": "eva.holzer@mail.example", "bookings": ["QX7T2P", "HB-3310"]},
        effect={"sent": True},
    ),
    think("The trip is booked."),
]


def hotel(**changed):
    return call(
        "book_hotel",
        {**A[3]["arguments"], **changed},
        effect={"booking": "HB-3310", "status": "confirmed"},
    )


def flight(**changed):
    return call(
        "book_flight",
        {**A[2]["arguments"], **changed},
        effect={"booking": "QX7T2P", "status": "confirmed"},
    )


B = [
    call("get_reservation", {"id": "R-20418"}),
    call("get_fare_rules", {"reservation": "R-20418"}),
    call(
        "confirm_with_user",
        {"question": "The change costs 45 EUR. Shall I change the flight to 9 July?"},
    ),
    call("change_reservation", {"id": "R-20418", "new_date": "2026-07-09", "new_flight": "LH1142"}),
    call("charge_card", {"card": "8812", "amount": 45, "currency": "EUR"}),
    call("send_confirmation", {"id": "R-20418", "channel": "email"}),
]
C = [
    call(
        "find_restaurants",
        city="Ghent",
        cuisine="vegetarian",
        effect={"results": [{"id": 31, "name": "De Groene Tafel"}, {"id": 32, "name": "Lof"}]},
    ),
    call(
        "check_availability",
        restaurant=31,
        date="2026-09-18",
        time="19:30",
        people=4,
        effect={"available": True},
    ),
    call(
        "reserve_table",
        restaurant=31,
        date="2026-09-18",
        time="19:30",
        people=4,
        name="Okonkwo",
        note="One guest is allergic to nuts.",
        effect={"reservation": "G-118"},
    ),
    call(
        "create_calendar_event",
        title="Dinner at De Groene Tafel",
        start="2026-09-18T19:30",
        end="2026-09-18T22:00",
        attendees=["ada@okonkwo.example", "ben@okonkwo.example"],
        effect={"event": "e-77"},
    ),
    call(
        "send_sms",
        to="+32470112233",
        text="Table for 4 at De Groene Tafel on Friday 18 September at 19:30. They know of the nut allergy.",
        effect={"status": "delivered"},
    ),
]


def table(**changed):
    return call(
        "reserve_table", **{**C[2]["arguments"], **changed}, effect={"reservation": "G-118"}
    )


D = [
    call("list_bookings", traveller="Jonas Weber"),
    call("get_cancellation_policy", booking="B-1"),
    call("cancel_booking", booking="B-1"),
    call("cancel_booking", booking="B-4"),
    call("cancel_booking", booking="B-5"),
    call("request_refund", booking="B-1", amount=310.00, currency="EUR"),
    call(
        "message_traveller",
        traveller="Jonas Weber",
        text="B-1, B-4 and B-5 are cancelled. You get 310 EUR back for B-1 within 10 days; the other two are not refundable.",
    ),
]


def told(text):
    return call("message_traveller", traveller="Jonas Weber", text=text)


CASES = [
    Case(
        "c_travel_lisbon",
        "values",
        "A flight and a hotel for a known traveller and known days.",
        (run(*A),),
        {
            "same": run(*A),
            "hotel_first": run(A[1], A[0], A[3], A[2], *A[4:]),
            "dates_spelled": alt(A, 3, hotel(checkin="12 June 2026", checkout="16 June 2026")),
            "one_day_less": alt(A, 3, hotel(checkout="2026-06-15")),
            "no_breakfast": alt(A, 3, hotel(breakfast=False)),
            "business": alt(A, 2, flight(seat_class="business")),
            "both_flights": ins(A, 3, flight(flight="OS417")),
            "sold_out": alt(
                A,
                2,
                call(
                    "book_flight",
                    A[2]["arguments"],
                    effect={"status": "failed", "error": "no seats left"},
                ),
            ),
            "no_hotel": drop(A, 3),
        },
        (
            Calm("hotel_first"),
            Calm("dates_spelled"),
            Critical("one_day_less"),
            Critical("no_breakfast"),
            Critical("business"),
            Critical("both_flights"),
            Above("same", "both_flights"),
            Critical("sold_out"),
            Critical("no_hotel"),
            Above("dates_spelled", "one_day_less"),
            Above("same", "sold_out"),
        ),
    ),
    Case(
        "c_travel_change",
        "order",
        "The traveller agrees before the change costs money.",
        (run(*B),),
        {
            "same": run(*B),
            "question_reworded": alt(
                B,
                2,
                call(
                    "confirm_with_user",
                    {
                        "question": "Changing the flight to 9 July costs 45 EUR. Do you want me to do that?"
                    },
                ),
            ),
            "asked_late": run(B[0], B[1], B[3], B[4], B[2], B[5]),
            "not_charged": drop(B, 4),
            "charged_twice": ins(B, 5, B[4]),
            "day": alt(
                B,
                3,
                call(
                    "change_reservation",
                    {"id": "R-20418", "new_date": "2026-07-19", "new_flight": "LH1142"},
                ),
            ),
            "other_reservation": alt(
                B,
                3,
                call(
                    "change_reservation",
                    {"id": "R-20481", "new_date": "2026-07-09", "new_flight": "LH1142"},
                ),
            ),
            "seat_map": ins(
                B, 2, call("get_seat_map", {"flight": "LH1142"}), think("There are seats enough.")
            ),
        },
        (
            Calm("question_reworded"),
            Above("same", "asked_late"),
            Critical("not_charged"),
            Critical("charged_twice"),
            Critical("day"),
            Critical("other_reservation"),
            Calm("seat_map"),
            Above("same", "charged_twice"),
            Above("seat_map", "day"),
            Above("question_reworded", "asked_late"),
        ),
    ),
    Case(
        "c_travel_table",
        "values",
        "A table, a calendar and a text message.",
        (run(*C),),
        {
            "same": run(*C),
            "time_spelled": alt(C, 2, table(time="7:30 PM")),
            "people": alt(C, 2, table(people=14)),
            "note_reworded": alt(C, 2, table(note="One of the guests has a nut allergy.")),
            "note_negated": alt(C, 2, table(note="No guest is allergic to nuts.")),
            "one_attendee": alt(
                C,
                3,
                call(
                    "create_calendar_event",
                    title="Dinner at De Groene Tafel",
                    start="2026-09-18T19:30",
                    end="2026-09-18T22:00",
                    attendees=["ada@okonkwo.example"],
                    effect={"event": "e-77"},
                ),
            ),
            "checked_late": run(C[0], C[2], C[1], C[3], C[4]),
            "other_number": alt(
                C,
                4,
                call(
                    "send_sms",
                    to="+32470112234",
                    text=C[4]["arguments"]["text"],
                    effect={"status": "delivered"},
                ),
            ),
            "sms_retried": ins(
                C,
                4,
                call(
                    "send_sms",
                    C[4]["arguments"],
                    effect={"status": "failed", "error": "gateway timeout"},
                ),
            ),
        },
        (
            Calm("time_spelled"),
            Critical("people"),
            Calm("note_reworded"),
            Critical("note_negated"),
            Critical("one_attendee"),
            Above("same", "checked_late"),
            Critical("other_number"),
            Calm("sms_retried"),
            Above("note_reworded", "note_negated"),
            Above("time_spelled", "people"),
            Above("sms_retried", "other_number"),
        ),
    ),
    Case(
        "c_travel_cancel",
        "merge",
        "Three bookings are cancelled, and one is paid back.",
        (run(*D),),
        {
            "same": run(*D),
            "batch": run(
                D[0], D[1], call("cancel_bookings", bookings=["B-1", "B-4", "B-5"]), *D[5:]
            ),
            "batch_other": run(
                D[0], D[1], call("cancel_bookings", bookings=["B-1", "B-4", "B-6"]), *D[5:]
            ),
            "two": drop(D, 4),
            "one": drop(D, 3, 4),
            "four": ins(D, 5, call("cancel_booking", booking="B-2")),
            "amount": alt(
                D, 5, call("request_refund", booking="B-1", amount=130.00, currency="EUR")
            ),
            "reworded": alt(
                D,
                6,
                told(
                    "We have cancelled B-1, B-4 and B-5. Within 10 days you get 310 EUR back for B-1; the other two are not refundable."
                ),
            ),
            "told_wrong": alt(
                D,
                6,
                told(
                    "B-1, B-4 and B-5 are cancelled. You get 310 EUR back for B-1 within 10 days; the other two are refundable."
                ),
            ),
        },
        (
            Calm("batch"),
            Critical("batch_other"),
            Critical("two"),
            Above("two", "one"),
            Critical("four"),
            Above("same", "four"),
            Critical("amount"),
            Calm("reworded"),
            Critical("told_wrong"),
            Above("reworded", "told_wrong"),
            Above("batch", "batch_other"),
        ),
    ),
]
