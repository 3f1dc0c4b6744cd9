"""Against a real service; skipped without ASSAY_URL and ASSAY_API_KEY. Its team needs a model endpoint, best a
simulated one. test/pythonClient.test.ts of the service starts all that."""

import contextlib
import io
import json
import os
import socket
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any, List

from assay_client import AssayError, Client, NotFound, Rows, RunNotCompleted, Unauthenticated, WaitTimeout

#: The service may hold runs of earlier tests.
MARK = uuid.uuid4().hex[:8]
SAMPLE = Path(__file__).resolve().parents[3] / "examples" / "sample.jsonl"


def records(table: Any) -> List[Any]:
    """The rows of a table, with pandas or without."""
    return (
        list(table) if isinstance(table, Rows) else table.astype(object).where(table.notna(), None).to_dict("records")
    )


class CuttingProxy:
    """Passes bytes on and breaks the first connections after so many bytes."""

    def __init__(self, url: str, cuts: List[int]) -> None:
        host, port = url.split("//")[1].split(":")
        self.target = (host, int(port))
        self.cuts = cuts
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                left = self.cuts[self.connections] if self.connections < len(self.cuts) else 1 << 60
                self.connections += 1
                threading.Thread(target=self.relay, args=(client, left), daemon=True).start()

    def relay(self, client: socket.socket, left: int) -> None:
        with client, socket.create_connection(self.target) as service, contextlib.suppress(OSError):
            service.sendall(client.recv(65536))
            while left > 0:
                block = service.recv(min(1024, left))
                if not block:
                    return
                client.sendall(block)
                left -= len(block)


