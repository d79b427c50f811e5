"""When to stop: rules that compose. `Gap(1e-6) | Rounds(100) | Seconds(60)`."""

from __future__ import annotations

from dataclasses import dataclass

from tenfold.core.certificate import Certificate


class Stop:
    """A rule that looks at a fit and says why to stop, or None to go on."""

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        """The reason to stop now, or None."""
        raise NotImplementedError

    def __or__(self, other: Stop) -> Stop:
        return Either(self, other)


@dataclass(frozen=True)
class Either(Stop):
    """Stop as soon as one of two rules says so."""

    left: Stop
    right: Stop

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return self.left(step, certificate, seconds) or self.right(step, certificate, seconds)


@dataclass(frozen=True)
class Rounds(Stop):
    """Stop after so many updates."""

    most: int

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return f"{self.most} rounds" if step >= self.most else None


@dataclass(frozen=True)
class Seconds(Stop):
    """Stop when so much time has gone by."""

    most: float

    def __call__(self, step: int, certificate: Certificate | None, seconds: float) -> str | None:
        return f"{self.most:g} seconds" if seconds >= self.most else None


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
