#!/bin/sh
# Each thing that can be typed wrong: one sentence, status 2, nothing on
# stdout, the same whether a service runs or not.
. "$(dirname "$0")/lib.sh"

for order in 0 -5 1e9 10x '' ' 5' 99999999999 2147483648 0x10; do
	expect 2 "--order '$order' is not a whole number from 1 to 2147483647" query --order "$order"
	expect 2 "--order '$order' is not a whole number" tune "--order=$order"
	expect 2 "--k '$order' is not a whole number" query --m 5 --k "$order"
done
expect 2 "'mmtune --help'"
expect 2 "unknown verb 'qurey': did you mean query\?" qurey
expect 2 "unknown verb 'xyzzy': see 'mmtune --help'" xyzzy
expect 2 "unknown verb ''" ''
expect 2 "did you mean --order\?" query --oder 5
expect 2 "unknown option --xyzzy of query: see 'mmtune query --help'" query --xyzzy=1
expect 2 "unknown option -x" query -x
expect 2 "before a verb" --xyzzy query
expect 2 "did you mean --socket\?" --socke /x query
expect 2 "--order needs a value: --order N" query --order
expect 2 "--order needs a value" query --order --json
expect 2 "--socket needs a value" status --socket
expect 2 "--socket needs a path" status --socket ''
expect 2 "--json takes no value, but was given 'yes'" query --json=yes
expect 2 "--order is given twice" query --order 5 --order 5
expect 2 "--json is given twice" --json query --json
expect 2 "does not take the argument '5'" query 5
expect 2 "does not take the argument '--order'" query -- --order
expect 2 "does not take the argument '2'" cancel 1 2
expect 2 "not both" query --order 5 --m 5
expect 2 "not both" query --order 5 --n 5
expect 2 "need --m" query --n 5
expect 2 "query needs a size" query
expect 2 "tune needs a size" tune --device gpu0
expect 2 "unknown type 'f99': choose f32, f64, f16 or bf16" query --order 5 --type f99
expect 2 "unknown trans 'xx': choose nn, nt, tn or tt" query --order 5 --trans xx
expect 2 "unknown accuracy 'low': choose native or tf32" query --order 5 --accuracy low
expect 2 "--family" query --order 5 --family ''
expect 2 "--device" query --order 5 --device ''
expect 2 "exclude each other" query --order 5 --json --shell
expect 2 "exclude each other" query --order 5 --options --source
for duration in 5x 0 -1 '' 1e3 s 169h .; do
	expect 2 "--budget '$duration' is not a duration" tune --order 5 --budget "$duration"
done
expect 2 "--wait '-1' is not a duration" query --order 5 --wait=-1
for fraction in 0 1.1 101% -0.5 x ''; do
	expect 2 "--until '$fraction' is not a fraction" tune --order 5 --until "$fraction"
done
expect 2 "--evaluations '0'" tune --order 5 --evaluations 0
expect 2 "--seed '-1'" tune --order 5 --seed -1
expect 2 "--seed '9223372036854775808'" tune --order 5 --seed 9223372036854775808
expect 2 "--strategy needs a name" tune --order 5 --strategy ''
expect 2 "--limit 'x'" jobs --limit x
expect 2 "cancel needs an argument: mmtune cancel JOB" cancel
expect 2 "the job 'x'" cancel x
expect 2 "the job '0'" cancel 0
expect 2 "shell 'fish': there is bash" completion fish
expect 2 "unknown verb 'quer': did you mean query" help quer

# Bytes from the command line reach the terminal printable.
expect 2 "unknown verb 'a\?\[31mb'" "$(printf 'a\033[31mb')"

# No service: each verb that needs one says where it looked and what to do.
expect 3 "$work/no-service: there is no such socket; start mmtuned" query --device gpu0 --order 5
expect 3 "no such socket" query --order 5
expect 3 "no such socket" tune --device gpu0 --order 5
for verb in devices jobs history status kernels pause resume; do
	expect 3 "no such socket" "$verb"
done
expect 3 "no such socket" cancel 1
expect 3 "/elsewhere: there is no such socket" --socket /elsewhere status
expect 3 "/elsewhere: there is no such socket" status --socket=/elsewhere
long=$(printf '%0120d' 0)
expect 2 "120 bytes, a Unix socket's has at most 107" --socket "$long" status
finish
