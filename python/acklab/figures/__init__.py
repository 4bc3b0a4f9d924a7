"""Charts, HTML and statistics that sweeps, comparisons, analyses and papers share."""
