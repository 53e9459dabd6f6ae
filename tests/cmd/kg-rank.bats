#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ranks: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
	nodes a b c d alone
	edge a b
	edge b c
	edge c a
	edge d c
}

# ranks ARGS...: name and score of each, four decimals.
ranks() { kg-rank "$@" | jq -r '"\(.name):\(.score * 10000 | round)"' | tr '\n' ' '; }

@test "scores as networkx 3.6 gives them" {
	[ "$(ranks)" = 'c:3326 a:3202 b:3097 d:375 ' ]
	[ "$(ranks --damping 0.5)" = 'c:3214 a:2857 b:2679 d:1250 ' ]
	[ "$(ranks --direction in)" = 'c:3079 a:2646 b:2138 d:2138 ' ]
	[ "$(ranks --direction both --kind tag -n 1)" = 'c:3667 ' ]
	[ "$(ranks --seed d)" = 'c:3304 a:2809 b:2387 d:1500 ' ]
	[ "$(ranks --seed d --seed alone --seed d | tr ' ' '\n' | sort | xargs)" = 'a:2442 alone:1304 b:2076 c:2873 d:1304' ]
}

@test "weights count, and confidence" {
	for e in 'a b 0.2' 'b c 0.5' 'c a 1' 'd c 1' 'a c 0.6'; do
		read -r from to weight <<<"$e"
		kg-edge -q add <<<"{\"edge\":\"relates_to\",\"from\":\"$from\",\"to\":\"$to\",\"weight\":1,\"confidence\":$weight}"
	done
	[ "$(ranks)" = 'c:4331 a:4057 b:1237 d:375 ' ]
	[ "$(ranks --min-weight 1 --edge about)" = '' ]
}

@test "weights fade" {
	faded_edge a alone
	[ "$(ranks --now 2026-01-01T00:00:00Z --min-weight 0.8 --edge co_occurs)" = 'alone:6491 a:3509 ' ]
	[ "$(ranks --now 2026-01-02T00:00:00Z --min-weight 0.8 --edge co_occurs)" = '' ]
	[ "$(ranks --now 2026-05-20T00:00:00Z)" != "$(ranks --now 2026-01-01T00:00:00Z)" ]
}

@test "the record, places and filters" {
	kg-node -q add <<<'{"kind":"entity","name":"Zoe"}'
	edge zoe b
	run -0 kg-rank --kind entity
	[ "$(jq -c '[.name, .rank, .score > 0]' <<<"$output")" = '["Zoe",1,true]' ]
	[ "$(kg-rank | jq .rank | xargs)" = '1 2 3 4 5' ]
	[ "$(kg-rank | jq .score | paste -sd+ | jq -Rr 'split("+") | map(tonumber) | add * 1000000 | round')" = 1000000 ]
	[ "$(kg-rank -n 1 | jq -c 'del(.score, .rank)')" = "$(mem-get "$(kg-rank -n 1 | jq -r .id)")" ]
	[ "$(kg-rank --format text -n 1 | tail -1 | awk '{print $NF}')" = "$(kg-rank -n 1 | jq -r .name)" ]
	run -0 kg-rank --ns task:none
	[ -z "$output" ]
}

@test "seeds that are none" {
	run -1 --separate-stderr kg-rank --seed nobody
	[ -z "$output" ]
	[ "$stderr" = "kg-rank: no node is meant by 'nobody'" ]
	run -1 --separate-stderr kg-rank --seed nobody --seed d
	[ "${#lines[@]}" = 4 ]
	run -2 kg-rank d
	run -2 kg-rank --damping 1
}

@test "what may not be seen changes no score" {
	kg-rank > before
	kg-rank --seed a > near
	hide hidden a c alone
	hide other d
	[ "$(kg-rank --agent bob | wc -l)" = 7 ]
	[ "$(kg-rank)" = "$(<before)" ]
	[ "$(kg-rank --seed a)" = "$(<near)" ]
}
