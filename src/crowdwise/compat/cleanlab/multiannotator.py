"""The functions of cleanlab.multiannotator: consensus labels, their quality and that of annotators, whom to ask next.

Labels are a table of items by annotators, integers 0 to K - 1, empty where nobody voted; pred_probs are a classifier's
chances, (items, classes), from networks that have not seen the items.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...study.label_quality import LabelQuality, label_quality
from ...votes.codes import Array, names_array
from ...votes.crowd import Crowd


def convert_long_to_wide_dataset(labels_multiannotator_long: Any) -> Any:
    """A frame of task, annotator and label as a table of tasks by annotators."""
    frame = labels_multiannotator_long
    missing = [name for name in ("task", "annotator", "label") if name not in frame.columns]
    if missing:
        raise InputError(f"there is no column {missing[0]!r}; the columns are {', '.join(map(str, frame.columns))}")
    wide = frame.pivot(index="task", columns="annotator", values="label")
    wide.index.name = wide.columns.name = None
    return wide


def get_majority_vote_label(labels_multiannotator: Any, pred_probs: Any = None, verbose: bool = True) -> Array:
    """The label that most annotators gave each item; ties go to the classifier, then to the commoner class."""
    crowd = _crowd(labels_multiannotator, None if pred_probs is None else np.asarray(pred_probs).shape[1])
    votes = np.zeros((crowd.n_items, crowd.n_classes))
    np.add.at(votes, (crowd.item, crowd.label), 1.0)
    more = 0.0 if pred_probs is None else 1e-3 * np.asarray(pred_probs, float)
    often = votes.sum(axis=0) / max(votes.sum(), 1.0)
    return np.asarray((votes + more + 1e-9 * often).argmax(axis=1))


def get_label_quality_multiannotator(
    labels_multiannotator: Any,
    pred_probs: Any,
    *,
    consensus_method: str | list[str] = "best_quality",
    quality_method: str = "crowdlab",
    calibrate_probs: bool = False,
    return_detailed_quality: bool = True,
    return_annotator_stats: bool = True,
    return_weights: bool = False,
    verbose: bool = True,
    label_quality_score_kwargs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Consensus labels with their quality, each vote's quality, and annotators, as cleanlab's dictionary has them.

    consensus_method: "best_quality" or "majority_vote", or a list of both. quality_method: "crowdlab" or "agreement".
    calibrate_probs is not done here: give calibrated chances. verbose, label_quality_score_kwargs: not used.
    """
    import pandas as pd

    if calibrate_probs:
        raise InputError("calibrate_probs: calibrate the classifier's chances before; nothing is guessed here")
    methods = [consensus_method] if isinstance(consensus_method, str) else list(consensus_method)
    for one in methods:
        if one not in ("best_quality", "majority_vote"):
            raise InputError(f"consensus_method={one!r}: choose best_quality or majority_vote")
    if quality_method not in ("crowdlab", "agreement"):
        raise InputError(f"quality_method={quality_method!r}: choose crowdlab or agreement")
    probs = np.asarray(pred_probs, float)
    crowd = _crowd(labels_multiannotator, probs.shape[1])
    told = label_quality(crowd, probs)
    index = labels_multiannotator.index if hasattr(labels_multiannotator, "index") else None
    votes = np.bincount(crowd.item, minlength=crowd.n_items)
    out: dict[str, Any] = {}
    for one in methods:
        label = (
            told.labels["label"].astype(np.int64) if one == "best_quality"
            else get_majority_vote_label(labels_multiannotator, probs)
        )  # fmt: skip
        agreement = _agreement(crowd, label)
        quality = told.posterior[np.arange(crowd.n_items), label] if quality_method == "crowdlab" else agreement
        columns = {"consensus_label": label, "consensus_quality_score": quality, "annotator_agreement": agreement,
                   "num_annotations": votes}  # fmt: skip
        suffix = "" if one == methods[0] else f"_{one}"
        out[f"label_quality{suffix}"] = pd.DataFrame(columns, index=index)
    if return_detailed_quality:
        detailed = np.full((crowd.n_items, crowd.n_annotators), np.nan)
        first = out["label_quality"]["consensus_label"].to_numpy()
        said = told.posterior[crowd.item, crowd.label] if quality_method == "crowdlab" else (
            crowd.label == first[crowd.item]).astype(float)  # fmt: skip
        detailed[crowd.item, crowd.annotator] = said
        names = [f"quality_annotator_{name}" for name in crowd.annotators.tolist()]
        out["detailed_label_quality"] = pd.DataFrame(detailed, index=index, columns=names)
    if return_annotator_stats:
        out["annotator_stats"] = _stats(told)
    if return_weights:
        out["model_weight"], out["annotator_weight"] = told.model_weight, told.annotator_weight
    return out


