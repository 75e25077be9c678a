"""Secrets: recognise keys, passwords and people in a text, and replace them.

Other rooms import from here alone. :func:`scrubbed` and :func:`scrubbed_json` are for what a run
shows or writes; :func:`secrets_in`, :func:`find_named` and the names of people are for imported
transcripts; :func:`hide` is for the parameters of strategies. Modules load when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.secrets.disguises import *
    from pytest_compaction.secrets.formatted import *
    from pytest_compaction.secrets.keys import *
    from pytest_compaction.secrets.known import *
    from pytest_compaction.secrets.named import *
    from pytest_compaction.secrets.parameters import *
    from pytest_compaction.secrets.people import *
    from pytest_compaction.secrets.search import *
    from pytest_compaction.secrets.shapes import *

_NAMES: Final = {
    "disguises": "plain",
    "formatted": "find_blocks",
    "known": "credentials_of environment_secrets names_a_secret own_variable point",
    "named": "find_named is_distinctive is_secret_member",
    "parameters": "forget hidden hide learn revealed",
    "people": (
        "ADDRESS KnownNames accounts home_owners is_of_person known_owners named_people owner"
    ),
    "keys": "BLOT scrubbed scrubbed_json",
    "search": "secrets_in",
    "shapes": "STAND_IN replace",
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
