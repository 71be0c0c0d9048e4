"""LangGraph: its results, states, histories and streams, from a graph with a scripted model."""

from typing import Any

from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from hosts.scenario import ANSWER, REQUEST, TOOLS, Call

PACKAGES = ("langgraph", "langchain-core")


def _graph(calls: list[Call]) -> Any:
    """A graph whose model makes these calls one after the other."""

    def answer(state: MessagesState) -> dict[str, Any]:
        made = sum(isinstance(message, AIMessage) for message in state["messages"])
        if made == len(calls):
            return {"messages": [AIMessage(ANSWER)]}
        call = calls[made]
        request = {"name": call.tool, "args": call.arguments, "id": call.id}
        return {"messages": [AIMessage("", tool_calls=[request])]}

    def next_node(state: MessagesState) -> str:
        return "tools" if state["messages"][-1].tool_calls else END

    graph = StateGraph(MessagesState)
    graph.add_node("agent", answer)
    graph.add_node("tools", ToolNode(list(TOOLS.values()), handle_tool_errors=True))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", next_node)
    graph.add_edge("tools", "agent")
    return graph.compile(checkpointer=InMemorySaver())


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    graph, config = _graph(calls), {"configurable": {"thread_id": "t"}}
    request = {"messages": [HumanMessage(REQUEST)]}
    state = graph.invoke(request, config)
    stream = {"configurable": {"thread_id": "u"}}
    return {
        "invoke": state,
        "messages": state["messages"],
        "get_state": graph.get_state(config),
        "get_state_history": list(graph.get_state_history(config)),
        "checkpoint": graph.checkpointer.get_tuple(config),
        "stream(updates)": list(graph.stream(request, stream, stream_mode="updates")),
    }


def file(calls: list[Call]) -> Any:
    """The data that LangChain writes itself."""
    return dumpd(
        _graph(calls).invoke(
            {"messages": [HumanMessage(REQUEST)]}, {"configurable": {"thread_id": "t"}}
        )
    )


def unknown() -> Any:
    """An object that holds no run."""
    return _graph([])
