// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/json.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "cli/runner.h"

namespace detops::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Machine& machine) {
  Json limits = Json::array();
  for (const Limits& limit : machine.limits) {
    limits.push_back({{"threads", limit.threads},
                      {"bytes_per_second", limit.bytes_per_second},
                      {"operations_per_second", limit.operations_per_second}});
  }
  const Info& info = machine.info;
  return {{"version", info.version},
          {"cpu", info.cpu},
          {"cores", info.cores},
          {"threads", info.threads},
          {"simd_target", info.simd_target},
          {"simd_targets", info.simd_targets},
          {"limits", std::move(limits)}};
}

Json ToJson(const Check& check) {
  Json json = {{"output", check.output},           {"against", check.against},
               {"measure", NameOf(check.measure)}, {"value", check.value},
               {"threshold", check.threshold},     {"passed", check.passed}};
  if (check.measure == Measure::kDiff3) {
    json["absolute"] = check.second;
  } else if (check.measure == Measure::kDiff4) {
    json["unequal"] = check.second;
  }
  return json;
}

Json ToJson(const CaseResult& result) {
  Json json = {{"name", result.name},
               {"op", result.op},
               {"inputs", result.shapes},
               {"passed", result.passed},
               {"status", mluOpGetErrorString(result.status)},
               {"expected_status", mluOpGetErrorString(result.expected_status)}};
  if (!result.message.empty()) {
    json["message"] = result.message;
  }
  if (!result.passed) {
    json["reason"] = WhyItFailed(result);
  }
  json["checks"] = Json::array();
  for (const Check& check : result.checks) {
    json["checks"].push_back(ToJson(check));
  }
  if (result.seconds > 0) {
    json["seconds"] = result.seconds;
    json["reference_seconds"] = result.reference_seconds;
    json["bytes"] = result.work.bytes;
    json["operations"] = result.work.operations;
    json["io_efficiency"] = result.io_efficiency;
    json["compute_efficiency"] = result.compute_efficiency;
  }
  return json;
}

Json ToJson(const BenchResult& result) {
  return {{"op", result.op},
          {"name", result.name},
          {"inputs", result.shapes},
          {"elements", result.elements},
          {"threads", result.threads},
          {"samples", result.samples},
          {"seconds", result.seconds},
          {"lower_quartile", result.lower},
          {"upper_quartile", result.upper},
          {"reference_seconds", result.reference_seconds},
          {"bytes", result.work.bytes},
          {"operations", result.work.operations},
          {"io_efficiency", result.io_efficiency},
          {"compute_efficiency", result.compute_efficiency}};
}

BenchResult BenchResultOf(const Json& json) {
  BenchResult result{};
  json.at("op").get_to(result.op);
  json.at("name").get_to(result.name);
  json.at("inputs").get_to(result.shapes);
  json.at("elements").get_to(result.elements);
  json.at("threads").get_to(result.threads);
  json.at("samples").get_to(result.samples);
  json.at("seconds").get_to(result.seconds);
  json.at("lower_quartile").get_to(result.lower);
  json.at("upper_quartile").get_to(result.upper);
  json.at("reference_seconds").get_to(result.reference_seconds);
  return result;
}

template <class Results>
Json ToJson(const Machine& machine, const char* name, const Results& results) {
  Json json = {{"machine", ToJson(machine)}, {name, Json::array()}};
  for (const auto& result : results) {
    json[name].push_back(ToJson(result));
  }
  return json;
}

void Write(OutputFile& file, const Json& json) {
  // File names may contain bytes that are not UTF-8; JSON must be UTF-8.
  file.Write(json.dump(2, ' ', false, Json::error_handler_t::replace));
  file.Write("\n");
  file.Commit();
}

}  // namespace

void WriteCasesJson(OutputFile& file, const Machine& machine, const std::vector<CaseResult>& cases,
                    const std::vector<std::string>& unusable) {
  Json json = ToJson(machine, "cases", cases);
  json["unusable"] = unusable;
  Write(file, json);
}

void WriteBenchmarksJson(OutputFile& file, const Machine& machine,
                         const std::vector<BenchResult>& benchmarks) {
  Write(file, ToJson(machine, "benchmarks", benchmarks));
}

std::vector<BenchResult> ReadBenchmarksJson(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw UserError(
        fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)));
  }
  try {
    const Json all = Json::parse(file);
    std::vector<BenchResult> results;
    for (const Json& json : all.at("benchmarks")) {
      results.push_back(BenchResultOf(json));
    }
    return results;
  } catch (const std::exception& error) {  // also when the path is a folder
    throw UserError(
        fmt::format("{}: is not a file that `detops bench --json` wrote: {}", path, error.what()));
  }
}

}  // namespace detops::cli
