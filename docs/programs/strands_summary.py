"""The SummarizingConversationManager of Strands Agents as a program for ``external``.

Needs ``pip install "strands-agents[openai]"`` (which takes openai 2), OPENAI_API_KEY and
OPENAI_BASE_URL.
"""

import json
import os
import sys

from strands import Agent
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.models.openai import OpenAIModel


def to_strands(message):
    """A chat message as Strands has it: blocks, and results in the user's name."""
    texts = [{"text": part} for part in [message.get("content")] if isinstance(part, str) and part]
    if message["role"] == "tool":
        result = {"toolUseId": message["tool_call_id"], "status": "success", "content": texts}
        return {"role": "user", "content": [{"toolResult": result}]}
    calls = [
        {"toolUseId": c["id"], "name": c["function"]["name"], "input": c["function"]["arguments"]}
        for c in message.get("tool_calls", [])
    ]
    return {"role": message["role"], "content": [*texts, *({"toolUse": c} for c in calls)]}


given = json.load(sys.stdin)
chat = given["messages"]
system = [message for message in chat[:1] if message["role"] == "system"]
messages = [to_strands(message) for message in chat[len(system) :]]
known = dict(zip(map(id, messages), chat[len(system) :], strict=True))
model = OpenAIModel(client_args={}, model_id=os.environ.get("MODEL", "gpt-4o-mini"))
agent = Agent(model=model, messages=messages, callback_handler=None)
SummarizingConversationManager().reduce_context(agent)
kept = [
    known.get(id(m)) or {"role": m["role"], "content": m["content"][0]["text"]}
    for m in agent.messages
]
json.dump({"messages": [*system, *kept]}, sys.stdout)
