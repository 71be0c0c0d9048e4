"""Lines for a shell and statements for a database: what only reads, and what does not plainly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.run.commands import MAX_LENGTH, is_statement, only_reads, only_selects
from work import calls

READS = [
    "ls -la",
    "cd src && cat a.py | head -n 20",
    "for a in *; do cat $a; done",
    "cd src && python -m pytest -q | tail -5",
    "npm test",
    "npm run lint",
    "make test",
    "tsc --noEmit",
    "cargo clippy",
    "awk '{print $1}' a",
    "grep -rn 'a > b' . || true",
    "rg --files; pwd",
    "# what is here\nls\ngit status",
    "find . -name '*.py' 2>/dev/null | wc -l",
    "cat a 2>&1 | tail",
    "ls &>/dev/null",
    "cat < a",
    "sed -n '1,20p' a.py",
    "sed -n 5p a b",
    "sort a | uniq -c",
    "git -C repo --no-pager log --oneline",
    "git diff HEAD~1",
    "kubectl get pods -o yaml",
    "docker ps && helm list",
    "aws s3 ls s3://backup --summarize",
    "aws ec2 describe-instances | jq .",
    "gh pr view 7",
    "sudo cat /etc/hosts",
    "bash -lc 'ls | wc'",
    "find . | xargs -0 grep x",
    "curl -s https://a.b/c",
    "date -u +%s",
    "cat a \\\n b",
    "ls |\nwc",
    "grep ';' a \\; b ''",
]


def test_what_only_reads() -> None:
    """Every command of the line is known to read, and nothing is redirected but to nowhere."""
    assert [line for line in READS if not only_reads(line)] == []


WRITES = [
    "",
    "   ",
    "rm a",
    "ls && rm a",
    "ls; rm a",
    "ls | tee a",
    "ls\nrm a",
    "ls & rm a",
    "ls > a",
    "ls >> a",
    "ls 2> a",
    "ls > /dev/nullb",
    "ls $(rm a)",
    "ls `rm a`",
    "cat <(rm a)",
    "cat << EOF\nEOF",
    "(ls)",
    "find . -delete",
    "find . -exec rm {} +",
    "find . '|' cat -delete",
    "find . \\| cat -delete",
    "rg --pre=rm x",
    "sort -o a b",
    "sed -i s/a/b/ a",
    "sed -n 1p -i a",
    "sed s/a/b/",
    "uniq a b",
    "env rm a",
    "hostname a",
    "date 01010000",
    "git checkout a",
    "git -c core.pager=rm log",
    "git diff --output=a",
    "git",
    "kubectl delete pod a",
    "aws s3 sync s3://a s3://b",
    "aws s3api delete-object --key ls",
    "aws --profile ls s3 rm s3://a",
    "gh pr merge 7",
    "xargs rm",
    "xargs",
    "curl -X POST https://a.b",
    "curl -o a https://a.b",
    "bash -c 'rm a'",
    "bash script.sh",
    "xargs < ls rm",
    'bash -c "bash -c \'bash -c \\"bash -c ls\\"\'"',
    "A=b ls",
    "python -c 'print(1)'",
    "for a in *; do rm $a; done",
    "make test deploy",
    "npm run build",
    "tsc",
    "pytest --snapshot-update",
    "ruff check --fix",
    "awk '{print > \"x\"}' a",
    "cat 'a",
    "ls " + "a" * MAX_LENGTH,
    "ls <> a",
    "ls <",
    "sort \\-o a b",
    "sort '-o' a b",
]


def test_what_does_not_plainly_read() -> None:
    """One command that is not known, one redirection, one thing not understood: it writes."""
    assert [line for line in WRITES if only_reads(line)] == []


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        (["ls", "-la"], True),
        (["bash", "-lc", "ls | wc"], True),
        (["bash", "-lc", "rm a"], False),
        (["cat", "a", ">", "b"], False),
        (["rm", "a"], False),
        (["cat", "a" * MAX_LENGTH], False),
        ([], False),
    ],
)
def test_lists_of_words(command: list[str], reads: bool) -> None:
    """A command may be a list of words, as it is run or as it is joined."""
    assert only_reads(command) == reads


@pytest.mark.parametrize(
    ("statement", "reads"),
    [
        ("SELECT * FROM orders WHERE note = 'delete; me'", True),
        ("  select 1;  ", True),
        ("-- all of them\nSELECT 1", True),
        ("SHOW TABLES", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("EXPLAIN SELECT 1", True),
        ("SELECT 1; DROP TABLE a", False),
        ("WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a", False),
        ("EXPLAIN ANALYZE DELETE FROM a", False),
        ("SELECT * INTO a FROM b", False),
        ("SELECT pg_terminate_backend(1)", False),
        ("SELECT nextval('a')", False),
        ("SELECT 1 /*! ; DROP TABLE a */", False),
        ("UPDATE a SET b = 1", False),
        ("PRAGMA a = 1", False),
        ("PRAGMA table_info(orders);", True),
        ("PRAGMA table_info = 1", False),
        ("PRAGMA journal_mode", False),
        ("SELECT '" + "a" * MAX_LENGTH + "'", False),
    ],
)
def test_statements(statement: str, reads: bool) -> None:
    """One statement that asks, without a word that changes anything."""
    assert is_statement(statement)
    assert only_selects(statement) == reads


@pytest.mark.parametrize("text", ["", "weather in Rome", "MATCH (n) RETURN n", "7"])
def test_what_is_no_statement(text: str) -> None:
    """A text that begins with no verb of SQL is none."""
    assert not is_statement(text)
    assert not only_selects(text)


@given(st.text(st.sampled_from("ls rm'\"\\;|&<>()#\n$`/*-"), max_size=60))
def test_anything_is_decided(text: str) -> None:
    """No text is too broken to be decided."""
    assert only_reads(text) in (True, False)
    assert only_selects(text) in (True, False)


@pytest.mark.parametrize(
    "piece", ["'", "''", "> ", "#\n", "|", "ls;", "\\", "/*", "--", "bash -c '"]
)
def test_the_work_is_bounded(piece: str) -> None:
    """The longest line or statement takes a few calls a character."""
    text = piece * (MAX_LENGTH // len(piece))
    assert calls(lambda: (only_reads(text), only_selects(text))) < 20 * MAX_LENGTH
