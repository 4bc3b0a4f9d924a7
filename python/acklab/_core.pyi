"""The simulator: scenarios in, tables and JSON out. Texts are TOML or JSON; times are in seconds."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any, final, overload

__all__ = [
    "AckEvent",
    "AnalysisResult",
    "Arrival",
    "Batch",
    "CaptureError",
    "Departure",
    "LostSegment",
    "Emission",
    "Endpoints",
    "LiveError",
    "LivePlan",
    "LiveResult",
    "MOST_CONNECTIONS",
    "MOST_ROWS",
    "NEAR_S",
    "Programs",
    "RunError",
    "RunResult",
    "ScenarioError",
    "Simulation",
    "Table",
    "Template",
    "Window",
    "__version__",
    "analyze",
    "capture",
    "capture_all",
    "columns",
    "decoded",
    "expanded",
    "file_names",
    "link_ends",
    "live_probe",
    "place",
    "schema",
    "stacks",
    "too_deep",
]
__version__: str
MOST_CONNECTIONS: int
MOST_ROWS: int
NEAR_S: float

class ScenarioError(ValueError):
    """A text is no scenario. The message names file, key, value and what is allowed, in one or two lines."""

class RunError(RuntimeError):
    """A legal scenario's run failed: Python code of a policy or control has an error, the clock stands still, or the run
    holds more than it may; anything else is a bug, worth reporting with the scenario."""

class CaptureError(ValueError):
    """A file is no capture. The message names file and reason, in one line."""

@final
class AnalysisResult:
    """What an analysis found. Tables that were not asked for are None."""

    @property
    def connections(self) -> Table: ...
    @property
    def throughput(self) -> Table: ...
    @property
    def limits(self) -> Table: ...
    @property
    def acks(self) -> Table | None: ...
    @property
    def segments(self) -> Table | None: ...
    def json(self) -> str: ...

def analyze(
    path: str | PathLike[str],
    *,
    packets: bool = True,
    until_s: float | None = None,
    tick: Callable[[int], object] | None = None,
) -> AnalysisResult: ...

@final
class Table:
    """An immutable Arrow table. polars, pandas, DuckDB and pyarrow read it through the PyCapsule interface."""

    @property
    def name(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def nbytes(self) -> int: ...
    def to_polars(self) -> Any:
        """A polars DataFrame, which shares the data."""
    def to_pandas(self) -> Any:
        """A pandas DataFrame.

        Raises:
            ImportError: pandas is not installed.
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, as dicts."""
    @overload
    def __getitem__(self, key: int, /) -> dict[str, Any]:
        """A row by its number: ``run.flows[0]["goodput_bps"]``."""
    @overload
    def __getitem__(self, key: str | slice, /) -> Any:
        """A column by its name, or some rows, in polars.

        Raises:
            KeyError: there is no such column; the message names them.
            IndexError: there is no such row.
        """
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class RunResult:
    """What a run told. Tables that were not recorded are None."""

    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def end_s(self) -> float:
        """Instant the run ended."""
    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...
    @property
    def series(self) -> Table | None: ...
    @property
    def queue(self) -> Table | None: ...
    @property
    def packets(self) -> Table | None: ...
    def json(self, records: bool = True) -> str:
        """One line of JSON: the summary and, unless ``records`` is false, every recorded table."""
    def scenario_toml(self) -> str:
        """The scenario as it ran, every shorthand and default written out, as TOML."""

@final
class Arrival:
    """A segment as an ACK policy sees it, once it is reassembled. Sequence numbers and lengths in units."""

    @property
    def in_order(self) -> bool:
        """In order, and nothing forbids delaying its ACK: it closes no gap, repeats nothing, is no SYN or FIN."""
    @property
    def gap(self) -> bool:
        """After it, something above a gap is still waiting."""
    @property
    def duplicate(self) -> bool:
        """Nothing in it was new."""
    @property
    def len(self) -> int:
        """Units it carries."""
    @property
    def slow_start(self) -> bool | None:
        """Whether its sender was in slow start; None unless the receiver is told."""
    @property
    def syn(self) -> bool:
        """It opens the connection."""
    @property
    def seq(self) -> int:
        """Its first unit."""
    @property
    def rcv_nxt(self) -> int:
        """The next unit expected in order."""
    @property
    def push(self) -> bool:
        """Its sender had no more to send after it, and said so; not known of the simulator's segments."""
    @property
    def ect(self) -> bool:
        """Its sender understands congestion marks."""
    @property
    def ce(self) -> bool:
        """A queue marked it."""
    @property
    def cwr(self) -> bool:
        """Its sender has answered a congestion mark."""
    @property
    def sent_s(self) -> float:
        """When it left its sender."""
    @property
    def now_s(self) -> float:
        """The time."""

