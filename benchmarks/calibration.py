"""Calibration on 1e7 rows, 1% labelled. Run: python benchmarks/calibration.py [rows]."""

from __future__ import annotations

import sys

import numpy as np
from common import make_rows, report, seconds

import puremetrics as pm
from puremetrics.calibration import calibration_error
from puremetrics.calibration.recalibration import recalibrate
from puremetrics.calibration.testing import calibration_test


def main(rows: int) -> None:
    y, raw = make_rows(rows)
    score = 1 / (1 + np.exp(-raw))
    sort = seconds(lambda: np.sort(score))
    print(f"{rows:,} rows; np.sort {sort:.3f} s")
    for scenario in ("case_control", "single_training_set"):
        table = pm.ScoreTable.from_arrays(y, score, scenario=scenario)
        for binning in ("balanced", "mass", "width"):
            run = seconds(lambda t=table, b=binning: calibration_error(t, prior=0.1, binning=b))
            report(
                f"calibration_error with interval, {scenario}, {binning} / np.sort", run / sort, 1
            )
        run = seconds(lambda t=table: calibration_error(t, prior=0.1, interval="bootstrap", rng=0))
        report(f"the same with a bootstrap interval, {scenario} / np.sort", run / sort)
        fit = seconds(lambda t=table: recalibrate(t, prior=0.1))
        report(f"isotonic recalibration, {scenario} / np.sort", fit / sort)
        test = seconds(lambda t=table: calibration_test(t, prior=0.1))
        report(f"calibration_test, {scenario} / np.sort", test / sort)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
