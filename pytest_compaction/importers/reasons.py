"""Why records are left out of the messages or changed: the reasons that formats share."""

from __future__ import annotations

from typing import Final

# --- left out -----------------------------------------------------------------------------
KEPT_AS_RECORD: Final = "compaction, kept as a record and not as a message"
NOT_ON_RECORD: Final = "compaction without a usable record"
BEFORE_FIRST_MESSAGE: Final = "compaction before the first message"
SUMMARY_IN_RECORD: Final = "summary of a compaction, kept in its record"
ENCRYPTED_CONTENT: Final = "encrypted content of a compaction"
SECOND_RESULT: Final = "second result of the same tool call"
RESULT_WITHOUT_CALL: Final = "tool result whose call is not in the transcript"

# --- repaired -----------------------------------------------------------------------------
JOINED: Final = "record joined with the message that it continues"
SPLIT: Final = "record split into several messages"
NOTICE: Final = "notice of the program, given as a system message"
CALL_WITHOUT_ID: Final = "tool call without an id, given a new one"
MISSING_PARENT: Final = "line whose parent is not in the file, put after the line before it"
OWN_ANCESTOR: Final = "line that is its own ancestor, taken as the first"
