"""Count the modules of the package that one job passes through: `python -m benchmarks.paths [--files]`.

A module counts when one of its functions is called. What runs because a module is imported does not count.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

import equipoise

PACKAGE = Path(equipoise.__file__).parent
MOST = {"probe": 45, "measure": 60, "rewrite": 20, "report": 40, "compare": 18}
"""By job: the modules that it may pass through."""


def jobs(folder: str) -> dict[str, str]:
    """Python for each job; the last two read what `measure` and `_another` wrote."""
    return {
        "probe": command("probe", "[MASK] is a nurse.", "--model", "random"),
        "rewrite": "import equipoise; equipoise.rewrite('She met her father.')",
        "measure": command("measure", "traits", "--model", "random", "--out", f"{folder}/one", "--no-cache"),
        "_another": command("measure", "traits", "--model", "random:2", "--out", f"{folder}/two"),
        "report": command("report", f"{folder}/one", "--out", f"{folder}/page.html"),
        "compare": command("compare", f"{folder}/one", f"{folder}/two"),
    }


def command(*arguments: str) -> str:
    """Python that runs a command of the command line."""
    return f"import sys; sys.argv = {['equipoise', *arguments]}; from equipoise.cli import main; main()"


def modules_called(script: str) -> list[str]:
    """The modules of the package whose functions a script calls."""
    called: set[str] = set()
    importing = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>" and code.co_filename != "<string>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing and code.co_filename.startswith(str(PACKAGE)):
            called.add(str(Path(code.co_filename).relative_to(PACKAGE)))

    sys.setprofile(note)
    try:
        exec(script, {})
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    return sorted(name for name in called if name.endswith(".py"))


def called_anew(script: str) -> list[str]:
    """The same in a process of its own, which has imported and cached nothing yet."""
    code = (
        f"from benchmarks.paths import modules_called as run; names = run({script!r}); print(); print(*names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


def main() -> None:
    """Print the number of modules by job, and with `--files` their names."""
    with tempfile.TemporaryDirectory() as folder:
        for name, script in jobs(folder).items():
            names = called_anew(script)
            if name in MOST:
                print(f"{name:8} {len(names):3} modules ({MOST[name]} wanted)")
                if "--files" in sys.argv:
                    print(*(f"    {one}" for one in names), sep="\n")


if __name__ == "__main__":
    main()
