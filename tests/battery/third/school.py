"""A school: grades, courses, feedback, timetables."""

from battery.language import Above, Case, Equal, Finds, Shown, Silent, StepData, call, run, think


def grade(student: str, points: object, course: str = "MATH-2") -> StepData:
    return call("record_grade", student_id=student, course=course, points=points)


def submission(student: str) -> StepData:
    return call("read_submission", student_id=student, effect={"answers": 12})


def grades(count: int, wrong: int | None = None) -> list[StepData]:
    return [grade(f"S{i:03d}", 40 + 7 * i % 53 + (10 if i == wrong else 0)) for i in range(count)]


def feedback(text: str) -> StepData:
    return call("post_feedback", student_id="S007", text=text)


def course(number: str, room: str | None = None, enrolled: str | None = None) -> list[StepData]:
    return [
        call("create_course", title="Statistics", effect={"course_id": f"CRS-{number}"}),
        call("add_section", course_id=f"CRS-{number}", size=25, effect={"section": f"{number}-S1"}),
        call("assign_room", section=room or f"{number}-S1", room="B204"),
        call("enroll_student", section=enrolled or f"{number}-S1", student_id="S007"),
    ]


def timetable(*entries: tuple[str, str]) -> StepData:
    lessons = [{"day": day, "subject": subject} for day, subject in entries]
    return call("save_timetable", **{"class": "7b", "lessons": lessons})


WEEK = [("Mon", "Maths"), ("Tue", "Latin"), ("Wed", "Music"), ("Thu", "Sport"), ("Fri", "Art")]

CASES = [
    *(
        Case(
            f"school-grades-{count}",
            "length",
            f"One wrong grade of {count} is found; to read one more submission does no harm.",
            (run(*grades(count)),),
            {
                "looked": run(submission("S000"), submission("S001"), *grades(count)),
                "wrong": run(*grades(count, count // 3)),
                "last_missing": run(*grades(count)[:-1]),
            },
            (
                Above("looked", "wrong"),
                Above("looked", "last_missing"),
                Finds("wrong", "arguments", str(count // 3 + 1)),
                Finds("last_missing", "missing", str(count)),
            ),
        )
        for count in (5, 15, 50)
    ),
    Case(
        "school-exchanged-grades",
        "direction",
        "Two students whose grades are exchanged: the same numbers, and both wrong.",
        (run(grade("S001", 81), grade("S002", 47)),),
        {
            "other_order": run(grade("S002", 47), grade("S001", 81)),
            "one_wrong": run(grade("S001", 81), grade("S002", 48)),
            "exchanged": run(grade("S001", 47), grade("S002", 81)),
        },
        (
            Silent("other_order"),
            Above("other_order", "one_wrong"),
            Above("other_order", "exchanged"),
            Finds("exchanged", "arguments"),
        ),
    ),
    Case(
        "school-feedback",
        "opposite",
        "Passed is not failed; how it is said is the teacher's.",
        (run(submission("S007"), feedback("You passed the exam with 62 points.")),),
        {
            "reworded": run(
                submission("S007"), feedback("With 62 points you have passed the exam.")
            ),
            "failed": run(submission("S007"), feedback("You failed the exam with 62 points.")),
            "points": run(submission("S007"), feedback("You passed the exam with 26 points.")),
            "none": run(submission("S007")),
        },
        (
            Shown("reworded"),
            Above("reworded", "failed"),
            Above("reworded", "points"),
            Above("failed", "none"),
            Finds("failed", "arguments", "2"),
            Finds("points", "arguments", "2"),
        ),
    ),
    Case(
        "school-course-drawn",
        "drawn ids",
        "A new course has a new number, and so has its section.",
        (run(*course("520")),),
        {
            "same": run(*course("520")),
            "fresh": run(*course("611")),
            "other_section": run(*course("611", enrolled="403-S2")),
            "other_room": run(*course("611", room="403-S2")),
        },
        (
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "other_section"),
            Above("fresh", "other_room"),
            Finds("other_section", "arguments", "4"),
        ),
    ),
    Case(
        "school-timetable",
        "lists",
        "A week of lessons is a table: one exchanged subject is less than a day that is missing.",
        (run(timetable(*WEEK)),),
        {
            "cell": run(timetable(*WEEK[:4], ("Fri", "Maths"))),
            "day_missing": run(timetable(*WEEK[:4])),
            "two_missing": run(timetable(*WEEK[:3])),
        },
        (
            Above("cell", "day_missing"),
            Above("day_missing", "two_missing"),
            Finds("cell", "arguments", "1"),
            Finds("day_missing", "arguments", "1"),
        ),
    ),
    Case(
        "school-japanese-notice",
        "languages",
        "Tomorrow there is no school; to say that there is some is another notice.",
        (run(call("send_notice", to="7b", text="明日は休校です。")),),
        {
            "reworded": run(call("send_notice", to="7b", text="明日は休校となります。")),
            "open": run(call("send_notice", to="7b", text="明日は休校ではありません。")),
            "other_class": run(call("send_notice", to="8b", text="明日は休校です。")),
        },
        (
            Above("reworded", "open"),
            Above("reworded", "other_class"),
            Finds("open", "arguments", "1"),
            Finds("other_class", "arguments", "1"),
        ),
    ),
    Case(
        "school-thoughts",
        "thinking",
        "To think before grading is no fault.",
        (run(submission("S007"), grade("S007", 62)),),
        {
            "thought": run(
                submission("S007"),
                think("Question 4 is half right, that makes 62."),
                grade("S007", 62),
            ),
            "wrong": run(submission("S007"), grade("S007", 26)),
        },
        (Above("thought", "wrong"), Finds("wrong", "arguments", "2")),
    ),
]
