"""Recorded references without secrets and personal data, and how they compare."""

import json
import random
import string
from time import process_time

import pytest
from hypothesis import given, settings

from builders import call, run_of
from otap.run.bindings import fill_placeholders
from otap.run.placeholders import REDACTED, has_placeholder
from otap.run.private_values import find_private
from otap.run.redaction import RunRedactor
from otap.scoring import Scorer
from otap.trajectory import Trajectory
from strategies import trajectories

SCORER = Scorer()
ANA, BOB, KEY = "ana.silva@example.org", "bob@example.com", "sk-live-a8Fk29sLq02mZx81Rt"


def make_run(first: str = ANA, second: str = BOB, key: str = KEY) -> Trajectory:
    return run_of(
        call("find_user", {"email": first}, {"id": "u-991", "email": first, "phone": "555"}),
        call("find_user", {"email": second}, {"id": "u-992", "email": second}),
        call("send_mail", {"to": [first, second], "text": f"Hello {first}", "api_key": key}, "ok"),
        request=(f"Write to {first} and {second}, with Bearer {key}.",),
        task="mails",
    )


def record(run: Trajectory) -> Trajectory:
    redaction = RunRedactor().redact(run)
    metadata = {**redaction.run.metadata, REDACTED: redaction.counts}
    return redaction.run.model_copy(update={"metadata": metadata})


def test_equal_values_have_one_placeholder() -> None:
    """In arguments, in results, in lists and within texts."""
    recorded = record(make_run())
    text = recorded.to_json()
    assert not any(value in text for value in (ANA, BOB, KEY, '"555"'))
    find_ana, _, mail = recorded.steps
    assert mail.arguments["to"][0] == find_ana.arguments["email"]  # type: ignore[index]
    assert mail.arguments["text"] == f"Hello {find_ana.arguments['email']}"  # type: ignore[index]
    assert recorded.metadata[REDACTED] == {"email": 2, "phone": 1, "secret": 1}


def test_a_run_is_the_same_as_its_own_recording() -> None:
    """And so is a run with other values of the same kinds, used in the same way."""
    recorded = record(make_run())
    assert SCORER.score(make_run(), [recorded]).score == 1
    other = make_run("eva@example.net", "kim@example.io", "sk-live-b8Fk29sLq02mZx81Rq")
    assert SCORER.score(other, [recorded]).score == 1


def test_a_value_that_is_used_for_another_is_seen() -> None:
    """A placeholder is any value, but the same one wherever it stands."""
    recorded = record(make_run())
    run = make_run()
    mail = run.steps[2]
    wrong = {**mail.arguments, "to": [ANA, ANA]}  # type: ignore[dict-item]
    steps = (*run.steps[:2], mail.model_copy(update={"arguments": wrong}))
    assert SCORER.score(run.model_copy(update={"steps": steps}), [recorded]).severity == "critical"


def test_a_redacted_run_is_redacted_again() -> None:
    """What it has already keeps its placeholder, and new values get other ones."""
    once = record(make_run())
    assert RunRedactor().redact(once).run == once
    note = call("note", {"text": "and eva@example.net"}, id="n").copy()
    more = run_of(*[step.model_dump() for step in once.steps], note, metadata=once.metadata)
    assert list(RunRedactor().redact(more).originals) == ["redacted-email-3"]


@settings(max_examples=50)
@given(run=trajectories())
def test_data_without_private_values_stays(run: Trajectory) -> None:
    """Nothing is replaced without a reason."""
    redaction = RunRedactor().redact(run)
    assert redaction.originals == {}
    assert redaction.run == run


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("card", "4111 1111 1111 1111"),
        ("account", "DE89 3704 0044 0532 0130 00"),
        ("ssn", "078-05-1120"),
        ("phone", "+49 30 901820"),
        ("phone", "(415) 555-2671"),
        ("secret", "ghp_0123456789abcdefghijABCDEFGHIJ"),
        ("secret", "AKIAIOSFODNN7EXAMPLE"),
        ("secret", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"),
    ],
)
def test_forms(kind: str, value: str) -> None:
    """Each is recognised alone and within a text."""
    redaction = RunRedactor().redact(run_of(call("note", {"text": f"It is {value}, he said."})))
    assert redaction.originals == {f"redacted-{kind}-1": value}


def test_a_birthday_in_another_notation() -> None:
    """It is hidden by the same placeholder, and binds the argument to the message."""
    first, second, wrong = (
        run_of(
            call("register", {"birth_date": iso}),
            request=(f"I was born on {written}, in Graz.",),
        )
        for iso, written in (
            ("1988-12-02", "2 December 1988"),
            ("1991-07-30", "30 July 1991"),
            ("1991-07-03", "30 July 1991"),
        )
    )
    recording = record(first)
    assert recording.request == ("I was born on redacted-birthday-1, in Graz.",)
    assert SCORER.score(second, recording).score == pytest.approx(1, abs=1e-6)
    assert SCORER.score(wrong, recording).severity == "critical"


