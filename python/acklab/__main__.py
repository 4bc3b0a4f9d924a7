"""``python -m acklab`` is the command ``acklab``."""

import sys

from .cli import main

sys.exit(main())
