"""Waiting for a run, with a line of progress."""

from __future__ import annotations

import sys
import time
from typing import Callable, Optional, Union

from .errors import RateLimited, RunNotCompleted, Unreachable, WaitTimeout
from .types import Progress, Run

#: How long the service may be away while a run is waited for, in seconds.
PATIENCE = 120.0


def wait_for(
    look: Callable[[], Run],
    progress: Union[bool, Callable[[Progress], None]],
    timeout: Optional[float],
    poll_seconds: float,
) -> Run:
    """See ``Client.wait``."""
    begin = seen = time.monotonic()
    line = _Line() if progress is True else None
    try:
        while True:
            pause = poll_seconds
            try:
                run = look()
                seen = time.monotonic()
            except (Unreachable, RateLimited) as error:
                # The run goes on without its watchers.
                if time.monotonic() - seen > PATIENCE:
                    raise
                pause = max(pause, getattr(error, "retry_after", 0.0))
            else:
                if line is not None:
                    line.show(run)
                elif callable(progress):
                    progress(run.progress)
                if run.status == "COMPLETED":
                    return run
                if run.is_over or run.status == "PAUSED":
                    raise _not_completed(run)
            if timeout is not None and time.monotonic() - begin + pause > timeout:
                raise WaitTimeout("TIMEOUT", f"The run is not over after {timeout:g} s. It goes on; wait again for it.")
            time.sleep(pause)
    finally:
        if line is not None:
            line.end()


def _not_completed(run: Run) -> RunNotCompleted:
    reason = f": {run.status_reason}" if run.status_reason else ""
    advice = {
        "PAUSED": "client.resume(run) goes on with what is missing.",
        "FAILED": "client.retry(run) tries again what is missing.",
    }.get(run.status, "What has arrived is kept: client.verdicts(run).")
    return RunNotCompleted(f"RUN_{run.status}", f"The run {run.name} is {run.status}{reason}. {advice}", run)


class _Line:
    """One line on stderr that is written over; where nobody sees it move, a line a minute would be noise: none."""

    def __init__(self) -> None:
        # A notebook shows stderr as well, and also moves its cursor back.
        self._visible = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
        self._shown = ""

    def show(self, run: Run) -> None:
        if not self._visible:
            return
        done, total = run.progress.criteria_done, run.progress.criteria_total
        eta = run.progress.eta_seconds
        text = f"{run.name}: {run.status.lower()}, {done} of {total} criteria"
        text += "" if eta is None else f", {eta:.0f} s to go"
        sys.stderr.write("\r" + text.ljust(len(self._shown)))
        sys.stderr.flush()
        self._shown = text

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