def get_active_learning_scores(
    labels_multiannotator: Any = None, pred_probs: Any = None, pred_probs_unlabeled: Any = None
) -> tuple[Array, Array]:
    """ActiveLab scores of items with votes, and of items without: the lower, the more one more vote would help."""
    labeled, unlabeled = np.array([]), np.array([])
    if labels_multiannotator is not None:
        if pred_probs is None:
            raise ValueError("pred_probs are needed beside labels_multiannotator")
        told = label_quality(_crowd(labels_multiannotator, np.asarray(pred_probs).shape[1]), pred_probs)
        labeled = np.asarray(told.labels["priority"])
        mean, model = float(told.annotator_weight.mean()), told.model_weight
    elif pred_probs_unlabeled is None:
        raise ValueError("labels_multiannotator or pred_probs_unlabeled is needed")
    else:
        mean, model = 1.0, 1.0
    if pred_probs_unlabeled is not None:
        sure = np.asarray(pred_probs_unlabeled, float)
        unlabeled = (model * sure.max(axis=1) + mean / sure.shape[1]) / (model + mean)
    return labeled, unlabeled


def get_label_quality_multiannotator_ensemble(
    labels_multiannotator: Any, pred_probs: Any, **options: Any
) -> dict[str, Any]:
    """As `get_label_quality_multiannotator` with several classifiers, (classifiers, items, classes): by their mean."""
    return get_label_quality_multiannotator(
        labels_multiannotator, np.asarray(pred_probs, float).mean(axis=0), **options
    )


def get_active_learning_scores_ensemble(
    labels_multiannotator: Any = None, pred_probs: Any = None, pred_probs_unlabeled: Any = None
) -> tuple[Array, Array]:
    """As `get_active_learning_scores` with several classifiers: by their mean."""
    known, new = (
        None if one is None else np.asarray(one, float).mean(axis=0) for one in (pred_probs, pred_probs_unlabeled)
    )
    return get_active_learning_scores(labels_multiannotator, known, new)


def _crowd(table: Any, n_classes: int | None) -> Crowd:
    """Items by annotators, integers, empty cells missing."""
    names = list(table.columns) if hasattr(table, "columns") else None
    cells = table.to_numpy(float, na_value=np.nan) if hasattr(table, "to_numpy") else np.asarray(table, float)
    if (np.isfinite(cells) & (cells != np.round(cells))).any():
        raise ValueError("labels must be whole numbers, 0 to K - 1")
    if cells.ndim != 2:
        raise ValueError(f"labels_multiannotator has {cells.ndim} axes: items by annotators are needed")
    item, who = np.nonzero(np.isfinite(cells))
    label = cells[item, who].astype(np.int64)
    if not label.size:
        raise ValueError("labels_multiannotator holds no label")
    k = max(int(label.max()) + 1, n_classes or 0)
    if label.min() < 0 or (n_classes is not None and k > n_classes):
        raise ValueError(f"labels must be 0 to {(n_classes or k) - 1}; there are {label.min()} to {label.max()}")
    if (~np.isfinite(cells)).all(axis=1).any():
        first = int((~np.isfinite(cells)).all(axis=1).argmax())
        raise ValueError(f"row {first} of labels_multiannotator holds no label: leave it out")
    people = np.arange(cells.shape[1]) if names is None else names
    named = names_array(list(people))
    rows = np.arange(len(cells))
    return Crowd(item=item, annotator=who, label=label, items=rows, annotators=named, classes=np.arange(k))


def _agreement(crowd: Crowd, label: Array) -> Array:
    """The share of an item's votes that name its consensus label."""
    votes = np.maximum(np.bincount(crowd.item, minlength=crowd.n_items), 1)
    return np.asarray(np.bincount(crowd.item, crowd.label == label[crowd.item], crowd.n_items) / votes)


def _stats(told: LabelQuality) -> Any:
    import pandas as pd

    table = told.annotators
    columns = {
        "annotator_quality": table["quality"],
        "agreement_with_consensus": table["agreement"],
        "worst_class": table["worst_class"].astype(np.int64),
        "num_examples_labeled": table["votes"],
    }
    return pd.DataFrame(columns, index=table["annotator"])
