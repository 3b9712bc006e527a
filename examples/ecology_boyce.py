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
# # Ecology: presences and a background
#
# A bird was seen at 400 places. A model of its habitat scores every place of a map. Nobody
# records where the bird is *not*, so there are presences and a background of 5,000 places drawn
# from the map, some of which the bird lives in.
#
# The map is made up; the truth stands at the end.

# %%
import numpy as np

import puremetrics as pm
from puremetrics.plots import PriorSensitivityDisplay

rng = np.random.default_rng(5)
n = 60_000
forest, height, road = rng.random(n), rng.random(n), rng.random(n)
suitable = 1 / (1 + np.exp(-(6 * forest - 3 * height - 3.5)))
lives = rng.random(n) < suitable  # hidden: the bird lives there
habitat = 0.8 * forest - 0.4 * height + 0.4 * (1 - road) + rng.normal(0, 0.15, n)  # the model
background = rng.choice(n, 5000, replace=False)
seen = rng.choice(np.flatnonzero(lives), 400, replace=False)
table = pm.ScoreTable.from_groups(
    positive=habitat[seen], unlabeled=habitat[background], scenario="case_control"
)
print(table)

# %% [markdown]
# ## Does suitability rise with the score?
#
# The Boyce index asks whether presences become denser, relative to the background, as the score
# goes up. It needs no prior. It says nothing about how well the model ranks.

# %%
print(pm.boyce_index(table))

# %% [markdown]
# ## How well does it rank?
#
# The AUC against the background is too low, since the bird lives in part of the background. By
# how much depends on the *prevalence*, which is seldom known; a survey says 18 to 30 per cent.
# The picture shows the AUC for all of them, as far as the data allow.

# %% alt="ROC AUC against the assumed prevalence: it rises from the naive value; the true value is marked"
there = pm.ScoreTable.from_arrays(
    lives[background], habitat[background], scenario="case_control"
).unlabeled_as_negative()
PriorSensitivityDisplay.from_table(table, name="habitat model", truth=there)
print(pm.naive_auc(table))
print(pm.roc_auc(table, prior=(0.18, 0.30)))

# %% [markdown]
# ## When this fails
#
# People see birds where they walk. This time the chance to be recorded falls with the distance
# from a road, and the model above happens to like roads. It looks better than it is:

# %%
near = np.exp(-2.5 * road)  # chance to be recorded, up to a factor
weight = lives * near
biased = rng.choice(n, 400, replace=False, p=weight / weight.sum())
where = np.concatenate([biased, background])
label = np.repeat([1, 0], [400, 5000])
by_road = pm.ScoreTable.from_arrays(label, habitat[where], scenario="case_control")
print(pm.roc_auc(by_road, prior=(0.18, 0.30)))

# %% [markdown]
# If the effort can be modelled, say from the distance to roads, pass it as `propensity`. Only its
# ratios matter.

# %%
weighted = pm.ScoreTable.from_arrays(
    label, habitat[where], scenario="case_control", propensity=near[where]
)
print(pm.roc_auc(weighted, prior=(0.18, 0.30)))

# %% [markdown]
# ## The truth

# %%
full = pm.ScoreTable.from_arrays(
    lives, habitat, scenario="single_training_set"
).unlabeled_as_negative()
print("true prevalence:", round(lives.mean(), 3))
print("true AUC:", round(pm.roc_auc(full, prior=None).value, 3))
