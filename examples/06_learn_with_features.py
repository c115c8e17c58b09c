"""Learn with features: a network and the annotators, straight from the votes."""

import numpy as np
from matplotlib.figure import Figure

from crowdwise import simulate
from crowdwise.learn import CrowdClassifier

rng = np.random.default_rng(0)
truth = rng.integers(3, size=600)
X = rng.normal(size=(600, 8)) + 2.0 * np.eye(8)[truth]
people = simulate.one_coin(10, 3, 0.6) + simulate.spammers(4, 3)
votes = simulate.crowd(people, truth=truth[:400], per_item=3, seed=0).crowd

right = {}
for objective in ("two-stage", "auto"):
    model = CrowdClassifier(network="linear", objective=objective, epochs=30, rate=1e-2).fit(X[:400], votes)
    right[objective] = (model.predict(X[400:]) == truth[400:]).mean()
print(right, *model.notes_, sep="\n")

figure = Figure(figsize=(5, 3), layout="constrained")
axes = figure.subplots()
axes.bar(list(right), list(right.values()))
axes.set(ylabel="accuracy on new items", ylim=(0, 1))
