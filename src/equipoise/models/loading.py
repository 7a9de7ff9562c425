"""Loading that cannot lie: no missing head, no wrong kind, no remote code, no pickle unless it is allowed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from transformers.initialization import no_init_weights
from transformers.models.auto import modeling_auto

from equipoise.errors import UserError, unknown_name
from equipoise.models.cache import cache_file
from equipoise.models.causal import CausalModel
from equipoise.models.encoder_decoder import EncoderDecoderModel
from equipoise.models.hub import hub_is_away
from equipoise.models.masked import MaskedModel
from equipoise.models.names import BUILT_IN, FOLDERS, RANDOM
from equipoise.models.neural import NeuralModel
from equipoise.models.packing import is_packed, load_packed
from equipoise.models.precision import check_precision
from equipoise.models.random_weights import random_parts

KINDS: dict[str, type[NeuralModel]] = {
    "masked": MaskedModel,
    "causal": CausalModel,
    "encoder-decoder": EncoderDecoderModel,
}
_LOADERS = {
    "masked": transformers.AutoModelForMaskedLM,
    "causal": transformers.AutoModelForCausalLM,
    "encoder-decoder": transformers.AutoModelForSeq2SeqLM,
}


@dataclass(frozen=True)
class LoadSettings:
    """How to load: precision, whether pickled weights may be read, where answers are kept."""

    precision: str = "fp32"
    allow_pickle: bool = False
    cache: bool = True
    store: Path | None = None

    @property
    def store_path(self) -> Path | None:
        """The answer store's file, or None to keep answers for this run only."""
        return (self.store or cache_file()) if self.cache else None


