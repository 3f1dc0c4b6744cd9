"""Bulk export, row by row in constant memory: whole, or visibly failed."""

from __future__ import annotations

import hashlib
import http.client
import json
from typing import Any, Iterator, List, Optional

from .errors import IncompleteDownload
from .http import Transport, blocks
from .rows import Row


class Download:
    """A table of the export. Iterating yields its rows; the end is reached only when every row has come, and for
    a service that sends it, the sha256 of the bytes is right. Anything else raises IncompleteDownload."""

    def __init__(self, transport: Transport, path: str, table: str) -> None:
        query = {"table": table, "format": "jsonl"}
        self._response = transport.open("GET", path, query=query, headers={"Accept-Encoding": "gzip"})
        headers = self._response.headers
        #: How many rows the service has announced.
        self.row_count: Optional[int] = _whole(headers.get("x-assay-rows"))
        names = headers.get("x-assay-columns")
        self.columns: Optional[List[str]] = names.split(",") if names else None

    def __iter__(self) -> Iterator[Row]:
        digest = hashlib.sha256()
        count = 0
        with self._response as response:
            try:
                for line in _lines(response, digest):
                    yield json.loads(line)
                    count += 1
            except (http.client.HTTPException, OSError, EOFError, ValueError) as error:
                raise self._broken(count, f"the connection broke: {error or type(error).__name__}") from error
            announced = getattr(response, "trailers", {}).get("x-assay-sha256")
        if self.row_count is not None and count != self.row_count:
            raise self._broken(count, "the rest never came")
        if announced is not None and announced != digest.hexdigest():
            raise self._broken(count, "its bytes are not those that the service sent (sha256)")

    def close(self) -> None:
        """Ends the download early."""
        self._response.close()

    def _broken(self, count: int, why: str) -> IncompleteDownload:
        of = "an unknown number" if self.row_count is None else str(self.row_count)
        message = f"{count} of {of} rows came, then {why}. Do not use what came; download again."
        return IncompleteDownload("INCOMPLETE_DOWNLOAD", message)


def _lines(response: Any, digest: Any) -> Iterator[bytes]:
    rest = b""
    for block in blocks(response):
        digest.update(block)
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    if rest:
        # Every row ends with a line feed.
        raise EOFError("the last row is cut")


def _whole(text: Optional[str]) -> Optional[int]:
    return int(text) if text and text.isdigit() else None
