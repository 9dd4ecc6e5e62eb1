"""Asking a process over HTTP how it is."""

from __future__ import annotations

from http.client import HTTPConnection
from urllib.parse import urlsplit


def asked(address: str, path: str, method: str = "GET") -> tuple[int, str]:
    """Status and text of the answer."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=20)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode().strip()
    finally:
        connection.close()
