# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import detops
import pytest


@pytest.fixture(autouse=True)
def same_thread_count_afterwards():
    """Restores the number of threads after each test."""
    before = detops.get_num_threads()
    yield
    detops.set_num_threads(before)
