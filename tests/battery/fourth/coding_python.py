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


FIX = "def vat(net, rate):\n    if rate < 0:\n        raise ValueError('rate')\n    return round(net * rate / 100, 2)\n"
OLD = "def vat(net, rate):\n    return net * rate / 100\n"


def edit(new, path="billing/tax.py"):
    return call(
        "str_replace_editor",
        {"command": "str_replace", "path": path, "old_str": OLD, "new_str": new},
        effect={"ok": True, "message": "The file has been edited."},
    )


TESTS = call(
    "bash",
    command="pytest tests/test_tax.py -q",
    effect={"exit_code": 0, "stdout": "7 passed in 0.41s"},
)
A = [
    call("grep", pattern="def vat", path=".", effect={"matches": ["billing/tax.py:12"]}),
    call("read_file", path="billing/tax.py", effect={"content": OLD}),
    edit(FIX),
    TESTS,
    call(
        "bash",
        command="git commit -am 'Round VAT to cents'",
        effect={"exit_code": 0, "stdout": "[fix/vat 3fa2c1d] Round VAT to cents"},
    ),
    call(
        "create_pull_request",
        title="Round VAT to cents",
        head="fix/vat",
        base="main",
        body="VAT is now rounded to two digits; negative rates are refused.",
        effect={"number": 812, "state": "open"},
    ),
]
B = [
    call("read_file", path="shop/cart.py"),
    call("read_file", path="shop/coupon.py"),
    call(
        "write_file",
        path="shop/coupon.py",
        content="LIMIT = 30\n\n\ndef apply(total, percent):\n    percent = min(percent, LIMIT)\n    return total - total * percent / 100\n",
    ),
    call(
        "write_file",
        path="tests/test_coupon.py",
        content="from shop.coupon import apply\n\n\ndef test_limit():\n    assert apply(200, 50) == 140\n",
    ),
    call("run_tests", target="tests/test_coupon.py"),
    call("git_push", remote="origin", branch="coupon-limit", force=False),
]


def coupon(content):
    return call("write_file", path="shop/coupon.py", content=content)


C = [
    call(
        "github_get_issue",
        owner="acme",
        repo="ledger",
        issue_number=344,
        effect={"title": "Crash on empty CSV", "labels": ["bug"], "state": "open"},
    ),
    call(
        "github_search_code",
        q="repo:acme/ledger read_csv",
        effect={"total_count": 1, "items": [{"path": "ledger/io.py"}]},
    ),
    call(
        "github_add_labels",
        owner="acme",
        repo="ledger",
        issue_number=344,
        labels=["confirmed", "p2"],
        effect={"labels": ["bug", "confirmed", "p2"]},
    ),
    call(
        "github_add_assignee",
        owner="acme",
        repo="ledger",
        issue_number=344,
        assignee="mlopez",
        effect={"assignees": ["mlopez"]},
    ),
    call(
        "github_create_comment",
        owner="acme",
        repo="ledger",
        issue_number=344,
        body="Confirmed: read_csv fails on a file without rows since version 2.4.1. Miguel Lopez looks into it.",
        effect={"id": 99120, "created": True},
    ),
    think("The issue is triaged."),
]
D = [
    call("list_dir", path="migrations"),
    call("read_file", path="pyproject.toml"),
    call("bash", command="pip install 'pydantic>=2.8,<3'"),
    call("edit_file", path="pyproject.toml", old='pydantic = "^1.10"', new='pydantic = "^2.8"'),
    call(
        "edit_file",
        path="app/models.py",
        old="value = self.dict()",
        new="value = self.model_dump(exclude_none=True)",
    ),
    call(
        "edit_file",
        path="app/views.py",
        old="Order.parse_obj(data)",
        new="Order.model_validate(data)",
    ),
    call("bash", command="python -m pytest -q"),
    call("bash", command="git commit -am 'Move to pydantic 2'"),
]

