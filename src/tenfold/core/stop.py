"""When to stop: rules that compose. `Gap(1e-6) | Rounds(100) | Seconds(60)`."""

from __future__ import annotations

from dataclasses import dataclass

from tenfold.core.certificate import Certificate, number_of


class Stop:
    """Stopping rule: a function of the progress of a fit that returns the reason to stop, or None to continue."""

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        """The reason to stop now, or None."""
        raise NotImplementedError

    def __or__(self, other: Stop) -> Stop:
        return Either(self, other)


@dataclass(frozen=True)
class Either(Stop):
    """Stopping rule that stops as soon as either of two rules does."""

    left: Stop
    right: Stop

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return self.left(step, certificate, seconds) or self.right(step, certificate, seconds)


@dataclass(frozen=True)
class Rounds(Stop):
    """Stopping rule: stop after n updates."""

    most: int

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return number_of(self.most, "round") if step >= self.most else None


@dataclass(frozen=True)
class Seconds(Stop):
    """Stopping rule: stop after t seconds."""

    most: float

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return number_of(self.most, "second") if seconds >= self.most else None


@dataclass(frozen=True)
class Gap(Stop):
    """Stop when the certified distance to the optimum is small enough."""

    most: float

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        gap = None if certificate is None else certificate.get("gap")
        return f"gap at most {self.most:g}" if gap is not None and gap.value <= self.most else None


@dataclass(frozen=True)
class Never(Stop):
    """Leave it to the learner."""

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return None
