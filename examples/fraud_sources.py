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
# # Fraud: complaints, rules, and a prior that nobody has to type
#
# A bank scores 20,000 card payments. Some frauds are known because a customer complained, others
# because a rule fired and somebody looked. Nobody knows how many frauds both of them missed.
#
# Two lists of the same thing answer that. If the rules caught 30% of what customers complained
# about, they caught about 30% of all fraud. No prior is needed, and labels need not be random:
# the comparison is made at each score.
#
# The payments are made up, so that the truth can be shown at the end.

# %%
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm


def logistic(x):
    return 1 / (1 + np.exp(-x))


rng = np.random.default_rng(11)
n = 20_000
fraud = rng.random(n) < 0.08  # hidden
logit = rng.normal(np.where(fraud, -0.2, -2.6), 1.2)
complaint = fraud & (rng.random(n) < logistic(-1.0 + 0.5 * logit))  # rather the blatant ones
rule = fraud & (rng.random(n) < logistic(-1.5 - 0.3 * logit))  # rather the others
payments = {"complaint": complaint, "rule": rule, "known": complaint | rule, "p": logistic(logit)}
asked = {"score": "p", "scenario": "single_training_set", "threshold": 0.3}

# %% [markdown]
# ## With nothing given
#
# One label column, and no prior: the prior is read off the scores. That takes labels for a random
# sample of all fraud, and takes for negative whatever looks like one.

# %%
nothing = pm.evaluate(payments, label="known", **asked)
print(nothing)

# %% [markdown]
# ## With both columns
#
# Name both columns instead of one, and nothing else.

# %%
both = pm.evaluate(payments, label=["complaint", "rule"], **asked)
print(both)

# %% [markdown]
# The share of fraud is twice what the scores alone said, and recall is lower. `.evidence` says
# where a number comes from. Here there is one kind of evidence; with several, the last column says
# what each is worth.

# %%
print(both["model"]["precision"].evidence)

# %% [markdown]
# ## A figure that does not fit
#
# A vendor's brochure says that 15% of such payments are fraud, give or take 1.5 points. It is
# evidence like any other, so put it beside the two columns.

# %%
brochure = pm.PublishedPrior(0.15, interval=(0.135, 0.165))
clash = pm.metric(payments, "recall", label=["complaint", "rule"], evidence=[brochure], **asked)
print(clash)
print()
print(clash.evidence)

# %% [markdown]
# There is no value: the two cannot both be right, and a mean of the two would be right in neither
# case. The interval covers what each of them would give. Now it is your turn. Either the brochure
# is about other payments (perhaps those that had already raised an alert), or the two sources
# catch the same kind of fraud. Find out which, and leave the other out. Here the brochure is wrong.
#
# ## When this fails
#
# The two sources must catch independently of each other at a given score. Suppose that some frauds
# are easy for everybody, for a reason that the score does not see: a stolen card that is used
# abroad annoys its owner and trips a rule. Then the two lists overlap more than they should, and
# fraud that is hard for everybody is forgotten.

# %%
easy = rng.normal(0, 1, n)  # hidden: a cause that both share
complained = fraud & (rng.random(n) < logistic(-1.2 + 0.5 * logit + easy))
fired = fraud & (rng.random(n) < logistic(-1.6 - 0.3 * logit + easy))
lists = {"complaint": complained, "rule": fired}
for dependence in (1, (1, 3)):
    sources = pm.LabelSources.from_arrays(payments["p"], lists, dependence=dependence)
    given = pm.assume(
        complained | fired, payments["p"], scenario="single_training_set", evidence=[sources]
    )
    print("dependence", dependence)
    print(given.joint_prior())

# %% [markdown]
# At a dependence of 1 the interval misses the truth, and always on the same side: with a shared
# cause, the estimate is a lower limit. The range (1, 3) says that payments which one source caught
# may have up to three times the odds of being caught by the other. It makes the interval longer,
# and right. Ask how two sources could know of each other before you leave it at 1: do complaints
# feed the rules? Are they about the same shops?
#
# ## The truth

# %% alt="Intervals of precision and recall: with nothing given that of precision ends below the truth, with two sources both hold it"
flagged = payments["p"] >= 0.3
truth = {"precision": fraud[flagged].mean(), "recall": flagged[fraud].mean()}
print(f"true share of fraud: {fraud.mean():.3f}")
print({name: round(float(value), 3) for name, value in truth.items()})

ways = {"nothing given": nothing, "two sources": both}
figure, axes = plt.subplots(1, 2, figsize=(8, 2.0), layout="constrained", sharey=True)
for ax, (name, value) in zip(axes, truth.items(), strict=True):
    for row, result in enumerate(ways.values()):
        one = result["model"][name]
        ax.plot([one.low, one.high], [row, row], "o-")
    ax.axvline(value, color="black", linewidth=1)
    ax.set(yticks=range(len(ways)), yticklabels=list(ways), xlim=(0, 1), xlabel=name)
axes[0].invert_yaxis()
