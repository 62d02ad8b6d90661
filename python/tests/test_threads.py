# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import concurrent.futures
import hashlib
import os
import subprocess
import sys
import threading
import time

import detops
import numpy as np
import pytest
import random_inputs
from operations import OPERATIONS


def test_number_of_threads():
    for threads in (1, 2, 5):
        detops.set_num_threads(threads)
        assert detops.get_num_threads() == threads
        assert detops.info()["threads"] == threads
    detops.set_num_threads(0)
    assert detops.get_num_threads() >= 1


def test_number_of_threads_counts_in_every_thread():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(detops.bbox_overlaps, [[0, 0, 1, 1]], [[0, 0, 1, 1]]).result()
        for threads in (1, 2):
            detops.set_num_threads(threads)
            assert pool.submit(detops.get_num_threads).result() == threads
        pool.submit(detops.set_num_threads, 1).result()
        assert detops.get_num_threads() == 1


def _large_calls():
    """Returns calls that are each large enough to be split among threads."""
    boxes, scores = random_inputs.boxes(6000, 90, scene=1500.0), random_inputs.scores(6000, 91)
    dets = random_inputs.rotated_rectangles(3000, 92, scene=1000.0)
    features = np.random.default_rng(93).normal(size=(2, 40, 40, 64)).astype(np.float32)
    border_boxes = np.stack([random_inputs.boxes(200, seed, scene=30.0) for seed in (94, 95)])
    rois = random_inputs.regions(400, 2, 96, 40, 40)
    output = random_inputs.network_output(2, 50, 60, 3, seed=97)
    return {
        "bbox_overlaps": lambda: detops.bbox_overlaps(boxes, boxes[:500]),
        "bbox_overlaps half": lambda: detops.bbox_overlaps(boxes.astype(np.float16), boxes[:500].astype(np.float16)),
        "row maximum": lambda: detops.bbox_overlaps_row_maximum(boxes, boxes[:500]),
        "pairs": lambda: detops.bbox_overlaps_pairs(boxes, boxes[:500], 0.4),
        "nms": lambda: detops.nms(boxes, scores, 0.4),
        "poly_nms": lambda: detops.poly_nms(dets, 0.2),
        "polygon_iou": lambda: detops.polygon_iou(dets[:300], dets[:300]),
        "generate_proposals": lambda: detops.generate_proposals(*output),
        "border_align": lambda: detops.border_align(features, border_boxes, 10, return_argmax=True),
        "psroi_pool": lambda: detops.psroi_pool(features, rois, 2, return_mapping=True),
    }


LARGE_CALLS = _large_calls()


def bits(result):
    return [part.tobytes() for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("call", LARGE_CALLS.values(), ids=LARGE_CALLS.keys())
def test_bits_do_not_depend_on_the_number_of_threads(call):
    detops.set_num_threads(1)
    expected = bits(call())
    for threads in (2, 3, 0):
        detops.set_num_threads(threads)
        assert bits(call()) == expected


def test_four_threads_get_right_answers():
    calls = list(LARGE_CALLS.values())
    expected = [bits(call()) for call in calls]
    start = threading.Barrier(4)

    def work(number):
        start.wait()
        wrong = 0
        for i in range(2 * len(calls)):
            chosen = (i + 3 * number) % len(calls)
            wrong += bits(calls[chosen]()) != expected[chosen]
        return wrong

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [0] * 4


def test_many_small_calls_of_four_threads():
    expected = [[part.copy() for part in operation(*operation.arrays)] for operation in OPERATIONS]

    def work(_):
        for _ in range(100):
            for operation, parts in zip(OPERATIONS, expected):
                for found, part in zip(operation(*operation.arrays), parts):
                    assert np.array_equal(found, part)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_threads_come_and_go():
    expected = detops.bbox_overlaps(*OPERATIONS[0].arrays)
    results = []
    for _ in range(50):
        thread = threading.Thread(target=lambda: results.append(detops.bbox_overlaps(*OPERATIONS[0].arrays)))
        thread.start()
        thread.join()
    assert len(results) == 50
    assert all(np.array_equal(result, expected) for result in results)


def test_errors_belong_to_the_thread_that_made_them():
    def work(number):
        for _ in range(200):
            with pytest.raises(ValueError, match=rf"bboxes1 has shape float\[{number},5\]"):
                detops.bbox_overlaps(np.zeros((number, 5), np.float32), np.zeros((1, 4), np.float32))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(1, 5)))