@unittest.skipUnless(os.environ.get("ASSAY_URL") and os.environ.get("ASSAY_API_KEY"), "needs ASSAY_URL, ASSAY_API_KEY")
class AgainstAService(unittest.TestCase):
    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Client()
        cls.dataset = cls.client.import_dataset(SAMPLE, "sample")
        cls.done = cls.client.wait(cls.client.start_run(cls.dataset, name=f"done {MARK}"), poll_seconds=0.1)

    def test_import_is_of_the_content(self) -> None:
        again = self.client.import_dataset(str(SAMPLE))
        self.assertEqual((again.id, again.created, again.conversations), (self.dataset.id, False, 24))
        with tempfile.TemporaryDirectory() as folder:
            # Large enough that the service refuses it while it is still being sent.
            broken = Path(folder, "broken.jsonl")
            broken.write_text("{}\n" * 3_000_000)
            with self.assertRaisesRegex(AssayError, "Line 1") as caught:
                self.client.import_dataset(broken)
            self.assertEqual(caught.exception.code, "INVALID_INPUT")
        with self.assertRaisesRegex(AssayError, "NO_FILE"):
            self.client.import_dataset("missing.jsonl")

    def test_run_with_its_score_and_what_it_rests_on(self) -> None:
        run = self.client.run(f"done {MARK}")
        self.assertEqual((run.status, run.n, run.coverage), ("COMPLETED", 24, 1.0))
        assert run.score is not None and run.interval is not None
        self.assertTrue(run.interval[0] <= run.score <= run.interval[1])
        self.assertIn("n = 24, coverage 100.0%\nWarning: Replies and verdicts were made up", str(run))
        self.assertIn("(TINY_SAMPLE)", run.warnings[-1])

    def test_starting_with_everything_set(self) -> None:
        endpoint = self.client.graphql("{ modelEndpoints { name } }")["modelEndpoints"][0]["name"]
        settings: dict = dict(
            model="model-a", grader="grader-b", sample=5, seed=3, method="PANDAS", repeats=2, endpoint=endpoint,
            grader_endpoint=endpoint, temperature=None, max_tokens=100, system_message="Be brief.", name="all",
            idempotency_key=MARK, extra={"grader": {"model": "grader-c"}},
        )  # fmt: skip
        run = self.client.start_run(SAMPLE, **settings)
        self.assertEqual((run.model, run.grader), ("model-a", "grader-c"))
        self.assertEqual(self.client.start_run(SAMPLE, **settings).id, run.id)
        query = """query ($id: ID!) { run(id: $id) {
          repeats sample { size method seed } modelUnderTest { temperature maxTokens } } }"""
        found = self.client.graphql(query, {"id": run.id})["run"]
        self.assertEqual(found["sample"], {"size": 5, "method": "PANDAS", "seed": 3})
        self.assertEqual(found["modelUnderTest"], {"temperature": None, "maxTokens": 100})
        self.assertEqual(self.client.wait(run, progress=False, poll_seconds=0.1).n, 10)
        with self.assertRaises(AssayError) as caught:
            self.client.start_run("sample", sample=1000)
        self.assertIn("sample", caught.exception.message)

    def test_tables_of_a_whole_run(self) -> None:
        verdicts = records(self.client.verdicts(self.done))
        self.assertEqual([row["sequence"] for row in verdicts], list(range(1, len(verdicts) + 1)))
        self.assertEqual(len(verdicts), self.done.progress.criteria_total)
        self.assertEqual({row["run_id"] for row in verdicts}, {self.done.id})
        self.assertEqual(
            list(self.client.verdicts(self.done).columns), list(next(self.client.iter_verdicts(self.done)))
        )
        conversations = records(self.client.conversations(f"done {MARK}"))
        self.assertEqual(len(conversations), 24)
        mean = sum(row["score"] for row in conversations) / 24
        self.assertAlmostEqual(min(1, max(0, mean)), self.done.score, places=9)
        self.assertEqual(json.loads(conversations[0]["messages"])[0]["role"], "user")

    def test_table_without_rows_has_columns(self) -> None:
        run = self.client.start_run(self.dataset, sample=1, name=f"empty {MARK}")
        self.client.cancel(run)
        self.assertIn("criteria_met", list(self.client.verdicts(run).columns))
        with self.assertRaisesRegex(RunNotCompleted, "CANCELLED") as caught:
            self.client.wait(run)
        self.assertEqual(caught.exception.run.status, "CANCELLED")

    def test_runs_by_filter(self) -> None:
        rows = records(self.client.runs(name=f"DONE {MARK}", status="COMPLETED", dataset_id=self.dataset.id))
        self.assertEqual([row["run"] for row in rows], [f"done {MARK}"])
        self.assertAlmostEqual(rows[0]["value"], self.done.score)
        self.assertEqual(self.client.run(rows[0]).id, self.done.id)
        self.assertEqual(len(records(self.client.runs(limit=1))), 1)
        self.assertEqual(len(records(self.client.runs(name="nobody"))), 0)

    def test_datasets_by_name(self) -> None:
        rows = records(self.client.datasets(name="SAMPL"))
        self.assertIn(self.dataset.id, [row["dataset_id"] for row in rows])
        self.assertEqual(len(records(self.client.datasets(limit=1))), 1)
        self.assertEqual(len(records(self.client.datasets(name="%"))), 0)

    def test_stream_gives_each_verdict_once_over_broken_connections(self) -> None:
        run = self.client.start_run(self.dataset, name=f"streamed {MARK}")
        proxy = CuttingProxy(os.environ["ASSAY_URL"], [3_000, 20_000, 0, 30_000])
        client = Client(proxy.url)
        seen = list(client.stream(run))
        self.assertEqual([verdict["sequence"] for verdict in seen], list(range(1, run.progress.criteria_total + 1)))
        self.assertGreaterEqual(proxy.connections, 5)
        rest = list(self.client.stream(run, after=len(seen) - 2))
        self.assertEqual(rest, seen[-2:])
        columns = set(self.client.verdicts(run).columns)
        self.assertLessEqual(set(seen[0]), columns)
        proxy.listener.close()

    def test_stream_of_a_run_that_is_cancelled_or_deleted(self) -> None:
        run = self.client.start_run(self.dataset, name=f"cancelled {MARK}", repeats=20)
        stream = self.client.stream(run)
        seen = [next(stream)["sequence"]]
        self.client.cancel(run)
        seen += [verdict["sequence"] for verdict in stream]
        self.assertEqual(seen, list(range(1, len(seen) + 1)))
        self.assertEqual(self.client.run(run).status, "CANCELLED")
        self.assertEqual(list(self.client.stream(run, after=len(seen))), [])
        gone = "mutation ($input: DeleteRunInput!) { deleteRun(input: $input) { userErrors { message } } }"
        self.client.graphql(gone, {"input": {"runId": run.id}})
        with self.assertRaises(NotFound):
            list(self.client.stream(run))

    def test_waiting_reports_progress_and_stops_in_time(self) -> None:
        run = self.client.start_run(self.dataset, name=f"paused {MARK}")
        seen: List[int] = []
        with self.assertRaises(WaitTimeout):
            self.client.wait(run, lambda progress: seen.append(progress.criteria_total), timeout=0, poll_seconds=0.1)
        self.assertEqual(seen, [run.progress.criteria_total])
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            self.assertEqual(self.client.wait(run, poll_seconds=0.1).status, "COMPLETED")
        self.assertEqual(shown.getvalue(), "")

    def test_comparison(self) -> None:
        weak = self.client.wait(
            self.client.start_run(self.dataset, "weak-model", name=f"weak {MARK}"), poll_seconds=0.1
        )
        strong = self.client.start_run(self.dataset, "strong-model", name=f"strong {MARK}")
        strong = self.client.wait(strong, poll_seconds=0.1)
        found = self.client.compare(weak, f"strong {MARK}")
        assert found.difference is not None and found.interval is not None
        self.assertAlmostEqual(found.difference, (strong.score or 0) - (weak.score or 0), delta=0.2)
        self.assertTrue(found.interval[0] <= found.difference <= found.interval[1])
        self.assertEqual((found.comparable, found.conversations), (True, 24))
        self.assertIn("difference", list(found.themes.columns))
        self.assertIn("over 24 conversations", str(found))
        same = self.client.compare(weak, weak)
        self.assertEqual(same.difference, 0)

    def test_errors_say_what_to_do(self) -> None:
        with self.assertRaisesRegex(NotFound, "client.runs"):
            self.client.verdicts("nobody")
        with self.assertRaisesRegex(Unauthenticated, "ASSAY_API_KEY"):
            Client(api_key="assay_wrong").runs()
        with self.assertRaises(AssayError) as caught:
            self.client.graphql("{ nonsense }")
        self.assertEqual(caught.exception.code, "GRAPHQL_VALIDATION_FAILED")
        with self.assertRaisesRegex(NotFound, "Known: "):
            self.client.start_run(self.dataset, endpoint="nobody")
        first, second = (self.client.start_run(self.dataset, sample=1, name=f"twice {MARK}") for _ in range(2))
        with self.assertRaisesRegex(AssayError, "AMBIGUOUS"):
            self.client.run(f"twice {MARK}")
        self.assertNotEqual(first.id, second.id)


if __name__ == "__main__":
    unittest.main()
