"""One BLAS thread while summaries are made and models updated.

With more, the bits of a large solve depend on how many there are. The limit holds for the whole
process, so its users are counted: the first sets it, the last restores what was there.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController


class _OneBlasThread:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._libraries: Any = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                if self._libraries is None:
                    import scipy.linalg.blas  # noqa: F401  (its library must be loaded to be seen)

                    self._libraries = ThreadpoolController().select(user_api="blas")
                self._limit = self._libraries.limit(limits=1)
            self._users += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limit.restore_original_limits()
                self._limit = None


one_blas_thread = _OneBlasThread()