CASES = [
    Case(
        "c_coding_python_vat",
        "code",
        "A fix is the code that it leaves, tested before it is committed.",
        (run(*A),),
        {
            "same": run(*A),
            "layout": alt(
                A,
                2,
                edit(
                    "def vat(net, rate):\n    # refuse nonsense\n    if rate < 0:\n        raise ValueError('rate')\n\n    return round(net*rate/100, 2)  # cents\n"
                ),
            ),
            "operator": alt(A, 2, edit(FIX.replace("rate < 0", "rate > 0"))),
            "literal": alt(A, 2, edit(FIX.replace(", 2)", ", 0)"))),
            "other_file": alt(A, 2, edit(FIX, "billing/legacy/tax.py")),
            "lint": ins(
                A,
                4,
                call(
                    "bash",
                    command="ruff check billing/tax.py",
                    effect={"exit_code": 0, "stdout": "All checks passed!"},
                ),
            ),
            "late_tests": run(*A[:3], A[4], A[5], TESTS),
            "no_pr": drop(A, 5),
            "no_commit_no_pr": drop(A, 4, 5),
        },
        (
            Silent("same"),
            Calm("layout"),
            Critical("operator"),
            Critical("literal"),
            Critical("other_file"),
            Calm("lint"),
            Above("same", "late_tests"),
            Critical("no_pr"),
            Above("no_pr", "no_commit_no_pr"),
            Above("layout", "operator"),
            Above("same", "other_file"),
            Above("lint", "literal"),
        ),
    ),
    Case(
        "c_coding_python_coupon",
        "code",
        "Whole files written: what they do counts, not how they look.",
        (run(*B),),
        {
            "same": run(*B),
            "swapped_reads": run(B[1], B[0], *B[2:]),
            "comments": alt(
                B,
                2,
                coupon(
                    "# highest discount in percent\nLIMIT = 30\n\n\ndef apply(total, percent):\n    percent = min(percent, LIMIT)  # never more\n    return total - total * percent / 100\n"
                ),
            ),
            "max": alt(
                B,
                2,
                coupon(
                    "LIMIT = 30\n\n\ndef apply(total, percent):\n    percent = max(percent, LIMIT)\n    return total - total * percent / 100\n"
                ),
            ),
            "forty": alt(
                B,
                2,
                coupon(
                    "LIMIT = 40\n\n\ndef apply(total, percent):\n    percent = min(percent, LIMIT)\n    return total - total * percent / 100\n"
                ),
            ),
            "forced": alt(
                B, 5, call("git_push", remote="origin", branch="coupon-limit", force=True)
            ),
            "to_main": alt(B, 5, call("git_push", remote="origin", branch="main", force=False)),
            "no_test_file": drop(B, 3),
            "deletes": ins(B, 5, call("delete_file", path="shop/cart.py")),
        },
        (
            Equal("same", "swapped_reads"),
            Calm("comments"),
            Critical("max"),
            Critical("forty"),
            Critical("forced"),
            Critical("to_main"),
            Critical("no_test_file"),
            Critical("deletes"),
            Above("same", "deletes"),
            Above("comments", "max"),
            Above("same", "forced"),
        ),
    ),
    Case(
        "c_coding_python_triage",
        "values",
        "Labels, assignee and comment of an issue.",
        (run(*C),),
        {
            "same": run(*C),
            "split_labels": alt(
                C,
                2,
                call(
                    "github_add_label",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    label="confirmed",
                    effect={"labels": ["bug", "confirmed"]},
                ),
                call(
                    "github_add_label",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    label="p2",
                    effect={"labels": ["bug", "confirmed", "p2"]},
                ),
            ),
            "p1": alt(
                C,
                2,
                call(
                    "github_add_labels",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    labels=["confirmed", "p1"],
                    effect={"labels": ["bug", "confirmed", "p1"]},
                ),
            ),
            "reworded": alt(
                C,
                4,
                call(
                    "github_create_comment",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    body="I can confirm that since version 2.4.1 read_csv fails when a file has no rows. Miguel Lopez is looking into it.",
                    effect={"id": 99121, "created": True},
                ),
            ),
            "version": alt(
                C,
                4,
                call(
                    "github_create_comment",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    body="Confirmed: read_csv fails on a file without rows since version 2.1.4. Miguel Lopez looks into it.",
                    effect={"id": 99121, "created": True},
                ),
            ),
            "no_thought": drop(C, 5),
            "closed_too": ins(
                C,
                5,
                call(
                    "github_update_issue",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    state="closed",
                    effect={"state": "closed"},
                ),
            ),
            "refused": alt(
                C,
                3,
                call(
                    "github_add_assignee",
                    owner="acme",
                    repo="ledger",
                    issue_number=344,
                    assignee="mlopez",
                    effect={"status": 403, "message": "Resource not accessible by integration"},
                ),
            ),
            "other_issue": alt(
                C,
                3,
                call(
                    "github_add_assignee",
                    owner="acme",
                    repo="ledger",
                    issue_number=334,
                    assignee="mlopez",
                    effect={"assignees": ["mlopez"]},
                ),
            ),
        },
        (
            Calm("same"),
            Calm("split_labels"),
            Critical("p1"),
            Calm("reworded"),
            Critical("version"),
            Calm("no_thought"),
            Critical("closed_too"),
            Critical("refused"),
            Critical("other_issue"),
            Above("same", "closed_too"),
            Above("same", "refused"),
            Above("reworded", "version"),
        ),
    ),
    Case(
        "c_coding_python_upgrade",
        "progress",
        "A library is moved in several files.",
        (run(*D),),
        {
            "same": run(*D),
            "one_less": drop(D, 5),
            "two_less": drop(D, 4, 5),
            "two_less_padded": run(
                *D[:4],
                call("read_file", path="app/models.py"),
                call("read_file", path="app/views.py"),
                call("list_dir", path="app"),
                think("Let me look at it more."),
                *D[6:],
            ),
            "flag": alt(
                D,
                4,
                call(
                    "edit_file",
                    path="app/models.py",
                    old="value = self.dict()",
                    new="value = self.model_dump(exclude_none=False)",
                ),
            ),
            "call": alt(
                D,
                5,
                call(
                    "edit_file",
                    path="app/views.py",
                    old="Order.parse_obj(data)",
                    new="Order.model_construct(data)",
                ),
            ),
            "other_order": run(*D[:4], D[5], D[4], *D[6:]),
            "tests_late": run(*D[:6], D[7], D[6]),
        },
        (
            Critical("one_less"),
            Critical("two_less"),
            Above("one_less", "two_less"),
            Above("one_less", "two_less_padded"),
            Critical("flag"),
            Critical("call"),
            Calm("other_order"),
            Above("same", "tests_late"),
            Above("same", "one_less"),
        ),
    ),
]