@pytest.mark.parametrize("words", ["password is", "password is:", "password:", "Password ="])
def test_a_password_in_prose(words: str) -> None:
    """Its form says nothing: the word before it does."""
    redaction = RunRedactor().redact(run_of(call("note", {"text": f"The {words} T2Fvm$eKh6N9Z."})))
    assert redaction.originals == {"redacted-secret-1": "T2Fvm$eKh6N9Z"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("PGPASSWORD=hunter22x psql", "hunter22x"),
        ("export DB_PASSWORD='two words'", "two words"),
        ("tool --api-key hunter22x", "hunter22x"),
        ("tool --token=hunter22x", "hunter22x"),
        ("curl -s -u bob:hunter22x https://example.org", "hunter22x"),
        ("Cookie: sid=hunter22x; theme=dark", "hunter22x"),
        ("<password>hunter22x</password>", "hunter22x"),
        ("my pin is 4821", "4821"),
        ('{"db_password": "hunter\\"22x"}', 'hunter\\"22x'),
        ('{"home_phone_2": 4155552671}', "4155552671"),
        ("call 415.555.2671", "415.555.2671"),
        ("card 4111-1111 1111 1111", "4111-1111 1111 1111"),
    ],
)
def test_a_secret_by_what_is_before_it(text: str, value: str) -> None:
    """In commands, headers, XML and JSON."""
    redaction = RunRedactor().redact(run_of(call("note", {"text": text})))
    assert list(redaction.originals.values()) == [value]


@pytest.mark.parametrize("key", ["db_password", "userPassword", "client-secret", "home_phone_2"])
def test_the_end_of_a_key_decides(key: str) -> None:
    """Whatever is before it; a token of a page is none."""
    data = {key: "x1y2z3w4", "page_token": "abc12345", "card": 4111111111111111.0}
    redaction = RunRedactor().redact(run_of(call("note", data)))
    assert list(redaction.originals.values()) == ["x1y2z3w4", 4111111111111111.0]


@pytest.mark.parametrize(
    "text", ['"a": "' + "\\" * 20_000, "1 " + "A_" * 10_000, "--" + "a-" * 10_000]
)
def test_a_hostile_text_is_read_in_linear_time(text: str) -> None:
    """Twice the text takes no more than three times as many seconds."""
    assert measure_seconds(text * 2) < 3 * measure_seconds(text) + 0.1


def measure_seconds(text: str) -> float:
    start = process_time()
    find_private(text, is_name=True)
    return process_time() - start


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-28",
        "20260415-12304512345",
        "10.0.0.1",
        "rs-4411",
        "1234567890123",
        "v1.2.3",
        "12:30",
        "4 rooms",
    ],
)
def test_ordinary_values_are_no_private_ones(value: str) -> None:
    """Dates, addresses of machines, ids, versions."""
    run = run_of(call("note", {"text": f"It is {value}, he said."}))
    assert not has_placeholder(RunRedactor().redact(run).run.steps[0].arguments)


def test_no_planted_secret_remains() -> None:
    """In 200 runs, 100 secrets stand in arguments, in results, in JSON texts and in prose."""
    source = random.Random(7)

    def draw(signs: str, count: int) -> str:
        return "".join(source.choice(signs) for _ in range(count))

    letters = string.ascii_letters + string.digits
    secrets = [f"sk-{draw(letters, 32)}" for _ in range(20)]
    secrets += [f"{draw(string.ascii_lowercase, 9)}@example.com" for _ in range(20)]
    secrets += [f"+1 415 555 {source.randint(1000, 9999)}" for _ in range(20)]
    passwords = [draw(letters, 12) for _ in range(40)]
    text = ""
    for number in range(200):
        secret, password = source.choice(secrets), source.choice(passwords)
        run = run_of(
            call("login", {"user": f"user-{number}", "password": password}, f"hello {password}"),
            call("note", {"text": f"Use {secret} now"}, json.dumps({"password": password})),
            call("raw", json.dumps({"api_key": password, "contact": secret}), [secret]),
            request=(f"My password is {password} and {secret}.",),
        )
        text += RunRedactor().redact(run).run.to_json()
    assert [secret for secret in (*secrets, *passwords) if secret in text] == []


def test_filling_a_reference_without_placeholders_returns_it() -> None:
    """Most references have none, and nothing is read for them."""
    run = make_run()
    assert fill_placeholders(run, run) is run


def test_ids_are_renamed_everywhere_and_stay_unique() -> None:
    """Two spellings of one value are one placeholder, so their ids would be the same."""
    ids = [f"send-{ANA}-1", f"send-{ANA.upper()}-1", "redacted-email-1"]
    first, second, third = (call("send", {"to": ANA}, id=name) for name in ids)
    steps = [first, {**second, "depends_on": [ids[0]]}, {**third, "depends_on": ids[:2]}]
    one, other, last = RunRedactor().redact(run_of(*steps)).run.steps
    assert (one.id, last.id) == ("send-redacted-email-1-1", "redacted-email-1")
    assert len({one.id, other.id, last.id}) == 3
    assert other.depends_on == (one.id,)
    assert last.depends_on == (one.id, other.id)


def test_what_one_run_shows_is_hidden_in_all() -> None:
    """A run that only mentions a name gets the placeholder of the run that has its key."""
    mention = run_of(call("note", {"text": "about Marisol Quenby"}), task="mails")
    runs = [mention, run_of(call("get", {"customer_name": "Marisol Quenby"}), task="mails")]
    texts = [redaction.run.steps[0].arguments for redaction in RunRedactor().redact_all(runs)]
    assert texts == [{"text": "about redacted-name-1"}, {"customer_name": "redacted-name-1"}]


@pytest.mark.parametrize("word", ["mark", "marking", "Marks"])
def test_a_first_name_is_no_ordinary_word(word: str) -> None:
    """A text with the word stays, and so does the name of a tool."""
    run = run_of(call("get", {"first_name": "Mark"}), call("mark_paid", {"text": f"please {word}"}))
    assert RunRedactor().redact(run).run.steps[1] == run.steps[1]
