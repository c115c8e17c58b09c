"""Preferences for DPO: who flips, and how much each pair should count."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdwise import prefer

rng = np.random.default_rng(0)
flips = np.where(np.arange(10) < 3, 0.6, 0.1)  # three of ten people mostly say the other answer
rows = []
for pair in range(300):
    for who in rng.choice(10, 3, replace=False):
        chosen, rejected = ("good", "bad") if rng.random() > flips[who] else ("bad", "good")
        rows.append({"prompt": f"p{pair}", "chosen": f"{chosen} {pair}", "rejected": f"{rejected} {pair}",
                     "annotator": f"a{who}"})  # fmt: skip
found = prefer(pd.DataFrame(rows))
print(found.annotators.records()[:3])

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
table = found.annotators
name = next(one for one in table.columns if "flip" in one)
order = np.argsort(table["annotator"].astype(str))
axes.bar(table["annotator"][order].astype(str), table[name][order])
axes.plot(range(10), flips, "k_", markersize=20)
axes.set(ylabel="share of answers that are flipped")
