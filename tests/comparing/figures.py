"""Figure 4 of the paper: two models whose order flips with the prior."""

import puremetrics as pm


def figure_4():
    """Two models on 5,000 labelled and 45,000 unlabeled rows, as runs of rows from the top.

    The second model ranks half of the labelled positives above nearly everything, then nothing more for
    long: its curve rises faster than 1/0.1 at first.
    """
    steep = [(2500, 450), (0, 2250), (2500, 42_300)]
    smooth = [(2750, 4500), (2250, 40_500)]
    tables = {}
    for name, runs in (("model 1", smooth), ("model 2", steep)):
        pos, unl = zip(*runs, strict=True)
        tables[name] = pm.ScoreTable.from_counts(
            range(len(runs), 0, -1), n_pos=pos, n_unl=unl, scenario="single_training_set"
        )
    return tables
