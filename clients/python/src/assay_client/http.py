"""HTTP over the standard library: streaming bodies both ways, trailers, proxies, and errors that say what to do."""

from __future__ import annotations

import http.client
import json
import zlib
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Union
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import (
    BaseHandler,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from .errors import AssayError, Unreachable, service_error
from .settings import Settings, is_loopback

BLOCK = 64 * 1024
#: How long a connection may stay silent, in seconds.
TIMEOUT = 60.0

Body = Union[bytes, IO[bytes]]


class Transport:
    """Sends requests to one service with one key. Keeps no connection, so threads may share it."""

    def __init__(self, settings: Settings, timeout: float = TIMEOUT) -> None:
        self.settings = settings
        self.timeout = timeout
        handlers: List[BaseHandler] = [_PlainHandler(), _SecureHandler(), _NoRedirect()]
        if is_loopback(settings.url):
            handlers.append(ProxyHandler({}))
        self._opener: OpenerDirector = build_opener(*handlers)

    def open(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, str]] = None,
        body: Optional[Body] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """The response, its body not read yet. Raises Unreachable, or the error that the service reports."""
        url = self.settings.url + path + (f"?{urlencode(query)}" if query else "")
        sent = {"Authorization": f"Bearer {self.settings.api_key}", "Accept": "application/json", **(headers or {})}
        request = Request(url, data=body, headers=sent, method=method)
        try:
            return self._opener.open(request, timeout=self.timeout)
        except HTTPError as error:
            with error:
                raise _refused(error) from None
        except (URLError, http.client.HTTPException, OSError) as error:
            raise unreachable(self.settings.url, error) from error

    def json(self, method: str, path: str, **request: Any) -> Any:
        """The body of the response as JSON."""
        try:
            with self.open(method, path, **request) as response:
                return json.loads(response.read())
        except ValueError as error:
            raise AssayError("NOT_ASSAY", f"{self.settings.url} answers no JSON. Is this an Assay service?") from error
        except (http.client.HTTPException, OSError) as error:
            raise unreachable(self.settings.url, error) from error


def blocks(response: Any) -> Iterator[bytes]:
    """The body as it comes, decompressed. A connection that breaks raises HTTPException, OSError or EOFError."""
    packed = response.headers.get("content-encoding") == "gzip"
    unzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if packed else None
    while True:
        block = response.read1(BLOCK)
        if not block:
            break
        yield unzip.decompress(block) if unzip else block
    if unzip and not unzip.eof:
        raise EOFError("the compressed body ends early")


def unreachable(url: str, cause: BaseException) -> Unreachable:
    """What to say when nothing answers or the answer breaks off."""
    reason = getattr(cause, "reason", None) or cause
    text = str(reason) or type(reason).__name__
    return Unreachable(
        "UNREACHABLE",
        f'No service answers at {url} ({text}). Start it with "npm start", or name another: ASSAY_URL or url=.',
    )


def _refused(error: HTTPError) -> AssayError:
    """GraphQL and plain routes report errors in different shapes."""
    retry_after = error.headers.get("retry-after", "")
    seconds = float(retry_after) if retry_after.isdigit() else None
    try:
        answer: Dict[str, Any] = json.loads(error.read())
        found = answer.get("error") or answer["errors"][0]
        extensions = found.get("extensions", found)
        place = f" (at {'.'.join(found['path'])})" if "error" in answer and found.get("path") else ""
        return service_error(extensions["code"], found["message"] + place, extensions.get("requestId"), seconds)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, http.client.HTTPException):
        if error.code == 401:
            return service_error("UNAUTHENTICATED", "The API key is not accepted.")
        code = "UNAVAILABLE" if error.code in (429, 502, 503, 504) else "NOT_ASSAY"
        return AssayError(code, f"{error.url} answers HTTP {error.code}. Is this an Assay service, and is it up?")


class _Response(http.client.HTTPResponse):
    """Keeps the trailers, which http.client reads and throws away."""

    trailers: Dict[str, str]

    def _read_and_discard_trailer(self) -> None:
        self.trailers = {}
        for _ in range(100):
            line = self.fp.readline(BLOCK)
            if line in (b"\r\n", b"\n", b""):
                return
            name, _, value = line.decode("latin-1").partition(":")
            self.trailers[name.strip().lower()] = value.strip()


class _EarlyAnswer(http.client.HTTPConnection):
    """The service may refuse a body before it has been sent: then its answer counts, not the broken pipe."""

    response_class = _Response

    def request(self, method: str, url: str, body: Any = None, headers: Any = None, **_: Any) -> None:
        given = {name.lower() for name in headers or {}}
        self.putrequest(method, url, skip_host="host" in given, skip_accept_encoding="accept-encoding" in given)
        for name, value in (headers or {}).items():
            self.putheader(name, value)
        self.endheaders()
        try:
            if body is not None:
                self.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass


class _EarlyAnswerSecure(_EarlyAnswer, http.client.HTTPSConnection):
    pass


class _PlainHandler(HTTPHandler):
    def http_open(self, req: Request) -> Any:
        return self.do_open(_EarlyAnswer, req)


class _SecureHandler(HTTPSHandler):
    def https_open(self, req: Request) -> Any:
        return self.do_open(_EarlyAnswerSecure, req)


class _NoRedirect(HTTPRedirectHandler):
    """The key must not follow a redirect to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None
