"""Values that are secrets because of what names them: a password in an assignment or a member.

What is named a password is one whatever it looks like, unless it plainly is none: a
placeholder, a variable, a call, a type. What is named a token, a key or a secret has many
other uses in code (parsers, tokenizers, pages of results), so its value must be longer
and no name made of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

SIGNS: Final = ("pass", "pwd", "secret", "token", "credential", "key")
"""Looked for first, in lower case, because that is many times faster than the patterns."""

_NAME: Final = r"""
    (?P<name>password|passwd|passphrase|passwort|passcode|pwd|(?<=_)pass(?![a-z])|secret|token
      |credentials?|(?:api|auth|access|account|private|secret|signing|encryption|master)[_\-.]?key)
    (?:_?\d{1,2}|_?(?:value|plain|text|raw))?
"""
_ASSIGNED: Final = re.compile(
    rf"""(?ix)
    {_NAME}
    (?P<closing>\\{{0,3}}["'`])?\]?
    (?P<sign>(?:[ \t]{{0,3}}:[ \t]{{0,3}}[a-z_][\w.\[\]|?]{{0,40}})?[ \t]{{0,3}}={{1,3}}[ \t]{{0,3}}
      |[ \t]{{0,3}}(?::=|=>|:)[ \t]{{0,3}})
    (?:(?P<quote>\\{{0,3}}["'`])(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\r\n])){{1,200}})(?P=quote)
      |(?P<plain>[^\s"'`,;(){{}}\[\]<>|&\\]{{1,200}})(?P<after>[ \t]*[^ \t]?))
    """
)
_NAMED: Final = re.compile(rf"(?ix)(?:.{{0,40}}[^a-z0-9]|.{{0,40}}?){_NAME}")
_OTHERS: Final = re.compile(
    r"""(?ix)
    (?<![\w/.-])(?:
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
  | <[\w.:-]{0,30}(?:password|passwd|passphrase)>(?P<element>[^<>\s]{4,100})</
    """
)
_OTHER_SIGNS: Final = ("mysql", "mariadb", "sshpass", "login", "redis-cli", "7z", "rar", "unzip",
    "openssl", "sudo", "<pass", "password>", "passwd>", "passphrase>")  # fmt: skip

_PASSWORDS: Final = re.compile(r"(?i)pass|pwd")
_NOT_SECRET_HEAD: Final = re.compile(
    r"""(?ix)(?:^|[_\-. ])(?:no|show|hide|forgot|reset|change|changed|has|is|needs?|requires?
    |require|required|hash|check|verify|validate|enable|disable|use|invalid|wrong|missing|empty|bad
    |pad|eos|bos|unk|sep|cls|mask|stop|start|end|begin|first|last|next|prev|previous|current|page
    |continuation|special|additional|max|min|num|total|count|per|prompt|completion|input|output
    |image|audio|video|sync|cancel|cancellation|syntax|public|sort|cache|primary|foreign)[_\-. ]?$
    """
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
    r"""(?ix)^(?:[*x.•#_?\-=+]+|\W+|\#[0-9a-f]{3,8}|\[.*\]|<.*|\{.*|.*\}\}.*|[$%@&!~/\\].*|\.{1,2}/.*|--.*|\#\{.*
    |(?:your|my|the|some|a|an|enter|insert|put|dein|ihr|replace|example|dummy|fake|sample)
      [_\- ].{0,60}(?:here|password|passwd|pass|secret|token|key|value|me|it).{0,20}
    |[\w\-]{0,60}[_\-](?:here|goes[_\-]here)|https?://.*|enc\[.*|os\.environ.*|process\.env.*)$
    """
)
_ELIDED: Final = re.compile(r"\*{3}|\.{3}|…|xxx|\$\{|\$\(|\{\{|<%|REDACTED|%\(|%s|\[key\]", re.I)
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)*[!?]?")
_JOINED: Final = re.compile(r"[A-Za-z]+\d{0,4}(?:[_.\-/:]+(?:[A-Za-z]+\d{0,4}|\d{1,4}))+")
_TYPE: Final = re.compile(r"(?:[A-Z][a-z]+){2,}|[A-Z][a-z]{2,}(?:\.[A-Z][a-z]+)?")
_LABEL: Final = re.compile(
    r"(?i)\b(?:pass|pwd|kennwort|secret|token|key|enter|your|must|please|invalid|wrong|required|is"
    r"|forgot|the|for|not|to|characters)|[.?:]$"
)
_KIND: Final = re.compile(r"(?i)pass|pwd|secret|token|credential|_key|key_|apikey")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_ALONE: Final = re.compile(r"[ \t]*(?:[-+>] ?)?[\w.\-]{0,60}$")
_HUMP: Final = re.compile(r"[a-z][A-Z]")
_HEAD: Final = re.compile(r"[\w.\-]*$")
_STOPS: Final = ".:!?"
_CALLS: Final = ("(", "[", "{")
_CODE: Final = ",)]};"
_WORDS: Final = 6
_SHORTEST_PASSWORD, _SHORTEST_TOKEN, _SHORTEST_WORD = 4, 6, 8
"""Characters of a password, of a token or a key with digits, of one of letters alone."""


def named_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the values stand that are secrets by their name or their command; linear."""
    lower = text.lower()
    if any(sign in lower for sign in SIGNS):
        for match in _ASSIGNED.finditer(text):
            group = "quoted" if match["quoted"] is not None else "plain"
            if _is_secret(match, text, group):
                start, end = match.span(group)
                stops = 0 if group == "quoted" else end - start - len(match[group].rstrip(_STOPS))
                yield start, end - stops
    if any(sign in lower for sign in _OTHER_SIGNS):
        for match in _OTHERS.finditer(text):
            group = str(match.lastgroup)
            if not _is_no_value(match[group]):
                yield match.span(group)


def named_values(text: str) -> Iterator[str]:
    """The values themselves, in the order of the text."""
    return (text[start:end] for start, end in named_spans(text))


def is_secret_member(name: str, value: object) -> bool:
    """Whether a member of JSON, decoded, is a secret by its name."""
    match = _NAMED.fullmatch(name)
    if match is None or isinstance(value, bool) or not isinstance(value, str | int):
        return False
    text = str(value)
    password = _is_password(match["name"])
    if _NOT_SECRET_HEAD.search(name[: match.start("name")]) or _is_no_value(text):
        return False
    if isinstance(value, int):
        return password and len(text) >= 4
    return _is_quoted_secret(text, password, member=True)


def is_distinctive(value: str) -> bool:
    """Whether a value can be looked for wherever it stands, because no other text is like it."""
    letters = any(map(str.isalpha, value))
    if not letters or _JOINED.fullmatch(value) or any(map(str.isspace, value)):
        return False
    if any(map(str.isdigit, value)):
        return len(value) >= 6 and not _is_no_value(value)
    if _LETTERS.fullmatch(value):
        return len(value) >= 12 and (value.islower() or value.isupper())
    return len(value) >= 8 and re.search(r"[^\w.\-/: ]", value) is not None


def _is_secret(match: re.Match[str], text: str, group: str) -> bool:
    head = _HEAD.search(text, max(0, match.start() - 40), match.start())
    prefix = head[0] if head else ""
    password = _is_password(match["name"])
    if _NOT_SECRET_HEAD.search(prefix) or _is_no_value(match[group].rstrip(_STOPS)):
        return False
    if group == "quoted":
        return _is_quoted_secret(match["quoted"], password, member=bool(match["closing"]))
    if match["closing"]:
        return password and re.fullmatch(r"\d{4,}", match["plain"]) is not None
    return _is_plain_secret(match, prefix, password, _begins_line(text, match.start()))


def _is_quoted_secret(value: str, password: bool, member: bool) -> bool:
    if any(map(str.isspace, value)):
        few = len(value.split()) <= _WORDS
        return password and member and few and not _LABEL.search(value)
    if _KIND.search(value) and (_JOINED.fullmatch(value) or _HUMP.search(value)):
        return False
    if password:
        return len(value) >= _SHORTEST_PASSWORD
    least = _SHORTEST_WORD if _LETTERS.fullmatch(value) else _SHORTEST_TOKEN
    return len(value) >= least and not _JOINED.fullmatch(value)


def _is_plain_secret(match: re.Match[str], prefix: str, password: bool, alone: bool) -> bool:
    """A value without quotes, which may as well be the name of a variable or a type."""
    value, after = match["plain"].rstrip(_STOPS), match["after"]
    if len(value) < (_SHORTEST_PASSWORD if password else _SHORTEST_WORD) or after[:1] in _CALLS:
        return False
    in_capitals = (prefix + match["name"]).isupper()
    ends = after.strip() in ("", "#") or "\n" in after
    tight = match["sign"] == "=" or (match["sign"].strip() == ":" and alone and ends)
    if _IDENTIFIER.fullmatch(value) and not (_digits_and_letters(value) and tight):
        in_code = bool(after.strip()) and after.strip() in _CODE
        if in_capitals and tight:
            return not (_JOINED.fullmatch(value) and (_KIND.search(value) or not password))
        return password and tight and not in_code and _is_bare_word(value)
    return not _JOINED.fullmatch(value) and (password or tight)


def _is_bare_word(value: str) -> bool:
    """A word that is neither named like what it is given to nor written as a type or variable."""
    return _LETTERS.fullmatch(value) is not None and not (
        len(value) < _SHORTEST_TOKEN
        or _PASSWORDS.search(value)
        or _TYPE.fullmatch(value)
        or _HUMP.search(value)
    )


def _digits_and_letters(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_no_value(value: str) -> bool:
    plain = value.strip().lower()
    return plain in _NO_VALUE or bool(_PLACEHOLDER.match(value) or _ELIDED.search(value))


def _is_password(name: str) -> bool:
    return _PASSWORDS.match(name) is not None


def _begins_line(text: str, place: int) -> bool:
    """Whether nothing but the name stands before it on its line."""
    start = max(text.rfind("\n", 0, place) + 1, place - 80)
    return _ALONE.fullmatch(text, start, place) is not None
