"""``python -m thousand_env``: the same as the command ``thousand``."""

from __future__ import annotations

import sys

from thousand_env.cli import main

if __name__ == "__main__":
    sys.exit(main())
