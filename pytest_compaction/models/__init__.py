"""Models: what summarises, answers and judges, by rules or behind an endpoint.

Other rooms import from here alone. A :class:`Model` takes a :class:`SummaryRequest`, an
:class:`AnswerRequest` or a :class:`JudgeRequest` and gives the reply. ``create_model`` finds one by
its name: the rules (``OFFLINE``), or one at the endpoint that ``connect`` reaches. What asks an
endpoint is a chain of callers: the store of calls, what a model refuses, repetition, the limit on
costs, and the connection. All is loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.models.calls.accounts import *
    from pytest_compaction.models.calls.address import *
    from pytest_compaction.models.calls.check import *
    from pytest_compaction.models.calls.prices import *
    from pytest_compaction.models.calls.store import *
    from pytest_compaction.models.chat.fences import *
    from pytest_compaction.models.chat.judgement import *
    from pytest_compaction.models.chat.model import *
    from pytest_compaction.models.chat.prompts import *
    from pytest_compaction.models.dry_run import *
    from pytest_compaction.models.embeddings import *
    from pytest_compaction.models.export import *
    from pytest_compaction.models.offline.model import *
    from pytest_compaction.models.offline.retrieval import *
    from pytest_compaction.models.own_tokens import *
    from pytest_compaction.models.parameters import *
    from pytest_compaction.models.place import *
    from pytest_compaction.models.protocol import *
    from pytest_compaction.models.recorded.archive import *
    from pytest_compaction.models.recorded.model import *
    from pytest_compaction.models.recorded.requests import *
    from pytest_compaction.models.registry import *
    from pytest_compaction.models.relay import *
    from pytest_compaction.models.structured_summary import *
    from pytest_compaction.models.summary_prompt import *
    from pytest_compaction.models.usage import *
    from pytest_compaction.models.wire.call import *
    from pytest_compaction.models.wire.reply import *
    from pytest_compaction.models.wire.server_edits import *

_NAMES: Final = {
    "calls.accounts": "Accounts CallCounts Total call_counts",
    "calls.address": "base_url_for host_of missing_key wrong_port",
    "calls.check": "Checked EndpointCheck context_of",
    "calls.prices": "PROVIDERS PriceTable list_price prices_at with_file",
    "calls.store": "CIPHERTEXT Store",
    "chat.fences": "fences_for",
    "chat.model": "ChatModel",
    "chat.prompts": "Prompts frame packaged_prompt",
    "chat.judgement": "CLAIMS claim_line read_fields read_readings",
    "dry_run": "CompactingModel DryRunCaller DryRunModel Estimate Length MissingCalls",
    "embeddings": "EmbedReply EmbedRequest embedded unpacked vectors_of",
    "export": "ExportError ExportFolder Taken Written missing_replies take_batch take_plain",
    "offline.model": "OFFLINE OfflineModel",
    "offline.retrieval": "prepare_beginnings",
    "own_tokens": "ratio_text tiktoken_encoding",
    "parameters": "Parameters misuse_of parameter_names refusal_of",
    "place": "Place RequestSlot asked_at current_place current_slot requests_in",
    "protocol": (
        "AnswerReply AnswerRequest ChargedError CompactReply CompactRequest JudgeReply "
        "JudgeRequest LogDigest Model ModelError NO_LOG NoReplyError NotAskedError "
        "NotRecordedError ReadReply ReadRequest SummaryReply SummaryRequest UnsupportedError "
        "read_by"
    ),
    "recorded.archive": (
        "Archive ArchiveError Manifest RECORDED_WORDS RecordedPrompt RecordedVerdict "
        "RecordedWords STALE WORDS_FILE Words archive_for record_command words_digest write"
    ),
    "recorded.requests": "State WordsRequest WordsRequestCaller WordsRequestModel",
    "recorded.model": "RecordedModel",
    "registry": (
        "Endpoints UnknownModelError adapting_to connect create_model endpoint_within is_offline"
    ),
    "relay": (
        "Answer RefusedError Relay Request answer_of call_of error_answer models_at_endpoint "
        "new_relay"
    ),
    "structured_summary": "AS_WRITTEN Section Source Summary summary_from_json written_summary",
    "summary_prompt": (
        "AskedBy PromptError PromptText SummaryPrompt digest_of identifiers parsed_prompt "
        "prompt_digest read_prompt_file"
    ),
    "usage": "OwnCalls OwnTokens Usage own_tokens_as_json own_tokens_from pooled",
    "wire.call": "Call CallReply Caller",
    "wire.reply": "NoObjectError only_object read_reply",
    "wire.server_edits": (
        "Applied CLEARING COMPACTION LEAST_TRIGGER PARAMETER clearable due_edits edits_of"
    ),
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
