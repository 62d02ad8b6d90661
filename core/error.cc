// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "detops/error.hpp"

namespace detops {

Error::Error(mluOpStatus_t status, const std::string& message)
    : std::runtime_error(message), status_(status) {}

Error::~Error() =
    default;  // the key function: the vtable and type information are emitted only here

}  // namespace detops
