"""Project: the state of a running project in memory, made anew from its votes whenever it starts."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from ..collect.gains import Belief, information
from ..collect.online import Online
from ..collect.stopping import Promise, promise
from ..errors import InputError
from ..fit.result import Result
from ..votes.codes import Array
from .store import Person, Said, Store

LEASE = 300.0  # seconds that an item is kept for whom it was handed to
SHORTLIST = 1_024
EVERY = 0.5  # seconds between two looks at all votes
SKIPPED = None


class Project:
    """What is known, whom items were handed to, and what is asked next. One process owns a project.

    Votes reach it after they are kept. A thread looks at all of them at most twice a second; what is asked next follows
    from its last look and from the votes since. If the thread dies, questions go on by what was known.
    """

    def __init__(self, store: Store):
        self.store, settings = store, store.settings()
        if "classes" not in settings:
            raise InputError("the project has no classes: name them when it is made, with --classes")
        self.classes: list[str] = settings["classes"]
        self.guidelines: str = settings.get("guidelines", "")
        self.max_votes: int = settings.get("max_votes", 0)
        self.lock = threading.RLock()
        self.people = store.people()
        self.live = Online(self.classes, families={one.name: one.family for one in self.people.values() if one.family})
        self.items: dict[int, Any] = {}
        self.names: dict[str, int] = {}
        self.leases: dict[int, dict[int, float]] = {}
        self.done: dict[int, set[int]] = {}
        self.counts = np.zeros(0, np.int64)
        self.rows: list[int] = []
        self.looked: Result | None = None
        self._known: dict[int, str] = {}
        self._queues: dict[int, list[int]] = {}
        self._handed: dict[int, int] = {}
        self.belief: Belief | None = None
        self.started, self.n_votes, self.broken = time.time(), 0, ""
        self.take_items()
        self._load()
        self.look()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_looking, name="crowdwise-look", daemon=True)
        self._thread.start()

    # -- votes --------------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        """All votes of the store: the last one of a person on an item counts, unless it was taken back."""
        names = {one.id: one.name for one in self.people.values()}
        self.live.add_annotators(names.values())
        standing: dict[tuple[int, int], str] = {}
        for vote in self.store.votes():
            self.n_votes += 1
            pair, done = (vote.item, vote.person), self.done.setdefault(vote.person, set())
            if vote.label is not None:
                standing[pair] = vote.label
                done.add(vote.item)
                continue
            standing.pop(pair, None)
            done.discard(vote.item) if vote.replaces is not None else done.add(vote.item)
        self.live.load((self.items[item].name, names[person], label) for (item, person), label in standing.items())
        place = {code: at for at, code in enumerate(self.rows)}
        for item, _ in standing:
            self.counts[place[item]] += 1

    def take_items(self) -> None:
        """Items that are in the store and not here yet; what is known of the others is read anew."""
        with self.lock:
            for row in self.store.items():
                if row.id not in self.items:
                    self.names[row.name] = row.id
                    self.rows.append(row.id)
                self.items[row.id] = row
            self.live.add_items([self.items[code].name for code in self.rows])
            self.counts = np.concatenate([self.counts, np.zeros(len(self.rows) - self.counts.size, np.int64)])

    def take(self, vote: Said) -> None:
        """A vote that is kept: counted, or what it replaces taken back."""
        with self.lock:
            self.n_votes += 1
            self.leases.get(vote.item, {}).pop(vote.person, None)
            self.done.setdefault(vote.person, set()).add(vote.item)
            item, who = self.items[vote.item].name, self._name(vote.person)
            place = self.live._codes["items"][item]
            if (item, who) in self.live:
                self.live.retract(item, who)
                self.counts[place] -= 1
                if vote.label is None:
                    self.done[vote.person].discard(vote.item)
            if vote.label is not None:
                self.live.add(item, who, vote.label)
                self.counts[place] += 1
            elif vote.replaces is not None:
                self.done[vote.person].discard(vote.item)

    def _name(self, person: int) -> str:
        if person not in self._known:
            self._known = {one.id: one.name for one in self.people.values()}
        return self._known[person]

    @property
    def answers(self) -> int:
        """How many votes count."""
        return int(self.counts.sum())

    @property
    def covered(self) -> int:
        """How many items have a vote."""
        return int((self.counts > 0).sum())

    # -- what is asked next -------------------------------------------------------------------------------------------

    def next(self, person: Person, now: float | None = None) -> int | None:
        """An item for somebody who is here: what they were handed; else one without a vote; else what tells most."""
        now = time.time() if now is None else now
        with self.lock:
            done = self.done.get(person.id, set())
            handed = self._handed.get(person.id)
            if handed is not None and self.leases.get(handed, {}).get(person.id, 0.0) > now and handed not in done:
                return handed
            for again in (False, True):  # the queue of the last look, and a new one if nothing is left of it
                if again or person.id not in self._queues:
                    self._queues[person.id] = self._order(person.name)[::-1].tolist()
                queue = self._queues[person.id]
                while queue:
                    place = queue.pop()
                    if self._open(place, done, now):
                        return self._hand(place, person.id, now)
            for place in np.argsort(self.counts, kind="stable").tolist():  # not on the shortlist: the fewest votes
                if self._open(place, done, now, anyway=True):
                    return self._hand(place, person.id, now)
        return None

    def _open(self, place: int, done: set[int], now: float, anyway: bool = False) -> bool:
        """Whether an item may be asked of somebody: not answered, decided, full, nor in somebody's hands."""
        item = self.rows[place]
        if item in done or self.items[item].settled is not None:
            return False
        away = sum(until > now for until in self.leases.get(item, {}).values())
        if self.max_votes and self.counts[place] + away >= self.max_votes:
            return False
        return anyway or not away

    def _hand(self, place: int, person: int, now: float) -> int:
        item = self.rows[place]
        self.leases.setdefault(item, {})[person] = now + LEASE
        self._handed[person] = item
        return item

    def _order(self, name: str) -> Array:
        """Places of items, best first: those without a vote, then by what this person's vote would tell."""
        uncovered = np.flatnonzero(self.counts == 0)
        if uncovered.size:
            free = [place for place in uncovered[: 4 * SHORTLIST].tolist() if not self.leases.get(self.rows[place])]
            return np.array(free[:SHORTLIST] or uncovered[:SHORTLIST].tolist())
        belief = self.belief
        if belief is None or len(belief.posterior) < len(self.rows):
            return np.argsort(self.counts, kind="stable")[:SHORTLIST]
        j = self.live._codes["annotators"].get(name, -1)
        matrix = belief.confusion[j] if 0 <= j < len(belief.confusion) else belief.crowd
        some = self._short
        gain = information(belief.posterior[some], np.broadcast_to(matrix, (some.size, *matrix.shape)))
        return some[np.argsort(-gain, kind="stable")]

    # -- what is known ------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Look at all votes."""
        with self.lock:
            crowd_there = self.live.n_votes > 0
            belief = self.live.belief() if crowd_there else None
            looked = self.live.result if crowd_there else None
        if belief is not None:
            unsure = -belief.posterior.max(axis=1)
            most = min(SHORTLIST, unsure.size)
            self._short = np.argpartition(-unsure, most - 1)[:most]
        with self.lock:
            self.belief, self.looked, self._queues = belief, looked, {}

    def _keep_looking(self) -> None:
        seen = self.n_votes
        while not self._stop.wait(EVERY):
            if self.n_votes == seen:
                continue
            seen = self.n_votes
            try:
                self.look()
                self.broken = ""
            except Exception as error:
                self.broken = f"{type(error).__name__}: {error}"

    def promised(self, error: float = 0.05) -> Promise | None:
        """Whether to stop, by audited items."""
        if self.looked is None:
            return None
        there = set(self.looked.items.tolist())
        audit = {row.name: row.audit for row in self.items.values() if row.audit is not None and row.name in there}
        return promise(self.looked, error, audit)

    def close(self) -> None:
        """Stop looking."""
        self._stop.set()
        self._thread.join(timeout=5.0)
