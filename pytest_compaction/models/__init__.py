"""Models: what summarises, answers and judges, by rules or behind an endpoint.

Other rooms import from here alone. A :class:`Model` takes a :class:`SummaryRequest`, an
:class:`AnswerRequest` or a :class:`JudgeRequest` and gives the reply. ``create_model`` finds one by
its name: the rules (``OFFLINE``), the words on record (``REFERENCE``), or one at the endpoint that
``connect`` reaches. What asks an endpoint is a chain of callers: the store of calls, what a
model refuses, repetition, the limit on costs, and the connection. All is loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # "as" exports a name to type checkers
    from pytest_compaction.models.calls.accounts import Accounts as Accounts
    from pytest_compaction.models.calls.accounts import CallCounts as CallCounts
    from pytest_compaction.models.calls.accounts import Total as Total
    from pytest_compaction.models.calls.accounts import call_counts as call_counts
    from pytest_compaction.models.calls.address import base_url_for as base_url_for
    from pytest_compaction.models.calls.address import host_of as host_of
    from pytest_compaction.models.calls.address import missing_key as missing_key
    from pytest_compaction.models.calls.address import wrong_port as wrong_port
    from pytest_compaction.models.calls.in_flight import RequestSlot as RequestSlot
    from pytest_compaction.models.calls.in_flight import current_slot as current_slot
    from pytest_compaction.models.calls.in_flight import requests_in as requests_in
    from pytest_compaction.models.calls.prices import PriceTable as PriceTable
    from pytest_compaction.models.calls.prices import prices_at as prices_at
    from pytest_compaction.models.calls.prices import with_file as with_file
    from pytest_compaction.models.calls.store import CIPHERTEXT as CIPHERTEXT
    from pytest_compaction.models.chat.fences import fences_for as fences_for
    from pytest_compaction.models.chat.model import ChatModel as ChatModel
    from pytest_compaction.models.chat.prompts import PromptError as PromptError
    from pytest_compaction.models.chat.prompts import Prompts as Prompts
    from pytest_compaction.models.chat.prompts import packaged_prompt as packaged_prompt
    from pytest_compaction.models.dry_run import CompactingModel as CompactingModel
    from pytest_compaction.models.dry_run import DryRunCaller as DryRunCaller
    from pytest_compaction.models.dry_run import DryRunModel as DryRunModel
    from pytest_compaction.models.dry_run import Estimate as Estimate
    from pytest_compaction.models.dry_run import Length as Length
    from pytest_compaction.models.dry_run import MissingCalls as MissingCalls
    from pytest_compaction.models.export import ExportError as ExportError
    from pytest_compaction.models.export import ExportFolder as ExportFolder
    from pytest_compaction.models.export import Taken as Taken
    from pytest_compaction.models.export import Written as Written
    from pytest_compaction.models.export import missing_replies as missing_replies
    from pytest_compaction.models.export import take_batch as take_batch
    from pytest_compaction.models.export import take_plain as take_plain
    from pytest_compaction.models.offline.model import OFFLINE as OFFLINE
    from pytest_compaction.models.offline.model import OfflineModel as OfflineModel
    from pytest_compaction.models.offline.units import prepare_beginnings as prepare_beginnings
    from pytest_compaction.models.parameters import Parameters as Parameters
    from pytest_compaction.models.parameters import misuse_of as misuse_of
    from pytest_compaction.models.parameters import parameter_names as parameter_names
    from pytest_compaction.models.parameters import refusal_of as refusal_of
    from pytest_compaction.models.protocol import NO_LOG as NO_LOG
    from pytest_compaction.models.protocol import AnswerReply as AnswerReply
    from pytest_compaction.models.protocol import AnswerRequest as AnswerRequest
    from pytest_compaction.models.protocol import ChargedError as ChargedError
    from pytest_compaction.models.protocol import CompactReply as CompactReply
    from pytest_compaction.models.protocol import CompactRequest as CompactRequest
    from pytest_compaction.models.protocol import JudgeReply as JudgeReply
    from pytest_compaction.models.protocol import JudgeRequest as JudgeRequest
    from pytest_compaction.models.protocol import LogDigest as LogDigest
    from pytest_compaction.models.protocol import Model as Model
    from pytest_compaction.models.protocol import ModelError as ModelError
    from pytest_compaction.models.protocol import NoReplyError as NoReplyError
    from pytest_compaction.models.protocol import NotAskedError as NotAskedError
    from pytest_compaction.models.protocol import NotRecordedError as NotRecordedError
    from pytest_compaction.models.protocol import SummaryReply as SummaryReply
    from pytest_compaction.models.protocol import SummaryRequest as SummaryRequest
    from pytest_compaction.models.protocol import UnsupportedError as UnsupportedError
    from pytest_compaction.models.reference.shipped import REFERENCE as REFERENCE
    from pytest_compaction.models.reference.shipped import Archive as Archive
    from pytest_compaction.models.reference.shipped import ArchiveError as ArchiveError
    from pytest_compaction.models.reference.shipped import shipped_run as shipped_run
    from pytest_compaction.models.registry import Endpoints as Endpoints
    from pytest_compaction.models.registry import UnknownModelError as UnknownModelError
    from pytest_compaction.models.registry import asking as asking
    from pytest_compaction.models.registry import connect as connect
    from pytest_compaction.models.registry import create_model as create_model
    from pytest_compaction.models.registry import endpoint_within as endpoint_within
    from pytest_compaction.models.registry import is_offline as is_offline
    from pytest_compaction.models.relay import Answer as Answer
    from pytest_compaction.models.relay import RefusedError as RefusedError
    from pytest_compaction.models.relay import Relay as Relay
    from pytest_compaction.models.relay import Request as Request
    from pytest_compaction.models.relay import answer_of as answer_of
    from pytest_compaction.models.relay import call_of as call_of
    from pytest_compaction.models.relay import error_answer as error_answer
    from pytest_compaction.models.relay import new_relay as new_relay
    from pytest_compaction.models.structured_summary import Section as Section
    from pytest_compaction.models.structured_summary import Source as Source
    from pytest_compaction.models.structured_summary import Summary as Summary
    from pytest_compaction.models.structured_summary import summary_from_json as summary_from_json
    from pytest_compaction.models.usage import OwnCalls as OwnCalls
    from pytest_compaction.models.usage import Usage as Usage
    from pytest_compaction.models.wire.call import Call as Call
    from pytest_compaction.models.wire.call import Caller as Caller
    from pytest_compaction.models.wire.call import CallReply as CallReply
    from pytest_compaction.models.wire.reply import NoObjectError as NoObjectError
    from pytest_compaction.models.wire.reply import only_object as only_object
    from pytest_compaction.models.wire.reply import read_reply as read_reply
    from pytest_compaction.models.wire.server_edits import CLEARING as CLEARING
    from pytest_compaction.models.wire.server_edits import COMPACTION as COMPACTION
    from pytest_compaction.models.wire.server_edits import LEAST_TRIGGER as LEAST_TRIGGER
    from pytest_compaction.models.wire.server_edits import PARAMETER as PARAMETER
    from pytest_compaction.models.wire.server_edits import Applied as Applied
    from pytest_compaction.models.wire.server_edits import clearable as clearable
    from pytest_compaction.models.wire.server_edits import due_edits as due_edits
    from pytest_compaction.models.wire.server_edits import edits_of as edits_of

_NAMES: Final = {
    "calls.accounts": "Accounts CallCounts Total call_counts",
    "calls.address": "base_url_for host_of missing_key wrong_port",
    "calls.in_flight": "RequestSlot current_slot requests_in",
    "calls.prices": "PriceTable prices_at with_file",
    "calls.store": "CIPHERTEXT",
    "chat.fences": "fences_for",
    "chat.model": "ChatModel",
    "chat.prompts": "PromptError Prompts packaged_prompt",
    "dry_run": "CompactingModel DryRunCaller DryRunModel Estimate Length MissingCalls",
    "export": "ExportError ExportFolder Taken Written missing_replies take_batch take_plain",
    "offline.model": "OFFLINE OfflineModel",
    "offline.units": "prepare_beginnings",
    "parameters": "Parameters misuse_of parameter_names refusal_of",
    "protocol": """
        AnswerReply AnswerRequest ChargedError CompactReply CompactRequest JudgeReply
        JudgeRequest LogDigest Model ModelError NO_LOG NoReplyError NotAskedError
        NotRecordedError SummaryReply SummaryRequest UnsupportedError
    """,
    "reference.shipped": "Archive ArchiveError REFERENCE shipped_run",
    "registry": """
        Endpoints UnknownModelError asking connect create_model endpoint_within is_offline
    """,
    "relay": "Answer RefusedError Relay Request answer_of call_of error_answer new_relay",
    "structured_summary": "Section Source Summary summary_from_json",
    "usage": "OwnCalls Usage",
    "wire.call": "Call CallReply Caller",
    "wire.reply": "NoObjectError only_object read_reply",
    "wire.server_edits": """
        Applied CLEARING COMPACTION LEAST_TRIGGER PARAMETER clearable due_edits edits_of
    """,
}
"""Names that are loaded when first used, by the module that defines them."""
_HOMES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
        found = globals()[name] = getattr(module, name)
        return found
