#!/bin/sh
# Installs what is missing, builds with warnings as errors and passes all tests.
# Everything it makes but the installed packages is below build/.
#
#	./test.sh [ctest options]	for example: ./test.sh -L unit
set -eu
cd "$(dirname "$0")"

echo "== packages"
.ci/packages build test

echo "== build (build/dev)"
cmake --preset dev --log-level=WARNING
cmake --build --preset dev -- --quiet

echo "== tests"
exec ctest --preset dev -j "$(nproc)" "$@"
