"""How payload files are stored in a bundle.

Codecs are registered by name. The default is what a bundle gets when neither
the caller nor the settings name a codec.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass

from wright.errors import UnknownCodecError, WrightError

Transform = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Codec:
    """A named pair of functions that undo each other."""

    name: str
    encode: Transform
    decode: Transform


_CODECS: dict[str, Codec] = {}
_default = "plain"


def register(name: str, encode: Transform, decode: Transform, *, replace: bool = False) -> Codec:
    """Make a codec known. An existing name needs ``replace``."""
    if name in _CODECS and not replace:
        raise WrightError(f"codec {name!r} is registered already")
    codec = Codec(name, encode, decode)
    _CODECS[name] = codec
    return codec


def get(name: str | None = None) -> Codec:
    """A codec by name, or the default."""
    wanted = name or _default
    if wanted not in _CODECS:
        raise UnknownCodecError(f"unknown codec {wanted!r}; known are {', '.join(names())}")
    return _CODECS[wanted]


def names() -> list[str]:
    """The names of all codecs."""
    return sorted(_CODECS)


def default() -> str:
    """The name of the default codec."""
    return _default


def set_default(name: str) -> str:
    """Choose the default codec. Returns the name of the one before."""
    global _default
    before = _default
    _default = get(name).name
    return before


def _same(data: bytes) -> bytes:
    return data


def _unhex(data: bytes) -> bytes:
    try:
        return binascii.unhexlify(data)
    except binascii.Error as error:
        raise WrightError(f"not hexadecimal: {error}") from None


register("plain", _same, _same)
register("hex", binascii.hexlify, _unhex)
register("base64", base64.b64encode, base64.b64decode)
