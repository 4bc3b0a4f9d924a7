"""Texts: TOML, plans, what users are shown, the terminal."""
