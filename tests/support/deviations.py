"""Ways to deviate from a correct view: each takes the view after and before, and the context.

``None`` means that there is nothing to deviate in.
"""

import json
from dataclasses import replace
from itertools import pairwise

from pytest_compaction.compactors.base.windows import LEFT_OUT
from pytest_compaction.conversation.messages import (
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    groups,
    json_or_none,
    last_user,
    leading_system,
    pending_calls,
    text_message,
)


def nothing(after, before, context):
    """No deviation."""
    return


def one(wanted, change):
    """Change the first message of the log that is ``wanted``, except the newest of the user."""

    def mutate(after, before, context):
        live = last_user(after)
        for place, message in enumerate(after):
            if message is live or message.origin != "log" or not wanted(message):
                continue
            made = change(message)
            if made is not None and made != message:
                new = made if isinstance(made, tuple) else (made,)
                return (*after[:place], *new, *after[place + 1 :])
        return None

    return mutate


def closed(mutate):
    """Only where no call waits for its result."""

    def careful(after, before, context):
        return None if pending_calls(after) else mutate(after, before, context)

    return careful


def parts(kind, change):
    """Change each part of a kind; ``None`` removes it."""

    def changed(message):
        made = [change(part) if isinstance(part, kind) else part for part in message.parts]
        return replace(message, parts=tuple(part for part in made if part is not None))

    return changed


def text(change):
    """Change each text."""
    return parts(Text, lambda part: Text(change(part.text)))


def result(change):
    """Change each result of a tool."""
    return parts(ToolResult, change)


def is_user(message):
    return message.role == "user" and bool(message.text.strip())


def is_words(message):
    return message.role == "assistant" and bool(message.text.strip()) and not message.calls


def is_words_or_user(message):
    return is_user(message) or (message.role == "assistant" and bool(message.text.strip()))


def is_long(message):
    return message.role in {"user", "assistant"} and len(message.text) > 400


def says_and_calls(message):
    return bool(message.calls) and bool(message.text.strip())


def has(kind, role=None):
    def wanted(message):
        fits = role in {None, message.role}
        return fits and any(isinstance(part, kind) for part in message.parts)

    return wanted


def inserted(role, words, place=1):
    """A message of the strategy, after so many messages behind the system prompt."""

    def mutate(after, before, context):
        at = min(leading_system(after) + place, len(after))
        if at < len(after) and after[at].role == "tool":
            return None
        new = text_message("inserted", role, words, "synthetic")
        return (*after[:at], new, *(m for m in after[at:] if m.id != "inserted"))

    return closed(mutate)


def forged(after, before, context):
    """All earlier messages of the user say the same."""
    live = last_user(after)
    return tuple(
        replace(m, parts=(Text("Yes, delete it."),))
        if m.role == "user" and m.origin == "log" and m is not live
        else m
        for m in after
    )


def without_answer(after, before, context):
    """The assistant's words between two messages of the user are gone."""
    said = [m.role if m.text != LEFT_OUT and m.origin == "log" else "" for m in after]
    for place in range(1, len(after) - 1):
        if said[place - 1 : place + 2] == ["user", "assistant", "user"]:
            return (*after[:place], *after[place + 1 :])
    return None


def without_work(after, before, context):
    """The calls between two messages of the user are gone, with their results."""
    ranges = groups(after)
    for (_, end), (begin, stop) in pairwise(ranges):
        head, closing = after[end - 1], after[stop : stop + 1]
        asked = head.role == "user" and head.origin == "log" and head.text != LEFT_OUT
        if asked and after[begin].calls and closing and closing[0].role == "user":
            return (*after[:begin], *after[stop:])
    return None


def system_last(after, before, context):
    head = leading_system(after)
    return (*after[head:], *after[:head]) if head and len(after) > head else None


def system_second(after, before, context):
    head = leading_system(after)
    if not head or len(after) < head + 2 or after[head + 1].role == "tool":
        return None
    return (after[head], *after[:head], *after[head + 1 :])


def twice(after, before, context):
    """The first message of the user stands there twice."""
    for place, message in enumerate(after):
        if is_user(message) and message.origin == "log" and message.text != LEFT_OUT:
            return (*after[: place + 1], message, *after[place + 1 :])
    return None


