"""What `tune` and `infer` are made of: free keys, drawn paths, objectives, the plan's common keys, runs, output files."""
