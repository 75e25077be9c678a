"""``python -m tallybook``."""

import sys

from tallybook.cli import main

sys.exit(main())
