#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Neighbours: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
	nodes a b c d e f
	edge a b 0.6
	edge c a 0.5 about
	edge b d 0.8
	edge c d 0.9
	edge d e 1 about
}

# near ARGS...: name:hops:weight of each.
near() { kg-neighbors "$@" | jq -r '"\(.name):\(.hops):\(.weight)"' | tr '\n' ' '; }

@test "one hop, both ways, the heaviest first" {
	[ "$(near a)" = 'b:1:0.6 c:1:0.5 ' ]
	[ "$(near d)" = 'e:1:1 c:1:0.9 b:1:0.8 ' ]
	[ "$(near f)" = '' ]
	run -0 kg-neighbors f
}

@test "a node comes once, on its shortest way, of those the heaviest" {
	[ "$(near --hops 3 a)" = 'b:1:0.6 c:1:0.5 d:2:0.48 e:3:0.48 ' ]
	edge a d 0.1
	[ "$(near --hops 3 a)" = 'b:1:0.6 c:1:0.5 d:1:0.1 e:2:0.1 ' ]
}

@test "the way is in the record, each edge as it was written" {
	run -0 kg-neighbors --hops 2 --kind tag -n 3 a
	[ "${#lines[@]}" = 3 ]
	[ "$(jq -c .via <<<"${lines[1]}")" = "[{\"edge\":\"about\",\"from\":\"$(id_of c)\",\"to\":\"$(id_of a)\",\"weight\":0.5}]" ]
	[ "$(jq -c .via <<<"${lines[2]}")" = "[{\"edge\":\"relates_to\",\"from\":\"$(id_of a)\",\"to\":\"$(id_of b)\",\"weight\":0.6},{\"edge\":\"relates_to\",\"from\":\"$(id_of b)\",\"to\":\"$(id_of d)\",\"weight\":0.8}]" ]
	# All else is the node's own record.
	[ "$(jq -c 'del(.hops, .weight, .via)' <<<"${lines[0]}")" = "$(mem-get "$(id_of b)" | jq -c 'del(.weight)')" ]
}

@test "directions, kinds of edges, least weight" {
	[ "$(near --direction out a)" = 'b:1:0.6 ' ]
	[ "$(near --direction in a)" = 'c:1:0.5 ' ]
	[ "$(near --edge about --hops 5 a)" = 'c:1:0.5 ' ]
	[ "$(near --edge about,relates_to a)" = 'b:1:0.6 c:1:0.5 ' ]
	[ "$(near --edge nothing a)" = '' ]
	[ "$(near --min-weight 0.6 --hops 2 a)" = 'b:1:0.6 d:2:0.48 ' ]
	echo "{\"edge\":\"relates_to\",\"from\":\"f\",\"to\":\"a\",\"weight\":0.2,\"bidirectional\":true}" | kg-edge -q add
	[ "$(near --direction out a)" = 'b:1:0.6 f:1:0.2 ' ]
	run -2 kg-neighbors --edge 'Uses it' a
	run -2 kg-neighbors --direction up a
	run -2 kg-neighbors --hops 0 a
	run -2 kg-neighbors
}

@test "kinds and namespaces filter what is printed, before the limit, and not what is passed through" {
	kg-node -q add <<<'{"kind":"entity","name":"Zoe"}'
	edge zoe d 0.1
	[ "$(near --hops 3 --kind entity a)" = 'Zoe:3:0.048 ' ]
	[ "$(near --hops 3 --kind entity -n 1 a)" = 'Zoe:3:0.048 ' ]
	[ "$(near --hops 3 --ns agent:ada a)" = 'Zoe:3:0.048 ' ]
	run -2 kg-neighbors --kind nothing a
}

@test "several nodes at once; those that are none are told" {
	[ "$(near a e)" = 'd:1:1 b:1:0.6 c:1:0.5 ' ]
	[ "$(near a a)" = "$(near a)" ]
	run -1 --separate-stderr kg-neighbors a nobody
	[ "${#lines[@]}" = 2 ]
	[ "$stderr" = "kg-neighbors: no node is meant by 'nobody'" ]
}

@test "names and records on standard input" {
	[ "$(printf 'a\ne\n' | near -)" = 'd:1:1 b:1:0.6 c:1:0.5 ' ]
	[ "$(kg-neighbors --direction in e | near -)" = 'e:1:1 c:1:0.9 b:1:0.8 ' ]
	[ "$(printf 'a\0e\0' | near -0 -)" = 'd:1:1 b:1:0.6 c:1:0.5 ' ]
	run -0 kg-neighbors - </dev/null
	[ -z "$output" ]
}

