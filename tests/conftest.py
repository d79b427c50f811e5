"""scipy must know of the array API before it is first imported, or scikit-learn skips a check."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"
