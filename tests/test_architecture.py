"""The shape of the code: imports go one way, torch is fenced, files and functions stay small."""

import ast
import csv
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from equipoise.instruments import INSTRUMENTS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "equipoise"
FILES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    {"errors"},
    {"files", "plugins", "choices", "cluster"},
    {"text", "stats"},
    {"data"},
    {"models", "corpora"},
    {"results"},
    {"instruments", "mitigations"},
    {"samples"},
    {"preparing"},
    {"measuring", "probing"},
    {"mitigating", "callback"},
    {"studies"},
    {"report"},
    {"cli", "app", "inspect_tasks", "pytest_plugin", "__main__"},
)
"""From the ground up: a module imports its own layer and those below."""

GROUND_FLOOR = ("text", "stats")
"""Rooms that import nothing of the project but errors, and themselves."""

MASK_TOKENS = {
    "text/blank.py": "the blank",
    "models/loading/networks.py": "the mask token of a tokenizer",
}
"""Where "[MASK]" may be written, and as what."""

FENCED = {"torch", "transformers", "tokenizers", "safetensors"}
MAY_USE_TORCH = ("models", "mitigations")


def layer(name: str) -> int:
    return next(number for number, names in enumerate(LAYERS) if name in names)


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def importing(packages: set[str], paths: Iterable[Path]) -> list[str]:
    """The files that import one of these packages, and the name they import."""
    return [
        f"{named(path)} imports {name}"
        for path in paths
        for name in imports(path)
        if name.split(".")[0] in packages
    ]


def test_imports_go_one_way() -> None:
    upwards = [
        f"{named(path)} imports {name}"
        for path in FILES
        if part_of(path) != "__init__"
        for name in imports(path)
        if name.startswith("equipoise.") and layer(name.split(".")[1]) > layer(part_of(path))
    ]
    assert not upwards


def test_every_function_and_constant_is_used() -> None:
    """Not by its tests alone: somewhere in the package, the documents, the recipes or the benchmarks."""
    places = (
        path for room in ("src", "recipes", "benchmarks", "examples") for path in (ROOT / room).rglob("*.py")
    )
    texts = [*map(text_of, places), *map(text_of, (ROOT / "docs").rglob("*.md"))]
    uses = Counter(word for text in texts for word in re.findall(r"\w+", text))
    defined = ((path, name) for path in FILES for node in tree_of(path).body for name in names_of(node))
    unused = [f"{named(path)}: {name}" for path, name in defined if uses[name] == 1]
    assert unused == []


