"""People in the text of a transcript: owners of home folders, e-mail addresses, and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from pytest_compaction.secrets.disguises import Span

# --- home folders, and the names of their owners where else they stand ---

_SLASH: Final = r"\\{0,4}/"
"""Between folders; JSON that is not decoded may escape it."""
_ANY: Final = r"(?:\\{1,4}|/)"
_WINDOWS: Final = rf"[A-Za-z]:{_ANY}Users{_ANY}"
_FOLDER: Final = re.compile(
    rf"""(?x)(?<![\w.~-])(?:(?P<always>{_WINDOWS}|{_SLASH}(?:var|usr|export){_SLASH}home{_SLASH})
      |(?:(?:{_SLASH}mnt)?{_SLASH}[a-z]{_SLASH}Users|{_SLASH}home|{_SLASH}Users){_SLASH})
    (?P<name>\w[\w.\-]{{0,39}}(?:(?:\\{{0,2}}[ ]|%20)[A-Z][\w.\-]{{0,39}}){{0,3}})
    (?P<within>(?=[/\\]))?"""
)
_CERTAIN: Final = re.compile(
    r"""(?ix)(?:\b(?:HOME|PWD|OLDPWD|USERPROFILE|homedir|home_?dir|cwd|workdir|workspace)
        \\{0,3}["']?\s{0,3}[:=]\s{0,3}
      |\b(?:cd|pushd|chdir)\s{1,3}|\bfile://|:\d{1,6}:[^:\r\n]{0,60}:)\\{0,3}["']?\Z"""
)
"""Text before a path that makes it a home folder even when it ends there."""
_LOOK_BACK: Final = 80
_GAP: Final = re.compile(r"\\{0,2} |%20")
_WORD: Final = re.compile(r"\w")
_BEFORE: Final = (
    rf"{_SLASH}(?:home|Users){_SLASH}|{_WINDOWS}|(?<![\w-])-(?:home|Users)-|(?<![\w~])~"
)
"""What stands before the owner of a home folder."""
_FEW: Final = 24
"""So many names are looked for one by one, to leave out texts with none of them."""
_SHARED_NAMES: Final = frozenset(
    """admin all app circleci codespace coder container debian default dev docker ec2-user git
    example gitpod jovyan linuxbrew me name node nonroot opc public root runner runneradmin sandbox
    shared ubuntu user user1 username vagrant vscode work workspace www-data you your-name yourname
    build ci jenkins codebuild-user build-user agent""".split()
)
"""Names of accounts that belong to no person: system images, examples, placeholders."""
_SYSTEM: Final = frozenset(
    """apache bin daemon docker http lp mail man messagebus mongodb mysql news nginx nobody nogroup
    postgres redis sshd staff sync sys systemd-network systemd-resolve systemd-timesync tty uucp
    wheel www""".split()
)
"""Accounts of programs that own files."""
_ROW: Final = (
    r"(?<!\S)[bcdlps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][@+.]?[ ]{1,4}\d{1,6}[ ]{1,8}"
)
"""The beginning of a row of ``ls -l``, before the owner of the file."""
_OWNED: Final = re.compile(rf"{_ROW}(?P<owner>[A-Za-z][\w.\-]{{0,39}})(?= )")
_ACCOUNT: Final = re.compile(
    rf"""(?xm){_ROW}(?P<owner>[\w.\-]{{1,40}})[ ]{{1,12}}(?P<group>[\w.\-]{{1,40}})
      |^(?P<entry>[\w.\-]{{1,40}}):[x*!]?:\d{{1,10}}:
      |\b(?:USER|LOGNAME|USERNAME|SUDO_USER)=["']?(?P<variable>[\w.\-]{{1,40}})
      |(?<![\w.+/@-])(?P<prompt>[\w.\-]{{1,40}})(?=@[A-Za-z][\w.\-]{{0,60}}[:~ ])"""
)
"""Rows of ``ls -l`` and of ``/etc/passwd``, variables and prompts of the shell."""


def home_owners(text: str) -> Iterator[str]:
    """The owners of the home folders that a text mentions, some several times; linear.

    A path counts if it goes on below the folder, or if the text before it shows that it is
    a folder: ``/home/settings`` alone may just as well be a route of a web site. The owners of
    files in the rows of ``ls -l`` count as well, unless they are accounts of programs.
    """
    for row in _OWNED.finditer(text):
        if not _is_nobody(row["owner"]) and row["owner"].lower() not in _SYSTEM:
            yield row["owner"]
    for match in _FOLDER.finditer(text):
        start, end = match.span()
        name = owner(match["name"])
        within = match["within"] is not None
        if not within:
            name = name.split(" ")[0]
        alone = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n", "\r")
        if (
            (within or match["always"] or alone)
            or _CERTAIN.search(text, max(0, start - _LOOK_BACK), start)
        ) and not _is_nobody(name):
            yield name.rstrip(".")


def _is_nobody(name: str) -> bool:
    return name.lower() in _SHARED_NAMES or re.fullmatch(r"user-\d+", name) is not None


def accounts(text: str, names: Collection[str]) -> Iterator[Span]:
    """Where these names stand for an account: in listings, prompts and variables; linear."""
    if len(names) > _FEW or any(name in text for name in names):
        for match in _ACCOUNT.finditer(text):
            for group, name in match.groupdict().items():
                if name in names:
                    yield match.span(group)


def known_owners(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds home folders of owners, as :func:`home_owners` gives them; ``None`` without any."""
    longest = sorted(names, key=lambda name: (-len(name), name))
    gap = f"(?:{_GAP.pattern})"
    forms = "|".join(gap.join(map(re.escape, name.split(" "))) for name in longest)
    return re.compile(rf"(?:{_BEFORE})(?P<name>{forms})(?!\w)") if forms else None


def owner(found: str) -> str:
    """The name as :func:`home_owners` gives it, from its form in the text."""
    return _GAP.sub(" ", found)


# --- e-mail addresses, and the names before them ---

_MAIL: Final = (
    r"[A-Za-z0-9_][\w.+%-]{0,63}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,5}[A-Za-z]{2,24}(?![\w@-]|\.\w)"
)
ADDRESS: Final = re.compile(rf"(?:(?<=\\u003c)|(?<![\w.+%@/:-])(?!u003c))(?!git@){_MAIL}")
"""An e-mail address, or what looks like one; some writers of JSON escape the ``<`` before it."""
_NOBODY: Final = re.compile(
    r"(?i)^(?:no-?reply|do-?not-?reply|users?|name|you|me|foo|someone|test|openhands)@"
    r"|@(?:(?:[\w-]+\.)*example\.(?:com|org|net)|(?:test|foo|bar|domain|company|your-?domain)\.com"
    r"|[\d.]+x?\.\w+|.*\.(?:png|jpe?g|gif|svg|webp|ico|pdf"
    r"|[cm]?[jt]sx?|py|rs|go|md|json|ya?ml|toml|css|html?|invalid|test|example|local(?:host|domain)?))$"
)
"""Addresses that belong to no person: of examples, services, packages and pictures."""
_CAPITALISED: Final = r"[A-ZÀ-ÖØ-Þ][\w.'’-]{0,30}"
_NAMED_PERSON: Final = re.compile(
    rf"(?<![\w.'’-])(?P<name>{_CAPITALISED}(?: (?:[a-z]{{2,3}} )?{_CAPITALISED}){{1,3}})"
    rf" (?:<|\\u003c)(?P<address>{_MAIL})"
)
"""As git, e-mail and manifests write people: ``Ann Lee <ann@acme.io>``."""
_FIRST_WORD: Final = re.compile(r"[A-ZÀ-ÖØ-Þ](?<!\w.)(?=([\w.'’-]{0,30}) )")
"""The letter is sought before it is asked what stands before it, which is faster."""


def is_of_person(address: str) -> bool:
    """Whether an address may be that of a person."""
    return _NOBODY.search(address) is None


def named_people(text: str) -> Iterator[tuple[str, str]]:
    """Names of two words or more that stand before an address, each with the address; linear."""
    if "@" in text:
        for match in _NAMED_PERSON.finditer(text):
            if is_of_person(match["address"]):
                yield match["name"], match["address"]


class KnownNames:
    """Names of people as :func:`named_people` gives them, for any number in one pass."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, dict[int, set[str]]] = {}
        """By their first word, then by their length, the longest first."""
        for name in sorted(names, key=len, reverse=True):
            by_length = self._by_first.setdefault(name.partition(" ")[0], {})
            by_length.setdefault(len(name), set()).add(name)

    def places(self, text: str) -> Iterator[Span]:
        """Where the names stand as whole words, the longest at each place; linear."""
        end = 0
        for match in _FIRST_WORD.finditer(text):
            start = match.start()
            if start < end:
                continue
            for length, names in self._by_first.get(match[0] + match[1], {}).items():
                stop = start + length
                if text[start:stop] in names and not _WORD.match(text, stop):
                    end = stop
                    yield start, stop
                    break
