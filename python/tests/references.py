# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Slow references of the operators in plain NumPy, written from the operator pages."""

import numpy as np

_F32 = np.float32


def _areas(boxes, offset):
    return (boxes[..., 2] - boxes[..., 0] + offset) * (boxes[..., 3] - boxes[..., 1] + offset)


def overlaps(bboxes1, bboxes2, mode="iou", aligned=False, offset=0):
    """Returns the same bits as bbox_overlaps: float32 operations in the documented order."""
    first = np.asarray(bboxes1, _F32).reshape(-1, 4)
    second = np.asarray(bboxes2, _F32).reshape(-1, 4)
    if not aligned:
        first, second = first[:, None], second[None]
    offset = _F32(offset)
    with np.errstate(all="ignore"):
        low = np.maximum(first[..., :2], second[..., :2])
        high = np.minimum(first[..., 2:], second[..., 2:])
        sides = np.maximum(high - low + offset, _F32(0))
        inter = sides[..., 0] * sides[..., 1]
        area1 = np.broadcast_to(_areas(first, offset), inter.shape)
        base = area1 + _areas(second, offset) - inter if mode == "iou" else area1
        result = inter / np.maximum(base, offset)
    result = np.where(np.isnan(result), _F32(0), result)
    has_nan = np.isnan(first).any(-1) | np.isnan(second).any(-1)
    return np.where(has_nan, _F32(np.nan), result).astype(_F32)


