"""Fitted: what training leaves, and what it can answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...errors import InputError, how_many
from ...fit.estimates import Classes
from ...fit.result import Result
from ...methods.classes.em.dawid_skene import DawidSkene
from ...study.annotators import quality
from ...votes.codes import Array, find, shown
from ...votes.crowd import Crowd
from ...votes.table import Table
from ...votes.ties import first_of_tied
from ..base.first_guess import first_shares
from ..base.objective import Output, Suited
from ..objectives.group_perspectives import GroupPerspectives
from .fair_votes import fair
from .hidden_votes import log_votes, own_confusion, own_posterior, vote_score
from .learner import Learner
from .loop import Loop
from .renamed import renamed
from .rows import Rows
from .temperature import WIDE, likeliest_power
from .vote_book import VoteBook

UNHEARD_OF = 1e-3  # the chance of a label that nobody gave in training


@dataclass
class Fitted:
    """Networks and objective after training, with the names behind their numbers.

    items: the rows trained on; unseen: what the network that has not learned from each says of it, and marks: what it
    is known by again, where there are several networks; matrices: confusion counted from its own posterior;
    annotators_table: how good each annotator is; group: whose votes are shared or set aside (`fair`); notes: what was
    found and chosen; power: of its probabilities, where they are calibrated.
    """

    learner: Learner
    shape: tuple[int, ...]
    classes: Array
    annotators: Array
    items: Array
    unseen: Array
    marks: Array
    matrices: Array
    annotators_table: Table
    group: Array
    notes: tuple[str, ...] = ()
    power: float = 1.0

    @classmethod
    def of(
        cls, loop: Loop, everybody: Crowd, names: Array, suited: Suited, power: float | None, calibrate: bool
    ) -> Fitted:
        """A run that is over; everybody: votes before they were shared; power: what a first run found, if any."""
        crowd = fair(everybody, suited.group)
        said = loop.said()
        posterior = own_posterior(loop, said)
        matrices = own_confusion(loop, posterior)
        if calibrate and power is None:  # by what each fold's network says of items that it has not learned from
            log = torch.log(loop.learner.objective.predict(said).detach().cpu().clamp_min(1e-12))
            votes = VoteBook(crowd).of(loop.code)
            power = likeliest_power(log, log_votes(votes, matrices, len(log)), WIDE)
        unseen, marks = np.zeros((0, 0)), np.zeros(0)
        if len(loop.learner.network) > 1:
            unseen, marks = said.logits.cpu().numpy(), loop.rows.marks(loop.index)
        names_kept = renamed(posterior.cpu().numpy(), first_shares(crowd), crowd.classes)
        result = as_result(posterior.cpu().numpy(), crowd.items, crowd, loop.learner)
        return cls(
            learner=loop.learner,
            shape=loop.rows.shape,
            classes=crowd.classes,
            annotators=crowd.annotators,
            items=names[loop.index.numpy()],
            unseen=unseen,
            marks=marks,
            matrices=matrices.numpy(),
            power=power if calibrate and power is not None else 1.0,
            annotators_table=quality(everybody, result),
            group=suited.group,
            notes=(*filter(None, [suited.note]), *loop.learner.objective.notes, *names_kept),
        )

    @property
    def device(self) -> torch.device:
        return self.learner.network.centre.device

    def check(self, rows: Rows) -> None:
        """Rows must be of the shape that was learned from."""
        if rows.shape != self.shape:
            raise InputError(f"X has rows of shape {rows.shape}; the model was trained on {self.shape}")

    def output(self, rows: Rows) -> Output:
        """What the networks say together."""
        self.check(rows)
        return self.learner.answer(rows, torch.arange(len(rows)))

    @torch.no_grad()
    def predict_proba(self, rows: Rows) -> Array:
        """By features alone, (rows, classes)."""
        said = self.learner.objective.predict(self.output(rows))
        if self.power == 1.0:
            return said.cpu().numpy()
        return torch.softmax(self.power * torch.log(said.clamp_min(1e-12)), dim=1).cpu().numpy()

    @torch.no_grad()
    def predict_groups(self, rows: Rows) -> dict[str, Array]:
        """By features alone, what each group of people would say, (rows, classes)."""
        objective = self.learner.objective
        if not isinstance(objective, GroupPerspectives):
            raise InputError(f"{objective.name} knows no groups: train with objective='group-perspectives'")
        return {name: found.cpu().numpy() for name, found in objective.shares_of_groups(self.output(rows)).items()}

    @torch.no_grad()
    def infer(self, rows: Rows, crowd: Crowd, names: Array) -> Result:
        """By features and votes together; names: of the rows."""
        here = find(crowd.items, names)[crowd.item] >= 0
        notes = []
        if not here.all():
            notes.append(f"{how_many(int((~here).sum()), 'votes')} on items that are no rows of X are left out")
        if not here.any() and len(here):
            raise InputError(f"no vote is on a row of X: {shown(crowd.items[0])} is not among the names of the rows")
        crowd = crowd.take(here).with_classes(self.classes)
        place = np.asarray(find(crowd.annotators, self.annotators))
        crowd = fair(crowd, np.where(place >= 0, self.group[place], -1))
        item = np.asarray(find(names, crowd.items))
        strange = place[crowd.annotator] < 0
        if strange.any():
            n = len(np.unique(crowd.annotator[strange]))
            notes.append(f"{how_many(n, 'annotators')} not seen in training: taken for the mean of the others")
        book = VoteBook(crowd.take(~strange)).to(self.device)
        book.annotator = torch.as_tensor(np.maximum(place, 0), device=self.device)[book.annotator]
        output = self.output(rows)
        if len(self.unseen):
            again = np.asarray(find(names, self.items))
            same = np.isclose(rows.marks(torch.arange(len(rows))), self.marks[again], rtol=1e-6, atol=1e-6)
            known = np.flatnonzero((again >= 0) & same)  # of the same name, and the same features
            output.logits[torch.as_tensor(known, device=self.device)] = torch.as_tensor(
                self.unseen[again[known]], device=self.device
            )
        posterior = self.learner.objective.predict(output)
        there = torch.as_tensor(np.flatnonzero(item >= 0), device=self.device)
        some = Output(output.logits[there], output.features[there])
        votes = book.of(torch.as_tensor(item[item >= 0]))
        posterior[there] = self.learner.objective.posterior(some, votes)
        if strange.any():
            posterior[there] *= self._strangers_say(crowd.take(strange), item[item >= 0]).to(posterior)
            posterior /= posterior.sum(dim=1, keepdim=True)
        return as_result(posterior.cpu().numpy(), names, self, self.learner, notes)

    def _strangers_say(self, crowd: Crowd, item: Array) -> torch.Tensor:
        """How likely the votes of people who were not there in training are given each class, (items, classes)."""
        votes = VoteBook(crowd).of(torch.as_tensor(item))
        mean = torch.as_tensor(self.matrices.mean(axis=0, keepdims=True))
        log = log_votes(votes._replace(annotator=torch.zeros_like(votes.annotator)), mean, len(item))
        return torch.softmax(log, dim=1)

    def vote_score(self, rows: Rows, crowd: Crowd, item: Array) -> float:
        """The mean log chance of votes on items, in nats.

        A stranger is taken for the mean of the annotators; a label that was not there in training has a small chance.
        """
        mean = self.matrices.mean(axis=0, keepdims=True)
        matrices = np.concatenate([self.matrices, mean])  # last: a stranger
        matrices = np.concatenate([matrices, np.full((*matrices.shape[:2], 1), UNHEARD_OF)], axis=2)
        row = np.zeros(crowd.n_items, np.int64)
        row[item[item >= 0]] = np.flatnonzero(item >= 0)
        votes = VoteBook(crowd).everything()
        who = torch.as_tensor(np.asarray(find(crowd.annotators, self.annotators)) % len(matrices))
        what = torch.as_tensor(np.asarray(find(crowd.classes, self.classes)) % matrices.shape[2])
        votes = votes._replace(annotator=who[votes.annotator], label=what[votes.label])
        return vote_score(torch.as_tensor(self.predict_proba(rows)[row]), votes, torch.as_tensor(matrices))


def as_result(posterior: Array, items: Array, names: Any, learner: Learner, notes: Sequence[str] = ()) -> Result:
    """A posterior as a Result; `names` has the annotators' and the classes'.

    Its parameters are those of Dawid and Skene, so that votes on other items can be judged by them, without features.
    """
    confusion = learner.objective.confusion().detach().cpu().numpy().astype(float)
    posterior = posterior.astype(float) / posterior.sum(axis=1, keepdims=True)
    share = posterior.mean(axis=0)
    return Result(
        method=DawidSkene(),
        estimate=Classes(posterior, names.classes, first_of_tied(posterior)),
        items=items,
        annotators=names.annotators,
        params={"prior": share / share.sum(), "confusion": confusion / confusion.sum(axis=2, keepdims=True)},
        statistics={},
        notes=(
            f"from features and votes by {learner.objective.name}; result.predict goes by votes alone",
            *notes,
        ),
    )
