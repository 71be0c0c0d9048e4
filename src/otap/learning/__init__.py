"""What runs with known outcomes teach: what counts, which threshold, which references.

``reading`` and ``runs`` give labelled runs with their references, ``scores`` what each scores under
any settings. ``weights`` proposes settings, and ``card`` says on tasks held out what these are
worth; ``learn`` puts these together, and ``settings_file`` writes what a person reads and edits.
``calibration`` finds the threshold of a gate, ``selection`` references among good runs, and
``plans`` drafts a plan out of them.
"""

from otap.learning.learned import Learned
from otap.learning.pipeline import learn, learned
from otap.learning.plans import Draft, draft_plan

__all__ = ["Draft", "Learned", "draft_plan", "learn", "learned"]
