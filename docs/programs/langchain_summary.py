"""LangChain's SummarizationMiddleware as a program for ``external``.

Needs ``pip install langchain langchain-openai``, and OPENAI_API_KEY and OPENAI_BASE_URL.
"""

import json
import os
import sys

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import (
    RemoveMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from langchain_openai import ChatOpenAI

given = json.load(sys.stdin)
model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-4o-mini"), temperature=0)
messages = convert_to_messages(given["messages"])
system = [message for message in messages[:1] if message.type == "system"]
middleware = SummarizationMiddleware(
    model=model, trigger=("messages", 1), keep=("tokens", given["budget"] // 2)
)
update = middleware.before_model({"messages": messages[len(system) :]}, runtime=None)
if update:
    messages = [*system, *(m for m in update["messages"] if not isinstance(m, RemoveMessage))]
json.dump({"messages": convert_to_openai_messages(messages)}, sys.stdout)
