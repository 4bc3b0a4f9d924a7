"""The pages' Content-Security-Policy: nothing is fetched, and only the scripts and styles named here count (CSP Level 3)."""

from __future__ import annotations

import base64
import hashlib


def policy(scripts: list[str], styles: list[str], *, style_attributes: bool = False, worker: bool = False) -> str:
    """The policy of a page with these inline scripts and styles; charts in SVG need style attributes.

    With ``worker`` the page may start a worker made of its own text, which may compile WebAssembly (CSP Level 3).
    """
    attributes = "; style-src-attr 'unsafe-inline'" if style_attributes else ""
    program = " 'wasm-unsafe-eval'; worker-src blob:" if worker else ""
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}{program}; style-src-elem {_hashes(styles)}{attributes}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _hashes(parts: list[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'" for part in parts)
