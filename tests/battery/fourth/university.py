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
    call("canvas_list_assignments", course="BIO-201"),
    call("canvas_get_submissions", course="BIO-201", assignment="Lab 3"),
    call("canvas_set_grade", student="s-101", assignment="Lab 3", points=17),
    call("canvas_set_grade", student="s-102", assignment="Lab 3", points=12),
    call("canvas_set_grade", student="s-103", assignment="Lab 3", points=20),
    call(
        "canvas_post_announcement",
        course="BIO-201",
        text="Lab 3 is graded. Questions until Friday, 24 April.",
        notify=True,
    ),
]


def grade(student, points):
    return call("canvas_set_grade", student=student, assignment="Lab 3", points=points)


B = [
    call(
        "search_catalog", title="Silent Spring", effect={"items": [{"item": "B-551", "copies": 2}]}
    ),
    call("get_member", {"id": "M-20"}, effect={"name": "Oluwaseun Bello", "fines": 3.40}),
    call("pay_fine", {"member": "M-20", "amount": 3.40}, effect={"paid": True}),
    call(
        "renew_loan",
        {"member": "M-20", "item": "B-140", "until": "2026-11-20"},
        effect={"renewed": True},
    ),
    call(
        "place_hold",
        {"member": "M-20", "item": "B-551", "pickup": "Main Library"},
        effect={"position": 1},
    ),
    call(
        "send_notice",
        {
            "member": "M-20",
            "text": "Your fine of 3.40 is paid, B-140 is renewed until 20 November, and Silent Spring is reserved at the Main Library.",
        },
        effect={"sent": True},
    ),
]
C = [
    call("get_student", {"id": "st-88"}),
    call("check_prerequisites", {"student": "st-88", "course": "MATH-310"}),
    call(
        "enroll_student",
        {"student": "st-88", "course": "MATH-310", "section": "02", "audit": False},
    ),
    call("drop_course", {"student": "st-88", "course": "HIST-115"}),
    call(
        "email_student",
        {
            "student": "st-88",
            "text": "You are enrolled in MATH-310, section 02, and HIST-115 is dropped. Fees are due by 5 September 2026.",
        },
    ),
]


def enroll(**changed):
    return call("enroll_student", {**C[2]["arguments"], **changed})


def mail(text):
    return call("email_student", {"student": "st-88", "text": text})


D = [
    call("read_document", doc="thesis_draft.docx", effect={"pages": 84}),
    call("run_plagiarism_check", doc="thesis_draft.docx", effect={"similarity": 0.04}),
    call(
        "add_review_comment",
        doc="thesis_draft.docx",
        page=12,
        text="Please cite the source of table 2.",
        effect={"comment": 1},
    ),
    call(
        "add_review_comment",
        doc="thesis_draft.docx",
        page=47,
        text="The sample has 58 people, not 85.",
        effect={"comment": 2},
    ),
    call(
        "set_review_decision",
        doc="thesis_draft.docx",
        decision="minor_revision",
        effect={"saved": True},
    ),
    call(
        "schedule_meeting",
        title="Thesis of Ines Prado",
        start="2026-06-03T14:00",
        room="B 204",
        attendees=["i.prado", "prof.keller"],
        effect={"meeting": "MT-5"},
    ),
]


def remark(page, text):
    return call(
        "add_review_comment", doc="thesis_draft.docx", page=page, text=text, effect={"comment": 9}
    )


E = [
    call("get_exam", exam="CHEM-101-final"),
    call("list_rooms", date="2026-07-02", seats=120),
    call("reserve_room", room="Aula 1", date="2026-07-02", start="09:00", end="12:00"),
    call("assign_proctor", exam="CHEM-101-final", person="H. Sato"),
    call("publish_exam", exam="CHEM-101-final", room="Aula 1", open_book=False),
]
E2 = [E[0], E[1], E[2], call("assign_proctor", exam="CHEM-101-final", person="B. Nkosi"), E[4]]

