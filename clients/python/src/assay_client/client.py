"""The client of one Assay service and one team."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Union

from . import documents
from .download import Download
from .errors import AssayError, NotFound, service_error
from .events import StreamedVerdict, follow
from .http import TIMEOUT, Transport
from .names import Names, RunReference
from .rows import Row, table
from .settings import read_settings
from .sources import fetch_source
from .types import Comparison, Dataset, Progress, Run
from .waiting import wait_for

DatasetReference = Union[str, "os.PathLike[str]", Dataset]
_UNSET: Any = object()


class Client:
    """Talks to an Assay service with a team's API key.

    ``url`` is ASSAY_URL by default, else http://127.0.0.1:4000; ``api_key`` is ASSAY_API_KEY by default, else the
    admin key that a service on this machine has written. ``timeout`` is how many seconds the service may be silent.

    Where a method takes a run, give its id, its name if no other run has it, ``"latest"``, a `Run`, or a row of
    `runs`. Every failure is an `AssayError` with a ``code``. A client may be shared by threads.
    """

    def __init__(self, url: Optional[str] = None, api_key: Optional[str] = None, timeout: float = TIMEOUT) -> None:
        self._transport = Transport(read_settings(url, api_key), timeout)
        self._names = Names(self.graphql)

    def __repr__(self) -> str:
        return f"Client({self._transport.settings.url!r})"

    # ---- asking

    def graphql(self, query: str, variables: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """The ``data`` of a GraphQL operation (queries and mutations; the schema is ``schema.graphql``). Errors of
        the operation are raised; the ``userErrors`` of a mutation are part of its data."""
        body = documents.request_body(query, variables)
        headers = {"Content-Type": "application/json"}
        answer = self._transport.json("POST", "/graphql", body=body, headers=headers)
        errors = answer.get("errors")
        if errors:
            extensions = errors[0].get("extensions", {})
            message = "\n".join(dict.fromkeys(error["message"] for error in errors))
            raise service_error(extensions.get("code", "UNKNOWN"), message, extensions.get("requestId"))
        found: Dict[str, Any] = answer["data"]
        return found

    def runs(self, limit: Optional[int] = None, **filter: Any) -> Any:
        """The team's runs, newest first, a row each. The filter is RunFilter's, in either spelling: ``name`` (a part
        of it), ``model``, ``grader``, ``status`` (one or a list), ``dataset_id``, ``created_after``,
        ``created_before``. Scores of runs that go on are provisional: see ``final``."""
        nodes = self._names.pages("runs", documents.RUNS, limit, {"filter": documents.run_filter(filter)})
        return documents.flat_table(nodes, documents.RUN_CELLS)

    def datasets(self, limit: Optional[int] = None, name: Optional[str] = None) -> Any:
        """The team's datasets, newest first, a row each; ``name`` is a part of theirs."""
        nodes = self._names.pages("datasets", documents.DATASETS, limit, {"name": name})
        return documents.flat_table(nodes, documents.DATASET_CELLS)

    def run(self, run: RunReference) -> Run:
        """A run as it is now."""
        found = self.graphql(documents.RUN, {"id": self._names.run_id(run)})["run"]
        if found is None:
            raise NotFound("NOT_FOUND", f"There is no run {run!r}. client.runs() lists them.")
        return documents.run_of(found)

    def compare(self, baseline: RunReference, candidate: RunReference) -> Comparison:
        """The difference of two runs, paired by conversation: candidate minus baseline."""
        pair = {"a": self._names.run_id(baseline), "b": self._names.run_id(candidate)}
        found = self.graphql(documents.COMPARE, pair)["compareRuns"]
        if found is None:
            raise NotFound("NOT_FOUND", "One of the two runs is not there. client.runs() lists them.")
        return documents.comparison_of(found)

    # ---- in bulk

    def verdicts(self, run: RunReference) -> Any:
        """Every verdict of a run so far, a row each, with criterion, reply and score on the row. As a data frame a
        run of 57,000 verdicts takes some hundred MB; `iter_verdicts` takes none."""
        return self._frame(run, "verdicts")

    def conversations(self, run: RunReference) -> Any:
        """Every conversation of a run, a row each, with its reply and score, or why it has none. ``messages`` is
        JSON text."""
        return self._frame(run, "conversations")

    def iter_verdicts(self, run: RunReference) -> Iterator[Row]:
        """The rows of `verdicts` one by one, in constant memory. Raises IncompleteDownload where the download breaks
        off, so a loop that ends has seen them all."""
        return self._rows(run, "verdicts")

    def iter_conversations(self, run: RunReference) -> Iterator[Row]:
        """The rows of `conversations` one by one, in constant memory."""
        return self._rows(run, "conversations")

    # ---- live

    def stream(self, run: RunReference, after: int = 0, reconnect_for: float = 300.0) -> Iterator[StreamedVerdict]:
        """Each verdict after sequence number ``after``, once and in order: first those that are there, then live,
        until the run is over, however it ends: see `run` for its status. A broken connection is restored where it
        broke; Unreachable is raised when that has not worked for ``reconnect_for`` seconds, NotFound when the run is
        deleted meanwhile, Unauthenticated when the key is revoked or expires."""
        path = f"/runs/{self._names.run_id(run)}/events"
        return follow(self._transport, path, after, reconnect_for)

    def wait(
        self,
        run: RunReference,
        progress: Union[bool, Callable[[Progress], None]] = True,
        timeout: Optional[float] = None,
        poll_seconds: float = 1.0,
    ) -> Run:
        """Waits until a run is completed and returns it. Shows its progress on stderr, or calls ``progress`` with it.
        Raises RunNotCompleted when it is paused, cancelled or failed, with the reason, and WaitTimeout after
        ``timeout`` seconds; the run goes on then."""
        run_id = self._names.run_id(run)
        return wait_for(lambda: self.run(run_id), progress, timeout, poll_seconds)

    # ---- doing

    def import_dataset(self, path: Union[str, "os.PathLike[str]"], name: Optional[str] = None) -> Dataset:
        """Imports a JSONL file in a HealthBench format: all of it or nothing. The same content twice is the same
        dataset. ``name`` is the file's by default."""
        file = Path(path)
        try:
            size = file.stat().st_size
            body = file.open("rb")
        except OSError as error:
            raise AssayError("NO_FILE", f"The file {file} cannot be read: {error.strerror}.") from error
        with body:
            headers = {"Content-Type": "application/x-ndjson", "Content-Length": str(size)}
            answer = self._transport.json(
                "POST", "/datasets", query={"name": name or file.stem}, body=body, headers=headers
            )
        return documents.dataset_of(answer)

    def import_source(
        self, source: str, name: Optional[str] = None, progress: bool = False, poll_seconds: float = 1.0
    ) -> Dataset:
        """Makes the service fetch an official file, and waits until it is imported: ``"healthbench-main"``,
        ``"healthbench-hard"`` or ``"healthbench-consensus"``. Size and sha256 are checked. Raises AssayError with the
        reason as its code when that failed; called again, it goes on where it was. ``progress`` writes to stderr."""
        return fetch_source(self.graphql, _check, source, name, progress, poll_seconds)

    def start_run(
        self,
        dataset: DatasetReference,
        model: Optional[str] = None,
        grader: Optional[str] = None,
        *,
        sample: Optional[int] = None,
        seed: Optional[int] = None,
        method: Optional[str] = None,
        prompt_ids: Optional[Sequence[str]] = None,
        repeats: Optional[int] = None,
        name: Optional[str] = None,
        endpoint: Optional[str] = None,
        grader_endpoint: Optional[str] = None,
        temperature: Optional[float] = _UNSET,
        reasoning_effort: Optional[str] = None,
        max_tokens: Optional[int] = None,
        system_message: Optional[str] = None,
        template_id: Optional[str] = None,
        scoring_profile: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        extra: Optional[Mapping[str, Any]] = None,
    ) -> Run:
        """Starts an evaluation and returns at once.

        ``dataset`` is a `Dataset`, the id or name of one, or a JSONL file, which is imported. ``model`` and
        ``grader`` are the endpoint's by default, endpoints (by id or name) the team's first. ``sample`` conversations
        are chosen by ``method`` (PYTHON_RANDOM by default, PANDAS or FIRST) and ``seed``; or exactly ``prompt_ids``.
        ``temperature=None`` leaves it to the provider; left out, it is 0.3. With an ``idempotency_key``, the same
        call twice starts one run. ``extra`` holds further fields of StartRunInput.
        """
        model_input = {
            "endpointId": self._names.endpoint_id(endpoint),
            "model": model,
            "reasoningEffort": reasoning_effort,
            "maxTokens": max_tokens,
            "systemMessage": system_message,
        }
        grader_input = {
            "endpointId": self._names.endpoint_id(grader_endpoint),
            "model": grader,
            "templateId": template_id,
        }
        sample_input = {"size": sample, "seed": seed, "method": method, "promptIds": prompt_ids and list(prompt_ids)}
        given = {
            "datasetId": self._dataset_id(dataset),
            "name": name,
            "repeats": repeats,
            "scoringProfile": scoring_profile,
            "idempotencyKey": idempotency_key,
            "sample": documents.present(sample_input) or None,
            "grader": documents.present(grader_input) or None,
        }
        under_test = documents.present(model_input)
        if temperature is not _UNSET:
            under_test["temperature"] = temperature
        payload = {**documents.present(given), "modelUnderTest": under_test, **(extra or {})}
        return self._changed("startRun", documents.START_RUN, payload)

    def pause(self, run: RunReference) -> Run:
        """Starts no new call; what is in flight is finished and kept."""
        return self._control("pauseRun", run)

    def resume(self, run: RunReference) -> Run:
        """Goes on with what is missing."""
        return self._control("resumeRun", run)

    def retry(self, run: RunReference) -> Run:
        """Tries again what is ungraded or failed, and nothing else."""
        return self._control("retryRun", run)

    def cancel(self, run: RunReference) -> Run:
        """Ends a run for good. What has arrived is kept."""
        return self._control("cancelRun", run)

    # ---- inside

    def _download(self, run: RunReference, name: str) -> Download:
        return Download(self._transport, f"/runs/{self._names.run_id(run)}/export", name)

    def _frame(self, run: RunReference, name: str) -> Any:
        download = self._download(run, name)
        return table(download, download.columns)

    def _rows(self, run: RunReference, name: str) -> Iterator[Row]:
        yield from self._download(run, name)

    def _control(self, field: str, run: RunReference) -> Run:
        return self._changed(field, documents.control(field), {"runId": self._names.run_id(run)})

    def _changed(self, field: str, document: str, payload: Mapping[str, Any]) -> Run:
        answer = self.graphql(document, {"input": payload})[field]
        _check(answer)
        return documents.run_of(answer["run"])

    def _dataset_id(self, dataset: DatasetReference) -> str:
        if isinstance(dataset, Dataset):
            return dataset.id
        if os.path.isfile(dataset):
            return self.import_dataset(dataset).id
        return self._names.dataset_id(os.fspath(dataset))


def _check(answer: Mapping[str, Any]) -> None:
    """Raises for the user errors of a mutation's payload."""
    for error in answer["userErrors"]:
        place = f" (at {'.'.join(error['path'])})" if error["path"] else ""
        raise service_error(error["code"], error["message"] + place)
