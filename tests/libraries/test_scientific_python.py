"""SciPy and scikit-learn compute with tensors; run with ``SCIPY_ARRAY_API=1``, as they want it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import fft, integrate, ndimage, signal, special, stats
from scipy.spatial import distance

import pellucid as torch

if os.environ.get("SCIPY_ARRAY_API") != "1":
    pytest.skip("SCIPY_ARRAY_API=1 is not set; make libraries sets it", allow_module_level=True)
sklearn = pytest.importorskip("sklearn", minversion="1.7")
decomposition, discriminant_analysis, linear_model, metrics, mixture = (
    pytest.importorskip(f"sklearn.{name}")
    for name in ("decomposition", "discriminant_analysis", "linear_model", "metrics", "mixture")
)
model_selection, naive_bayes, pipeline, preprocessing = (
    pytest.importorskip(f"sklearn.{name}")
    for name in ("model_selection", "naive_bayes", "pipeline", "preprocessing")
)

GENERATOR = np.random.default_rng(0)
A = GENERATOR.normal(size=(60, 4)).astype("float32")
CLASS = (A[:, 0] + A[:, 1] > 0).astype("int64")
TARGET = A @ np.array([1, 2, 3, 4], dtype="float32")
GUESS = CLASS ^ (GENERATOR.random(60) < 0.2)
V, W = GENERATOR.normal(size=(2, 50))


@pytest.fixture(autouse=True)
def _dispatch() -> Iterator[None]:
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize(
    ("estimator", "target", "method"),
    [
        (discriminant_analysis.LinearDiscriminantAnalysis(), CLASS, "predict_proba"),
        (decomposition.PCA(2), None, "transform"),
        (decomposition.PCA(2, svd_solver="covariance_eigh"), None, "transform"),
        (linear_model.Ridge(solver="svd"), TARGET, "predict"),
        (linear_model.RidgeCV(), TARGET, "predict"),
        (linear_model.RidgeClassifier(solver="svd"), CLASS, "predict"),
        (naive_bayes.GaussianNB(), CLASS, "predict_proba"),
        (mixture.GaussianMixture(2, init_params="random", random_state=0), None, "predict_proba"),
        (preprocessing.StandardScaler(), None, "transform"),
        (preprocessing.MinMaxScaler(), None, "transform"),
        (preprocessing.MaxAbsScaler(), None, "transform"),
        (preprocessing.Normalizer(), None, "transform"),
        (preprocessing.PolynomialFeatures(), None, "transform"),
        (
            pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(2)),
            None,
            "transform",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_estimator_computes_with_tensors(estimator: Any, target: Any, method: str) -> None:
    expected = getattr(estimator.fit(A, target), method)(A)
    tensor_target = None if target is None else torch.from_numpy(target)
    x = torch.from_numpy(A)
    got = getattr(estimator.fit(x, tensor_target), method)(x)
    assert isinstance(got, torch.Tensor)
    assert np.allclose(got.numpy(), expected, atol=1e-4)


@pytest.mark.parametrize(
    "metric", ["accuracy_score", "f1_score", "recall_score", "confusion_matrix", "jaccard_score"]
)
def test_a_metric_of_classes_takes_tensors(metric: str) -> None:
    function = getattr(metrics, metric)
    got = function(torch.from_numpy(CLASS), torch.from_numpy(GUESS.astype("int64")))
    assert np.allclose(np.asarray(got), function(CLASS, GUESS.astype("int64")))


@pytest.mark.parametrize("metric", ["roc_auc_score", "average_precision_score", "log_loss"])
def test_a_metric_of_scores_takes_tensors(metric: str) -> None:
    function, scores = getattr(metrics, metric), 1 / (1 + np.exp(-A[:, 0]))
    got = function(torch.from_numpy(CLASS), torch.from_numpy(scores))
    assert float(got) == pytest.approx(function(CLASS, scores), rel=1e-4)


@pytest.mark.parametrize(
    "metric", ["mean_squared_error", "r2_score", "max_error", "median_absolute_error"]
)
def test_a_metric_of_numbers_takes_tensors(metric: str) -> None:
    function = getattr(metrics, metric)
    got = function(torch.from_numpy(TARGET), torch.from_numpy(TARGET + 0.1))
    assert np.allclose(got, function(TARGET, TARGET + 0.1), rtol=1e-4)


def test_splitting_keeps_tensors() -> None:
    parts = model_selection.train_test_split(torch.from_numpy(A), torch.from_numpy(CLASS))
    assert {type(part) for part in parts} == {torch.Tensor}


@pytest.mark.parametrize(
    "function",
    [
        stats.zscore,
        stats.skew,
        stats.kurtosis,
        special.logsumexp,
        special.softmax,
        special.erf,
        special.expit,
        special.ndtr,
        fft.fft,
        fft.dct,
        signal.detrend,
        signal.hilbert,
        integrate.trapezoid,
    ],
    ids=lambda function: function.__name__,
)
def test_a_function_of_scipy_gives_tensors(function: Callable[..., Any]) -> None:
    got = function(torch.from_numpy(V))
    assert isinstance(got, torch.Tensor)
    assert np.allclose(got.numpy(), function(V))


@pytest.mark.parametrize(
    "function",
    [
        lambda v, w: stats.ttest_ind(v, w).pvalue,
        lambda v, w: stats.pearsonr(v, w).statistic,
        lambda v, w: signal.convolve(v, w),
        lambda v, w: signal.lfilter(v[:3], w[:3], v),
        lambda v, w: ndimage.gaussian_filter(v, 1.0),
        lambda v, w: distance.cdist(v.reshape(-1, 2), w.reshape(-1, 2)),
    ],
)
def test_a_function_of_scipy_takes_two_tensors(function: Callable[..., Any]) -> None:
    got = function(torch.from_numpy(V), torch.from_numpy(W))
    assert np.allclose(np.asarray(got), function(V, W))
