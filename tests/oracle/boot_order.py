"""Which draw of the default generator gives each sender of an ns-2 dumbbell its RTT tick phase.

ns-2 resets its agents when a run starts, in the order of Tcl's hash table of node numbers, and every TCP agent draws one
uniform then: the phase of its tick grid (docs/oracle/NS2-SEMANTICS.md, section 9). `data/dumbbell_boot_order.txt` holds what
`scripts/bootorder.tcl` printed.
"""


def _hash(key):
    """Tcl's string hash."""
    r = ord(key[0])
    for c in key[1:]:
        r = (r + (r << 3) + ord(c)) & 0xFFFFFFFF
    return r


def tcl_order(nodes):
    """`[array names]` of an array whose keys 0 .. nodes-1 were set in order: four buckets, four times as many whenever they
    are three times full, the newest entry first in its bucket."""
    size = 4
    buckets = [[] for _ in range(size)]
    for i in range(nodes):
        buckets[_hash(str(i)) & (size - 1)].insert(0, i)
        if i + 1 >= 3 * size:
            size *= 4
            grown = [[] for _ in range(size)]
            for entry in (e for b in buckets for e in b):
                grown[_hash(str(entry)) & (size - 1)].insert(0, entry)
            buckets = grown
    return [e for b in buckets for e in b]


def uniform_index(flows):
    """For flow 0, 1, ... the index of its draw after seed 1 (draw 0 went to the last constructor). Nodes 0 and 1 are the
    gateways, flow i sends from node 2 + 2 i."""
    senders = [e for e in tcl_order(2 + 2 * flows) if e >= 2 and e % 2 == 0]
    draw = {node: k for k, node in enumerate(senders, 1)}
    return [draw[2 + 2 * i] for i in range(flows)]
