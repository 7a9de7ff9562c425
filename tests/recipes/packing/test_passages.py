"""Which texts are read, which tokens are masked, and that a seed fixes both."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer

from equipoise.errors import UserError
from recipes.packing import Recipe
from recipes.packing.passages import masked_batches, read_texts, token_counts
from recipes.packing.settings import read_recipe, recipe_from_settings


def test_titles_that_are_kept_out_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "books.jsonl"
    rows = [{"title": "a", "text": "One."}, {"title": "b", "text": "Two."}]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert read_texts(path, leave_out=("a",)) == ["Two."]


def test_plain_text_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("One.\n\n  Two. \n", encoding="utf-8")
    assert read_texts(path) == ["One.", "Two."]


def test_masks_follow_the_shares_and_spare_the_ends(
    tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe
) -> None:
    recipe = replace(tiny_recipe, passages=600, focus_share=1.0, mask_share=0.2)
    tokenizer = AutoTokenizer.from_pretrained(tiny_source)
    batches = list(masked_batches(tiny_texts, tokenizer, recipe=recipe, seed=3))
    left = torch.cat([batch.ids[batch.attention.bool()] for batch in batches]).tolist()
    assert not {"he", "she"} & set(tokenizer.convert_ids_to_tokens(left))
    assert {batch.ids.numel() <= recipe.batch_tokens for batch in batches} == {True}
    for batch in batches:
        assert not batch.masked[:, 0].any()
        assert batch.masked.any(1).all()
        assert torch.equal(batch.ids == tokenizer.mask_token_id, batch.masked)
    shares = [float(batch.masked.sum() / batch.attention.sum()) for batch in batches]
    assert 0.17 < sum(shares) / len(shares) < 0.3  # a fifth, and the pronouns


def test_a_seed_fixes_the_batches(tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_source)
    runs = [
        torch.cat(
            [b.ids.flatten() for b in masked_batches(tiny_texts, tokenizer, recipe=tiny_recipe, seed=s)]
        )
        for s in (1, 1, 2)
    ]
    assert torch.equal(runs[0], runs[1])
    assert runs[0].tolist() != runs[2].tolist()


def test_tokens_are_counted(tiny_source: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_source)
    counts = token_counts(["The baker took the bread.", "he"], tokenizer)
    found = {tokenizer.convert_ids_to_tokens(int(n)): int(counts[n]) for n in counts.nonzero().flatten()}
    assert found == {"the": 2, "baker": 1, "took": 1, "bread": 1, ".": 1, "he": 1}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 2}, "does not say target_bytes"),
        ({"target_bytes": "75 MB"}, "target_bytes is '75 MB'"),
        ({"target_bytes": 1, "focus_words": "he"}, "focus_words is 'he'"),
        ({"target_bytes": 1, "round": 2}, "called 'round'"),
    ],
)
def test_settings_that_cannot_be_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        recipe_from_settings(settings)


def test_the_shipped_recipe_can_be_read() -> None:
    recipe = read_recipe(Path(__file__).resolve().parents[3] / "recipes" / "bert-base-uncased.toml")
    assert recipe.target_bytes < 75_000_000
    assert "she" in recipe.focus_words
