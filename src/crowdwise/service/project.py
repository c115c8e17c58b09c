"""Project: the state of a running project in memory, made anew from its votes whenever it starts."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy.exc import DBAPIError

from ..collect.pair_table import PairTable
from ..collect.stopping import LOOKS, Promise, promised_by
from ..engine.memory import give_back
from ..errors import InputError
from ..study.annotators import quality
from ..votes.codes import Array
from .asked import asked_by
from .asked.answer import Found, Item
from .opinion import SHORTLIST, LiveOpinion, opinion_on
from .overview import Overview, overview_of, remaining
from .standing import Standing
from .store import Person, Said, Store

IDLE = 2.0  # seconds for which "nothing to do" holds, unless votes or items come
LEASE = 300.0  # seconds that an item is kept for whom it was handed to
AT_ONCE = 100_000  # votes that are looked at before anybody is served
EVERY = 0.5  # seconds between two looks at all votes
OVERSEEN = 5.0  # seconds between two looks at people and their agreement
TIMED = 500  # answers of each person, the last ones, whose time is kept
STEP = 1.05  # times the votes of the last point of the curve
GROWN = 1.25  # times the votes, or the audits, of the last look at audited items


class _Overseen(NamedTuple):
    """What people were last looked at by, and when."""

    result: Any
    at: float


class Project:
    """What is known, whom items were handed to, and what is asked next. One process owns a project.

    Votes reach it after they are kept. A thread looks at all of them at most twice a second; what is asked next follows
    from its last look and from the votes since. If the thread dies, questions go on by what was known.
    """

    def __init__(self, store: Store):
        self.store, settings = store, store.settings()
        self.asked = asked_by(settings)
        self.opinion = opinion_on(self.asked)
        self.guidelines: str = settings.get("guidelines", "")
        self.media: str | None = settings.get("media")
        self.max_votes: int = settings.get("max_votes", 0)
        self.lock = threading.RLock()
        self.people = store.people()
        self._called = {one.name: one for one in self.people.values()}
        self.items: dict[int, Any] = {}
        self.names: dict[str, int] = {}
        self.leases: dict[int, dict[int, float]] = {}
        self.standing: PairTable[str] = PairTable()
        self.skipped: dict[int, set[int]] = {}
        self.given: Counter[int] = Counter()  # answers and skips of each person
        self.rows: list[int] = []
        self.place: dict[int, int] = {}
        self.found: Found | None = None
        self.overview: Overview | None = None
        self.seconds: dict[int, deque[float]] = {}  # of each person's last answers
        self._overseen = _Overseen(None, -OVERSEEN)
        self._of_gold: dict[int, Any] = {}
        self._known: dict[int, Person] = {}
        self._queues: dict[int, list[int]] = {}
        self._handed: dict[int, list[int]] = {}
        self._idle: dict[int, tuple[int, float]] = {}
        self._looks: list[dict[str, Any]] = settings.get("looks", [])
        self.curve: list[dict[str, Any]] = settings.get("curve", [])
        self.started, self.n_votes, self.broken, self.known_changed = time.time(), 0, "", False
        self.take_people()
        self.take_items()
        self._load()
        if self.answers <= AT_ONCE:  # more are looked at while people are served already
            self._look_anyway()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_looking, name="crowdwise-look", daemon=True)
        self._thread.start()

    # -- votes --------------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        """All votes of the store: the last one of a person on an item counts, unless it was taken back."""
        there = Standing.of(self._counted(self.store.each_vote()))
        self.standing = there.by_id()
        self.given.update(there.person.tolist())
        self.given.update({person: len(items) for person, items in self.skipped.items()})
        self.opinion.load(np.searchsorted(self.rows, there.item), there)  # items are numbered as they came
        del there
        give_back()

    def _counted(self, votes: Iterable[Said]) -> Iterator[Said]:
        """Votes on their way: how many there are, and who passed what by."""
        for vote in votes:
            self.n_votes += 1
            self._time(vote)
            own = self.skipped.setdefault(vote.person, set())
            own.add(vote.item) if vote.label is None and vote.replaces is None else own.discard(vote.item)
            yield vote

    def _time(self, vote: Said) -> None:
        """How long an answer took, if that is told."""
        if vote.seconds is not None and vote.label is not None:
            self.seconds.setdefault(vote.person, deque(maxlen=TIMED)).append(vote.seconds)

    def _done(self, item: int, person: int) -> bool:
        """Whether somebody has answered an item, or passed it by."""
        return item in self.skipped.get(person, ()) or self.standing.get(item, person) is not None

    def take_items(self) -> None:
        """Items that are in the store and not here yet."""
        with self.lock:
            new = self.store.items(after=self.rows[-1] if self.rows else 0)
            for row in new:
                self.names[row.name], self.place[row.id] = row.id, len(self.rows)
                self.rows.append(row.id)
                self._keep_item(row)
            self.opinion.add_items(Item(row.name, row.content) for row in new)
            self._idle = {}

    def take_known(self, name: str) -> None:
        """What is known of one item, read anew."""
        with self.lock:
            self._keep_item(self.store.item(name))
            self.known_changed = True

    def _keep_item(self, row: Any) -> None:
        self.items[row.id] = row
        if row.gold is not None:
            self._of_gold[row.id] = row
        else:
            self._of_gold.pop(row.id, None)

    def take_people(self) -> None:
        """People who are in the store and not here yet, or have changed."""
        with self.lock:
            self.people = self.store.people()
            self._called = {one.name: one for one in self.people.values()}
            self._known = {one.id: one for one in self.people.values()}
            self.opinion.take_people(self._known)

    def called(self, name: str) -> Person | None:
        """Somebody by their name."""
        return self._called.get(name)

    def contradicts(self, vote: Said) -> str | None:
        """Why a vote cannot be kept: there is another one of this person on this item, or not what is taken back."""
        there = self.standing.get(vote.item, vote.person)
        if vote.replaces is not None:
            if there == vote.replaces or self.store.vote_of(vote.id) is not None:
                return None
            return "this vote does not count any more: there is nothing to take back"
        if there in (None, vote.id):
            return None
        return f"you have answered {self.items[vote.item].name!r}: undo that first"

    def take(self, vote: Said) -> None:
        """A vote that is kept: counted, or what it replaces taken back."""
        with self.lock:
            self.n_votes += 1
            self._time(vote)
            before = self._done(vote.item, vote.person)
            self.leases.get(vote.item, {}).pop(vote.person, None)
            skipped = self.skipped.setdefault(vote.person, set())
            if vote.label is not None:
                self.standing.set(vote.item, vote.person, vote.id)
            else:
                self.standing.remove(vote.item, vote.person)
            skipped.add(vote.item) if vote.label is None and vote.replaces is None else skipped.discard(vote.item)
            self.given[vote.person] += self._done(vote.item, vote.person) - before
            if vote.replaces is not None and vote.id.endswith(vote.replaces):  # by themselves: it comes again first
                self._handed.setdefault(vote.person, []).insert(0, vote.item)
                self.leases.setdefault(vote.item, {})[vote.person] = time.monotonic() + LEASE
            self.opinion.put(self.place[vote.item], self._known[vote.person], vote.label)

    @property
    def counts(self) -> Array:
        """How many votes each item has, by place."""
        return self.opinion.counts

    def item(self, code: int) -> Item:
        """An item with what is shown of it."""
        return self.opinion.items[self.place[code]]

    @property
    def answers(self) -> int:
        """How many votes count."""
        return int(self.counts.sum())

    @property
    def covered(self) -> int:
        """How many items have a vote."""
        return int((self.counts > 0).sum())

    # -- what is asked next -------------------------------------------------------------------------------------------

    def next(self, person: Person, now: float | None = None, beside: int | None = None) -> int | None:
        """An item for somebody who is here: what they were handed; else one without a vote; else what tells most.

        beside: an item that they have in hand; another one is wanted, for later.
        """
        now = time.monotonic() if now is None else now
        with self.lock:
            mine = [item for item in self._handed.get(person.id, ()) if not self._done(item, person.id)]
            mine = [item for item in mine if self.leases.get(item, {}).get(person.id, 0.0) > now]
            self._handed[person.id] = mine
            for item in mine:
                if item != beside and self.items[item].settled is None:
                    return item
            votes, until = self._idle.get(person.id, (-1, 0.0))
            if votes == self.n_votes and now < until:
                return None
            for again in (False, True):  # the queue of the last look, and a new one if nothing is left of it
                if again or person.id not in self._queues:
                    self._queues[person.id] = self._order(person.name)[::-1].tolist()
                queue = self._queues[person.id]
                while queue:
                    place = queue.pop()
                    if self.rows[place] != beside and self._open(place, person.id, now):
                        return self._hand(place, person.id, now)
            for place in np.argsort(self.counts, kind="stable").tolist():  # not on the shortlist: the fewest votes
                if self.rows[place] != beside and self._open(place, person.id, now, anyway=True):
                    return self._hand(place, person.id, now)
            self._idle[person.id] = (self.n_votes, now + IDLE)
        return None

    def _open(self, place: int, person: int, now: float, anyway: bool = False) -> bool:
        """Whether an item may be asked of somebody: not answered, decided, full, nor in somebody's hands."""
        item = self.rows[place]
        if self._done(item, person) or self.items[item].settled is not None:
            return False
        away = sum(until > now for until in self.leases.get(item, {}).values())
        if self.max_votes and self.counts[place] + away >= self.max_votes:
            return False
        return anyway or not away

    def _hand(self, place: int, person: int, now: float) -> int:
        item = self.rows[place]
        self.leases.setdefault(item, {})[person] = now + LEASE
        self._handed.setdefault(person, []).append(item)
        return item

    def _order(self, name: str) -> Array:
        """Places of items, best first: those without a vote, then by what this person's vote would tell."""
        uncovered = np.flatnonzero(self.counts == 0)
        if uncovered.size:
            now = time.monotonic()
            away = {item for item, leases in self.leases.items() if any(until > now for until in leases.values())}
            free = [place for place in uncovered[: 4 * SHORTLIST].tolist() if self.rows[place] not in away]
            return np.array(free[:SHORTLIST] or uncovered[:SHORTLIST].tolist())
        if self.found is None or len(self.found.labels) < len(self.rows):
            return np.argsort(self.counts, kind="stable")[:SHORTLIST]
        return self.found.order(name)[:SHORTLIST]

    # -- what is known ------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Look at all votes."""
        with self.lock:  # the fit itself keeps nobody waiting
            look = self.opinion.snapshot({row.name: row.gold for row in self._of_gold.values()})
        found = look()
        with self.lock:
            self.found, self._queues = found, {}
            self._mark()

    def contested(self, n: int) -> list[int]:
        """Places of the least sure items that are not settled."""
        found = [] if self.found is None else self.found.contested.tolist()
        return [place for place in found[: n + len(self.items)] if self.items[self.rows[place]].settled is None][:n]

    def _audited(self) -> list[bool]:
        """Of each audited item that has an answer, whether it is right."""
        if self.found is None or not self.asked.audited:
            return []
        rows = (row for row in self.items.values() if row.audit is not None and self.asked.measures(row.audit))
        there = [(self.place[row.id], row.audit) for row in rows if self.place[row.id] < len(self.found.labels)]
        return [str(self.found.labels[at]) == audit for at, audit in there if self.found.labels[at] is not None]

    def _mark(self) -> None:
        """A point of the curve, where there are a twentieth more votes: what is believed, what audited items say."""
        if self.found is None or (self.curve and self.answers < STEP * self.curve[-1]["votes"]):
            return
        right = self._audited()
        point = {"votes": self.answers, "confidence": self.found.mean, "audited": len(right)}
        self.curve.append({**point, "right": float(np.mean(right)) if right else None})
        self._keep(curve=self.curve)

    def _keep(self, **told: Any) -> None:
        """Keep what can be made again: if that fails, what is asked goes on, and the admin is told."""
        try:
            self.store.set(**told)
        except DBAPIError as error:
            self.broken = f"{', '.join(told)} could not be kept: {error.orig}"

    def pay(self, amount: float) -> list[dict[str, Any]]:
        """Shares of an amount: each annotator's votes times the bits that one of theirs carries at best."""
        if not isinstance(self.opinion, LiveOpinion):
            raise InputError("pay by information is for projects that ask for one class of each item")
        if self.found is None:
            return []
        with self.lock:
            snapshot = self.opinion.live.snapshot()
        told = quality(snapshot.crowd, self.found.result)
        bits = told["votes"] * np.nan_to_num(told["capacity"])  # of who has no votes nothing is known
        share = bits / max(float(bits.sum()), 1e-300)
        rows = zip(told["annotator"].tolist(), told["votes"].tolist(), bits.tolist(), share.tolist(), strict=True)
        return [
            {"name": str(name), "votes": int(n), "bits": round(own, 3), "pay": round(amount * part, 2)}
            for name, n, own, part in sorted(rows, key=lambda row: -row[3])
            if n
        ]

    def _look_anyway(self) -> None:
        """Look; what goes wrong is told, and collection goes on."""
        try:
            self.broken = ""
            self.look()
        except Exception as error:
            self.broken = f"{type(error).__name__}: {error}"
        if self.answers > AT_ONCE:  # a fit of many takes much for a moment
            give_back()

    def _oversee(self) -> None:
        """Look at people and their agreement, if there is something new of them, and not all the time."""
        found, last = self.found, self._overseen
        if found is None or last.result is found.result or time.monotonic() < last.at + OVERSEEN:
            return
        self._overseen = _Overseen(found.result, time.monotonic())
        try:
            self.overview = overview_of(found.result)
        except Exception as error:
            self.broken = f"people are not looked at: {type(error).__name__}: {error}"
        give_back()

    @property
    def state(self) -> str:
        """Whether votes are looked at: running, broken or stopped."""
        return "broken" if self.broken else "running" if self._thread.is_alive() else "stopped"

    @property
    def estimate(self) -> str:
        """The same for an admin: what went wrong, or what to do."""
        return self.broken or (f"{self.state}: start the project again" if self.state == "stopped" else self.state)

    def timed(self) -> dict[int, list[float]]:
        """How long the last answers of each person took."""
        with self.lock:
            return {person: list(own) for person, own in self.seconds.items()}

    def left(self) -> dict[str, Any]:
        """What is left to ask, and what it costs."""
        promised, settled = self.promised(), sum(row.settled is not None for row in self.items.values())
        audits = 0 if promised is None or promised.wrong else max(promised.needed - promised.audited, 0)
        needed = min(audits, sum(row.audit is None for row in self.items.values()))
        open_ = [self.items[item].settled is None for item in self.rows]
        answered = {person: self.answered(person) for person in self._known}
        return remaining(self.counts[open_], self.max_votes, settled, needed, self._known.values(), answered)

    def answered(self, person: int) -> int:
        """How many items somebody has answered, without those that they passed by."""
        return self.given.get(person, 0) - len(self.skipped.get(person, ()))

    def wanted(self) -> Array:
        """How far down each item is in the order of what is asked next: 0 is first, 1 what is asked no more."""
        with self.lock:
            found, now = self.found, time.monotonic()
            order = self._order("") if found is None else np.concatenate([self._order(""), found.order("")])
            order = np.concatenate([order, np.argsort(self.counts, kind="stable")])
            _, first = np.unique(order, return_index=True)
            rank = np.empty(len(self.rows))
            rank[order[np.sort(first)]] = np.arange(len(self.rows)) / max(len(self.rows), 1)
            closed = [place for place in range(len(self.rows)) if not self._open(place, -1, now, anyway=True)]
            rank[closed] = 1.0
            return rank

    def queue(self, who: str, n: int) -> list[int]:
        """Places of the items that would be asked next of somebody of that name, best first; nothing is handed out."""
        with self.lock:
            known, now = self._called.get(who), time.monotonic()
            order = [*self._order(who).tolist(), *np.argsort(self.counts, kind="stable").tolist()]
            free = (place for place in dict.fromkeys(order) if self._open(place, known.id if known else -1, now, True))
            return list(islice(free, n))

    def _keep_looking(self) -> None:
        seen = (self.n_votes if self.found is not None or not self.answers else -1, len(self.rows), False)
        took = 0.0
        while not self._stop.wait(max(EVERY, took)):  # half of the time at most is spent on looking
            self._oversee()
            now = (self.n_votes, len(self.rows), self.known_changed)
            if now == seen:
                continue
            seen, began, self.known_changed = (*now[:2], False), time.monotonic(), False
            self._look_anyway()
            took = time.monotonic() - began

    def promised(self, error: float = 0.05) -> Promise | None:
        """Whether to stop, by audited items.

        A look at them is one of ten, and is kept: the next is when there are a quarter more votes, or more audits.
        """
        if self.found is None or not self.asked.audited:
            return None
        audit, mean = self._audited(), self.found.mean
        if len(audit) == len(self.rows):  # nothing is left to chance
            wrong, n = len(audit) - sum(audit), len(audit)
            why = f"all items are audited: {wrong} of {n} labels are wrong"
            return Promise(wrong <= error * n, wrong / n, n, wrong, 1.0 - (mean or 0.0), 0, why)
        claimed = 1.0 - (0.0 if mean is None else mean)
        if not audit:
            return promised_by(0, 0, claimed, error)
        made = self._looks
        grown = (
            not made
            or self.answers >= GROWN * made[-1]["votes"]
            or len(audit) >= GROWN * made[-1]["promise"]["audited"]
        )
        if grown and len(made) < LOOKS:
            told = promised_by(len(audit), len(audit) - sum(audit), claimed, error, looks=LOOKS)
            made.append({"votes": self.answers, "promise": told._asdict()})
            self._keep(looks=made)
        return Promise(**made[-1]["promise"])

    def close(self) -> None:
        """Stop looking."""
        self._stop.set()
        self._thread.join(timeout=5.0)
