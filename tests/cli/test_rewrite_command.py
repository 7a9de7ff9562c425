"""`equipoise rewrite`: files, standard input, refusals in two lines."""

import json
import subprocess
import sys
from pathlib import Path


def rewrite(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "equipoise", "rewrite", *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def test_standard_input_to_standard_output() -> None:
    done = rewrite("-", given="He left her.\nShe lost her keys")
    assert (done.returncode, done.stdout) == (0, "She left him.\nHe lost his keys")


def test_a_file_with_other_columns(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,body\n1,He left.\n2\n")
    done = rewrite(str(source), "--text", "body", "--out", str(out), "--json")
    assert done.returncode == 0
    assert out.read_text() == "id,body\n1,She left.\n"
    assert "line 3: 1 columns where 2 are expected" in done.stderr
    numbers = json.loads(done.stdout)
    assert (numbers["rows"], numbers["changes"], numbers["bad_rows"]) == (1, 1, 1)
    again = rewrite(str(source), "--text", "body", "--out", str(out))
    assert again.returncode == 2
    assert "exists" in again.stderr
    assert "Traceback" not in again.stderr


def test_neutral_mode_and_unknown_mode(tmp_path: Path) -> None:
    assert rewrite("-", "--mode", "neutral", given="He is here.").stdout == "They are here."
    refused = rewrite("-", "--mode", "nutral", given="He is here.")
    assert refused.returncode == 2
    assert "Did you mean 'neutral'?" in refused.stderr


def test_what_cannot_be_read_is_refused_in_two_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\0He")
    for name, words in (("a.txt", "a binary file"), ("none.txt", "cannot be read"), (".", "a folder with")):
        done = rewrite(str(tmp_path / name))
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 2)
        assert words in done.stderr


def test_he_or_she_stays_or_is_turned() -> None:
    text = "He or she left."
    assert rewrite("-", given=text).stdout == text
    assert rewrite("-", "--coordinated", "turn", given=text).stdout == "She or he left."
    refused = rewrite("-", "--coordinated", "often", given=text)
    assert refused.returncode == 2
    assert "keep" in refused.stderr


def test_neo_pronouns_turn_by_a_pole_file(tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    poles.write_text("pole,form,word\nxe,subject,xe\nxe,possessive,xyr\nze,subject,ze\nze,possessive,zir\n")
    text = "Xe lost xyr keys, and he lost zir hat."
    assert rewrite("-", given=text).stdout == "Xe lost xyr keys, and she lost zir hat."
    done = rewrite("-", "--neo-pronouns", str(poles), given=text)
    assert done.stdout == "Ze lost zir keys, and she lost xyr hat."
