"""Importers: read the transcripts of agents into messages, one module or folder per format.

Other rooms import from here alone. :func:`importer_for` finds the :class:`Importer` of a file and
:func:`conversations` reads its transcripts; a format is a module below ``formats``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.importers.protocol import *
    from pytest_compaction.importers.registry import *

_NAMES: Final = {
    "protocol": (
        "Boundary Importer ImportFormatError ImportTally OtherFileError Transcript reasons_of"
    ),
    "registry": (
        "conversations fault_of_file fitting_importers importer_for importer_named load_importers "
        "read_by_best"
    ),
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
