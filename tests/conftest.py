"""What holds for all tests: their commands receive SIGINT; long texts are compared fast."""

from __future__ import annotations

import os
import signal

import pytest

# Also where the tests themselves run as a background job, which ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("long") and "ACKLAB_LONG" not in os.environ:
        pytest.skip("takes long: make test-all")


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Where two long texts first differ; pytest's own comparison takes hours for a line of a megabyte."""
    if op != "==" or not isinstance(left, str) or not isinstance(right, str) or max(len(left), len(right)) < 100_000:
        return None
    first = len(os.path.commonprefix([left, right]))
    near = slice(max(0, first - 200), first + 200)
    return [f"texts of {len(left)} and {len(right)} characters differ from character {first}", left[near], right[near]]
