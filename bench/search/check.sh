#!/bin/sh
# check.sh BENCH-SEARCH: rows, transfer and plot on two tiny recordings.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for device in one other; do
	{
		echo "a,b,time_ms,status"
		for a in 1 2 4 8; do
			for b in 16 48; do
				echo "$a,$b,$((a * b)),ok"
			done
			echo "$a,64,,compile_failed"
		done
	} | gzip > "$folder/kernel__$device.csv.gz"
done
out=$("$1" --spaces "$folder" --seeds 3 --budgets 2,12 --strategy all --misleading --csv --plot "$folder/plot.svg" 2>"$folder/err")
header=$(echo "$out" | head -n 1)
[ "$header" = "space,strategy,budget,median,within5" ]
out_ahead=$("$1" --spaces "$folder" --seeds 3 --budgets 2,12 --batch 8 --csv 2>"$folder/err")
echo "$out_ahead" | grep -q "^kernel__one,auto,12,1.0000,1.0000$"
"$1" --spaces "$folder" --seeds 3 --settled --strategy random --csv 2>"$folder/err" >"$folder/settled"
grep -q "^kernel__one,random,12,1.0000,1.0000$" "$folder/settled" # all that there are
grep -q "^mean,random,12,1.0000,1.0000$" "$folder/settled"
if "$1" --spaces "$folder" --batch 0 2>"$folder/err"; then
	echo "a batch of none was accepted" >&2
	exit 1
fi
# after 12 evaluations everything is known, whatever the strategy
for strategy in auto random greedy_ils; do
	echo "$out" | grep -q "^kernel__one,$strategy,12,1.0000,1.0000$"
	echo "$out" | grep -q "^mean,$strategy,12,1.0000,1.0000$"
done
grep -q "</svg>" "$folder/plot.svg"
grep -q ">greedy_ils<" "$folder/plot.svg"
if "$1" --spaces "$folder" --budgets 5,4 2>"$folder/err"; then
	echo "budgets that do not ascend were accepted" >&2
	exit 1
fi
grep -q usage "$folder/err"
