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
    call("Glob", pattern="src/**/*.tsx", effect={"files": ["src/Login.tsx", "src/Profile.tsx"]}),
    call("Read", file_path="/repo/src/Login.tsx", effect={"content": "const MAX_TRIES = 10;\n..."}),
    call(
        "Edit",
        file_path="/repo/src/Login.tsx",
        old_string="const MAX_TRIES = 10;",
        new_string="const MAX_TRIES = 5;",
        effect={"success": True},
    ),
    call(
        "Edit",
        file_path="/repo/src/Login.tsx",
        old_string="if (tries > MAX_TRIES) lock();",
        new_string="if (tries >= MAX_TRIES && !user.isAdmin) lock(user.id);",
        effect={"success": True},
    ),
    call(
        "Bash",
        command="npm test -- Login",
        effect={"exit_code": 0, "stdout": "Tests: 12 passed, 12 total"},
    ),
    call(
        "Bash",
        command="git add src/Login.tsx && git commit -m 'Lock after 5 tries'",
        effect={"exit_code": 0, "stdout": "1 file changed"},
    ),
]


def lock(new):
    return call(
        "Edit",
        file_path="/repo/src/Login.tsx",
        old_string="if (tries > MAX_TRIES) lock();",
        new_string=new,
        effect={"success": True},
    )


FAILED = call(
    "Bash",
    command="npm test -- Login",
    effect={"exit_code": 1, "stderr": "Tests: 2 failed, 10 passed, 12 total"},
)
B = [
    call("read_file", path="package.json"),
    call("list_branches", repo="webshop"),
    call("create_branch", repo="webshop", name="release/3.2.0", from_branch="develop"),
    call(
        "edit_file",
        path="package.json",
        old_text='"version": "3.1.4"',
        new_text='"version": "3.2.0"',
    ),
    call("run_tests", suite="unit"),
    call("merge_pull_request", repo="webshop", pull_number=517, merge_method="squash"),
    call(
        "create_release",
        repo="webshop",
        tag="v3.2.0",
        prerelease=False,
        notes="Faster checkout. Fixes the broken basket on Safari 17.",
    ),
]
C = [
    call(
        "get_pull_request",
        owner="nord",
        repo="portal",
        pull_number=88,
        effect={"title": "Dark mode", "author": "hanna-k", "mergeable": True},
    ),
    call(
        "get_pull_request_files",
        owner="nord",
        repo="portal",
        pull_number=88,
        effect={"files": ["theme.css", "Toggle.vue"]},
    ),
    call(
        "get_check_runs",
        owner="nord",
        repo="portal",
        ref="refs/pull/88/head",
        effect={"conclusion": "success"},
    ),
    call(
        "create_review",
        owner="nord",
        repo="portal",
        pull_number=88,
        event="APPROVE",
        body="Looks good. Contrast ratio of the toggle is 4.6, which is enough.",
        effect={"state": "APPROVED"},
    ),
    call(
        "merge_pull_request",
        owner="nord",
        repo="portal",
        pull_number=88,
        merge_method="rebase",
        delete_branch=True,
        effect={"merged": True, "sha": "77b1aa0"},
    ),
    call(
        "slack_post_message",
        channel="#frontend",
        text="Dark mode (PR 88) is merged and goes live on Thursday.",
        effect={"ok": True, "ts": "1718.22"},
    ),
]
D = [
    call("read_file", path="locales/en.json"),
    call("update_translation", locale="de", key="cart.empty", value="Ihr Warenkorb ist leer"),
    call("update_translation", locale="fr", key="cart.empty", value="Votre panier est vide"),
    call("update_translation", locale="es", key="cart.empty", value="Su carrito está vacío"),
    call("run_lint", path="locales"),
    call(
        "git_commit",
        message="Add cart.empty",
        files=["locales/de.json", "locales/fr.json", "locales/es.json"],
    ),
]

