// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops apply`: runs an operator on NumPy files.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/numpy_file.h"
#include "cli/output_file.h"
#include "cli/runner.h"
#include "core/operators.h"
#include "detops/context.hpp"

namespace detops::cli {
namespace {

struct ApplyOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  ExecutionOptions execution;
  std::vector<double> parameters;
};

bool IsArchive(const std::string& path) {
  return std::filesystem::path(path).extension() == ".npz";
}

std::string Names(const std::vector<TensorInfo>& tensors) {
  std::string names;
  for (const TensorInfo& tensor : tensors) {
    names += fmt::format("{}{} {}", names.empty() ? "" : "; ", tensor.name, tensor.shape);
  }
  return names;
}

Case ReadCall(const Adapter& adapter, const ApplyOptions& options) {
  std::vector<Tensor> inputs;
  for (const std::string& path : options.inputs) {
    for (Tensor& tensor : ReadArrays(path)) {
      // NumPy files have no layout. Arrays of four dimensions are images.
      tensor.layout = tensor.dims.size() == 4 ? MLUOP_LAYOUT_NHWC : MLUOP_LAYOUT_ARRAY;
      inputs.push_back(std::move(tensor));
    }
  }
  const std::vector<TensorInfo>& expected = adapter.description().inputs;
  if (inputs.size() != expected.size()) {
    throw UserError(fmt::format("-i gave {} arrays; {} takes {}: {}", inputs.size(), adapter.name(),
                                expected.size(), Names(expected)));
  }
  Case call = MakeCase(adapter, adapter.name(), std::move(inputs));
  call.parameters = options.parameters;
  return call;
}

// Checks that the outputs fit the given files, before anything is computed.
void CheckOutputs(const Adapter& adapter, const ApplyOptions& options) {
  const std::vector<TensorInfo>& outputs = adapter.description().outputs;
  if (std::any_of(options.outputs.begin(), options.outputs.end(), IsArchive)) {
    if (options.outputs.size() != 1) {
      throw UserError("-o was given more than once; a .npz file holds all outputs");
    }
  } else if (options.outputs.size() > outputs.size()) {
    throw UserError(fmt::format("-o was given {} times; {} has {} outputs: {}",
                                options.outputs.size(), adapter.name(), outputs.size(),
                                Names(outputs)));
  }
}

// Two outputs in one file would overwrite each other.
void CheckDistinct(const std::vector<std::string>& paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    if (!seen.insert(absolute.lexically_normal().string()).second) {
      throw UserError(
          fmt::format("{}: is given for two outputs; each output needs its own file", path));
    }
  }
}

// Drops the rows after the results.
void CutToWritten(Tensor& tensor, int64_t written) {
  if (tensor.dims.empty() || tensor.dims[0] == 0 || written == tensor.count()) {
    return;
  }
  tensor.dims[0] = written / (tensor.count() / tensor.dims[0]);
  AlignedBuffer kept(tensor.bytes());
  std::memcpy(kept.data(), tensor.values.data(), kept.size());
  tensor.values = std::move(kept);
}

// Calls the operator. The results are in the call's outputs.
void CallOnce(const Adapter& adapter, const ExecutionOptions& execution, Case& call) {
  call.outputs = adapter.Outputs(call);
  PrepareTensors(call);
  Queue queue;
  Context context;
  context.SetThreads(execution.threads);
  if (execution.queue) {
    context.SetQueue(queue);
  }
  Invocation invocation(context.handle(), call);
  if (adapter.Call(invocation) != MLUOP_STATUS_SUCCESS ||
      (execution.queue && cnrtQueueSync(queue.get()) != cnrtSuccess)) {
    throw UserError(detopsGetLastError());
  }
}

// Returns the outputs, named and without rows that the call did not write.
std::vector<const Tensor*> ResultsOf(const Adapter& adapter, Case& call) {
  std::vector<int64_t> written;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    written.push_back(WrittenCount(adapter, call, i));
  }
  std::vector<const Tensor*> results;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    call.outputs[i].id = adapter.description().outputs[i].name;
    CutToWritten(call.outputs[i], written[i]);
    results.push_back(&call.outputs[i]);
  }
  return results;
}

void Apply(const Adapter& adapter, const ApplyOptions& options) {
  CheckOutputs(adapter, options);
  CheckDistinct(options.outputs);
  QuietLibrary();
  ChooseTarget(options.execution);
  Case call = ReadCall(adapter, options);
  // Opened before anything is computed, and put in place only after all are written.
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const std::string& path : options.outputs) {
    files.push_back(std::make_unique<OutputFile>(path));
  }
  CallOnce(adapter, options.execution, call);
  const std::vector<const Tensor*> results = ResultsOf(adapter, call);
  for (size_t i = 0; i < files.size(); ++i) {
    WriteArrays(*files[i], IsArchive(options.outputs[i]) ? results : std::vector{results[i]});
  }
  for (const std::unique_ptr<OutputFile>& file : files) {
    file->Commit();
  }
}

void AddApplyOperator(CLI::App& apply, const Operator& op, const Adapter& adapter) {
  const auto options = std::make_shared<ApplyOptions>();
  CLI::App* const command = apply.add_subcommand(op.name, op.summary);
  const Description& description = adapter.description();
  command
      ->add_option(
          "-i,--input", options->inputs,
          "NumPy file of an input (.npy, .npz or file.npz:name), once per input in this order: " +
              Names(description.inputs))
      ->type_name("FILE")
      ->required()
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option(
          "-o,--output", options->outputs,
          ".npy file of an output, once per output in this order, or one .npz file for all: " +
              Names(description.outputs))
      ->type_name("FILE")
      ->required()
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  AddParameterOptions(*command, adapter, options->parameters);
  AddExecutionOptions(*command, options->execution);
  command->callback([options, &adapter] { Apply(adapter, *options); });
}

}  // namespace

void AddApplyCommand(CLI::App& app, int& /*status*/) {
  CLI::App* const apply = app.add_subcommand("apply", "Run an operator on NumPy files");
  apply->require_subcommand(1);
  for (size_t i = 0; i < Operators().size(); ++i) {
    AddApplyOperator(*apply, *Operators()[i], AdapterOf(i));
  }
  AddExamples(*apply, {"detops apply bbox_overlaps -i boxes.npy -i truth.npy -o ious.npy",
                       "detops apply poly_nms -i scene.npz:boxes -o kept.npy --iou-threshold 0.3",
                       "detops apply border_align_forward -i maps.npz -o result.npz --pool-size 10",
                       "detops apply poly_nms --help"});
}

}  // namespace detops::cli
