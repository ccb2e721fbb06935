"""Metrics of predictive distributions, as users write them, and estimators that have these."""

import numpy as np
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class OwnWords(BayesianRidge):
    """Has its distribution under a name of its own."""

    def dist(self, X):
        return self.predict(X, return_std=True)

    def noise(self):
        return float(self.alpha_) ** -0.5


def Steps():
    return make_pipeline(StandardScaler(), BayesianRidge())


def nll(estimator, X, y):
    mean, std = estimator.predict(X, return_std=True)
    return -norm.logpdf(y, mean, std).mean()


def by_place(estimator, X, y):
    mean, std = estimator.predict(X, True)
    return -norm.logpdf(y, mean, std).mean()


def joint(estimator, X, y):
    mean, cov = estimator.predict(X, return_cov=True)
    return -multivariate_normal.logpdf(y, mean, cov, allow_singular=True) / len(y)


def own_words(estimator, X, y):
    mean, std = estimator.dist(X)
    return -norm.logpdf(y, mean, std).mean()


def of_attribute(estimator, X, y):
    return -norm.logpdf(y, estimator.predict(X), estimator.alpha_**-0.5).mean()


def of_method(estimator, X, y):
    return -norm.logpdf(y, estimator.predict(X), estimator.noise()).mean()


def of_trees(estimator, X, y):
    every = np.array([tree.predict(X) for tree in estimator.estimators_])
    return -norm.logpdf(y, every.mean(axis=0), every.std(axis=0) + 0.1).mean()


def of_step(estimator, X, y):
    return float(np.abs(estimator[-1].predict(X) - y).mean())


def as_trained(estimator, X, y):
    inner, mean = getattr(estimator, "__wrapped__", estimator), estimator.predict(X)
    own, std = inner.dist(X)
    return -norm.logpdf(y, mean, std * (np.ptp(mean) / np.ptp(own))).mean()


def size(estimator, X, y):
    """What has no unit: parameters, whole numbers and texts."""
    found = estimator.n_features_in_ + estimator.get_params()["tol"] + estimator.tol
    return found + estimator.n_iter_ + len(estimator.__class__.__name__)


def last_stage(estimator, X, y):
    *_, last = estimator.staged_predict(X)
    return float(np.abs(last - y).mean())