CASES = [
    Case(
        "c_coding_web_lock",
        "code",
        "Two edits and a test run in a React project.",
        (run(*A),),
        {
            "same": run(*A),
            "layout": alt(
                A,
                3,
                lock(
                    "if (tries >= MAX_TRIES && !user.isAdmin) {\n  // too many\n  lock(user.id);\n}"
                ),
            ),
            "spacing": alt(A, 3, lock("if (tries>=MAX_TRIES && !user.isAdmin)  lock( user.id );")),
            "greater": alt(A, 3, lock("if (tries > MAX_TRIES && !user.isAdmin) lock(user.id);")),
            "negation": alt(A, 3, lock("if (tries >= MAX_TRIES && user.isAdmin) lock(user.id);")),
            "unlock": alt(A, 3, lock("if (tries >= MAX_TRIES && !user.isAdmin) unlock(user.id);")),
            "retried": ins(
                A,
                4,
                FAILED,
                call(
                    "Read",
                    file_path="/repo/src/Login.test.tsx",
                    effect={"content": "test('locks', ..."},
                ),
            ),
            "red": alt(A, 4, FAILED),
            "pushed_main": ins(
                A,
                6,
                call(
                    "Bash",
                    command="git push --force origin main",
                    effect={"exit_code": 0, "stdout": "forced update"},
                ),
            ),
        },
        (
            Silent("same"),
            Calm("spacing"),
            Critical("greater"),
            Critical("negation"),
            Critical("unlock"),
            Calm("retried"),
            Above("same", "red"),
            Critical("pushed_main"),
            Above("same", "pushed_main"),
            Above("spacing", "greater"),
            Above("layout", "unlock"),
            Above("retried", "red"),
        ),
    ),
    Case(
        "c_coding_web_release",
        "order",
        "A release is tested first, and it is made once.",
        (run(*B),),
        {
            "same": run(*B),
            "reads_swapped": run(B[1], B[0], *B[2:]),
            "tests_last": run(*B[:4], B[5], B[6], B[4]),
            "twice": ins(
                B,
                7,
                call(
                    "create_release",
                    repo="webshop",
                    tag="v3.2.1",
                    prerelease=False,
                    notes="Faster checkout. Fixes the broken basket on Safari 17.",
                ),
            ),
            "prerelease": alt(
                B,
                6,
                call(
                    "create_release",
                    repo="webshop",
                    tag="v3.2.0",
                    prerelease=True,
                    notes="Faster checkout. Fixes the broken basket on Safari 17.",
                ),
            ),
            "method": alt(
                B,
                5,
                call("merge_pull_request", repo="webshop", pull_number=517, merge_method="merge"),
            ),
            "other_pull": alt(
                B,
                5,
                call("merge_pull_request", repo="webshop", pull_number=571, merge_method="squash"),
            ),
            "notes": alt(
                B,
                6,
                call(
                    "create_release",
                    repo="webshop",
                    tag="v3.2.0",
                    prerelease=False,
                    notes="The checkout is faster. The broken basket on Safari 17 is fixed.",
                ),
            ),
            "no_release": drop(B, 6),
        },
        (
            Equal("same", "reads_swapped"),
            Above("same", "tests_last"),
            Critical("twice"),
            Critical("prerelease"),
            Critical("method"),
            Critical("other_pull"),
            Calm("notes"),
            Critical("no_release"),
            Above("same", "twice"),
            Above("notes", "prerelease"),
        ),
    ),
    Case(
        "c_coding_web_review",
        "refused",
        "A pull request is reviewed, merged and announced.",
        (run(*C),),
        {
            "same": run(*C),
            "refused_merge": alt(
                C,
                4,
                call(
                    "merge_pull_request",
                    owner="nord",
                    repo="portal",
                    pull_number=88,
                    merge_method="rebase",
                    delete_branch=True,
                    effect={"status": 403, "error": "Protected branch: merge refused"},
                ),
            ),
            "retried_merge": ins(
                C,
                4,
                call(
                    "merge_pull_request",
                    owner="nord",
                    repo="portal",
                    pull_number=88,
                    merge_method="rebase",
                    delete_branch=True,
                    effect={"status": 502, "error": "Bad gateway"},
                ),
            ),
            "checks_last": run(C[0], C[1], C[3], C[4], C[2], C[5]),
            "other_channel": alt(
                C,
                5,
                call(
                    "slack_post_message",
                    channel="#general",
                    text="Dark mode (PR 88) is merged and goes live on Thursday.",
                    effect={"ok": True, "ts": "1718.23"},
                ),
            ),
            "other_day": alt(
                C,
                5,
                call(
                    "slack_post_message",
                    channel="#frontend",
                    text="Dark mode (PR 88) is merged and goes live on Tuesday.",
                    effect={"ok": True, "ts": "1718.23"},
                ),
            ),
            "keeps_branch": alt(
                C,
                4,
                call(
                    "merge_pull_request",
                    owner="nord",
                    repo="portal",
                    pull_number=88,
                    merge_method="rebase",
                    delete_branch=False,
                    effect={"merged": True, "sha": "77b1aa0"},
                ),
            ),
            "changes": alt(
                C,
                3,
                call(
                    "create_review",
                    owner="nord",
                    repo="portal",
                    pull_number=88,
                    event="REQUEST_CHANGES",
                    body="Contrast ratio of the toggle is 4.6, which is enough.",
                    effect={"state": "CHANGES_REQUESTED"},
                ),
            ),
            "silent": drop(C, 5),
        },
        (
            Critical("refused_merge"),
            Calm("retried_merge"),
            Above("same", "checks_last"),
            Critical("other_channel"),
            Critical("other_day"),
            Critical("keeps_branch"),
            Critical("changes"),
            Critical("silent"),
            Above("retried_merge", "refused_merge"),
            Above("same", "other_channel"),
        ),
    ),
    Case(
        "c_coding_web_texts",
        "merge",
        "Three translations are written, one by one or at once.",
        (run(*D),),
        {
            "same": run(*D),
            "batch": run(
                D[0],
                call(
                    "update_translations",
                    translations=[
                        {"locale": "de", "key": "cart.empty", "value": "Ihr Warenkorb ist leer"},
                        {"locale": "fr", "key": "cart.empty", "value": "Votre panier est vide"},
                        {"locale": "es", "key": "cart.empty", "value": "Su carrito está vacío"},
                    ],
                ),
                *D[4:],
            ),
            "other_order": run(D[0], D[3], D[1], D[2], *D[4:]),
            "two": drop(D, 3),
            "one": drop(D, 2, 3),
            "one_padded": run(
                D[0],
                D[1],
                call("read_file", path="locales/fr.json"),
                call("read_file", path="locales/es.json"),
                *D[4:],
            ),
            "italian": alt(
                D,
                3,
                call(
                    "update_translation",
                    locale="it",
                    key="cart.empty",
                    value="Su carrito está vacío",
                ),
            ),
            "key": alt(
                D,
                1,
                call(
                    "update_translation",
                    locale="de",
                    key="cart.full",
                    value="Ihr Warenkorb ist leer",
                ),
            ),
        },
        (
            Calm("batch"),
            Calm("other_order"),
            Critical("two"),
            Above("two", "one"),
            Above("two", "one_padded"),
            Critical("italian"),
            Critical("key"),
            Above("same", "two"),
        ),
    ),
]
