# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The functions behave like functions written in Python: they can be pickled, copied, inspected and weakly referenced."""

import copy
import functools
import gc
import inspect
import multiprocessing
import pickle
import pydoc
import subprocess
import sys
import weakref

import detops
import numpy as np
import pytest
import random_inputs

FUNCTIONS = sorted(name for name in dir(detops) if not name.startswith("_") and callable(getattr(detops, name)))


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return getattr(detops, request.param)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_by_name(function, protocol):
    pickled = pickle.dumps(function, protocol)
    assert pickle.loads(pickled) is function
    assert len(pickled) < 80
    assert b"_detops" not in pickled


def test_copies_are_the_function_itself(function):
    assert copy.copy(function) is function
    assert copy.deepcopy(function) is function
    assert copy.deepcopy({"function": [function]}) == {"function": [function]}


def test_names(function):
    assert getattr(detops, function.__name__) is function
    assert function.__qualname__ == function.__name__
    assert function.__module__ == "detops"
    assert repr(function) == f"<function detops.{function.__name__}>"


def test_documentation(function):
    """The docstring starts with a sentence; `help` shows the signature first."""
    assert function.__doc__.split("\n")[0].endswith(".")
    assert inspect.isroutine(function)
    text = pydoc.plain(pydoc.render_doc(function)).split("\n", 2)[2]
    # Since Python 3.13, long signatures are several lines.
    signature = f"{function.__name__}{inspect.signature(function)}"
    assert "".join(text.split()).startswith("".join(signature.split()))


def test_weak_references(function):
    assert weakref.ref(function)() is function
    assert function in weakref.WeakSet([function])


def test_attributes_can_be_set(function):
    function.note = "mine"
    assert function.note == "mine"
    del function.note


def test_a_function_in_a_class_is_not_bound():
    class Model:
        suppress = detops.nms

    assert Model().suppress is detops.nms


def test_wraps():
    @functools.wraps(detops.nms)
    def wrapper(*args, **kwargs):
        return detops.nms(*args, **kwargs)

    assert (wrapper.__name__, wrapper.__doc__) == ("nms", detops.nms.__doc__)
    assert inspect.signature(wrapper) == inspect.signature(detops.nms)


def test_signature_binds_like_a_call():
    signature = inspect.signature(detops.nms)
    bound = signature.bind([[0, 0, 1, 1]], [1], 0.5, offset=1)
    assert detops.nms(*bound.args, **bound.kwargs) == [0]
    with pytest.raises(TypeError):
        signature.bind([[0, 0, 1, 1]], [1], 0.5, 1)


SCENES = [random_inputs.rotated_rectangles(40, seed, scene=60.0) for seed in range(120, 124)]
THRESHOLD = 0.2


def expected_of_scenes():
    return [detops.poly_nms(scene, iou_threshold=THRESHOLD).tolist() for scene in SCENES]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method):
    """detops ran in this process before: with fork, the children inherit its state but not its threads."""
    expected = expected_of_scenes()
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(functools.partial(detops.poly_nms, iou_threshold=THRESHOLD), SCENES).get(timeout=120)
    assert [indices.tolist() for indices in found] == expected


def test_cloudpickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    assert cloudpickle.loads(cloudpickle.dumps(detops.nms)) is detops.nms
    threshold = 0.5
    pickled = cloudpickle.dumps(lambda boxes, scores: detops.nms(boxes, scores, threshold))
    assert len(pickled) < 2000
    assert cloudpickle.loads(pickled)([[0, 0, 1, 1]], [1]) == [0]


def test_joblib():
    joblib = pytest.importorskip("joblib")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(detops.poly_nms)(scene, THRESHOLD) for scene in SCENES)
    assert [indices.tolist() for indices in found] == expected_of_scenes()


def test_references_are_given_back(function):
    before = sys.getrefcount(function)
    for _ in range(10):
        pickle.loads(pickle.dumps(function))
        copy.deepcopy(function)
        inspect.signature(function)
        repr(function)
    gc.collect()
    assert sys.getrefcount(function) == before


def test_nothing_is_printed_at_the_end():
    """nanobind reports functions that are still referenced when the interpreter ends."""
    program = "import detops, inspect, pickle; detops.nms.me = detops.nms; inspect.signature(pickle.loads(pickle.dumps(detops.nms)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == run.stderr == ""


def test_keywords_and_positions_reach_the_function():
    boxes, scores = np.array([[0, 0, 2, 2], [0, 0, 2, 2]], np.float32), [1, 2]
    np.testing.assert_array_equal(detops.nms(boxes, scores, 0.5), [1])
    np.testing.assert_array_equal(detops.nms(iou_threshold=0.5, scores=scores, boxes=boxes), [1])
    np.testing.assert_array_equal(detops.nms(*[boxes, scores], **{"iou_threshold": 1, "sort_by_score": False}), [0, 1])
    with pytest.raises(TypeError, match="nms"):
        detops.nms(boxes)
