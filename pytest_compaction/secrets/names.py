"""Names of secrets: which variables of the environment and which parameters hold one."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ENDINGS: Final = (
    *("password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "token"),
    *("apikey", "accesskey", "secretkey", "privatekey", "authkey", "credential", "credentials"),
)
"""How a word ends that names a secret, such as ``PGPASSWORD``."""
_NO_ENDINGS: Final = frozenset("bypass compass trespass encompass surpass multipass".split())
_WORDS: Final = frozenset(
    "key pw pat creds cred auth bearer jwt dsn sas salt cookie webhook".split()
)
"""Words that name a secret when they come last."""
_PLURALS: Final = frozenset("secrets passwords apikeys keys".split())
_ANYWHERE: Final = frozenset("secret password passwd passphrase apikey".split())
"""Words that name a secret wherever they stand, unless the last word says that it is another."""
_KINDS: Final = frozenset(
    """api access secret private auth admin account master service signing encryption client
    app""".split()
)
"""Before ``key``: the key is a secret, whatever follows."""
_OTHER_KEYS: Final = frozenset(
    "public pub primary foreign sort cache gpg partition hot row".split()
)
_AFTER: Final = frozenset(
    """base value prod production dev development stage staging test testing live sandbox backup old
    new current previous primary secondary main default ro rw read write b64 base64 hex raw plain
    text str string eu us uk de global local""".split()
)
"""What may follow without another meaning: ``OPENAI_API_KEY_2``, ``DB_PASSWORD_PROD``."""
_OTHERS: Final = frozenset(
    """file path name id ids length limit count ttl expiry expires timeout policy url uri host mode
    enabled dir folder manager ring store provider hash arn region type format algorithm size min
    max days age prefix suffix header field scheme backend class version login sock socket user
    username command cmd helper required""".split()
)


@lru_cache(maxsize=2048)
def names_a_secret(name: str) -> bool:
    """Whether a variable or a parameter of this name holds a secret: ``PGPASSWORD``, ``api_key``.

    Numbers, stages and forms at its end do not count: ``OPENAI_API_KEY_2``, ``SECRET_KEY_BASE``.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if name.startswith("TF_TOKEN_"):  # Terraform: the token for the host that follows
        return True
    if not words or name in ("PWD", "OLDPWD") or words[-1] in _OTHERS:
        return False
    pairs = pairwise(words)
    if not _ANYWHERE.isdisjoint(words) or any(a in _KINDS and b == "key" for a, b in pairs):
        return True
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _AFTER):
        words.pop()
    last = words[-1]
    if last == "key" and len(words) > 1 and words[-2] in _OTHER_KEYS:
        return False
    ends = last.endswith(_ENDINGS) and last not in _NO_ENDINGS
    return ends or last in _WORDS or last in _PLURALS
