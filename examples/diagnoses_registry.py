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
# # Diagnoses: hospital codes, a registry, and a survey
#
# Which of 8,000 people have a disease that is often not diagnosed? Two lists know some of them:
# codes in hospital records, and a registry that doctors report to. Besides, a survey examined a
# random sample of the same region some years ago and found that 10% had the disease
# (7 to 13%).
#
# None of the three is enough. The lists are short, and they hang together: many cases reach the
# registry *because* a hospital reported them. The survey says how many, but not whom. Together
# they say more than any of them.
#
# The people are made up, so that the truth can be shown at the end.

# %%
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm


def logistic(x):
    return 1 / (1 + np.exp(-x))


rng = np.random.default_rng(12)
n = 8000
ill = rng.random(n) < 0.1  # hidden
logit = rng.normal(np.where(ill, 0.1, -2.4), 1.2)
score = logistic(logit)
severe = rng.normal(0, 0.5, n)  # hidden: severe cases are in both lists
coded = ill & (rng.random(n) < logistic(-0.8 + 0.3 * logit + severe))
registered = ill & (rng.random(n) < logistic(-1.2 + 0.2 * logit + severe))
known = coded | registered

# %% [markdown]
# ## With nothing given

# %%
nothing = pm.evaluate(known, score, scenario="single_training_set", threshold=0.3)
print(nothing)

# %% [markdown]
# ## Two lists that hang together
#
# Hospitals report to the registry, so being in one list makes the other more likely. Nobody can
# say how much more likely; between 1 and 2 times the odds is a range that doctors will agree to.

# %%
lists = pm.LabelSources.from_arrays(
    score, {"coded": coded, "registered": registered}, dependence=(1, 2)
)
print(lists)
print(lists.counts)

# %% [markdown]
# ## All together
#
# `assume` takes every kind of evidence, and answers any question from all of it.

# %%
survey = pm.PublishedPrior(0.10, interval=(0.07, 0.13))
given = pm.assume(known, score, scenario="single_training_set", evidence=[lists, survey])
print(given)
prior = given.joint_prior()
print(prior)
print()
print(prior.evidence)

# %% [markdown]
# The last column is how wide the interval would be without that line: the survey and the lists are
# worth about the same for the prior. For recall the survey by itself says little, since it cannot
# know where in the ranking the missing cases are; beside the lists it helps.

# %%
precision, recall = given.metric("precision", threshold=0.3), given.metric("recall", threshold=0.3)
print(precision)
print(recall)
print()
print(recall.evidence)

# %% [markdown]
# ## When this fails
#
# **The survey was elsewhere.** Its figure must be the share in the population from which these
# people come. If clinics sent them, more of them are ill than in the region. Then the survey and
# the lists may contradict each other, and the result says so (PM152) instead of a number. But a
# survey that is a little off is not noticed: the wider the other evidence, the less it can object.
#
# **The range of the dependence is too narrow.** Lists that copy from each other, row by row, are
# one list. Take such rows out of one of them before you begin.
#
# **Too few are in both lists.** With fewer than eight, hardly anything is known of those that are in
# neither, and PM150 says so.

# %%
few = rng.random(n) < 0.05  # an early version of the registry, with few reports
early = pm.LabelSources.from_arrays(score, {"coded": coded, "registered": registered & few})
young = pm.metric(
    coded | (registered & few), score, "recall", threshold=0.3,
    scenario="single_training_set", evidence=[early],
)  # fmt: skip
print(young)

# %% [markdown]
# ## The truth

# %% alt="Intervals of precision and recall: with nothing given that of precision ends below the truth, with lists and survey both hold it"
flagged = score >= 0.3
truth = {"precision": ill[flagged].mean(), "recall": flagged[ill].mean()}
print(f"true share of ill people: {ill.mean():.3f}")
print({name: round(float(value), 3) for name, value in truth.items()})

ways = {
    "nothing given": nothing["model"],
    "lists and survey": {"precision": precision, "recall": recall},
}
figure, axes = plt.subplots(1, 2, figsize=(8, 2.0), layout="constrained", sharey=True)
for ax, (name, value) in zip(axes, truth.items(), strict=True):
    for row, result in enumerate(ways.values()):
        one = result[name]
        ax.plot([one.low, one.high], [row, row], "o-")
    ax.axvline(value, color="black", linewidth=1)
    ax.set(yticks=range(len(ways)), yticklabels=list(ways), xlim=(0, 1), xlabel=name)
axes[0].invert_yaxis()
