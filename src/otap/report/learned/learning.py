"""Shows learned settings with their evidence, the report card and warnings."""

from otap.learning import Learned
from otap.learning.card import gain_text
from otap.learning.learned import ROLES
from otap.report.rendering import render_view
from otap.report.view import View


def learning_view(learned: Learned) -> View:
    """Returns the settings that were learned, and how well they work."""
    card = learned.card
    gain = gain_text(card.gain) if card is not None and card.gain else None
    return render_view("learning.txt", learned=learned, card=card, gain=gain, roles=ROLES)
