"""Effects of tool calls: files changed, commands run, errors printed.

Other rooms import from here alone. Messages go in, and what their calls did comes out:
:func:`file_operations`, :func:`commands`, :func:`error_texts`, :class:`LogPlaces` and the
:class:`Trail` of a view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.artifacts.call_places import *
    from pytest_compaction.artifacts.known_files import *
    from pytest_compaction.artifacts.operations import *
    from pytest_compaction.artifacts.outputs import *
    from pytest_compaction.artifacts.session_calls import *
    from pytest_compaction.artifacts.shell_effects import *
    from pytest_compaction.artifacts.shell_evidence import *
    from pytest_compaction.artifacts.tool_calls import *
    from pytest_compaction.artifacts.touches import *
    from pytest_compaction.artifacts.trail import *

_NAMES: Final = {
    "call_places": "LogPlaces Places",
    "known_files": "EVERY_PATH FileOperation FileState file_states may_be_same same_end",
    "operations": ("INTERRUPTED Command Invocation commands exit_code file_operations invocations"),
    "outputs": "error_kind error_texts test_summary",
    "session_calls": "CallKind SessionCall calls_made",
    "shell_effects": "NOT_LITERAL command_words",
    "shell_evidence": "ran_tests result_of_tests runs_tests shows_text",
    "tool_calls": "call_touches named_paths shell_script",
    "touches": "Touch",
    "trail": "ASSERTION CommandRun Trail telling_commands trail_from_json",
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
