"""Compactions without a run: logs with ids, models that misbehave, repeated compactions."""

from dataclasses import replace

from support.builders import COUNTER, assistant, case_data, compact_now, system, user

from pytest_compaction.conversation import groups
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import CompactReply, ModelError, OfflineModel, Summary, SummaryReply


class SpyModel(OfflineModel):
    """Remembers every request for a summary."""

    def __init__(self):
        super().__init__(COUNTER)
        self.requests = []

    async def summarize(self, request):
        self.requests.append(request)
        return await super().summarize(request)


class RefusingModel(SpyModel):
    """Refuses the first ``times`` requests, and notes them all."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    async def summarize(self, request):
        if len(self.requests) < self.times:
            self.requests.append(request)
            raise ModelError("too long")
        return await super().summarize(request)


class SayingModel(SpyModel):
    """Writes the given lines into the first section, whatever it reads."""

    def __init__(self, *lines):
        super().__init__()
        self.lines = lines

    async def summarize(self, request):
        self.requests.append(request)
        return SummaryReply(Summary(((request.sections[0].id, self.lines),)))


class AwayModel(SpyModel):
    """Cannot be reached."""

    async def summarize(self, request):
        self.requests.append(request)
        raise ModelError("the endpoint is away")


class NativeModel(SpyModel):
    """An endpoint that compacts natively: every user message, then ``items``."""

    def __init__(self, *items):
        super().__init__()
        self.items = items or ({"type": "compaction", "id": "cmp_1", "encrypted_content": "q+/="},)
        self.compacts = []

    async def compact(self, request):
        self.compacts.append(request)
        users = [message for message in request.messages if message.role == "user"]
        items = from_chat([{"role": "assistant", "content": [item]} for item in self.items], "item")
        return CompactReply((*users, *(replace(item, origin="synthetic") for item in items)))


def talk(count, words=20):
    """A system prompt and ``count`` remarks, of user and assistant in turn."""
    said = [user, assistant]
    return [system(), *(said[i % 2](f"remark {i} " * words) for i in range(count))]


def messages_of(chat, start=0):
    """Turn chat dictionaries into messages of the log with ids from ``m<start>`` on."""
    return from_chat([{"id": f"m{start + i}", **message} for i, message in enumerate(chat)])


def observed(compactor, chat, context, state=None, start=0):
    state = compactor.start() if state is None else state
    return compactor.observe(state, messages_of(chat, start), context)


def compacted(compactor, chat, context):
    """Compact a log once; return the outcome and the view."""
    outcome = compact_now(compactor, observed(compactor, chat, context), context)
    return outcome, view_of(compactor, outcome, context)


def view_of(compactor, outcome, context):
    return compactor.render(outcome.state, context).messages


def cycles(compactor, batches, context):
    """Compact after each batch of messages; return the state before and the outcome of each."""
    state, start = compactor.start(), 0
    for batch in batches:
        state = observed(compactor, batch, context, state, start)
        start += len(batch)
        outcome = compact_now(compactor, state, context)
        yield state, outcome
        state = outcome.state


def in_a_row(compactor, batches, context):
    """Compact after each batch; return the outcomes."""
    for _, outcome in cycles(compactor, batches, context):
        yield outcome


def batched(chat, count):
    """Split the log into about ``count`` parts; tool calls stay with their results."""
    ranges = groups(messages_of(chat))
    size = -(-len(ranges) // count)
    for start in range(0, len(ranges), size):
        part = ranges[start : start + size]
        yield chat[part[0][0] : part[-1][1]]


def with_records(early=None, late=None, **changes):
    """The small case, with the recorded view of its agent at each of its two points."""
    data = case_data(**changes)
    for point, record in zip(data["compaction_points"], (early, late), strict=True):
        if record is not None:
            point["recorded"] = record
    return data


def roles(messages):
    return [message.role for message in messages]


def ids(messages):
    return [message.id for message in messages]


def tokens(chat):
    return COUNTER.messages(messages_of(chat))
