#!/usr/bin/env bash
# install_packages.sh KIND...: installs the packages of packages.txt of these kinds (build, test, check) that are missing.
# Needs root privileges only if a package is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=$(awk -v kinds=" $* " '!/^#/ && NF && index(kinds, " " $2 " ") { print $1 }' packages.txt)
missing=()
for package in $wanted; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "make: run as root, or install sudo, to install: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
