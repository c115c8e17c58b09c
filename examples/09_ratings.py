"""Ratings: bias, gain and noise of everybody who rates, and values with intervals."""

import numpy as np
from matplotlib.figure import Figure

from crowdwise import AutoRatings, Mean, simulate

made = simulate.ratings(n_items=200, n_annotators=20, per_item=5, flippers=4, seed=0)
auto, mean = AutoRatings().fit(made.ratings), Mean().fit(made.ratings)
for name, result in (("mean", mean), ("auto", auto)):
    print(name, "root mean square error", np.sqrt(((result.estimate.mean - made.truth) ** 2).mean()).round(3))
print(*auto.notes, sep="\n")

figure = Figure(figsize=(5, 5), layout="constrained")
axes = figure.subplots()
low, high = auto.estimate.interval(0.9)
axes.errorbar(
    made.truth, auto.estimate.mean, yerr=[auto.estimate.mean - low, high - auto.estimate.mean], fmt=".", alpha=0.5
)
axes.plot([made.truth.min(), made.truth.max()], [made.truth.min(), made.truth.max()], "k--")
axes.set(xlabel="truth", ylabel="value, with 90 % intervals")
