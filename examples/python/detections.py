# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""From a detector's boxes to an evaluation: suppress each class on its own, then match with the truth."""

import detops
import numpy as np

random = np.random.default_rng(7)
truth = random.uniform(0, 900, (20, 2)).astype(np.float32)
truth = np.hstack([truth, truth + random.uniform(20, 100, (20, 2)).astype(np.float32)])
classes = random.integers(0, 3, 20)

# A detector finds every object several times, and not exactly.
which = np.repeat(np.arange(20), 15)
boxes = truth[which] + random.normal(0, 2, (300, 4)).astype(np.float32)
scores = random.uniform(0.5, 1, 300).astype(np.float32)

keep = detops.nms(boxes, scores, 0.5, groups=classes[which])
ious, objects = detops.bbox_overlaps_row_maximum(boxes[keep], truth)
found = len(set(objects[ious > 0.5]))
print(f"kept {len(keep)} of {len(boxes)} boxes, found {found} of {len(truth)} objects")
assert found == len(truth)