@final
class Emission:
    """An ACK policy's answer. A time is an instant of the run, in seconds."""

    @staticmethod
    def now() -> Emission:
        """An ACK at once."""
    @staticmethod
    def nothing() -> Emission:
        """No ACK for now; an earlier time stands."""
    @staticmethod
    def by(time_s: float) -> Emission:
        """An ACK at this time at the latest; an earlier time stands."""
    @staticmethod
    def at(time_s: float) -> Emission:
        """An ACK at this time, whatever time stood before."""
    @staticmethod
    def gather(time_s: float) -> Emission:
        """An ACK at this time at the latest, which reports what arrives until it leaves."""
    @staticmethod
    def probe(number: int) -> Emission:
        """A keep-alive of this number, from 0 to 4294967295, at once, and then what ``on_probe_sent`` answers."""
    @staticmethod
    def repeated(copies: int) -> Emission:
        """An ACK at once, and so many copies of it, from 1 to 1000."""
    @staticmethod
    def pieces(count: int, *, parts: str = "equal", order: str = "rising", spacing_s: float = 0.0) -> Emission:
        """An ACK at once in ``count`` pieces, from 2 to 64; ``parts`` and ``order`` as those of the policy ``divide``."""
    @staticmethod
    def ahead(units: int, *, again_s: float | None = None) -> Emission:
        """An ACK at once of ``units`` beyond the highest received, from 1 to 1e9; ``on_timer`` is called at ``again_s``."""

@final
class AckEvent:
    """An ACK of something outstanding, or a repeated one. Without ``needs = "deliveries"`` or ``"losses"`` what is of the delivery rate is None.

    Without SACK (``tahoe``, ``reno``, ``newreno``, ``sack``) the counts come from the cumulative number and from duplicates.
    """

    @property
    def ack(self) -> int:
        """Its cumulative number, in units."""
    @property
    def snd_max(self) -> int:
        """One past the highest unit sent."""
    @property
    def acked(self) -> float:
        """Units that its cumulative number newly covers; 0 for a duplicate."""
    @property
    def newly_delivered(self) -> float:
        """Units that it covers or reports for the first time."""
    @property
    def newly_sacked(self) -> float:
        """Those of them that it reports above its cumulative number."""
    @property
    def newly_lost(self) -> float:
        """Units that the recovery finds lost by it, or by a timer since the ACK before it; those of a timeout apart."""
    @property
    def ce_count(self) -> float:
        """Units that it delivers with a congestion mark; exact where the receiver has ``echo_each_mark``."""
    @property
    def in_flight(self) -> float:
        """Units in flight after it, before anything is sent."""
    @property
    def rtt_s(self) -> float | None:
        """Time since the newest segment it covers was sent, if that was sent once."""
    @property
    def state(self) -> str:
        """Congestion state in which it finds the sender: ``open``, ``cwr``, ``recovery`` or ``loss``."""
    @property
    def next_state(self) -> str:
        """Congestion state to which its acknowledgments and losses lead."""
    @property
    def delivered(self) -> int | None:
        """Segments delivered so far."""
    @property
    def delivery_rate(self) -> float | None:
        """Segments a second; None if it delivers nothing, or in less than the least round trip."""
    @property
    def app_limited(self) -> bool | None:
        """The application, not the network, limited that rate."""
    @property
    def cwnd_limited(self) -> bool:
        """The window has stopped the sender at some time in the last round trip; known with ``needs = "losses"`` only."""
    @property
    def tx_in_flight(self) -> int | None:
        """Units in flight right after the newest segment that it delivers had left; known with ``needs = "losses"`` only."""
    @property
    def lost_since(self) -> int | None:
        """Units found lost since that segment left; known with ``needs = "losses"`` only."""

