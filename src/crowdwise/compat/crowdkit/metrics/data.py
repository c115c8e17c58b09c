"""How much answers agree: Krippendorff's alpha, consistency, uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ....engine import bind
from ....study.annotators import agreement
from ....votes.codes import Array, find, names_array
from ..aggregation.answers_in import crowd_of
from ..aggregation.weighted_votes import MajorityVote


def _differ(one: Hashable, other: Hashable) -> float:
    return float(one != other)


def alpha_krippendorff(answers: Any, distance: Callable[[Hashable, Hashable], float] = _differ) -> float:
    """Krippendorff's alpha; distance: of two labels, whether they differ unless told."""
    crowd = crowd_of(answers)
    if distance is _differ or getattr(distance, "__name__", "") == "binary_distance":
        table = agreement(crowd, draws=0)
        return float(next(row["value"] for row in table.records() if row["measure"].startswith("Krippendorff")))
    classes = crowd.classes.tolist()
    apart = np.array([[distance(one, other) for other in classes] for one in classes], float)
    votes = bind(crowd).item_votes()
    votes = votes[votes.sum(axis=1) > 1]
    n = votes.sum(axis=1)
    met = np.einsum("ik,il,i->kl", votes, votes, 1.0 / (n - 1.0)) - np.diag((votes / (n - 1.0)[:, None]).sum(axis=0))
    share = votes.sum(axis=0)
    chance = (np.outer(share, share) - np.diag(share)) / (share.sum() - 1.0)
    expected = float((chance * apart).sum())
    return 1.0 - float((met * apart).sum()) / expected if expected else 1.0


def consistency(answers: Any, workers_skills: Any = None, aggregator: Any = None, by_task: bool = False) -> Any:
    """The mean posterior of the aggregated labels, workers being right with their skill and wrong evenly."""
    import pandas as pd

    aggregator = MajorityVote() if aggregator is None else aggregator
    labels = aggregator.fit_predict(answers)
    skills = aggregator.skills_ if workers_skills is None else workers_skills
    crowd, skill = _skills(answers, skills)
    joint = _products(crowd, skill)
    code = np.asarray(find(names_array(labels.reindex(crowd.items).to_numpy().tolist()), crowd.classes), np.int64)
    total = joint.sum(axis=1)
    own = joint[np.arange(len(joint)), np.maximum(code, 0)]
    values = np.where(total > 0.0, own / np.where(total > 0.0, total, 1.0), 0.0)
    found = pd.Series(values, index=pd.Index(crowd.items, name="task")).sort_index()
    return found if by_task else float(found.mean())


def uncertainty(
    answers: Any, workers_skills: Any = None, aggregator: Any = None, compute_by: str = "task", aggregate: bool = True
) -> Any:
    """The entropy of the labels that workers are taken to give, by task or by worker; the mean of it unless told."""
    import pandas as pd

    if workers_skills is None and aggregator is not None:
        workers_skills = aggregator.fit(answers).skills_
    if workers_skills is None:
        crowd = crowd_of(answers)
        skill = np.ones(crowd.n_annotators)
    else:
        crowd, skill = _skills(answers, workers_skills)
    k = crowd.n_classes
    rows = np.where(np.eye(k, dtype=bool)[crowd.label], skill[crowd.annotator][:, None],
                    ((1.0 - skill[crowd.annotator]) / max(k - 1, 1))[:, None])  # fmt: skip
    of, names = (crowd.item, crowd.items) if compute_by == "task" else (crowd.annotator, crowd.annotators)
    sums = np.stack([np.bincount(of, column, len(names)) for column in rows.T], axis=1)
    share = sums / sums.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(share > 0.0, share * np.log(share), 0.0).sum(axis=1)
    found = pd.Series(entropy, index=pd.Index(names, name=compute_by)).sort_index()
    return float(found.mean()) if aggregate else found


def _skills(answers: Any, skills: Any) -> tuple[Any, Array]:
    crowd = crowd_of(answers)
    own = skills.reindex(crowd.annotators).to_numpy(float)
    if np.isnan(own).any():
        missing = sorted(map(str, crowd.annotators[np.isnan(own)].tolist()))
        raise AssertionError(f"there are no skills of workers {', '.join(missing[:5])}")
    return crowd, own


def _products(crowd: Any, skill: Array) -> Array:
    """For each item and class, the product over its votes of the skill, or of what is left of it."""
    k = crowd.n_classes
    with np.errstate(divide="ignore"):
        right, wrong = np.log(skill), np.log((1.0 - skill) / max(k - 1, 1))
    table = np.where(np.eye(k, dtype=bool), right[:, None, None], wrong[:, None, None])
    return np.asarray(np.exp(bind(crowd, "numpy").item_scores(np.maximum(table, -1e300))))