CASES = [
    Case(
        "c_university_grades",
        "progress",
        "Three grades are given, singly or at once.",
        (run(*A),),
        {
            "same": run(*A),
            "at_once": run(
                A[0],
                A[1],
                call(
                    "canvas_set_grades",
                    assignment="Lab 3",
                    grades=[
                        {"student": "s-101", "points": 17},
                        {"student": "s-102", "points": 12},
                        {"student": "s-103", "points": 20},
                    ],
                ),
                A[5],
            ),
            "any_order": run(A[0], A[1], A[4], A[2], A[3], A[5]),
            "points": alt(A, 3, grade("s-102", 21)),
            "swapped": run(A[0], A[1], grade("s-101", 12), grade("s-102", 17), A[4], A[5]),
            "two": drop(A, 4),
            "one": drop(A, 3, 4),
            "fourth": ins(A, 5, grade("s-104", 0)),
            "quiet": alt(
                A,
                5,
                call(
                    "canvas_post_announcement",
                    course="BIO-201",
                    text="Lab 3 is graded. Questions until Friday, 24 April.",
                    notify=False,
                ),
            ),
        },
        (
            Calm("at_once"),
            Calm("any_order"),
            Critical("points"),
            Critical("swapped"),
            Critical("two"),
            Above("two", "one"),
            Critical("fourth"),
            Above("same", "fourth"),
            Critical("quiet"),
            Above("points", "swapped"),
            Above("at_once", "points"),
        ),
    ),
    Case(
        "c_university_library",
        "values",
        "A fine, a renewal and a hold.",
        (run(*B),),
        {
            "same": run(*B),
            "looks_swapped": run(B[1], B[0], *B[2:]),
            "hold_first": run(B[0], B[1], B[2], B[4], B[3], B[5]),
            "until": alt(
                B,
                3,
                call(
                    "renew_loan",
                    {"member": "M-20", "item": "B-140", "until": "2026-12-20"},
                    effect={"renewed": True},
                ),
            ),
            "until_spelled": alt(
                B,
                3,
                call(
                    "renew_loan",
                    {"member": "M-20", "item": "B-140", "until": "Nov 20, 2026"},
                    effect={"renewed": True},
                ),
            ),
            "not_renewable": alt(
                B,
                3,
                call(
                    "renew_loan",
                    {"member": "M-20", "item": "B-140", "until": "2026-11-20"},
                    effect={"status": "failed", "error": "item is reserved by another member"},
                ),
            ),
            "branch": alt(
                B,
                4,
                call(
                    "place_hold",
                    {"member": "M-20", "item": "B-551", "pickup": "North Branch"},
                    effect={"position": 1},
                ),
            ),
            "other_member": alt(
                B, 2, call("pay_fine", {"member": "M-02", "amount": 3.40}, effect={"paid": True})
            ),
            "not_told": drop(B, 5),
        },
        (
            Equal("same", "looks_swapped"),
            Calm("hold_first"),
            Critical("until"),
            Calm("until_spelled"),
            Critical("not_renewable"),
            Critical("branch"),
            Critical("other_member"),
            Critical("not_told"),
            Above("until_spelled", "until"),
            Above("same", "not_renewable"),
        ),
    ),
    Case(
        "c_university_enroll",
        "order",
        "Prerequisites are checked before the enrolment.",
        (run(*C),),
        {
            "same": run(*C),
            "checked_late": run(C[0], C[2], C[1], C[3], C[4]),
            "audit": alt(C, 2, enroll(audit=True)),
            "section": alt(C, 2, enroll(section="20")),
            "course_lower": alt(C, 2, enroll(course="math-310")),
            "not_dropped": drop(C, 3),
            "nothing": run(C[0], C[1], C[4]),
            "drops_more": ins(
                C, 4, call("drop_course", {"student": "st-88", "course": "PHYS-220"})
            ),
            "reworded": alt(
                C,
                4,
                mail(
                    "HIST-115 is dropped and you are now enrolled in MATH-310, section 02. Please pay the fees by 5 September 2026."
                ),
            ),
        },
        (
            Above("same", "checked_late"),
            Critical("audit"),
            Critical("section"),
            Calm("course_lower"),
            Critical("not_dropped"),
            Above("not_dropped", "nothing"),
            Critical("nothing"),
            Critical("drops_more"),
            Above("same", "drops_more"),
            Calm("reworded"),
            Above("course_lower", "audit"),
        ),
    ),
    Case(
        "c_university_thesis",
        "told",
        "A thesis is reviewed.",
        (run(*D),),
        {
            "same": run(*D),
            "comments_reworded": run(
                D[0],
                D[1],
                remark(12, "The source of table 2 should be cited, please."),
                remark(47, "The sample is 58 people, not 85."),
                *D[4:],
            ),
            "comment_turned": alt(D, 3, remark(47, "The sample has 85 people, not 58.")),
            "page": alt(D, 2, remark(21, "Please cite the source of table 2.")),
            "decision": alt(
                D,
                4,
                call(
                    "set_review_decision",
                    doc="thesis_draft.docx",
                    decision="major_revision",
                    effect={"saved": True},
                ),
            ),
            "checked_last": run(D[0], *D[2:6], D[1]),
            "room": alt(
                D,
                5,
                call(
                    "schedule_meeting",
                    title="Thesis of Ines Prado",
                    start="2026-06-03T14:00",
                    room="B 402",
                    attendees=["i.prado", "prof.keller"],
                    effect={"meeting": "MT-5"},
                ),
            ),
            "attendees_turned": alt(
                D,
                5,
                call(
                    "schedule_meeting",
                    title="Thesis of Ines Prado",
                    start="2026-06-03T14:00",
                    room="B 204",
                    attendees=["prof.keller", "i.prado"],
                    effect={"meeting": "MT-5"},
                ),
            ),
            "deleted": ins(
                D, 5, call("delete_document", doc="thesis_draft.docx", effect={"deleted": True})
            ),
        },
        (
            Calm("comments_reworded"),
            Critical("decision"),
            Above("same", "checked_last"),
            Critical("room"),
            Calm("attendees_turned"),
            Critical("deleted"),
            Above("same", "deleted"),
            Above("same", "page"),
            Critical("comment_turned"),
            Above("comments_reworded", "decision"),
        ),
    ),
    Case(
        "c_university_exam",
        "references",
        "Either of two people may watch over the exam.",
        (run(*E), run(*E2)),
        {
            "first": run(*E),
            "second": run(*E2),
            "third_person": alt(
                E, 3, call("assign_proctor", exam="CHEM-101-final", person="L. Costa")
            ),
            "open_book": alt(
                E2, 4, call("publish_exam", exam="CHEM-101-final", room="Aula 1", open_book=True)
            ),
            "no_room": drop(E2, 2),
            "no_proctor": drop(E, 3),
        },
        (
            Equal("first", "second"),
            Silent("first"),
            Silent("second"),
            Critical("third_person"),
            Critical("open_book"),
            Critical("no_room"),
            Critical("no_proctor"),
            Above("second", "open_book"),
        ),
    ),
]
