"""Secrets: recognise keys, passwords and people in a text, and replace them.

Other rooms import from here alone. :func:`scrubbed` and :func:`scrubbed_json` are for what a run
shows or writes; :func:`secrets_in`, :func:`find_named` and the names of people are for imported
transcripts; :func:`hide` is for the parameters of strategies. Modules load when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # "as" exports a name to type checkers
    from pytest_compaction.secrets.disguises import plain as plain
    from pytest_compaction.secrets.formatted import find_blocks as find_blocks
    from pytest_compaction.secrets.keys import BLOT as BLOT
    from pytest_compaction.secrets.keys import scrubbed as scrubbed
    from pytest_compaction.secrets.keys import scrubbed_json as scrubbed_json
    from pytest_compaction.secrets.known import credentials_of as credentials_of
    from pytest_compaction.secrets.known import environment_secrets as environment_secrets
    from pytest_compaction.secrets.known import names_a_secret as names_a_secret
    from pytest_compaction.secrets.known import own_variable as own_variable
    from pytest_compaction.secrets.known import point as point
    from pytest_compaction.secrets.named import find_named as find_named
    from pytest_compaction.secrets.named import is_distinctive as is_distinctive
    from pytest_compaction.secrets.named import is_secret_member as is_secret_member
    from pytest_compaction.secrets.parameters import forget as forget
    from pytest_compaction.secrets.parameters import hidden as hidden
    from pytest_compaction.secrets.parameters import hide as hide
    from pytest_compaction.secrets.parameters import learn as learn
    from pytest_compaction.secrets.parameters import revealed as revealed
    from pytest_compaction.secrets.people import ADDRESS as ADDRESS
    from pytest_compaction.secrets.people import KnownNames as KnownNames
    from pytest_compaction.secrets.people import KnownOwners as KnownOwners
    from pytest_compaction.secrets.people import accounts as accounts
    from pytest_compaction.secrets.people import home_owners as home_owners
    from pytest_compaction.secrets.people import is_of_person as is_of_person
    from pytest_compaction.secrets.people import named_people as named_people
    from pytest_compaction.secrets.people import owner as owner
    from pytest_compaction.secrets.search import secrets_in as secrets_in
    from pytest_compaction.secrets.shapes import STAND_IN as STAND_IN
    from pytest_compaction.secrets.shapes import replace as replace

_NAMES: Final = {
    "disguises": "plain",
    "formatted": "find_blocks",
    "known": "credentials_of environment_secrets names_a_secret own_variable point",
    "named": "find_named is_distinctive is_secret_member",
    "parameters": "forget hidden hide learn revealed",
    "people": (
        "ADDRESS KnownNames KnownOwners accounts home_owners is_of_person named_people owner"
    ),
    "keys": "BLOT scrubbed scrubbed_json",
    "search": "secrets_in",
    "shapes": "STAND_IN replace",
}
_HOMES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
        found = globals()[name] = getattr(module, name)
        return found
