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
# # Disease genes: two samples
#
# A database lists genes that are known to play a part in a disease. Next to it stands a sample of
# the genome, about which nothing is known. This is *case-control* data: the two were collected
# separately, and the share of labels says nothing about how common disease genes are.
#
# The protein set of papers on positive and unlabeled data cannot be passed on with the package; if
# you have it, `puremetrics.datasets.load_dataset("protein")` reads it. Here genes are made, so that
# the truth can be shown at the end.

# %%
import numpy as np

import puremetrics as pm
from puremetrics.plots import DiscoveryDisplay

rng = np.random.default_rng(1)


def scores(is_disease_gene):
    """A model's score: disease genes tend to rank higher."""
    return rng.normal(2.2 * is_disease_gene, 1.0)


genome = rng.random(6000) < 0.08  # hidden: which of the sampled genes matter
known = scores(np.ones(300))
sampled = scores(genome)
table = pm.ScoreTable.from_groups(positive=known, unlabeled=sampled, scenario="case_control")
print(table)

# %% [markdown]
# ## Ranking
#
# With two samples the prior is the share of disease genes in the *genome* sample. Geneticists put
# it between 5 and 12 per cent. A range goes straight in, and the interval covers all of it.

# %%
print(pm.naive_auc(table))
print(pm.roc_auc(table, prior=(0.05, 0.12)))

# %% [markdown]
# Disease genes are rare, so the naive value is not far off. Precision is another matter: it
# counts the hidden disease genes at the top of the list as mistakes.

# %%
print(pm.metric(table, "precision", top=100, prior=(0.05, 0.12)))

# %% [markdown]
# ## What the laboratory asks
#
# If the best candidates are tested one after the other, how many will turn out to be disease
# genes? The band holds for every length of the list at once, so the laboratory may stop where it
# likes.

# %%
hidden = pm.ScoreTable.from_arrays(genome, sampled, scenario="case_control").unlabeled_as_negative()

# %% alt="Disease genes found against candidates tested: estimate with a band that holds everywhere, and the true number inside it"
DiscoveryDisplay.from_table(
    table, prior=(0.05, 0.12), rows=600, name="model", truth=hidden, band="simultaneous"
)
print(pm.discovery_curve(table, prior=(0.05, 0.12), rows=600, band="simultaneous").words(100))

# %% [markdown]
# ## When this fails
#
# Genes get into databases because they were studied, and they were studied because they are easy
# to see. Then known genes score higher than disease genes at large. Suppose some had twice the
# chance of others to be listed:

# %%
print(pm.roc_auc(table, prior=(0.05, 0.12), label_bias=2, label_bias_side="high"))

# %% [markdown]
# Nothing in these data can rule that out. A claim about a new model should survive it, or say
# that it does not. Wrong entries are a different failure: `purity=0.95` allows for one entry in
# twenty.
#
# ## The truth

# %%
order = np.argsort(-sampled)
print("true prior:", round(genome.mean(), 3))
print("true AUC:", round(pm.roc_auc(hidden, prior=None).value, 3))
print("disease genes among the first 100:", int(genome[order[:100]].sum()))