@test "the past: edges that were valid then" {
	echo '{"edge":"relates_to","from":"a","to":"f","valid_from":"2026-01-01T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}' | kg-edge -q add
	[ "$(near --as-of 2026-01-15T00:00:00Z --direction out a)" = 'f:1:1 b:1:0.6 ' ]
	[ "$(near --as-of 2026-03-01T00:00:00Z --direction out a)" = 'b:1:0.6 ' ]
}

@test "edges are followed while they hold, by whatever follows them" {
	kg-node -q --ns global add <<<'{"kind":"entity","name":"Quay"}'
	echo '{"edge":"lay_at","from":"quay","to":"f","bidirectional":true,"valid_from":"2026-01-01T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}' | kg-edge -q add
	local then=2026-01-15T00:00:00Z at
	export MEM_NOW
	for at in 2025-12-31T00:00:00Z 2026-02-01T00:00:00Z; do
		MEM_NOW=$at
		[ "$(near quay)" = '' ]
		[ "$(near --as-of $then quay)" = 'f:1:1 ' ]
		run -1 kg-path quay f
		[ "$(kg-path --as-of $then quay f | jq .weight)" = 1 ]
		run -1 kg-path --weighted -k 2 f quay
		[ "$(kg-rank | jq -r .name | sort | paste -sd' ')" = 'a b c d e' ]
		[ "$(kg-rank --as-of $then | jq -s length)" = 7 ]
		[ "$(kg-query '(x)-[lay_at]->(y)')" = '' ]
		[ "$(kg-stat | jq .edges)" = 5 ]
		[ "$(kg-communities | jq -s 'map(.size) | add')" = 5 ]
		[ "$(kg-export --format html | grep -c lay_at)" = 0 ]
		[ "$(mem-search -m graph quay | jq -r .name)" = Quay ]
		[ "$(mem-search -m keyword --kind entity quay | mem-spread --threshold .1)" = '' ]
	done
	MEM_NOW=$then
	[ "$(near quay)" = 'f:1:1 ' ]
	[ "$(kg-path quay f | jq .weight)" = 1 ]
	[ "$(mem-search -m graph quay | jq -r .name | paste -sd' ')" = 'Quay f' ]
	[ "$(mem-search -m keyword --kind entity quay | mem-spread --threshold .1 | jq -r .name)" = f ]
	# What is written down for others has them all.
	MEM_NOW=2026-03-01T00:00:00Z
	[ "$(kg-export --format json | jq '[.edges[] | select(.edge == "lay_at").valid_to]' -c)" = '["2026-02-01T00:00:00.000Z"]' ]
	[ "$(kg-edge list --kind lay_at | wc -l)" = 1 ]
}

@test "a weight that was strengthened fades day by day, others stay" {
	faded_edge a f
	[ "$(near --now 2026-01-01T00:00:00Z --direction out a)" = 'f:1:0.8 b:1:0.6 ' ]
	[ "$(near --now 2026-01-01T00:30:00Z --direction out a)" = 'f:1:0.799916 b:1:0.6 ' ]
	[ "$(near --now 2026-01-02T00:00:00Z --direction out a)" = 'f:1:0.796 b:1:0.6 ' ]
	[ "$(near --now 2026-04-11T00:00:00Z --direction out a)" = 'b:1:0.6 f:1:0.484616 ' ]
	[ "$(near --as-of 2026-01-02T00:00:00Z --direction out a)" = 'f:1:0.796 b:1:0.6 ' ]
	[ "$(near --now 2026-04-11T00:00:00Z --direction out --min-weight 0.5 a)" = 'b:1:0.6 ' ]
	echo 'hebb: {decay: 0.5}' >> store/config.yaml
	[ "$(near --now 2026-01-03T00:00:00Z --direction out a)" = 'b:1:0.6 f:1:0.2 ' ]
}

@test "what may not be seen leaves no trace" {
	kg-neighbors --hops 5 a > before
	hide hidden a f
	[ "$(near --agent bob --hops 2 a)" = 'hidden:1:1 b:1:0.6 c:1:0.5 f:2:1 d:2:0.48 ' ]
	run -0 kg-neighbors --hops 5 a
	[ "$output" = "$(<before)" ]
	run -1 kg-neighbors hidden
	[ "$(near --every-namespace --hops 1 f)" = 'hidden:1:1 ' ]
	run -4 kg-neighbors --agent bob --every-namespace a
}

@test "a table for people" {
	run -0 kg-neighbors --format text --hops 2 a
	[[ ${lines[0]} = ID*HOPS*WEIGHT*KIND*NS*NAME ]]
	[[ ${lines[3]} = *2*0.48*tag*d ]]
}
