# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Monitoring: a model over eight months
#
# A model flags faulty machines. Faults become known when a customer complains, so labels are
# positive or missing, and the number of complaints changes for reasons of its own. A monitor must
# tell a model that fails from customers who stopped writing.
#
# The months are made up. From month 5 on the complaints office falls behind, and only half as
# many faults are recorded. From month 7 on a new type of machine arrives, and the model really gets worse.

# %%
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm
from puremetrics.plots import RocCurveDisplay

rng = np.random.default_rng(9)
month = np.repeat(np.arange(1, 9), 3000)
faulty = rng.random(month.size) < 0.2  # hidden
skill = np.where(month >= 7, 1.2, 2.2)
score = rng.normal(skill * faulty, 1.0)
recorded = np.where(month >= 5, 0.25, 0.5)
complaint = faulty & (rng.random(month.size) < recorded)
segments = pm.Segments.from_arrays(
    complaint, score, segment=month, scenario="single_training_set", by="month"
)

# %% [markdown]
# ## The naive monitor
#
# It rings from month 5 on, when nothing is wrong with the model.

# %%
for name, part in segments.items():
    flagged = part.unlabeled_as_negative()
    value = pm.metric(flagged, "precision", threshold=1.5, prior=None).value
    print(f"month {name}: naive precision {value:.3f}")

# %% [markdown]
# ## The corrected monitor
#
# From inspections the share of faulty machines is known to be 0.2. Each month is corrected by
# itself, so the number of complaints does not matter. A test says whether months differ by more
# than chance.

# %%
report = pm.drift(segments, prior=0.2)
print(report)

# %%
print(pm.compare_segments(segments, statistic="roc_auc", prior=0.2, reference=1))

# %% alt="ROC curves of months 1, 5 and 8: months 1 and 5 lie on each other, month 8 clearly below"
figure, axes = plt.subplots(1, 3, figsize=(15, 7.2), layout="constrained")
for name, ax in zip((1, 5, 8), axes, strict=True):
    here = month == name
    RocCurveDisplay.from_predictions(
        complaint[here],
        score[here],
        scenario="single_training_set",
        prior=0.2,
        name=f"month {name}",
        truth=faulty[here],
        ax=ax,
    )

# %% [markdown]
# ## When this fails
#
# Fewer complaints do no harm; other complaints do. If the office that falls behind works on the
# worst faults first, labels of those months are biased and the model looks better than it is.
# Widen those months, or check some machines.

# %%
print(pm.roc_auc(segments[5], prior=0.2, label_bias=2, label_bias_side="high"))

# %% [markdown]
# A share of faults that changes would also show: `prior` may be a mapping with one entry for each
# month, and without one it is estimated for each month from its scores.
#
# ## The truth

# %%
for name in segments:
    here = month == name
    full = pm.ScoreTable.from_arrays(
        faulty[here], score[here], scenario="single_training_set"
    ).unlabeled_as_negative()
    precision = pm.metric(full, "precision", threshold=1.5, prior=None).value
    auc = pm.roc_auc(full, prior=None).value
    print(f"month {name}: true AUC {auc:.3f}, true precision {precision:.3f}")
