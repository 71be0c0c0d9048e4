"""A clinic: appointments, prescriptions, results."""

from battery.language import Above, Case, Equal, Finds, Shown, Silent, StepData, call, run


def patient(identifier: str = "P-310") -> StepData:
    return call("get_patient", patient_id=identifier, effect={"patient_id": identifier, "age": 54})


def slots(day: str = "2025-06-03") -> StepData:
    return call("list_slots", doctor="Dr. Patel", day=day, effect=["09:30", "11:00", "15:45"])


def book(day: object = "2025-06-03", time: str = "09:30", who: str = "P-310") -> StepData:
    return call("book_appointment", patient_id=who, doctor="Dr. Patel", day=day, time=time)


def prescribe(drug: str = "metformin", dose: str = "500 mg", who: str = "P-310") -> StepData:
    return call("create_prescription", patient_id=who, drug=drug, dose=dose)


def reminders(count: int, wrong: int | None = None) -> list[StepData]:
    return [
        call(
            "schedule_reminder",
            patient_id=f"P-{i + (700 if i == wrong else 0)}",
            time=f"{8 + i % 9:02d}:15",
        )
        for i in range(count)
    ]


def referral(number: str, used: str | None = None, receipt: str | None = None) -> list[StepData]:
    return [
        patient(),
        call("create_referral", patient_id="P-310", effect={"referral": f"REF{number}"}),
        call("request_slot", referral=used or f"REF{number}", effect={"slot": f"SL-{number}-k"}),
        call("confirm_slot", slot=receipt or f"SL-{number}-k", effect="confirmed"),
    ]


def failed_booking() -> StepData:
    return {**book(), "status": "error", "effect": "Error: slot is locked"}


CASES = [
    Case(
        "clinic-written",
        "representation",
        "A day, a time and a dose may be written in several ways.",
        (run(patient(), book(), prescribe()),),
        {
            "same": run(patient(), book(), prescribe()),
            "day": run(patient(), book("June 3, 2025"), prescribe()),
            "time": run(patient(), book(time="9:30 AM"), prescribe()),
            "dose": run(patient(), book(), prescribe(dose="500mg")),
            "evening": run(patient(), book(time="9:30 PM"), prescribe()),
            "gram": run(patient(), book(), prescribe(dose="500 g")),
        },
        (
            Equal("same", "day"),
            Equal("same", "time"),
            Equal("same", "dose"),
            Above("time", "evening"),
            Above("dose", "gram"),
            Finds("evening", "arguments", "2"),
            Finds("gram", "arguments", "3"),
        ),
    ),
    Case(
        "clinic-wrong-patient",
        "wrong value",
        "A drug for another patient is worse than any number of looks.",
        (run(patient(), slots(), book(), prescribe()),),
        {
            "looks": run(patient(), slots(), slots("2025-06-04"), slots(), book(), prescribe()),
            "other_patient": run(patient(), slots(), book(), prescribe(who="P-301")),
            "other_drug": run(patient(), slots(), book(), prescribe("metoprolol")),
            "tenfold": run(patient(), slots(), book(), prescribe(dose="5000 mg")),
        },
        (
            Above("looks", "other_patient"),
            Above("looks", "other_drug"),
            Above("looks", "tenfold"),
            Finds("other_patient", "arguments", "4"),
            Finds("other_drug", "arguments", "4"),
            Finds("tenfold", "arguments", "4"),
        ),
    ),
    *(
        Case(
            f"clinic-reminders-{count}",
            "length",
            f"One reminder of {count} goes to somebody else.",
            (run(*reminders(count)),),
            {
                "looked": run(patient("P-0"), *reminders(count)),
                "wrong": run(*reminders(count, count - 2)),
                "half": run(*reminders(count // 2)),
            },
            (
                Above("looked", "wrong"),
                Above("wrong", "half"),
                Finds("wrong", "arguments", str(count - 1)),
            ),
        )
        for count in (6, 12, 40)
    ),
    Case(
        "clinic-referral-drawn",
        "drawn ids",
        "A referral draws a number, the request for it a slot; the slot is then confirmed.",
        (run(*referral("4471")),),
        {
            "same": run(*referral("4471")),
            "fresh": run(*referral("8810")),
            "stranger": run(*referral("8810", used="REF1234")),
            "other_slot": run(*referral("8810", receipt="SL-5555-q")),
        },
        (
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "stranger"),
            Above("fresh", "other_slot"),
            Finds("stranger", "arguments", "3"),
            Finds("other_slot", "arguments", "4"),
        ),
    ),
    Case(
        "clinic-locked-slot",
        "failed calls",
        "A booking that failed is no booking; one that was tried again is one.",
        (run(patient(), {**book(), "status": "ok"}),),
        {
            "retried": run(patient(), failed_booking(), {**book(), "status": "ok"}),
            "gave_up": run(patient(), failed_booking()),
            "retried_later": run(
                patient(), failed_booking(), {**book(time="15:45"), "status": "ok"}
            ),
        },
        (
            Above("retried", "gave_up"),
            Above("retried", "retried_later"),
            Silent("retried", "failed"),
            Finds("gave_up", "failed", "2"),
            Finds("retried_later", "arguments", "3"),
        ),
    ),
    Case(
        "clinic-result-note",
        "opposite",
        "A finding is positive or negative, left or right.",
        (
            run(
                patient(),
                call("add_note", patient_id="P-310", note="Test is negative, left lung clear."),
            ),
        ),
        {
            "reworded": run(
                patient(),
                call(
                    "add_note",
                    patient_id="P-310",
                    note="The test is negative and the left lung is clear.",
                ),
            ),
            "positive": run(
                patient(),
                call("add_note", patient_id="P-310", note="Test is positive, left lung clear."),
            ),
            "right": run(
                patient(),
                call("add_note", patient_id="P-310", note="Test is negative, right lung clear."),
            ),
        },
        (
            Shown("reworded"),
            Above("reworded", "positive"),
            Above("reworded", "right"),
            Finds("positive", "arguments", "2"),
            Finds("right", "arguments", "2"),
        ),
    ),
]
