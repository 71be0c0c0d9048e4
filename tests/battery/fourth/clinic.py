from battery.language import Above, Calm, Case, Critical, Equal, call, run


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
        "search_patient",
        {"name": "Amina Yusuf", "birth_date": "1987-11-02"},
        effect={"patient_id": "PT-3391"},
    ),
    call("get_allergies", {"patient_id": "PT-3391"}, effect={"allergies": ["penicillin"]}),
    call(
        "get_medications", {"patient_id": "PT-3391"}, effect={"medications": ["metformin 500 mg"]}
    ),
    call(
        "create_prescription",
        {
            "patient_id": "PT-3391",
            "drug": "clarithromycin",
            "dose_mg": 500,
            "frequency": "twice daily",
            "days": 7,
        },
        effect={"prescription": "RX-801", "status": "signed"},
    ),
    call(
        "send_to_pharmacy",
        {"prescription": "RX-801", "pharmacy": "Central Pharmacy"},
        effect={"accepted": True},
    ),
    call(
        "add_note",
        {
            "patient_id": "PT-3391",
            "text": "Clarithromycin 500 mg for 7 days, because of the penicillin allergy.",
        },
        effect={"note": 55},
    ),
]


def prescribe(**changed):
    return call(
        "create_prescription",
        {**A[3]["arguments"], **changed},
        effect={"prescription": "RX-801", "status": "signed"},
    )


B = [
    call("get_patient", {"id": 70412}),
    call("list_slots", {"doctor": "Dr. Lindqvist", "week": "2026-W19"}),
    call("cancel_appointment", {"id": 9981, "reason": "patient request"}),
    call(
        "book_appointment",
        {
            "patient": 70412,
            "doctor": "Dr. Lindqvist",
            "start": "2026-05-07T10:20",
            "kind": "follow-up",
            "minutes": 20,
        },
    ),
    call(
        "send_reminder",
        {
            "patient": 70412,
            "channel": "sms",
            "text": "Your follow-up with Dr. Lindqvist is on 7 May at 10:20. Please do not eat for 8 hours before.",
        },
    ),
]


def book(**changed):
    return call("book_appointment", {**B[3]["arguments"], **changed})


def remind(text, channel="sms"):
    return call("send_reminder", {"patient": 70412, "channel": channel, "text": text})


C = [
    call("get_lab_results", {"patient": "PT-118"}, effect={"potassium": 5.9, "creatinine": 1.1}),
    call("get_encounter", {"patient": "PT-118"}, effect={"ward": "4B", "nurse": "S. Petrov"}),
    call(
        "order_lab",
        {"patient": "PT-118", "test": "potassium", "priority": "stat"},
        effect={"order": "LO-1"},
    ),
    call(
        "order_lab",
        {"patient": "PT-118", "test": "troponin", "priority": "stat"},
        effect={"order": "LO-2"},
    ),
    call("order_ecg", {"patient": "PT-118", "leads": 12}, effect={"order": "EC-1"}),
    call(
        "page_staff",
        {
            "recipient": "S. Petrov",
            "text": "PT-118 on 4B has potassium 5.9. Repeat labs and a 12-lead ECG are ordered.",
        },
        effect={"paged": True},
    ),
]


def lab(test, priority="stat", patient="PT-118"):
    return call(
        "order_lab",
        {"patient": patient, "test": test, "priority": priority},
        effect={"order": "LO-9"},
    )


D = [
    call("list_referrals", {"clinic": "cardiology", "state": "open"}),
    call("read_referral", {"referral": "RF-12"}),
    call("check_insurance", {"member": "AX-55-019", "service": "echocardiography"}),
    call(
        "request_authorization", {"member": "AX-55-019", "service": "echocardiography", "units": 1}
    ),
    call(
        "schedule_exam",
        {
            "referral": "RF-12",
            "exam": "echocardiography",
            "date": "2026-02-17",
            "room": "E2",
            "contrast": False,
        },
    ),
    call("update_referral", {"referral": "RF-12", "state": "scheduled"}),
    call(
        "send_letter",
        {
            "to": "Dr. Amara Diallo",
            "text": "Your patient has the echocardiography on 17 February 2026 in room E2.",
        },
    ),
]


def exam(**changed):
    return call("schedule_exam", {**D[4]["arguments"], **changed})


