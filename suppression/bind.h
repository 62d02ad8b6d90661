// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The arguments and results that all suppressing Python functions share.

#ifndef DETOPS_SUPPRESSION_BIND_H_
#define DETOPS_SUPPRESSION_BIND_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "detops/nms.hpp"
#include "python/arrays.h"

namespace detops::suppression {

// Holds the arrays `groups` and `image_counts` while the options point to them. None means that the
// argument is left out.
class PythonGrouping {
 public:
  PythonGrouping(nanobind::handle groups, nanobind::handle image_counts,
                 SuppressionOptions& options) {
    if (!groups.is_none()) {
      options.groups = groups_.emplace("groups", groups).Integers();
    }
    if (!image_counts.is_none()) {
      options.image_counts = image_counts_.emplace("image_counts", image_counts).Integers();
    }
  }

  // Null if left out.
  const python::Input* groups() const { return groups_ ? &*groups_ : nullptr; }
  const python::Input* image_counts() const { return image_counts_ ? &*image_counts_ : nullptr; }

 private:
  std::optional<python::Input> groups_;
  std::optional<python::Input> image_counts_;
};

// Returns the indices, or a tuple of indices and counts, as arrays of the kind of the inputs.
inline nanobind::object ToPython(const SuppressionResult& result, bool return_counts,
                                 std::initializer_list<const python::Input*> inputs) {
  const auto size = [](const auto& values) { return static_cast<int64_t>(values.size()); };
  nanobind::object indices = python::ToArray(result.indices, {size(result.indices)}, inputs);
  if (!return_counts) {
    return indices;
  }
  return nanobind::make_tuple(indices,
                              python::ToArray(result.counts, {size(result.counts)}, inputs));
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_BIND_H_