@final
class LostSegment:
    """A segment, or what an ACK has left of one, is found lost. In units, except for ``delivered``."""

    @property
    def start(self) -> int:
        """Its first unit."""
    @property
    def end(self) -> int:
        """One past its last unit."""
    @property
    def tx_in_flight(self) -> float:
        """Units in flight right after it last left, itself included."""
    @property
    def lost_since(self) -> float:
        """Units found lost since it last left, itself included."""
    @property
    def app_limited(self) -> bool:
        """The application, not the network, was the limit when it left."""
    @property
    def delivered(self) -> int:
        """Segments of the connection delivered so far."""

@final
class Departure:
    """A segment with data leaves."""

    @property
    def idle(self) -> bool:
        """Nothing was outstanding before it."""
    @property
    def app_limited(self) -> bool:
        """The application, not the window, has limited what was sent."""
    @property
    def min_rtt_s(self) -> float:
        """Least round trip of the connection; infinite before the first."""

@final
class Window:
    """The window as a congestion control sees and moves it. In units and seconds."""

    cwnd: float
    """Congestion window."""
    ssthresh: float
    """Slow-start threshold."""
    @property
    def mss(self) -> float:
        """A full segment."""
    @property
    def advertised(self) -> float:
        """The receiver's advertised window."""
    @property
    def now_s(self) -> float:
        """The time."""
    @property
    def srtt_s(self) -> float:
        """Smoothed round-trip time; 0 before the first sample."""
    @property
    def in_slow_start(self) -> bool:
        """Whether ``cwnd`` is below ``ssthresh``."""
    def grow_by_standard(self, credit: float) -> None:
        """Grows as the standard does for ``credit`` units: slow start, else one segment for a window of credit (RFC 5681)."""

@final
class Simulation:
    """A scenario being run, which can be cloned at any instant. ``sets`` are ``key=value`` overrides.

    With ``captures``, packets are recorded for captures even if the scenario does not ask for the table. ``policies`` and
    ``controls`` are factories of algorithms in Python, by name.

    Raises:
        ScenarioError: the text is no scenario.
        RunError: the run failed.
    """

    def __new__(
        cls,
        text: str | bytes,
        *,
        file: str = ...,
        sets: Sequence[str] = ...,
        seed: int | None = None,
        captures: bool = False,
        policies: dict[str, Any] | None = None,
        controls: dict[str, Any] | None = None,
    ) -> Simulation: ...
    @property
    def now_s(self) -> float:
        """Instant of the latest event so far; 0 before the first."""
    @property
    def finished(self) -> bool:
        """Whether the scenario's stop has been reached."""
    def run_until(self, time_s: float) -> None:
        """Runs up to an instant, or to the scenario's stop if that is earlier.

        What is due at that very instant is still to come, so that a branch may change a flow that starts then. An
        instant that has passed changes nothing.

        Raises:
            ValueError: the instant is not finite.
            RunError: the run failed.
        """
    def run(self) -> RunResult:
        """Runs to the scenario's stop."""
    def advance(self, rows: int | None = None) -> RunResult:
        """Runs to the scenario's stop, or until some ``rows`` rows are recorded, a few thousand more or less.

        The rows recorded since the last call go into the result and leave the simulation: a run of any length takes
        bounded memory. ``finished`` says whether the stop has been reached. A result's summary is that of the instant.

        Raises:
            RunError: the run failed.
        """
    def outcome(self) -> RunResult:
        """What there is to tell at this instant."""
    def clone(self) -> Simulation:
        """A copy that continues to the same results, independently; `copy.copy` and `copy.deepcopy` make the same."""
    def __copy__(self) -> Simulation: ...
    def __deepcopy__(self, memo: object) -> Simulation: ...
    def branch(
        self, text: str | bytes, *, file: str = ..., sets: Sequence[str] = ..., seed: int | None = None
    ) -> Simulation:
        """A copy that goes on under another scenario, which may differ in the rules of flows that have not begun.

        Raises:
            ScenarioError: the text is no scenario, or differs in more than that.
        """

