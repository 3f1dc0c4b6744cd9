"""The GraphQL documents that the client sends, and how their answers become its types."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from typing import Any, Dict, Iterable, Mapping, Optional

from .rows import table
from .types import Comparison, Dataset, Progress, Run, interval_of

RUN_FIELDS = """
  id name status statusReason
  modelUnderTest { model simulated } grader { model simulated }
  score { value n coverage interval { low high confidence } } warnings { code message }
  progress { conversationsTotal conversationsDone conversationsFailed
    criteriaTotal criteriaDone criteriaUngraded etaSeconds }"""

RUN = f"query Run($id: ID!) {{ run(id: $id) {{ {RUN_FIELDS} }} }}"

RUN_ID = "query RunId($id: ID!) { run(id: $id) { id } }"

RUN_NAMES = """query RunNames($after: String, $filter: RunFilter, $first: Int) {
  runs(first: $first, after: $after, filter: $filter) { nodes { id name } pageInfo { hasNextPage endCursor } } }"""

RUNS = """query Runs($after: String, $filter: RunFilter, $first: Int) {
  runs(first: $first, after: $after, filter: $filter) {
    nodes {
      id name status repeats scoringProfile createdAt finishedAt
      modelUnderTest { model } grader { model } graderPrompt { sha256 } dataset { name sha256 }
      progress { conversationsTotal }
      score { value unclippedMean median bootstrapStd n coverage final interval { low high } }
      positiveCriteria { met graded } negativeCriteria { met graded }
    }
    pageInfo { hasNextPage endCursor }
  }
}"""

START_RUN = f"""mutation StartRun($input: StartRunInput!) {{
  startRun(input: $input) {{ run {{ {RUN_FIELDS} }} userErrors {{ code message path }} }} }}"""


def control(field: str) -> str:
    """The document of a mutation of one run: pauseRun, resumeRun, cancelRun or retryRun."""
    kind = "RetryRunInput" if field == "retryRun" else "RunIdInput"
    return (
        f"mutation Control($input: {kind}!) {{ {field}(input: $input) {{ run {{ {RUN_FIELDS} }} "
        "userErrors { code message path } } }"
    )


_DATASET = "dataset { id name sha256 officialName conversationCount criterionCount warnings }"
_DOWNLOAD = "id status bytesDone bytesTotal reason message"

IMPORT_SOURCE = f"""mutation ImportSource($input: ImportDatasetInput!) {{
  importDataset(input: $input) {{ created {_DATASET} download {{ {_DOWNLOAD} }} userErrors {{ code message path }} }} }}"""

DOWNLOAD = f"query Download($id: ID!) {{ datasetDownload(id: $id) {{ {_DOWNLOAD} {_DATASET} }} }}"

ENDPOINTS = "{ modelEndpoints { id name } }"

DATASETS = """query Datasets($after: String, $first: Int, $name: String) {
  datasets(first: $first, after: $after, name: $name) {
    nodes { id name conversationCount criterionCount officialName sha256 createdAt }
    pageInfo { hasNextPage endCursor }
  }
}"""

DATASET = "query Dataset($id: ID!) { dataset(id: $id) { id } }"

_DIFFERENCE = """n conversations baselineScore candidateScore difference standardError
  interval { low high confidence } pValue wins ties losses"""

COMPARE = f"""query Compare($a: ID!, $b: ID!) {{
  compareRuns(baselineId: $a, candidateId: $b) {{
    baseline {{ {RUN_FIELDS} }} candidate {{ {RUN_FIELDS} }}
    comparable unavailableReason scoredConversations
    differences {{ part baseline candidate severity }} warnings {{ code message }}
    overall {{ {_DIFFERENCE} }}
    themes {{ tag label adjustedPValue {_DIFFERENCE} }} axes {{ tag label adjustedPValue {_DIFFERENCE} }}
  }}
}}"""

#: Column of ``Client.runs``: where its value stands in the answer.
RUN_CELLS = {
    "run_id": "id",
    "run": "name",
    "status": "status",
    "model": "modelUnderTest.model",
    "grader": "grader.model",
    "grader_prompt_sha256": "graderPrompt.sha256",
    "scoring_profile": "scoringProfile",
    "dataset": "dataset.name",
    "dataset_sha256": "dataset.sha256",
    "repeats": "repeats",
    "conversations": "progress.conversationsTotal",
    "n": "score.n",
    "coverage": "score.coverage",
    "value": "score.value",
    "interval_low": "score.interval.low",
    "interval_high": "score.interval.high",
    "final": "score.final",
    "unclipped_mean": "score.unclippedMean",
    "median": "score.median",
    "bootstrap_std": "score.bootstrapStd",
    "positive_met": "positiveCriteria.met",
    "positive_graded": "positiveCriteria.graded",
    "negative_met": "negativeCriteria.met",
    "negative_graded": "negativeCriteria.graded",
    "created_at": "createdAt",
    "finished_at": "finishedAt",
}

#: The same for ``Client.datasets``.
DATASET_CELLS = {
    "dataset_id": "id",
    "dataset": "name",
    "conversations": "conversationCount",
    "criteria": "criterionCount",
    "official_name": "officialName",
    "sha256": "sha256",
    "created_at": "createdAt",
}

#: The same for ``Comparison.themes`` and ``Comparison.axes``.
DIFFERENCE_CELLS = {
    "tag": "tag",
    "label": "label",
    "conversations": "conversations",
    "baseline_score": "baselineScore",
    "candidate_score": "candidateScore",
    "difference": "difference",
    "interval_low": "interval.low",
    "interval_high": "interval.high",
    "standard_error": "standardError",
    "p_value": "pValue",
    "adjusted_p_value": "adjustedPValue",
    "wins": "wins",
    "ties": "ties",
    "losses": "losses",
}


def request_body(query: str, variables: Optional[Mapping[str, Any]]) -> bytes:
    """A GraphQL operation as it is sent."""
    return json.dumps({"query": query, "variables": dict(variables or {})}, default=str).encode()


def present(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Without the fields that are None: what is left out gets the service's default."""
    return {name: value for name, value in fields.items() if value is not None}


