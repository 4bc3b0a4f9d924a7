"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from ...reproduce.explanation import Derived
from ...reproduce.paper import Paper
from .setting import PARAMETERS

PAPER = Paper(
    id="rfc2415",
    title="Larger initial windows for web pages (RFC 2415)",
    citation="K. Poduri, K. Nichols, Simulation Studies of Increased Initial TCP Window Size, RFC 2415, September 1998",
    about="8 to 32 web clients and up to three file transfers share 1.5 Mb/s. What does an initial window of two, three or four segments change?",
    sections={"files": "Pages over HTTP/1.0", "pages": "Pages over HTTP/1.1"},
    parameters=PARAMETERS,
    group="classic",
)

PAPER.explain(
    "table2.repeated",
    Derived(
        "Table 2's drops of 32/0, 32/1 and 32/2 repeat those of 16/0, 16/1 and 16/2 in all 12 values; Table 6 has 3.5 and 4.3 %"
    ),
)
PAPER.explain(
    "table3.unit",
    Derived(
        "95 % less 34 % of 1.5 Mb/s are 41.2 Mbytes in 360 s, 8.7 s for one: 4.7 Mbytes/s, and a thousandth of that in Mbytes/ms"
    ),
)
PAPER.explain(
    "table1.power",
    Derived(
        "Table 2's utilisation over Table 1's delay grows by 1.16 to 1.49; no experiment of the two tables has 1.6"
    ),
)
PAPER.explain(
    "table6.goodput",
    Derived(
        "in each of the nine rows goodput is 0.76 to 0.79 of what the printed utilisation carries in 360 s, where headers take 0.03"
    ),
)
