"""scipy must know of the array API before it is first imported, or scikit-learn skips a check."""

import os
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, and so would tests

os.environ["SCIPY_ARRAY_API"] = "1"
