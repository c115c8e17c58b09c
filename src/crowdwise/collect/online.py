"""Online: votes one by one or in batches, and what they say together, whatever their order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..engine import bind
from ..errors import InputError
from ..fit.result import Result
from ..methods import make
from ..methods.classes.bayes.live import Live
from ..study.settle import settle
from ..votes.codes import Array, names_array, shown, smallest_int
from ..votes.crowd import Crowd
from ..votes.gold import known_classes
from ..votes.table import Table
from .forecast import forecast
from .gains import Belief
from .pair_table import PairTable, pair_key
from .stopping import Promise, promise

ENOUGH = 5.0  # votes an item, from which the full method decides
LEAST = 2_000  # votes, and so many of them
MANY = 20  # times a crowd's votes: below that the votes that are there are not sorted anew for it
FIRST = 1_024  # votes that there is room for at first


class Online:
    """Votes as they come. The state is the set of votes: any order, any batching and any restart give the same.

    classes: their names, in their order; more may come. items: those that there are, asked or not; more may come.
    method: "live", four sweeps of `Live`; "auto" or another method's name; or "hand-over", `live` until there are five
    votes an item, and `auto` then. families: a group for some annotators (machines of one make): their votes on an item
    share the weight of one.

    >>> live = Online(["cat", "dog"], items=["a", "b"])
    >>> live.update([("a", "ann", "cat"), ("a", "bob", "cat"), ("b", "ann", "dog")])
    3
    >>> live.result.labels.tolist(), live.n_votes
    (['cat', 'dog'], 3)
    """

    def __init__(
        self,
        classes: Iterable[Any],
        items: Iterable[Any] = (),
        *,
        method: str = "hand-over",
        families: Mapping[Any, Any] | None = None,
        seed: int = 0,
    ):
        if method not in ("live", "hand-over"):
            make(method)  # an unknown name is an error now, and not at the first look
        self.method, self.seed, self.families = method, seed, dict(families or {})
        self._codes: dict[str, dict[Any, int]] = {"items": {}, "annotators": {}, "classes": {}}
        self._names: dict[str, list[Any]] = {axis: [] for axis in self._codes}
        for name in classes:
            self._code("classes", name)
        for name in items:
            self._code("items", name)
        self._columns = np.zeros((3, FIRST), np.int32)
        self._n = 0
        self._places: PairTable[int] = PairTable()
        self._prior: dict[Any, Array] = {}
        self._gold: dict[Any, Any] = {}
        self._result: Result | None = None
        self._belief: Belief | None = None
        self._look: Look | None = None
        self._quick: dict[int, Array] = {}
        self._of_item: dict[int, list[int]] = {}

    # -- votes --------------------------------------------------------------------------------------------------------

    @property
    def n_votes(self) -> int:
        """How many votes there are."""
        return self._n

    def add(self, item: Any, annotator: Any, label: Any) -> None:
        """One vote; a second one of the annotator on the item is refused (`correct`), and so is a new class."""
        self._require_usable([(item, annotator, label)])
        if (item, annotator) in self:
            raise InputError(f"annotator {shown(annotator)} has voted on item {shown(item)}: correct() changes a vote")
        self._append(self._code("items", item), self._code("annotators", annotator), self._codes["classes"][label])

    def correct(self, item: Any, annotator: Any, label: Any) -> None:
        """Another label in place of the one that an annotator gave."""
        place = self._vote(item, annotator)
        self._require_class(label)
        self._columns[2, place] = self._codes["classes"][label]
        self._changed(int(self._columns[0, place]))

    def retract(self, item: Any, annotator: Any) -> None:
        """Take a vote back."""
        place, last = self._vote(item, annotator), self.n_votes - 1
        i, j = int(self._columns[0, place]), int(self._columns[1, place])
        moved = int(self._columns[0, last]), int(self._columns[1, last])
        self._columns[:, place] = self._columns[:, last]
        self._places.set(*moved, place)
        self._places.remove(i, j)
        self._n = last
        if self._of_item:
            self._of_item[i].remove(place)
            self._of_item[moved[0]] = [place if one == last else one for one in self._of_item[moved[0]]]
        self._changed(i)

    def update(self, votes: Any) -> int:
        """Many votes: a `Crowd`, whose weights do not count, or triples of item, annotator and label.

        All of them are taken, or none if one cannot be.
        """
        if isinstance(votes, Crowd) and MANY * votes.n_votes >= self._n:
            return self._take(votes)
        if isinstance(votes, Crowd):
            table = votes.to_table()
            votes = zip(*(table[name].tolist() for name in ("item", "annotator", "label")), strict=True)
        triples = [_triple(one) for one in votes]
        self._require_usable(triples)
        seen = set()
        for item, annotator, _ in triples:
            if (item, annotator) in self or (item, annotator) in seen:
                raise InputError(
                    f"annotator {shown(annotator)} has voted on item {shown(item)} before: nothing was taken"
                )
            seen.add((item, annotator))
        for item, annotator, label in triples:
            self.add(item, annotator, label)
        return len(triples)

    def load(self, columns: Array) -> None:
        """Votes by codes of items, annotators and classes, (3, votes), each pair once, into an empty crowd."""
        if self.n_votes:
            raise InputError("votes are loaded into an empty crowd; update() adds to one that has some")
        self._put(columns)

    def add_classes(self, names: Iterable[Any]) -> None:
        """More classes, behind those that there are."""
        for name in names:
            self._code("classes", name)
        self._forget()

    def add_items(self, names: Iterable[Any]) -> None:
        """More items to ask about."""
        for name in names:
            self._code("items", name)
        self._result = self._belief = None

    def add_annotators(self, names: Iterable[Any]) -> None:
        """People who may be asked."""
        for name in names:
            self._code("annotators", name)
        self._result = self._belief = None

    def set_prior(self, prior: Mapping[Any, Any]) -> None:
        """What is believed of items beside their votes, such as a classifier's shares of the classes, by item.

        They multiply the shares of the classes, in estimates and in plans: a network in the loop.
        """
        k = len(self._codes["classes"])
        checked = {}
        for item, row in prior.items():
            shares = np.asarray(row, float)
            if shares.shape != (k,) or not (np.isfinite(shares) & (shares >= 0.0)).all() or not shares.sum() > 0.0:
                raise InputError(f"the prior of item {shown(item)} is no distribution over {k} classes")
            if item not in self._codes["items"]:
                raise InputError(f"item {shown(item)} is not known here")
            checked[item] = shares / shares.sum()
        self._prior = checked
        self._forget()

    def set_gold(self, gold: Mapping[Any, Any]) -> None:
        """Known labels by item, in place of those of before: they are obeyed, and teach what annotators are worth."""
        for item, label in gold.items():
            self._require_class(label)
            if item not in self._codes["items"]:
                raise InputError(f"item {shown(item)} is not known here")
        if gold != self._gold:
            self._gold = dict(gold)
            self._forget()

    def snapshot(self) -> Online:
        """The same votes, for a look that takes its time: what comes in here from now on is not in it."""
        other = copy(self)
        other._columns = self._columns[:, : max(self.n_votes, FIRST)].copy()
        other._places = self._places.copy()
        other._names = {axis: list(names) for axis, names in self._names.items()}
        other._codes = {axis: dict(codes) for axis, codes in self._codes.items()}
        other._of_item, other._quick = {}, {}
        return other

    # -- what they say ------------------------------------------------------------------------------------------------

    @property
    def items(self) -> list[Any]:
        """The items, asked or not."""
        return self._names["items"]

    @property
    def annotators(self) -> list[Any]:
        """Who voted, or may be asked."""
        return self._names["annotators"]

    @property
    def crowd(self) -> Crowd:
        """The votes."""
        item, annotator, label = self._columns[:, : self.n_votes]
        order = np.lexsort((annotator, item))
        names = {axis: names_array(own) for axis, own in self._names.items()}
        item, annotator, label = item[order], annotator[order], label[order]
        weight = self._shared(item, annotator)
        narrow = {"item": "items", "annotator": "annotators", "label": "classes"}
        codes = {"item": item, "annotator": annotator, "label": label}
        columns: dict[str, Any] = {
            name: codes[name].astype(smallest_int(len(names[at]))) for name, at in narrow.items()
        }
        columns |= names
        return Crowd(**columns, weight=weight)

    def __contains__(self, pair: tuple[Any, Any]) -> bool:
        """Whether an annotator has voted on an item: `("photo 1", "ann") in live`."""
        i, j = (self._codes[axis].get(name) for axis, name in zip(("items", "annotators"), pair, strict=True))
        return i is not None and j is not None and self._has(i, j)

    @property
    def result(self) -> Result:
        """What all votes say: it depends on them alone."""
        if self._result is None:
            if not self.n_votes:
                raise InputError("there are no votes yet")
            crowd, full, prior, gold = self.crowd, self.method, self._prior_rows(), self._gold or None
            live = Live(seed=self.seed)
            if full == "hand-over":
                many = self.n_votes >= max(LEAST, ENOUGH * max(len(self._codes["items"]), 1))
                full = "auto" if many or not live.fits(crowd) else "live"
            known: dict[str, Any] = {"item_prior": prior, "gold": gold}
            self._result = live.fit(crowd, **known) if full == "live" else settle(crowd, full, **known)
        return self._result

    def posterior_of(self, item: Any) -> Array:
        """The classes of one item now, by what was believed of annotators, and of items beside votes, at the last full
        look."""
        code = self._codes["items"].get(item)
        if code is None:
            raise InputError(f"item {shown(item)} is not known here")
        if code not in self._quick:
            self._quick[code] = self._quickly(code)
        return self._quick[code].copy()

    def belief(self) -> Belief:
        """What is believed by four sweeps, as plans need it."""
        if self._belief is None:
            n, k = self.n_votes, max(len(self._codes["classes"]), 1)
            n_items, n_annotators = max(len(self._codes["items"]), 1), max(len(self._codes["annotators"]), 1)
            item, annotator = self._columns[0, :n], self._columns[1, :n]
            counts = np.bincount(item, minlength=n_items), np.bincount(annotator, minlength=n_annotators)
            if n:
                crowd = self.crowd
                Live().require_memory(crowd)
                known = known_classes(crowd, self._gold or None, self._prior_rows())
                solution = Live(seed=self.seed).solve(bind(crowd), known, None, None)
                posterior, params = np.asarray(solution.found, float), solution.params
            else:
                posterior = np.full((n_items, k), 1.0 / k)
                params = Live()._believed(np.zeros((n_annotators, k, k)), np.full((1, k), 1.0 / k))
            self._belief = Belief(posterior, params["confusion"], *counts, params["stranger"], n)
            table, stranger, prior = (np.log(params[name]) for name in ("confusion", "stranger", "prior"))
            self._look, self._quick = Look(table, stranger, prior, self._prior_rows()), {}
        return self._belief

    def stop(
        self, error: float = 0.05, audit: Mapping[Any, Any] | None = None, delta: float = 0.1, looks: int = 10
    ) -> Promise:
        """Whether the labels are good enough, as far as audited items tell: see `promise`."""
        return promise(self.result, error, audit, delta, looks)

    def forecast(
        self, times: Iterable[float] = (1.5, 2.0, 3.0), audit: Mapping[Any, Any] | None = None, draws: int = 5
    ) -> Table:
        """The accuracy to expect with so many times as many votes: a band, and only with audited items (`forecast`)."""
        return forecast(self, times, audit, draws)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _prior_rows(self) -> Array | None:
        """The priors of all items, even where there is none; None without any."""
        if not self._prior:
            return None
        k = len(self._codes["classes"])
        rows = np.full((len(self.items), k), 1.0 / k)
        for item, shares in self._prior.items():
            rows[self._codes["items"][item], : shares.size] = np.maximum(shares, 1e-6)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def _code(self, axis: str, name: Any) -> int:
        codes = self._codes[axis]
        _require_name(axis.removesuffix("es") if axis == "classes" else axis.removesuffix("s"), name)
        _require_kin(axis, next(iter(codes), name), name)
        if name not in codes:
            codes[name] = len(codes)
            self._names[axis].append(name)
        return codes[name]

    def _require_class(self, label: Any) -> None:
        if not isinstance(label, Hashable) or label not in self._codes["classes"]:
            raise InputError(f"{shown(label)} is none of the classes {', '.join(map(str, self._codes['classes']))}")

    def _require_usable(self, triples: Iterable[tuple[Any, Any, Any]]) -> None:
        """Votes that name a class, and items and annotators that have names of one sort; otherwise nothing is taken."""
        sort = {axis: next(iter(self._codes[axis]), None) for axis in ("items", "annotators")}
        for item, annotator, label in triples:
            self._require_class(label)
            for what, name in (("item", item), ("annotator", annotator)):
                _require_name(what, name)
                first = sort[f"{what}s"] = name if sort[f"{what}s"] is None else sort[f"{what}s"]
                _require_kin(f"{what}s", first, name)

    def _has(self, item: int, annotator: int) -> bool:
        """Whether there is a vote of an annotator on an item, by codes."""
        return self._places.get(item, annotator) is not None

    def _take(self, votes: Crowd) -> int:
        """The votes of a crowd: names are looked at once, however many votes they have."""
        axes = {"items": votes.item, "annotators": votes.annotator, "classes": votes.label}
        used = {axis: np.flatnonzero(np.bincount(code)) for axis, code in axes.items()}
        names = {axis: getattr(votes, axis)[codes].tolist() for axis, codes in used.items()}
        for label in names["classes"]:
            self._require_class(label)
        for axis in ("items", "annotators"):
            first = next(iter(self._codes[axis]), names[axis][0] if names[axis] else None)
            for name in names[axis]:
                _require_name(axis.removesuffix("s"), name)
                _require_kin(axis, first, name)
        told = {axis: self._codes[axis] | {} for axis in axes}
        for axis, own in names.items():
            for name in own:
                told[axis].setdefault(name, len(told[axis]))
        code_of = {axis: np.zeros(len(getattr(votes, axis)), np.int64) for axis in axes}
        for axis, codes in used.items():
            code_of[axis][codes] = [told[axis][name] for name in names[axis]]
        more = np.stack([code_of[axis][code] for axis, code in axes.items()])
        both = np.concatenate([self._columns[:, : self._n], more], axis=1, dtype=np.int64)
        pair = pair_key(*both[:2])
        order = np.argsort(pair, kind="stable")
        if (again := np.flatnonzero(pair[order][1:] == pair[order][:-1])).size:
            vote = order[again[0] + 1] - self._n
            item, annotator = votes.items[votes.item[vote]], votes.annotators[votes.annotator[vote]]
            raise InputError(f"annotator {shown(annotator)} has voted on item {shown(item)} before: nothing was taken")
        for axis in ("items", "annotators"):
            self._codes[axis], self._names[axis] = told[axis], list(told[axis])
        self._put(both)
        return votes.n_votes

    def _put(self, columns: Array) -> None:
        """Votes by codes, in place of all that there were."""
        self._n = columns.shape[1]
        self._columns = np.zeros((3, max(self._n + self._n // 8, FIRST)), np.int32)
        self._columns[:, : self._n] = columns
        self._places, self._of_item = PairTable(columns[0], columns[1], range(self._n)), {}
        self._forget()

    def _vote(self, item: Any, annotator: Any) -> int:
        pair = self._codes["items"].get(item, -1), self._codes["annotators"].get(annotator, -1)
        place = self._places.get(*pair) if min(pair) >= 0 else None
        if place is None:
            raise InputError(f"annotator {shown(annotator)} has not voted on item {shown(item)}")
        return place

    def _forget(self) -> None:
        """Whatever was found is out of date."""
        self._result = self._belief = self._look = None
        self._quick = {}

    def _append(self, i: int, j: int, k: int) -> None:
        place = self.n_votes
        if place == self._columns.shape[1]:
            self._columns = np.concatenate([self._columns, np.zeros_like(self._columns)], axis=1)
        self._columns[:, place] = i, j, k
        self._places.set(i, j, place)
        self._n = place + 1
        if self._of_item:
            self._of_item.setdefault(i, []).append(place)
        self._changed(i)

    def _changed(self, item: int) -> None:
        """The full look is out of date; the item is looked at quickly when it is asked for."""
        self._result = self._belief = None
        self._quick.pop(item, None)

    def _quickly(self, item: int) -> Array:
        if self._look is None:
            self.belief()
        assert self._look is not None
        table, stranger, prior, priors = self._look
        if not self._of_item:
            for place, code in enumerate(self._columns[0, : self.n_votes].tolist()):
                self._of_item.setdefault(code, []).append(place)
        log = prior.copy() if priors is None or item >= len(priors) else prior + np.log(priors[item])
        places = self._of_item.get(item, [])
        family = [self.families.get(self.annotators[j]) for j in self._columns[1, places].tolist()]
        for place, own in zip(places, family, strict=True):
            j, k = int(self._columns[1, place]), int(self._columns[2, place])
            said = table[j, :, k] if j < len(table) else stranger[:, k]
            log += said if own is None else said / family.count(own)
        chance = np.exp(log - log.max())
        return np.asarray(chance / chance.sum())

    def _shared(self, item: Array, annotator: Array) -> Array | None:
        """Weights by which votes of one family on an item count as one; None where there are no families."""
        names = self.annotators
        family = [self.families.get(name) for name in names]
        there = {one for one in family if one is not None}
        if not there:
            return None
        place = {one: code for code, one in enumerate(there)}
        group = np.array([place[one] if one is not None else len(there) + j for j, one in enumerate(family)])
        _, key = np.unique(item.astype(np.int64) * (len(there) + len(names)) + group[annotator], return_inverse=True)
        return np.asarray(1.0 / np.bincount(key)[key])


class Look(NamedTuple):
    """What one item is looked at by: logs of annotators' matrices, a stranger's, and shares; and priors of items."""

    table: Array
    stranger: Array
    prior: Array
    priors: Array | None


def _triple(one: Any) -> tuple[Any, Any, Any]:
    if isinstance(one, str) or not hasattr(one, "__len__") or len(one) != 3:
        raise InputError(f"{shown(one)} is no vote: item, annotator and label are needed")
    item, annotator, label = one
    return item, annotator, label


def _require_name(what: str, name: Any) -> None:
    if not isinstance(name, Hashable):
        raise InputError(f"{shown(name)} cannot be the name of an {what}")
    if name is None or name != name or name == "":  # noqa: PLR0124
        raise InputError(f"the {what} has no name")


def _require_kin(axis: str, first: Any, name: Any) -> None:
    """Names of one axis are all texts, or all numbers."""
    if isinstance(first, str) != isinstance(name, str):
        raise InputError(f"{axis} are named by texts or by numbers, not both: {shown(first)} and {shown(name)}")
