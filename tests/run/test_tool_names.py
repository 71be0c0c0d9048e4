"""Names of tools: what of a name says nothing, and where a prefix tells tools apart."""

import pytest

from otap.values.tool_names import (
    ByTool,
    canonical_tool,
    last_part,
    same_tools,
    without_server,
)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("createIssue", "create_issue"),
        ("Create-Issue", "create_issue"),
        ("functions.create_issue", "create_issue"),
        ("mcp__github__create_issue", "create_issue"),
        ("create_issue", "github.create_issue"),
        ("github/createIssue", "create_issue"),
        ("mcp__github__create_issue", "github.create_issue"),
        ("github_create_issue", "github.create_issue"),
        ("mcp__kb__vector_store_search", "vector_store.search"),
        ("vector_store.search", "mcp__kb__vector_store_search"),
        ("functions.github.create_issue", "mcp__github__create_issue"),
        ("mcp__brave-search__web_search", "web_search"),
        ("mcp_github_create_issue", "mcp__github__create_issue"),
        ("mcp-github-create_issue", "github.create_issue"),
        ("mcp_github__create_issue", "create_issue"),
        ("mcp.github.create_issue", "create_issue"),
        ("mcp/github/create_issue", "github::create_issue"),
        ("github::create_issue", "create_issue"),
    ],
)
def test_one_tool_under_two_names(ours: str, theirs: str) -> None:
    """Prefix, case and the signs between words are no difference."""
    assert same_tools({ours}, {theirs}) == {ours: theirs}


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ({"user.delete"}, {"account.delete"}),
        ({"mcp__github__create_issue"}, {"mcp__jira__create_issue"}),
        ({"github.create_issue", "jira.create_issue"}, {"create_issue"}),
        ({"create_issue"}, {"github.create_issue", "jira.create_issue"}),
        ({"user.delete", "delete"}, {"delete"}),
        ({"user.delete", "delete"}, {"create"}),
        ({"web_search"}, {"search"}),
        ({"stripe.customers.create"}, {"create"}),
        ({"GET /users/1"}, {"GET /users/2"}),
        ({"_"}, {"-"}),
        ({"get_me.2"}, {"2"}),
    ],
)
def test_two_tools(run: set[str], reference: set[str]) -> None:
    """A prefix is left out only where that leaves no doubt."""
    assert not same_tools(run, reference)


def test_an_equal_name_goes_first() -> None:
    """What both call by one name stays as it is."""
    assert not same_tools({"create_issue"}, {"create_issue", "createIssue"})


def test_a_long_name_stays_as_it_is() -> None:
    """Nor is it looked into."""
    assert canonical_tool("a" * 300 + "_b").bare == "a" * 300 + "_b"


def test_what_is_said_of_a_tool_holds_under_its_other_names() -> None:
    """One named exactly goes first, then one with its server, then the bare name."""
    said = ByTool({"create_issue": 1, "mcp__jira__create_issue": 2, "github.createIssue": 3})
    named = (
        "create_issue",
        "mcp__jira__create_issue",
        "mcp__github__create_issue",
        "x/createIssue",
    )
    assert [said.get(tool) for tool in named] == [1, 2, 3, 1]
    assert said.get("delete_issue") is None
    assert said.get(None) is None


def test_a_name_without_its_server_keeps_its_spelling() -> None:
    """As patterns are held against it."""
    assert without_server("mcp__github__createIssue") == "createIssue"
    assert without_server("createIssue") == "createIssue"


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("mcp__github__get_me", "get_me"),
        ("server__get_me", "get_me"),
        ("functions.get_me", "get_me"),
        ("github/get_me", "get_me"),
        ("github:get_me", "get_me"),
        ("mcp__a.b__c/get_me", "get_me"),
        ("get_me", "get_me"),
        ("stripe.customers.create", "create"),
        ("get_me.2", "get_me.2"),
        ("get_me__2", "get_me__2"),
        ("__", "__"),
        ("", ""),
    ],
)
def test_what_a_name_says_of_the_calls(tool: str, name: str) -> None:
    """Whatever stands before it is taken away; a number alone says nothing."""
    assert last_part(tool) == name
