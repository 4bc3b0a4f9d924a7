"""The JSON Schema of a sweep's plan: its keys with their types and meaning."""

from __future__ import annotations

from typing import Any

from .axes import DERIVE_KEYS, ROUND
from .grammar import RANGE_FORMS, UNITS
from .seeds import MOST_SEEDS, SEED_FORMS
from .sweep import KEYS


def plan_schema() -> dict[str, Any]:
    """A plan's keys with their types and meaning; scenario keys are checked when the plan is read."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A plan for acklab sweep",
        "type": "object",
        "additionalProperties": False,
        "required": ["scenario"],
        "anyOf": [{"required": [key]} for key in ("vary", "together", "alternatives")],
        "properties": {key: {"description": one.about, **_KINDS[key]} for key, one in KEYS.items()},
        "$defs": {
            "values": _values_schema(),
            # Without quotes TOML reads flow.0.start as tables in each other.
            "varied": {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/values"}},
            "made": {"type": "object", "additionalProperties": _EITHER},
            "factors": {"anyOf": [_FACTOR, {"type": "array", "items": _FACTOR}]},
            "derived": _derived_schema(),
        },
    }


_FACTOR: dict[str, Any] = {"type": ["number", "string"]}
_EITHER: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/derived"}, {"$ref": "#/$defs/made"}]}
_KINDS: dict[str, dict[str, Any]] = {
    "$schema": {"type": "string"},
    "title": {"type": "string"},
    "scenario": {"anyOf": [{"type": "string"}, {"type": "object"}]},
    "set": {"type": "object"},
    "vary": {"$ref": "#/$defs/varied"},
    "together": {"type": "array", "items": {"$ref": "#/$defs/varied"}},
    "alternatives": {
        "type": "object",
        "additionalProperties": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "object"}},
    },
    "derive": {"$ref": "#/$defs/made"},
    "draw": {"type": "object"},
    "seeds": {
        "description": SEED_FORMS,
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": MOST_SEEDS},
            {
                "type": "object",
                "additionalProperties": False,
                "required": ["half_width"],
                "properties": {
                    "at_least": {"type": "integer", "minimum": 2, "maximum": MOST_SEEDS, "default": 5},
                    "at_most": {"type": "integer", "minimum": 2, "maximum": MOST_SEEDS, "default": 100},
                    "half_width": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                    "metric": {"type": "string"},
                },
            },
        ],
    },
    "spread_starts": {"type": "string"},
    "metrics": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "names": {"type": "object"},
    "columns": {"type": "array", "items": {"type": "string"}, "minItems": 1},
}


def _values_schema() -> dict[str, Any]:
    ends = {"from": {"type": ["number", "string"]}, "to": {"type": ["number", "string"]}}
    more = {
        "points": {"type": "integer", "minimum": 2},
        "step": {"type": ["number", "string"]},
        "scale": {"enum": ["linear", "log"]},
    }
    a_range = {
        "type": "object",
        "additionalProperties": False,
        "required": ["from", "to"],
        "properties": {**ends, **more},
    }
    return {
        "description": RANGE_FORMS,
        "anyOf": [{"type": "array", "minItems": 1}, {"type": "string"}, a_range, {"$ref": "#/$defs/varied"}],
    }


def _derived_schema() -> dict[str, Any]:
    """The schema of a derived value."""
    kinds: dict[str, Any] = {
        "times": {"$ref": "#/$defs/factors"},
        "over": {"$ref": "#/$defs/factors"},
        "plus": {"$ref": "#/$defs/factors"},
        "round": {"enum": list(ROUND)},
        "at_least": {"type": "number"},
        "at_most": {"type": "number"},
        "unit": {"enum": list(UNITS)},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["times"],
        "properties": {key: {"description": one.about, **kinds[key]} for key, one in DERIVE_KEYS.items()},
    }
