"""A comparison as JUnit's XML, which every CI system reads."""

from xml.etree import ElementTree

from otap._numbers import difference_text, score_text
from otap._patterns import regex
from otap.errors import shown
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import TaskChange
from otap.report.comparison import comparison_view, word_finding, word_interval
from otap.report.view import plain

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SUITE = "otap compare"
# What XML 1.0 cannot hold, escaped or not.
_NOT_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def comparison_junit(found: Comparison) -> str:
    """Returns a comparison as XML: a test case of the verdict, and one of each task that moved.

    Tasks that moved by no more than the tolerance have none. One that fell is a failure if the
    verdict is worse: in any other case tasks fall and rise by chance, and the report is not red.
    """
    suites = ElementTree.Element("testsuites", {"name": _SUITE})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _SUITE})
    _add_verdict(suite, found)
    for one in found.tasks:
        if abs(one.difference) > found.tolerance:
            _add_task(suite, one, found.verdict == "worse")
    counts = {
        "tests": str(len(suite.findall("testcase"))),
        "failures": str(len(suite.findall("testcase/failure"))),
        "errors": "0",
        "skipped": str(len(suite.findall("testcase/skipped"))),
        "time": "0",
    }
    for element in (suites, suite):
        element.attrib.update(counts)
    ElementTree.indent(suites)
    return _HEAD + ElementTree.tostring(suites, "unicode") + "\n"


def _add_verdict(suite: ElementTree.Element, found: Comparison) -> None:
    case = _add_element(suite, "testcase", name="verdict", classname="otap.compare", time="0")
    score = found.everywhere.score
    moved = "" if score is None else f" ({word_interval(score)})"
    message = f"{found.verdict}: {found.reason}{moved}"
    if found.verdict == "worse":
        _add_element(case, "failure", message, message=message, type="worse")
    elif found.verdict == "not enough evidence":
        _add_element(case, "skipped", message=message)
    _add_element(case, "system-out", plain(comparison_view(found)))


def _add_task(suite: ElementTree.Element, one: TaskChange, is_worse: bool) -> None:
    name = shown(one.task, 200)
    case = _add_element(suite, "testcase", name=name, classname="otap.compare.task", time="0")
    moved = f"{score_text(one.base)} -> {score_text(one.new)}"
    message = f"{moved} ({difference_text(one.difference)}); {word_finding(one)}"
    if one.difference < 0 and is_worse:
        _add_element(case, "failure", message, message=message, type=one.kind or "fell")
    else:
        _add_element(case, "system-out", message)


def _add_element(
    above: ElementTree.Element, tag: str, text: str | None = None, **attributes: str
) -> ElementTree.Element:
    """Adds an element; what XML cannot hold is replaced."""
    cleaned = {name: _NOT_XML.sub("\ufffd", value) for name, value in attributes.items()}
    element = ElementTree.SubElement(above, tag, cleaned)
    element.text = None if text is None else _NOT_XML.sub("\ufffd", text)
    return element
