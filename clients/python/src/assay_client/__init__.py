"""Assay from Python: start evaluations, watch their verdicts, pull whole runs into data frames.

>>> from assay_client import Client
>>> client = Client()
>>> run = client.wait(client.start_run("examples/sample.jsonl"))
>>> client.verdicts(run)
"""

from .client import Client
from .errors import (
    AssayError,
    Forbidden,
    IncompleteDownload,
    NotFound,
    RateLimited,
    RunNotCompleted,
    Unauthenticated,
    Unreachable,
    WaitTimeout,
)
from .events import StreamedVerdict
from .rows import Rows
from .types import Comparison, Dataset, Progress, Run

__version__ = "0.1.0"

__all__ = [
    "AssayError",
    "Client",
    "Comparison",
    "Dataset",
    "Forbidden",
    "IncompleteDownload",
    "NotFound",
    "Progress",
    "RateLimited",
    "Rows",
    "Run",
    "RunNotCompleted",
    "StreamedVerdict",
    "Unauthenticated",
    "Unreachable",
    "WaitTimeout",
]
