"""Parameters that a shipped strategy refuses, and the sentence that says why."""

import pytest
from support.compositions import refusal

REFUSED = """
    adk:interval=0:overlap=1 -> interval=0 must be a whole number, at least 1
    adk:interval=3 -> interval= and overlap= must be given together
    adk:overlap=1 -> interval= and overlap= must be given together
    adk:retention=-1 -> retention=-1 must be a whole number, at least 0
    adk:threshold=0:retention=1 -> threshold=0 must be a whole number, at least 1
    adk:threshold=100 -> threshold=100 needs retention=
    anchored:summary=-0.5 -> summary=-0.5 must be between 0 and 1
    anchored:summary=0 -> summary=0 must be between 0 and 1
    anchored:summary=1 -> summary=1 must be between 0 and 1
    anchored:summary=2 -> summary=2 must be between 0 and 1
    anthropic:clear=-1 -> clear=-1 must be a whole number, at least 0
    anthropic:clear=3:clear_trigger=0 -> clear_trigger=0 must be a whole
    anthropic:mode=cloud -> mode=cloud must be server or client
    anthropic:threshold=0 -> threshold=0 must be a whole number, at least 1
    claude-code:files=-1 -> files=-1 must be a whole number, at least 0
    cline:mode=modern -> mode=modern must be agentic or basic
    codex:limit=-1 -> limit=-1 must be a whole number, at least 0
    codex:users=0 -> users=0 must be a whole number, at least 1
    continue-prune:max_output=0 -> max_output=0 must be a whole number, at least 1
    continue:max_output=0 -> max_output=0 must be a whole number, 1 to 199999
    continue:max_output=200000 -> max_output=200000 must be
    continue:mode=vim -> mode=vim must be ide or cli
    deepagents:arguments=5 -> arguments=5 must be a whole number of characters, at least 20
    deepagents:keep=x -> keep=x must be a number of messages
    gemini-cli:threshold=-0.2 -> threshold=-0.2 must be above 0 and at most 1
    gemini-cli:threshold=0 -> threshold=0 must be above 0 and at most 1
    gemini-cli:threshold=1.5 -> threshold=1.5 must be above 0 and at most 1
    goose:threshold=-0.1 -> threshold=-0.1 must be a number from 0 to 1
    goose:threshold=1.1 -> threshold=1.1 must be a number from 0 to 1
    kimi-cli:calls=1 -> calls=1 must be False or True
    kimi-cli:keep=0 -> keep=0 must be a whole number, at least 1
    kimi-cli:reserve=-1 -> reserve=-1 must be a whole number, at least 0
    kimi-cli:threshold=0 -> threshold=0 must be above 0 and at most 1
    langchain:trim=-1 -> trim=-1 must be a whole number of tokens
    last-n-observations:n=0 -> n=0 must be a whole number, at least 1
    light:episodic=maybe -> episodic=maybe must be True or False
    light:k=-1 -> k=-1 must be a whole number, at least 0
    light:limit=30 -> limit=30 must be 0 or at least 200 tokens
    light:notes=turn -> notes=turn must be auto or pair or span
    light:scratchpad=0 -> scratchpad=0 must be between 0 and 1
    light:scratchpad=0.6:working=0.4 -> leave no episodes
    light:working=1.5 -> working=1.5 must be between 0 and 1
    light:z=0.5 -> z=0.5 must be a whole number, at least 0
    mask-observations:window=-1 -> window=-1 must be a whole number
    opencode-prune:minimum=-1 -> minimum=-1 must be a whole number of tokens
    opencode-prune:protect=-1 -> protect=-1 must be a whole number of tokens
    opencode:input=0 -> input=0 must be a whole number, at least 1
    opencode:reserve=0 -> reserve=0 must be a whole number, 1 to 199999
    openhands:keep_first=-1 -> keep_first=-1 must be a whole number, at least 0
    openhands:max_size=0 -> max_size=0 must be a whole number, at least 1
    openhands:max_size=10:keep_first=4 -> it must be below 4
    openhands:max_tokens=0 -> max_tokens=0 must be a whole number of tokens
    openhands:read_results=-1 -> read_results=-1 must be a whole number of characters
    pi:keep=0 -> keep=0 must be a whole number, at least 1
    pi:read_results=-1 -> read_results=-1 must be a whole number of characters, at least 0
    pi:reserve=0 -> reserve=0 must be a whole number, at least 1
    rag:share=-1 -> share=-1 must be between 0 and 1
    rag:share=0 -> share=0 must be between 0 and 1
    rag:share=1 -> share=1 must be between 0 and 1
    random:seed=-1 -> seed=-1 must be a whole number
    random:seed=0.5 -> seed=0.5 must be a whole number
    roo:keep=0 -> keep=0 must be a whole number, at least 1
    roo:max_output=0 -> max_output=0 must be a whole
    roo:threshold=101 -> threshold=101 must be
    roo:threshold=4 -> threshold=4 must be a whole number, 5 to 100
    roo:keep=5 -> keep=5 needs version=1
    roo:version=3 -> version=3 must be 2 or 1
    roo:version=True -> version=True must be 2 or 1
    strands:keep=-1 -> keep=-1 must be a whole number, at least 0
    strands:ratio=0.05 -> ratio=0.05 must be a number from 0.1 to 0.8
    strands:threshold=1.5 -> threshold=1.5 must be a number from 0 to 1
    truncate:fraction=-1 -> fraction=-1 must be above 0 and at most 1
    truncate:fraction=0 -> fraction=0 must be above 0 and at most 1
    truncate:fraction=1.5 -> fraction=1.5 must be above 0 and at most 1
"""
"""A specification, and what its refusal says."""


@pytest.mark.parametrize("row", REFUSED.strip().splitlines(), ids=str.strip)
def test_impossible_parameters_are_refused(row):
    given, said = map(str.strip, row.split("->"))
    assert said in refusal(given)
