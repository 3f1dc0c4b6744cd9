"""Live verdicts by server-sent events: each once and in order, over broken connections too."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any, Callable, Dict, Iterator, Optional, TypedDict

from .errors import AssayError, NotFound, RateLimited, Unreachable, service_error
from .http import Transport, blocks

#: Between two attempts to connect, in seconds.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 10.0


class StreamedVerdict(TypedDict):
    """A verdict as it arrives; the names are those of the columns of ``Client.verdicts``."""

    sequence: int
    ordinal: int
    criterion_no: int
    criterion: str
    points: float
    axis: Optional[str]
    tags: str
    criteria_met: bool
    explanation: str
    attempts: int
    latency_ms: int
    graded_at: str


class Event(Dict[str, str]):
    """The fields of one server-sent event: id, event, data."""


def follow(
    transport: Transport, path: str, after: int, give_up_after: float, on_batch: Optional[Callable[[Any], None]] = None
) -> Iterator[StreamedVerdict]:
    """The verdicts of a run after sequence number ``after``, until the run is over. Connects again with the number
    of the last verdict handed out; raises Unreachable when that has not worked for ``give_up_after`` seconds,
    NotFound when the run is deleted and Unauthenticated when the key is revoked or expires."""
    cursor = after
    alive = time.monotonic()
    pause = FIRST_PAUSE
    while True:
        problem: BaseException = Unreachable("UNREACHABLE", "The stream ended before the run did.")
        try:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(cursor)}
            with transport.open("GET", path, headers=headers) as response:
                for event in parse_events(blocks(response)):
                    alive, pause = time.monotonic(), FIRST_PAUSE
                    if event.get("event") == "end":
                        return
                    if event.get("event") == "closed":
                        _check_closed(json.loads(event["data"]))
                        problem = Unreachable("UNREACHABLE", "The role of the key has changed.")
                        break
                    if event.get("event") != "verdicts":
                        continue
                    batch = json.loads(event["data"])
                    if on_batch is not None:
                        on_batch(batch)
                    for verdict in batch["verdicts"]:
                        cursor = verdict["sequence"]
                        yield _flat(verdict)
        except RateLimited as error:
            problem, pause = error, max(pause, error.retry_after)
        except AssayError as error:
            if not _may_pass(error):
                raise
            problem = error
        except (http.client.HTTPException, OSError, EOFError) as error:
            problem = error
        if time.monotonic() - alive > give_up_after:
            raise Unreachable(
                "UNREACHABLE",
                f"The stream broke and could not be restored for {give_up_after:g} s ({problem}). The run goes on; "
                f"go on reading with after={cursor}.",
            ) from problem
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def parse_events(chunks: Iterator[bytes]) -> Iterator[Event]:
    """Server-sent events from bytes that come in any pieces. What is cut at the end is dropped, as the standard
    says: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream"""
    event = Event()
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in (line.rstrip(b"\r").decode("utf-8") for line in lines):
            if line == "":
                if "data" in event:
                    yield event
                event = Event()
            elif not line.startswith(":"):
                name, _, value = line.partition(":")
                value = value[1:] if value.startswith(" ") else value
                event[name] = f"{event[name]}\n{value}" if name == "data" and name in event else value


#: Of an event ``closed``: the role of the key has changed, so that one connects again; and the run was deleted.
ROLE_CHANGED = 4410
RUN_GONE = 4404


def _check_closed(closed: Dict[str, Any]) -> None:
    """Raises unless it makes sense to connect again."""
    if closed["code"] == RUN_GONE:
        raise NotFound("NOT_FOUND", "The run has been deleted.")
    if closed["code"] != ROLE_CHANGED:
        raise service_error("UNAUTHENTICATED", f"{closed['reason']}.")


def _may_pass(error: AssayError) -> bool:
    return error.code in ("UNREACHABLE", "UNAVAILABLE", "INTERNAL_SERVER_ERROR")


def _flat(verdict: Dict[str, Any]) -> StreamedVerdict:
    criterion = verdict["criterion"]
    return {
        "sequence": verdict["sequence"],
        "ordinal": verdict["ordinal"],
        "criterion_no": criterion["no"],
        "criterion": criterion["text"],
        "points": criterion["points"],
        "axis": criterion["axis"],
        "tags": " ".join(criterion["tags"]),
        "criteria_met": verdict["criteriaMet"],
        "explanation": verdict["explanation"],
        "attempts": verdict["attempts"],
        "latency_ms": verdict["latencyMs"],
        "graded_at": verdict["gradedAt"],
    }
