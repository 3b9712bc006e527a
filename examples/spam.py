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
# # Spam: a filter judged by its reports
#
# Readers of a mail service reported 552 of 4,601 messages as spam. Nobody ever says of a message
# that it is fine, so there are no negatives: an unreported message may be fine, or spam that
# nobody bothered to report. How good is the filter?
#
# The data come with the package. The hidden truth, `spam`, stays out of sight until the end.

# %%
import puremetrics as pm
from puremetrics.plots import RocCurveDisplay

demo = pm.load_demo()
table = pm.ScoreTable.from_arrays(demo["reported"], demo["forest"], scenario="single_training_set")
print(table)

# %% [markdown]
# ## The wrong number
#
# Counting every unreported message as fine is what a metric made for full labels does. The filter
# is then punished for each spam message that it finds and no reader reported.

# %%
print(pm.naive_auc(table))

# %% [markdown]
# ## The right number needs the share of spam
#
# The *prior* is the share of spam among all messages. The scores themselves allow a guess. The
# filter parts the two classes well, which the first line says, so the guess is of use; the
# interval says how far.

# %%
prior = pm.estimate_prior(table)
print(prior)

# %%
print(pm.roc_auc(table, prior=prior))

# %% [markdown]
# An interval that wide is honest but not much use. Suppose that somebody reads 200 unreported
# messages, drawn at random, and finds 62 to be spam. An hour of reading narrows the answer.

# %%
audited = pm.prior_from_audit(200, 62, table=table)
print(audited)
print(pm.roc_auc(table, prior=audited))
print(pm.metric(table, "precision", threshold=0.1, prior=audited))

# %% [markdown]
# ## When this fails
#
# All of it assumes that reported messages are a random sample of the spam. If readers report the
# blatant spam first, reported messages score higher than the rest, and the numbers above are too
# good. How uneven may the reports be before the filter's AUC can no longer be said to exceed 0.9?

# %%
print(pm.tipping_point(table, above=0.9, prior=audited))

# %% [markdown]
# If you think that blatant spam has a greater lead than that, report the wider interval,
# `label_bias=…`, or check rows by a plan (the example of fraud does), which needs no such assumption.
#
# ## The truth
#
# These are old data, and all labels are known. The dotted curve below used them; nothing above
# did.

# %% alt="ROC curves of the spam filter: the corrected curve lies close to the hidden truth, the naive curve far below both"
hidden = pm.ScoreTable.from_arrays(
    demo["spam"], demo["forest"], scenario="single_training_set"
).unlabeled_as_negative()
RocCurveDisplay.from_table(table, prior=audited, name="forest", truth=hidden)
print("true share of spam:", round(demo["spam"].mean(), 3))
print("true AUC:", round(pm.roc_auc(hidden, prior=None).value, 3))
print("true precision:", round(pm.metric(hidden, "precision", threshold=0.1, prior=None).value, 3))
