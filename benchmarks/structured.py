"""Label sets, similarities, groupings, graphs, texts, boxes and masks: every method on real answers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise.methods import make
from crowdwise.votes.boxes import Boxes
from crowdwise.votes.label_sets import LabelSets
from crowdwise.votes.masks import Masks, pixels_of
from crowdwise.votes.similarities import Groupings, Similarities
from crowdwise.votes.written import Texts

SEEDS = 5


def folder(name: str) -> Path:
    return Path(os.environ["CROWDWISE_DATA"], name)


def table(path: Path):
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, dtype=str)


# -- label sets -------------------------------------------------------------------------------------------------------


def sets_found(result, truth: dict) -> tuple[float, float, float]:
    """Micro and macro F1, and the share of items whose whole set is right."""
    found = {item: set(labels.split("|")) - {""} for item, labels, _ in result.to_table().rows()}
    labels = sorted({one for own in truth.values() for one in own})
    counts = np.zeros((len(labels), 3))
    for item, own in truth.items():
        for place, label in enumerate(labels):
            yes, told = label in own, label in found[item]
            counts[place] += (yes and told, told, yes)
    f1 = 2 * counts[:, 0] / np.maximum(counts[:, 1] + counts[:, 2], 1)
    whole = np.mean([found[item] == own for item, own in truth.items()])
    return 200 * counts[:, 0].sum() / counts[:, 1:].sum(), 100 * f1.mean(), 100 * whole


def label_sets() -> None:
    votes, known = (
        table(folder("conll_sentence_types") / "votes.csv.gz"),
        table(folder("conll_sentence_types") / "truth.csv.gz"),
    )
    truth = {item: set(labels.split("|")) - {""} for item, labels in zip(known["item"], known["labels"], strict=True)}
    made, rows = LabelSets.from_columns(votes["item"], votes["annotator"], votes["labels"]), []
    for name, options in (
        ("majority-vote", {"of": "majority-vote"}), ("dawid-skene", {}), ("ibcc", {"of": "ibcc"}),
        ("one-coin", {"of": "one-coin"}), ("auto", {"of": "auto"}), ("joint-labels", None),
    ):  # fmt: skip
        began = time.perf_counter()
        result = make("joint-labels" if options is None else "per-label", **(options or {})).fit(made)
        micro, macro, whole = sets_found(result, truth)
        rows.append({"method": name if options is None else f"per-label, {name}", "micro F1": micro, "macro F1": macro,
                     "whole set right": whole, "seconds": time.perf_counter() - began})  # fmt: skip
        print(rows[-1], flush=True)
    write("label-sets", "Label sets: types of entities in 6,056 sentences (CoNLL's crowd)",
          "29,704 answers of 47 annotators, four labels.", rows)  # fmt: skip


# -- similarities and groupings ---------------------------------------------------------------------------------------


def adjusted_rand(one: np.ndarray, other: np.ndarray) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(one, other))


def paired(name: str, per_vote: float, seed: int) -> tuple[Similarities, dict]:
    """Pairs of what one annotator labelled: same if their labels are."""
    votes, known = table(folder(name) / "labels.csv"), table(folder(name) / "truth.csv")
    truth = dict(zip(known["item"], known["label"], strict=True))
    rng = np.random.default_rng(seed)
    left, right, who, same = [], [], [], []
    for annotator, own in votes[votes["item"].isin(truth)].groupby("annotator", sort=False):
        n = len(own)
        if n < 2:
            continue
        a, b = rng.integers(n, size=(2, int(n * per_vote)))
        a, b = a[a != b], b[a != b]
        items, labels = own["item"].to_numpy(), own["label"].to_numpy()
        left += items[a].tolist()
        right += items[b].tolist()
        same += (labels[a] == labels[b]).tolist()
        who += [annotator] * len(a)
    return Similarities.from_columns(left, right, who, same), truth


MATCHED = (
    ("linked-groups", None), ("same-groups", True), ("same-groups", False), ("own-groups", True), ("own-groups", False),
)  # fmt: skip


def similarities() -> None:
    rows = []
    for name, per_vote in (("dog", 5), ("dog", 2), ("labelme", 5), ("face", 3)):
        for method, told in MATCHED:
            scores, seconds, found_k = [], 0.0, []
            for seed in range(SEEDS):
                votes, truth = paired(name, per_vote, seed)
                k = len(set(truth.values()))
                if method == "own-groups":
                    own = table(folder(name) / "labels.csv")
                    own = own[own["item"].isin(truth)]
                    said = [f"{who}/{label}" for who, label in zip(own["annotator"], own["label"], strict=True)]
                    votes = Groupings.from_columns(own["item"], own["annotator"], said)
                options = {} if told is None else {"clusters": k if told else 0, "seed": seed}
                began = time.perf_counter()
                result = make(method, **options).fit(votes)
                seconds += time.perf_counter() - began
                found = result.estimate.cluster
                found_k.append(len(set(found.tolist())))
                scores.append(adjusted_rand(np.array([truth[item] for item in result.items.tolist()]), found))
            rows.append({
                "answers": f"{name}, {votes.n_votes:,}", "method": method,
                "clusters": "found" if told is False else "told" if told else "-", "of": k,
                "there": float(np.mean(found_k)), "ARI": float(np.mean(scores)), "sd": float(np.std(scores)),
                "seconds": seconds / SEEDS,
            })  # fmt: skip
            print(rows[-1], flush=True)
    write("similarities", "Same or different: adjusted Rand index, mean and spread of five draws of pairs",
          "Pairs are of two items that one annotator labelled, same if the labels are. own-groups sees all labels as "
          "piles with names of the annotators' own: more than the pairs.", rows)  # fmt: skip


def matched_by_features() -> None:
    """Clusters from answers and features, end to end, beside the two stages."""
    from crowdwise.learn import CrowdMatcher

    rows = []
    for name, k in (("labelme", 8), ("music", 10)):
        stored = np.load(folder(name) / "features.npz", allow_pickle=False)
        names, features = [str(item) for item in stored["item_train"]], stored["X_train"].astype(float)
        scores = []
        for seed in range(SEEDS):
            votes, truth = paired(name, 5, seed)
            alone = make("same-groups", clusters=k, seed=seed).fit(votes)
            own = np.array([truth[item] for item in alone.items.tolist()])
            both = CrowdMatcher(k, seed=seed).fit(features, votes, items=names).predict(features)
            there = [place for place, item in enumerate(names) if item in set(votes.items.tolist())]
            told = adjusted_rand(np.array([truth[names[place]] for place in there]), both[there])
            scores.append((adjusted_rand(own, alone.estimate.cluster), told))
        mean, spread = np.mean(scores, axis=0), np.std(scores, axis=0)
        rows.append({"set": name, "answers alone": f"{mean[0]:.3f} ± {spread[0]:.3f}",
                     "with features": f"{mean[1]:.3f} ± {spread[1]:.3f}"})  # fmt: skip
        print(rows[-1], flush=True)
    note = "Five answers of an annotator for each label that they gave; the number of clusters is told; mlp, defaults."
    write("matcher", "Same or different with features, end to end: adjusted Rand index", note, rows)


# -- graphs -----------------------------------------------------------------------------------------------------------


def graphs() -> None:
    from crowdwise.io import read_labels, read_votes

    rows = []
    for name in ("labelme", "music"):
        crowd = read_votes(folder(name) / "labels.csv").crowd
        truth = read_labels(folder(name) / "truth.csv")
        stored = np.load(folder(name) / "features.npz", allow_pickle=False)
        place = {str(item): row for row, item in enumerate(stored["item_train"])}
        features = stored["X_train"].astype(float)[[place[str(item)] for item in crowd.items.tolist()]]
        for method in ("dawid-skene", "ibcc", "one-coin"):
            row: dict = {"set": name, "method": method}
            for what, votes in (
                ("alone", None), ("10 nearest", crowd.with_neighbours(features, 10)),
                *((f"random {seed}", crowd.with_neighbours(np.random.default_rng(seed).normal(size=(crowd.n_items, 8))))
                  for seed in range(3)),
            ):  # fmt: skip
                options = {} if votes is None else {"structure": "graph"}
                result = make(method, **options).fit(crowd if votes is None else votes)
                pairs = zip(result.items.tolist(), result.labels.tolist(), strict=True)
                right = [str(truth[item]) == str(label) for item, label in pairs]
                row[what] = float(np.mean(right))
                if what == "10 nearest":
                    row["strength"] = float(result.params["strength"][0])
            rows.append(row)
            print(row, flush=True)
    note = "The strength of the links is found by held-out votes. random: links drawn at random, three times."
    write("graphs", "Items linked with their ten nearest by features: accuracy", note, rows)


# -- texts ------------------------------------------------------------------------------------------------------------


def word_errors(result, truth: dict) -> float:
    from crowdwise.engine.text_kernels import edits
    from crowdwise.engine.text_sums import words_of

    code: dict[str, int] = {}
    wrong = there = 0
    for item, text in zip(result.items.tolist(), result.estimate.text.tolist(), strict=True):
        if item not in truth:
            continue
        one, other = (
            np.array([code.setdefault(word, len(code)) for word in words_of(own)[0]], np.int64)
            for own in (text, truth[item])
        )
        wrong += edits(one, other, np.empty(len(other) + 1, np.int64))
        there += len(other)
    return 100.0 * wrong / there


def texts() -> None:
    rows = []
    for name in ("crowdspeech/test-clean", "crowdspeech/dev-clean", "crowdwsa/J1", "crowdwsa/T1"):
        votes, known = table(folder(f"{name}.csv.gz")), table(folder(f"{name}.truth.csv.gz"))
        votes = votes.drop_duplicates(["item", "annotator"], keep="last")
        made = Texts.from_columns(votes["item"], votes["annotator"], votes["text"])
        truth = dict(zip(known["item"], known["text"], strict=True))
        for method, options in (("text-medoid", {}), ("weighted-medoid", {}), ("rover", {}), ("rover", {"refine": 1})):
            make(method, **options).fit(made.take(np.arange(50)))  # compiled beforehand
            began = time.perf_counter()
            result = make(method, **options).fit(made)
            seconds = time.perf_counter() - began
            rows.append({"texts": name, "method": method + (", refine=1" if options else ""),
                         "word errors": word_errors(result, truth), "seconds": seconds,
                         "ms an item": 1000 * seconds / len(result)})  # fmt: skip
            print(rows[-1], flush=True)
    write("texts", "Texts: word error rate in percent",
          "Lower case, punctuation but apostrophes left out. CrowdSpeech: seven transcripts each of 2,620 and 2,703 "
          "recordings; CrowdWSA: ten translations each of 250 and 100 sentences. Settings were chosen in sight of "
          "these sets. The authors' ROVER has 6.40 on test-clean.", rows)  # fmt: skip


# -- masks and boxes --------------------------------------------------------------------------------------------------


def painted() -> tuple[Masks, dict]:
    rows = table(folder("bubil_masks") / "masks.csv.gz")
    gold = rows["annotator"] == "GOLD"
    truth = {
        image: pixels_of(" ".join(runs.split()), int(height) * int(width))
        for image, height, width, runs in rows[gold][["image", "height", "width", "runs"]].itertuples(index=False)
    }
    crowd = rows[~gold]
    made = Masks.from_columns(crowd["image"], crowd["annotator"], crowd["height"], crowd["width"], crowd["runs"])
    return made, truth


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / max((one | other).sum(), 1))


MASKS: tuple[tuple[str, dict], ...] = (
    ("mask-vote", {"smooth": 0}), ("mask-vote", {}), ("mask-overlap", {"smooth": 0}), ("mask-overlap", {}),
    ("staple", {}), ("staple", {"background": 1.0}),
)  # fmt: skip


def spoilt(made: Masks, kind: str) -> Masks:
    """Three of seven masks of each image moved, or rectangles anywhere."""
    rng, rows = np.random.default_rng(1), []
    for place, item in enumerate(made.items.tolist()):
        height, width = made.size(place)
        for vote, mask in enumerate(made.pixels(place).reshape(-1, height, width)):
            own = mask
            if vote < 3 and kind == "moved":
                by = max(2, int(0.25 * mask.sum() ** 0.5))
                own = np.roll(mask, (by, by), (0, 1))
            elif vote < 3 and kind == "rectangles":
                top, left = rng.integers(height // 2), rng.integers(width // 2)
                own = np.zeros_like(mask)
                own[top : top + height // 2, left : left + width // 2] = True
            rows.append((item, vote, own))
    return Masks.from_arrays(*map(list, zip(*rows, strict=True)))


def masks() -> None:
    made, truth = painted()
    rows, base = [], None
    for method, options in MASKS:
        began = time.perf_counter()
        result = make(method, **options).fit(made)
        seconds = time.perf_counter() - began
        own = np.array([
            overlap(pixels_of(runs, truth[item].size), truth[item])
            for item, runs in zip(result.items.tolist(), result.estimate.runs.tolist(), strict=True)
        ])  # fmt: skip
        base = own if base is None else base
        gap = own - base
        rows.append({"method": method + (f", {options}" if options else ""), "overlap": own.mean(), "to the majority":
                     f"{gap.mean():+.4f} ± {gap.std() / len(gap) ** 0.5:.4f}", "seconds": seconds})  # fmt: skip
        print(rows[-1], flush=True)
    for row, (method, options) in zip(rows, MASKS, strict=True):
        for kind in ("moved", "rectangles"):
            result = make(method, **options).fit(spoilt(made, kind))
            row[f"three {kind}"] = float(np.mean([
                overlap(pixels_of(runs, truth[item].size), truth[item])
                for item, runs in zip(result.items.tolist(), result.estimate.runs.tolist(), strict=True)
            ]))  # fmt: skip
        print(row, flush=True)
    write("masks", "Masks: mean overlap with the experts' (intersection over union), 220 images, seven masks each",
          "BU-BIL, the four sets at hand. Gold was placed by its overlap with the majority, which favours the "
          "majority by a shift of a pixel.", rows)  # fmt: skip


def boxed(mask: np.ndarray, shape: tuple[int, int]) -> np.ndarray | None:
    y, x = np.nonzero(mask.reshape(shape))
    return np.array([x.min(), y.min(), x.max() + 1, y.max() + 1], float) if len(y) else None


def odd(boxes: np.ndarray, kind: str, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three of the boxes too loose, or far off."""
    out = boxes.copy()
    for place in range(min(3, len(out)) if kind != "none" else 0):
        if kind == "loose":
            out[place] += np.array([-0.3, -0.3, 0.3, 0.3]) * np.tile(size, 2) * rng.random(4)
        else:
            out[place] += rng.normal(0.0, 0.6) * size.max()
    return out


