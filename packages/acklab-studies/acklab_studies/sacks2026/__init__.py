"""How long should a receiver hold SACKs (Linux's tcp_comp_sack_rtt_percent)?

- :mod:`.setting` has the settings, the paths and every parameter.
- :mod:`.downloads` has completion, ACKs and retransmits.
"""

from . import downloads  # noqa: F401
from .setting import STUDY

__all__ = ["STUDY"]
