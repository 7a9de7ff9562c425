"""A real browser: Debian's Chromium driven by Playwright; where either is missing the tests are skipped."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

BINARY = shutil.which("chromium") or shutil.which("chromium-browser")
HERE = ("file:", "blob:", "data:", "http://127.0.0.1")
"""Where a page may load from."""


@dataclass
class Opened:
    """A page with what went wrong on it: errors, warnings of its console, requests that left this machine."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, started once for the tests of a file."""
    if BINARY is None:
        pytest.skip("needs Chromium: run `make browser-test`")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: run `make browser-test`"
    )
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BINARY, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Opens a file in a window of its own size and scheme, and listens."""
    contexts = []

    def open_file(path: Path, *, width: int = 1280, height: int = 900, scheme: str = "light") -> Opened:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        seen = Opened(context.new_page())
        seen.page.on("console", lambda message: seen.complaints.append(f"{message.type}: {message.text}"))
        seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.goto(path.as_uri())
        seen.page.wait_for_selector("html[data-ready]")
        return seen

    yield open_file
    for context in contexts:
        context.close()
