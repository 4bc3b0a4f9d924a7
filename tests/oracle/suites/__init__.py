"""ns-2.35's own test suites: their facts, and acklab judged by them."""
