"""What the receiver does: its ACK policy, its window; and the sender's limits that show beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from ...captures.findings import policy as policy_of
from ...text.templates import fact
from .place import Place
from .rate import QUEUED, mode
from .value import Row, Value

#: Shares of the time from which on a window counts as a limit.
LIMITS, SENDER_LIMITS = 0.05, 0.3
#: Waits for more segments are at least so long; so many agree within this factor, and they are this share of all.
LEAST_WAIT_S, LEAST_WAITS, WAITS_ALIKE, WAITS_SHARE = 5e-3, 5, 1.05, 0.4
#: A window that limits is determined if the least advertised is at least this share of the largest.
STEADY = 0.8
#: Segments of an initial window that is not seen.
USUAL = 10
Policy = Mapping[str, Any] | str


def policy(row: Row, wait: Value) -> list[Value]:
    """The policy, its number of segments and its timer."""
    name, every = row["policy"], row["ack_every"]
    known = name in ("every", "delayed", "quick-then-delayed", "by-phase")
    return [
        Value(
            "ACK policy",
            name,
            determined=known,
            how=policy_of(row),
        ),
        Value(
            "segments an ACK",
            every,
            "segments",
            every,
            every,
            every is not None,
        ),
        wait,
    ]


def timer(row: Row, data: pl.DataFrame, acks: pl.DataFrame, place: Place) -> Value:
    """How long the receiver waits with fewer segments than it usually acknowledges, from the first one's arrival."""
    if row["timer_s"] is not None and row["delay_min_s"] is not None:
        return Value("ACK timer", row["timer_s"], "s", row["timer_low_s"], row["timer_high_s"], True, fact("how-lone"))
    none = Value("ACK timer", None, "s", determined=False, how=fact("how-no-waits"))
    if row["policy"] != "delayed" or not row["ack_every"] or row["ack_every"] < 2:
        return none
    if not place.behind and row["path_limited_s"] > QUEUED * row["limits_s"]:
        return none  # the queue's time and the receiver's are one
    first = acks["ack_bytes"].cast(pl.Int64).to_numpy() - acks["acked_bytes"].cast(pl.Int64).to_numpy()
    ends = np.maximum.accumulate((data["seq_bytes"].cast(pl.Int64) + data["payload_bytes"].cast(pl.Int64)).to_numpy())
    arrived = data["time_s"].to_numpy()[np.minimum(np.searchsorted(ends, first, side="right"), data.height - 1)]
    few = (acks["plain"] & (acks["acked_segments"] < row["ack_every"]) & (acks["acked_segments"] > 0)).to_numpy()
    waits = (acks["time_s"].to_numpy() - arrived)[few] - 2 * place.after_s
    found = mode(waits[waits > LEAST_WAIT_S], WAITS_ALIKE, LEAST_WAITS, WAITS_SHARE)
    if found is None:
        return none
    middle, low, high, count = found
    return Value("ACK timer", middle, "s", low, high, True, fact("how-waits", waits=count))


def policies(row: Row, wait: Value) -> dict[str, Policy]:
    """The policies of a scenario that the capture allows, by name; without a timer that the capture shows, the stack's."""
    every = row["ack_every"]
    given = {} if not wait.determined else {"timer": f"{wait.value:.4f}s"}
    if row["policy"] == "every":
        return {"every segment": {"policy": "every"}}
    if row["policy"] == "delayed" and every is not None:
        return {f"every {every} segments": {"policy": "delayed", "segments": every, **given}}
    if row["policy"] in ("quick-then-delayed", "by-phase") and every in (None, 2):
        return {"linux": "linux", "every 2 segments": {"policy": "delayed", "segments": 2, **given}}
    found: dict[str, Policy] = {}
    mean = max(round(row["segments_per_ack"] or 2.0), 1)
    for segments in dict.fromkeys([1, 2, mean]):
        found["every segment" if segments == 1 else f"every {segments} segments"] = (
            {"policy": "every"} if segments == 1 else {"policy": "delayed", "segments": segments, **given}
        )
    return {**found, "linux": "linux"}


def window(row: Row, acks: pl.DataFrame, place: Place) -> Value:
    """The window: the receiver's, or the sender's own limit where that is lower and the capture has what is in flight."""
    spent = row["limits_s"] or 1.0
    if not place.behind and (row["sender_window_limited_s"] or 0.0) > SENDER_LIMITS * spent:
        most = row["max_flight_bytes"]
        return Value("window", most, "B", most, most, True, fact("how-most-in-flight"))
    windows = acks["window_bytes"].cast(pl.Int64)
    least, most = int(windows.min() or 0), int(windows.max() or 0)  # type: ignore[arg-type]
    if (row["window_limited_s"] or 0.0) <= LIMITS * spent:
        return Value(
            "window",
            most,
            "B",
            most,
            None,
            False,
            fact("how-wide"),
        )
    if least < STEADY * most:
        return Value(
            "window",
            most,
            "B",
            least,
            most,
            False,
            fact("how-varies"),
        )
    return Value(
        "window",
        most,
        "B",
        most,
        most,
        True,
        fact("how-limits"),
    )


def initial_window(row: Row, first_write: int | None) -> Value:
    """Segments that left within the first round trip, unless the application had written no more: ``first_write`` bytes."""
    first, unit = row["initial_window_bytes"], row["segment_bytes"]
    if not first:
        return Value(
            "initial window",
            USUAL,
            "segments",
            determined=False,
            how=fact("how-no-handshake", usual=USUAL),
        )
    count = max(round(first / unit), 1)
    if first_write is not None and first_write <= first:
        how = fact("how-small-write", usual=USUAL)
        return Value("initial window", max(count, USUAL), "segments", count, None, False, how)
    return Value("initial window", count, "segments", count, count, True, fact("how-first-trip"))
