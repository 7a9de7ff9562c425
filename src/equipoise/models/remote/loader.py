"""Connect to a server: find its model, find out what it can do, and how far it repeats itself."""

from typing import Any

from equipoise.errors import UserError
from equipoise.models.options import LOADING, Progress, RunOptions, choose_options, stop_reported, unheard
from equipoise.models.remote.model import RemoteModel
from equipoise.models.remote.probing import TEXT, probe
from equipoise.models.remote.server import Address, RefusedPathError, Server, is_address, read_address

REPEATED = tuple(
    f"The {person} said that"
    for person in (
        *("nurse", "doctor", "teacher", "engineer", "pilot", "lawyer", "baker", "farmer", "writer", "singer"),
        *("dancer", "driver", "judge", "cook", "guard", "clerk", "miner", "tailor", "painter", "sailor"),
    )
)
"""The prompts that are asked three times, to see how far the server repeats itself."""


class RemoteLoader:
    """Connects to models behind addresses."""

    def accepts(self, name: str) -> bool:
        """Whether the name is an address."""
        return is_address(name)

    def check(self, name: str, options: RunOptions) -> None:
        """Refuse an address that cannot be one."""
        read_address(name)

    def load(self, name: str, options: RunOptions) -> RemoteModel:
        """The model at the address."""
        return connect_to(read_address(name), options)


def connect(address: str, options: RunOptions | None = None, **choices: Any) -> RemoteModel:
    """Connect to a model behind an address: `connect("http://127.0.0.1:8080/v1#NAME", max_requests=500)`."""
    if not is_address(address):
        raise UserError(
            f"{address!r} is not the address of a server.",
            "Write http://127.0.0.1:8080/v1#NAME or openai:NAME; load_model reads folders and files.",
        )
    return RemoteLoader().load(address, choose_options(options, choices))


def connect_to(address: Address, options: RunOptions, server: Server | None = None) -> RemoteModel:
    """The model at an address, after its server was asked what it can do."""
    report = options.progress or unheard
    server = server or Server(address)
    with stop_reported(report, address.name):
        report(Progress(LOADING, 0, 2, address.name))
        model = address.model or only_model(server)
        probed = probe(server, model)
        report(Progress(LOADING, 1, 2, address.name))
        remote = RemoteModel(server, model, probed, options)
        if probed.level != TEXT:
            remote.measure_repetition(REPEATED)
        remote.begin_counting()
        report(Progress(LOADING, 2, 2, address.name))
    return remote


def only_model(server: Server) -> str:
    """The one model that a server has; several are listed for the user to choose from."""
    try:
        listed = server.get("models")
        names = [str(one["id"]) for one in listed["data"]]
    except (RefusedPathError, KeyError, TypeError):
        names = []
    if len(names) != 1:
        offered = f" It has: {', '.join(names[:8])}." if names else ""
        raise UserError(
            f"The address {server.address.url} names no model.{offered}",
            f"Write the model's name behind a #: {server.address.url}#NAME.",
        )
    return names[0]
