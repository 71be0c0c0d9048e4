"""Which required answers a run gave its user.

``messages`` compares answers with the messages, ``texts`` reads both. ``statements`` and
``clauses`` say whether a mention is an answer, by the words in ``words.toml``.
"""

from otap.run.answers.last_message import find_contradiction
from otap.run.answers.messages import MessagesToUser, list_messages
from otap.run.answers.statements import Doubt, Reason

__all__ = ["Doubt", "MessagesToUser", "Reason", "find_contradiction", "list_messages"]