def run_filter(given: Mapping[str, Any]) -> Dict[str, Any]:
    """RunFilter from names in Python's spelling or the schema's."""
    found = {re.sub("_([a-z])", lambda match: match[1].upper(), name): value for name, value in given.items()}
    if isinstance(found.get("status"), str):
        found["status"] = [found["status"]]
    for name in ("createdAfter", "createdBefore"):
        if isinstance(found.get(name), datetime):
            # Without a zone a moment is the reader's.
            found[name] = found[name].astimezone(timezone.utc).isoformat()
    return present(found)


def dataset_of(answer: Mapping[str, Any]) -> Dataset:
    """The answer of ``POST /datasets``, and what else holds ``dataset`` and ``created``."""
    found = answer["dataset"]
    return Dataset(
        id=found["id"],
        name=found["name"],
        sha256=found["sha256"],
        conversations=found["conversationCount"],
        criteria=found["criterionCount"],
        official_name=found["officialName"],
        warnings=tuple(found["warnings"]),
        created=answer["created"],
    )


def run_of(node: Mapping[str, Any]) -> Run:
    """A node of RUN_FIELDS."""
    score = node["score"]
    progress = node["progress"]
    return Run(
        id=node["id"],
        name=node["name"],
        status=node["status"],
        status_reason=node["statusReason"],
        model=node["modelUnderTest"]["model"],
        grader=node["grader"]["model"],
        score=score and score["value"],
        n=score["n"] if score else 0,
        coverage=score and score["coverage"],
        interval=interval_of(score and score["interval"]),
        simulated=node["modelUnderTest"]["simulated"] or node["grader"]["simulated"],
        progress=Progress(
            conversations_total=progress["conversationsTotal"],
            conversations_done=progress["conversationsDone"],
            conversations_failed=progress["conversationsFailed"],
            criteria_total=progress["criteriaTotal"],
            criteria_done=progress["criteriaDone"],
            criteria_ungraded=progress["criteriaUngraded"],
            eta_seconds=progress["etaSeconds"],
        ),
        warnings=tuple(map(_warning, node["warnings"])),
    )


def _warning(node: Mapping[str, Any]) -> str:
    return f"{node['message']} ({node['code']})"


def flat_table(nodes: Iterable[Mapping[str, Any]], cells: Mapping[str, str]) -> Any:
    """Nodes of an answer as a table with these columns."""
    rows = [{name: _at(node, path) for name, path in cells.items()} for node in nodes]
    return table(rows, list(cells))


def _at(node: Mapping[str, Any], path: str) -> Any:
    """The value there; None where something on the way is null."""
    value: Any = node
    for name in path.split("."):
        value = None if value is None else value[name]
    return value


def comparison_of(found: Mapping[str, Any]) -> Comparison:
    """The answer to COMPARE."""
    overall: Mapping[str, Any] = found["overall"] or {}
    return Comparison(
        baseline=run_of(found["baseline"]),
        candidate=run_of(found["candidate"]),
        comparable=found["comparable"],
        difference=overall.get("difference"),
        interval=interval_of(overall.get("interval")),
        p_value=overall.get("pValue"),
        baseline_score=overall.get("baselineScore"),
        candidate_score=overall.get("candidateScore"),
        conversations=found["scoredConversations"],
        wins=overall.get("wins", 0),
        ties=overall.get("ties", 0),
        losses=overall.get("losses", 0),
        themes=flat_table(found["themes"], DIFFERENCE_CELLS),
        axes=flat_table(found["axes"], DIFFERENCE_CELLS),
        differences=found["differences"],
        warnings=list(map(_warning, found["warnings"])),
        unavailable_reason=found["unavailableReason"],
    )
