"""Which required answers a run gave its user.

``messages`` compares answers with the messages, ``texts`` reads both. ``statements`` and
``clauses`` say whether a mention is an answer, by the words in ``words.toml``.
"""

from otap.run.answers.messages import MessagesToUser, list_messages
from otap.run.answers.statements import Doubt, Reason
from otap.run.answers.texts import read_text

__all__ = ["Doubt", "MessagesToUser", "Reason", "list_messages", "read_text"]
