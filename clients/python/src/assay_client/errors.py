"""What can go wrong, as exceptions: each has a ``code`` for programs and a message that says what to do."""

from __future__ import annotations

from typing import Any, Optional


class AssayError(Exception):
    """An expected failure. ``code`` is the service's (``NOT_FOUND``, ``INVALID_INPUT``, …) or one of the client's."""

    def __init__(self, code: str, message: str, request_id: Optional[str] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: Under which the service's log has the whole story.
        self.request_id = request_id

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Unreachable(AssayError):
    """Nothing answers, or the connection broke and could not be restored."""


class Unauthenticated(AssayError):
    """There is no API key, or the service does not accept it."""


class Forbidden(AssayError):
    """The key's role is too low."""


class NotFound(AssayError):
    """There is no such thing in this team."""


class RateLimited(AssayError):
    """Too much in too short a time. ``retry_after`` is in seconds."""

    def __init__(self, code: str, message: str, request_id: Optional[str] = None, retry_after: float = 1.0) -> None:
        super().__init__(code, message, request_id)
        self.retry_after = retry_after


class IncompleteDownload(AssayError):
    """A download that is not whole: rows are missing or bytes differ. What came of it must not be used."""


class RunNotCompleted(AssayError):
    """A run that was waited for is paused, cancelled or failed. ``run`` has its state."""

    def __init__(self, code: str, message: str, run: Any) -> None:
        super().__init__(code, message)
        self.run = run


class WaitTimeout(AssayError):
    """A run is not over within the time given. It goes on all the same."""


_CLASSES = {
    "UNAUTHENTICATED": Unauthenticated,
    "FORBIDDEN": Forbidden,
    "NOT_FOUND": NotFound,
}

_ADVICE = {
    "UNAUTHENTICATED": "Set ASSAY_API_KEY to a key of your team, or use the data folder of the running service "
    "(ASSAY_DATA_DIR).",
    "FORBIDDEN": "Make a key with a higher role: assay keys create NAME --role runner|admin",
}


def service_error(
    code: str, message: str, request_id: Optional[str] = None, retry_after: Optional[float] = None
) -> AssayError:
    """The exception for an error that the service reports, with what to do about it where that is known."""
    if code == "RATE_LIMITED":
        return RateLimited(code, message, request_id, retry_after if retry_after is not None else 1.0)
    if code in _ADVICE:
        message = f"{message} {_ADVICE[code]}"
    if code == "INTERNAL_SERVER_ERROR" and request_id and request_id not in message:
        message = f"{message} (request {request_id})"
    return _CLASSES.get(code, AssayError)(code, message, request_id)
