"""Which congestion control, with which ACK policy, on which path and queue?

- :mod:`.setting` has the paths, queues, controls, ACK policies and every parameter.
- :mod:`.pairs` runs two downloads of one control, the second of which begins later, and judges them.
"""

from . import pairs  # noqa: F401
from .setting import STUDY

__all__ = ["STUDY"]
