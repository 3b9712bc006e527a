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
# # A language model as judge, and 150 human answers
#
# A classifier finds harmful posts among 6,000. Users reported some of them. A language model can
# read all 6,000 in an hour, but it errs; people can read 150. Neither is enough by itself: the
# judge's errors are unknown, and 150 answers are few.
#
# Together they are. The judge says which posts are alike, people say what they really are, and what
# the judge gets wrong is measured on the way. The judge need not be good. A bad one makes the
# intervals longer, not wrong.
#
# The posts are made up, so that the truth can be shown at the end.

# %%
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm


def logistic(x):
    return 1 / (1 + np.exp(-x))


rng = np.random.default_rng(5)
n = 6000
harmful = rng.random(n) < 0.12  # hidden
logit = rng.normal(np.where(harmful, 0.2, -2.0), 1.2)
reported = harmful & (rng.random(n) < logistic(-1.5 + 0.4 * logit))
said = np.where(harmful, rng.random(n) < 0.90, rng.random(n) < 0.05).astype(int)  # the judge
to_read = rng.choice(np.flatnonzero(~reported), 150, replace=False)
human = np.full(n, "", dtype=object)  # empty where nobody looked
human[to_read] = np.where(harmful[to_read], "yes", "no")
posts = {"reported": reported, "p": logistic(logit), "llm": said, "human": human}
asked = {"label": "reported", "score": "p", "scenario": "single_training_set", "threshold": 0.3}

# %% [markdown]
# ## With nothing given

# %%
nothing = pm.evaluate(posts, **asked)
print(nothing)

# %% [markdown]
# Far too few: harmful posts that look like harmless ones leave no trace in the scores.
#
# ## The judge at its word
#
# A shortcut: take the judge's answers for the truth.

# %%
flagged = posts["p"] >= 0.3
print(f"precision, if the judge were always right: {said[flagged].mean():.3f}")
print(f"recall, if the judge were always right: {flagged[said == 1].mean():.3f}")

# %% [markdown]
# Those two numbers have no interval, and nothing says how wrong they are.
#
# ## People alone, and people with the judge
#
# `checked=` names the column with people's answers, `judge=` that of the judge.

# %%
people = pm.evaluate(posts, checked="human", **asked)
together = pm.evaluate(posts, checked="human", judge="llm", **asked)
for name in ("precision", "f1", "average_precision", "recall"):
    alone, both = people["model"][name], together["model"][name]
    print(f"{name}: {alone.low:.2f} to {alone.high:.2f} by people alone, "
          f"{both.low:.2f} to {both.high:.2f} with the judge")  # fmt: skip

# %%
print(together)

# %% [markdown]
# Recall gains little, and may even lose: it depends on the few harmful posts that score low, and
# there the judge's false alarms outnumber what it finds.
#
# ## Why not think of the judge as a checker who errs?
#
# It can be done, if you know how often it errs. If you do not, the range that you state is what
# you get.

# %%
unlabeled, p = ~reported, posts["p"]
stated = pm.Investigated.from_arrays(
    p[unlabeled], said[unlabeled], sensitivity=(0.8, 0.95), specificity=(0.9, 0.98)
)
print(stated)
by_range = pm.assume(reported, p, scenario="single_training_set", evidence=[stated])
print(by_range.metric("precision", threshold=0.3))

# %% [markdown]
# ## Evidence
#
# The judge with its human answers is one kind of evidence. Others can stand beside it: here an
# earlier count by a trusted team.

# %%
judged = pm.Judged.from_arrays(p[unlabeled], said[unlabeled], human[unlabeled])
count = pm.PublishedPrior(0.13, error=0.008)
given = pm.assume(reported, p, scenario="single_training_set", evidence=[judged, count])
print(given.metric("precision", threshold=0.3).evidence)

# %% [markdown]
# ## When this fails
#
# **People read what the judge flagged.** Posts that people read must be like others with the same score
# and the same answer of the judge. If they read only posts to which the judge said yes, nobody knows
# what it missed. Draw the rows to read by chance, from both answers.
#
# **People err.** Their answers are taken as right. If two people disagree about one post in ten, say
# so: `sensitivity=` and `specificity=` of `Judged.from_arrays` are about the people, and `second=` names
# answers of somebody who is always right.
#
# **The judge saw the score.** A judge whose prompt contains the classifier's score is no second
# opinion. Nothing here becomes wrong by it, but nothing is gained.
#
# ## The truth

# %% alt="Intervals of precision and recall: with nothing given that of precision misses the truth; with the judge it is shorter than from people alone"
truth = {"precision": harmful[flagged].mean(), "recall": flagged[harmful].mean()}
print(f"true share of harmful posts: {harmful.mean():.3f}")
print({name: round(float(value), 3) for name, value in truth.items()})

ways = {"nothing given": nothing, "people": people, "people and judge": together}
figure, axes = plt.subplots(1, 2, figsize=(8, 2.2), layout="constrained", sharey=True)
for ax, (name, value) in zip(axes, truth.items(), strict=True):
    for row, result in enumerate(ways.values()):
        one = result["model"][name]
        ax.plot([one.low, one.high], [row, row], "o-")
    ax.axvline(value, color="black", linewidth=1)
    ax.set(yticks=range(len(ways)), yticklabels=list(ways), xlim=(0, 1), xlabel=name)
axes[0].invert_yaxis()
