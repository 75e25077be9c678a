"""Home folders in the text of a transcript, by the name of their owner."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_SLASH: Final = r"\\{0,4}/"
"""Between folders; JSON that is not decoded may escape it."""
_ANY: Final = r"(?:\\{1,4}|/)"
_UNIX: Final = (
    rf"(?:(?:{_SLASH}mnt)?{_SLASH}[a-z]{_SLASH}Users|(?:{_SLASH}(?:var|usr|export))?{_SLASH}home"
    rf"|{_SLASH}Users)"
)
_WINDOWS: Final = rf"[A-Za-z]:{_ANY}Users"
_NAME: Final = r"\w[\w.\-]{0,39}(?:(?:\\{0,2} |%20)[A-Z][\w.\-]{0,39}){0,3}"
_FOLDER: Final = re.compile(
    rf"(?<![\w.~-])(?:{_UNIX}{_SLASH}|{_WINDOWS}{_ANY})(?P<name>{_NAME})(?P<within>(?=[/\\]))?"
)
_CERTAIN: Final = re.compile(
    r"""(?ix)
    (?:\b(?:HOME|PWD|OLDPWD|USERPROFILE|homedir|home_?dir|cwd|workdir|workspace)
        \\{0,3}["']?\s{0,3}[:=]\s{0,3}
      |\b(?:cd|pushd|chdir)\s{1,3}|\bfile://|:\d{1,6}:[^:\r\n]{0,60}:)
    \\{0,3}["']?\Z
    """
)
"""Text before a path that makes it a home folder even when it ends there."""
_ALWAYS: Final = re.compile(rf"{_SLASH}(?:var|usr|export){_SLASH}|[A-Za-z]:")
_LOOK_BACK: Final = 80
_GAP: Final = re.compile(r"\\{0,2} |%20")

_SHARED_NAMES: Final = frozenset(
    """admin all app circleci codespace coder container debian default dev docker ec2-user git
    example gitpod jovyan linuxbrew me name node nonroot opc public root runner runneradmin sandbox
    shared ubuntu user user1 username vagrant vscode work workspace www-data you your-name yourname
    build ci jenkins codebuild-user build-user agent""".split()
)
"""Names of accounts that belong to no person: system images, examples, placeholders."""
_NUMBERED: Final = re.compile(r"user-\d+")


def home_owners(text: str) -> Iterator[str]:
    """The owners of the home folders that a text mentions, some several times; linear.

    A path counts if it goes on below the folder, or if the text before it shows that it is
    a folder: ``/home/settings`` alone may just as well be a route of a web site.
    """
    for match in _FOLDER.finditer(text):
        name = _GAP.sub(" ", match["name"])
        certain = match["within"] is not None
        if not certain and " " in name:
            name = name.split(" ")[0]
        certain = certain or _is_certain(match, text)
        if certain and name.lower() not in _SHARED_NAMES and not _NUMBERED.fullmatch(name):
            yield name.rstrip(".")


def home_rule(names: Iterable[str]) -> re.Pattern[str]:
    """Finds the names where they stand for home folders, as groups ``before`` and ``name``."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    listed = "|".join(re.escape(name).replace(r"\ ", r"(?:\\{0,2} |%20)") for name in ordered)
    return re.compile(
        rf"(?P<before>{_SLASH}(?:home|Users){_SLASH}|{_WINDOWS}{_ANY}"
        rf"|(?<![\w-])-(?:home|Users)-|(?<![\w~])~)(?P<name>{listed})(?![\w])"
    )


def owner(found: str) -> str:
    """The name as :func:`home_owners` gives it, from its form in the text."""
    return _GAP.sub(" ", found)


def _is_certain(match: re.Match[str], text: str) -> bool:
    start = match.start()
    if _ALWAYS.match(match[0]):
        return True
    if _CERTAIN.search(text, max(0, start - _LOOK_BACK), start):
        return True
    begins, ends = text[max(0, start - 1) : start], text[match.end() : match.end() + 1]
    return begins in ("", "\n") and ends in ("", "\n", "\r")
