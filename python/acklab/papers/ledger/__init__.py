"""The ledger: the claims of five papers and of later work, and their criteria, one TOML file a paper."""
