// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_criteria.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "cli/case_fields.h"
#include "cli/case_schema.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// The message that lists the measures of a case, with the names of its fields.
struct Source {
  const pb::Message* message;
  const char* criteria;
  const char* thresholds;

  int count() const { return CountOf(*message, criteria); }
};

// Returns the Node itself, or its test_param when only that has criteria.
Source SourceOf(const pb::Message& node) {
  if (CountOf(node, "evaluation_criterion") == 0 && CountOf(node, "evaluation_threshold") == 0 &&
      Has(node, "test_param")) {
    return {&MessageIn(node, "test_param"), "error_func", "error_threshold"};
  }
  return {&node, "evaluation_criterion", "evaluation_threshold"};
}

// Pairs the source's criteria with the thresholds in a message, which has as many.
std::vector<Criterion> Paired(const Source& source, const pb::Message& message, const char* name) {
  const pb::FieldDescriptor* const field = FieldOf(message, name);
  const pb::FieldDescriptor* const criteria = FieldOf(*source.message, source.criteria);
  std::vector<Criterion> paired;
  for (int i = 0; i < source.count(); ++i) {
    const double threshold = message.GetReflection()->GetRepeatedDouble(message, field, i);
    if (!(threshold >= 0)) {
      throw UserError(fmt::format("{}[{}] is {}; it must be 0 or more", name, i, threshold));
    }
    const std::optional<Measure> measure = MeaningOf(
        kMeasureNumbers,
        source.message->GetReflection()->GetRepeatedEnumValue(*source.message, criteria, i));
    if (measure) {
      paired.push_back({*measure, threshold});
    }
  }
  return paired;
}

// Returns nothing when the output has no thresholds of its own.
std::vector<Criterion> OwnCriteria(const Source& source, const pb::Message& output) {
  constexpr const char* kName = "evaluation_threshold";
  if (!Has(output, "thresholds")) {
    return {};
  }
  const pb::Message& thresholds = MessageIn(output, "thresholds");
  const int count = CountOf(thresholds, kName);
  if (count != source.count()) {
    throw UserError(
        fmt::format("has {} {} of its own; there must be {}, one for each {} of the case", count,
                    kName, source.count(), source.criteria));
  }
  return Paired(source, thresholds, kName);
}

std::vector<Criterion> OwnCriteriaAt(int index, const Source& source, const pb::Message& node) {
  const pb::Message& output =
      node.GetReflection()->GetRepeatedMessage(node, FieldOf(node, "output"), index);
  try {
    return OwnCriteria(source, output);
  } catch (const UserError& error) {
    throw UserError(fmt::format("output {} '{}': {}", index, TextIn(output, "id"), error.what()));
  }
}

bool AnyOutputHasThresholds(const pb::Message& node) {
  for (int i = 0; i < CountOf(node, "output"); ++i) {
    if (Has(node.GetReflection()->GetRepeatedMessage(node, FieldOf(node, "output"), i),
            "thresholds")) {
      return true;
    }
  }
  return false;
}

std::vector<Measure> MeasuresOf(const std::vector<Criterion>& criteria) {
  std::vector<Measure> measures;
  measures.reserve(criteria.size());
  for (const Criterion& criterion : criteria) {
    measures.push_back(criterion.measure);
  }
  return measures;
}

// Returns the measures that all lists of criteria have, those of the case and of its outputs.
std::vector<Measure> CommonMeasures(const Case& input) {
  std::vector<Measure> common = MeasuresOf(input.criteria);
  for (const Tensor& output : input.outputs) {
    std::vector<Measure> own = MeasuresOf(output.criteria);
    if (common.empty()) {
      common = std::move(own);
    } else if (!own.empty() && own != common) {
      throw UserError(fmt::format(
          "{}: its outputs have different measures, which case files cannot express", input.name));
    }
  }
  return common;
}

void AddThresholds(const std::vector<Criterion>& criteria, pb::Message& message) {
  for (const Criterion& criterion : criteria) {
    message.GetReflection()->AddDouble(&message, FieldOf(message, "evaluation_threshold"),
                                       criterion.threshold);
  }
}

}  // namespace

FileCriteria ReadCriteria(const pb::Message& node) {
  const Source source = SourceOf(node);
  const int count = CountOf(*source.message, source.thresholds);
  FileCriteria read;
  if (count == source.count()) {
    read.of_case = Paired(source, *source.message, source.thresholds);
  } else if (count != 0 || !AnyOutputHasThresholds(node)) {
    throw UserError(fmt::format("has {} {} and {} {}; there must be one threshold per criterion",
                                source.count(), source.criteria, count, source.thresholds));
  }
  for (int i = 0; i < CountOf(node, "output"); ++i) {
    read.of_outputs.push_back(OwnCriteriaAt(i, source, node));
  }
  return read;
}

void WriteCriteria(const Case& input, pb::Message& node) {
  const pb::Reflection& reflection = *node.GetReflection();
  for (const Measure measure : CommonMeasures(input)) {
    const std::optional<int> number = NumberOf(kMeasureNumbers, measure);
    reflection.AddEnumValue(&node, FieldOf(node, "evaluation_criterion"), number.value());
  }
  AddThresholds(input.criteria, node);
  for (size_t i = 0; i < input.outputs.size(); ++i) {
    if (!input.outputs[i].criteria.empty()) {
      pb::Message& output =
          *reflection.MutableRepeatedMessage(&node, FieldOf(node, "output"), static_cast<int>(i));
      AddThresholds(input.outputs[i].criteria, *output.GetReflection()->MutableMessage(
                                                   &output, FieldOf(output, "thresholds")));
    }
  }
}

}  // namespace detops::cli
