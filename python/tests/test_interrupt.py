# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

"""Ctrl-C during a long call."""

import signal
import threading
import time

import detops
import numpy as np
import pytest


def _long_call():
    """Takes many seconds: the overlaps of half a million boxes with all others, without a matrix."""
    boxes = np.tile(np.array([[0, 0, 10, 10]], np.float32), (500_000, 1))
    detops.bbox_overlaps_row_maximum(boxes, boxes)


def _interrupt_after(seconds):
    thread = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    thread.start()
    return thread


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_long_call(threads):
    detops.set_num_threads(threads)
    timer = _interrupt_after(0.3)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        _long_call()
    assert time.monotonic() - begin < 10
    timer.join()
    boxes = np.array([[0, 0, 10, 10]], np.float32)
    assert detops.bbox_overlaps(boxes, boxes) == 1  # the next call works
    detops.set_num_threads(0)


def test_the_exception_of_a_handler_is_raised():
    class Stop(Exception):
        pass

    def handler(number, frame):
        raise Stop("from the handler")

    before = signal.signal(signal.SIGINT, handler)
    try:
        timer = _interrupt_after(0.3)
        with pytest.raises(Stop, match="from the handler"):
            _long_call()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_that_returns_does_not_end_the_call():
    calls = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        timer = _interrupt_after(0.15)
        boxes = np.tile(np.array([[0, 0, 10, 10]], np.float32), (40_000, 1))
        values, indices = detops.bbox_overlaps_row_maximum(boxes, boxes)
        timer.join()
        assert (values == 1).all() and (indices == 0).all()
        assert calls == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
