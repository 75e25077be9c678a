"""The calls that the selected items lack, found by running them from the store alone.

Every strategy is run, also those that do not come with the package, and every request is
rendered by the models of the run: what is exported has the digest that the run looks up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pytest_compaction.case.files import CaseFileError
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.models.export.missing import CompactingModel, MissingCalls
from pytest_compaction.models.protocol import Model, ModelError, NotRecordedError
from pytest_compaction.models.registry import Endpoints
from pytest_compaction.models.wire.call import Call
from pytest_compaction.run.feeder import CompactionError
from pytest_compaction.session.dry_run.estimate import Selection
from pytest_compaction.session.session import BenchmarkSession


@dataclass(frozen=True, slots=True)
class Lack:
    """What the store lacks: the calls that can be made now, and the items that wait for more.

    ``failures`` say why items ended for another reason, which no reply will change.
    """

    calls: tuple[Call, ...]
    waiting: int
    failures: tuple[str, ...] = ()


def lack_of(session: BenchmarkSession, endpoints: Endpoints, selected: Iterable[Selection]) -> Lack:
    """The calls that the selected items lack. Makes no call and writes nothing."""
    caller = MissingCalls(endpoints.caller)

    def model(real: Model, made: type[ChatModel] = ChatModel) -> Model:
        if not isinstance(real, ChatModel):
            return real
        return made(real.name, caller, endpoints.tokens, endpoints.prompts)

    roles = replace(
        session.roles,
        compaction=model(session.roles.compaction, CompactingModel),
        responder=model(session.roles.responder),
        judges=tuple(model(judge) for judge in session.roles.judges),
    )
    here = replace(session.settings, executor="")
    dry = replace(session, settings=here, roles=roles, endpoints=None, compares_nulls=False)
    waiting = 0
    failures: list[str] = []
    try:
        for one in selected:
            try:
                one.item.measure(dry, one.judged)
            except NotRecordedError:
                waiting += 1
            except (CaseFileError, CompactionError, ModelError) as error:
                failures.append(str(error))
    finally:
        dry.close()
    return Lack(caller.calls, waiting, tuple(failures))
