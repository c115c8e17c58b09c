"""Confidence on real sets, before and after a temperature that is fitted on held-out votes."""

from __future__ import annotations

import os

import numpy as np

from benchmarks.data import TEN, real
from benchmarks.measure import write
from crowdwise import Crowd, metrics
from crowdwise.methods import make
from crowdwise.study.held_out import held_out, tempered
from crowdwise.votes.gold import gold_codes

METHODS = ("dawid-skene", "ibcc", "mace", "community-bcc", "auto")


def main() -> None:
    if "CROWDWISE_DATA" not in os.environ:
        print("calibration: skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    rows = []
    for method in METHODS:
        before, after, loss_before, loss_after, temperatures = [], [], [], [], []
        for name in TEN:
            votes, truth = real(name)
            crowd = Crowd.from_frame(votes).with_names(classes=truth["label"].unique())
            codes = gold_codes(crowd, truth)
            model = make(method)
            posterior = model.fit(crowd).posterior
            temperature = held_out(crowd, model).temperature
            calm = tempered(posterior, temperature)
            before.append(metrics.calibration_error(posterior, codes))
            after.append(metrics.calibration_error(calm, codes))
            loss_before.append(metrics.log_loss(posterior, codes))
            loss_after.append(metrics.log_loss(calm, codes))
            temperatures.append(temperature)
            print(method, name, round(temperature, 2), round(before[-1], 3), round(after[-1], 3), flush=True)
        rows.append(
            {
                "method": method,
                "temperature, median": float(np.median(temperatures)),
                "calibration error before": float(np.mean(before)),
                "after": float(np.mean(after)),
                "log-loss before": float(np.mean(loss_before)),
                "log-loss after": float(np.mean(loss_after)),
                "sets better calibrated": int(np.sum(np.array(after) < np.array(before))),
            }
        )
    write(
        "calibration",
        "Calibration on ten real sets, before and after a temperature",
        "The temperature is fitted on a tenth of the votes, held out; truth is used to measure only.",
        rows,
    )


if __name__ == "__main__":
    main()
