"""What a GPU does: sweeps of Dawid-Skene at up to a billion votes, whole fits, and how far kernels are from NumPy."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.measure import write
from crowdwise import Crowd
from crowdwise.engine.cuda_engine import CudaEngine
from crowdwise.fit.checks import promises_of
from crowdwise.methods import METHODS, make

SWEEPS = 20
SHAPES = (  # items, annotators, classes; five votes an item
    (1_000_000, 5_000, 5),
    (10_000_000, 50_000, 5),
    (20_000_000, 5_000, 5),
    (10_000_000, 5_000, 2),
    (4_000_000, 5_000, 32),
    (200_000_000, 100_000, 5),
)
MOST_FITTED = 60_000_000  # votes of whole fits
MOST_OF_AUTO = 5_000_000


def drawn(n_items: int, n_annotators: int, n_classes: int) -> tuple[Crowd, np.ndarray]:
    """Votes of people whose accuracy is .3 to .9, drawn on the card; their crowd is not checked again."""
    import torch

    generator = torch.Generator("cuda").manual_seed(0)
    item, annotator, label = (
        np.empty(5 * n_items, kind) for kind in (np.int32, np.int32, np.int8 if n_classes < 128 else np.int32)
    )
    truth = torch.randint(n_classes, (n_items,), device="cuda", generator=generator)
    right = torch.rand(n_annotators, device="cuda", generator=generator) * 0.6 + 0.3
    for low in range(0, n_items, 10_000_000):
        true = truth[low : low + 10_000_000, None]
        who = torch.randint(n_annotators, (len(true), 5), device="cuda", generator=generator)
        wrong = (true + torch.randint(1, n_classes, who.shape, device="cuda", generator=generator)) % n_classes
        said = torch.where(torch.rand(who.shape, device="cuda", generator=generator) < right[who], true, wrong)
        at = slice(5 * low, 5 * (low + len(true)))
        item[at] = torch.arange(low, low + len(true), device="cuda").repeat_interleave(5).cpu().numpy()
        annotator[at], label[at] = who.ravel().cpu().numpy(), said.ravel().cpu().numpy()
    one = Crowd.from_matrix([[0]])
    names = {"items": np.arange(n_items), "annotators": np.arange(n_annotators), "classes": np.arange(n_classes)}
    return one.derive(item=item, annotator=annotator, label=label, **names), truth.cpu().numpy()


def promises() -> None:
    """Every promise that belongs to engines, of every method for classes, held on the card."""
    held, failed = 0, []
    for name in METHODS.own:
        if METHODS[name].takes == "classes":
            for one in promises_of(METHODS[name].load()):
                if len(one.engines) > 1:
                    try:
                        one.holds(METHODS[name].load()(), "cuda")
                        held += 1
                    except AssertionError as error:
                        failed.append(f"{name}: {one.sentence}")
                        print(failed[-1], str(error)[:300], flush=True)
    rows = [{"promises held": held, "not held": len(failed), "which": "; ".join(failed) or "-"}]
    write("gpu-promises", "Promises on a GPU", "Every promise about engines, of every method for classes.", rows)


def main() -> None:
    import torch

    rows = []
    for shape in SHAPES:
        crowd, truth = drawn(*shape)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.synchronize()
        began = time.perf_counter()
        ops = CudaEngine(crowd)
        torch.cuda.synchronize()
        placed = time.perf_counter() - began
        method = make("dawid-skene")
        share = np.full((shape[1], shape[2], shape[2]), 0.4 / max(shape[2] - 1, 1))
        np.einsum("jkk->jk", share)[:] = 0.6
        params = {"confusion": share, "prior": np.full(shape[2], 1.0 / shape[2])}
        for _ in range(2):  # kernels are compiled
            params = method.maximise(method.sweep(ops, params, None)[0], params)
        kernel = maximise = 0.0
        for _ in range(SWEEPS):
            began = time.perf_counter()
            sums, _ = method.sweep(ops, params, None)
            torch.cuda.synchronize()
            kernel += time.perf_counter() - began
            began = time.perf_counter()
            params = method.maximise(sums, params)
            torch.cuda.synchronize()
            maximise += time.perf_counter() - began
        row = {
            "votes": crowd.n_votes,
            "annotators": shape[1],
            "classes": shape[2],
            "placing, s": placed,
            f"{SWEEPS} sweeps, s": kernel,
            f"{SWEEPS} M-steps, s": maximise,
            "G votes/s in sweeps": crowd.n_votes * SWEEPS / kernel / 1e9,
            "peak, GiB": torch.cuda.max_memory_allocated() / 2**30,
        }
        del ops
        torch.cuda.empty_cache()
        if crowd.n_votes <= MOST_FITTED:
            for name in ("dawid-skene", *(("auto",) if crowd.n_votes <= MOST_OF_AUTO else ())):
                if name == "dawid-skene":  # what is compiled, and memory that is asked for once
                    make(name, max_iter=2).fit(crowd, engine="cuda")
                began = time.perf_counter()
                result = make(name).fit(crowd, engine="cuda")
                row[f"{name}, s"] = time.perf_counter() - began
                row[f"{name}, right"] = float((result.label_codes == truth).mean())
        rows.append(row)
        print(rows[-1], flush=True)
    write(
        "gpu",
        "Dawid-Skene on a GPU",
        "Simulated votes, five an item, accuracies .3 to .9. Placing: from arrays in the host's memory, sorted by cell "
        "on the card. Sweeps: E-step and sums. M-steps: on the card too, where tables are large enough to gain by it. "
        f"Whole fits with the defaults, votes to labels. {torch.cuda.get_device_name()}.",
        rows,
    )
    promises()


if __name__ == "__main__":
    main()
