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
# # Virtual screening: the first per cent of the list
#
# A docking program ranks 20,000 compounds. For 120 other compounds it is known that they bind. Of
# the library nobody knows which do, and only the first few hundred will ever be tested. What
# matters is the top of the list: enrichment and BEDROC.
#
# The compounds are made up; the truth stands at the end.

# %%
import numpy as np

import puremetrics as pm
from puremetrics.plots import DiscoveryDisplay

rng = np.random.default_rng(11)
binds = rng.random(20_000) < 0.01  # hidden
library = rng.normal(2.0 * binds, 1.0)
actives = rng.normal(2.0, 1.0, 120)
table = pm.ScoreTable.from_groups(positive=actives, unlabeled=library, scenario="case_control")
print(table)

# %% [markdown]
# ## No prior needed
#
# How many times more binders than chance does the first per cent hold? The known actives answer
# that by where they would stand in the library.

# %%
print(pm.enrichment_factor(table, top=0.01))
print(pm.rie(table, alpha=20))

# %% [markdown]
# ## BEDROC needs one
#
# BEDROC puts the same on a scale from 0 to 1, whose ends depend on how many binders there are.
# Screens of this kind have hit rates between 0.5 and 2 per cent.

# %%
print(pm.bedroc(table, alpha=20, prior=(0.005, 0.02)))

# %% [markdown]
# ## How many to buy

# %% alt="Binders found against compounds tested: the estimate with its band, and the true count inside"
hidden = pm.ScoreTable.from_arrays(binds, library, scenario="case_control").unlabeled_as_negative()
DiscoveryDisplay.from_table(table, prior=(0.005, 0.02), rows=1000, name="docking", truth=hidden)
print(pm.discovery_curve(table, prior=(0.005, 0.02), rows=1000).words(200))

# %% [markdown]
# ## When this fails
#
# Known actives tend to be analogues of one another, made because the first of them worked.
# Docking recognises the family, and early enrichment looks better than it will be for new
# chemistry. If easy binders are up to three times as likely to be known:

# %%
print(pm.bedroc(table, alpha=20, prior=(0.005, 0.02), label_bias=3, label_bias_side="high"))

# %% [markdown]
# Actives of one family are not independent either. Pass the family as `groups=` to `from_arrays`,
# and the intervals count families instead of compounds.
#
# ## The truth

# %%
order = np.argsort(-library)
first = binds[order[:200]]
print("true enrichment in the first per cent:", round(first.mean() / binds.mean(), 2))
print("true BEDROC:", round(pm.bedroc(hidden, alpha=20, prior=binds.mean()).value, 3))
print("binders among the first 200:", int(first.sum()))
