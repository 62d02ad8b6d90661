#!/usr/bin/env bash
# docs/performance.md contains the numbers of docs/performance.json.
set -euo pipefail
source_dir=$1
python3 "$source_dir/tools/performance.py" --check "$source_dir/docs/performance.json" "$source_dir/docs/performance.md"
