#!/bin/sh
# Where output goes, and what happens when it cannot.
. "$(dirname "$0")/lib.sh"

for verb in '' $(verbs); do
	"$mmtune" $verb --help >"$work/help" 2>"$work/stderr" || fail "'mmtune $verb --help' ended with $?"
	[ -s "$work/help" ] || fail "'mmtune $verb --help' printed nothing"
	[ ! -s "$work/stderr" ] || fail "'mmtune $verb --help' said: $(cat "$work/stderr")"
	"$mmtune" help $verb | cmp -s - "$work/help" || fail "'mmtune help $verb' differs from --help"
	if grep -nE '[[:blank:]]$|.{101}' "$work/help"; then
		fail "'mmtune $verb --help' has trailing blanks or a line over 100 characters"
	fi
done
"$mmtune" query -h | cmp -s - "$work/help" && fail "-h gave the help of another verb"
"$mmtune" --version | grep -qE '^mmtune [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version: $("$mmtune" --version)"
"$mmtune" tune --version | grep -q '^mmtune ' || fail "--version after a verb"

if [ -w /dev/full ]; then
	status=0
	"$mmtune" --help >/dev/full 2>"$work/stderr" || status=$?
	[ "$status" -eq 1 ] || fail "a full disk gave status $status"
	grep -q '^mmtune: cannot write the output: No space left on device$' "$work/stderr" ||
		fail "a full disk said: $(cat "$work/stderr")"
fi
"$mmtune" --help >&- 2>"$work/stderr" || fail "a closed stdout gave status $?"
[ ! -s "$work/stderr" ] || fail "a closed stdout said: $(cat "$work/stderr")"
# A reader that went away, SIGPIPE ignored as some parents leave it.
(
	trap '' PIPE
	"$mmtune" completion 2>"$work/stderr"
) | true
[ ! -s "$work/stderr" ] || fail "a broken pipe said: $(cat "$work/stderr")"
"$mmtune" status 2>&- >&- <&- && fail "status without a service succeeded"
finish
