"""The effect: what came back of a call."""

from otap.matrices.fields.text import TextField


class Effect(TextField):
    """The result of a step, compared as one text."""

    name = "effect"
    union_bound = "texts"
    unrelated = {"wordllama-l2_supercat-256": 0.931, "all-MiniLM-L6-v2": 0.828}  # noqa: RUF012
