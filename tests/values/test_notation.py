"""Commands, patches and cells in another notation, and those that only look like it."""

import pytest

import otap
from battery.language import call, run

SCORER = otap.Scorer()


def _score(agent: str, reference: str, key: str = "command") -> otap.Score:
    return SCORER.score(
        run(call("execute", {key: agent})), [run(call("execute", {key: reference}))]
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rm -rf a", "rm -fr a"),
        ("rm -r -f a", "rm --recursive --force a"),
        ("rm a -rf", "rm -rf a"),
        ("ls -la src", "ls -al src"),
        ("grep -rn foo src", "grep --line-number --recursive foo src"),
        ("kubectl get pods -n dev", "kubectl --namespace=dev get pods"),
        ("git push -u origin main", "git push --set-upstream origin main"),
        ("mkdir -p a && rm -rf b; touch c", "mkdir -p a; rm -fr b && touch c"),
        ("head -n 5 a", "head -n5 a"),
        ("tar -xzf a.tgz", "tar -x -z -f a.tgz"),
        ("curl -s -X POST https://x.com/a -H 'A: b'", 'curl -X POST -H "A: b" -s https://x.com/a'),
        ("npm i --save-dev eslint", "npm install -D eslint"),
        (
            "kubectl -n prod scale deploy/web --replicas=3",
            "kubectl scale deployment web --namespace prod --replicas 3",
        ),
        ("tar xzf a.tgz", "tar -xzf a.tgz"),
        ("head -5 a", "head -n 5 a"),
        ("rm -rf ./build", "rm -rf build"),
        ("docker container ls -a", "docker ps --all"),
        ("docker run -it --rm nginx ls -a -l", "docker run --rm -i -t nginx ls -a -l"),
        (
            "kubectl -n staging set image deploy/api api=r.local/api:1.8.3",
            "kubectl set image deployment/api api=r.local/api:1.8.3 --namespace staging",
        ),
        (
            "kubectl rollout status deploy/api --timeout=120s",
            "kubectl rollout status deployment api --timeout 2m",
        ),
        ("kubectl exec pod/web -- rm a", "kubectl exec web -- rm a"),
        ("helm upgrade api ./api --wait=true", "helm upgrade api ./api --wait"),
        ("terraform apply -input=false tf.plan", "terraform apply tf.plan"),
        ("terraform plan -no-color -out tf.plan", "terraform plan -out=tf.plan"),
        ("terraform apply -auto-approve -var a=1", "terraform apply -var=a=1 --auto-approve"),
        ("systemctl restart web", "systemctl restart web.service"),
        ("systemctl enable --now web", "systemctl enable web && systemctl start web"),
        ("ssh box 'systemctl restart web.service'", "ssh box systemctl restart web"),
        ("ssh box 'rm -rf a'", "ssh box rm -r -f a"),
        (
            "ssh box 'systemctl daemon-reload && systemctl enable --now web'",
            "ssh box 'systemctl daemon-reload && systemctl enable web && systemctl start web'",
        ),
    ],
)
def test_equal_commands(one: str, other: str) -> None:
    """The order of options, their long names, and && for a semicolon are no finding."""
    assert not _score(one, other).findings
    assert _score(other, one).score == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rm -r a", "rm -rf a"),
        ("npm i eslint", "npm uninstall eslint"),
        ("npm install ./a", "npm install a"),
        ("kubectl delete deploy/web", "kubectl delete svc/web"),
        ("kubectl delete pod a b", "kubectl delete pod/a"),
        ("head -5 a", "head -6 a"),
        ("rm -- -rf", "rm -rf"),
        ("rm -rf a > b", "rm -rf b > a"),
        ("cp -r a b", "cp -r b a"),
        ("git push", "git push -f"),
        ("git push --dry-run # x", "git push # --dry-run x"),
        ("git commit -m 'Fix the login'", "git commit --amend -m 'Fix the login'"),
        ("git commit -m 'Fix ticket 12 now'", "git commit -m 'Fix ticket 13 now'"),
        ("docker run nginx ls -a", "docker run -a nginx ls"),
        ("kubectl delete pod x -n dev", "kubectl delete pod x -n prod"),
        ("grep -e A -e B f", "grep -e B -e A f"),
        ("curl -X GET https://x.com", "curl -X DELETE https://x.com"),
        ("unknown -a -b", "unknown -b -a"),
        (
            "kubectl set image deploy/api api=r/api:1.8.3",
            "kubectl set image deploy/api api=r/api:2",
        ),
        ("kubectl exec deploy/web -- rm a", "kubectl exec web -- rm a"),
        (
            "kubectl rollout undo deploy/api --timeout=2m",
            "kubectl rollout undo deploy/api --timeout=2s",
        ),
        ("helm upgrade api ./api --wait=false", "helm upgrade api ./api --wait"),
        ("terraform apply -lock=false tf.plan", "terraform apply tf.plan"),
        ("terraform apply -auto-approve", "terraform apply"),
        ("systemctl restart web.timer", "systemctl restart web"),
        ("systemctl enable --now web", "systemctl enable web"),
        ("ssh box 'rm -rf a'", "ssh other 'rm -rf a'"),
        ("ssh box 'rm -rf a'", "rm -rf a"),
        ("ssh box 'cd /x && rm -rf a'", "ssh box 'cd /x' && ssh box 'rm -rf a'"),
        ("ssh box rm -rf '$A'", "ssh box rm -rf $A"),
    ],
)
def test_nearly_equal_commands(one: str, other: str) -> None:
    """An option, its value, its position behind -- or a comment, and the order of values count."""
    assert _score(one, other).severity == "critical"
    assert _score(other, one).severity == "critical"


