"""Models on disk: one file, from which all but networks of your own is made again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ...errors import InputError
from ...files import pack, unpack
from ...votes.codes import names_array
from ...votes.table import Table
from ..base.objective import Objective, Sizes, make_objective
from ..networks.build import build
from ..networks.ensemble import Ensemble
from ..objectives import OBJECTIVES
from .fitted import Fitted
from .learner import Learner
from .loop import History
from .state_files import load_state, read, state_arrays, write

if TYPE_CHECKING:
    from ..classifier import CrowdClassifier

NAMES = ("classes", "annotators", "items")


def save_model(model: CrowdClassifier, path: str | Path) -> None:
    """Write a fitted model."""
    fitted = model._answers
    objective = fitted.learner.objective
    params = {**model.get_params(), "objective": None, "options": None, "class_prior": None}
    if not isinstance(model.network, str):
        params["network"] = None
    params["tokenizer"] = None if model.tokenizer is None else "given"
    known = objective.name in OBJECTIVES and OBJECTIVES.load(objective.name) is type(objective)
    header = {
        "params": params,
        "objective": {"name": objective.name, "options": objective.options()} if known else None,
        "sizes": objective.sizes._asdict(),
        "networks": len(fitted.learner.network),
        "shape": fitted.shape,
        "power": fitted.power,
        "notes": list(fitted.notes),
        "final": asdict(model.final_),
        "choice": asdict(model.choice_),
        "annotators_table": {name: column.tolist() for name, column in fitted.annotators_table.columns.items()},
    }
    arrays = state_arrays(fitted.learner, "learner") | {
        "unseen": fitted.unseen,
        "marks": fitted.marks,
        "matrices": fitted.matrices,
        "group": fitted.group,
    }
    for name in NAMES:
        arrays |= pack(name, getattr(fitted, name))
    write(Path(path), "a saved model", header, arrays)


def load_model(
    kind: type[CrowdClassifier], path: str | Path, network: Any, objective: Any, device: str, tokenizer: Any = None
) -> CrowdClassifier:
    """Read a model that `save_model` wrote."""
    header, arrays = read(Path(path), "a saved model")
    model = kind(**{**header["params"], "device": device})
    model.network = model.network if network is None else network
    if model.network is None:
        raise InputError(f"{path} was trained with a network of your own: give it, network=")
    if model.tokenizer is not None and tokenizer is None:
        raise InputError(f"{path} was trained with a tokenizer: give it, tokenizer=")
    model.tokenizer = tokenizer
    made = _objective(header["objective"], objective, path).resize(Sizes(**header["sizes"]))
    model.objective = objective
    if objective is None:
        model.objective, model.options = made.name, made.options()
        model.class_prior = model.options.pop("class_prior", None)
    shape, n_classes = tuple(header["shape"]), made.sizes.classes
    networks = [build(model.network, shape, n_classes) for _ in range(header["networks"])]
    scale = (torch.as_tensor(np.array(arrays[f"learner.network.{name}"])) for name in ("centre", "spread"))
    learner = Learner(Ensemble(networks, *scale), made)
    load_state(learner, arrays, "learner", Path(path))
    learner.to(model._device())
    table = {name: names_array(column) for name, column in header["annotators_table"].items()}
    model.final_, model.choice_ = History(**header["final"]), History(**header["choice"])
    model.fitted_ = Fitted(
        learner=learner,
        shape=shape,
        unseen=arrays["unseen"],
        marks=arrays["marks"],
        matrices=arrays["matrices"],
        group=arrays["group"],
        notes=tuple(header["notes"]),
        annotators_table=Table(table),
        power=header.get("power", 1.0),
        **{name: unpack(name, arrays) for name in NAMES},
    )
    return model


def _objective(written: dict[str, Any] | None, given: Any, path: str | Path) -> Objective:
    if given is not None:
        return make_objective(given)
    if written is None:
        raise InputError(f"{path} was trained with an objective of your own: give it, objective=")
    return make_objective(written["name"], **written["options"])
