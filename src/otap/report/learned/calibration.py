"""Shows a calibration: the threshold and its guarantee, then the runs that it catches."""

from otap import _numbers
from otap._numbers import ABSENT, percent_text, plain_number_text
from otap.learning.calibration import Calibration
from otap.report.rendering import render_view
from otap.report.view import View


def calibration_view(calibration: Calibration) -> View:
    """Returns the threshold of a calibration, its guarantee, and the runs that it catches."""
    words = {"bound": _write_bound(calibration), "promise": _word_promise(calibration)}
    return render_view("calibration.txt", calibration=calibration, range=_write_range, **words)


def _write_bound(calibration: Calibration) -> str:
    """Returns the threshold with all its digits, which are few."""
    threshold = calibration.threshold
    text = ABSENT if threshold is None else _numbers.threshold_text(threshold)
    return calibration.severity or text


def _word_promise(calibration: Calibration) -> str:
    rate = f"{plain_number_text(100 * calibration.false_alarms)} %"
    alarm = "are below it"
    if calibration.on == "severity":
        alarm = "have such a finding or a worse one"
    scope = "on average over calibrations"
    if calibration.confidence is not None:
        scope = f"in {plain_number_text(100 * calibration.confidence)} % of calibrations"
    return f"at most {rate} of good runs of new tasks {alarm}, {scope}"


def _write_range(low: float, high: float) -> str:
    return f"{percent_text(low).removesuffix(' %')} to {percent_text(high)}"