def load_neural(name: str, settings: LoadSettings) -> NeuralModel:
    """Load a built-in model, a folder or a hub name as the kind of model it is."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    check_precision(settings.precision, device)
    if name == RANDOM:
        network, tokenizer = random_parts()
        return wrap_model(network, tokenizer, name=name, settings=settings)
    folder = FOLDERS.get(name) or Path(name).expanduser()
    if folder.is_dir():
        _check_folder(folder, settings.allow_pickle)
    elif folder.exists() or _looks_like_path(name):
        raise UserError(
            f"There is no model folder at {name!r}.",
            "Give a folder that holds config.json, a tokenizer and model.safetensors.",
        )
    source = str(folder) if folder.is_dir() else name
    stored_only = not folder.is_dir() and hub_is_away()
    found = {"trust_remote_code": False, "local_files_only": stored_only}
    with _explained(name, stored_only), _quiet():
        config = transformers.AutoConfig.from_pretrained(source, **found)
        kind = kind_of(config, name)
        if is_packed(folder):
            network = _unpacked(folder, kind, config)
        else:
            found_weights = found | {"use_safetensors": None if settings.allow_pickle else True}
            network = _load_network(source, kind, found_weights)
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, **found)
    return wrap_model(network.to(device), tokenizer, name=name, settings=settings)


def wrap_model(
    network: Any, tokenizer: Any, *, name: str, settings: LoadSettings | None = None
) -> NeuralModel:
    """A transformers model and tokenizer already in memory as a `LanguageModel`."""
    settings = settings or LoadSettings()
    kind = kind_of(network.config, name, loaded_as=type(network).__name__)
    return KINDS[kind](network, tokenizer, name=name, precision=settings.precision, store=settings.store_path)


def kind_of(config: Any, name: str, loaded_as: str | None = None) -> str:
    """Whether a checkpoint was trained as masked, causal or encoder-decoder model.

    BERT and RoBERTa stand in transformers' list of causal models too; read that way they give numbers that
    mean nothing. So the class that wrote the checkpoint decides, and masked comes first where it is silent.
    """
    if config.is_encoder_decoder:
        return "encoder-decoder"
    written_by = {loaded_as} if loaded_as else set(config.architectures or ())
    masked = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    causal = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if written_by & set(masked.values()):
        return "masked"
    if written_by & set(causal.values()) or getattr(config, "is_decoder", False):
        return "causal"
    if config.model_type in masked:
        return "masked"
    if config.model_type in causal:
        return "causal"
    raise UserError(
        f"{name!r} is a {config.model_type!r} model ({', '.join(written_by) or 'unknown class'}), "
        "which is no language model.",
        "Give a masked, causal or encoder-decoder language model.",
    )


def _load_network(source: str, kind: str, found: dict[str, Any]) -> Any:
    """Load in fp32 and refuse anything that was not in the checkpoint."""
    network, info = _LOADERS[kind].from_pretrained(
        source,
        dtype=torch.float32,
        output_loading_info=True,
        weights_only=True,
        **found,
    )
    missing = sorted(info["missing_keys"]) + sorted(str(key[0]) for key in info["mismatched_keys"])
    if missing:
        shown = ", ".join(missing[:4]) + (", ..." if len(missing) > 4 else "")
        raise UserError(
            f"{source!r} has no weights for {len(missing)} parts of a {kind} language model ({shown}): "
            "they would be random, and so would every score.",
            "Give the checkpoint that was saved with its language-model head.",
        )
    return network


def _unpacked(folder: Path, kind: str, config: Any) -> Any:
    """A packed model as an ordinary network: every weight comes from the file, and none is left over."""
    state = load_packed(folder)
    with no_init_weights():
        network = _LOADERS[kind].from_config(config)
    try:
        network.load_state_dict(state, strict=True, assign=True)
    except RuntimeError as error:
        text = " ".join(str(error).split())
        raise UserError(
            f"The packed weights in {str(folder)!r} do not fit its configuration: {text[:200]}",
            "Pack the model again.",
        ) from error
    network.tie_weights()
    return network


def _check_folder(folder: Path, allow_pickle: bool) -> None:
    if not (folder / "config.json").exists():
        raise UserError(
            f"{str(folder)!r} holds no config.json, so it is no model folder.",
            "Give a folder written by save_pretrained.",
        )
    if any(folder.glob("*.safetensors")):
        return
    if not any(folder.glob("*.bin")):
        raise UserError(
            f"{str(folder)!r} holds a configuration but no weights.",
            "Put model.safetensors beside config.json.",
        )
    if not allow_pickle:
        raise UserError(
            f"{str(folder)!r} holds only pickled weights, which can run code when they are read.",
            "Save it as safetensors, or pass --allow-pickle if you trust where it came from.",
        )


def _looks_like_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name or not name


@contextmanager
def _explained(name: str, stored_only: bool) -> Iterator[None]:
    """Turn what transformers raises into what a person can do about it."""
    try:
        yield
    except SafetensorError as error:
        raise UserError(
            f"The weights of {name!r} are damaged: {error}.", "Copy or download them again."
        ) from error
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        raise _load_error(name, error, stored_only) from error


def _load_error(name: str, error: Exception, stored_only: bool) -> UserError:
    text = " ".join(str(error).split())
    if Path(name).expanduser().is_dir():
        return UserError(
            f"{name!r} cannot be loaded: {text[:300]}",
            "Check the folder's config.json and weights.",
        )
    if "pickle" in text or "safetensors" in text:
        return UserError(
            f"{name!r} offers no safetensors weights: {text[:200]}",
            "Pass --allow-pickle if you trust where it came from.",
        )
    if "/" not in name and get_close_matches(name.lower(), list(BUILT_IN), cutoff=0.7):
        return unknown_name("model folder or built-in model", name, BUILT_IN)
    if stored_only and isinstance(error, OSError):  # anything else is wrong with a copy that is there
        return UserError(
            f"{name!r} is no folder here, the model hub cannot be reached, and no copy was fetched earlier.",
            "Check the name and the network, or give the path of a folder that holds the model.",
        )
    return UserError(
        f"{name!r} is neither a folder here nor a model that could be fetched from the hub: {text[:200]}",
        "Check the name and the network, or give the path of a folder that holds the model.",
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Hold back transformers' bars and reports: what matters of them is checked, and said in words."""
    log = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()
