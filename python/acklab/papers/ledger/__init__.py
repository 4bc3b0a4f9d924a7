"""The ledger: the claims of five papers, and their criteria, one TOML file a paper."""
