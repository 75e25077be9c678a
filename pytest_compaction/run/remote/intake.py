"""What the process that runs pytest does with models' calls before and after a task.

It alone reads and writes the store and the accounts of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.registry import Endpoints
from pytest_compaction.run.remote.result import Findings, TaskResult
from pytest_compaction.run.remote.task import Task
from pytest_compaction.run.remote.worker import Collector, measured


class Intake:
    """The store and the accounts of a run, as far as tasks need them.

    ``endpoints`` are those of the run, ``None`` if all models work offline.
    ``reads_reference`` says that a role has the model of the reference run, whose replies
    count as stored.
    """

    def __init__(
        self,
        endpoints: Endpoints | None,
        registry: Registry,
        specs: Mapping[str, Spec],
        tokens: TokenCounter,
        reads_reference: bool = False,
    ) -> None:
        self._endpoints = endpoints
        self._registry = registry
        self._specs = specs
        self._tokens = tokens
        self._reads_reference = reads_reference

    def prepared(self, task: Task) -> Task | Findings:
        """The task with the replies that the store has; if those are enough, its findings.

        To find out which calls the task will make, it is done here with the store alone.
        """
        if self._endpoints is None:
            return task
        store = self._endpoints.caller
        if store.is_empty and not self._reads_reference:
            return task
        collector = Collector(store.held)
        spec = self._specs[task.arm.compactor]
        findings = measured(task, self._registry, spec, self._tokens, collector)
        if collector.lacks_replies:
            return replace(task, replies=collector.replies)
        self._endpoints.accounts.book((), collector.stored)
        return findings

    def accepts(self, result: TaskResult) -> bool:
        """Keep what a task paid for. False if its findings are of replies that do not count.

        That is so if the store has another reply to the same call by now, which another task
        made at the same time. A run that is repeated must come to the same scores.
        """
        if self._endpoints is None:
            return True
        accounts, store = self._endpoints.accounts, self._endpoints.caller
        kept = [store.adopt(made.call, made.digest, made.reply) for made in result.made]
        counts = all(
            reply.body == made.reply.body for reply, made in zip(kept, result.made, strict=True)
        )
        accounts.book(result.paid, result.stored if counts else ())
        for note in result.notes:
            accounts.note(note)
        return counts
