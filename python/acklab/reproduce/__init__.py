"""What measures and judges the claims of papers; ``acklab.reproduce("allman1998", quick=True)`` regenerates one."""

from ..text.callable import can_be_called
from .regenerate import PaperError, reproduce

__all__ = ["PaperError", "reproduce"]

can_be_called(__name__, reproduce)
