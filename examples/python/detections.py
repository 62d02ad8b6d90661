# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Suppresses duplicate detections of each class, then matches the rest with the ground truth."""

import detops
import numpy as np

random = np.random.default_rng(7)
truth = random.uniform(0, 900, (20, 2)).astype(np.float32)
truth = np.hstack([truth, truth + random.uniform(20, 100, (20, 2)).astype(np.float32)])
classes = random.integers(0, 3, 20)

# Simulate a detector that finds every object 15 times, with small errors.
which = np.repeat(np.arange(20), 15)
boxes = truth[which] + random.normal(0, 2, (300, 4)).astype(np.float32)
scores = random.uniform(0.5, 1, 300).astype(np.float32)

keep = detops.nms(boxes, scores, 0.5, groups=classes[which])
ious, objects = detops.bbox_overlaps_row_maximum(boxes[keep], truth)
found = len(set(objects[ious > 0.5]))
print(f"kept {len(keep)} of {len(boxes)} boxes, found {found} of {len(truth)} objects")
assert found == len(truth)