@final
class Batch:
    """Worker threads that turn scenarios, one JSON object a line, into results, one a line, in the same order.

    With a ``journal`` each line begins with a number, and each result is appended to that file as soon as it is there,
    in whatever order the runs end: the number, a space, the result, a line end.
    """

    def __new__(
        cls,
        threads: int,
        *,
        sets: Sequence[str] = ...,
        seed: int | None = None,
        journal: str | PathLike[str] | None = None,
        policies: dict[str, Any] | None = None,
        controls: dict[str, Any] | None = None,
    ) -> Batch: ...
    def feed(self, data: bytes) -> None:
        """Adds input, in pieces cut anywhere; waits while too much is under way."""
    def close(self) -> None:
        """The input is complete."""
    def take(self) -> bytes:
        """Waits for the next results and returns them as whole lines; empty once all have been returned."""
    def stop(self) -> None:
        """Gives up what is under way."""
    @property
    def full(self) -> bool:
        """Whether `feed` would wait."""
    @property
    def bad(self) -> int:
        """Lines returned so far that were no scenario."""
    @property
    def failed(self) -> int:
        """Lines returned so far whose run failed."""

@final
class Template:
    """A scenario's tree, to which ``key=value`` overrides are applied again and again.

    Raises:
        ScenarioError: the text is no TOML or JSON.
    """

    def __new__(cls, text: str | bytes, *, file: str = ...) -> Template: ...
    def lines(self, sets: Sequence[str], seeds: Sequence[int]) -> list[str]:
        """The variant with each seed as one line of JSON, as it was written, unchecked."""
    def check(self, sets: Sequence[str]) -> None:
        """Whether the variant is a scenario.

        Raises:
            ScenarioError: it is none.
        """
    def expanded(self, sets: Sequence[str]) -> str:
        """The variant as one line of JSON, every shorthand and default written out."""

def link_ends(result: RunResult, names: Sequence[str] | None = None) -> list[str]:
    """The names of a run's link ends, such as ``G->R@G``. With ``names``, those of them; ``all`` is every one.

    Raises:
        ValueError: a name is none; the message lists those there are.
    """

def capture(
    result: RunResult, end: str, path: str | PathLike[str], *, format: str = "pcapng", snap_length: int = 0
) -> int:
    """Writes the capture taken at one link end to a file and returns the number of packets.

    Raises:
        ValueError: no such end or format, or no packets were recorded.
        OSError: the file cannot be written.
    """

def capture_all(
    result: RunResult,
    ends: Sequence[str],
    directory: str | PathLike[str],
    *,
    format: str = "pcapng",
    snap_length: int = 0,
) -> list[PathLike[str]]:
    """Writes captures taken at several link ends, or at ``all``, into a directory and returns their paths.

    Raises:
        ValueError: no such end or format, or no packets were recorded.
        OSError: a file cannot be written.
    """

def decoded(text: str | bytes, file: str) -> str:
    """The text of a file.

    Raises:
        ScenarioError: it is no UTF-8; the message says which byte, at which line and column.
    """

