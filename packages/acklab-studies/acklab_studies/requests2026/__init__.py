"""What should an ACK be worth to a sender that requests few of them?

- :mod:`.setting` has the paths, the requests, the credits and every parameter.
- :mod:`.downloads` has the completion times.
"""

from . import downloads  # noqa: F401
from .setting import STUDY

__all__ = ["STUDY"]
