"""What was learned: findings, the report card, what to mind."""

from otap.learning import Learned
from otap.learning.card import gain_text
from otap.learning.learned import ROLES
from otap.report.rendering import render_view
from otap.report.view import View


def learning_view(found: Learned) -> View:
    """Returns everything that a person wants to know of what was learned."""
    gain = gain_text(found.card.gain) if found.card is not None and found.card.gain else None
    return render_view("learning.txt", found=found, card=found.card, gain=gain, roles=ROLES)
