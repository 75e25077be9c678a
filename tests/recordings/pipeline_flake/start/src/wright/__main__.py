"""``python -m wright``."""

import sys

from wright.cli import main

sys.exit(main())
