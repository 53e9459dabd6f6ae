#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/a" >/dev/null
	mem-init -S "$PWD/b" >/dev/null
}

@test "export, import, export again: the same bytes" {
	one=$(mem-capture -S a <<<'{"content":"über \u00fc","big":1e400,"n":123456789012345678901234567890,"odd":{"k":[null,true]}}' | jq -r .id)
	mem-capture -S a -q <<<"{\"content\":\"newer\",\"supersedes\":\"$one\",\"expires_at\":\"2030-01-01T00:00:00Z\"}"
	MEM_TEAMS=red mem-capture -S a -q <<<'{"content":"of the team","ns":"team:red"}'
	mem-export -S a --every-namespace > x
	[ "$(wc -l <x)" = 4 ]
	run -0 mem-import -S b --every-namespace < x
	[ "$(jq -r .verdict <<<"$output" | sort | uniq -c | tr -s ' ')" = ' 4 new' ]
	mem-export -S b --every-namespace > y
	cmp x y
	run -0 mem-check -S b
	run -0 mem-search -S b newer
}

@test "an edge whose numbers, times or direction have the wrong form is refused, with the place of the field" {
	a=0198f3c2-7d4e-7b1a-9c3d-000000000001
	head="{\"edge\":\"relates_to\",\"from\":\"$a\",\"to\":\"$a\""
	n=0
	while read -r reason field value; do
		n=$((n + 1))
		printf '%s,"created_at":"2026-11-28T09:00:00Z","%s":%s}\n' "$head" "$field" "$value"
		echo "$n $reason $((${#head} + 40 + ${#field}))" >> want
	done > x <<-'END'
		bad_value weight 1.5
		bad_value weight -0.001
		bad_value weight "1"
		bad_value weight 1e400
		bad_value confidence 2
		bad_value confidence [1]
		bad_value bidirectional 1
		bad_value bidirectional "true"
		bad_time valid_from "yesterday"
		bad_time valid_to 1790000000
		bad_time reinforced_at "2026-13-01T00:00:00Z"
	END
	echo "$head,\"created_at\":\"now\"}" >> x
	echo "12 bad_time $((${#head} + 14))" >> want
	echo "{\"id\":\"$a\",\"kind\":\"page\",\"ns\":\"agent:ada\",\"created_at\":\"2026-11-28T09:00:00Z\"}" | mem-import -S a -q
	run -1 mem-import -S a < x
	[ "$(jq -r '"\(.line) \(.reason) \(.offset)"' <<<"$output")" = "$(<want)" ]
	# null is as left out, and the ends of what is allowed are allowed.
	run -0 mem-import -S a <<<"$head,\"weight\":null,\"confidence\":0,\"bidirectional\":null,\"valid_to\":null,\"valid_from\":\"0000-01-01T00:00:00Z\"}"
	run -0 mem-check -S a
}

@test "every kind of node and any edge go through" {
	mapfile -t kinds < <(sed -n '/^\.Ss Kinds/,/^\.El/s/^\.It Cm \([a-z_]*\) .*/\1/p' "$TOP/man/mem-records.5")
	[ ${#kinds[@]} -ge 30 ]
	n=0
	for kind in "${kinds[@]}"; do
		n=$((n + 1))
		printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d","kind":"%s","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","version":1,"status":"active","name":"%s %d"}\n' $n "$kind" "$kind" $n
		[ $n = 1 ] || printf '{"edge":"relates_to","from":"0198f3c2-7d4e-7b1a-9c3d-%012d","to":"0198f3c2-7d4e-7b1a-9c3d-000000000001","weight":0.5}\n' $n
	done > x
	run -0 mem-import -S a < x
	mem-export -S a > y
	cmp x y
	mem-import -S b < y >/dev/null
	mem-export -S b | cmp - y
	run -0 mem-check -S b
}

@test "again: duplicates; the same id with other bytes is refused" {
	mem-capture -S a -q <<<'{"content":"x"}'
	mem-export -S a > x
	mem-import -S b -q < x
	run -0 mem-import -S b < x
	[ "$(jq -r .verdict <<<"$output")" = duplicate ]
	sed 's/"content":"x"/"content":"y"/' x > z
	run -1 mem-import -S b < z
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	run -0 mem-export -S b
	[ "$output" = "$(cat x)" ]
}

@test "bad lines are named, the rest goes in" {
	mem-capture -S a -q <<<'{"content":"x"}'
	{ echo nonsense; mem-export -S a --header; echo '{"edge":"relates_to","from":"0198f3c2-7d4e-7b1a-9c3d-000000000001","to":"0198f3c2-7d4e-7b1a-9c3d-000000000001"}'
	  echo '{"id":"nope","kind":"episode"}'; mem-export -S a; } > x
	run -1 mem-import -S b < x
	[ "$(jq -r '"\(.line):\(.verdict):\(.reason)"' <<<"$output" | paste -sd' ')" = \
	  '1:rejected:bad_json 2:rejected:bad_value 3:new:null 4:rejected:bad_value 5:rejected:bad_value 6:duplicate:null' ]
}

@test "who is no operator imports nothing that the sanitiser would change, and only into its own" {
	mem-capture -S a -q --redact secrets <<<'{"content":"write to anna@example.org"}'
	mem-export -S a > x
	run -1 mem-import -S b --agent bob < x
	[ "$(jq -r .reason <<<"$output")" = residue ]
	sed 's/anna@example.org/Anna/' x > y
	run -1 mem-import -S b --agent bob < y
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	sed 's/agent:ada/agent:bob/' y > z
	run -0 mem-import -S b --agent bob < z
	run -4 mem-import -S b --agent bob --every-namespace < x
}

@test "a version is a whole number from 1 on, and the next change counts on from it" {
	local v id
	mem-capture -S a -q <<<'{"content":"x"}'
	mem-export -S a > x
	for v in -5 0 1.5 '"x"' 1e3 18446744073709551616; do
		sed 's/"version":1/"version":'"$v/" x > y
		run -1 mem-import -S b < y
		[ "$(jq -r .reason <<<"$output")" = bad_value ] || { echo "$v: $output"; return 1; }
	done
	sed 's/"version":1/"version":9223372036854775807/' x > y
	run -0 mem-import -S b < y
	id=$(jq -r .id y)
	run -0 mem-capture -S b --no-embed <<<'{"content":"z","supersedes":"'"$id"'"}'
	run -0 mem-get -S b "$id"
	[[ $output == *'"version":9223372036854775807,"status":"superseded"'* ]]
	run -0 mem-check -S b
}
