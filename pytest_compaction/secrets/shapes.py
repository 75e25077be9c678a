"""Values that a name or a header shows to be keys, and the one way in which all keys are replaced.

Both ways to hide a secret go through here: :mod:`.keys` scrubs what a run shows or writes,
:mod:`.search` looks through imported transcripts, with further rules of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pytest_compaction.secrets.disguises import Span, windows
from pytest_compaction.secrets.formatted import find_formatted

STAND_IN: Final = "REDACTED_SECRET_"
"""Replaces a secret in an imported transcript; a number follows."""

_LONG_VALUE: Final = r"""["']?\s*(?::|=|=>|\bis)\s*["']?
  (?P<secret>(?=[A-Za-z_\-.+/]*[0-9])(?=[0-9_\-.+/]*[A-Za-z])
    [A-Za-z0-9_\-.+/~]{20,}=*)(?![(\w])"""
"""A value behind its name: 20 characters or more, with a digit."""
TEST_NAME: Final = re.compile(
    r"(?:[\w./\-]{1,200}::)?(?:test_\w{1,200}|[Tt]est[A-Z][A-Za-z]\w{0,200})(?:\[[^\]]{0,200}\])?"
    r"|[\w./\-]{1,200}::\w[\w:\[\]\-.]{0,200}"
)
"""A test, with its file and parameters or without."""


@dataclass(frozen=True, slots=True)
class KeyShape:
    """A pattern, and signs: short texts, at least one of which is in every match.

    Signs are searched for first, because that is many times faster than a pattern that
    finds nothing; those of a pattern that ignores case are in lower case. The secret is the
    group ``secret``, or the whole match if ``pattern`` has no such group.

    Of an ``opaque`` secret it is asked that it has digits and is not made of words. A pattern
    that begins with any word is slow: it is tried only around a match of ``core`` in the text in
    lower case, which is in each of its matches.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    opaque: bool = False
    core: re.Pattern[str] | None = None

    def find(self, text: str, lower: str) -> Iterator[Span]:
        """Where the secrets of this shape stand, in the order of the text; linear."""
        group = "secret" if "secret" in self.pattern.groupindex else 0
        searched = lower if self.pattern.flags & re.IGNORECASE else text
        if not any(sign in searched for sign in self.signs):
            return
        for match in self._matches(text, lower):
            value = match[group]
            made_of_words = not any(map(str.isdigit, value)) or _JOINED_WORDS.fullmatch(value)
            if not TEST_NAME.fullmatch(value) and not (self.opaque and made_of_words):
                yield match.span(group)

    def _matches(self, text: str, lower: str) -> Iterator[re.Match[str]]:
        if self.core is None or len(lower) != len(text):
            yield from self.pattern.finditer(text)
            return
        for core in self.core.finditer(lower):
            start, stop = core.span()
            for match in self.pattern.finditer(text, max(0, start - _BEFORE), stop + _BEHIND):
                if match.start() <= start and stop <= match.end():
                    yield match


_BEFORE: Final = 50
_BEHIND: Final = 120
"""More characters than a match has before and behind its core."""
_JOINED_WORDS: Final = re.compile(
    r"[A-Za-z]+\d{0,4}(?:(?:[_.\-/:+]+|%[0-9A-F]{2})(?:[A-Za-z]+\d{0,4}|\d{1,4}))*"
)
_VALUE: Final = r"(?P<secret>[\w%+/.~\-]{16,4000}={0,2})"
_ASSIGNED: Final = r"""(?:_?[0-9]{1,2})?["']?[ ]?[=:][ ]?["']?(?P<secret>(?=[A-Za-z\-]{0,80}[0-9])
  (?:[A-Za-z0-9]{20,100}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))(?![\w\-./(\[])"""
_MARK: Final = r"""\\{0,3}["']"""


SHAPES: Final = (
    # HTTP: "Authorization: Bearer …", "Basic …" (RFC 6750, 7617), "token …" as GitHub has it
    KeyShape(
        ("bearer ", "basic ", "authorization"),
        re.compile(
            r"(?i)\b(?:bearer|basic|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey)) "
            r"(?P<secret>(?=[A-Za-z+/_\-.~]*[0-9])[A-Za-z0-9_\-.~+/]{16,}=*)"
        ),
    ),
    # Headers: Authorization of any scheme, X-…-Key, X-…-Token, Private-Token
    KeyShape(
        ("authorization", "-key", "-token", "-secret", "-signature", "-auth"),
        re.compile(
            rf"""(?ix)(?:(?<![\w\-])(?:x-[\w\-]{{0,40}}|private-|api-|job-|deploy-|subscription-)
              (?:key|token|secret|signature(?:-256)?|auth)|authorization)(?:{_MARK})?
            [ ]{{0,3}}[:=][ ]{{0,3}}(?:{_MARK})?(?:[a-z][\w\-]{{2,30}}[ ]{{1,2}})?
            (?:sha256=)?{_VALUE}"""
        ),
        opaque=True,
    ),
    # … with parameters, as of Digest (RFC 7616) and AWS
    KeyShape(
        ("digest ", "aws4-"),
        re.compile(
            r"(?i)(?:Digest[ ][^\r\n]{0,400}?response=\\{0,3}[\"']"
            r"|AWS4-[^\r\n]{0,400}?Signature=)(?P<secret>\w{32,64})"
        ),
    ),
    # Addresses signed for a time: Azure SAS, Amazon S3, Google, CloudFront, Alibaba
    KeyShape(
        ("sig=", "signature=", "signature%3d", "security-token=", "credential=", "accesskeyid="),
        re.compile(
            rf"""(?ix)(?:(?<![\w\-])sig|(?:x-(?:amz|goog|oss)-)?(?<![a-z])signature
              |x-(?:amz|goog|oss)-(?:security-token|credential)|(?:aws|oss)accesskeyid)
            (?:=|%3d)(?:{_MARK})?{_VALUE}"""
        ),
        opaque=True,
    ),
    # Parameters of addresses that let their holder in
    KeyShape(
        tuple(
            "token= key= appid= app_id= auth= jwt= sid= session_id= secret= code= ticket= "
            "password= pass=".split()
        ),
        re.compile(
            rf"""(?ix)[?&#](?:amp;)?(?:(?:access|auth|id|refresh|session|api|bot|user|csrf)?_?token
              |(?:api|app|access|secret|subscription)?[_\-]?key|app_?id|auth|jwt|s(?:ession_)?id
              |(?:client_)?secret|code|ticket|pass(?:word)?)={_VALUE}"""
        ),
        opaque=True,
    ),
    # Cookies that name a session
    KeyShape(
        tuple("id= sess= session= auth= token= _me= clearance= li_at= __secure- __host-".split()),
        re.compile(
            rf"""(?ix)(?<![\w\-.])(?:__(?:secure|host)-[\w.\-]{{1,40}}
              |[\w.\-]{{0,40}}sess(?:ion)?(?:_?id)?|(?:connect\.)?sid
              |[\w\-]{{0,20}}auth|remember_(?:token|me)|cf_clearance|(?:csrf|xsrf)-?_?token|li_at)
            ={_VALUE}"""
        ),
        opaque=True,
    ),
    # SERVICE_KEY=…, service.key: …, but no key of a cache or a table
    KeyShape(
        ("key",),
        re.compile(
            rf"""(?ix)(?<![\w\-])(?![\w\-]{{0,40}}(?:cache|dedup\w{{0,10}}|dict|foreign|group|hash|index|map
              |next|node|object|page|partition|primary|public|query|routing|row|sort|storage)[_\-]?key)
            [a-z][\w.\-]{{1,40}}(?<![.])key{_ASSIGNED}"""
        ),
        opaque=True,
        core=re.compile(r"""key(?:_?[0-9]{1,2})?["']? ?[=:]"""),
    ),
    # api_key = "…", "client_secret": "…", password is …: 20 characters or more, with a digit
    KeyShape(
        ("key", "token", "secret", "password"),
        re.compile(
            r"""(?ix)(?:(?:api|access|secret|auth|client|account)[_\- ]?
              (?:key|token|secret|password)|apikey|password)"""
            + _LONG_VALUE
        ),
    ),
    # PGPASSWORD=…: a password that is set as shells set variables, however short
    KeyShape(
        ("PASSWORD=", "PASSWD=", "PASSPHRASE="),
        re.compile(
            r"""(?x)(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]*_?)?(?:PASSWORD|PASSWD|PASSPHRASE)=["']?
            (?P<secret>(?=[^\s"']{0,200}[0-9])(?=[^\s"']{0,200}[A-Za-z])
              [^\s"'`,;|&<>(){}\[\]$]{6,200})(?![(\[{$])"""
        ),
    ),
)


def find(text: str) -> Iterator[Span]:
    """Where the keys of a text stand, shape by shape; some overlap. Linear."""
    yield from find_written(text)
    for read in windows(text):
        yield from (read.span(*span) for span in find_written(read.text))


def find_written(text: str) -> Iterator[Span]:
    """As :func:`find`, without a look behind escapes."""
    yield from find_formatted(text)
    lower = text.lower()
    for shape in SHAPES:
        yield from shape.find(text, lower)


def replace(text: str, spans: Iterable[Span], stand_in: Callable[[str], str]) -> str:
    """The text with each span replaced by ``stand_in`` of it; spans that overlap become one."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            start, stop = merged[-1][0], max(stop, merged.pop()[1])
        merged.append((start, stop))
    if not merged:
        return text
    pieces: list[str] = []
    end = 0
    for start, stop in merged:
        pieces += (text[end:start], stand_in(text[start:stop]))
        end = stop
    return "".join((*pieces, text[end:]))
