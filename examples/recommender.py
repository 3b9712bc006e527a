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
# # Recommendations: clicks depend on what was shown
#
# A shop knows which items its visitors clicked. An item without a click may be of no interest, or
# may never have been seen: popular items stand on the front page. Clicks are positive labels with
# *propensities*, chances to be seen that the shop can estimate, because it decided what to show.
#
# The visits are made up; the truth stands at the end.

# %%
import numpy as np

import puremetrics as pm
from puremetrics.plots import RocCurveDisplay

rng = np.random.default_rng(3)
n = 20_000
popular = rng.random(n)
liked = rng.random(n) < 0.25  # hidden: the visitor would like it
seen = 0.05 + 0.75 * popular**2  # chance to be seen
clicked = liked & (rng.random(n) < seen)
score = rng.normal(1.2 * liked + 1.5 * popular, 1.0)  # the recommender favours what is popular
table = pm.ScoreTable.from_arrays(clicked, score, scenario="single_training_set")
print(table)

# %% [markdown]
# ## Without propensities
#
# If clicks are taken for a random sample of what people like, the recommender looks excellent. It
# ranks popular items first, and popular items get the clicks.

# %%
print(pm.roc_auc(table, prior=0.25))

# %% [markdown]
# ## With propensities
#
# A click on an item that hardly anybody sees stands for many likes. Chances of the right level
# even give the prior.

# %%
weighted = pm.ScoreTable.from_arrays(
    clicked, score, scenario="single_training_set", propensity=seen
)
prior = pm.prior_from_propensities(weighted)
print(prior)
print(pm.roc_auc(weighted, prior=prior))
print(pm.metric(weighted, "precision", threshold=2.0, prior=prior))

# %% alt="ROC curve of the recommender with propensities, beside its true curve"
full = pm.ScoreTable.from_arrays(
    liked, score, scenario="single_training_set"
).unlabeled_as_negative()
picture = RocCurveDisplay.from_table(weighted, prior=prior, name="recommender", truth=full)

# %% [markdown]
# ## When this fails
#
# Propensities are a model, and intervals take them as known. Suppose the shop's log of what was
# shown is flatter than the real chances:

# %%
flat = np.sqrt(seen)
wrong = pm.ScoreTable.from_arrays(clicked, score, scenario="single_training_set", propensity=flat)
print(pm.prior_from_propensities(wrong))
print(pm.roc_auc(wrong, prior=0.25))

# %% [markdown]
# The interval is narrow and far from the truth. Only a test can tell: show some items at random,
# where the chance is known, and compare.
#
# ## The truth

# %%
print("true share of likes:", round(liked.mean(), 3))
print("true AUC:", round(pm.roc_auc(full, prior=None).value, 3))
print("true precision:", round(pm.metric(full, "precision", threshold=2.0, prior=None).value, 3))