def swapped(wanted):
    """Two messages change places."""

    def mutate(after, before, context):
        places = [i for i, m in enumerate(after) if wanted(m) and m.text != LEFT_OUT]
        places = [i for i in places if after[i].origin == "log"]
        if len(places) < 2:
            return None
        made = list(after)
        first, second = places[:2]
        made[first], made[second] = made[second], made[first]
        return tuple(made)

    return closed(mutate)


def another_calls_result(after, before, context):
    """The results of two calls change places, and the ids stay."""
    places = [i for i, m in enumerate(after) if m.results]
    for first, second in pairwise(places):
        one, two = after[first].results[0], after[second].results[0]
        if one.text.strip() and two.text.strip() and one.text != two.text:
            made = list(after)
            made[first] = replace(after[first], parts=(replace(one, text=two.text),))
            made[second] = replace(after[second], parts=(replace(two, text=one.text),))
            return tuple(made)
    return None


def reused_ids(after, before, context):
    """A call and its result take the id of an earlier call."""
    calls = [call.id for m in after for call in m.calls]
    if len(calls) < 2:
        return None
    old, new = calls[-1], calls[0]

    def renamed(part):
        if isinstance(part, ToolCall) and part.id == old:
            return replace(part, id=new)
        if isinstance(part, ToolResult) and part.call_id == old:
            return replace(part, call_id=new)
        return part

    if any({old, new} <= {call.id for call in m.calls} for m in after):
        return None
    return tuple(replace(m, parts=tuple(map(renamed, m.parts))) for m in after)


def over_by_one(after, before, context):
    """The view takes one token more than the budget, and no fewer than that."""
    count = context.tokens.messages
    if count(before) <= context.budget + 1 or count(after) > context.budget:
        return None
    place = next((i for i, m in enumerate(after) if m.origin == "synthetic"), None)
    if place is None or not after[place].text:
        return None
    words = context.budget + 1 - count(after)
    for more in range(max(words - 3, 0), words + 4):
        longer = replace(after[place], parts=(Text(after[place].text + " a" * more),))
        made = (*after[:place], longer, *after[place + 1 :])
        if count(made) == context.budget + 1:
            return made
    return None


def opaque_moved(after, before, context):
    """Thinking goes to another message of the assistant."""
    thought = next((p for m in after for p in m.parts if isinstance(p, Thinking)), None)
    if thought is None:
        return None
    for place, message in enumerate(after):
        if is_words(message) and message.origin == "log":
            moved = replace(message, parts=(thought, *message.parts))
            return (*after[:place], moved, *after[place + 1 :])
    return None


def joined_users(after, before, context):
    """Two neighbours of the user become one message."""
    for place, (first, second) in enumerate(pairwise(after)):
        plain = is_user(first) and is_user(second) and {first.origin, second.origin} == {"log"}
        if plain and second is not last_user(after) and LEFT_OUT not in first.text:
            both = replace(first, parts=(*first.parts, *second.parts))
            return (*after[:place], both, *after[place + 2 :])
    return None


def split_user(message):
    half = len(message.text) // 2
    return (
        replace(message, parts=(Text(message.text[:half]),)),
        replace(message, id=f"{message.id}-b", parts=(Text(message.text[half:]),)),
    )


def calls_turned(message):
    if len(message.calls) < 2:
        return None
    rest = tuple(part for part in message.parts if not isinstance(part, ToolCall))
    return replace(message, parts=(*rest, *reversed(message.calls)))


def results_turned(after, before, context):
    """The results of parallel calls come in another order."""
    for begin, end in groups(after):
        if end - begin > 2 and after[begin].calls:
            return (*after[: begin + 1], *reversed(after[begin + 1 : end]), *after[end:])
    return None


def written_anew(part):
    """The same arguments, as another writer of JSON would put them."""
    found = json_or_none(part.arguments)
    if found is None:
        return part
    return replace(part, arguments=json.dumps(found, indent=1, sort_keys=True))


def renamed_tool(part):
    return replace(part, name="delete_file")


def other_arguments(part):
    return replace(part, arguments='{"command":"rm -rf ."}')


def longer_than(length):
    return lambda m: m.role == "tool" and len(m.results[0].text.strip()) > length


def other_image(part):
    return Image('{"image_url":{"url":"data:image/png;base64,AAAA"},"type":"image_url"}')


def unmarked_summary(after, before, context):
    return (*after[:-1], replace(after[-1], role="developer")) if len(after) > 3 else None
