"""How many tokens a model's own tokenizer makes of one that is counted here.

Budgets and views are counted in one encoding, whatever the model, so that they compare. The ratio
says what that is in tokens of a model: its endpoint tells the input of each request, and the texts
of the request are counted here. It differs by script, so that each request counts for the script
that most of its tokens are in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import IMAGE_TOKENS, TokenCounter
from pytest_compaction.models.usage import OwnTokens
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.models.wire.server_edits import PARAMETER
from pytest_compaction.text import printable

_IMAGE: Final = "data:"
LATIN: Final = "Latin script"
CJK: Final = "Chinese, Japanese or Korean"
_OTHER: Final = "other scripts"
_CHARACTERS: Final = {
    LATIN: re.compile("[\0-\u024f\u1e00-\u1eff\u2000-\u2bff]+"),
    CJK: re.compile(
        "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
    ),
}
_PER_TOKEN: Final = {LATIN: 4, CJK: 1, _OTHER: 2}
"""Characters of a script that make about one token."""


def input_tokens(body: Mapping[str, Any], tokens: TokenCounter) -> int:
    """The tokens of a request: its texts with the names of members, and its images."""
    return sum(
        IMAGE_TOKENS if text.startswith(_IMAGE) else tokens.text(text) for text in _texts(body)
    )


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, with the names of its members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        if value.get("type") == "base64" and str(value.get("media_type")).startswith("image/"):
            yield _IMAGE  # in the form of Anthropic
            return
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def own_tokens(call: Call, reply: CallReply, tokens: TokenCounter) -> OwnTokens:
    """What a call tells of the tokenizer of its model.

    That is nothing if the reply does not say what it read, or if the model read something else than
    the texts: images, items that only the endpoint can read, or a context that the server edits.
    """
    own = reply.usage.input_tokens
    if not own or call.operation != "chat.completions" or call.body.get(PARAMETER):
        return ()
    if any(text.startswith(_IMAGE) for text in _texts(call.body)):
        return ()
    return ((call.model, script_of(call.body), input_tokens(call.body, tokens), own),)


def script_of(body: Mapping[str, Any]) -> str:
    """The script that most tokens of a request are in, by a rough count."""
    texts = list(_texts(body))
    foreign = [text for text in texts if not text.isascii()]
    found = {
        script: sum(len(run) for text in foreign for run in characters.findall(text))
        for script, characters in _CHARACTERS.items()
    }
    found[_OTHER] = sum(map(len, foreign)) - sum(found.values())
    found[LATIN] += sum(len(text) for text in texts if text.isascii())
    return max(found, key=lambda script: found[script] / _PER_TOKEN[script])


def ratios(found: OwnTokens) -> dict[tuple[str, str], float]:
    """Own tokens for one that is counted here, by model and script."""
    return {(model, script): own / here for model, script, here, own in found if here}


def ratio_text(found: OwnTokens) -> str:
    """The ratios of all models in words."""
    by_model: dict[str, list[str]] = {}
    for (model, script), ratio in ratios(found).items():
        by_model.setdefault(printable(model, 60), []).append(f"{ratio:.2f} in {script}")
    named = (f"{model} {', '.join(sorted(each))}" for model, each in by_model.items())
    return f"own tokens for 1 counted here: {'; '.join(named)}"


def tiktoken_encoding(model: str) -> str | None:
    """The encoding that tiktoken names for a model of OpenAI; ``None`` for any other."""
    from tiktoken.model import encoding_name_for_model

    try:
        return encoding_name_for_model(model.rpartition("/")[2])
    except KeyError:
        return None
