"""What needs no service: settings, tables, server-sent events, and downloads that go wrong."""

import gzip
import hashlib
import json
import os
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

from assay_client import (
    AssayError,
    Client,
    Forbidden,
    IncompleteDownload,
    NotFound,
    RateLimited,
    Rows,
    Unauthenticated,
    Unreachable,
)
from assay_client.events import parse_events
from assay_client.settings import read_settings


class Settings(unittest.TestCase):
    def test_come_from_arguments_then_the_environment(self) -> None:
        env = {"ASSAY_URL": "https://assay.example/", "ASSAY_API_KEY": "assay_env"}
        self.assertEqual(read_settings(env=env), ("https://assay.example", "assay_env"))
        self.assertEqual(read_settings("http://a:1/graphql", "assay_x", env), ("http://a:1", "assay_x"))

    def test_find_the_key_file_above_the_folder_for_this_machine_only(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            notebooks = Path(folder, "notebooks")
            notebooks.mkdir()
            Path(folder, ".assay").mkdir()
            Path(folder, ".assay", "admin.key").write_text("assay_file\n")
            with mock.patch.object(Path, "cwd", return_value=notebooks):
                self.assertEqual(read_settings(env={}).api_key, "assay_file")
                with self.assertRaisesRegex(Unauthenticated, "ASSAY_API_KEY"):
                    read_settings("https://assay.example", env={})

    def test_say_what_to_do_without_a_key_and_never_print_one(self) -> None:
        with self.assertRaisesRegex(Unauthenticated, "npm start"):
            read_settings(env={"ASSAY_DATA_DIR": "/nonexistent"})
        with self.assertRaises(AssayError) as caught:
            read_settings("assay.example", "key", {})
        self.assertEqual(caught.exception.code, "INVALID_URL")
        self.assertNotIn("0123456789abcdef", repr(read_settings(None, "assay_0123456789abcdef", {})))


class Tables(unittest.TestCase):
    rows = Rows([{"name": "<b>", "score": 0.51234}, {"name": "b", "score": None}])

    def test_are_sequences_with_columns(self) -> None:
        self.assertEqual(self.rows.columns, ["name", "score"])
        self.assertEqual(self.rows["score"], [0.51234, None])
        self.assertEqual(self.rows[1]["name"], "b")
        self.assertEqual(self.rows[["score"]].columns, ["score"])
        self.assertEqual(len(self.rows[:1]), 1)
        self.assertEqual([row["name"] for row in self.rows], ["<b>", "b"])
        with self.assertRaises(KeyError):
            self.rows["points"]

    def test_keep_their_columns_when_empty(self) -> None:
        self.assertEqual(Rows([], ["a", "b"]).columns, ["a", "b"])

    def test_show_themselves_in_a_terminal_and_a_notebook(self) -> None:
        self.assertIn("[2 rows x 2 columns]", repr(self.rows))
        self.assertIn("<td>&lt;b&gt;</td>", self.rows._repr_html_())

    def test_become_data_frames_where_pandas_is_installed(self) -> None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaises(ImportError):
                self.rows.to_pandas()
            return
        row = {"score": 1, "points": None, "sequence": 1, "graded_at": "2026-01-01T00:00:00.000Z"}
        frame = Rows([row]).to_pandas()
        self.assertEqual(str(frame.graded_at.dt.tz), "UTC")
        types = {"score": "float64", "points": "float64", "sequence": "int64"}
        self.assertEqual({name: str(frame[name].dtype) for name in types}, types)
        self.assertEqual(str(Rows([], ["score"]).to_pandas().score.dtype), "float64")


class Events(unittest.TestCase):
    def test_are_read_whatever_pieces_they_come_in(self) -> None:
        text = ': comment\nid: 7\nevent: verdicts\ndata: {"a":\ndata: "ü"}\n\n'
        text += "event: end\r\ndata: {}\r\n\r\nid: 8\ndata: cut"
        expected = [{"id": "7", "event": "verdicts", "data": '{"a":\n"ü"}'}, {"event": "end", "data": "{}"}]
        sent = text.encode()
        for size in (1, 2, 3, 7, 1000):
            pieces = (sent[at : at + size] for at in range(0, len(sent), size))
            self.assertEqual(list(parse_events(pieces)), expected)


class Service(BaseHTTPRequestHandler):
    """Answers what the test has set."""

    protocol_version = "HTTP/1.1"
    status = 200
    headers_sent: dict = {}
    chunks: list = []
    trailer = ""
    ends = True

    def do_GET(self) -> None:
        self.send_response(self.status)
        for name, value in {"transfer-encoding": "chunked", **self.headers_sent}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in self.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if self.ends:
            self.wfile.write(b"0\r\n" + self.trailer.encode() + b"\r\n")
        self.close_connection = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


class Answers(unittest.TestCase):
    """Against a service that fails on purpose."""

    body = b"".join(json.dumps({"sequence": at}).encode() + b"\n" for at in range(1, 6))

    def setUp(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.client = Client(f"http://127.0.0.1:{self.server.server_port}", "assay_key", timeout=5)
        mock.patch.object(self.client._names, "run_id", return_value="id").start()
        self.addCleanup(mock.patch.stopall)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        rows = {"x-assay-rows": "5", "x-assay-columns": "sequence"}
        self.answer(headers_sent=rows, chunks=[self.body], trailer="", ends=True, status=200)

    def answer(self, **settings: object) -> None:
        for name, value in settings.items():
            setattr(Service, name, value)

    def sequences(self) -> list:
        return [row["sequence"] for row in self.client.iter_verdicts("run")]

    def assert_incomplete(self, message: str) -> None:
        with self.assertRaisesRegex(IncompleteDownload, message) as caught:
            self.sequences()
        self.assertEqual(caught.exception.code, "INCOMPLETE_DOWNLOAD")
        with self.assertRaises(IncompleteDownload):
            self.client.verdicts("run")

    def test_whole_download_plain_and_packed_in_any_chunks(self) -> None:
        digest = hashlib.sha256(self.body).hexdigest()
        self.answer(trailer=f"x-assay-sha256: {digest}\r\n", chunks=[self.body[:20], self.body[20:]])
        self.assertEqual(self.sequences(), [1, 2, 3, 4, 5])
        packed = gzip.compress(self.body)
        self.answer(headers_sent={**Service.headers_sent, "content-encoding": "gzip"})
        self.answer(chunks=[packed[at : at + 1] for at in range(len(packed))])
        self.assertEqual(self.sequences(), [1, 2, 3, 4, 5])

    def test_download_that_breaks_off(self) -> None:
        self.answer(chunks=[self.body[:45]], ends=False)
        self.assert_incomplete("2 of 5 rows came, then the connection broke")

    def test_download_that_ends_early_without_saying_so(self) -> None:
        self.answer(chunks=[self.body[:32]])
        self.assert_incomplete("2 of 5 rows came, then the rest never came")

    def test_download_of_other_bytes(self) -> None:
        self.answer(trailer=f"x-assay-sha256: {'0' * 64}\r\n")
        self.assert_incomplete("sha256")

    def test_packed_download_that_ends_early(self) -> None:
        self.answer(
            headers_sent={**Service.headers_sent, "content-encoding": "gzip"}, chunks=[gzip.compress(self.body)[:30]]
        )
        self.assert_incomplete("the compressed body ends early")

    def test_error_of_a_plain_route_and_of_graphql(self) -> None:
        error = {"error": {"code": "FORBIDDEN", "message": "Needs RUNNER.", "requestId": "r1"}}
        self.answer(status=403, chunks=[json.dumps(error).encode()])
        with self.assertRaisesRegex(Forbidden, "keys create") as caught:
            self.sequences()
        self.assertEqual((caught.exception.code, caught.exception.request_id), ("FORBIDDEN", "r1"))
        answer = {"errors": [{"message": "Slow down.", "extensions": {"code": "RATE_LIMITED"}}]}
        self.answer(status=429, headers_sent={"retry-after": "7"}, chunks=[json.dumps(answer).encode()])
        with self.assertRaises(RateLimited) as limited:
            self.client.graphql("{ x }")
        self.assertEqual(limited.exception.retry_after, 7)
        self.answer(status=502, chunks=[b"<html>"])
        with self.assertRaisesRegex(AssayError, "HTTP 502"):
            self.client.graphql("{ x }")

    def test_stream_that_the_service_closes(self) -> None:
        def closed(code: int, reason: str) -> list:
            return [f'event: closed\ndata: {{"code": {code}, "reason": "{reason}"}}\n\n'.encode()]

        self.answer(headers_sent={}, chunks=closed(4401, "Credential ended"))
        with self.assertRaisesRegex(Unauthenticated, "Credential ended.*ASSAY_API_KEY"):
            list(self.client.stream("run"))
        self.answer(chunks=closed(4404, "Run deleted"))
        with self.assertRaisesRegex(NotFound, "deleted"):
            list(self.client.stream("run"))
        self.answer(chunks=closed(4410, "Role changed"))
        with self.assertRaisesRegex(Unreachable, "role .* has changed.*after=3"):
            list(self.client.stream("run", after=3, reconnect_for=0))
        self.answer(chunks=[b"event: news\ndata: 1\n\nevent: end\ndata: {}\n\n"])
        self.assertEqual(list(self.client.stream("run")), [])

    def test_official_file_is_waited_for(self) -> None:
        dataset = {"id": "d", "name": "n", "sha256": "s", "officialName": None, "warnings": []}
        dataset.update(conversationCount=2, criterionCount=3)
        download = {"id": "x", "status": "QUEUED", "bytesDone": 0, "bytesTotal": 9, "reason": None, "message": None}
        asked = {"importDataset": {"created": False, "dataset": None, "download": download, "userErrors": []}}
        going = {"datasetDownload": {**download, "status": "DOWNLOADING", "bytesDone": 5, "dataset": None}}
        done = {"datasetDownload": {**download, "status": "COMPLETED", "bytesDone": 9, "dataset": dataset}}
        broken = {"status": "FAILED", "reason": "wrong_sha256", "message": "It is not that file."}
        with mock.patch.object(self.client, "graphql", side_effect=[asked, going, done]) as graphql:
            found = self.client.import_source("healthbench-hard", poll_seconds=0)
        self.assertEqual((found.id, found.conversations, found.created), ("d", 2, True))
        self.assertEqual(graphql.call_args_list[0].args[1], {"input": {"source": "HEALTHBENCH_HARD"}})
        failed = {"datasetDownload": {**going["datasetDownload"], **broken}}
        with mock.patch.object(self.client, "graphql", side_effect=[asked, failed]):
            with self.assertRaisesRegex(AssayError, "not that file") as caught:
                self.client.import_source("healthbench-hard", poll_seconds=0)
        self.assertEqual(caught.exception.code, "wrong_sha256")
        known = {"importDataset": {**asked["importDataset"], "dataset": dataset, "download": None}}
        with mock.patch.object(self.client, "graphql", side_effect=[known]):
            self.assertFalse(self.client.import_source("healthbench-hard").created)

    def test_key_never_follows_a_redirect(self) -> None:
        self.answer(status=302, headers_sent={"location": "http://127.0.0.1:9/"}, chunks=[])
        with self.assertRaisesRegex(AssayError, "HTTP 302"):
            self.client.graphql("{ x }")

    def test_service_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(AssayError, "npm start") as caught:
            Client("http://127.0.0.1:9", "assay_key").graphql("{ x }")
        self.assertEqual(caught.exception.code, "UNREACHABLE")
        with mock.patch.dict(os.environ, {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}):
            self.assertEqual(len(self.sequences()), 5)


if __name__ == "__main__":
    unittest.main()
