"""Where the service is and which key opens it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping, NamedTuple, Optional
from urllib.parse import urlsplit

from .errors import AssayError, Unauthenticated

DEFAULT_URL = "http://127.0.0.1:4000"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Settings(NamedTuple):
    """``url`` is without a trailing slash."""

    url: str
    api_key: str

    def __repr__(self) -> str:
        # A key must not end up in the stored output of a notebook.
        return f"Settings(url={self.url!r}, api_key='{self.api_key[:10]}…')"


def read_settings(
    url: Optional[str] = None, api_key: Optional[str] = None, env: Optional[Mapping[str, str]] = None
) -> Settings:
    """Takes URL and key from the arguments, else from ASSAY_URL and ASSAY_API_KEY, else the key from the file
    ``admin.key`` that the service writes at its first start: in ASSAY_DATA_DIR, or in ``.assay`` in the current
    folder or one above it. The file is used for a service on this machine only."""
    env = os.environ if env is None else env
    address = url or env.get("ASSAY_URL") or DEFAULT_URL
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AssayError("INVALID_URL", f"Not the URL of a service: {address}. Example: {DEFAULT_URL}")
    address = address.rstrip("/")
    if address.endswith("/graphql"):
        address = address[: -len("/graphql")]
    return Settings(address, api_key or env.get("ASSAY_API_KEY") or _key_from_file(address, env))


def is_loopback(url: str) -> bool:
    """Whether the service is on this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def _key_from_file(url: str, env: Mapping[str, str]) -> str:
    # The admin key of this machine must not travel to another one because of a URL.
    if not is_loopback(url):
        raise Unauthenticated("NO_API_KEY", f"No API key for {url}. Set ASSAY_API_KEY to a key of your team.")
    folder = env.get("ASSAY_DATA_DIR")
    here = Path.cwd()
    folders = [Path(folder)] if folder else [parent / ".assay" for parent in (here, *here.parents)]
    for file in (folder / "admin.key" for folder in folders):
        try:
            key = file.read_text("utf-8").strip()
        except OSError:
            continue
        if key:
            return key
    raise Unauthenticated(
        "NO_API_KEY",
        'No API key. Set ASSAY_API_KEY, or start the service on this machine with "npm start", which writes '
        f"{folders[0] / 'admin.key'} at its first start.",
    )
