"""The shape of the code: imports go one way, torch is fenced, files and functions stay small."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "equipoise"
FILES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    {"errors"},
    {"data", "text", "stats"},
    {"models", "corpora"},
    {"results"},
    {"instruments", "mitigations"},
    {"measuring", "comparison"},
    {"studies"},
    {"report"},
    {"cli", "app", "__main__"},
)
"""From the ground up: a module imports its own layer and those below."""

FENCED = {"torch", "transformers", "tokenizers", "safetensors"}
MAY_USE_TORCH = ("models", "mitigations")


def layer(name: str) -> int:
    return next(number for number, names in enumerate(LAYERS) if name in names)


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    own = part_of(path)
    if own == "__init__":
        return
    for name in imports(path):
        if name.startswith("equipoise."):
            other = name.split(".")[1]
            assert layer(other) <= layer(own), f"{own} imports {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_torch_stays_behind_its_fence(path: Path) -> None:
    if part_of(path) in MAY_USE_TORCH:
        return
    assert not FENCED & {name.split(".")[0] for name in imports(path)}


def test_importing_the_package_costs_no_torch() -> None:
    script = "import sys, equipoise; assert not {'torch', 'pandas', 'numpy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_every_public_name_exists() -> None:
    import equipoise

    for name in equipoise.__all__:
        assert getattr(equipoise, name) is not None
    with pytest.raises(AttributeError):
        equipoise.nonsense  # noqa: B018


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_are_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert length <= 50, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "no module docstring"
    assert path.stem not in {"utils", "helpers", "common"}


def test_remote_code_is_never_trusted() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "trust_remote_code":
                assert isinstance(node.value, ast.Constant)
                assert node.value.value is False


def test_no_path_of_one_machine_stands_in_the_project() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md", "*.toml", "Makefile", ".ci/run"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    ).stdout.split()
    for name in listed:
        text = (ROOT / name).read_text(encoding="utf-8")
        for start in ("/work" + "/", "/root" + "/", "/home" + "/"):
            assert start not in text, f"{name} holds {start}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_installed_needs_what_is_not(path: Path) -> None:
    assert not {"benchmarks", "recipes", "tests"} & {name.split(".")[0] for name in imports(path)}
