"""Colours that are told apart by everyone, on both backgrounds."""

from itertools import combinations

import numpy as np
import pytest

from acklab.plot import palette

# Simulation of full colour-vision deficiencies in linear RGB (Machado, Oliveira, Fernandes 2009, table 1).
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Linear RGB to OKLab (Ottosson 2020).
LMS = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
LAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip


def linear(colour):
    v = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    return np.array(LAB) @ np.cbrt(np.array(LMS) @ np.clip(rgb, 0, 1))


def luminance(colour):
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_every_pair_is_told_apart(theme, sight):
    seen = {slot: oklab(np.array(SIGHT[sight]) @ linear(shades[theme])) for slot, shades in palette.SLOTS.items()}
    for a, b in combinations(seen, 2):
        assert np.linalg.norm(seen[a] - seen[b]) >= 0.09, f"{a} and {b}"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("slot", palette.SLOTS)
def test_contrast_with_the_background(theme, slot):
    a, b = sorted([luminance(palette.SLOTS[slot][theme]), luminance(palette.BACKGROUND[theme])])
    assert (b + 0.05) / (a + 0.05) >= 3


@pytest.mark.parametrize("family", palette.FAMILIES)
def test_no_colour_twice_in_a_family(family):
    slots = [palette.slot_of(name) for name in palette.FAMILIES[family]]
    assert None not in slots
    assert len(set(slots)) == len(slots)


def test_known_names_keep_their_colour_whatever_else_is_drawn():
    assert palette.slots_for(["delayed", "something", "every"])[0::2] == ["orange", "blue"]
    assert palette.slots_for(["every, reno", "every, sack"]) == ["blue", "green"]
    assert palette.slots_for(["x", "every"])[1] == "blue"
    assert len(set(palette.slots_for([f"flow{i}" for i in range(9)]))) == 9
    assert len(palette.slots_for([f"flow{i}" for i in range(40)])) == 40


def test_unknown_names_are_refused_by_name():
    with pytest.raises(KeyError, match="no colour for 'unheard-of'"):
        palette.colour("unheard-of")
    with pytest.raises(ValueError, match="no colour slot"):
        palette.register("mine", "ultraviolet")
