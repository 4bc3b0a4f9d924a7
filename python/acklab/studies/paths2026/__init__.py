"""Which ACK strategy on the paths of 2026?

:mod:`.setting` is every path, mechanism and parameter; :mod:`.runs` what is run and read; :mod:`.compared` the figure and the
table; :mod:`.findings` what they say; :mod:`.sparse` an ACK for every k segments; :mod:`.senders` the sender's parts and
the uplink's grants; :mod:`.told` a cell as words.
"""

from . import compared, senders, sparse  # noqa: F401
from .registry import STUDY

__all__ = ["STUDY"]
