"""What a verb left, opened again."""

from __future__ import annotations

import os
from pathlib import Path

from ..results.directory import opened
from ..results.result import KINDS, Loaded, Result
from ..results.stored import stored_in


def load(directory: str | os.PathLike[str]) -> Result:
    """The results that a verb left in a directory: a :class:`Run`, an :class:`Analysis`, or tables, findings and page of any other.

    >>> import acklab, tempfile
    >>> with tempfile.TemporaryDirectory() as out:
    ...     swept = acklab.sweep("examples/allman1998.toml", vary={"link.1.queue.packets": [8, 22]}, metric="completion", out=out)
    ...     acklab.load(out).table("summary")["mean"].to_list() == swept.summary["mean"].to_list()
    True

    Raises:
        ValueError: the directory holds no such results; the message says what is there.
        OSError: it cannot be read.
    """
    folder = Path(directory)
    about = opened(folder)
    if about["verb"] == "run":
        from ..runs import Run

        return Run(stored_in(folder))
    if about["verb"] == "analyze" and "capture" in about:
        from ..captures import stored

        return stored(folder)
    if about["verb"] not in KINDS:
        tables = [name for name in about["files"] if name.endswith(".parquet")]
        raise ValueError(
            f"{folder} holds results of acklab {about['verb']}, whose tables are files: {', '.join(tables) or 'none'}"
        )
    return Loaded(folder, about)
