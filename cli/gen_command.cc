// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops gen`: generates case files.

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/case_file.h"
#include "cli/commands.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/suite.h"
#include "core/operators.h"

namespace detops::cli {
namespace {

struct GenOptions {
  std::vector<std::string> shapes;
  std::string dtype = "float";
  std::vector<std::string> distributions;
  int32_t seed = 1;
  bool suite = false;
  bool binary = false;
  std::string output;
  std::vector<double> parameters;

  CaseFormat format() const { return binary ? CaseFormat::kBinary : CaseFormat::kText; }
};

// Returns the format of a single file, by its ending, else by --binary.
CaseFormat FormatOfFile(const GenOptions& options) {
  const std::filesystem::path ending = std::filesystem::path(options.output).extension();
  if (options.binary && ending == EndingOf(CaseFormat::kText)) {
    throw UserError(fmt::format("{}: with --binary the name must end in {}", options.output,
                                EndingOf(CaseFormat::kBinary)));
  }
  return ending == EndingOf(CaseFormat::kBinary) ? CaseFormat::kBinary : options.format();
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> NumberFrom(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() &&
                         number - number == 0;  // neither infinite nor NaN
  return is_number ? std::optional(number) : std::nullopt;
}

// Parses "2,3,4".
std::vector<int64_t> DimsFrom(const std::string& text) {
  std::vector<int64_t> dims;
  for (const std::string_view part : Split(text, ',')) {
    const std::optional<int64_t> dim = NumberFrom<int64_t>(part);
    if (!dim || *dim < 0) {
      throw UserError(fmt::format("--input is '{}'; it must be dimensions such as 2,3,4", text));
    }
    dims.push_back(*dim);
  }
  return dims;
}

// Parses "uniform:LOW:HIGH" or "gaussian:MEAN:DEVIATION". Returns nothing for "natural".
std::optional<RandomData> RandomDataFrom(const std::string& text) {
  if (text == "natural") {
    return std::nullopt;
  }
  const std::vector<std::string_view> parts = Split(text, ':');
  const std::optional<double> first =
      parts.size() == 3 ? NumberFrom<double>(parts[1]) : std::nullopt;
  const std::optional<double> second =
      parts.size() == 3 ? NumberFrom<double>(parts[2]) : std::nullopt;
  RandomData data;
  if (first && second && parts[0] == "uniform") {
    data.lower_bound = *first;
    data.upper_bound = *second;
  } else if (first && second && parts[0] == "gaussian") {
    data.distribution = RandomData::Distribution::kGaussian;
    data.mu = *first;
    data.sigma = *second;
  } else {
    throw UserError(
        fmt::format("--distribution is '{}'; it must be natural, uniform:LOW:HIGH or "
                    "gaussian:MEAN:DEVIATION",
                    text));
  }
  return data;
}

mluOpDataType_t DataTypeFrom(const std::string& name) {
  return name == "half" ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
}

// Tensors of rank 4 are images.
mluOpTensorLayout_t LayoutOf(const std::vector<int64_t>& dims) {
  return dims.size() == 4 ? MLUOP_LAYOUT_NHWC : MLUOP_LAYOUT_ARRAY;
}

void CheckInputCount(const Adapter& adapter, size_t count, const char* option) {
  const std::vector<TensorInfo>& inputs = adapter.description().inputs;
  if (count != inputs.size()) {
    std::string names;
    for (const TensorInfo& input : inputs) {
      names += fmt::format("{}{} {}", names.empty() ? "" : "; ", input.name, input.shape);
    }
    throw UserError(fmt::format("{} was given {} times; {} has {} inputs: {}", option, count,
                                adapter.name(), inputs.size(), names));
  }
}

// Natural values are made in memory, first as floats and then in the tensor's type.
void CheckFits(const Tensor& tensor) {
  const size_t available = AvailableMemory();
  if (tensor.bytes() > available / 3) {
    throw UserError(fmt::format(
        "{}: its values do not fit in {} MB of memory; make it smaller or give a --distribution",
        tensor.ToString(), available >> 20));
  }
}

Case CaseFrom(const Adapter& adapter, const GenOptions& options) {
  CheckInputCount(adapter, options.shapes.size(), "--input");
  if (options.distributions.size() > 1 && options.distributions.size() != options.shapes.size()) {
    throw UserError(fmt::format("--distribution was given {} times; it must be once or {} times",
                                options.distributions.size(), options.shapes.size()));
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < options.shapes.size(); ++i) {
    std::vector<int64_t> dims = DimsFrom(options.shapes[i]);
    const mluOpTensorLayout_t layout = LayoutOf(dims);
    inputs.push_back(MakeTensor(DataTypeFrom(options.dtype), std::move(dims), layout));
    inputs.back().id = adapter.description().inputs[i].name;
  }
  const std::filesystem::path path(options.output);
  Case made = MakeCase(adapter, path.stem().string(), std::move(inputs));
  made.parameters = options.parameters;
  for (size_t i = 0; i < made.inputs.size(); ++i) {
    const auto seed = static_cast<int32_t>(static_cast<uint32_t>(options.seed) + i);
    std::optional<RandomData> data;
    if (!options.distributions.empty()) {
      data = RandomDataFrom(options.distributions.size() == 1 ? options.distributions[0]
                                                              : options.distributions[i]);
    }
    if (data) {
      data->seed = seed;
      made.inputs[i].random = data;
    } else {
      CheckFits(made.inputs[i]);
      adapter.Fill(made, i, static_cast<uint32_t>(seed));
    }
  }
  made.outputs = adapter.Outputs(made);
  return made;
}

void CreateFolder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw UserError(fmt::format("{}: cannot be created: {}", path.string(), error.message()));
  }
}

// Writes the suites of these operators, each into a folder named after its operator.
void WriteSuites(const std::vector<const Adapter*>& adapters, const GenOptions& options) {
  size_t total = 0;
  for (const Adapter* const adapter : adapters) {
    total += AcceptanceSuiteOf(*adapter).size();
  }
  Progress progress(total);
  for (const Adapter* const adapter : adapters) {
    const std::filesystem::path folder = std::filesystem::path(options.output) / adapter->name();
    CreateFolder(folder);
    for (const Recipe& recipe : AcceptanceSuiteOf(*adapter)) {
      progress.Step(recipe.name);
      Case made = recipe.make();
      if (made.outputs.empty()) {
        made.outputs = adapter->Outputs(made);
      }
      WriteCase(made, (folder / (recipe.name + EndingOf(options.format()))).string(),
                options.format());
    }
  }
  progress.Clear();
  fmt::print("{} cases in {}\n", total, options.output);
}

void AddOutputOptions(CLI::App& command, GenOptions& options, const char* output_help) {
  command.add_option("-o,--output", options.output, output_help)->type_name("PATH")->required();
  command.add_flag("--binary", options.binary,
                   "Write binary files (.pb) instead of text (.prototxt)");
}

void AddGenOperator(CLI::App& gen, const Operator& op, const Adapter& adapter) {
  const auto options = std::make_shared<GenOptions>();
  CLI::App* const command =
      gen.add_subcommand(op.name, fmt::format("Generate cases of {}", op.name));
  AddOutputOptions(*command, *options, "Case file to write; with --suite, the folder");
  command->add_flag("--suite", options->suite, "Write the operator's whole test suite");
  std::string inputs;
  for (const TensorInfo& input : adapter.description().inputs) {
    inputs += fmt::format("{}{} {}", inputs.empty() ? "" : "; ", input.name, input.shape);
  }
  command
      ->add_option("-i,--input", options->shapes,
                   "Dimensions of an input such as 100,4, once per input in this order: " + inputs)
      ->type_name("DIMS")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command->add_option("--dtype", options->dtype, "Data type of the inputs")
      ->check(CLI::IsMember({"float", "half"}))
      ->capture_default_str();
  command
      ->add_option(
          "--distribution", options->distributions,
          "Distribution of the values, once for all inputs or once per input: natural (like "
          "those of a network), uniform:LOW:HIGH or gaussian:MEAN:DEVIATION")
      ->type_name("TEXT")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false)
      ->default_str("natural");
  command->add_option("--seed", options->seed, "Seed of the random values")->capture_default_str();
  AddParameterOptions(*command, adapter, options->parameters);
  command->callback([options, &adapter, &gen] {
    if (gen.count("--suite") + gen.count("--output") + gen.count("--binary") != 0) {
      throw UserError(fmt::format("options must come after {}, not before it", adapter.name()));
    }
    if (options->suite) {
      WriteSuites({&adapter}, *options);
    } else {
      const CaseFormat format = FormatOfFile(*options);
      WriteCase(CaseFrom(adapter, *options), options->output, format);
    }
  });
}

}  // namespace

