# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Random detections like those of networks; the same seed gives the same data."""

import numpy as np


def boxes(count, seed, scene=100.0):
    """float32 [count, 4] with x1 < x2 and y1 < y2."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, scene, (count, 2))
    sides = rng.uniform(scene / 20, scene / 3, (count, 2))
    return np.hstack([corners, corners + sides]).astype(np.float32)


def scores(count, seed):
    """float32 [count], without duplicates."""
    return (np.random.default_rng(seed).permutation(count) / max(count, 1)).astype(np.float32)


def rotated_rectangles(count, seed, scene=100.0):
    """float32 [count, 9]: corners, half of them clockwise, and scores without duplicates."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(0, scene, (count, 1, 2))
    half = rng.uniform(scene / 40, scene / 8, (count, 1, 2))
    angle = rng.uniform(0, np.pi, count)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).transpose(2, 0, 1)
    corners = np.einsum("nij,nkj->nki", rotation, corners) + centers
    corners[::2] = corners[::2, ::-1]
    return np.hstack([corners.reshape(count, 8), scores(count, seed + 1)[:, None]]).astype(np.float32)


def regions(count, images, seed, width, height):
    """float32 [count, 5]: image, x1, y1, x2, y2, some partly outside the feature map."""
    rng = np.random.default_rng(seed)
    x1 = rng.uniform(-width / 8, width, count)
    y1 = rng.uniform(-height / 8, height, count)
    sides = rng.uniform(0, 0.5, (count, 2)) * (width, height)
    image = rng.integers(0, images, count)
    return np.stack([image, x1, y1, x1 + sides[:, 0], y1 + sides[:, 1]], 1).astype(np.float32)


def network_output(images, height, width, anchors, seed, stride=8.0):
    """Scores, deltas, image sizes, anchors and variances for generate_proposals, channels last."""
    rng = np.random.default_rng(seed)
    shape = (images, height, width, anchors)
    all_scores = np.stack([scores(height * width * anchors, seed + i) for i in range(images)]).reshape(shape)
    deltas = rng.normal(0, 0.3, shape[:3] + (4 * anchors,)).astype(np.float32)
    sizes = np.array([[height * stride, width * stride - 3 * i] for i in range(images)], np.float32)
    centers = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij")[::-1], -1)[:, :, None] * stride
    half = rng.uniform(stride / 2, 3 * stride, (1, 1, anchors, 2))
    boxes_ = np.concatenate([centers - half, centers + half], -1).astype(np.float32)
    variances = rng.uniform(0.1, 0.3, boxes_.shape).astype(np.float32)
    return all_scores, deltas, sizes, boxes_, variances
