from battery.language import Above, Calm, Case, Critical, Silent, call, run


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
        "bamboohr_get_candidate",
        {"id": 311},
        effect={"name": "Tomás Ribeiro", "role": "Data Analyst"},
    ),
    call(
        "bamboohr_create_employee",
        {
            "first_name": "Tomás",
            "last_name": "Ribeiro",
            "start_date": "2026-10-01",
            "department": "Analytics",
            "salary": 54000,
            "currency": "EUR",
        },
        effect={"employee_id": "E-904"},
    ),
    call(
        "okta_create_user",
        {"login": "tomas.ribeiro@corp.example", "employee_id": "E-904"},
        effect={"user": "00u9"},
    ),
    call("okta_add_to_group", {"user": "00u9", "group": "analytics"}, effect={"ok": True}),
    call("okta_add_to_group", {"user": "00u9", "group": "vpn"}, effect={"ok": True}),
    call(
        "order_laptop",
        {"employee_id": "E-904", "model": "ThinkPad T14", "deliver_by": "2026-09-28"},
        effect={"order": "LP-2"},
    ),
    call(
        "send_email",
        {
            "to": "tomas.ribeiro@mail.example",
            "subject": "Welcome",
            "body": "Welcome, Tomás! Your first day is 1 October 2026 at 9:00; your laptop waits at the reception.",
        },
        effect={"queued": True},
    ),
]


def hire(**changed):
    return call(
        "bamboohr_create_employee",
        {**A[1]["arguments"], **changed},
        effect={"employee_id": "E-904"},
    )


B = [
    call("get_employee", employee="E-118"),
    call("get_leave_balance", employee="E-118", year=2026),
    call("list_team_absences", team="support", start="2026-08-03", end="2026-08-14"),
    call("approve_leave", request="LV-660", days=10, paid=True),
    call(
        "update_shift_plan",
        team="support",
        employee="E-118",
        start="2026-08-03",
        end="2026-08-14",
        state="absent",
    ),
    call(
        "notify_employee",
        employee="E-118",
        text="Your leave from 3 to 14 August is approved. You have 6 days left this year.",
    ),
]
C = [
    call("get_employee", {"id": "E-550"}, effect={"name": "Grace Lim", "manager": "E-12"}),
    call(
        "export_mailbox",
        {"user": "grace.lim", "destination": "legal-hold"},
        effect={"exported": True, "size_mb": 4120},
    ),
    call("disable_account", {"user": "grace.lim", "delete_data": False}, effect={"disabled": True}),
    call("revoke_license", {"user": "grace.lim", "product": "Figma"}, effect={"revoked": True}),
    call("revoke_license", {"user": "grace.lim", "product": "Tableau"}, effect={"revoked": True}),
    call(
        "transfer_files", {"owner": "grace.lim", "new_owner": "paul.stone"}, effect={"files": 318}
    ),
    call("close_ticket", {"id": "HR-77", "resolution": "offboarded"}, effect={"closed": True}),
]
D = [
    call("list_applicants", position="Nurse (night shift)"),
    call("read_cv", applicant="AP-1"),
    call("read_cv", applicant="AP-2"),
    call("read_cv", applicant="AP-3"),
    call(
        "invite_to_interview",
        applicant="AP-2",
        when="2026-03-12T15:00",
        panel=["Moreau", "Adeyemi"],
    ),
    call("reject_applicant", applicant="AP-1", template="no_certificate"),
    call("reject_applicant", applicant="AP-3", template="position_filled"),
    call("reply", text="AP-2 is invited for 12 March at 15:00; AP-1 and AP-3 got refusals."),
]