def place(text: str, path: str) -> tuple[int, int] | None:
    """Line and column, from 1, of the key at ``path`` in a TOML text of several lines, or of the nearest table above it."""

def file_names(names: Sequence[str]) -> list[str]:
    """A file's name for each of these names, no two the same."""

def too_deep(text: str) -> str | None:
    """What is wrong with a TOML or JSON text that is nested too deep for any reader: more than 64 tables, lists and parts of a key."""

def expanded(text: str | bytes, *, file: str = ..., sets: Sequence[str] = ..., seed: int | None = None) -> str:
    """The scenario as TOML, every shorthand and default written out. ``sets`` are ``key=value`` overrides.

    Raises:
        ScenarioError: the text is no scenario.
    """

def schema() -> str:
    """The JSON Schema of a scenario, as JSON."""

def stacks() -> str:
    """Every rule of every stack, as a JSON list of ``{"side", "rule", "about", "values": [[stack, value], ...]}``."""

class LiveError(RuntimeError):
    """A live run could not be, or broke off. The message says what was refused and what helps, in one line."""

@final
class Endpoints:
    """The sender and the receiver of one host, with the rules of a scenario's only flow, driven call by call.

    Times are in seconds. Sequence numbers count bytes; the SYN is number 0. The sender has nothing to send at first.

    Raises:
        ScenarioError: the text is no scenario.
        ValueError: it has no flow.
    """

    def __new__(cls, text: str | bytes) -> Endpoints: ...
    def start(self, now: float) -> None:
        """Opens the connection: the SYN leaves, if the rules have one."""
    def write(self, bytes: int, now: float) -> None:
        """The application writes so many bytes."""
    def on_ack(
        self,
        ack: int,
        now: float,
        *,
        sack: Sequence[tuple[int, int]] = ...,
        syn: bool = False,
        ece: bool = False,
        ts_ecr: float = 0.0,
        ace: int | None = None,
        counts: tuple[int, int] | None = None,
    ) -> None:
        """An ACK arrives, with up to three SACK blocks as ``(start, end)``.

        Args:
            ace: with accurate ECN, the number of AE, CWR and ECE, 0 to 7.
            counts: with accurate ECN, the option's bytes that came as ECT(0) and marked.
        """
    def set_window(self, bytes: int) -> None:
        """The peer's window is now so many bytes."""
    def resume(self, now: float) -> None:
        """The sender goes on as far as it may."""
    def on_segment(
        self,
        seq: int,
        len: int,
        now: float,
        *,
        syn: bool = False,
        fin: bool = False,
        push: bool = False,
        ecn: int = 0,
        cwr: bool = False,
        ts_val: float = 0.0,
        echo: int = 0,
        ace: int | None = None,
    ) -> None:
        """A segment arrives, of ``len`` sequence numbers; ``ecn`` is IP's field, 0 (not ECT) to 3 (CE)."""
    def due(self) -> float | None:
        """When the next timer runs out, if one is set."""
    def expire(self, now: float) -> None:
        """Lets the timers that are due by ``now`` run out, each once."""
    def take(self) -> str:
        """Packets sent since the last call, as JSON: the receiver's ACKs, then the sender's segments."""
    def state(self) -> str:
        """State as JSON: windows in segments, sequence numbers, counts."""

