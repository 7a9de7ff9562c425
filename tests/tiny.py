"""Small real models: tokenizers of four kinds trained here, networks of every family with random weights."""

from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions

CORPUS = (
    "The nurse said that she would help the patient before he left the ward.",
    "He is a doctor and she is an engineer.",
    "The old carpenter lost his keys, so her brother opened the door.",
    "They asked him whether the phlebotomist had called her back.",
    "Her mother was a pilot; his father taught mathematics at school.",
    "Nobody knew why the librarian kept the windows open in winter.",
    "Is it true that the gardener sold them the last three roses?",
    "She, he and they walked home together after the long concert.",
    "A careful accountant checks every number twice and smiles.",
    "The mechanic told the teacher that he could not repair it today.",
) * 3

SPECIAL = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
ANGLED = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"}

LONGEST, POSITIONS = 96, 112
TRAINED = Path(__file__).with_name("tokenizers")
# Training breaks ties by chance, so one training is kept; `python tests/tiny.py` trains them anew.

TOKENIZER_KINDS = ("wordpiece", "cased-wordpiece", "byte-bpe", "unigram")

MASKED_FAMILIES = (
    "bert",
    "roberta",
    "albert",
    "distilbert",
    "xlm-roberta",
    "electra",
    "deberta-v2",
    "modernbert",
    "mpnet",
)
CAUSAL_FAMILIES = ("gpt2", "llama")
FAMILIES = (*MASKED_FAMILIES, *CAUSAL_FAMILIES, "bart")
TOKENIZER_OF = {
    "roberta": "byte-bpe",
    "gpt2": "byte-bpe",
    "bart": "byte-bpe",
    "modernbert": "byte-bpe",
    "albert": "unigram",
    "xlm-roberta": "unigram",
    "llama": "unigram",
    "deberta-v2": "unigram",
    "electra": "cased-wordpiece",
}


@cache
def tokenizer(kind: str) -> Any:
    """A fast tokenizer of one kind, trained on the sentences above."""
    backend = Tokenizer.from_file(str(TRAINED / f"{kind}.json"))
    names = SPECIAL if "wordpiece" in kind else ANGLED
    tokens: dict[str, Any] = {f"{name}_token": token for name, token in names.items()}
    if "wordpiece" not in kind:
        # As in RoBERTa and ALBERT: the mask takes the space on its left with it.
        tokens["mask_token"] = transformers.AddedToken("<mask>", lstrip=True, special=True)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=LONGEST, **tokens)


@cache
def network(family: str, seed: int = 7) -> Any:
    """A two-layer network of one family with random weights; decisive enough to tell words apart."""
    words = tokenizer(TOKENIZER_OF.get(family, "wordpiece"))
    sizes = {
        "vocab_size": len(words),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 48,
        "max_position_embeddings": POSITIONS,
        "pad_token_id": words.pad_token_id,
        "initializer_range": 0.3,
    }
    kind, config = _CONFIGS[family](sizes, words)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return kind(config).eval()


def wrapped(family: str, tmp_path: Path, **settings: Any) -> Any:
    """The network of a family with its tokenizer as a model that keeps its answers in a folder."""
    words = tokenizer(TOKENIZER_OF.get(family, "wordpiece"))
    store = RunOptions(store=tmp_path / "answers.sqlite", **settings)
    return wrap_model(network(family), words, name=family, options=store)


def plain_logprobs(model: Any, ids: list[int]) -> torch.Tensor:
    """Log-probabilities at every position, one row, the whole model, nothing clever."""
    with torch.no_grad():
        logits = model.transformers_model(input_ids=torch.tensor([ids])).logits[0]
    return torch.log_softmax(logits.double(), dim=-1)


def _wordpiece(lowercase: bool) -> Tokenizer:
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.train_from_iterator(
        CORPUS,
        trainers.WordPieceTrainer(vocab_size=190, special_tokens=list(SPECIAL.values()), show_progress=False),
    )
    backend.post_processor = processors.BertProcessing(
        ("[SEP]", backend.token_to_id("[SEP]")), ("[CLS]", backend.token_to_id("[CLS]"))
    )
    return backend


