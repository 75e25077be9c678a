"""``python -m hourfold``."""

import sys

from hourfold.cli import main

sys.exit(main(sys.argv[1:]))
