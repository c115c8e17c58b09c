"""Named entities: spans of several annotators as one set, with confidences."""

from matplotlib.figure import Figure

from crowdwise import settle, simulate

made = simulate.spans(n_documents=60, n_annotators=8, per_document=4, seed=0)
votes = made[0]
result = settle(votes)
table = result.to_table()
print(table.take(slice(0, 5)).records())

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
axes.hist(table["confidence"], bins=20)
axes.set(xlabel="confidence of a span", ylabel="spans")
