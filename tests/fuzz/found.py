"""Small tables that the inputs which once broke a promise are made of."""

import numpy as np

import puremetrics as pm

CC = {"scenario": "case_control"}
TABLE = pm.ScoreTable.from_groups(
    positive=[0.9, 0.8, 0.3], unlabeled=[0.95, 0.85, 0.5, 0.4, 0.2, 0.1], **CC
)
STRUCTURED = np.array([(1, 2), (0, 1)], dtype=[("a", int), ("b", int)])
JOINT = pm.JointTable.from_arrays(
    [1, 1, 0, 0, 0], {"a": [5, 4, 3, 2, 1], "b": [5, 1, 3, 2, 4]}, **CC
)
