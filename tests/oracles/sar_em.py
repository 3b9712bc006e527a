"""SAR-EM, slowly and from the paper's equations (Bekker, Robberechts, Davis 2019, Section 5).

Expectation: a labelled row is positive, an unlabeled one with chance P(1 − e) / (1 − P·e). Maximisation: a
logistic model of the class on all rows with these chances as labels, and one of the label on rows weighted
by them. A ridge on all slopes, none on the intercepts; features as they are given.
"""

import numpy as np
from scipy.optimize import minimize


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def logistic(features, target, weight, ridge, start):
    """Weighted logistic regression with fractional targets; the intercept comes first."""

    def loss(theta):
        z = theta[0] + features @ theta[1:]
        fit = weight * (np.logaddexp(0, z) - target * z)
        return float(np.sum(fit) + ridge / 2 * np.sum(theta[1:] ** 2))

    return minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x


def likelihood(features, attributes, labelled, by_class, by_label, ridge):
    """Log-likelihood of the labels, less the ridge."""
    both = sigmoid(by_class[0] + features @ by_class[1:])
    both = both * sigmoid(by_label[0] + features[:, attributes] @ by_label[1:])
    fit = np.sum(np.log(np.where(labelled, both, 1 - both)))
    return float(fit - ridge / 2 * (np.sum(by_class[1:] ** 2) + np.sum(by_label[1:] ** 2)))


def sar_em(features, attributes, labelled, ridge, chance=0.5, steps=60):
    """Parameters of both models, and the likelihood after each step."""
    share = labelled.mean()
    by_class, by_label = np.zeros(features.shape[1] + 1), np.zeros(len(attributes) + 1)
    positive = min(share / chance, 0.9)
    by_class[0], by_label[0] = np.log(positive / (1 - positive)), np.log(chance / (1 - chance))
    path = []
    for _ in range(steps):
        p = sigmoid(by_class[0] + features @ by_class[1:])
        e = sigmoid(by_label[0] + features[:, attributes] @ by_label[1:])
        expected = np.where(labelled, 1.0, p * (1 - e) / (1 - p * e))
        ones = np.ones(labelled.size)
        by_class = logistic(features, expected, ones, ridge, by_class)
        by_label = logistic(features[:, attributes], labelled, expected, ridge, by_label)
        path.append(likelihood(features, attributes, labelled, by_class, by_label, ridge))
    return by_class, by_label, path