def names_of(node: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines; Python itself asks for names in underscores."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        found = [node.name]
    elif isinstance(node, ast.Assign):
        found = [one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    else:
        found = (
            [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []
        )
    return [name for name in found if not name.startswith("__")]


def rooms_imported(room: str) -> set[str]:
    names = (name for path in FILES if part_of(path) == room for name in imports(path))
    return {name.split(".")[1] for name in names if name.startswith("equipoise.")} - {room}


def refuse_circles(needs: dict[str, set[str]]) -> None:
    """What imports can be put in an order in which each imports earlier ones only."""
    while needs:
        free = {one for one, others in needs.items() if not others & needs.keys()}
        assert free, f"a circle of imports: {needs}"
        needs = {one: others for one, others in needs.items() if one not in free}


def test_no_two_rooms_import_each_other() -> None:
    """Nor three in a circle."""
    refuse_circles({room: rooms_imported(room) for room in {part_of(path) for path in FILES} - {"__init__"}})


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def modules_imported(path: Path, modules: set[str]) -> set[str]:
    """Modules of the package that this one imports, at its top or inside a function."""
    named = {
        f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in modules else node.module or ""
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return (named | set(imports(path))) & modules - {module_name(path)}


def test_no_two_modules_import_each_other() -> None:
    """Not even inside of functions or for types, where Python would let them."""
    modules = {module_name(path): path for path in FILES if module_name(path) != "equipoise"}
    refuse_circles({name: modules_imported(path, set(modules)) for name, path in modules.items()})


DIVIDED = ("models", "results")
"""Rooms with rooms inside; the modules beside those are their ground and import none of them."""


def inner_room(name: str) -> str:
    """The room inside a room that a module belongs to, empty for a module beside them."""
    parts = name.split(".")
    return parts[2] if len(parts) > 2 and (PACKAGE / parts[1] / parts[2]).is_dir() else ""


@pytest.mark.parametrize("room", DIVIDED)
def test_rooms_inside_a_room_do_not_import_each_other_in_circles(room: str) -> None:
    needs: dict[str, set[str]] = {}
    for path in (path for path in FILES if part_of(path) == room):
        own = inner_room("equipoise." + named(path).removesuffix(".py").replace("/", "."))
        others = {inner_room(name) for name in imports(path) if name.startswith(f"equipoise.{room}.")}
        needs.setdefault(own, set()).update(others - {own})
    assert not needs[""], f"the ground of {room} imports {needs['']}"
    assert needs.get("engine", {""}) <= {""}, "the engine knows rows only"
    refuse_circles(needs)


@pytest.mark.parametrize("room", GROUND_FLOOR)
def test_the_ground_floor_rests_on_nothing(room: str) -> None:
    assert rooms_imported(room) <= {"errors"}


def test_the_instruments_are_those_of_the_index() -> None:
    """The folder holds methods only, each in the index; beside them the contract and shared parts."""
    folder = PACKAGE / "instruments"
    listed = {place.split(":")[0].split(".")[-1] for place in INSTRUMENTS.values()}
    assert {path.stem for path in folder.glob("*.py")} == listed | {"__init__", "base"}
    assert {path.name for path in folder.iterdir() if path.is_dir()} - {"__pycache__"} == {"parts"}


def test_the_blank_is_defined_once() -> None:
    written = set()
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant) and node.value == "[MASK]":
                written.add(named(path))
    assert written == set(MASK_TOKENS)


def test_names_say_the_thing() -> None:
    """Everything in a program was found somewhere: the name `found` tells a reader nothing."""
    places = []
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            is_stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == "found"
            if is_stored or (isinstance(node, ast.arg) and node.arg == "found"):
                places.append(f"{path.name}:{node.lineno}")  # type: ignore[attr-defined]
    assert not places


NEVER_NEGATIVE = {
    "cli/listing.py": "megabytes",
    "cli/arguments.py": "a largest deviation",
    "cli/progress_bar.py": "rows and seconds",
    "cli/report.py": "megabytes",
    "instruments/parts/skew_quantities.py": "bins from 0 on",
    "results/records.py": "where the sign is taken away",
    "studies/steps.py": "minutes",
}
"""Where decimals are written without `fixed`, and of what."""


def test_numbers_for_people_are_rounded_in_one_place() -> None:
    """An f-string writes -0.0001 as "-0.000"; `fixed` does not."""
    rooms = {"results", "instruments", "studies", "report", "cli", "app"}
    written = set()
    for path in (path for path in FILES if part_of(path) in rooms):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                parts = node.format_spec.values  # type: ignore[attr-defined]
                if any(str(getattr(part, "value", "")).endswith("f") for part in parts):
                    written.add(named(path))
    assert written == set(NEVER_NEGATIVE)


def test_torch_stays_behind_its_fence() -> None:
    outside = [path for path in FILES if part_of(path) not in MAY_USE_TORCH]
    assert not importing(FENCED, outside)


def test_importing_the_package_costs_no_torch() -> None:
    script = "import sys, equipoise; assert not {'torch', 'pandas', 'numpy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_every_public_name_exists() -> None:
    import equipoise

    for name in equipoise.__all__:
        assert getattr(equipoise, name) is not None
    with pytest.raises(AttributeError):
        equipoise.nonsense  # noqa: B018


def test_files_and_functions_are_small() -> None:
    long_files = {named(path): length for path in FILES if (length := text_of(path).count("\n")) > 400}
    long_functions = {
        f"{named(path)}: {node.name}": length
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and (length := body_length(node)) > 50
    }
    assert not long_files | long_functions


def body_length(node: ast.FunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_modules_say_what_they_are() -> None:
    written = [path for path in FILES if text_of(path).strip()]
    assert not [named(path) for path in written if not ast.get_docstring(tree_of(path))]
    assert not [named(path) for path in FILES if path.stem in {"utils", "helpers", "common"}]


def test_remote_code_is_never_trusted() -> None:
    for path in FILES:
        for node in ast.walk(tree_of(path)):
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


def test_nothing_installed_needs_what_is_not() -> None:
    assert not importing({"benchmarks", "recipes", "tests"}, FILES)


def test_the_table_of_moved_names_leads_to_names_that_exist() -> None:
    """A name of a module, perhaps with one that it holds: `results.result`, `files.sha256`."""
    with (ROOT / "docs" / "moved-names.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.reader(file)][1:]
    leads = [(row[0], name) for row in rows for name in re.findall(r"`([\w.]+\.\w+)(?:\(\w*\))?`", row[1])]
    assert len(leads) > 150
    assert [lead for lead in leads if not is_there(lead[1])] == []


def test_the_drawing_shows_every_room() -> None:
    """Each folder and module at the top of the package, each once, as a folder or as a module."""
    drawing = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    shown = [re.split(" {3,}", line[17:])[0] for line in drawing.splitlines()]
    rooms = {path.name + "/" for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    modules = {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")}
    assert sorted(" ".join(shown).split()) == sorted(rooms | modules)


def is_there(name: str) -> bool:
    """Whether a module of the package, or a name in the file of one, is called so."""
    module, _, rest = name.removeprefix("equipoise.").rpartition(".")
    place = PACKAGE.joinpath(*name.removeprefix("equipoise.").split("."))
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    held = PACKAGE.joinpath(*module.split("."))
    file = held / "__init__.py" if held.is_dir() else held.with_suffix(".py")
    if file.is_file():
        return re.search(rf"\b{rest}\b", text_of(file)) is not None
    return bool(module) and is_there(module)
