"""Keys whose own look says what they are: those of the table, and those that an encoding hides.

A text is cut into words once, and a word is looked at more closely only if it begins as a key does.
Blocks with a private key and members of known files are found by what stands around them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from pytest_compaction.secrets.disguises import Span
from pytest_compaction.secrets.formats import INNER, KEYS, WHOLE

# --- blocks with a private key: from the first line to the last, or as far as one is left ---
#
# A block may stand in a text of its own, in a diff, in a quoted or numbered listing, escaped as
# in JSON. One that was cut off ends with the last line that can be of a key; a block that is only
# mentioned, as by code that looks for one, has no such line.

_GAP: Final = "[ +]"
_LABEL: Final = rf"(?:[A-Za-z0-9]{{1,12}}{_GAP}){{0,4}}"
# RFC 7468 (PRIVATE KEY, with RSA, EC, DSA, OPENSSH, ENCRYPTED before it), RFC 4880 (PGP … BLOCK),
# RFC 4716 as ssh.com writes private keys (SSH2, four hyphens), OpenVPN (Static key V1)
_KIND: Final = rf"(?:PRIVATE{_GAP}KEY|Static{_GAP}key)(?:{_GAP}[A-Z0-9]{{1,8}})?{_GAP}?-{{4,5}}"
_BEGIN: Final = re.compile(rf"-{{4,5}}{_GAP}?BEGIN{_GAP}{_LABEL}{_KIND}|Private-Lines: \d{{1,4}}")
_END: Final = re.compile(rf"-{{4,5}}{_GAP}?END{_GAP}{_LABEL}{_KIND}")
_SIGNS: Final = ("PRIVATE KEY", "Static key", "Private-Lines", "PRIVATE+KEY")
_LONGEST_BLOCK: Final = 40_000
"""Most characters of a block: RSA keys of 16,384 bits take 13,000, those of GPG more."""
_MATERIAL: Final = re.compile(r"(?=[A-Za-z+/]{0,64}[0-9])[A-Za-z0-9+/]{16,}")
_LINE: Final = re.compile(
    r"""(?x)(?:["'`]?[ \t]{0,4}[+\\]?[ \t]{0,4}(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n|[ ]))
    [ \t]{0,40}(?:[0-9]{1,5}[ \t]{0,4}[\t→|:])?[ \t]{0,8}(?:[>|+\-#*]{1,2}[ \t]{0,4})?["'`]?
    (?:(?P<header>[A-Z][\w\-]{1,20}:[ ][^\r\n\\]{0,80})
      |(?P<key>=?[A-Za-z0-9+/]{1,200}={0,3}))?
    (?=["'`\s\\,;)}]|\Z)"""
)
"""A break and the line behind it, which may be empty, a header or a line of a key."""
_LINE_BEFORE: Final = re.compile(r"(?:[A-Za-z0-9+/]{16,200}={0,2}|=?[A-Za-z0-9+/]{1,200}={0,3})\Z")
_BREAK_BEFORE: Final = re.compile(
    r"""(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t]{0,40}(?:[0-9]{1,5}[ \t]{0,4}[\t→|:])?"""
    r"""[ \t]{0,8}(?:[>|+#*-] ?)?["'`]?\Z"""
)
_FULL: Final = 32
"""Fewest characters of a line of a key after which a shorter one may be its last."""


def find_blocks(text: str) -> Iterator[Span]:
    """Where blocks with a private key stand, in order; linear."""
    if not any(sign in text for sign in _SIGNS):
        return
    done = 0
    begins = list(_BEGIN.finditer(text))
    for number, begin in enumerate(begins):
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        limit = min(following, begin.end() + _LONGEST_BLOCK)
        end = _END.search(text, begin.end(), limit)
        if end is not None and _MATERIAL.search(text, begin.end(), end.start()):
            done = end.end()
            yield begin.start(), done
        elif end is None and (stop := _last_line(text, begin.end(), limit)):
            done = stop
            yield begin.start(), done
    # The lines before an end whose beginning was cut off.
    first = begins[0].start() if begins else len(text)
    for end in _END.finditer(text):
        start = _first_line(text, end.start())
        if (end.start() < first or end.start() >= done) and start < end.start():
            yield start, end.end()


def _last_line(text: str, start: int, limit: int) -> int:
    """The end of the last line of a key from here on; zero if there is none."""
    last, full = 0, False
    while (line := _LINE.match(text, start, limit)) and line.end() > start:
        key = line["key"] or ""
        if _MATERIAL.fullmatch(key.rstrip("=")) or (full and key):
            last = line.end()
        full = len(key) >= _FULL
        start = line.end()
    return last


def _first_line(text: str, end: int) -> int:
    """The start of the first line of a key that goes on to an end; the end if there is none."""
    first, full, at = end, False, end
    while at > max(0, end - _LONGEST_BLOCK):
        gap = _BREAK_BEFORE.search(text, max(0, at - 70), at)
        line = gap and _LINE_BEFORE.search(text, max(0, gap.start() - 210), gap.start())
        if not line or (at < end and len(line[0]) < _FULL):
            break
        full = full or len(line[0]) >= _FULL
        first = at = line.start()
    return first if full else end


# --- base64 of readable text ---

ENCODED: Final = re.compile(r"(?:[I-Za-f][A-Za-z0-9+/_\-]{3}){4}[A-Za-z0-9+/_\-]{4,}={0,2}")
"""Every fourth character of base64 of ASCII is of the middle of the alphabet (RFC 4648)."""
_PRINTABLE: Final = re.compile(r"[\x20-\x7e\s]+")
_LONGEST_RUN: Final = 100_000
_GROUP: Final = 4


def decoded(run: str) -> str | None:
    """The printable ASCII text that a run of base64 stands for; ``None`` if it stands for none."""
    plain = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) > _LONGEST_RUN or len(plain) % _GROUP == 1:
        return None
    try:
        octets = base64.b64decode(plain + "=" * (-len(plain) % _GROUP), validate=True)
    except binascii.Error:
        return None
    text = octets.decode("latin-1")
    return text if _PRINTABLE.fullmatch(text) else None


# --- members of known files that are secrets whatever they look like ---

_QUOTE: Final = r"""\\{0,3}["']"""
_LOGIN: Final = rf"\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?(?P<secret>[A-Za-z0-9+/]{{8,2000}}={{0,2}})"


def _is_login(value: str) -> bool:
    text = decoded(value)
    return text is not None and ":" in text


_Row = tuple[tuple[str, ...], str, Callable[[str], bool] | None]
_FILES: Final[tuple[_Row, ...]] = (
    # Docker: config.json, auths.HOST.auth: base64 of user:password
    (("auth\\", 'auth"', "auth'"), rf"""["']auth{_QUOTE}{_LOGIN}""", _is_login),
    # npm: .npmrc, _auth: the same; a pattern that begins with plain letters is found much faster
    (("_auth",), rf"_auth(?<!\w_auth){_LOGIN}", _is_login),
    # JSON Web Key (RFC 7517, 7518): d, p, q, dp, dq, qi of private keys, k of symmetric ones
    (
        ("kty",),
        rf"{_QUOTE}(?:d|p|q|dp|dq|qi|k){_QUOTE}\s{{0,3}}:\s{{0,3}}{_QUOTE}"
        r"(?P<secret>[\w\-]{20,2000}={0,2})",
        None,
    ),
    # .netrc: machine HOST login USER password SECRET
    (
        ("machine",),
        r"machine(?<!\wmachine)\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,100}\s{1,8}password\s{1,8}"
        r"(?P<secret>[^\s\"']{4,200})",
        None,
    ),
    # .pgpass: host:port:database:user:password
    ((":5432:",), r":5432:[\w*\-]{1,64}:[\w*\-]{1,64}:(?P<secret>[^\s\"':]{4,200})", None),
    # Hashes of passwords: crypt and bcrypt, Argon2, of Apache
    (
        ("$",),
        r"(?P<secret>\$(?:[1256y]|2[abxy]|apr1|argon2(?:id?|d)|scrypt|pbkdf2[\w\-]{0,12})"
        r"(?:\$[\w=,]{1,60}){0,2}\$[\w./+]{8,100}(?:\$[\w./+]{20,100})?={0,2})",
        None,
    ),
    # Laravel; wpa_supplicant; kubectl; kubeadm; NuGet; LDAP
    (("base64:",), r"(?<![\w-])base64:(?P<secret>[A-Za-z0-9+/]{40,88}={1,2})", None),
    (("psk=",), r"psk(?<!\wpsk)=\"?(?P<secret>[^\s\"$<{]{8,63})", None),
    (
        ("from-literal",),
        r"from-literal[= ][\"']?(?:[\w.\-]{0,40}(?:pass|pwd|secret|token|key)[\w.\-]{0,20})"
        r"=(?P<secret>[^\s\"'$<{]{4,200})",
        None,
    ),
    (("kubeadm",), r"--token[= ](?P<secret>[a-z0-9]{6}\.[a-z0-9]{16})(?!\w)", None),
    (
        ("value=",),
        r"key=\"\w{0,40}[Pp]assword\w{0,20}\"\s{1,8}value=\"(?P<secret>[^\s\"$<{%]{4,200})\"",
        None,
    ),
    (("bindpw",), r"bindpw(?<!\wbindpw)\s{1,4}(?P<secret>[^\s\"'$<{]{4,200})", None),
    # sqlplus user/password@host
    (("sqlplus",), r"sqlplus\s{1,3}[\w.\-]{1,60}/(?P<secret>[^\s@\"'/]{4,100})@", None),
    # Kubernetes: kubeconfig, a key in base64
    (
        ("client-key-data",),
        rf"client-key-data(?:{_QUOTE})?:\s{{0,3}}(?:{_QUOTE})?"
        r"(?P<secret>[\w+/=]{40,}(?:\s{1,40}[\w+/=]{60,80}){0,200})",
        None,
    ),
)
"""Texts, one of which is in every match, the pattern with the value, and a look at the value."""
_IN_FILES: Final = [(signs, re.compile(pattern), look) for signs, pattern, look in _FILES]


def find_in_files(text: str) -> Iterator[Span]:
    """Where secrets stand that known files have under a name of their own; linear."""
    for signs, pattern, is_secret in _IN_FILES:
        if any(sign in text for sign in signs):
            for match in pattern.finditer(text):
                if is_secret is None or is_secret(match["secret"]):
                    yield match.span("secret")


# --- keys of the table ---

_WORD_SIGN: Final = b"w"
_LONG_WORD: Final = _WORD_SIGN * 14
"""Every key has a word that is this long."""
_WORD_SIGNS: Final = bytes(
    _WORD_SIGN[0] if chr(code).isalnum() or chr(code) in "_-*" else ord(" ") for code in range(128)
) + bytes(128)
"""Stands for the signs of words, and for all others."""
_BEFORE: Final = re.compile(r"(?a)(?<=%)[0-9A-Fa-f]{2}|[\-_]{1,4}")
"""What may stand at the start of a word without being a part of it."""
_GAPS: Final = re.compile(
    r"\x1b\[[0-9;]{0,20}[A-Za-z]|\\{1,4}(?:[nrtbf]|u00[01][0-9A-Fa-f](?:\[[0-9;]{0,20}m)?"
    r"|u00[0-9A-Fa-f]{2}|x1b(?:\[[0-9;]{0,20}m)?|x[0-9A-Fa-f]{2})"
)
"""Colours of a terminal and escapes of JSON: they part words as a space does."""
_JOINTS: Final = (".", "/", ":", "$")
_PARTS: Final = re.compile(r"(?a)(?<![\w\-])(?:[\w\-]{1,24}(?:[.:$]|//?)){1,3}\Z")
_PART: Final = re.compile(r"(?a)[\w\-]{1,24}(?:[.:$]|//?)")
_PART_START: Final = re.compile(r"\A|[=:/]")
_BACK: Final = 70
_RANDOM: Final = re.compile(r"[A-Z0-9*@:]")
"""Lower-case words joined by hyphens may begin as a key does."""
_CAPITALS: Final = r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,6})"
IDENTIFIER: Final = re.compile(rf"{_CAPITALS}(?:[_\-.]{_CAPITALS}|[A-Z][a-z]{{2,}})+")
"""Words without a digit, joined as in names of variables, types and packages."""
_CREDENTIALS: Final = re.compile(
    r"""://(?P<secret>[^\s/@:"'<>`]{0,200}:[^\s/@"<>`]{1,4000}|(?=[\w\-]{0,40}[0-9])[\w\-]{20,200})@"""
)
"""RFC 3986: ``user:password`` or a token before the host of an address; the user may be empty."""
_INNER_ROOM: Final = 400


_rows: defaultdict[str, list[str]] = defaultdict(list)
for _heads, _following in KEYS:
    for _head in _heads.split():
        _rows[_head[:2]].append(f"{re.escape(_head)}(?:{_following})")
_HEADS: Final = {start: re.compile(f"(?a:{'|'.join(rows)})") for start, rows in _rows.items()}
"""The patterns of the table by the first two characters of what they find."""
_INNER: Final = tuple(
    (sign, before, re.compile(rf"(?a){'(?<![A-Za-z0-9])' if before else ''}(?:{whole})"))
    for sign, before, whole in INNER
)
_WHOLE: Final = re.compile(rf"(?a)(?:{'|'.join(WHOLE)})(?![\w\-])")


def without_gaps(text: str) -> str:
    """A text of the same length with spaces for the escapes and colours between its words."""
    if "\\" in text or "\x1b" in text:
        return _GAPS.sub(lambda gap: " " * len(gap[0]), text)
    return text


def find_formatted(text: str) -> Iterator[Span]:
    """Where keys stand whose format is known, private keys and credentials of addresses; linear."""
    yield from find_blocks(text)
    plain = without_gaps(text)
    yield from _in_words(plain, encoded=True)
    if "://" in plain:
        yield from (match.span("secret") for match in _CREDENTIALS.finditer(plain))
    yield from _inner(plain)
    yield from find_in_files(plain)


def _in_words(text: str, encoded: bool) -> Iterator[Span]:
    end = 0
    for start in _long_words(text):
        match = None
        for at in _starts(text, start):
            pattern = _HEADS.get(text[at : at + 2])
            found = (pattern and pattern.match(text, at)) or _WHOLE.match(text, at)
            if found and is_random(found[0]):
                match = found
                break
        if match is not None and match.end() > end:
            yield match.span()
            end = match.end()
        elif encoded and start >= end and (run := ENCODED.match(text, start)):
            end = run.end()
            if _hides_key(decoded(run[0])):
                yield run.span()


def _long_words(text: str) -> Iterator[int]:
    """Where the words begin that are long enough to be of a key."""
    signs = text.encode("ascii", "replace").translate(_WORD_SIGNS)
    start = signs.find(_LONG_WORD)
    while start >= 0:
        yield start
        end = signs.find(b" ", start)
        start = signs.find(_LONG_WORD, end) if end >= 0 else -1


def find_in_piece(piece: str) -> Iterator[Span]:
    """Where keys of the table stand in a short text without spaces."""
    yield from _in_words(piece, encoded=False)
    yield from _inner(piece)


def is_head(word: str) -> bool:
    """Whether a key of the table may begin as a word does, or as a part of it behind a sign."""
    return any(word[at.end() : at.end() + 2] in _HEADS for at in _PART_START.finditer(word))


def _starts(text: str, start: int) -> Iterator[int]:
    """Where a key may start that this word is a part of."""
    yield start
    before = _BEFORE.match(text, start)
    if before is not None:
        yield before.end()
    if text[start - 1 : start] in _JOINTS:
        parts = _PARTS.search(text, max(0, start - _BACK), start)
        if parts is not None:
            yield from (part.start() for part in _PART.finditer(text, parts.start(), start))


def _inner(text: str) -> Iterator[Span]:
    for sign, before, whole in _INNER:
        at = text.find(sign)
        while at >= 0:
            match = whole.search(text, max(0, at - before), at + _INNER_ROOM)
            if match is not None:
                yield match.span()
            at = text.find(sign, max(at + 1, match.end() if match else 0))


def _hides_key(text: str | None) -> bool:
    """Whether a key stands in what base64 was decoded to; it is not decoded again."""
    if text is None:
        return False
    spans = (find_blocks(text), _in_words(without_gaps(text), encoded=False))
    credentials = "://" in text and _CREDENTIALS.search(text) is not None
    return credentials or any(next(found, None) is not None for found in spans)


def is_random(key: str) -> bool:
    """Whether a match has what words lack that begin as a key does."""
    return bool(_RANDOM.search(key)) and not IDENTIFIER.fullmatch(key)
