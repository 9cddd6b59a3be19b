#!/bin/sh
# Checks that every #include "..." stays within the layers of the design:
# a folder may include its own headers and those of the folders it may call.
#	tests/layering.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/..}"

# folder: folders whose headers it may include
allowed() {
	case $1 in
	client) echo "client" ;;
	tuner/expr) echo "tuner/expr client" ;;
	tuner/search) echo "tuner/search tuner/expr client" ;;
	kernels) echo "kernels tuner/expr client" ;;
	tuner/worker) echo "tuner/worker kernels tuner/expr client" ;;
	db) echo "db client" ;;
	config) echo "config client" ;;
	service) echo "service tuner/search tuner/expr kernels db config client" ;;
	cli) echo "cli client" ;;
	esac
}

folders="client tuner/expr tuner/search kernels tuner/worker db config service cli"
failures=0
checked=0
for folder in $folders; do
	may=$(allowed "$folder")
	for file in $(find "$folder" -name '*.c' -o -name '*.h'); do
		checked=$((checked + 1))
		for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
			found=""
			for layer in $may; do
				[ -z "$(find "$layer" -path "*/$header" -print -quit)" ] || found=$layer
			done
			if [ -z "$found" ]; then
				echo "layering: $file includes \"$header\", which is in none of: $may" >&2
				failures=$((failures + 1))
			fi
		done
	done
done

# OpenCL belongs to the worker, SQLite to db, libuv to the service; bench and tests are free.
forbid() { # pattern, folder that may
	for folder in $folders; do
		[ "$folder" = "$2" ] && continue
		if grep -rnE --include='*.c' --include='*.h' "$1" "$folder" >&2; then
			echo "layering: only $2 may include $1" >&2
			failures=$((failures + 1))
		fi
	done
}
forbid '#include <CL/' tuner/worker
forbid '#include <sqlite3\.h>' db
forbid '#include <uv\.h>' service

if [ "$checked" -eq 0 ]; then
	echo "layering: no source files below $PWD" >&2
	exit 1
fi
[ "$failures" -eq 0 ] || exit 1
echo "layering: $checked files, all includes within their layers"
