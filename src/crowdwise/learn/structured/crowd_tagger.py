"""CrowdTagger: a network for tokens with a chain of tags on top, learned from many annotators' tags."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from ...engine.chains import best_paths
from ...errors import InputError
from ...fit.options import Natural, NonNegative, checked_options
from ...fit.result import Result
from ...methods.spans.bsc_seq import BSCSeq
from ...methods.spans.tag_coin import TagCoin
from ...votes.chained import Order
from ...votes.codes import Array, find, names_array
from ...votes.sequences import Sequences
from ...votes.tags import Tags
from ..numbers.score_networks import Learner, ScoreNetworks, device_of, folds_of, own_fold

LEAST = 1e-6


class CrowdTagger(Learner):
    r"""Tags of tokens as a function of their features, behind annotators and a chain, by EM.

    .. math::
        q(z) \propto \prod_t T_{z_{t-1} z_t} (f(x_t)_{z_t} / \pi_{z_t})^{c} \prod_j A_j[z_t, p_{jt}, y_{jt}]

    In turn, annotators and chain are found as in `BSCSeq`, with what the networks say as the tokens' prior, and the
    networks learn the tags that are believed. Each network leaves out a part of the documents, on which it is heard.

    annotators: "matrices", those of `BSCSeq`, or "one-number", those of `TagCoin`: a chance to be right, for annotators
    with few documents.
    network: as in `CrowdClassifier`, with one logit for each tag. trust: c, how much a network counts in the crowd's
    own documents. words: as in `BSCSeq`. rounds: looks at the annotators; epochs: of the networks, in all. folds,
    batch, rate, decay, standardise, tokenizer, length, seed, device: as in `CrowdRegressor`.

    A chain on top of features, learned from annotators whose tags may be wrong, is the task of Rodrigues, Pereira &
    Ribeiro (Machine Learning 95, 2014); their estimator is another one.

    >>> from crowdwise import simulate
    >>> made = simulate.spans(n_documents=60, n_annotators=8, per_document=4, n_tokens=12, seed=0).spans
    >>> word = made.item_extra["token"]
    >>> X = np.array([[hash(w) % 3, len(w)] for w in word], float)
    >>> model = CrowdTagger("linear", epochs=4, rounds=2).fit(X, made)
    >>> model.result_.to_table()["label"].size > 20, model.predict(X, made).size == len(word)
    (True, True)
    """

    def __init__(
        self,
        network: Any = "mlp",
        trust: NonNegative = 0.5,
        words: NonNegative = 0.5,
        annotators: Literal["matrices", "one-number"] = "matrices",
        epochs: int = 12,
        rounds: int = 3,
        folds: int = 2,
        batch: int = 256,
        rate: NonNegative = 3e-3,
        decay: NonNegative = 1e-4,
        standardise: bool = True,
        tokenizer: Any = None,
        length: int = 128,
        seed: Natural = 0,
        device: str = "auto",
    ):
        self.network, self.trust, self.words, self.annotators = network, trust, words, annotators
        self.epochs, self.rounds = epochs, rounds
        self.folds, self.batch, self.rate, self.decay = folds, batch, rate, decay
        self.standardise, self.tokenizer, self.length = standardise, tokenizer, length
        self.seed, self.device = seed, device

    def fit(self, X: Any, sequences: Any, items: Any = None) -> CrowdTagger:
        """Learn from features of tokens and their tags; `items` names the rows of X, else they are in their order."""
        checked_options(type(self), self.get_params())
        rows, said = self._rows(X), Sequences.of(sequences)
        names = said.items if items is None else names_array(items)
        if len(names) != len(rows):
            raise InputError(f"{len(names)} tokens name {len(rows)} rows of X")
        place = find(said.items, names)
        if (place < 0).any():
            raise InputError(f"there is no row of X for token {said.items[int((place < 0).argmax())]!r}")
        device = device_of(self.device)
        documents = np.asarray(said.order.begin)
        chain = np.empty(said.n_items, np.int64)
        chain[said.order.order] = np.repeat(np.arange(len(documents) - 1), np.diff(documents))
        fold = folds_of(chain.astype(np.uint64), self.folds)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            networks = ScoreNetworks(
                self.network, rows.to(device), self.folds, self.standardise, device, self.seed, said.n_classes
            )
            self.result_ = self._learn(networks, said, place, fold)
        self.networks_, self.classes_ = networks, said.classes
        return self

    def _learn(self, networks: ScoreNetworks, said: Sequences, place: Array, fold: Array) -> Result:
        one_number = self.annotators == "one-number"
        method = TagCoin(seed=self.seed) if one_number else BSCSeq(words=self.words, seed=self.seed)
        result = method.fit(said)
        at = torch.as_tensor(place)
        for epochs in (len(part) for part in np.array_split(np.arange(self.epochs), self.rounds)):
            target = torch.as_tensor(np.asarray(result.posterior), dtype=torch.float32, device=networks.device)

            def loss(j: int, some: Tensor, target: Tensor = target) -> Tensor:
                logits = networks.scores(j, at[some])
                return -(target[some.to(target.device)] * log_softmax(logits, dim=1)).sum(dim=1).mean()

            networks.train(fold, loss, epochs=epochs, batch=self.batch, rate=self.rate, decay=self.decay)
            logits = own_fold(networks.all()[:, place], fold)
            prior = np.exp(self.trust * _over_shares(logits, result.params["prior"]))
            result = method.fit(said, item_prior=prior / prior.sum(axis=1, keepdims=True))
        return result

    def predict(self, X: Any, documents: Any = None) -> Array:
        """The tag of each row: the likeliest path along each document; without documents, all rows are one.

        documents: `Sequences` of the same tokens, or a name for each row, those of one document together.
        """
        logits = self._said(X).mean(axis=0)
        evidence = _over_shares(logits, self.result_.params["prior"])
        order = _order(documents, len(evidence))
        start, move = (np.log(np.maximum(self.result_.params[name], 1e-300)) for name in ("start", "transition"))
        return np.asarray(self.classes_[best_paths(*order, start, move, evidence)])

    def predict_spans(self, X: Any, documents: Any) -> list[tuple[int, int, str]]:
        """First and last row, and type, of each span that is found."""
        tags = Tags(self.classes_)
        code = find(self.predict(X, documents), self.classes_)
        order = _order(documents, len(code))
        first, last, kind = tags.spans(code[order.order], order)
        return [
            (int(order.order[a]), int(order.order[b]), tags.types[k]) for a, b, k in zip(first, last, kind, strict=True)
        ]


def _over_shares(logits: Array, shares: Array) -> Array:
    """Logs of what a network says, over the shares of the tags: the chain has these already."""
    top = logits.max(axis=1, keepdims=True)
    log = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
    return np.asarray(log - np.log(np.maximum(shares, LEAST)))


def _order(documents: Any, n: int) -> Order:
    if isinstance(documents, Sequences):
        return documents.order
    names = np.zeros(n, np.int64) if documents is None else np.asarray(documents)
    if len(names) != n:
        raise InputError(f"{len(names)} documents name {n} rows of X")
    return Order(
        np.arange(n), np.append(np.flatnonzero(np.append(True, names[1:] != names[:-1])), n) if n else np.zeros(1, int)
    )