def _byte_bpe() -> Tokenizer:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=list(ANGLED.values()),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    backend.post_processor = processors.RobertaProcessing(
        ("</s>", backend.token_to_id("</s>")), ("<s>", backend.token_to_id("<s>")), add_prefix_space=False
    )
    return backend


def _unigram() -> Tokenizer:
    backend = Tokenizer(models.Unigram())
    backend.normalizer = normalizers.NFKC()
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    backend.train_from_iterator(
        CORPUS,
        trainers.UnigramTrainer(
            vocab_size=180, special_tokens=list(ANGLED.values()), unk_token="<unk>", show_progress=False
        ),
    )
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        special_tokens=[("<s>", backend.token_to_id("<s>")), ("</s>", backend.token_to_id("</s>"))],
    )
    return backend


def _plain(kind: str) -> Any:
    def build(sizes: dict[str, Any], _words: Any) -> tuple[Any, Any]:
        return getattr(transformers, f"{kind}ForMaskedLM"), getattr(transformers, f"{kind}Config")(**sizes)

    return build


def _distilbert(sizes: dict[str, Any], _words: Any) -> tuple[Any, Any]:
    config = transformers.DistilBertConfig(
        vocab_size=sizes["vocab_size"],
        dim=32,
        n_layers=2,
        n_heads=2,
        hidden_dim=48,
        max_position_embeddings=POSITIONS,
        initializer_range=0.3,
    )
    return transformers.DistilBertForMaskedLM, config


def _electra(sizes: dict[str, Any], _words: Any) -> tuple[Any, Any]:
    return transformers.ElectraForMaskedLM, transformers.ElectraConfig(**sizes, embedding_size=16)


def _albert(sizes: dict[str, Any], _words: Any) -> tuple[Any, Any]:
    return transformers.AlbertForMaskedLM, transformers.AlbertConfig(**sizes, embedding_size=16)


def _modernbert(sizes: dict[str, Any], words: Any) -> tuple[Any, Any]:
    ends = {"cls_token_id": words.bos_token_id, "sep_token_id": words.eos_token_id}
    config = transformers.ModernBertConfig(
        **sizes, **ends, bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id
    )
    return transformers.ModernBertForMaskedLM, config


def _gpt2(sizes: dict[str, Any], words: Any) -> tuple[Any, Any]:
    config = transformers.GPT2Config(
        vocab_size=sizes["vocab_size"],
        n_embd=32,
        n_layer=2,
        n_head=2,
        n_positions=POSITIONS,
        initializer_range=0.3,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
    )
    return transformers.GPT2LMHeadModel, config


def _llama(sizes: dict[str, Any], words: Any) -> tuple[Any, Any]:
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id}
    return transformers.LlamaForCausalLM, transformers.LlamaConfig(**sizes, **ends)


def _bart(sizes: dict[str, Any], words: Any) -> tuple[Any, Any]:
    config = transformers.BartConfig(
        vocab_size=sizes["vocab_size"],
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        max_position_embeddings=POSITIONS,
        init_std=0.3,
        pad_token_id=words.pad_token_id,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        decoder_start_token_id=words.eos_token_id,
        forced_eos_token_id=words.eos_token_id,
    )
    return transformers.BartForConditionalGeneration, config


_CONFIGS: dict[str, Any] = {
    "bert": _plain("Bert"),
    "roberta": _plain("Roberta"),
    "xlm-roberta": _plain("XLMRoberta"),
    "deberta-v2": _plain("DebertaV2"),
    "mpnet": _plain("MPNet"),
    "albert": _albert,
    "distilbert": _distilbert,
    "electra": _electra,
    "modernbert": _modernbert,
    "gpt2": _gpt2,
    "llama": _llama,
    "bart": _bart,
}


def _train() -> None:
    TRAINED.mkdir(exist_ok=True)
    wordpieces = {"wordpiece": _wordpiece(lowercase=True), "cased-wordpiece": _wordpiece(lowercase=False)}
    for kind, backend in {**wordpieces, "byte-bpe": _byte_bpe(), "unigram": _unigram()}.items():
        backend.save(str(TRAINED / f"{kind}.json"), pretty=False)


if __name__ == "__main__":
    _train()