def _deciding_iou(a, b, offset):
    """Computes in double from float boxes and rounds once."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return _F32(0)
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]) + offset
    if (sides <= 0).any():
        return _F32(0)
    inter = sides[0] * sides[1]
    return _F32(inter / (_areas(a, offset) + _areas(b, offset) - inter))


def by_score(scores):
    """Returns indices by descending score: NaN first, ties by index."""
    return sorted(range(len(scores)), key=lambda i: (0, 0.0) if np.isnan(scores[i]) else (1, -float(scores[i])))


def greedy(order, suppresses, groups=None):
    kept = []
    for i in order:
        if not any((groups is None or groups[k] == groups[i]) and suppresses(k, i) for k in kept):
            kept.append(i)
    return kept


def nms(boxes, scores, iou_threshold, offset=0, groups=None):
    """Returns the indices of the kept boxes, by descending score."""
    boxes = np.asarray(boxes, _F32)
    threshold = _F32(iou_threshold)
    return greedy(by_score(scores), lambda k, i: _deciding_iou(boxes[k], boxes[i], offset) > threshold, groups)


def _polygon_area(points):
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def _clip(subject, start, end):
    """Clips a polygon to the left side of the line from start to end."""
    direction = end - start
    side = [direction[0] * (p[1] - start[1]) - direction[1] * (p[0] - start[0]) for p in subject]
    result = []
    for i, point in enumerate(subject):
        j = (i + 1) % len(subject)
        if side[i] >= 0:
            result.append(point)
        if (side[i] > 0 > side[j]) or (side[i] < 0 < side[j]):
            result.append(point + (subject[j] - point) * (side[i] / (side[i] - side[j])))
    return result


def convex_iou(a, b):
    """Returns the IoU of two convex quadrilaterals of any orientation, by clipping one to the other."""
    quads = []
    for numbers in (a, b):
        quad = np.asarray(numbers, np.float64)[:8].reshape(4, 2)
        quads.append(quad if _polygon_area(quad) >= 0 else quad[::-1])
    part = list(quads[0])
    for i in range(4):
        part = _clip(part, quads[1][i], quads[1][(i + 1) % 4])
        if len(part) < 3:
            return 0.0
    inter = _polygon_area(np.array(part))
    return inter / (_polygon_area(quads[0]) + _polygon_area(quads[1]) - inter)


def poly_nms(dets, iou_threshold, groups=None):
    """Returns the indices of the kept convex quadrilaterals, ascending."""
    dets = np.asarray(dets, _F32)
    threshold = _F32(iou_threshold)
    kept = greedy(by_score(dets[:, 8]), lambda k, i: _F32(convex_iou(dets[k], dets[i])) > threshold, groups)
    return sorted(kept)


def _round_half_away(x):
    whole = np.floor(np.abs(x))
    return _F32(np.copysign(whole + (np.abs(x) - whole >= 0.5), x))


def _bin(first, last, p, bins, scale, size, rounding):
    bins, scale = _F32(bins), _F32(scale)
    if rounding == "before_scaling":
        start = _round_half_away(first) * scale
        stop = (_round_half_away(last) + _F32(1)) * scale
        width = max(stop - start, _F32(0.1)) / bins
        begin, end = np.floor(_F32(p) * width + start), np.ceil(_F32(p + 1) * width + start)
        map_end = size
    else:
        start, stop = _round_half_away(first * scale), _round_half_away(last * scale)
        width = max(stop - start, _F32(1)) / bins
        begin, end = np.floor(_F32(p) * width) + start, np.ceil(_F32(p + 1) * width) + start
        map_end = size - 1
    return int(np.clip(begin, 0, map_end)), int(np.clip(end, 0, map_end))


def psroi_pool(features, rois, group, scale=1.0, rounding="before_scaling"):
    """Returns means and channels, both [R, G, G, D]; features [N, H, W, G * G * D], rois finite."""
    features, rois = np.asarray(features, _F32), np.asarray(rois, _F32)
    _, height, width, channels = features.shape
    dim = channels // (group * group)
    means = np.zeros((len(rois), group, group, dim), _F32)
    mapping = np.zeros(means.shape, np.int32)
    for r, (image, x1, y1, x2, y2) in enumerate(rois):
        for ph, pw in np.ndindex(group, group):
            top, bottom = _bin(y1, y2, ph, group, scale, height, rounding)
            left, right = _bin(x1, x2, pw, group, scale, width, rounding)
            chosen = (np.arange(dim) * group + ph) * group + pw
            mapping[r, ph, pw] = chosen
            if bottom > top and right > left:
                pixels = features[int(image), top:bottom, left:right][..., chosen].astype(np.float64)
                means[r, ph, pw] = pixels.mean(axis=(0, 1))
    return means, mapping


def _neighbors(position, size):
    inside = position if position > 0 else _F32(0)
    low = int(inside)
    if low >= size - 1:
        return size - 1, size - 1, _F32(0)
    return low, low + 1, inside - _F32(low)


def _sample(image, x, y):
    """Samples all channels of image [H, W, C] at a point."""
    height, width, channels = image.shape
    if not (np.isfinite(x) and np.isfinite(y) and -1 <= y <= height and -1 <= x <= width):
        return np.zeros(channels, _F32)
    x0, x1, lx = _neighbors(x, width)
    y0, y1, ly = _neighbors(y, height)
    hx, hy = _F32(1) - lx, _F32(1) - ly
    return (hy * hx) * image[y0, x0] + (hy * lx) * image[y0, x1] + (ly * hx) * image[y1, x0] + (ly * lx) * image[y1, x1]


def border_align(features, boxes, pool_size):
    """Returns values and sample numbers, both [N, K, 4, C]; features [N, H, W, 4C]."""
    features, boxes = np.asarray(features, _F32), np.asarray(boxes, _F32)
    images, count = boxes.shape[:2]
    channels = features.shape[3] // 4
    values = np.zeros((images, count, 4, channels), _F32)
    samples = np.zeros(values.shape, np.int32)
    for n, k, border in np.ndindex(images, count, 4):
        x1, y1, x2, y2 = boxes[n, k]
        x_step, y_step = (x2 - x1) / _F32(pool_size), (y2 - y1) / _F32(pool_size)
        step = [(x_step, 0), (0, y_step), (-x_step, 0), (0, -y_step)][border]
        x, y = (x1, y1) if border < 2 else (x2, y2)
        part = features[n, :, :, border * channels : (border + 1) * channels]
        best, number = _sample(part, x, y), np.zeros(channels, np.int32)
        for i in range(1, pool_size + 1):
            x, y = x + _F32(step[0]), y + _F32(step[1])
            sample = _sample(part, x, y)
            greater = sample > best
            best, number = np.where(greater, sample, best), np.where(greater, np.int32(i), number)
        values[n, k, border], samples[n, k, border] = best, number
    return values, samples


def decode_proposals(deltas, image_size, anchors, variances, offset=0):
    """Returns boxes [count, 4] clipped to the image. Inputs are of one image, one row per anchor."""
    deltas, anchors = np.asarray(deltas, _F32), np.asarray(anchors, _F32)
    variances = np.ones_like(anchors) if variances is None else np.asarray(variances, _F32)
    offset = _F32(offset)
    sides = anchors[:, 2:] - anchors[:, :2] + offset
    centers = anchors[:, :2] + _F32(0.5) * sides + deltas[:, :2] * sides * variances[:, :2]
    growth = np.minimum(deltas[:, 2:] * variances[:, 2:], _F32(np.log(1000 / 16)))
    sides = np.exp(growth.astype(np.float64)).astype(_F32) * sides
    corners = np.hstack([centers - sides * _F32(0.5), centers + sides * _F32(0.5) - offset])
    height, width = (_F32(x) for x in image_size)
    return np.maximum(np.minimum(corners, np.array([width, height, width, height]) - offset), _F32(0))


def generate_proposals(scores, deltas, image_size, anchors, variances, pre, post, thresh, min_size, pixel_offset):
    """Returns boxes, scores and anchor indices of the proposals of one image, from flat inputs."""
    order = by_score(scores)[: pre if 0 < pre < len(scores) else len(scores)]
    offset = 1 if pixel_offset else 0
    boxes = decode_proposals(deltas, image_size, anchors, variances, offset)
    least = max(min_size, 1.0)

    def is_wanted(i):
        width, height = boxes[i, 2] - boxes[i, 0] + offset, boxes[i, 3] - boxes[i, 1] + offset
        center_outside = boxes[i, 0] + width / 2 > image_size[1] or boxes[i, 1] + height / 2 > image_size[0]
        return width >= least and height >= least and not (pixel_offset and center_outside)

    candidates = [i for i in order if is_wanted(i)]
    kept = greedy(candidates, lambda k, i: _deciding_iou(boxes[k], boxes[i], offset) > _F32(thresh))[:post]
    if not kept:
        return np.zeros((1, 4), _F32), np.zeros(1, _F32), [-1]
    return boxes[kept], np.asarray(scores, _F32)[kept], kept
