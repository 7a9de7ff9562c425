"""Real trackers get the headlines of the callback with their intervals; nothing leaves this machine."""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny
from transformers import BertForMaskedLM, Trainer, TrainingArguments

import equipoise

pytestmark = pytest.mark.filterwarnings("ignore")

Points = dict[int, float]
STEPS = [0, 3, 4]
BLOCK, WHOLE_OR_LAST = 32768, (1, 4)


def board(folder: Path, name: str) -> Points:
    """What TensorBoard reads from its event files."""
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    reader = events.EventAccumulator(str(next(folder.rglob("events*")).parent))
    reader.Reload()
    return {one.step: one.value for one in reader.Scalars(name)}


def trackio(folder: Path, name: str) -> Points:
    """What trackio reads from its own database, in which there must be one run only."""
    (run,) = importlib.import_module("trackio").Api().runs("bias")
    storage = importlib.import_module("trackio.sqlite_storage").SQLiteStorage

    def values(metric: str) -> dict[int, float]:
        rows = storage.get_metric_values("bias", run.name, metric, run_id=run.id)
        return {row["step"]: row["value"] for row in rows}

    steps = values("train/global_step")  # trackio's own steps count what was logged
    return {int(steps[place]): value for place, value in values(name).items()}


def wandb(folder: Path, name: str) -> Points:
    """What the offline run's own log holds: records in the frames of LevelDB's log, in blocks of 32 KiB."""
    importlib.import_module("wandb").finish()
    proto = importlib.import_module("wandb.proto.wandb_internal_pb2")
    data, place, held, points = next(folder.rglob("*.wandb")).read_bytes(), 7, b"", {}
    while place + 7 <= len(data):
        if place % BLOCK > BLOCK - 7:
            place += BLOCK - place % BLOCK
        size, kind = int.from_bytes(data[place + 4 : place + 6], "little"), data[place + 6]
        held += data[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in WHOLE_OR_LAST:
            items = {
                "/".join(one.nested_key) or one.key: one.value_json
                for one in proto.Record.FromString(held).history.item
            }
            held = b""
            if name in items:
                points[int(items["train/global_step"])] = float(items[name])
    return points


def mlflow(folder: Path, name: str) -> Points:
    """What MLflow's client reads from its store, in which there must be one run only."""
    client = importlib.import_module("mlflow").MlflowClient()
    name = name.removeprefix("train/").replace("eval/", "eval_")  # MLflow gets the Trainer's own names
    (run,) = client.search_runs([one.experiment_id for one in client.search_experiments()])
    return {one.step: one.value for one in client.get_metric_history(run.info.run_id, name)}


TRACKERS: dict[str, tuple[Callable[[Path, str], Points], dict[str, str]]] = {
    "tensorboard": (board, {"TENSORBOARD_LOGGING_DIR": "{folder}"}),
    "trackio": (trackio, {"TRACKIO_DIR": "{folder}"}),
    "wandb": (wandb, {"WANDB_MODE": "offline", "WANDB_DIR": "{folder}", "WANDB_SILENT": "true"}),
    "mlflow": (mlflow, {"MLFLOW_TRACKING_URI": "sqlite:///{folder}/runs.db"}),
}

SILENT = {
    "DO_NOT_TRACK": "true",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}


@pytest.mark.parametrize("tracker", TRACKERS)
def test_a_tracker_shows_value_and_interval_at_every_step(tracker: str, tmp_path: Path, monkeypatch) -> None:
    read, variables = TRACKERS[tracker]
    for variable, value in (SILENT | variables).items():
        monkeypatch.setenv(variable, value.format(folder=tmp_path))
    monkeypatch.chdir(tmp_path)
    pytest.importorskip(tracker, reason="make harness-test installs the trackers")
    network, words = BertForMaskedLM(tiny.network("bert").config), tiny.tokenizer("wordpiece")
    rows = [words(text) for text in ("He was glad that she left early.", "She sold the roses.")] * 4
    arguments = TrainingArguments(
        str(tmp_path / "run"), max_steps=4, per_device_train_batch_size=1, report_to=tracker, project="bias",
        use_cpu=True, save_strategy="no", logging_steps=2, disable_tqdm=True,
    )  # fmt: skip
    examples = [{**row, "labels": row["input_ids"]} for row in rows]
    trainer = Trainer(network, arguments, train_dataset=examples, processing_class=words)
    callback = equipoise.Callback(trainer, "traits", every=3)
    trainer.add_callback(callback)
    trainer.train()
    assert list(read(tmp_path, "train/loss")) == [2, 4]
    (result,) = callback.results[4]
    rows = result.headlines().to_dict("records")
    assert len(rows) > 1
    for row in rows:
        at = f".{row['by']}.{row['level']}" if row["by"] else ""
        for end, column in (("", "value"), (".low", "low"), (".high", "high")):
            points = read(tmp_path, f"eval/bias/traits.{row['key']}{at}{end}")
            assert list(points) == STEPS
            assert points[4] == pytest.approx(row[column], abs=1e-5)