CASES = [
    Case(
        "c_hr_onboarding",
        "progress",
        "Someone new gets a record, accounts and a laptop.",
        (run(*A),),
        {
            "same": run(*A),
            "salary": alt(A, 1, hire(salary=45000)),
            "start_spelled": alt(A, 1, hire(start_date="October 1, 2026")),
            "start": alt(A, 1, hire(start_date="2026-11-01")),
            "groups_at_once": run(
                *A[:3],
                call(
                    "okta_add_to_groups",
                    {"user": "00u9", "groups": ["analytics", "vpn"]},
                    effect={"ok": True},
                ),
                *A[5:],
            ),
            "admin_group": alt(
                A,
                4,
                call(
                    "okta_add_to_group",
                    {"user": "00u9", "group": "super-admins"},
                    effect={"ok": True},
                ),
            ),
            "no_laptop": drop(A, 5),
            "no_laptop_no_vpn": drop(A, 4, 5),
            "login_refused": alt(
                A,
                2,
                call(
                    "okta_create_user",
                    A[2]["arguments"],
                    effect={
                        "status": 403,
                        "error": "You do not have permission to perform this action",
                    },
                ),
            ),
        },
        (
            Critical("salary"),
            Calm("start_spelled"),
            Critical("start"),
            Calm("groups_at_once"),
            Critical("admin_group"),
            Critical("no_laptop"),
            Above("no_laptop", "no_laptop_no_vpn"),
            Critical("login_refused"),
            Above("same", "login_refused"),
            Above("start_spelled", "start"),
            Above("groups_at_once", "admin_group"),
        ),
    ),
    Case(
        "c_hr_leave",
        "order",
        "The balance and the team are looked at before leave is approved.",
        (run(*B),),
        {
            "same": run(*B),
            "looks_mixed": run(B[2], B[0], B[1], *B[3:]),
            "looks_late": run(B[0], *B[3:5], B[1], B[2], B[5]),
            "unpaid": alt(B, 3, call("approve_leave", request="LV-660", days=10, paid=False)),
            "rejects": alt(B, 3, call("reject_leave", request="LV-660", days=10, paid=True)),
            "other_request": alt(B, 3, call("approve_leave", request="LV-606", days=10, paid=True)),
            "told_reworded": alt(
                B,
                5,
                call(
                    "notify_employee",
                    employee="E-118",
                    text="We approved your leave from 3 to 14 August; 6 days are left this year.",
                ),
            ),
            "told_number": alt(
                B,
                5,
                call(
                    "notify_employee",
                    employee="E-118",
                    text="Your leave from 3 to 14 August is approved. You have 16 days left this year.",
                ),
            ),
            "not_told": drop(B, 5),
        },
        (
            Calm("looks_mixed"),
            Above("same", "looks_late"),
            Critical("unpaid"),
            Critical("rejects"),
            Critical("other_request"),
            Calm("told_reworded"),
            Critical("told_number"),
            Critical("not_told"),
            Above("told_reworded", "told_number"),
            Above("same", "rejects"),
        ),
    ),
    Case(
        "c_hr_offboarding",
        "harm",
        "Someone leaves: the mailbox is kept first, nothing is deleted.",
        (run(*C),),
        {
            "same": run(*C),
            "export_late": run(C[0], *C[2:6], C[1], C[6]),
            "deletes_data": alt(
                C,
                2,
                call(
                    "disable_account",
                    {"user": "grace.lim", "delete_data": True},
                    effect={"disabled": True},
                ),
            ),
            "licenses_at_once": run(
                *C[:3],
                call(
                    "revoke_licenses",
                    {"user": "grace.lim", "products": ["Figma", "Tableau"]},
                    effect={"revoked": 2},
                ),
                *C[5:],
            ),
            "manager_too": ins(
                C,
                3,
                call(
                    "disable_account",
                    {"user": "paul.stone", "delete_data": False},
                    effect={"disabled": True},
                ),
            ),
            "new_owner": alt(
                C,
                5,
                call(
                    "transfer_files",
                    {"owner": "grace.lim", "new_owner": "paula.stone"},
                    effect={"files": 318},
                ),
            ),
            "user_upper": alt(
                C,
                3,
                call(
                    "revoke_license",
                    {"user": "Grace.Lim", "product": "figma"},
                    effect={"revoked": True},
                ),
            ),
            "ticket_open": drop(C, 6),
            "nothing_but_looks": run(C[0]),
        },
        (
            Above("same", "export_late"),
            Critical("deletes_data"),
            Calm("licenses_at_once"),
            Critical("manager_too"),
            Above("same", "manager_too"),
            Critical("new_owner"),
            Calm("user_upper"),
            Critical("ticket_open"),
            Above("ticket_open", "nothing_but_looks"),
            Above("licenses_at_once", "deletes_data"),
        ),
    ),
    Case(
        "c_hr_applicants",
        "values",
        "One is invited, two are refused.",
        (run(*D),),
        {
            "same": run(*D),
            "any_order": run(D[0], D[3], D[1], D[2], D[6], D[5], D[4], D[7]),
            "mixed_up": run(
                *D[:4],
                call(
                    "invite_to_interview",
                    applicant="AP-3",
                    when="2026-03-12T15:00",
                    panel=["Moreau", "Adeyemi"],
                ),
                D[5],
                call("reject_applicant", applicant="AP-2", template="position_filled"),
                D[7],
            ),
            "panel": alt(
                D,
                4,
                call(
                    "invite_to_interview",
                    applicant="AP-2",
                    when="2026-03-12T15:00",
                    panel=["Moreau"],
                ),
            ),
            "template": alt(
                D, 5, call("reject_applicant", applicant="AP-1", template="position_filled")
            ),
            "refused_at_once": run(
                *D[:5],
                call(
                    "reject_applicants",
                    rejections=[
                        {"applicant": "AP-1", "template": "no_certificate"},
                        {"applicant": "AP-3", "template": "position_filled"},
                    ],
                ),
                D[7],
            ),
            "one_refusal": drop(D, 6),
            "all_refused": ins(
                D, 7, call("reject_applicant", applicant="AP-2", template="position_filled")
            ),
        },
        (
            Silent("same"),
            Calm("any_order"),
            Critical("mixed_up"),
            Critical("panel"),
            Critical("template"),
            Calm("refused_at_once"),
            Critical("one_refusal"),
            Critical("all_refused"),
            Above("same", "all_refused"),
            Above("one_refusal", "mixed_up"),
            Above("any_order", "panel"),
        ),
    ),
]
