# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

"""Calls in forked children, as multiprocessing and data loaders make them."""

import multiprocessing
import os
import random
import signal
import threading
import time

import detops
import numpy as np
import pytest
import random_inputs

FORKS = 1000
PATIENCE = 60  # seconds for one child, which needs milliseconds

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")


def _call():
    """Makes a call that is large enough for several threads."""
    boxes = random_inputs.boxes(600, 1, scene=500.0)
    return detops.bbox_overlaps(boxes, boxes)


def _child_is_right(expected):
    """Returns whether a forked child computes the expected result. A child that hangs is ended by its alarm."""
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        os._exit(0 if np.array_equal(_call(), expected) else 1)
    _, status = os.waitpid(child, 0)
    return status == 0


def _fork_many_times():
    detops.set_num_threads(2)
    expected = _call()
    generator = random.Random(5)
    end = time.monotonic() + float(os.environ.get("DETOPS_SOAK_SECONDS", 0))
    forks = 0
    while forks < FORKS or time.monotonic() < end:
        _call()
        time.sleep(generator.uniform(0, 1e-4))
        assert _child_is_right(expected), f"fork {forks}"
        forks += 1
    detops.set_num_threads(0)


def test_children_of_an_idle_process():
    _fork_many_times()


def test_children_while_other_threads_compute():
    stop = threading.Event()

    def compute():
        while not stop.is_set():
            _call()

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        _fork_many_times()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _sum_of_call(seed):
    return float(_call().sum()) + seed


def test_pools_of_processes():
    expected = _sum_of_call(0)
    context = multiprocessing.get_context("fork")
    for _ in range(5):
        with context.Pool(2) as pool:
            assert pool.map(_sum_of_call, range(4)) == [expected + seed for seed in range(4)]
