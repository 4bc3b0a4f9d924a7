"""Many runs as one question: sweeps, comparisons, searches, datasets."""