CASES = [
    Case(
        "c_clinic_prescription",
        "order",
        "Allergies are looked up before a drug is prescribed.",
        (run(*A),),
        {
            "same": run(*A),
            "looks_swapped": run(A[0], A[2], A[1], *A[3:]),
            "allergies_late": run(A[0], A[2], A[3], A[1], A[4], A[5]),
            "drug": alt(A, 3, prescribe(drug="amoxicillin")),
            "dose": alt(A, 3, prescribe(dose_mg=1500)),
            "frequency": alt(A, 3, prescribe(frequency="four times daily")),
            "drug_upper": alt(A, 3, prescribe(drug="Clarithromycin")),
            "second_drug": ins(
                A,
                4,
                prescribe(drug="ibuprofen", dose_mg=600, frequency="three times daily", days=5),
            ),
            "not_sent": drop(A, 4),
        },
        (
            Equal("same", "looks_swapped"),
            Above("same", "allergies_late"),
            Critical("drug"),
            Critical("dose"),
            Critical("frequency"),
            Calm("drug_upper"),
            Critical("second_drug"),
            Above("same", "second_drug"),
            Critical("not_sent"),
            Above("drug_upper", "drug"),
            Above("same", "dose"),
        ),
    ),
    Case(
        "c_clinic_appointment",
        "values",
        "An appointment is moved, and the patient reminded.",
        (run(*B),),
        {
            "same": run(*B),
            "time_spelled": alt(B, 3, book(start="2026-05-07 10:20")),
            "hour": alt(B, 3, book(start="2026-05-07T11:20")),
            "doctor": alt(B, 3, book(doctor="Dr. Lindgren")),
            "other_cancelled": alt(
                B, 2, call("cancel_appointment", {"id": 9918, "reason": "patient request"})
            ),
            "reminder_reworded": alt(
                B,
                4,
                remind(
                    "You have a follow-up with Dr. Lindqvist on 7 May at 10:20. Please do not eat anything in the 8 hours before."
                ),
            ),
            "reminder_negation": alt(
                B,
                4,
                remind(
                    "Your follow-up with Dr. Lindqvist is on 7 May at 10:20. You may eat in the 8 hours before."
                ),
            ),
            "not_cancelled": drop(B, 2),
            "only_cancelled": run(*B[:3]),
        },
        (
            Calm("time_spelled"),
            Critical("hour"),
            Critical("doctor"),
            Critical("other_cancelled"),
            Calm("reminder_reworded"),
            Critical("reminder_negation"),
            Critical("not_cancelled"),
            Critical("only_cancelled"),
            Above("time_spelled", "hour"),
            Above("reminder_reworded", "reminder_negation"),
            Above("same", "only_cancelled"),
        ),
    ),
    Case(
        "c_clinic_potassium",
        "merge",
        "Two labs and an ECG are ordered at once.",
        (run(*C),),
        {
            "same": run(*C),
            "batch": run(
                C[0],
                C[1],
                call(
                    "order_labs",
                    {"patient": "PT-118", "tests": ["potassium", "troponin"], "priority": "stat"},
                    effect={"orders": ["LO-1", "LO-2"]},
                ),
                *C[4:],
            ),
            "order": run(C[0], C[1], C[4], C[3], C[2], C[5]),
            "routine": alt(C, 2, lab("potassium", "routine")),
            "other_patient": alt(C, 3, lab("troponin", patient="PT-181")),
            "sodium": alt(C, 2, lab("sodium")),
            "no_ecg": drop(C, 4),
            "no_ecg_no_troponin": drop(C, 3, 4),
            "not_paged": drop(C, 5),
        },
        (
            Calm("batch"),
            Calm("order"),
            Critical("routine"),
            Critical("other_patient"),
            Critical("sodium"),
            Critical("no_ecg"),
            Above("no_ecg", "no_ecg_no_troponin"),
            Critical("not_paged"),
            Above("batch", "routine"),
            Above("same", "not_paged"),
        ),
    ),
    Case(
        "c_clinic_referral",
        "order",
        "Insurance is asked before the exam is scheduled.",
        (run(*D),),
        {
            "same": run(*D),
            "insurance_late": run(D[0], D[1], *D[4:6], D[2], D[3], D[6]),
            "no_authorization": drop(D, 3),
            "contrast": alt(D, 4, exam(contrast=True)),
            "room": alt(D, 4, exam(room="E3")),
            "date_spelled": alt(D, 4, exam(date="17.02.2026")),
            "state": alt(D, 5, call("update_referral", {"referral": "RF-12", "state": "rejected"})),
            "letter_reworded": alt(
                D,
                6,
                call(
                    "send_letter",
                    {
                        "to": "Dr. Amara Diallo",
                        "text": "On 17 February 2026 your patient has the echocardiography in room E2.",
                    },
                ),
            ),
            "other_doctor": alt(
                D,
                6,
                call(
                    "send_letter",
                    {
                        "to": "Dr. Awa Diallo",
                        "text": "Your patient has the echocardiography on 17 February 2026 in room E2.",
                    },
                ),
            ),
        },
        (
            Above("same", "insurance_late"),
            Critical("no_authorization"),
            Critical("contrast"),
            Critical("room"),
            Calm("date_spelled"),
            Critical("state"),
            Calm("letter_reworded"),
            Critical("other_doctor"),
            Above("letter_reworded", "other_doctor"),
            Above("date_spelled", "contrast"),
        ),
    ),
]
