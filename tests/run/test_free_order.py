"""The setting `order_free`: which tools it frees from which."""

import pytest

from otap import Config
from otap.errors import ConfigError
from otap.run.free_order import FreeOrder


def test_a_name_frees_a_tool_from_every_tool() -> None:
    free = FreeOrder(["log_note"])
    assert free.allows("log_note", "refund")
    assert free.allows("refund", "mcp__crm__log_note")
    assert not free.allows("refund", "send_email")
    assert not free.allows(None, "refund")


def test_a_list_frees_its_tools_from_each_other() -> None:
    free = FreeOrder([("a_tool", "b_tool"), ("c_tool",)])
    assert free.allows("a_tool", "b_tool")
    assert free.allows("a_tool", "a_tool")
    assert free.allows("c_tool", "c_tool")
    assert not free.allows("a_tool", "c_tool")
    assert not free.allows("a_tool", "d_tool")


def test_nothing_is_free_by_default() -> None:
    assert not FreeOrder(()).allows("a_tool", "a_tool")


def test_the_setting_is_checked() -> None:
    assert Config(order_free=("a", ("b", "c"))).order_free == ("a", ("b", "c"))
    for wrong in ([[]], [""], [["a", "a"]], [3]):
        with pytest.raises(ConfigError):
            Config(order_free=wrong)
