"""One study with four doors: many runs as one question. compare, sweep, tune and infer; the dataset of a large sweep."""
