"""Li, Zheng, Xu, Jadhav, Xiong, Winstein and Tan, "TACK: Improving Wireless Transport Performance by Taming
Acknowledgments", SIGCOMM 2020.

:mod:`.setting` is every path and parameter, :mod:`.wlan` Figures 1, 7 and 10, :mod:`.combined` Figure 13.
"""

from . import combined, wlan  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
