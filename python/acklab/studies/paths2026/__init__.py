"""Which ACK strategy on the paths of 2026?

:mod:`.setting` is every path, mechanism and parameter; :mod:`.runs` what is run and read; :mod:`.compared` the figure, the
table and the paragraph; :mod:`.sparse` an ACK for every k segments, paced or not; :mod:`.senders` HyStart++ and RACK-TLP.
"""

from . import compared, senders, sparse  # noqa: F401
from .registry import STUDY

__all__ = ["STUDY"]
