"""A machine without memory or threads to spare says so, whatever model was asked for."""

import subprocess
import sys

import pytest

from equipoise.errors import shortage
from equipoise.models.names import EMBEDDED, FOLDERS

SCRIPT = """
import re, resource, sys, threading
from pathlib import Path
import torch, transformers
from transformers.models.auto import modeling_auto
from equipoise.errors import UserError
from equipoise.models import load_model
from equipoise.models.load_errors import explained_loading

def limit(spare):
    held = int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (held + spare, resource.RLIM_INFINITY))

try:
    if sys.argv[1] == "memory":
        limit(60_000_000)
        load_model("embedded", cache=False)
    else:
        limit(0)
        with explained_loading("embedded", None):
            threading.stack_size(1 << 30)
            threading.Thread(target=print).start()
except UserError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process is set as Linux does it")
@pytest.mark.skipif(not (FOLDERS[EMBEDDED] / "packed.json").exists(), reason="needs the shipped model")
@pytest.mark.parametrize("lacking", ["memory", "threads"])
def test_what_is_lacking_is_said(lacking: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, lacking], capture_output=True, text=True, check=False
    )
    assert f"no {lacking} left" in done.stdout, done.stderr
    assert "Did you mean" not in done.stdout


def test_the_error_behind_an_error_tells() -> None:
    outer = RuntimeError("Failed to import the model's class")
    outer.__cause__ = OSError(12, "Cannot allocate memory")
    assert shortage(outer) == "memory"
    assert shortage(MemoryError()) == "memory"
    assert shortage(ValueError("a sentence about memory and threads")) == ""
