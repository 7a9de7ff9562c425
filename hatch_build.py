"""Compiles the optional core of the rewriter; without a C compiler the package is pure Python."""

import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

ROOM = Path("src/equipoise/text/rewriting")
NAMES = ("_core.abi3.so", "_core.pyd")
OLDEST = (3, 10)
"""The Python from which on the compiled file works; `scoring.h` says the same to the compiler."""


class CoreBuildHook(BuildHookInterface):
    """Builds the core into the source tree, where an editable installation and a wheel find it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before files are collected; a wheel with the core is one for this platform only."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        for name in NAMES:
            (root / ROOM / name).unlink(missing_ok=True)
        try:
            compiled = compile_core(root)
        except Exception as error:  # whatever a compiler or its absence may raise
            self.app.display_warning(f"The rewriter's core is left out, which costs speed only: {error}")
            return
        build_data["artifacts"].append(f"/{(ROOM / compiled.name).as_posix()}")
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp{OLDEST[0]}{OLDEST[1]}-abi3-{platform}"


def compile_core(root: Path) -> Path:
    """The compiled core, beside the modules that use it."""
    room = root / ROOM
    sources = sorted(str(path) for path in (room / "core").glob("*.c"))
    flags = [] if sys.platform == "win32" else ["-std=c11", "-O2"]
    extension = Extension("_core", sources, extra_compile_args=flags, py_limited_api=True)
    with tempfile.TemporaryDirectory() as folder:
        command = build_ext(Distribution({"name": "core", "ext_modules": [extension]}))
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        built = Path(command.get_ext_fullpath("_core"))
        place = room / next(name for name in NAMES if name.endswith(built.suffix))
        shutil.copyfile(built, place)
    return place
