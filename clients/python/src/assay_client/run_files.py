"""Result files of other harnesses, and what is declared of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Tuple


def run_file(path: Path) -> Tuple[Path, Dict[str, Any]]:
    """The file to send, with what it is called and the description that the source harness puts beside it."""
    file = path / "results.jsonl" if path.is_dir() else path
    beside = file.with_name("description.md")
    about: Dict[str, Any] = {"fileName": path.resolve().name if path.is_dir() else file.name}
    if file.name == "results.jsonl" and beside.is_file():
        about["description"] = beside.read_text("utf-8")
    return file, about


def declaration(
    given: Mapping[str, Any], model: Mapping[str, Any], grader: Mapping[str, Any], extra: Optional[Mapping[str, Any]]
) -> Dict[str, Any]:
    """An ImportRunInput; ``extra`` wins, and its two models add to those that are given."""
    more = dict(extra or {})
    models = {
        "modelUnderTest": {**model, **more.pop("modelUnderTest", {})},
        "grader": {**grader, **more.pop("grader", {})},
    }
    return {**given, **models, **more}
