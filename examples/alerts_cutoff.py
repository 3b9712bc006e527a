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
# # Alerts above a cut-off: somebody looked, but not at random
#
# A monitor scores 30,000 transactions. A team investigates alerts: most of those with a score of
# 0.4 and above, a few of those above 0.1, and none below. Nobody wrote down by which chance a row
# was chosen. What do their findings say?
#
# They say a lot about precision, where the team looked, and next to nothing about recall, where it
# did not. The notebook shows how to tell the two apart, and what little has to be added.
#
# The transactions are made up, so that the truth can be shown at the end.

# %%
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm

rng = np.random.default_rng(3)
n = 30_000
bad = rng.random(n) < 0.03  # hidden
score = 1 / (1 + np.exp(-rng.normal(np.where(bad, 0.3, -2.8), 1.2)))
confirmed = bad & (rng.random(n) < 0.15)  # known from elsewhere, before anybody looked
looked = ~confirmed & (rng.random(n) < np.where(score >= 0.4, 0.6, np.where(score >= 0.1, 0.03, 0)))
outcome = np.where(looked, np.where(bad, "yes", "no"), "")
rows = {"confirmed": confirmed, "outcome": outcome, "p": score}
asked = {"label": "confirmed", "score": "p", "scenario": "single_training_set", "threshold": 0.4}
print(f"{looked.sum()} investigated, {(outcome == 'yes').sum()} of them bad")

# %% [markdown]
# ## With nothing given

# %%
nothing = pm.evaluate(rows, **asked)
print(nothing)

# %% [markdown]
# ## With what was investigated
#
# `checked=` names the column with yes, no, and blanks. Rows of about the same score are taken as
# alike, whether anybody looked at them or not. So it does not matter that high scores were looked at
# more often.

# %%
found = pm.evaluate(rows, checked="outcome", **asked)
print(found)

# %% [markdown]
# Precision is known now. Recall is not, and PM151 names the scores at which nobody looked: in
# 20,000 rows there may be any number of positives.
#
# ## A hundred rows from below
#
# Draw them by chance, and check them. They are evidence that stands beside what the team did.

# %%
low = np.flatnonzero(~confirmed & (score < 0.1))
drawn = rng.choice(low, 100, replace=False)
below = pm.Investigated.from_arrays(score[drawn], bad[drawn])
more = pm.evaluate(rows, checked="outcome", evidence=[below], **asked)
recall = more["model"]["recall"]
print(recall.evidence)

# %% [markdown]
# Neither says much of recall alone. Together they begin to, because each has seen what the other
# leaves open; a few hundred rows from below would do more.
#
# ## Confirmed cases count, too
#
# If the confirmed cases came in by chance (a random sample of all bad transactions), say so. They know
# where positives lie, low scores included.

# %%
team = pm.Investigated.from_arrays(score[~confirmed], outcome[~confirmed])
given = pm.assume(
    confirmed,
    score,
    scenario="single_training_set",
    evidence=[team, below, pm.RandomLabels()],
)
print(given.metric("recall", threshold=0.4))

# %% [markdown]
# ## When this fails
#
# The team must have chosen rows by the score, or by chance, and by nothing else that has to do with
# the answer. Investigators with a good nose break that: at the same score they pick the bad ones, and
# precision comes out too high. How far off could it be? `selection_bias=2` allows the odds of being bad
# to be twice as large, or half as large, where somebody looked.

# %%
nose = np.where(bad, 1.0, 0.5) * np.where(score >= 0.4, 0.6, 0.03)  # bad rows twice as often
picked = ~confirmed & (score >= 0.1) & (rng.random(n) < nose)
answers = np.where(picked, np.where(bad, "yes", "no"), "")
for bias in (1, 2):
    chosen = pm.Investigated.from_arrays(
        score[~confirmed], answers[~confirmed], selection_bias=bias
    )
    given = pm.assume(confirmed, score, scenario="single_training_set", evidence=[chosen])
    said = given.metric("precision", threshold=0.4)
    print(f"selection bias {bias}: precision {said.value:.3f} ({said.low:.3f} to {said.high:.3f})")

# %% [markdown]
# If you know what guided them (the amount, the country), pass it as `features=`: rows are then
# weighed by an estimated chance of being looked at.
#
# ## The truth

# %% alt="Intervals of precision and recall with nothing given, with the investigated rows, and with a hundred rows from below: precision is known from the second on, recall from the third"
flagged = score >= 0.4
truth = {"precision": bad[flagged].mean(), "recall": flagged[bad].mean()}
print(f"true share of bad transactions: {bad.mean():.4f}")
print({name: round(float(value), 3) for name, value in truth.items()})

ways = {"nothing given": nothing, "investigated": found, "and 100 from below": more}
figure, axes = plt.subplots(1, 2, figsize=(8, 2.2), layout="constrained", sharey=True)
for ax, (name, value) in zip(axes, truth.items(), strict=True):
    for row, result in enumerate(ways.values()):
        one = result["model"][name]
        ax.plot([one.low, one.high], [row, row], "o-")
    ax.axvline(value, color="black", linewidth=1)
    ax.set(yticks=range(len(ways)), yticklabels=list(ways), xlim=(0, 1), xlabel=name)
axes[0].invert_yaxis()
