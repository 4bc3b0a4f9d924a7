"""Commit messages say why."""

import doctest
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import commits


def test_every_commit_says_why():
    found = commits.messages()
    if not found:
        pytest.skip("the history is not at hand")
    assert [(name, fault) for name, text in found for fault in commits.faults(text)] == []


def test_examples():
    assert doctest.testmod(commits).failed == 0


def test_a_long_subject_and_a_crowded_second_line_are_faults():
    assert len(commits.faults("a" * 73 + "\nmore")) == 2