# Daemon threads are inside calls while the interpreter shuts down, and its atexit functions make calls, too.
ENDING_PROGRAM = """
import atexit, sys, threading
import detops, numpy as np

boxes = np.ones((int(sys.argv[1]), 4), np.float32)
entered = threading.Event()

def call_for_ever():
    while True:
        detops.bbox_overlaps(boxes, boxes)
        entered.set()

atexit.register(detops.bbox_overlaps, boxes, boxes)
for _ in range(8):
    threading.Thread(target=call_for_ever, daemon=True).start()
entered.wait()
"""


# With short calls, most threads wait for the GIL at shutdown; with long calls, most are inside the operator.
@pytest.mark.parametrize("boxes", [20, 2000])
def test_the_interpreter_may_end_during_calls(boxes):
    for _ in range(3):
        command = [sys.executable, "-c", ENDING_PROGRAM, str(boxes)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (result.returncode, result.stderr) == (0, "")


LONG_CALL_SECONDS = 0.06


def _growing_calls():
    """Returns calls by size: the test doubles the size until a call takes long enough."""

    def row_maximum(n):
        boxes = random_inputs.boxes(10000 * n, 100)
        return lambda: detops.bbox_overlaps_row_maximum(boxes, boxes[:5000])

    def suppression(n):
        boxes, scores = random_inputs.boxes(20000 * n, 101, 300.0 * n), random_inputs.scores(20000 * n, 102)
        return lambda: detops.nms(boxes, scores, 0.9)

    def polygons(n):
        dets = random_inputs.rotated_rectangles(400 * n, 103)
        return lambda: detops.polygon_iou(dets, dets)

    def polygon_suppression(n):
        dets = random_inputs.rotated_rectangles(4000 * n, 104)
        return lambda: detops.poly_nms(dets, 0.95)

    def proposals(n):
        output = random_inputs.network_output(n, 60, 60, 4, seed=105)
        return lambda: detops.generate_proposals(*output, pre_nms_top_n=0, post_nms_top_n=10000, nms_thresh=0.95)

    def borders(n):
        features = np.ones((1, 64, 64, 256), np.float32)
        boxes = random_inputs.boxes(500 * n, 106, 40.0)[None]
        return lambda: detops.border_align(features, boxes, 50)

    def pooling(n):
        features = np.ones((1, 100, 100, 64), np.float32)
        rois = random_inputs.regions(1000 * n, 1, 107, 100, 100)
        return lambda: detops.psroi_pool(features, rois, 2)

    return [row_maximum, suppression, polygons, polygon_suppression, proposals, borders, pooling]


@pytest.mark.parametrize("make", _growing_calls(), ids=lambda make: make.__name__)
def test_other_threads_run_during_a_long_call(make):
    detops.set_num_threads(1)
    size = 1
    while True:
        call = make(size)
        call()
        begin = time.perf_counter()
        call()
        if time.perf_counter() - begin > LONG_CALL_SECONDS:
            break
        size *= 2
    times = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            times.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    call()
    end = time.perf_counter()
    stop.set()
    thread.join()
    # The first and last tenth of a call may hold the GIL, to convert arguments and results.
    margin = (end - begin) / 10
    inside = sum(begin + margin < moment < end - margin for moment in times)
    assert inside >= 3, f"{inside} ticks in {end - begin:.3f} s"


def _cores_used(work, threads=4):
    """Returns CPU time divided by wall time of `threads` threads."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda _: None, range(threads)))
        cpu, wall = time.process_time(), time.perf_counter()
        list(pool.map(lambda _: work(), range(threads)))
        return (time.process_time() - cpu) / (time.perf_counter() - wall)


def test_threads_use_the_cores():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one core")
    detops.set_num_threads(1)
    boxes = random_inputs.boxes(2000, 108)

    def ours():
        out = np.empty((2000, 2000), np.float32)
        for _ in range(20):
            detops.bbox_overlaps(boxes, boxes, out=out)

    data = bytes(10**7)
    others = []
    for _ in range(6):
        if _cores_used(ours) > 1.15:
            return
        others.append(_cores_used(lambda: hashlib.sha256(data).digest()))
    if max(others) < 1.6:
        pytest.skip("the machine is too busy: others that release the lock do not get two cores either")
    pytest.fail("four threads did not use more than one core")
