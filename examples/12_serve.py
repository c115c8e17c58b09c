"""Serve: a labelling project with an API, in a few lines; `crowdwise serve` does this and shows the pages."""

import uuid

from fastapi.testclient import TestClient
from matplotlib.figure import Figure

from crowdwise import simulate
from crowdwise.service.app import make_app
from crowdwise.service.store import Store

store = Store("project.db")
store.set(classes=["cat", "dog"])
store.add_items((f"photo {k}", {"text": f"photo {k}"}) for k in range(30))
boss = store.add_person("boss", "admin")
tokens = {name: store.add_person(name, "machine") for name in ("ann", "bob", "cy")}
truth = simulate.crowd(simulate.one_coin(1, 2, 1.0), n_items=30, per_item=1, seed=0).truth

with TestClient(make_app(store)) as client:
    for place, token in enumerate(tokens.values()):
        mine = {"authorization": f"Bearer {token}"}
        while (item := client.get("/api/next", headers=mine).json()["item"]) is not None:
            k = int(item["name"].split()[1])
            label = ["cat", "dog"][int(truth[k]) if (k + place) % 5 else 1 - int(truth[k])]
            client.post(
                "/api/votes", json={"id": str(uuid.uuid4()), "item": item["name"], "label": label}, headers=mine
            )
    labels = client.get("/api/export.labels.json", headers={"authorization": f"Bearer {boss}"}).json()
store.close()
print(labels[:3])

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
axes.hist([one["confidence"] for one in labels], bins=15)
axes.set(xlabel="confidence", ylabel="items")
