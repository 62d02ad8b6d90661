# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The operators that object detectors run around their networks, on any CPU."""

from ._detops import *  # noqa: F403
from ._detops import __version__ as __version__
