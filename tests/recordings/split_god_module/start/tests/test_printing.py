"""The import path of 1.x."""

import importlib
import sys

import pytest


def test_the_old_path_still_works():
    sys.modules.pop("docketry.printing", None)
    with pytest.warns(DeprecationWarning, match="it goes with 4.0"):
        printing = importlib.import_module("docketry.printing")
    assert printing.pad("x", 3) == "x  "
    assert printing.format_amount(100, "en") == "1.00"
    assert printing.print_invoice is importlib.import_module("docketry.render").render_invoice
