"""One more field of what a call writes changes what is done; of another argument it may not."""

import pytest

import otap
from battery.language import call, run

PATCH = {"spec": {"schedule": "30 3 * * *"}}
SCORER = otap.Scorer()


def _severity(key: str, one: object, other: object) -> str | None:
    runs = [run(call("update_job", {"id": "j-1", key: value})) for value in (one, other)]
    return SCORER.score(runs[0], [runs[1]]).severity


@pytest.mark.parametrize(
    ("key", "more"),
    [
        ("patch", {"spec": {**PATCH["spec"], "suspend": True}}),
        ("settings", {**PATCH, "suspend": True}),
        ("body", {**PATCH, "owner": "u-7"}),
        ("manifest", {"spec": {"template": {"replicas": 3}, **PATCH["spec"]}}),
    ],
)
def test_a_field_of_what_is_written(key: str, more: object) -> None:
    """It is critical, whether the run added it or left it out."""
    assert _severity(key, more, PATCH) == "critical"
    assert _severity(key, PATCH, more) == "critical"


@pytest.mark.parametrize(
    ("key", "more"),
    [
        ("patch", {"spec": {**PATCH["spec"], "suspend": False}}),
        ("patch", {"spec": {**PATCH["spec"], "suspend": None}}),
        ("passenger", {**PATCH, "title": "Dr"}),
    ],
)
def test_a_field_that_may_be_left_out(key: str, more: object) -> None:
    """A default, and a field of an argument that names something, are not critical."""
    assert _severity(key, more, PATCH) != "critical"
    assert _severity(key, PATCH, more) != "critical"
