#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One filter: options of mem-list and mem-search, fields of a query and of a line of --queries leave the same nodes
# and refuse the same words alike.
load helper

setup() {
	scratch
	need mem-capture
	need mem-search
	need_store
}

ids() { jq -r '.id // empty' | sort; }
listed() { mem-list "$@" | ids; }
found() { mem-search --all -m keyword "$@" | ids; }

fill() {
	# é as one character and as e with an accent behind it; full-width letters.
	mem-capture -q <<'END'
{"content":"word one","tags":["Pets"],"role":"user","session_id":"s1","captured_at":"2026-01-01T00:00:00Z"}
{"content":"word two","tags":["pets","Home"],"role":"assistant","session_id":"s1","captured_at":"2026-01-02T00:00:00Z"}
{"content":"word three","tags":["caf\u00e9"],"role":"user","session_id":"s2","captured_at":"2026-01-03T00:00:00Z"}
{"content":"word four","tags":["CAFE\u0301","\uff30\uff25\uff34\uff33"],"role":"tool","session_id":"s2","captured_at":"2026-01-04T00:00:00Z"}
{"content":"word five","role":"user","captured_at":"2026-01-05T00:00:00Z"}
END
}

@test "a tag is the same word in a listing, an option and a query, however it is written" {
	fill
	local tag n
	for tag in pets:3 PETS:3 Pets:3 ＰＥＴＳ:3 home:1 hOmE:1 café:2 $'cafe\u0301:2' $'CAFE\u0301:2' CAFÉ:2 cafe:2 pet:0; do
		n=${tag#*:} tag=${tag%:*}
		listed --tag "$tag" >list
		[ "$(wc -l <list)" = "$n" ] || { echo "--tag $tag lists $(wc -l <list), not $n"; return 1; }
		{ found --tag "$tag" word || [ "$n" = 0 ]; } >option
		{ found "word tag:\"$tag\"" || [ "$n" = 0 ]; } >field
		cmp list option
		cmp list field
	done
}

@test "tags given twice must both be there, and a dash before one turns it round" {
	fill
	listed --tag PETS --tag HOME >list
	[ "$(wc -l <list)" = 1 ]
	found --tag pets --tag home word | cmp - list
	found 'word tag:Pets tag:Home' | cmp - list
	found --tag pets 'word tag:Home' | cmp - list
	listed | comm -23 - <(listed --tag PETS) >others
	[ "$(wc -l <others)" = 2 ]
	found 'word -tag:PETS' | cmp - others
	[ -z "$(listed --tag pets --tag nope)" ]
}

@test "every filter leaves the same of a listing as of a search, by option, field and line" {
	fill
	local demand name value
	for demand in 'kind episode' 'kind fact' 'ns agent:ada' 'ns global' 'session s2' 'session s9' 'since 2026-01-03' \
		'until 2026-01-03' 'role user' 'role assistant'; do
		read -r name value <<<"$demand"
		listed "--$name" "$value" >list
		{ found "--$name" "$value" word || true; } | cmp - list
		{ found "word $name:$value" || true; } | cmp - list
		[ "$name" = role ] && continue
		jq -nc '{query: "word", ($name): $value, n: 99}' --arg name "$name" --arg value "$value" >line
		mem-search -m keyword --queries line | ids | cmp - list
	done
	# An option and a field must both hold.
	found --role user,tool 'word role:user since:2026-01-02' >both
	listed --role user --since 2026-01-02 | cmp - both
	[ "$(wc -l <both)" = 2 ]
	for demand in '--session s1:word session:s2' '--kind fact:word kind:episode' '--ns global:word ns:agent:ada' \
		'--role user:word -role:user' '--since 2026-01-04:word until:2026-01-04'; do
		# shellcheck disable=SC2086 # an option and its value
		run -1 mem-search ${demand%%:*} "${demand#*:}"
		[ -z "$output" ]
	done
}

# refused NAME VALUE REASON COMMAND...: each says of --NAME, or of the field NAME, the same words.
refused() {
	local name=$1 value=$2 reason=$3 command words=
	shift 3
	for command; do
		if [ "$command" = query ]; then
			run -2 --separate-stderr mem-search -- "word $name:$value"
		else
			run -2 --separate-stderr "$command" "--$name" "$value" ${search[$command]:+"${search[$command]}"}
		fi
		[ -z "$output" ]
		stderr=${stderr#*: } stderr=${stderr#--}
		: "${words:=$stderr}"
		[ "$stderr" = "$words" ] || { echo "$command: $stderr, not $words"; return 1; }
	done
	[[ $words = "$name: '$value' is not "* ]] || { echo "$words"; return 1; }
	# A line is refused with the reason of all of them.
	[ "$reason" != - ] || return 0
	jq -nc '{query: "word", ($name): $value}' --arg name "$name" --arg value "$value" >line
	run -1 mem-search --queries line
	[ "$(jq -r .error <<<"$output")" = "$reason" ]
	jq -nc '{query: ("word " + $name + ":" + $value)}' --arg name "$name" --arg value "$value" >line
	run -1 mem-search --queries line
	[ "$(jq -r .error <<<"$output")" = "$reason" ]
}

@test "what makes no sense is refused everywhere with the same words and reason" {
	fill
	declare -A search=([mem-search]=word)
	refused kind king bad_value mem-list mem-log mem-search query
	refused kind Episode bad_value mem-list mem-log mem-search query
	refused ns nowhere/x bad_value mem-list mem-log mem-search query
	refused ns agent: bad_value mem-list mem-log mem-search query
	refused role king - mem-list mem-search query
	refused since whenever bad_time mem-list mem-search query
	refused until 2026-13-01 bad_time mem-list mem-search query
}

@test "what is no session or no tag" {
	fill
	local name field
	declare -A search=([mem-search]=word)
	run -2 --separate-stderr mem-list --tag ''
	empty=${stderr#*: }
	[[ $empty = "--tag: '' is not "* ]]
	run -2 --separate-stderr mem-search --tag '' word
	[ "${stderr#*: }" = "$empty" ]
	for name in session tag; do
		for command in mem-list mem-search; do
			run -2 --separate-stderr "$command" "--$name" $'s\xff' ${search[$command]:+"${search[$command]}"}
			[[ $stderr = "$command: --$name: '"*"' is not UTF-8" ]] || { echo "$stderr"; return 1; }
		done
	done
	# A dash stands before a field that can be turned round.
	for field in session:s1 since:2026-01-01 until:2026-01-01; do
		run -2 --separate-stderr mem-search "word -$field"
		[ "$stderr" = "mem-search: ${field%%:*}: no '-' may stand before it" ]
	done
}

@test "a line of --queries whose filter is of another type, or empty" {
	local line
	for line in '"kind":5' '"kind":[]' '"ns":[]' '"ns":["agent:ada",5]' '"session":5'; do
		echo "{\"query\":\"word\",$line}" >line
		run -1 mem-search --queries line
		[ "$(jq -r .error <<<"$output")" = bad_value ]
	done
	for line in '"since":5' '"until":["2026-01-01"]'; do
		echo "{\"query\":\"word\",$line}" >line
		run -1 mem-search --queries line
		[ "$(jq -r .error <<<"$output")" = bad_time ]
	done
}

@test "words that make no sense are told before there is a store" {
	rm -rf store
	local words
	for words in '--kind king' '--ns x/y' '--role king' '--since never'; do
		# shellcheck disable=SC2086 # an option and its value
		run -2 mem-search $words word
		# shellcheck disable=SC2086
		run -2 mem-list $words
	done
	run -2 mem-log --kind king
}

@test "a value that is too long to be shown whole is not cut inside a character" {
	local value
	value=$(printf 'ü%.0s' {1..40})
	run -2 --separate-stderr mem-list --kind "x$value"
	[ "$stderr" = "mem-list: --kind: 'x${value:0:29}' is not a kind of node" ]
}
