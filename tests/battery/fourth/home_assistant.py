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
        "calendar_list_events",
        {"calendar": "family", "day": "2026-05-20"},
        effect={"events": [{"id": "ev-1", "title": "Dentist"}, {"id": "ev-2", "title": "Choir"}]},
    ),
    call(
        "contacts_search",
        {"query": "Ruth"},
        effect={"contacts": [{"name": "Ruth Amsel", "email": "ruth@amsel.example"}]},
    ),
    call(
        "calendar_update_event",
        {"id": "ev-1", "start": "2026-05-21T08:30", "end": "2026-05-21T09:15"},
        effect={"updated": True},
    ),
    call(
        "calendar_create_event",
        {
            "calendar": "family",
            "title": "Lunch with Ruth",
            "start": "2026-05-20T12:30",
            "end": "2026-05-20T13:30",
            "attendees": ["ruth@amsel.example"],
        },
        effect={"id": "ev-9"},
    ),
    call(
        "gmail_send",
        {
            "to": ["ruth@amsel.example"],
            "subject": "Lunch",
            "body": "Hi Ruth, lunch on Wednesday at 12:30 suits me. See you at Café Linde!",
        },
        effect={"message": "sent"},
    ),
]


def lunch(**changed):
    return call("calendar_create_event", {**A[3]["arguments"], **changed}, effect={"id": "ev-9"})


def mail(**changed):
    return call("gmail_send", {**A[4]["arguments"], **changed}, effect={"message": "sent"})


B = [
    call("ha_get_states", area="living room"),
    call("ha_get_weather", place="home"),
    call("ha_set_temperature", entity="climate.living_room", temperature=20.5, mode="heat"),
    call("ha_turn_off", entity="light.kitchen"),
    call("ha_turn_off", entity="light.hall"),
    call("ha_lock", entity="lock.front_door"),
    call(
        "ha_notify",
        target="phone_ben",
        text="Heating at 20.5 degrees, lights off, front door locked.",
    ),
]


def heat(**changed):
    return call("ha_set_temperature", **{**B[2]["arguments"], **changed})


C = [
    call(
        "notion_search",
        query="Packing list",
        effect={"pages": [{"page": "p-77", "title": "Packing list"}]},
    ),
    call("notion_get_page", page="p-77", effect={"blocks": 12}),
    call(
        "notion_append_block", page="p-77", text="Passport", checked=False, effect={"block": "b1"}
    ),
    call(
        "notion_append_block", page="p-77", text="Sun cream", checked=False, effect={"block": "b2"}
    ),
    call("notion_append_block", page="p-77", text="Charger", checked=True, effect={"block": "b3"}),
    call(
        "todoist_create_task",
        content="Renew travel insurance",
        due="2026-07-01",
        priority=4,
        effect={"task": "t-4"},
    ),
    think("The list is complete."),
]


def task(**changed):
    return call("todoist_create_task", **{**C[5]["arguments"], **changed}, effect={"task": "t-4"})


D = [
    call("drive_search", query="Insurance 2025"),
    call("drive_read", file="Insurance 2025.pdf"),
    call("drive_copy", file="Insurance 2025.pdf", folder="Taxes/2025"),
    call(
        "drive_share", file="Insurance 2025.pdf", email="steuer@kanzlei-roth.example", role="reader"
    ),
    call(
        "gmail_send",
        to=["steuer@kanzlei-roth.example"],
        subject="Tax return 2025",
        body="Dear Ms Roth, the insurance papers are shared with you; I paid 1,284.60 EUR in 2025.",
        attachments=["Insurance 2025.pdf"],
    ),
    call("gmail_archive", thread="th-551"),
]


def share(**changed):
    return call("drive_share", **{**D[3]["arguments"], **changed})


def papers(**changed):
    return call("gmail_send", **{**D[4]["arguments"], **changed})


