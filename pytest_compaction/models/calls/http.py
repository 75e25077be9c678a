"""The HTTP package that the installed openai package sends with: httpx2, or httpx before openai 3.

Errors, timeouts and transports must be those of that package, or the client does not know them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    import importlib

    import openai

    _packages = (
        base.__module__.partition(".")[0] for base in openai.DefaultAsyncHttpxClient.__mro__
    )
    httpx = importlib.import_module(next(name for name in _packages if name.startswith("httpx")))

__all__ = ["httpx"]
