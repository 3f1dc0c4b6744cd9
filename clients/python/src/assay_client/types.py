"""What the client's methods return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

#: A run is over in these states.
FINAL = ("COMPLETED", "CANCELLED", "FAILED")


@dataclass(frozen=True)
class Dataset:
    """An imported, immutable list of conversations."""

    id: str
    name: str
    sha256: str
    conversations: int
    criteria: int
    #: Name of the official HealthBench file with this content, if it is one.
    official_name: Optional[str] = None
    warnings: Tuple[str, ...] = ()
    #: False: the team had this content already.
    created: bool = False


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``eta_seconds`` is None before the first verdict and after the end."""

    conversations_total: int
    conversations_done: int
    conversations_failed: int
    criteria_total: int
    criteria_done: int
    criteria_ungraded: int
    eta_seconds: Optional[float] = None


@dataclass(frozen=True)
class Run:
    """An evaluation as it was when it was asked for. ``score`` is None until something is scored; never read it
    without ``n``, ``coverage`` and ``interval``."""

    id: str
    name: str
    status: str
    status_reason: Optional[str]
    model: str
    grader: str
    score: Optional[float]
    n: int
    coverage: Optional[float]
    #: Low and high, and how sure: (0.41, 0.52, 0.95).
    interval: Optional[Tuple[float, float, float]]
    #: Replies or verdicts were made up by a simulated provider.
    simulated: bool
    progress: Progress
    #: What to know before quoting a number, the gravest first.
    warnings: Tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether it will change no more by itself."""
        return self.status in FINAL

    def __str__(self) -> str:
        head = f"{self.name}: {self.status}, {self.model} graded by {self.grader}"
        if self.score is None:
            return f"{head}; no score{f' ({self.status_reason})' if self.status_reason else ''}"
        limits = ""
        if self.interval is not None:
            low, high, confidence = self.interval
            limits = f" [{low:.3f}, {high:.3f}] at {confidence:.0%}"
        coverage = "" if self.coverage is None else f", coverage {self.coverage:.1%}"
        warnings = "".join(f"\nWarning: {warning}" for warning in self.warnings)
        return f"{head}; score {self.score:.3f}{limits}, n = {self.n}{coverage}{warnings}"


@dataclass(frozen=True)
class Comparison:
    """Two runs over the conversations that have a score in both. ``difference`` is candidate minus baseline, so
    above 0 the candidate is better; None when there is none, and ``unavailable_reason`` says why."""

    baseline: Run
    candidate: Run
    #: Whether the scores of the two runs may be put side by side.
    comparable: bool
    difference: Optional[float]
    #: Low and high of the difference, and how sure.
    interval: Optional[Tuple[float, float, float]]
    p_value: Optional[float]
    baseline_score: Optional[float]
    candidate_score: Optional[float]
    #: What the numbers are over.
    conversations: int
    wins: int
    ties: int
    losses: int
    #: By theme and by axis; p-values corrected for their number stand in ``adjusted_p_value``.
    themes: Any = field(repr=False)
    axes: Any = field(repr=False)
    #: In which conditions the runs differ, the gravest first.
    differences: List[Dict[str, Any]] = field(repr=False)
    #: What to know before quoting a number.
    warnings: List[str] = field(repr=False)
    unavailable_reason: Optional[str] = None

    def __str__(self) -> str:
        head = f"{self.candidate.name} against {self.baseline.name}"
        warnings = "".join(f"\nWarning: {warning}" for warning in self.warnings)
        if self.difference is None:
            return f"{head}: no difference can be given ({self.unavailable_reason}){warnings}"
        limits = ""
        if self.interval is not None:
            low, high, confidence = self.interval
            limits = f" [{low:+.3f}, {high:+.3f}] at {confidence:.0%}"
        return (
            f"{head}: {self.difference:+.3f}{limits}, p = {self.p_value:.3g}, over {self.conversations} conversations "
            f"({self.wins} better, {self.ties} equal, {self.losses} worse){warnings}"
        )


def interval_of(found: Optional[Mapping[str, Any]]) -> Optional[Tuple[float, float, float]]:
    """Low, high and confidence of an ``Interval`` of the API."""
    return None if found is None else (found["low"], found["high"], found["confidence"])
