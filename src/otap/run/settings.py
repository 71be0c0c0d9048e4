"""The settings that decide which steps and arguments of a run count, and how much."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from otap.config import Config, Parameters
from otap.config.sections import EVERY_TOOL, tolerance_parts
from otap.run.roles import Role
from otap.values.rules import Rule, Rules
from otap.values.tool_names import ByTool

RulesOf = Callable[[str | None], Rules | None]


class RunSettings:
    """The settings that decide which part of a run is compared.

    Args:
        config: all settings.

    Attributes:
        config: all settings.
        roles: the declared roles of tools, which beat inferred ones.
        weights: the declared weights of tools.
        ignored: the tools whose calls are left out.
        atomic: the tools whose failed calls change nothing.
        keeps_everything: whether they leave everything except sub-steps as it was recorded.
        is_literal: whether the paper's metric compares texts: no id is renamed, and a capitalised
            word in a longer text is evidence of data flow.
        nests_substeps: whether steps inside a step stay inside it.
        opens_substeps: whether they count beside it.
        digest: short, and equal for settings of equal effect.
        rules: how the arguments of a tool are compared, by its name; None: without a rule.
    """

    def __init__(self, config: Config) -> None:
        tools, canonical = config.tools, _canonical(config)
        declared: Mapping[Role, Sequence[str]] = {
            "reads": tools.read_only,
            "writes": tools.writes,
            "thinks": tools.thinks,
            "handoff": tools.handoff,
        }
        self.config = config
        self.roles = ByTool({tool: role for role, names in declared.items() for tool in names})
        self.weights = ByTool(tools.weight)
        self.ignored = ByTool(dict.fromkeys(tools.ignore, True))
        self.atomic = ByTool(dict.fromkeys(tools.atomic, True))
        default = {**_canonical(Config()), "subagents": canonical["subagents"]}
        self.keeps_everything = canonical == default
        self.is_literal = config.paper is not None
        self.nests_substeps = _nests_substeps(config)
        self.opens_substeps = config.subagents == "opened" and not self.nests_substeps
        limits = config.budget.limits
        text = json.dumps({**canonical, "budget": limits} if limits else canonical, sort_keys=True)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        by_tool = {tool: rules for tool, rules in config.parameters.items() if tool != EVERY_TOOL}
        self._parameters = ByTool(by_tool)
        self._by_tool: dict[str | None, tuple[Parameters, Rules | None]] = {}
        no_rules: Mapping[str | None, Rules] = {}
        self.rules: RulesOf = self._rules if config.parameters else no_rules.get

    def parameters(self, tool: str | None) -> Parameters:
        """Returns how the arguments of a tool count."""
        return self._settings_of(tool)[0]

    def _rules(self, tool: str | None) -> Rules | None:
        return self._settings_of(tool)[1]

    def _settings_of(self, tool: str | None) -> tuple[Parameters, Rules | None]:
        if tool not in self._by_tool:
            parameters = self.config.parameters.get(EVERY_TOOL, Parameters())
            tool_parameters = self._parameters.get(tool) if tool != EVERY_TOOL else None
            if tool_parameters is not None:
                parameters = tool_parameters.over(parameters)
            rules = _rules_of(parameters) if parameters.compares else None
            self._by_tool[tool] = parameters, rules
        return self._by_tool[tool]


def _nests_substeps(config: Config) -> bool:
    return config.paper is not None and config.subagents == "opened"


def _canonical(config: Config) -> dict[str, Any]:
    """The settings that decide which steps count, equal for settings of equal effect."""
    tools, parameters = config.tools, config.parameters
    return {
        "failed": config.failed,
        "subagents": "nested" if _nests_substeps(config) else config.subagents,
        "ignore": sorted(tools.ignore),
        "read_only": sorted(tools.read_only),
        "writes": sorted(tools.writes),
        "thinks": sorted(tools.thinks),
        "handoff": sorted(tools.handoff),
        "atomic": sorted(tools.atomic),
        "weight": dict(sorted(tools.weight.items())),
        "parameters": {
            tool: {
                name: sorted(setting) if isinstance(setting, list) else setting
                for name, setting in settings.model_dump(mode="json").items()
            }
            for tool, settings in parameters.items()
            if settings != Parameters()
        },
    }


def _rules_of(parameters: Parameters) -> Rules:
    rules: dict[str, Rule] = {}
    lists = {*parameters.sets, *parameters.ordered}
    for path in {*parameters.exact, *parameters.text, *parameters.tolerance, *lists}:
        absolute, relative = tolerance_parts(parameters.tolerance.get(path, 0.0))
        rules[path] = Rule(
            exact=path in parameters.exact,
            text=path in parameters.text,
            as_set=path in parameters.sets,
            ordered=path in parameters.ordered,
            absolute=absolute,
            relative=relative,
        )
    return Rules(rules)
