"""The import path of 1.x. Use docketry.render."""

from __future__ import annotations

import warnings

from docketry.render import *  # noqa: F403
from docketry.render import _pad, render_invoice

warnings.warn(
    "docketry.printing is now docketry.render; it goes with 4.0", DeprecationWarning, stacklevel=2
)

pad = _pad
print_invoice = render_invoice
