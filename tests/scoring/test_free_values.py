"""Values that a reference leaves free: placeholders, one-time codes, chosen folders."""

from typing import Any

import pytest

import otap
from builders import StepData, call, run_of
from otap.scoring.free_values import fill_free_values

MAILS = call("get_mails", {}, "1: your code is 839201; files 12, 13; folder /srv")
FILES = [
    call(
        "download_file", {"file_id": "ID1", "save_dir": "/downloads"}, metadata={
            "placeholder_args": {"file_id": "$file_id_1", "save_dir": "/downloads"}
        },
    ),
    call(
        "download_file", {"file_id": "ID2", "save_dir": "/downloads"}, metadata={
            "placeholder_args": {"file_id": "$file_id_2", "save_dir": "/downloads"}
        },
    ),
]  # fmt: skip
CODE = call("verify_account", {"otp": "ONE-TIME"}, metadata={"placeholder_args": {"otp": "$6"}})
MAIL = call(
    "send_email", {"to": "ann@example.com", "subject": "subject", "files": [{"id": "ID"}]},
    metadata={
        "placeholder_args": {"to": "ann@example.com", "subject": "$text", "files": {"id": "$id"}}
    },
)  # fmt: skip


def _file(file_id: str, **arguments: Any) -> StepData:
    return call("download_file", {"file_id": file_id, **arguments}, "ok")


def _mail(subject: str, file_id: str, to: str = "ann@example.com") -> StepData:
    return call("send_email", {"to": to, "subject": subject, "files": [{"id": file_id}]}, "ok")


def _verify(otp: str) -> StepData:
    return call("verify_account", {"otp": otp}, "ok")


CASES: list[tuple[str, list[StepData], list[StepData], bool]] = [
    ("drawn ids", FILES, [_file("12", save_dir="/downloads"), _file("13")], True),
    ("in another order", FILES, [_file("13"), _file("12")], True),
    ("another folder", FILES, [_file("12", save_dir="/srv"), _file("13", save_dir="/srv")], True),
    ("one file twice", FILES, [_file("12"), _file("12")], False),
    ("an id from nowhere", FILES, [_file("12"), _file("99")], False),
    ("part of an id", FILES, [_file("12"), _file("8392")], False),
    ("one file is missing", FILES, [_file("12")], False),
    ("a drawn code", [CODE], [_verify("839201")], True),
    ("a guessed code", [CODE], [_verify("000000")], False),
    ("a text", [MAIL], [_mail("The file you wanted", "12")], True),
    ("an attachment from nowhere", [MAIL], [_mail("The file you wanted", "99")], False),
    ("another recipient", [MAIL], [_mail("The file", "12", "eve@example.com")], False),
    ("a code of another run", [_verify("111111")], [_verify("839201")], True),
    ("a guess for a code of another run", [_verify("111111")], [_verify("222222")], False),
]


@pytest.mark.parametrize(
    ("reference", "run", "is_good"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_free_values(reference: list[StepData], run: list[StepData], is_good: bool) -> None:
    severity = otap.score(run_of(MAILS, *run), run_of(MAILS, *reference)).severity
    assert (severity != "critical") == is_good


def test_a_requested_folder_and_a_requested_code_are_not_free() -> None:
    request = ["Save them in /downloads; my code is 111111."]
    gold = run_of(MAILS, *FILES, request=request)
    run = run_of(MAILS, _file("12", save_dir="/srv"), _file("13", save_dir="/srv"), request=request)
    assert otap.score(run, gold).severity == "critical"
    gold = run_of(MAILS, _verify("111111"), request=request)
    assert otap.score(run_of(MAILS, _verify("839201"), request=request), gold).severity == (
        "critical"
    )


def test_a_reference_without_free_values_stays_the_same_object() -> None:
    gold = run_of(MAILS, _mail("Hello there", "12"))
    assert fill_free_values(gold, run_of(MAILS), strict=False) is gold


def test_a_reference_with_free_values_equals_itself() -> None:
    gold = run_of(MAILS, *FILES, CODE, MAIL)
    assert otap.score(gold, gold).score == 1


def test_strict_mode_believes_what_the_reference_declares_alone() -> None:
    scorer = otap.Scorer(otap.Config(strict=True))
    run = run_of(MAILS, _verify("839201"))
    assert scorer.score(run, run_of(MAILS, CODE)).severity is None
    assert scorer.score(run, run_of(MAILS, _verify("111111"))).severity == "critical"
