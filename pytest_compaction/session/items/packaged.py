"""The test modules of the package: their node ids are the same wherever the package lies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

PACKAGE: Final = Path(__file__).parents[2]
PROBES: Final = PACKAGE / "benchmark" / "test_probes.py"
DIALOGUES: Final = PACKAGE / "benchmark" / "test_dialogues.py"
INVARIANTS: Final = PACKAGE / "session" / "test_invariants.py"

_IDS: Final[Mapping[Path, str]] = {
    path: path.relative_to(PACKAGE.parent).as_posix() for path in (PROBES, DIALOGUES, INVARIANTS)
}
_OF_TEST: Final = {
    "test_probe": PROBES,
    "test_dialogue": DIALOGUES,
    "test_invariant": INVARIANTS,
}
"""The module of each test function, which may be left out on the command line."""


def collected(path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """The collector of a module of the package, with its own node id; ``None`` for any other.

    Pytest makes node ids from paths below the root folder, and has none for a file elsewhere.
    """
    nodeid = _IDS.get(path)
    if nodeid is None:
        return None
    module: pytest.Module = pytest.Module.from_parent(parent, path=path, nodeid=nodeid)
    return module


def argument(text: str, folder: Path) -> str:
    """A path or node id of the command line as pytest can find it from ``folder``.

    The node id of a packaged module is no path there; nor is one without a module, such as
    ``::test_probe[…]``. Any other argument stays as it is.
    """
    path, colons, names = text.partition("::")
    found = None
    if not path:
        found = _OF_TEST.get(names.partition("[")[0])
    elif not (folder / path).exists():
        below = path.replace("../", "")
        found = next((place for place, nodeid in _IDS.items() if nodeid == below), None)
    return text if found is None else f"{found}{colons}{names}"


def remember_failures(config: pytest.Config) -> None:
    """Let ``--lf`` find the items of packaged modules."""
    plugin: Any = config.pluginmanager.get_plugin("lfplugin")
    failed, paths = (getattr(plugin, name, None) for name in ("lastfailed", "_last_failed_paths"))
    if failed and paths is not None:
        kept = {str(key).partition("::")[0] for key in failed}
        paths.update(path for path, nodeid in _IDS.items() if nodeid in kept)
