"""The ledger of later work and of classics: their claims and criteria, one TOML file a paper."""