@final
class Programs:
    """A scenario's programs, and its network between them.

    Raises:
        ScenarioError: the text is no scenario.
    """

    def __new__(
        cls, text: str | bytes, *, file: str = "scenario", sets: Sequence[str] = ..., seed: int | None = None
    ) -> Programs: ...
    def json(self) -> str:
        """Title, seed, latest end, each node's name with its two addresses, the nodes of ``{server}`` and ``{client}``, the programs."""
    def scenario_toml(self) -> str:
        """The scenario, every shorthand and default written out, as TOML."""
    def run(
        self,
        kernels: Sequence[tuple[str, Sequence[str], Sequence[tuple[str, str]], Sequence[str], Sequence[str]]],
        *,
        directory: str | PathLike[str],
        captures: str | PathLike[str] | None = None,
        patience_s: float = 60.0,
    ) -> tuple[RunResult, str]:
        """Runs it on kernels, each by node, words, environment, and what it reads and writes of the machine. Second: streams, and how each kernel ended, as JSON.

        Args:
            directory: a new one with a short name, for sockets.
            captures: a directory for each kernel's packets, as NODE.pcap.
            patience_s: how long a kernel may compute while its clock stands.

        Raises:
            LiveError: the run could not be, or broke off.
        """
    def run_live(
        self,
        places: Sequence[tuple[str, int, int]],
        *,
        begin_ns: int,
        captures: str | PathLike[str] | None = None,
        late_s: float = 1e-3,
        urgent: bool = False,
    ) -> tuple[RunResult, str]:
        """Runs it between namespaces of this machine. Second: streams, lateness and validity, as JSON.

        Args:
            places: for each a node, the descriptor of its network card, and one that is readable when its programs have ended.
            begin_ns: the first instant, in nanoseconds of the monotonic clock.
            captures: a directory for each node's packets, as NODE.pcap.
            late_s: the run is invalid if one packet in a hundred leaves later than this.
            urgent: with real-time priority.

        Raises:
            LiveError: the run could not be, or broke off.
        """

@final
class LivePlan:
    """A scenario's live run, planned: what can be said of it without any privilege.

    Raises:
        ScenarioError: the text is no scenario, or one that no live run can do.
    """

    def __new__(
        cls,
        text: str | bytes,
        *,
        file: str = "scenario",
        sets: Sequence[str] = ...,
        seed: int | None = None,
        kernel_acks: bool = False,
        control: str | None = None,
        sender: str | None = None,
        in_virtual_time: bool = False,
    ) -> LivePlan: ...
    def json(self) -> str:
        """Links each way, flows, what the kernels are told, and in what they differ from the scenario."""
    def scenario_toml(self) -> str:
        """The scenario, every shorthand and default written out, as TOML."""
    def run(
        self,
        *,
        late: str = "1ms",
        realtime: bool = False,
        captures: str | PathLike[str] | None = None,
        capture_bytes: int = 0,
    ) -> LiveResult:
        """Runs it. The result is invalid if one packet in a hundred left later than ``late``.

        ``captures`` is a directory for ``sender.pcap`` and ``receiver.pcap``.

        Raises:
            ValueError: ``late`` is no time.
            LiveError: it could not be, or broke off.
        """

    def play(self, side: int, epoch_ns: int) -> str:
        """In the first process of a kernel: does the work of a side, 0 for the senders'. What is to be left for :meth:`run_virtual`, as JSON."""
    def run_virtual(
        self,
        kernels: Sequence[tuple[Sequence[str], Sequence[tuple[str, str]], str | PathLike[str]]],
        *,
        directory: str | PathLike[str],
        captures: str | PathLike[str] | None = None,
        capture_bytes: int = 0,
        patience_s: float = 600.0,
    ) -> tuple[LiveResult | None, str]:
        """Runs it between two kernels under one virtual clock.

        Each kernel is the words that start it, its environment, and the file in which its first process leaves what :meth:`play` gave.
        ``directory`` is a new one with a short name, for sockets. The result, if both files are there; and as JSON how each kernel ended.

        Raises:
            LiveError: it could not be, or broke off.
        """

@final
class LiveResult:
    """What a live run told."""

    @property
    def valid(self) -> bool:
        """Whether the numbers mean what they say."""
    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...
    @property
    def series(self) -> Table:
        """The senders' state every 5 ms."""
    @property
    def queue(self) -> Table: ...
    def json(self) -> str:
        """The summary, on one line."""

def columns(table: str) -> list[dict[str, Any]]: ...
def live_probe() -> str:
    """What of live runs works here, found out by trying, as JSON."""
