# lib.sh: checks of one program run without a service. Source it with
# $1 = the program mmtune, $2 = the source tree.
set -u
mmtune=$1 source_tree=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MMTUNE_SOCKET="$work/no-service"
failures=0

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# expect STATUS 'TEXT' argument...: exit status and, on stderr, one line with the text (a grep -E pattern).
expect() {
	want=$1 pattern=$2
	shift 2
	status=0
	"$mmtune" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	[ "$status" -eq "$want" ] || fail "'mmtune $*' ended with $status, not $want: $(cat "$work/stderr")"
	[ "$(wc -l <"$work/stderr")" -eq 1 ] || fail "'mmtune $*' did not say one line: $(cat "$work/stderr")"
	grep -q '^mmtune: ' "$work/stderr" || fail "'mmtune $*' does not say who speaks: $(cat "$work/stderr")"
	grep -qE -- "$pattern" "$work/stderr" || fail "'mmtune $*' said '$(cat "$work/stderr")', not '$pattern'"
	[ ! -s "$work/stdout" ] || fail "'mmtune $*' wrote to stdout: $(cat "$work/stdout")"
}

verbs() {
	"$mmtune" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'
}

# The options in a help text, one a line, with their dashes.
options_of() {
	"$mmtune" "$@" --help | grep -oE '^  --[a-z-]+' | tr -d ' '
}

finish() {
	[ "$failures" -eq 0 ] || exit 1
}
