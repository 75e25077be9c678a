"""Values that are secrets because of what names them: an assignment, a member, an option.

Whatever is named a password is one, unless it plainly is something else. Tokens, keys and secrets
have many other uses in code, so such a value must be longer and no name made of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_compaction.secrets.disguises import Span
from pytest_compaction.secrets.formatted import IDENTIFIER
from pytest_compaction.secrets.shapes import STAND_IN, TEST_NAME

# Signs are looked for first, in lower case: that is many times faster than the patterns.
_SIGNS: Final = ("pass", "pwd", "secret", "token", "credential", "key")
_KIND_OF_KEY: Final = re.compile(
    r"(?:api|auth|access|account|private|secret|signing|encryption|master)[_\-.]?\Z"
)
_LONGEST_KIND: Final = len("encryption_")
_LONGEST_HEAD: Final = len("_db_")
"""Characters that a pattern has before the sign or the kind of key."""
_SAME_IN_LOWER_CASE: Final = frozenset("ſı")
"""What patterns take for a letter of ASCII, though it is none in lower case either."""

_NAME: Final = r"""
    (?P<name>password|passwd|passphrase|passwort|passcode|pwd|(?<=_)pass(?![a-z])|secret|token
      |credentials?|(?:api|auth|access|account|private|secret|signing|encryption|master)[_\-.]?key)
    (?:_?\d{1,2}|_?(?:value|plain|text|raw))?"""
_ASSIGNED: Final = re.compile(
    rf"""(?ix){_NAME}
    (?P<closing>\\{{0,3}}["'`])?\]?
    (?P<sign>(?:[ \t]{{0,3}}:[ \t]{{0,3}}[a-z_][\w.\[\]|?]{{0,40}})?[ \t]{{0,3}}={{1,3}}[ \t]{{0,3}}
      |[ \t]{{0,3}}(?::=|=>|:)[ \t]{{0,3}})
    (?:(?P<quote>\\{{0,3}}["'`])(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\r\n])){{1,200}})(?P=quote)
      |(?P<plain>[^\s"'`,;(){{}}\[\]<>|&\\]{{1,200}})(?=(?P<after>[ \t]*[^ \t]?)))"""
)
_NAMED: Final = re.compile(rf"(?ix)(?:.{{0,40}}[^a-z0-9]|.{{0,40}}?){_NAME}")
_OPTIONS: Final = re.compile(
    r"""(?ix)(?<![\w/.-])(?:
      (?:mysql|mariadb)(?:dump|admin|import|check|show)?\b[^|;&\r\n]{0,200}?[ \t]-p
      |sshpass[ \t]{1,3}-p[ \t]{0,3}
      |(?:docker|podman|helm)[ \t][^|;&\r\n]{0,120}?\blogin\b[^|;&\r\n]{0,120}?[ \t]-p[ \t]{1,3}
      |redis-cli\b[^|;&\r\n]{0,120}?[ \t]-a[ \t]{1,3}
      |(?:7z[ar]?|unrar|rar)\b[^|;&\r\n]{0,120}?[ \t]-p
      |unzip\b[^|;&\r\n]{0,120}?[ \t]-P[ \t]{0,3}
      |openssl\b[^|;&\r\n]{0,200}?[ \t]-pass(?:in|out)?[ \t]{1,3}['"]?pass:
      |(?:echo|printf)[ \t]{1,3}(?=[^|;&\r\n]{1,100}\|[ \t]{0,3}sudo[ \t][^|\r\n]{0,40}?-\w{0,5}S)
    )
    (?:(?P<quote>["'])(?P<quoted>[^"'\r\n]{4,100})(?P=quote)
      |(?P<plain>[^\s"'|;&<>(){}\[\]$`-][^\s"'|;&<>(){}\[\]`]{3,100}))
  | <[\w.:-]{0,30}(?:password|passwd|passphrase)>(?P<element>[^<>\s]{4,100})</"""
)
"""Options of commands that take a password, and elements of XML."""
_OPTION_SIGNS: Final = tuple(
    "mysql mariadb sshpass login redis-cli 7z rar unzip openssl sudo <pass password> passwd>"
    " passphrase>".split()
)

_LOOSE: Final = re.compile(
    r"""(?ix)(?:(?P<password>(?:\b|_|(?<=[a-z]))(?:password|passwd|passphrase|passwort|pwd|db_?pass))
      |secret|token|credentials?
      |(?:api|auth|access|account|private|signing|encryption|master)[_\-.]?key)[\w\-]{0,20}
    (?:["'`\]]{0,2}\s{0,3}(?::=|=>|={1,3}|:)\s{0,3}
      |(?(password)(?:\s(?:is|=)\s|(?P<space>[ ]))|(?!)))
    (?P<quote>["'`])?(?P<value>[^\s"'`,;(){}\[\]<>|&]{6,200})(?(quote)(?P=quote)|(?![(\[\w]))
  | (?<=\s)(?:-u|--user)[ =]?['"]?[\w.@-]{1,60}:(?P<account>[^\s'"]{6,100})"""
)
"""Names with more behind them (SECRET_KEY_BASE), passwords in prose and in ``-u user:``.

A value counts only if it looks like a key or, for a password, has digits and letters.
"""

_PASSWORDS: Final = re.compile(r"(?i)pass|pwd")
_NOT_SECRET_HEAD: Final = re.compile(
    r"""(?ix)(?:^|[_\-. ])(?:no|show|hide|forgot|reset|change|changed|has|is|needs?|requires?
    |require|required|hash|check|verify|validate|enable|disable|use|invalid|wrong|missing|empty|bad
    |pad|eos|bos|unk|sep|cls|mask|stop|start|end|begin|first|last|next|prev|previous|current|page
    |continuation|special|additional|max|min|num|total|count|per|prompt|completion|input|output
    |image|audio|video|sync|cancel|cancellation|syntax|public|sort|cache|primary|foreign)
    [_\-. ]?$"""
)
_NO_VALUE: Final = frozenset(
    """none null nil undefined true false yes no on off str string strings bytes bytearray byte int
    integer long float double number bool boolean any object optional char varchar text secretstr
    unknown void never self cls this required missing invalid unset hidden masked redacted example
    placeholder todo tbd changeme change-me change_me value key name user username prompt stdin env
    bearer basic digest oauth oauth2 jwt csrf xsrf field input output default dict list tuple set
    array map type enum symbol uuid url uri email e-mail id file path hash hashed encrypted plain
    secret secrets token tokens password passwords passwd passphrase pwd pass credential credentials
    test-only write-only read write inherit vault keyring argument option empty""".split()
)
_PLACEHOLDER: Final = re.compile(
    r"""(?ix)^(?:[*x.•#_?\-=+]+|\W+|\#[0-9a-f]{3,8}|\[.*\]|<.*|\{.*|.*\}\}.*|[$%@&!~/\\].*
    |\.{1,2}/.*|--.*|\#\{.*|[\w\-]{0,60}[_\-](?:here|goes[_\-]here)
    |(?:your|my|the|some|a|an|enter|insert|put|dein|ihr|replace|example|dummy|fake|sample)
      [_\- ].{0,60}(?:here|password|passwd|pass|secret|token|key|value|me|it).{0,20}
    |https?://.*|enc\[.*|os\.environ.*|process\.env.*)$"""
)
_ELIDED: Final = re.compile(r"\*{3}|\.{3}|…|xxx|\$\{|\$\(|\{\{|<%|REDACTED|%\(|%s|\[key\]", re.I)
WORDS: Final = re.compile(r"[A-Za-z]+\d{0,4}(?:[_.\-/]+(?:[A-Za-z]+\d{0,4}|\d{1,4}))*")
"""Words and small numbers that are joined as in names of files and variables."""
_JOINED: Final = re.compile(r"[A-Za-z]+\d{0,4}(?:[_.\-/:]+(?:[A-Za-z]+\d{0,4}|\d{1,4}))+")
HEX: Final = re.compile(r"(?:sha\d+[:-])?[0-9a-fA-F]{7,128}")
"""A hash."""
_KEY: Final = re.compile(r"[A-Za-z0-9_\-.+/~!@#$%^&*]{16,200}={0,2}")
_MEMBER_OR_UUID: Final = re.compile(
    r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)*[!?]?")
_BARE_WORD: Final = re.compile(r"(?=.{6})(?:[a-z]+|[A-Z]{2,}[a-z]*)")
"""A word that is not written like a type or a variable."""
_LABEL: Final = re.compile(
    r"(?i)\b(?:pass|pwd|kennwort|secret|token|key|enter|your|must|please|invalid|wrong|required|is"
    r"|forgot|the|for|not|to|characters)|[.?:]$"
)
_KIND: Final = re.compile(r"(?i)pass|pwd|secret|token|credential|_key|key_|apikey")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_HUMP: Final = re.compile(r"[a-z][A-Z]")
_HEAD: Final = re.compile(r"[\w.\-]*\Z")
_LINE_HEAD: Final = re.compile(r"[ \t]*(?:[-+>] ?)?[\w.\-]{0,60}$")
_STOPS: Final = ".:!?"
_SHORTEST_PASSWORD, _SHORTEST_TOKEN, _SHORTEST_WORD = 4, 6, 8
"""Fewest characters of a password, of a token with digits, of a token of letters alone."""


def find_named(text: str) -> Iterator[tuple[Span, bool]]:
    """Where values stand that are secrets by their name or their option; linear.

    A distinctive one, marked ``True``, can be searched for where nothing names it.
    """
    for start, value, distinctive in _named(text):
        if STAND_IN not in value:
            yield (start, start + len(value)), distinctive or is_distinctive(value)


def _named(text: str) -> Iterator[tuple[int, str, bool]]:
    """The start of each value, the value, and whether its looks alone make it distinctive."""
    lower = text.lower()
    starts = _name_starts(text, lower)
    for match in _matches(_ASSIGNED, text, starts):
        group = "plain" if match["quoted"] is None else "quoted"
        if _is_secret(match, text):
            yield match.start(group), match["quoted"] or match["plain"].rstrip(_STOPS), False
    for match in _OPTIONS.finditer(text) if any(sign in lower for sign in _OPTION_SIGNS) else ():
        group = str(match.lastgroup)
        if not _is_no_value(match[group]):
            yield match.start(group), match[group], False
    if starts is not None:
        options = (match.start() for match in re.finditer("-u", lower))
        starts = sorted({*starts, *(at for u in options for at in (u - 1, u) if at >= 0)})
    for match in _matches(_LOOSE, text, starts):
        group = "account" if match["account"] else "value"
        value = match[group].rstrip(_STOPS + "\\")
        password = group == "account" or match["password"] is not None
        joined = _JOINED.fullmatch(value) and not match["quote"]
        # "--password tiger99x" is an option, "the password argon2id hash" is prose.
        prose = match["space"] and text[max(0, match.start() - 2) : match.start()] != "--"
        # Like a key: digits among letters, no words, no hash, no id.
        turns = re.findall(r"[A-Za-z]\d|\d[A-Za-z]", value) if _KEY.fullmatch(value) else ()
        words = _is_reference(value) or WORDS.fullmatch(value) or HEX.fullmatch(value)
        random = len(turns) >= 3 and not words
        if random or (password and is_mixed(value) and not (joined or prose)):
            yield match.start(group), value, True


def _name_starts(text: str, lower: str) -> list[int] | None:
    """Where a name may begin; ``None`` if the lower case does not tell."""
    if len(lower) != len(text) or not _SAME_IN_LOWER_CASE.isdisjoint(lower):
        return None
    starts: set[int] = set()
    for sign in _SIGNS:
        for found in re.finditer(sign, lower):
            first = found.start()
            if sign == "key":
                kind = _KIND_OF_KEY.search(lower, max(first - _LONGEST_KIND, 0), first)
                first = kind.start() if kind else -1
            if first >= 0:
                starts.update(range(max(first - _LONGEST_HEAD, 0), first + 1))
    return sorted(starts)


def _matches(
    pattern: re.Pattern[str], text: str, starts: Iterable[int] | None
) -> Iterator[re.Match[str]]:
    """The matches of a pattern that can only begin at some places."""
    if starts is None:
        yield from pattern.finditer(text)
        return
    end = 0
    for start in starts:
        match = pattern.match(text, start) if start >= end else None
        if match:
            end = match.end()
            yield match


def is_secret_member(name: str, value: object) -> bool:
    """Whether a member of decoded JSON is a secret by its name."""
    match = _NAMED.fullmatch(name)
    if match is None or isinstance(value, bool) or not isinstance(value, str | int):
        return False
    text = str(value)
    password = _PASSWORDS.match(match["name"]) is not None
    if _NOT_SECRET_HEAD.search(name[: match.start("name")]) or _is_no_value(text):
        return False
    if isinstance(value, int):
        return password and len(text) >= _SHORTEST_PASSWORD
    return STAND_IN not in text and _is_quoted_secret(text, password, member=True)


def is_distinctive(value: str) -> bool:
    """Whether a value is so unlike other text that it can be searched for everywhere."""
    if _JOINED.fullmatch(value) or any(map(str.isspace, value)):
        return False
    if any(map(str.isdigit, value)):
        return len(value) >= 6 and any(map(str.isalpha, value)) and not _is_no_value(value)
    odd = re.search(r"[^\w.\-/: ]", value) is not None
    return odd and len(value) >= 8 and any(map(str.isalpha, value))


def _is_secret(match: re.Match[str], text: str) -> bool:
    """Whether a value is a secret where it is assigned."""
    start = match.start()
    head = _HEAD.search(text, max(0, start - 40), start)
    prefix = head[0] if head else ""
    password = _PASSWORDS.match(match["name"]) is not None
    value = (match["quoted"] or match["plain"]).rstrip(_STOPS)
    if _NOT_SECRET_HEAD.search(prefix) or _is_no_value(value):
        return False
    if match["quoted"]:
        return _is_quoted_secret(match["quoted"], password, member=bool(match["closing"]))
    if match["closing"]:
        return password and re.fullmatch(r"\d{4,}", match["plain"]) is not None
    # Without quotes it may just as well be the name of a variable or a type.
    after = match["after"].strip()
    if len(value) < (_SHORTEST_PASSWORD if password else _SHORTEST_WORD):
        return False
    if match["after"].startswith(("(", "[", "{")):
        return False
    line = max(text.rfind("\n", max(0, start - 80), start) + 1, start - 80)
    ends = after in ("", "#") and _LINE_HEAD.fullmatch(text, line, start) is not None
    tight = match["sign"] == "=" or (match["sign"].strip() == ":" and ends)
    if _IDENTIFIER.fullmatch(value) and not (_has_digits_and_letters(value) and tight):
        if tight and (prefix + match["name"]).isupper():
            if not password and IDENTIFIER.fullmatch(value):
                return False
            return not (_JOINED.fullmatch(value) and (_KIND.search(value) or not password))
        bare = _BARE_WORD.fullmatch(value) and not _PASSWORDS.search(value)
        return bool(bare and password and tight and after not in (",", ")", "]", "}", ";"))
    return not _JOINED.fullmatch(value) and (password or tight)


def _is_quoted_secret(value: str, password: bool, member: bool) -> bool:
    if any(map(str.isspace, value)):
        return password and member and len(value.split()) <= 6 and not _LABEL.search(value)
    if _KIND.search(value) and (_JOINED.fullmatch(value) or _HUMP.search(value)):
        return False
    if not password and IDENTIFIER.fullmatch(value):
        return False
    if password:
        return len(value) >= _SHORTEST_PASSWORD
    least = _SHORTEST_WORD if _LETTERS.fullmatch(value) else _SHORTEST_TOKEN
    return len(value) >= least and not _JOINED.fullmatch(value)


def _is_no_value(value: str) -> bool:
    known = value.strip().lower() in _NO_VALUE
    other = _PLACEHOLDER.match(value) or _ELIDED.search(value) or TEST_NAME.fullmatch(value)
    return known or bool(other)


def is_mixed(value: str) -> bool:
    """Whether a value has digits and letters, and is not the name of something in the code."""
    return len(value) >= 6 and _has_digits_and_letters(value) and not _is_reference(value)


def _is_reference(value: str) -> bool:
    """Whether it is a placeholder, a member of an object or a UUID, and no secret itself."""
    return _is_no_value(value) or _MEMBER_OR_UUID.fullmatch(value) is not None


def _has_digits_and_letters(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
