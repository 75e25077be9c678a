"""``python -m larder``."""

import sys

from larder.cli import main

if __name__ == "__main__":
    sys.exit(main())
