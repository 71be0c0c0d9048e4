"""A comparison as JUnit's XML, which every CI system reads."""

from xml.etree import ElementTree

from otap._numbers import difference_text, score_text
from otap._patterns import regex
from otap.errors import shown
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import TaskChange
from otap.report.results.comparison import comparison_view, finding_text, interval_text
from otap.report.view import plain

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
SUITE = "otap compare"
# What XML 1.0 cannot hold, escaped or not.
_NOT_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def comparison_junit(found: Comparison) -> str:
    """Returns a comparison as XML: a test case of the verdict, and one of each task that moved.

    Tasks that moved by no more than the tolerance have none. One that fell is a failure if the
    verdict is worse: in any other case tasks fall and rise by chance, and the report is not red.
    """
    suites = ElementTree.Element("testsuites", {"name": SUITE})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": SUITE})
    _verdict(suite, found)
    for one in found.tasks:
        if abs(one.difference) > found.tolerance:
            _task(suite, one, found.verdict == "worse")
    counts = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": 0,
        "skipped": len(suite.findall("testcase/skipped")),
    }
    for element in (suites, suite):
        element.attrib.update({name: str(count) for name, count in counts.items()})
        element.set("time", "0")
    ElementTree.indent(suites)
    return HEAD + ElementTree.tostring(suites, "unicode") + "\n"


def _verdict(suite: ElementTree.Element, found: Comparison) -> None:
    case = _case(suite, "verdict", "otap.compare")
    score = found.everywhere.score
    moved = "" if score is None else f" ({interval_text(score)})"
    message = f"{found.verdict}: {found.reason}{moved}"
    if found.verdict == "worse":
        _tell(case, "failure", message, "worse")
    elif found.verdict == "not enough evidence":
        _tell(case, "skipped", message, None)
    text = ElementTree.SubElement(case, "system-out")
    text.text = _clean(plain(comparison_view(found)))


def _task(suite: ElementTree.Element, one: TaskChange, is_worse: bool) -> None:
    case = _case(suite, one.task, "otap.compare.task")
    moved = f"{score_text(one.base)} -> {score_text(one.new)}"
    message = f"{moved} ({difference_text(one.difference)}); {finding_text(one)}"
    if one.difference < 0 and is_worse:
        _tell(case, "failure", message, one.kind or "fell")
    else:
        ElementTree.SubElement(case, "system-out").text = _clean(message)


def _case(suite: ElementTree.Element, name: str, group: str) -> ElementTree.Element:
    attributes = {"name": _clean(shown(name, 200)), "classname": group, "time": "0"}
    return ElementTree.SubElement(suite, "testcase", attributes)


def _tell(case: ElementTree.Element, how: str, message: str, kind: str | None) -> None:
    attributes = {"message": _clean(message), **({} if kind is None else {"type": _clean(kind)})}
    ElementTree.SubElement(case, how, attributes).text = _clean(message) if kind else None


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
