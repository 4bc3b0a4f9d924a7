"""What does BBR take for the bandwidth when ACKs are rare or lost, and how do versions 1 and 3 get along with loss and with CUBIC?

- :mod:`.setting` has the paths, what happens to ACKs, and every parameter.
- :mod:`.estimates` compares the estimate with the link's rate.
- :mod:`.rivals` compares the two versions under loss, short buffers, and beside CUBIC.
"""

from . import estimates, rivals  # noqa: F401
from .registry import STUDY

__all__ = ["STUDY"]
