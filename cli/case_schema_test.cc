// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_schema.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "cli/adapter.h"

namespace detops::cli {
namespace {

TEST(CaseSchema, HasTheParametersOfEveryOperator) {
  const CaseSchema schema;
  const auto node = schema.NewNode();
  for (size_t i = 0; i < Operators().size(); ++i) {
    const Description& description = AdapterOf(i).description();
    const auto* const field = FieldOf(*node, description.parameters_name);
    EXPECT_EQ(field->number(), description.parameters_field);
    EXPECT_EQ(field->message_type()->field_count(),
              static_cast<int>(description.parameters.size()));
    for (const Parameter& parameter : description.parameters) {
      EXPECT_EQ(field->message_type()->FindFieldByName(parameter.name)->number(), parameter.field);
    }
  }
}

TEST(CaseSchema, EveryOperatorHasANameInCaseFiles) {
  for (size_t i = 0; i < Operators().size(); ++i) {
    EXPECT_EQ(&FindCaseAdapter(AdapterOf(i).case_name()), &AdapterOf(i));
    EXPECT_EQ(&FindAdapter(AdapterOf(i).name()), &AdapterOf(i));
  }
}

TEST(CaseSchema, NumbersHaveTheNamesOfTheirMeanings) {
  const CaseSchema schema;
  const auto node = schema.NewNode();
  const auto* const tensor = FieldOf(*node, "input")->message_type();
  const auto* const layouts = tensor->FindFieldByName("layout")->enum_type();
  ASSERT_EQ(layouts->value_count(), static_cast<int>(std::size(kLayoutNumbers)));
  for (const auto& entry : kLayoutNumbers) {
    EXPECT_EQ(layouts->FindValueByNumber(entry.number)->name(),
              "LAYOUT_" + std::string(*LayoutName(entry.meaning)));
  }
  const auto* const types = tensor->FindFieldByName("dtype")->enum_type();
  ASSERT_EQ(types->value_count(), static_cast<int>(std::size(kDataTypeNumbers)));
  EXPECT_EQ(types->FindValueByNumber(*NumberOf(kDataTypeNumbers, MLUOP_DTYPE_INT64))->name(),
            "DTYPE_INT64");
  EXPECT_EQ(types->FindValueByNumber(*NumberOf(kDataTypeNumbers, MLUOP_DTYPE_HALF))->name(),
            "DTYPE_HALF");
  EXPECT_FALSE(NumberOf(kDataTypeNumbers, MLUOP_DTYPE_INVALID).has_value());
}

}  // namespace
}  // namespace detops::cli
