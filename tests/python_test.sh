#!/usr/bin/env bash
# Builds the wheel, installs it where there is nothing but NumPy (and pytest), and runs the Python tests, the README's examples and
# examples/python there. Skipped, loudly, where the Python package index cannot be reached.
set -euo pipefail
source_dir=$1
build_dir=$2
work=$build_dir/python_test
mkdir -p "$work"
rm -rf "$work/wheels" "$work/skipped"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

fail() { echo "python_test: $*" >&2; exit 1; }

environment() { # NAME REQUIREMENT...: a virtual environment with these; nothing is fetched that is there already.
  local name=$1
  shift
  [ -x "$work/$name/bin/pip" ] || python3 -m venv --clear "$work/$name" || fail "python3 -m venv fails (Debian: python3-venv)"
  if ! "$work/$name/bin/pip" install --quiet --retries 1 --timeout 20 "$@" >"$work/log" 2>&1; then
    echo "python_test: SKIPPED: the Python package index cannot be reached: $(tail -1 "$work/log")" | tee "$work/skipped"
    exit 77
  fi
}

# What pyproject.toml asks for, and tomllib is not in every Python.
mapfile -t build_requirements < <(sed -n 's/^requires = \[\(.*\)\]$/\1/p' "$source_dir/pyproject.toml" | grep -o '"[^"]*"' | tr -d '"')
[ ${#build_requirements[@]} -ge 2 ] || fail "pyproject.toml does not say what the build requires"
environment build_environment "${build_requirements[@]}"
environment environment numpy pytest

# Compiler and warnings as in the build that runs this test: ccache then has the library's objects already.
for variable in C CXX; do
  compiler=$(sed -n "s/^CMAKE_${variable}_COMPILER:[A-Z]*=//p" "$build_dir/CMakeCache.txt")
  export "${variable/%C/CC}=$compiler"
done
"$work/build_environment/bin/pip" wheel "$source_dir" --no-build-isolation --no-deps --wheel-dir "$work/wheels" \
  -C build-dir="$work/build" -C cmake.define.DETOPS_WARNINGS_AS_ERRORS=ON >"$work/log" 2>&1 || { tail -40 "$work/log"; fail "the wheel does not build"; }
wheel=$(echo "$work"/wheels/*.whl)
python=$work/environment/bin/python
"$python" -m pip install --quiet --force-reinstall --no-deps "$wheel" || fail "the wheel cannot be installed"

# It brings what it needs: beyond the system's C and C++ libraries everything comes from its own folder.
cd "$work"
package=$("$python" -c 'import detops, os; print(os.path.dirname(detops.__file__))')
[[ $package == "$work/environment/"* ]] || fail "import detops finds $package, not the installed wheel"
if ldd "$package"/_detops*.so | grep -E 'tbb|hwy|spdlog|fmt' | grep -vF "$package/"; then
  fail "the wheel takes the libraries above from the system"
fi
[ -f "$package/py.typed" ] && [ -f "$package/__init__.pyi" ] || fail "the wheel lacks its types"

"$python" -m pytest -q -p no:cacheprovider "$source_dir/python/tests" || fail "the Python tests fail"

for example in "$source_dir"/examples/python/*.py; do
  "$python" "$example" || fail "examples/python/$(basename "$example") fails"
done
for page in README.md python/README.md; do
  awk -v work="$work" -v page="$(dirname "$page" | tr . r)" '
    /^```python$/ { file = work "/" page "_" ++n ".py"; printf "" > file; next }
    /^```/ { file = "" }
    file { print > file }' "$source_dir/$page"
done
for example in r python; do
  [ -f "$work/${example}_1.py" ] || fail "expected an example in Python in both README.md and python/README.md"
done
for example in "$work"/*.py; do
  "$python" "$example" || { cat "$example"; fail "the example above, of a README.md, fails"; }
done
