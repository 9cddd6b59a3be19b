#!/bin/sh
# Help = completion = man page: every verb and option is in all three.
. "$(dirname "$0")/lib.sh"
page="$source_tree/docs/man/mmtune.1.scd"

"$mmtune" completion bash >"$work/completion"
[ -n "$(verbs)" ] || fail "the help lists no verbs"

# The man page's text about a verb.
section_of() {
	awk -v verb="$1" '/^## /{ inside = ($2 == verb) } /^# /{ inside = 0 } inside' "$page"
}
shared=$(awk '/^# /{ inside = /GLOBAL OPTIONS|DEVICE AND PROBLEM OPTIONS/ } inside' "$page")

for verb in $(verbs); do
	section_of "$verb" >"$work/section"
	[ -s "$work/section" ] || fail "the man page has no section '## $verb'"
	words=$(sed -n "s/^	$verb) words=\"\(.*\)\" ;;/\1/p" "$work/completion")
	for option in $(options_of "$verb"); do
		case " $words " in
		*" $option "*) ;;
		*) fail "completion of $verb lacks $option: $words" ;;
		esac
		grep -q -- "\*$option\*" "$work/section" || printf '%s' "$shared" | grep -q -- "\*$option\*" ||
			fail "the man page's section $verb lacks $option"
	done
	# And nothing there that the program does not know.
	for option in $(grep -oE '^\*--[a-z-]+\*' "$work/section" | tr -d '*') $(echo "$words" | grep -oE -- '--[a-z-]+'); do
		options_of "$verb" | grep -qx -- "$option" || fail "$verb has no $option, but man page or completion tell of it"
	done
done
for verb in $(grep -oE '^## [a-z]+' "$page" | cut -c4-); do
	verbs | grep -qx "$verb" || fail "the man page tells of a verb '$verb'"
done

# The script is bash, and completes.
command -v bash >/dev/null || { finish && exit 77; }
complete_words() {
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mmtune; printf "%s\n" "${COMPREPLY[@]}"' \
		"$work/completion" "$@"
}
[ "$(complete_words mmtune qu)" = query ] || fail "'qu' completes to '$(complete_words mmtune qu)'"
[ "$(complete_words mmtune --json query --tr)" = --trans ] || fail "'--tr' completes to '$(complete_words mmtune query --tr)'"
[ "$(complete_words mmtune query --type f6)" = f64 ] || fail "'f6' completes to '$(complete_words mmtune query --type f6)'"
[ "$(complete_words mmtune query --type b)" = bf16 ] || fail "'b' completes to '$(complete_words mmtune query --type b)'"
[ "$(complete_words mmtune tune --strategy gen)" = genetic ] || fail "'gen' completes to '$(complete_words mmtune tune --strategy gen)'"
[ "$(complete_words mmtune help canc)" = cancel ] || fail "'help canc' completes to '$(complete_words mmtune help canc)'"
finish
