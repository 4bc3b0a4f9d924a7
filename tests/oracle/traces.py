"""Event logs: every arrival and queue drop of a single transfer, compared one by one and to the last bit of the time.

`D time seq` a data segment reaches R, `A time ackno` an ACK reaches S, `X time seq` the queue of G - R drops a segment. ns-2
names the last segment an ACK covers, acklab the next one expected.
"""

from pathlib import Path

from engine import run_batch
from formats import read

# (link, event, kind): the letter
EVENTS = {("G->R", "deliver", "data"): "D", ("G->S", "deliver", "ack"): "A", ("G->R", "drop", "data"): "X"}


def expected(path):
    """The log's events as (letter, time, number)."""
    for line in Path(path).read_text().splitlines():
        letter, time, number = line.split()
        yield letter, float(time), int(number)


def observed(outcome):
    """The same events from a run's packet table."""
    for p in outcome["packets"]:
        letter = EVENTS.get((p["link"], p["event"], p["kind"]))
        if letter:
            yield letter, p["time_s"], p["ack"] - 1 if letter == "A" else p["seq"]


def first_difference(wanted, got):
    """What to say about the first event that differs, or None."""
    for number, (a, b) in enumerate(zip(wanted, got), 1):
        if a != b:
            return f"event {number}: expected {a[0]} {a[1]:.17g} {a[2]}, got {b[0]} {b[1]:.17g} {b[2]}"
    if len(wanted) != len(got):
        return f"expected {len(wanted)} events, got {len(got)}"
    return None


def check(path, directory, run=run_batch, say=print):
    """Compare the logs of a file's rows; returns (logs, agreeing, differing)."""
    fmt, _, rows = read(path)
    if fmt is None:
        raise ValueError(f"{path}: no known format has these columns")
    logs = {log.stem: log for log in sorted(Path(directory).glob("*.txt"))}
    rows = [row for row in rows if row.get("id") in logs]
    scenarios = [{**fmt.experiment.scenarios(fmt.options(row))[0], "record": {"packets": True}} for row in rows]
    agree = 0
    for row, outcome in zip(rows, run(scenarios)):
        problem = outcome.get("error") or first_difference(list(expected(logs[row["id"]])), list(observed(outcome)))
        if problem:
            say(f"{logs[row['id']]}: {problem}")
        agree += not problem
    say(f"{len(rows)} rows, {agree} agree, {len(rows) - agree} differ")
    return len(rows), agree, len(rows) - agree
