"""Addresses of servers: `http://127.0.0.1:8080/v1#NAME`, or `openai:NAME`."""

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from equipoise.errors import UserError

KEY_VARIABLE = "EQUIPOISE_API_KEY"
SERVICES = {"openai": ("https://api.openai.com/v1", "OPENAI_API_KEY")}
"""Hosted services by prefix: where they are, and the environment variable that holds their key."""

EXAMPLE = "Write http://127.0.0.1:8080/v1#NAME, https://HOST/v1#NAME or openai:NAME."


@dataclass(frozen=True)
class Address:
    """Where a server is, which of its models is meant, and the key it wants; the key is never shown."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    key_variable: str = KEY_VARIABLE

    @property
    def name(self) -> str:
        """The address as it is written in results."""
        return f"{self.url}#{self.model}" if self.model else self.url


def is_address(name: str) -> bool:
    """Whether a name is the address of a server."""
    return name.lower().startswith(("http://", "https://")) or name.partition(":")[0] in SERVICES


def read_address(name: str) -> Address:
    """The parts of an address; the key comes from the environment only."""
    prefix, _, rest = name.partition(":")
    if prefix in SERVICES:
        url, variable = SERVICES[prefix]
        model = rest
    else:
        url, _, model = name.partition("#")
        variable = KEY_VARIABLE
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise UserError(f"{name!r} is not an address: {error}.", EXAMPLE) from error
    if not host:
        raise UserError(f"{name!r} names no server.", EXAMPLE)
    if parts.username or parts.password or parts.query:
        raise UserError(
            "The address holds a user, a password or a query.",
            f"Put the key into the environment variable {variable}; addresses are written into results.",
        )
    key = os.environ.get(variable, "")
    if key and parts.scheme == "http" and not _is_this_machine(host):
        raise UserError(
            f"{variable} is set, and {url!r} is plain http to another machine: others could read the key.",
            f"Use https, or unset {variable} if the server needs no key.",
        )
    return Address(url.rstrip("/"), model, key, variable)


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
