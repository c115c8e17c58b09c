"""Fairness: a bias that all annotators share is seen with gold, and not without."""

import numpy as np
from matplotlib.figure import Figure

from crowdwise import fairness, settle, simulate

rng = np.random.default_rng(7)
made = simulate.crowd(simulate.one_coin(20, 2, 0.85), n_items=1500, per_item=5, seed=0)
site = np.where(rng.random(1500) < 0.5, "north", "south")
negative = made.truth[made.crowd.item] == 0
flips = (site[made.crowd.item] == "north") & negative & (rng.random(made.crowd.n_votes) < 0.4)
crowd = made.crowd.derive(label=np.where(flips, 1, made.crowd.label), item_extra={"site": site})
result = settle(crowd, "dawid-skene")

shown = {}
for name, gold in (("believed", None), ("200 gold items", dict(enumerate(made.truth[:200].tolist())))):
    rows = {row["measure"]: row for row in fairness.gaps(result, "site", gold=gold).records()}
    shown[name] = rows["false alarms"]
    print(name, {key: rows["false alarms"][key] for key in ("gap", "low", "high", "source")})

figure = Figure(figsize=(5, 3), layout="constrained")
axes = figure.subplots()
for place, (name, row) in enumerate(shown.items()):
    axes.errorbar(place, row["gap"], yerr=[[row["gap"] - row["low"]], [row["high"] - row["gap"]]], fmt="o", label=name)
axes.axhline(0.0, color="grey")
axes.set(ylabel="gap of false alarms", xticks=[])
axes.legend(frameon=False)