def test_the_message_of_a_commit_may_use_any_words() -> None:
    """Alone and in a sequence of commands."""
    for line in ("git commit -m '{}'", "git add . && git commit -qm '{}' && git push"):
        result = _score(line.format("Add project files"), line.format("Initial commit"))
        assert result.severity == "minor"


PATCH = """diff --git a/x.py b/x.py
index 1111111..2222222 100644
--- a/x.py
+++ b/x.py
@@ -10,6 +10,7 @@ def f():
 a = 1
-b = 2
+b = 3
 c = 4
"""
FED = "apply_patch <<'END'\n*** Begin Patch\n*** Update File: a\n x\n-b\n+c\n*** End Patch\nEND"


def test_what_is_free_in_a_patch() -> None:
    """Hashes, line numbers, and the lines around; also in a patch that a command receives."""
    other = PATCH.replace("1111111..2222222", "3333333..4444444").replace(
        "-10,6 +10,7", "-4,6 +4,7"
    )
    assert _score(other.replace(" a = 1\n", " z = 0\n a = 1\n"), PATCH, "patch").score == 1
    assert _score(FED.replace(" x", " y"), FED).score == 1
    second = PATCH.replace("x.py", "y.py").replace("b = 3", "b = 4")
    assert _score(second + PATCH, PATCH + second, "patch").score == 1
    block = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"
    assert _score(f"{block}-a\n+c\n-b\n+d\n", f"{block}-a\n-b\n+c\n+d\n", "patch").score == 1


@pytest.mark.parametrize(
    ("agent", "reference", "key"),
    [
        (PATCH.replace("b = 3", "b = 4"), PATCH, "patch"),
        (PATCH.replace("x.py", "y.py"), PATCH, "patch"),
        (f"{PATCH}\nrm -rf /", PATCH, "patch"),
        (
            PATCH.replace("-b = 2\n+b = 3\n c = 4\n", " c = 4\n-b = 2\n+b = 3\n+d = 5\n"),
            PATCH,
            "patch",
        ),
        (PATCH + PATCH.replace("x.py", "y.py"), PATCH, "patch"),
        (PATCH.replace(" c = 4", " rm -rf /"), PATCH, "command"),
        (f"{FED}\nrm -rf /", FED, "command"),
        (FED.replace("apply_patch", "rm -rf /; apply_patch"), FED, "command"),
        (
            FED.replace("'END'", "END").replace(" x", " $(rm -rf /)"),
            FED.replace("'END'", "END"),
            "command",
        ),
    ],
)
def test_what_counts_in_a_patch(agent: str, reference: str, key: str) -> None:
    """Changed lines, files, and whatever a shell would run."""
    assert _score(agent, reference, key).severity == "critical"


@pytest.mark.parametrize(
    ("agent", "reference"),
    [
        ("function f(a) { return a; }\n", "function f(a) {\n  return a;\n}\n"),
        ("COLORS = ['red', 'green']\n", 'COLORS = [\n    "red",\n    "green",\n]\n'),
    ],
)
def test_lines_of_a_program(agent: str, reference: str) -> None:
    """Where brackets hold the structure, a program may have any lines."""
    assert _score(agent, reference, "content").score == 1
    assert _score(agent.replace("re", "fe"), reference, "content").severity == "critical"


CELL = "df = read_csv('a.csv')\ntop = df.head(5)\nprint(top)\n"


@pytest.mark.parametrize(
    ("agent", "key", "severity"),
    [
        (CELL.replace("df", "data").replace("top", "first"), "code", "minor"),
        (CELL.replace("df", "data"), "content", "critical"),
        (CELL.replace("print(top)", "print(df)"), "code", "critical"),
        (CELL.replace("5", "6"), "code", "critical"),
        (CELL.replace("read_csv", "read_json"), "code", "critical"),
    ],
)
def test_variables_of_a_cell(agent: str, key: str, severity: str) -> None:
    """Their names are free in a cell that is run, not in a file that is written."""
    assert _score(agent, CELL, key).severity == severity


def test_variables_of_another_cell() -> None:
    """What a cell reads before it writes it came from elsewhere: another name is another thing."""
    cell = "total = total + x\nprint(total)\nremove(total)\n"
    assert _score(cell.replace("total", "rest"), cell, "code").severity == "critical"


def _severity(reference: list[str], agent: list[str]) -> str | None:
    runs = [
        run(*(call("bash", {"command": line}) for line in lines)) for lines in (agent, reference)
    ]
    return SCORER.score(runs[0], [runs[1]]).severity


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("mkdir a && rm b && touch c", ["mkdir a", "rm b && touch c"]),
        ("ssh box 'mkdir c && rm -rf b'", ["ssh box mkdir c", "ssh box rm -r -f b"]),
        (
            "ssh box 'systemctl daemon-reload && systemctl enable --now web'",
            ["ssh box 'systemctl daemon-reload'", "ssh box 'systemctl enable --now web.service'"],
        ),
    ],
)
def test_a_line_in_several_calls(line: str, parts: list[str]) -> None:
    """The commands of a line may be calls of their own, and the other way round."""
    assert _severity([line], parts) == "minor"
    assert _severity(parts, [line]) == "minor"


@pytest.mark.parametrize(
    "parts",
    [
        ["systemctl start x", "systemctl stop x && rm -r data"],
        ["systemctl stop x && rm -r data"],
        ["systemctl stop x", "rm -r data && systemctl start x", "rm -r more"],
    ],
)
def test_a_line_in_other_calls(parts: list[str]) -> None:
    """Their order counts, and that none is missing or extra."""
    line = "systemctl stop x && rm -r data && systemctl start x"
    assert _severity([line], parts) == "critical"