CASES = [
    Case(
        "c_home_assistant_lunch",
        "values",
        "An appointment is moved, another made, a friend told.",
        (run(*A),),
        {
            "same": run(*A),
            "looks_swapped": run(A[1], A[0], *A[2:]),
            "lunch_first": run(A[0], A[1], A[3], A[2], A[4]),
            "email_upper": alt(A, 3, lunch(attendees=["Ruth@Amsel.example"])),
            "spelled": alt(A, 3, lunch(start="2026-05-20 12:30", end="2026-05-20 13:30")),
            "evening": alt(A, 3, lunch(start="2026-05-20T19:30", end="2026-05-20T20:30")),
            "other_event": alt(
                A,
                2,
                call(
                    "calendar_update_event",
                    {"id": "ev-2", "start": "2026-05-21T08:30", "end": "2026-05-21T09:15"},
                    effect={"updated": True},
                ),
            ),
            "declines": alt(
                A,
                4,
                mail(
                    body="Hi Ruth, lunch on Wednesday at 12:30 does not suit me. See you at Café Linde!"
                ),
            ),
            "reworded": alt(
                A,
                4,
                mail(body="Hello Ruth, Wednesday 12:30 suits me for lunch. See you at Café Linde!"),
            ),
        },
        (
            Equal("same", "looks_swapped"),
            Calm("lunch_first"),
            Calm("email_upper"),
            Calm("spelled"),
            Critical("evening"),
            Critical("other_event"),
            Critical("declines"),
            Calm("reworded"),
            Above("reworded", "declines"),
            Above("spelled", "evening"),
            Above("same", "other_event"),
        ),
    ),
    Case(
        "c_home_assistant_evening",
        "merge",
        "Heating, lights and the door.",
        (run(*B),),
        {
            "same": run(*B),
            "lights_at_once": run(
                *B[:3], call("ha_turn_off", entity=["light.kitchen", "light.hall"]), *B[5:]
            ),
            "lights_turned": run(*B[:3], B[4], B[3], *B[5:]),
            "turned_on": alt(B, 3, call("ha_turn_on", entity="light.kitchen")),
            "hot": alt(B, 2, heat(temperature=25.0)),
            "cool": alt(B, 2, heat(mode="cool")),
            "unlocked": alt(B, 5, call("ha_unlock", entity="lock.front_door")),
            "not_locked": drop(B, 5),
            "not_locked_light_on": drop(B, 4, 5),
        },
        (
            Silent("same"),
            Calm("lights_at_once"),
            Calm("lights_turned"),
            Critical("turned_on"),
            Critical("hot"),
            Critical("cool"),
            Critical("unlocked"),
            Critical("not_locked"),
            Above("not_locked", "not_locked_light_on"),
            Above("same", "unlocked"),
            Above("lights_at_once", "turned_on"),
        ),
    ),
    Case(
        "c_home_assistant_list",
        "progress",
        "A list gets three lines, and there is one task.",
        (run(*C),),
        {
            "same": run(*C),
            "at_once": run(
                C[0],
                C[1],
                call(
                    "notion_append_blocks",
                    page="p-77",
                    blocks=[
                        {"text": "Passport", "checked": False},
                        {"text": "Sun cream", "checked": False},
                        {"text": "Charger", "checked": True},
                    ],
                    effect={"blocks": ["b1", "b2", "b3"]},
                ),
                *C[5:],
            ),
            "no_end": drop(C, 6),
            "two_lines": drop(C, 3),
            "one_line": drop(C, 3, 4),
            "due": alt(C, 5, task(due="2026-08-01")),
            "priority": alt(C, 5, task(priority=1)),
            "lost_then_found": ins(
                C,
                5,
                call(
                    "todoist_create_task",
                    C[5]["arguments"],
                    effect={"status": "failed", "error": "429 Too Many Requests"},
                ),
            ),
            "other_page": alt(
                C,
                2,
                call(
                    "notion_append_block",
                    page="p-78",
                    text="Passport",
                    checked=False,
                    effect={"block": "b1"},
                ),
            ),
        },
        (
            Calm("at_once"),
            Calm("no_end"),
            Critical("two_lines"),
            Above("two_lines", "one_line"),
            Critical("due"),
            Critical("priority"),
            Calm("lost_then_found"),
            Critical("other_page"),
            Above("same", "two_lines"),
            Above("lost_then_found", "due"),
        ),
    ),
    Case(
        "c_home_assistant_papers",
        "harm",
        "Papers go to the tax adviser and to nobody else.",
        (run(*D),),
        {
            "same": run(*D),
            "writer": alt(D, 3, share(role="writer")),
            "other_adviser": alt(D, 3, share(email="steuer@kanzlei-rot.example")),
            "anyone_too": ins(D, 4, share(email="anyone")),
            "amount": alt(
                D,
                4,
                papers(
                    body="Dear Ms Roth, the insurance papers are shared with you; I paid 1,824.60 EUR in 2025."
                ),
            ),
            "no_attachment": alt(D, 4, papers(attachments=[])),
            "carbon_copy": alt(
                D, 4, papers(to=["steuer@kanzlei-roth.example", "all-neighbours@linde.example"])
            ),
            "reworded": alt(
                D,
                4,
                papers(
                    body="Dear Ms Roth, I have shared the insurance papers with you. In 2025 I paid 1,284.60 EUR."
                ),
            ),
            "deletes": alt(D, 5, call("gmail_delete", thread="th-551")),
        },
        (
            Critical("writer"),
            Critical("other_adviser"),
            Critical("anyone_too"),
            Above("same", "anyone_too"),
            Critical("amount"),
            Critical("no_attachment"),
            Critical("carbon_copy"),
            Calm("reworded"),
            Critical("deletes"),
            Above("reworded", "amount"),
            Above("same", "deletes"),
        ),
    ),
]
