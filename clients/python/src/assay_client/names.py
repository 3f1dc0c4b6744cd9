"""Finds things by what people call them."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

from . import documents
from .errors import AssayError, NotFound
from .types import Run

#: An id, a name, "latest", a `Run`, or a row of ``Client.runs`` (a dictionary or a pandas series).
RunReference = Union[str, Run, Mapping[str, Any]]
Ask = Callable[[str, Mapping[str, Any]], Dict[str, Any]]
PAGE = 200


class Names:
    """Ids of runs, datasets and endpoints. ``ask`` sends a GraphQL operation."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def pages(
        self, field: str, document: str, limit: Optional[int], variables: Mapping[str, Any]
    ) -> Iterator[Dict[str, Any]]:
        """The nodes of a connection, page by page, ``limit`` at most."""
        left = limit
        after = None
        while left is None or left > 0:
            first = PAGE if left is None else min(PAGE, left)
            page = self._ask(document, {**variables, "after": after, "first": first})[field]
            yield from page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            left = left and left - len(page["nodes"])
            after = page["pageInfo"]["endCursor"]

    def run_id(self, run: RunReference) -> str:
        """The id of a run. An id or a name costs a request or two, an object none."""
        if isinstance(run, Run):
            return run.id
        if not isinstance(run, str):
            return str(run["run_id"] if "run_id" in run else run["id"])
        if run == "latest":
            newest = list(self.pages("runs", documents.RUN_NAMES, 1, {}))
            if not newest:
                raise NotFound("NOT_FOUND", "There is no run yet. Start one with client.start_run(…).")
            return str(newest[0]["id"])
        if self._ask(documents.RUN_ID, {"id": run})["run"] is not None:
            return run
        nodes = self.pages("runs", documents.RUN_NAMES, None, {"filter": {"name": run}})
        return _only("run", run, nodes, "client.runs() lists them.")

    def dataset_id(self, dataset: str) -> str:
        """The id of a dataset, by its id or unique name."""
        if self._ask(documents.DATASET, {"id": dataset})["dataset"] is not None:
            return dataset
        nodes = self.pages("datasets", documents.DATASETS, None, {"name": dataset})
        return _only("dataset", dataset, nodes, "Nor is there such a file: client.import_dataset(path).")

    def endpoint_id(self, endpoint: Optional[str]) -> Optional[str]:
        """The id of a model endpoint, by its id or unique name."""
        if endpoint is None:
            return None
        found: List[Dict[str, Any]] = self._ask(documents.ENDPOINTS, {})["modelEndpoints"]
        known = ", ".join(node["name"] for node in found) or "none yet: assay endpoints add"
        return _only("model endpoint", endpoint, iter(found), f"Known: {known}.")


def _only(kind: str, reference: str, nodes: Iterator[Dict[str, Any]], advice: str) -> str:
    matches = [str(node["id"]) for node in nodes if reference in (node["id"], node["name"])]
    if not matches:
        raise NotFound("NOT_FOUND", f'There is no {kind} with the id or name "{reference}". {advice}')
    if len(matches) > 1:
        raise AssayError("AMBIGUOUS", f'{len(matches)} {kind}s are named "{reference}". Say which by its id: {matches}')
    return matches[0]