def drawn(kind: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    made, truth = painted()
    rng = np.random.default_rng(0)
    for place, item in enumerate(made.items.tolist()):
        shape = made.size(place)
        gold = boxed(truth[item], shape)
        own = [box for mask in made.pixels(place) if (box := boxed(mask, shape)) is not None]
        if gold is not None and len(own) >= 3:
            size = np.array([gold[2] - gold[0], gold[3] - gold[1]])
            yield item, odd(np.array(own), kind, size, rng), gold


def boxes() -> None:
    from crowdwise.engine.box_kernels import overlap as of_boxes

    rows = []
    for kind in ("none", "loose", "far"):
        images = list(drawn(kind))
        columns = [(item, who, *box.tolist()) for item, own, _ in images for who, box in enumerate(own)]
        made = Boxes.from_columns(*map(list, zip(*columns, strict=True)))
        truth = {item: gold for item, _, gold in images}
        mean = np.mean([of_boxes(own.mean(axis=0), gold) for _, own, gold in images])
        row = {"three of seven": kind, "mean of all": mean}
        for method in ("median-box", "overlap-box"):
            found = make(method).fit(made).to_table()
            best = dict.fromkeys(truth, 0.0)
            for record in found.records():  # the surest box of each image
                box = np.array([record[side] for side in ("left", "top", "right", "bottom")])
                if best[record["item"]] == 0.0:
                    best[record["item"]] = of_boxes(box, truth[record["item"]])
            row[method] = float(np.mean(list(best.values())))
        rows.append(row)
        print(row, flush=True)
    write("boxes", "Boxes: mean overlap with the experts' (intersection over union)",
          "Boxes of the masks of BU-BIL, seven each; three of them too loose by up to 30 % a side, or moved far off. "
          "The surest box of each image is taken, none counting 0.", rows)  # fmt: skip


def main() -> None:
    label_sets()
    similarities()
    matched_by_features()
    graphs()
    texts()
    masks()
    boxes()


if __name__ == "__main__":
    main()
