"""Reading tables, catalogue and poles: what is wrong is said with file and line."""

from pathlib import Path

import pytest

from equipoise.data.catalogue import altered_problem, catalogue, dataset_names, fetch_file
from equipoise.data.poles import load_poles
from equipoise.data.reading import TABLES, file_sha256, read_lines, read_table
from equipoise.errors import UserError


def written(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_knows_its_lines(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, 'a,b\n1,"two\nlines"\n\n3,4\n'), ("a", "b"))
    assert table["line"].tolist() == [2, 5]
    assert table["b"].tolist() == ["two\nlines", "4"]


def test_tabs_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes("\ufeffa\tb\n1\t2\n".encode())
    assert read_table(path)["a"].tolist() == ["1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,c\n1,2\n", "no column 'b'"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2,3\n", "line 2: 3 fields"),
        ("", "empty"),
    ],
)
def test_bad_tables(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        read_table(written(tmp_path, text), ("a", "b"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_lines(tmp_path / "nothing.txt")


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Männer".encode("latin-1"))
    with pytest.raises(UserError, match="not UTF-8"):
        read_lines(tmp_path / "latin.txt")


def test_every_shipped_file_of_the_catalogue_exists() -> None:
    for entry in catalogue():
        if entry.is_ours:
            assert (TABLES / entry.file).exists(), entry.file
        else:
            assert len(entry.sha256) == 64
            assert entry.licence


def test_a_published_file_is_found_in_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "crows-pairs"
    folder.mkdir()
    file = folder / "crows_pairs_anonymized.csv"
    file.write_text("x")
    assert fetch_file("crows-pairs", file.name, tmp_path) == file
    assert "differs from the published" in altered_problem(file, "crows-pairs")


def test_hashes_are_those_of_the_published_files(shared_data: object) -> None:
    for entry in catalogue():
        if entry.dataset in ("winobias", "crows-pairs", "bec-pro"):
            path = shared_data(f"{entry.dataset}/{entry.file}")  # type: ignore[operator]
            assert file_sha256(path) == entry.sha256
            assert altered_problem(path, entry.dataset) == ""


def test_a_download_without_network_names_the_alternative(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="could not be fetched") as caught:
        fetch_file("winogender", "templates.tsv")
    assert "--data-dir" in caught.value.hint


def test_a_data_set_without_an_address(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no address"):
        fetch_file("gbef", "templates.csv", tmp_path)


def test_unknown_data_sets_and_files_get_a_suggestion() -> None:
    with pytest.raises(UserError, match="winobias"):
        fetch_file("winobia", "x")
    with pytest.raises(UserError, match=r"templates\.tsv"):
        fetch_file("winogender", "template.tsv")
    assert "crows-pairs" in dataset_names()


def test_a_downloaded_file_must_have_the_recorded_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is a local file here: what arrives is not what was recorded, so it is refused."""
    from dataclasses import replace

    from equipoise.data import catalogue as module

    wrong = tmp_path / "arrived.csv"
    wrong.write_text("not the data")
    (entry,) = (one for one in catalogue() if one.dataset == "crows-pairs")
    served = replace(entry, url=wrong.as_uri())
    monkeypatch.setattr(module, "_entry", lambda *_: served)
    with pytest.raises(UserError, match="could not be fetched"):
        fetch_file("crows-pairs", entry.file)


def test_poles_are_data() -> None:
    poles = load_poles()
    assert poles.names[:2] == ("male", "female")
    assert poles.at("possessive") == {"male": ("his",), "female": ("her",), "they": ("their",)}
    with pytest.raises(UserError, match="possessive"):
        poles.at("posessive")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pole,form,word\na,x,he\n", "names 1 pole"),
        ("pole,form,word\na,x,he\nb,x, \n", "line 3: no word"),
        ("pole,word\na,he\n", "no column 'form'"),
    ],
)
def test_bad_poles(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        load_poles(written(tmp_path, text))


def test_unknown_poles_get_a_suggestion() -> None:
    with pytest.raises(UserError, match="pronouns"):
        load_poles("pronoun")
