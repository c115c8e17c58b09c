"""A Label Studio project, from its export to predictions that it imports."""

import json
from pathlib import Path

from matplotlib.figure import Figure

from crowdwise import settle, simulate
from crowdwise.io import Labels, read_votes, write_labels

made = simulate.crowd(simulate.one_coin(6, 2, accuracy=0.8), n_items=40, per_item=3, seed=0)
tasks = []
for item in range(40):
    own = made.crowd.item == item
    said = zip(made.crowd.annotator[own], made.crowd.label[own], strict=True)
    results = [
        {"completed_by": int(who), "result": [{"from_name": "animal", "to_name": "text", "type": "choices",
                                               "value": {"choices": [["cat", "dog"][label]]}}]}
        for who, label in said
    ]  # fmt: skip
    tasks.append({"id": item, "data": {"text": f"picture {item}"}, "annotations": results})
Path("export.json").write_text(json.dumps(tasks))

reading = read_votes("export.json")
result = settle(reading.crowd)
write_labels(Labels.of_result(result, result.confidence, 0.0), "predictions.json", "label-studio", source="export.json",
             question="animal")  # fmt: skip
print(json.loads(Path("predictions.json").read_text())[0]["predictions"][0])

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
axes.hist(result.confidence, bins=20)
axes.set(xlabel="score of the prediction", ylabel="tasks")
