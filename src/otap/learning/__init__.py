"""What runs with known outcomes teach: what counts, which threshold, which references.

``runs`` reads them with their outcomes and gives each its references; ``weights`` and ``rules``
propose settings, ``card`` says on tasks held out what these are worth; ``calibration`` finds the
threshold of a gate, ``selection`` references among good runs. ``learn`` puts the first of these
together, and ``file`` writes what it learned as settings that a person reads and edits.
"""

from otap.learning.learned import Learned
from otap.learning.pipeline import learn, learned

__all__ = ["Learned", "learn", "learned"]
