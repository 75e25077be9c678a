"""The settings of the first git ref, by which both are measured.

A branch that changes the reader or the rubric would else be graded by what it changed.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.ab.refs import Tree
from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.commands.init.config_file import config_file
from pytest_compaction.options import OLD_KEYS, OPTIONS

_FILE: Final = ".pytest-compaction-ab.toml"
_PATHS: Final = ("rubric", "judge_prompt", "prices")
"""The options that name a file by which is graded, without ``compaction_``."""
_HOOK: Final = b"pytest_compaction_models"
_FLAGS: Final = tuple(f"--compaction-{name.replace('_', '-')}" for name in _PATHS)


@dataclass(frozen=True, slots=True)
class Configured:
    """What the configuration of pytest says, with its ``addopts``, in a folder or one above.

    ``own`` are the options of this plugin by their key in the file, and ``others`` all the rest.
    """

    folder: Path
    own: Mapping[str, Any]
    others: Mapping[str, Any]


def configured(folder: Path, root: Path) -> Configured:
    """The settings of a folder; the file is looked for up to ``root``.

    Raises :class:`CommandError` for one that cannot be read.
    """
    above = (each for each in folder.parents if each.is_relative_to(root))
    there = (each for each in (folder, *above) if not config_file(each).is_new_table)
    place = next(there, folder)
    values = dict(config_file(place).values())
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in OPTIONS:
        action = "append" if option.repeatable else "store"
        action = "store_true" if option.ini_type == "bool" else action
        parser.add_argument(option.flag, dest=option.ini_key, default=None, action=action)
    given = values.pop("addopts", [])
    try:
        arguments = shlex.split(given) if isinstance(given, str) else [*map(str, given)]
        said, rest = parser.parse_known_args(arguments)
    except (argparse.ArgumentError, ValueError) as error:
        raise CommandError(f"addopts in {place} cannot be read: {error}") from None
    keys = {option.ini_key for option in OPTIONS} | {*OLD_KEYS.values()}
    own = {key: value for key, value in values.items() if key in keys}
    own |= {key: value for key, value in vars(said).items() if value is not None}
    others = {key: value for key, value in values.items() if key not in keys}
    return Configured(place, own, {**others, **({"addopts": rest} if rest else {})})


def with_settings_of(base: Tree, head: Tree) -> list[str]:
    """Arguments that have pytest measure ``head`` by the settings of ``base``."""
    first, second = configured(base.folder, base.root), configured(head.folder, head.root)
    if not (first.own or second.own):
        return []
    files = {f"compaction_{name}" for name in _PATHS} | {"judge_prompt"}
    own = {
        key: str(first.folder / str(value)) if key in files else value
        for key, value in first.own.items()
    }
    lines = [
        f"{json.dumps(key)} = {json.dumps(_as_text(value), ensure_ascii=False)}"
        for key, value in {**second.others, **own}.items()
    ]
    path = second.folder / _FILE
    path.write_text("\n".join(["[tool.pytest.ini_options]", *lines, ""]), "utf-8")
    return [f"-c{path}"]


def at(base: Tree, argument: str) -> str:
    """An argument of pytest, in which the file by which is graded is that of ``base``."""
    flag, _, path = argument.partition("=")
    return f"{flag}={base.place(path)}" if path and flag in _FLAGS else argument


def note_on_models(base: Tree, head: Tree) -> str:
    """That a ``conftest.py`` adds other models at each ref; empty if it does not."""
    paths = [tree.folder / "conftest.py" for tree in (base, head)]
    texts = [path.read_bytes() if path.is_file() else b"" for path in paths]
    if texts[0] == texts[1] or not any(_HOOK in text for text in texts):
        return ""
    return (
        "conftest.py differs between the refs: models that it adds are those of each ref, so that "
        "a judge or reader among them may not be the same."
    )


def _as_text(value: Any) -> str | list[str]:
    """A value as the table ``ini_options`` takes it."""
    if isinstance(value, list):
        return [*map(str, value)]
    return str(value).lower() if isinstance(value, bool) else str(value)
