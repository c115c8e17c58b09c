"""Switches of objectives: the paper's form beside ours, starts and rates of the crowd layer, hardened networks."""

from __future__ import annotations

import numpy as np

from benchmarks.dependent import dependent, seniors
from benchmarks.measure import write
from benchmarks.networks import features, images, side_by_side, spread

SEEDS = range(5)
MOVED = 0.1  # standard deviations of each feature, against the class, by which test features are attacked
SETS = ("labelme", "music", "clothes")
# name: objective, its options, those of the classifier
VARIANTS: dict[str, tuple[str, dict, dict]] = {
    "bayes-dgc": ("bayes-dgc", {}, {}),
    "bayes-dgc, equation 14 as printed": ("bayes-dgc", {"divide": False}, {}),
    **{
        f"crowd-layer from {first}, annotators' rate {rate}, {epochs} epochs": (
            "crowd-layer",
            {"first": first},
            {"annotator_rate": rate, "epochs": epochs},
        )
        for first in ("counts", "identity")
        for rate, epochs in ((1e-2, 20), (1e-3, 20), (1e-4, 20), (1e-3, 60))
    },
    **{f"auto, hardened by {h}": ("auto", {}, {"harden": h}) for h in (0.0, 0.05, 0.1, 0.2)},
}


def clothes(seed: int) -> tuple:
    """Fashion-MNIST with the five seniors of Cao et al. who each know some of the hard pairs."""
    data = images("fashion_mnist")
    x, truth = data["X_train"][:10_000], data["y_train"][:10_000].astype(int)
    votes = dependent(seniors("high"), "independent", "high", truth, seed)
    return (x.reshape(len(x), -1), votes), data["X_test"].reshape(10_000, -1), data["y_test"].astype(int)


def work(job: tuple) -> dict:
    from crowdwise.learn import CrowdClassifier

    name, variant, seed = job
    if name == "clothes":
        given, test, truth = clothes(seed)
    else:
        arrays, votes, _ = features(name)
        given, test, truth = (arrays["X_train"], votes, arrays["item_train"]), arrays["X_test"], arrays["y_test"]
    objective, options, how = VARIANTS[variant]
    model = CrowdClassifier("mlp", objective, options, seed=seed, device="cpu", **how).fit(*given)
    return {"test": model.score(test, truth), "attacked": model.score(attacked(model, test), truth)}


def attacked(model, x: np.ndarray) -> np.ndarray:
    """Features moved a little towards another class, in the direction of the gradient's sign."""
    import torch

    network = model.fitted_.learner.eval().network
    rows = torch.as_tensor(np.asarray(x, np.float32)).requires_grad_()
    said = sum(torch.softmax(network.run(j, rows).logits, dim=1) for j in range(len(network)))
    (slope,) = torch.autograd.grad(torch.log(said.max(dim=1).values).sum(), rows)
    return (rows - MOVED * network.spread * torch.sign(slope)).detach().numpy()


def main() -> None:
    jobs = [(name, variant, seed) for name in SETS for variant in VARIANTS for seed in SEEDS]
    done, machine = side_by_side("variants", work, jobs)
    found = dict(zip(jobs, done, strict=True))
    rows = [
        {
            "variant": variant,
            **{
                f"{name}{end}": spread(found[name, variant, seed][what] for seed in SEEDS)
                for name in SETS
                for what, end in (("test", ""), ("attacked", ", attacked"))
            },
        }
        for variant in VARIANTS
    ]
    write(
        "variants",
        "Switches of objectives",
        f"Accuracy on test items, mean and standard deviation over {len(SEEDS)} seeds; a network of one hidden layer, "
        "the classifier's defaults but for what the row says. Clothes: 10,000 images of Fashion-MNIST, five "
        f"annotators who each know some of five hard pairs. Attacked: each feature moved by {MOVED} of its standard "
        f"deviations, in the direction that makes the network doubt its answer most. {machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