void AddGenCommand(CLI::App& app, int& /*status*/) {
  const auto options = std::make_shared<GenOptions>();
  CLI::App* const gen = app.add_subcommand("gen", "Generate case files");
  gen->require_subcommand(0, 1);
  gen->add_flag("--suite", options->suite, "Write the test suites of all operators");
  gen->add_option("-o,--output", options->output, "Folder for --suite")->type_name("PATH");
  gen->add_flag("--binary", options->binary,
                "Write binary files (.pb) instead of text (.prototxt)");
  for (size_t i = 0; i < Operators().size(); ++i) {
    AddGenOperator(*gen, *Operators()[i], AdapterOf(i));
  }
  gen->callback([options, gen] {
    if (!gen->get_subcommands().empty()) {
      return;
    }
    if (!options->suite || options->output.empty()) {
      throw CLI::RequiredError("An operator, or --suite together with --output,");
    }
    std::vector<const Adapter*> adapters;
    for (size_t i = 0; i < Operators().size(); ++i) {
      adapters.push_back(&AdapterOf(i));
    }
    WriteSuites(adapters, *options);
  });
  AddExamples(*gen, {"detops gen --suite -o suite", "detops gen poly_nms --suite -o suite --binary",
                     "detops gen bbox_overlaps -i 100,4 -i 50,4 --mode 1 --seed 7 -o iof.prototxt",
                     "detops gen bbox_overlaps -i 100,4 -i 50,4 --distribution uniform:0:640 -o "
                     "case.prototxt"});
}

}  // namespace detops::cli
