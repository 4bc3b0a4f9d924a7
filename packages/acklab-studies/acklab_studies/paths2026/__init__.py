"""Which ACK strategy on the paths of 2026?

- :mod:`.setting` has every path, mechanism and parameter.
- :mod:`.runs` has what is run and read.
- :mod:`.compared` has the figure and the table.
- :mod:`.sparse` has an ACK for every k segments.
- :mod:`.senders` has the sender's parts and the uplink's grants.
- :mod:`.told` describes a cell in words.
"""

from . import compared, senders, sparse  # noqa: F401
from .setting import STUDY

__all__ = ["STUDY"]
