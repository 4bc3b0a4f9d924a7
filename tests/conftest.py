"""Every test's commands receive SIGINT, also where the tests themselves run as a background job, which ignores it."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
