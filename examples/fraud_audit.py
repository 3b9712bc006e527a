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
# # Fraud: labels that cannot be trusted, and an audit that can
#
# An insurer has 8,000 claims. Some were found to be fraud; the others were paid, and some of
# those are fraud, too. Investigators look at what strikes them, so blatant fraud is found more
# often. That breaks the assumption behind every correction, and this notebook shows what to do
# about it.
#
# The claims are made up, so that the truth can be shown at the end.

# %%
import numpy as np

import puremetrics as pm
from puremetrics.plots import LabelBiasDisplay

rng = np.random.default_rng(4)
fraud = rng.random(8000) < 0.12  # hidden
score = 1 / (1 + np.exp(-rng.normal(np.where(fraud, 0.6, -1.6), 1.1)))
chance = np.where(score > 0.6, 0.6, 0.15)  # of a fraud to be found
found = fraud & (rng.random(8000) < chance)
table = pm.ScoreTable.from_arrays(found, score, scenario="single_training_set")
print(table)

# %% [markdown]
# ## What a correction says
#
# Taking the found cases for a random sample of all fraud, and a prior of 0.12 for known:

# %%
print(pm.metric(table, "recall", threshold=0.5, prior=0.12))
print(pm.roc_auc(table, prior=0.12))

# %% [markdown]
# Both look good, and both are wrong, because the labelled fraud is the easy fraud. Labels alone
# can hardly tell. Checking claims can.
#
# ## A plan for 300 checks
#
# `plan_audit` says which of the paid claims to look at, so that a few checks say most. An
# investigator then looks at each of them thoroughly; here the hidden truth answers.

# %%
plan = pm.plan_audit(table, budget=300, target="recall", threshold=0.5, prior=0.12)
rows = plan.draw(found, score, rng=0)
audit = plan.audit(rows, fraud[rows])
print(plan)
print(audit)

# %% [markdown]
# ## Were labels random?
#
# First question to the audit: do the frauds it found look like the ones that were known?

# %%
print(pm.audit_labels(table, audit))

# %% [markdown]
# They do not. So the numbers above must go. With `audit=` nothing is assumed about labels, nor
# about the prior:

# %%
print(pm.metric(table, "recall", threshold=0.5, audit=audit))
print(pm.roc_auc(table, audit=audit))

# %% [markdown]
# ## When this fails
#
# An audit assumes two things: rows were checked as the plan drew them, and the answers are right.
# If investigators miss a fraud that was well hidden, the audit counts it as honest, and recall
# comes out too high again: check some claims twice to see how often that happens. If they leave out
# the tedious claims, those checked are no longer the sample that was drawn.
#
# Somebody who cannot check anything has to say how biased labels may be. The picture shows what
# each answer leaves open.

# %% alt="ROC AUC against the assumed label bias: the range that is possible widens from a point to a broad band"
picture = LabelBiasDisplay.from_table(table, prior=0.12, above=0.85, name="fraud model")

# %% [markdown]
# ## The truth

# %%
full = pm.ScoreTable.from_arrays(
    fraud, score, scenario="single_training_set"
).unlabeled_as_negative()
print("true share of fraud:", round(fraud.mean(), 3))
print("true recall:", round((score[fraud] >= 0.5).mean(), 3))
print("true AUC:", round(pm.roc_auc(full, prior=None).value, 3))
