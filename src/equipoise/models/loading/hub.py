"""Whether the model hub can be reached, asked once: its own client retries for twenty seconds."""

import socket
from urllib.parse import urlsplit
from urllib.request import getproxies

from huggingface_hub import constants

PATIENCE = 3.0
"""Seconds to wait for the hub to accept a connection."""


def hub_is_away() -> bool:
    """Whether only models fetched earlier can be loaded; behind a proxy the hub's client finds out itself."""
    if constants.HF_HUB_OFFLINE:
        return True
    if getproxies():
        return False
    address = urlsplit(constants.ENDPOINT)
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname or "", port), timeout=PATIENCE).close()
    except OSError:
        return True
    return False
