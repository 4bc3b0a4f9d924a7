"""How well do senders count congestion marks when ACKs are thinned?

- :mod:`.setting` has the paths, the rules and every parameter.
- :mod:`.counts` has the counts of a window that nothing moves.
"""

from . import counts  # noqa: F401
from .setting import STUDY

__all__ = ["STUDY"]
