"""Nine rows in both scenarios, small enough to count by hand."""

import puremetrics as pm

CC, SINGLE = "case_control", "single_training_set"


def tables():
    groups = {"positive": [5, 4, 2], "unlabeled": [4, 3, 1, 1], "negative": [1, 0]}
    return {s: pm.ScoreTable.from_groups(**groups, scenario=s) for s in (CC, SINGLE)}
