"""Later work, classics and studies: a package each, which ``acklab reproduce`` finds by the entry points of pyproject.toml."""
