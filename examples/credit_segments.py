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
# # Credit: does a model serve all customers alike?
#
# A bank scores its customers for the risk of default. A default becomes known only if the loan
# was recorded by the bureau, which reports far more cases from cities than from the
# countryside. The unlabeled customers are a mixture. Does the model find defaults equally well in
# cities, suburbs and the countryside?
#
# The customers are made up; the truth stands at the end.

# %%
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm
from puremetrics.plots import RocCurveDisplay

rng = np.random.default_rng(7)
n = 9000
place = rng.choice(["city", "country", "suburb"], n, p=[0.45, 0.25, 0.30])
risk = np.select([place == "city", place == "country"], [0.20, 0.25], 0.15)
default = rng.random(n) < risk  # hidden
skill = np.where(place == "country", 1.0, 2.0)  # the model knows the country less well
score = rng.normal(skill * default, 1.0)
recorded = np.select([place == "city", place == "country"], [0.6, 0.2], 0.4)
label = default & (rng.random(n) < recorded)
segments = pm.Segments.from_arrays(
    label, score, segment=place, scenario="single_training_set", by="place"
)
print(segments)

# %% [markdown]
# ## The naive comparison
#
# Precision that takes the unlabeled as good customers depends on how many cases the bureau
# recorded. It compares bureaus, not models:

# %%
for name, part in segments.items():
    flagged = part.unlabeled_as_negative()
    value = pm.metric(flagged, "precision", threshold=1.5, prior=None).value
    print(f"{name:8} naive precision {value:.3f}")

# %% [markdown]
# ## Recall needs no prior
#
# If labels are a random sample of the defaults *inside* each segment, recall can be read off
# them, however many there are. The intervals hold for all segments at once.

# %%
print(pm.compare_segments(segments, statistic="recall", threshold=1.5))

# %% [markdown]
# ## Precision does
#
# The bank knows its losses, and from them the rate of default in each segment to within two or
# three percentage points.

# %%
rates = {"city": (0.18, 0.22), "country": (0.22, 0.28), "suburb": (0.13, 0.17)}
print(pm.compare_segments(segments, statistic="precision", threshold=1.5, prior=rates))

# %% alt="Corrected ROC curves of city and country customers, each beside its true curve: the country curve is clearly lower"
figure, axes = plt.subplots(1, 2, figsize=(10.4, 7.2), layout="constrained")
for name, ax in zip(("city", "country"), axes, strict=True):
    here = place == name
    RocCurveDisplay.from_predictions(
        label[here],
        score[here],
        scenario="single_training_set",
        prior=rates[name],
        name=name,
        truth=default[here],
        ax=ax,
    )

# %% [markdown]
# ## When this fails
#
# Different shares of labels do no harm. Different *kinds* do: if the country bureau records only
# the worst cases, its recall is flattered. A bias that is allowed for in one segment widens that
# segment alone.

# %%
biased = {"city": 1.0, "country": 2.0, "suburb": 1.0}
print(
    pm.compare_segments(segments, statistic="recall", threshold=1.5, prior=rates, label_bias=biased)
)

# %% [markdown]
# ## The truth

# %%
for name in segments:
    here = place == name
    recall = (score[here & default] >= 1.5).mean()
    precision = default[here & (score >= 1.5)].mean()
    print(f"{name:8} true recall {recall:.3f}, true precision {precision:.3f}")
