"""A machine without memory or threads to spare says so, whatever model was asked for."""

import subprocess
import sys

import pytest

from equipoise import cli
from equipoise.errors import shortage
from equipoise.models.loading import EMBEDDED, FOLDERS

SCRIPT = """
import re, resource, sys, threading
from pathlib import Path
import torch, transformers
from transformers.models.auto import modeling_auto
from equipoise.errors import UserError
from equipoise.models.loading import load_model
import equipoise.models.loading.networks, equipoise.models.static
from equipoise.models.loading.files import explained_loading

def limit(spare):
    held = int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (held + spare, resource.RLIM_INFINITY))

def tried(spare, work):
    limit(spare)
    try:
        work()
    except UserError as error:
        print(error.message)

def open_thread():
    with explained_loading("embedded", None):
        threading.stack_size(1 << 30)
        threading.Thread(target=print).start()

tried(0, open_thread)
threading.stack_size(0)
for megabytes in (20, 60, 120, 240):
    tried(megabytes << 20, lambda: load_model("embedded", cache=False))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process is set as Linux does it")
@pytest.mark.skipif(not (FOLDERS[EMBEDDED] / "packed.json").exists(), reason="needs the shipped model")
def test_what_is_lacking_is_said() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert len(said) == 5, done.stdout + done.stderr
    assert "no threads left" in said[0]
    assert all("no memory left" in line or "no threads left" in line for line in said)


def test_the_error_behind_an_error_tells() -> None:
    outer = RuntimeError("Failed to import the model's class")
    outer.__cause__ = OSError(12, "Cannot allocate memory")
    assert shortage(outer) == "memory"
    assert shortage(MemoryError()) == "memory"
    assert shortage(ValueError("a sentence about memory and threads")) == ""


def test_a_command_without_memory_is_two_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_arguments: list[str]) -> None:
        raise ImportError("x.so: failed to map segment from shared object: Cannot allocate memory")

    monkeypatch.setattr(cli, "_run", fail)
    with pytest.raises(SystemExit) as caught:
        cli.main(["list"])
    assert caught.value.code == 2
    assert "this machine has no memory left" in capsys.readouterr().err
