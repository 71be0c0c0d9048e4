"""What tools do and weigh, said by outcomes: what was recognised wrongly, and how sure that is.

``tools`` lists them; ``departures`` are read off scored runs; ``priors`` is what names and the use
of results say before outcomes are seen; ``roles`` the posterior of which tools count, ``strength``
that of a weight; ``proposals`` come of both, and ``trial`` keeps those that gain on held-out tasks.
"""

from otap.learning.weights.learned import learned_weights
from otap.learning.weights.tool_weight import ToolWeight

__all__ = ["ToolWeight", "learned_weights"]
