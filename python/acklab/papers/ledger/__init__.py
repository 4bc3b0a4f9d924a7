"""The ledger: what five papers define and claim, one TOML file a paper; `<paper>-criteria.toml` says it to a machine."""
