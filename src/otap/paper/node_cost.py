"""Eq. 1: the node cost C of each step of a run and each step of a reference."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from otap.costs import Field, FieldCosts, TextDistances, ToolTable
from otap.costs.fields import Action, Effect, Measures, State, TextField, Tool
from otap.encoders import Encoder
from otap.run.columns import StepColumns


class ArgumentText(TextField):
    """The arguments of a call compared as one text."""

    name = "arguments"
    unrelated = {"wordllama-l2_supercat-256": 0.669, "all-MiniLM-L6-v2": 0.664}  # noqa: RUF012


# In the order in which the terms of eq. 1 are added.
FIELDS: Sequence[Field[Any]] = (Action(), ArgumentText(), Effect(), Tool(), State())


class NodeCost:
    """C_ij = alpha d(a_i, a_j) + beta d(c_i, c_j) + gamma d(e_i, e_j) + delta d_T + eta d_state.

    d is the cosine distance of the vectors of psi, cut to [0, 1] (the appendix assumes C in
    [0, 1]). Equal texts cost 0, and an empty text costs 1 against any other text: psi has no vector
    for either to be exact. d_T is 0 for the same tool, 1 for another tool, and a declared fraction
    for substitutes. Two steps without a tool have d_T = 0. d_state is the share of properties that
    differ, or the distance of texts.

    A field that a step does not record is an empty text. The weights sum to 1; eta is 0 in the
    preset, since no corpus of the paper records states.

    Args:
        psi: the encoder of texts.
        tools: d_T.
    """

    fields = FIELDS

    def __init__(self, psi: Encoder, tools: ToolTable) -> None:
        self.encoder, self.tools = psi, tools
        self._d = Measures(TextDistances(psi), tools)

    def between(
        self, rows: StepColumns, columns: StepColumns, weights: Mapping[str, float]
    ) -> FieldCosts:
        """Returns C, (n, m), and its terms by field.

        Args:
            rows: the steps of the run.
            columns: the steps of one or several references.
            weights: alpha, beta, gamma, delta and eta by field; fields without a weight are left
                out.
        """
        d = {
            field.name: field.distances(rows.of(field), columns.of(field), self._d)
            for field in self.fields
            if weights.get(field.name, 0.0) > 0
        }
        shares = [weights[name] for name in d]
        scaled = np.divide(shares, sum(shares)).tolist()
        return FieldCosts(d, dict(zip(d, scaled, strict=True)))
