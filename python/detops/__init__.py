# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Pre- and post-processing operators of object detectors for any CPU: overlaps, NMS, proposals and RoI pooling."""

from ._detops import *  # noqa: F403
from ._detops import __version__ as __version__
