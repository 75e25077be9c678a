"""Replay dialogues without pytest: models that remember requests, small strategies."""

import json
from contextlib import contextmanager

from support.talks import talk

from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.dialogues import Dialogue, Replayer, Rules, history_mode
from pytest_compaction.dialogues.dialogue import UserTurn
from pytest_compaction.models import AnswerReply, OfflineModel, Summary, SummaryReply, Usage
from pytest_compaction.run.loop import WorkLoop
from pytest_compaction.run.response import Roles
from pytest_compaction.run.triggers import Trigger

TOKENS = TokenCounter()


def a_dialogue(turns=4, calls=(), system=""):
    made = tuple(UserTurn(t["user"], t["bot"], calls) for t in talk(turns=turns)["history"])
    return Dialogue("CM_1", "CM", made, "talks.jsonl:1", system)


class Writer(OfflineModel):
    """A model with fixed answers, which remembers each question and the view it came with."""

    name = "writer"

    def __init__(self, usage=Usage(), trial=1, asked=None, answers=None):
        super().__init__(TOKENS)
        self.usage, self.trial, self.answers = usage, trial, answers
        self.asked = [] if asked is None else asked

    def at_trial(self, trial):
        return type(self)(self.usage, trial, self.asked, self.answers)

    async def answer(self, request):
        self.asked.append((self.trial, tuple(request.view), request.question))
        if self.answers is not None:
            return AnswerReply(self.answers(request), self.usage)
        return AnswerReply(f"own answer from {len(request.view)} messages", self.usage)

    async def summarize(self, request):
        return SummaryReply(Summary((("task", ("a short summary",)),)), Usage(1, 100, 0, 20))


def last_only(messages, budget):
    """Keeps the last message."""
    return messages[-1:]


def shout(messages, budget):
    raise ValueError("the summariser is out of order")


async def summarised(messages, budget, model):
    from pytest_compaction.models import SummaryRequest

    reply = await model.summarize(SummaryRequest((), (), budget))
    return [{"role": "user", "content": str(reply.summary.entries)}]


def strategy(function):
    return lambda name: FunctionCompactor(name, function, {})


@contextmanager
def replaying(create, responder=None, judges=None, compaction=None, **rules):
    """A replayer with its loop; the offline model where nothing else is named."""
    offline = OfflineModel(TOKENS)
    responder = responder or offline
    roles = Roles(compaction or responder, responder, judges or (offline,), TOKENS)
    work = WorkLoop(8)
    settings = {
        "trigger": Trigger("turns", 2),
        "history": history_mode("auto", responder.name),
        "trials": 1,
        "window": 4096,
        "budget": 0.5,
        "timeout": 30.0,
        **rules,
    }
    try:
        yield Replayer(roles, create, Rules(**settings), work)
    finally:
        work.close()


def replay(create, dialogue=None, responder=None, **settings):
    with replaying(create, responder, **settings) as replayer:
        return replayer.replayed(dialogue or a_dialogue(), "strategy")


def judgement(similarity=0.8, kept=(True, False)):
    items = [{"text": "an item", "kept": value} for value in kept]
    return json.dumps({"reasoning": "so so", "similarity": similarity, "items": items})


def judge(*answers):
    """Judges that answer everything with the given answers."""
    return tuple(Writer(Usage(1, 10, 0, 5), answers=lambda request, a=a: a) for a in answers)


def in_force(replayed, trial=0):
    """The turns whose prompt held a summary."""
    return [reply.summarised for reply in replayed.comparison.summary[trial].replies]
