#!/usr/bin/env bash
# Builds the wheel, installs it in an environment with NumPy, pytest and joblib only, and runs the Python tests, the Python examples of the
# READMEs and examples/python. Skipped with a message if the Python package index cannot be reached.
set -euo pipefail
source_dir=$1
build_dir=$2
work=$build_dir/python_test
mkdir -p "$work"
rm -rf "$work/wheels" "$work/skipped"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

fail() { echo "python_test: $*" >&2; exit 1; }

environment() { # NAME REQUIREMENT...: creates or updates a virtual environment.
  local name=$1
  shift
  [ -x "$work/$name/bin/pip" ] || python3 -m venv --clear "$work/$name" || fail "python3 -m venv fails (Debian: python3-venv)"
  if ! "$work/$name/bin/pip" install --quiet --retries 1 --timeout 20 "$@" >"$work/log" 2>&1; then
    echo "python_test: SKIPPED: the Python package index cannot be reached: $(tail -1 "$work/log")" | tee "$work/skipped"
    exit 77
  fi
}

# The build requirements of pyproject.toml, without tomllib, which older versions of Python lack.
mapfile -t build_requirements < <(sed -n 's/^requires = \[\(.*\)\]$/\1/p' "$source_dir/pyproject.toml" | grep -o '"[^"]*"' | tr -d '"')
[ ${#build_requirements[@]} -ge 2 ] || fail "pyproject.toml has no build requirements"
environment build_environment "${build_requirements[@]}"
environment environment numpy pytest joblib cloudpickle

# The compiler and warnings of the build that runs this test, so that the objects of the library are in the compiler cache.
for variable in C CXX; do
  compiler=$(sed -n "s/^CMAKE_${variable}_COMPILER:[A-Z]*=//p" "$build_dir/CMakeCache.txt")
  export "${variable/%C/CC}=$compiler"
done
"$work/build_environment/bin/pip" wheel "$source_dir" --no-build-isolation --no-deps --wheel-dir "$work/wheels" \
  -C build-dir="$work/build" -C cmake.define.DETOPS_WARNINGS_AS_ERRORS=ON >"$work/log" 2>&1 || { tail -40 "$work/log"; fail "the wheel does not build"; }
wheel=$(echo "$work"/wheels/*.whl)
python=$work/environment/bin/python
"$python" -m pip install --quiet --force-reinstall --no-deps "$wheel" || fail "the wheel cannot be installed"

# The wheel contains all libraries that it needs except the C and C++ runtime.
cd "$work"
package=$("$python" -c 'import detops, os; print(os.path.dirname(detops.__file__))')
[[ $package == "$work/environment/"* ]] || fail "import detops loads $package instead of the installed wheel"
if ldd "$package"/_detops*.so | grep -E 'hwy|spdlog|fmt' | grep -vF "$package/"; then
  fail "the wheel loads the libraries above from the system"
fi
[ -f "$package/py.typed" ] && [ -f "$package/__init__.pyi" ] || fail "the wheel lacks its type stubs"

DETOPS_LIBRARY=$build_dir/libdetops.so "$python" -m pytest -q -p no:cacheprovider "$source_dir/python/tests" || fail "the Python tests fail"

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
  [ -f "$work/${example}_1.py" ] || fail "README.md or python/README.md has no Python example"
done
for example in "$work"/*.py; do
  "$python" "$example" || { cat "$example"; fail "the README example above fails"; }
done
