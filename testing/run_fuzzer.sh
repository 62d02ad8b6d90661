#!/usr/bin/env bash
# run_fuzzer.sh PROGRAM SECONDS SEED: fuzzes from the inputs in testing/corpus, which stay unchanged. Writes new inputs to
# <build>/fuzz/<name>/found, and the log and an input that fails to <build>/fuzz/<name>.
set -euo pipefail
program=$1
seconds=$2
seed=$3
name=$(basename "$program")
corpus=$(dirname "${BASH_SOURCE[0]}")/corpus/$name
work=$(dirname "$(dirname "$program")")/fuzz/$name
mkdir -p "$work/found"

if ! DETOPS_LOG_LEVEL=off "$program" -max_total_time="$seconds" -seed="$seed" -timeout=60 -len_control=0 -max_len=2048 -print_final_stats=1 -artifact_prefix="$work/" \
  "$work/found" "$corpus" >"$work/log" 2>&1; then
  grep -vE '^#|NEW_FUNC|^INFO' "$work/log" | tail -40
  input=$(sed -n 's/.*Test unit written to //p' "$work/log" | tail -1)
  echo "$name failed${input:+ on $input; to reproduce: DETOPS_LOG_LEVEL=off $program $input}; the log is $work/log" >&2
  exit 1
fi
echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs in $seconds s," \
  "$(sed -n 's/^stat::new_units_added: *//p' "$work/log") of them new"
