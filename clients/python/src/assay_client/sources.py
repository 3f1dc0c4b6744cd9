"""Official files that the service fetches itself."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Mapping, Optional

from . import documents
from .errors import AssayError, NotFound
from .types import Dataset


def fetch_source(
    graphql: Callable[[str, Mapping[str, Any]], Dict[str, Any]],
    changed: Callable[[Mapping[str, Any]], None],
    source: str,
    name: Optional[str],
    progress: bool,
    poll_seconds: float,
) -> Dataset:
    """See ``Client.import_source``. ``changed`` raises for the user errors of a mutation."""
    payload = documents.present({"source": source.upper().replace("-", "_"), "name": name})
    answer = graphql(documents.IMPORT_SOURCE, {"input": payload})["importDataset"]
    changed(answer)
    if answer["dataset"] is not None:
        return documents.dataset_of(answer)
    download = answer["download"]
    shown = ""
    while download["status"] not in ("COMPLETED", "FAILED"):
        time.sleep(poll_seconds)
        download = graphql(documents.DOWNLOAD, {"id": download["id"]})["datasetDownload"]
        if download is None:
            raise NotFound("NOT_FOUND", "The download is gone.")
        line = f"{source}: {download['status'].lower()}, {download['bytesDone'] / 1e6:.0f} MB"
        if progress and line != shown:
            sys.stderr.write(f"{line} of {download['bytesTotal'] / 1e6:.0f} MB\n")
            shown = line
    if download["status"] == "FAILED":
        raise AssayError(download["reason"], f"{download['message']} Call it again to go on.")
    if download["dataset"] is None:
        raise NotFound("NOT_FOUND", "The dataset was deleted as soon as it was there.")
    return documents.dataset_of({"dataset": download["dataset"], "created": True})
