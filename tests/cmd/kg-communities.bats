#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Communities: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
	nodes a b c x y z
	ring a b c
	ring x y z
	edge a x
}

# ring NAME NAME NAME: each joined to the others.
ring() {
	edge "$1" "$2"
	edge "$2" "$3"
	edge "$3" "$1"
}
# groups ARGS...: id:terms of each, in order of their terms.
groups() { kg-communities "$@" | jq -r '"\(.id):\(.terms | sort | add)"' | sort -t: -k2 | xargs; }
# numbers: id of the community of each name.
numbers() { kg-communities --save "$@" | jq -r '"\(.terms | sort | add):\(.id)"' | sort | xargs; }

@test "two groups, the largest first, and their modularity" {
	nodes alone
	[ "$(groups | sed 's/[0-9]://g')" = 'abc xyz' ]
	run -0 kg-communities
	[ "$(jq -c '[.id, .size, .modularity]' <<<"$output" | xargs)" = '[1,3,0.178571] [2,3,0.178571]' ]
	nodes d
	ring d x y
	[ "$(kg-communities -n 1 | jq -c '[.size, (.terms | sort)]')" = '[4,["d","x","y","z"]]' ]
	[ "$(kg-communities --min-size 4 | jq -c .size)" = 4 ]
}

@test "an edge to itself counts as one inside, its strength twice at its node" {
	# m = 7 + 2: 3/9 - (7/18)^2 and 5/9 - (11/18)^2.
	edge x x
	edge x x 0.5 about
	edge x x 0.5 supports
	[ "$(kg-communities | jq -c '[.size, .modularity]' | xargs)" = '[3,0.182099] [3,0.182099]' ]
	nodes lone
	edge lone lone
	[ "$(kg-communities | jq -s 'map(.modularity) | add * 1e6 | round')" = 465000 ]
}

@test "members are ids, the strongest first" {
	nodes d
	edge d a
	edge d b
	run -0 kg-communities --members -n 1
	[ "$(jq -r .size <<<"$output")" = 4 ]
	[ "$(jq -r '.members | length' <<<"$output")" = 4 ]
	for i in 0 1 2 3; do
		[ "$(mem-get "$(jq -r ".members[$i]" <<<"$output")" | jq -r .name)" = "$(jq -r ".terms[$i]" <<<"$output")" ]
	done
}

@test "weights and kinds of edges" {
	for to in x y z; do edge c "$to" 1 about; done
	[ "$(groups --edge relates_to | sed 's/[0-9]://g')" = 'abc xyz' ]
	[ "$(groups --edge about | sed 's/[0-9]://g')" = 'cxyz' ]
	for to in a b; do edge c "$to" 0.001; done
	edge b c 0.001
	edge c a 0.001
	[ "$(groups | sed 's/[0-9]://g')" = 'ab cxyz' ]
	[ "$(groups --kind entity)" = '' ]
	run -2 kg-communities --edge 'No kind'
	run -2 kg-communities a
}

@test "weights fade" {
	faded_edge b z
	[ "$(kg-communities --now 2026-01-01T00:00:00Z --edge co_occurs --min-weight 0.8 | jq .size)" = 2 ]
	[ "$(kg-communities --now 2026-01-02T00:00:00Z --edge co_occurs --min-weight 0.8)" = '' ]
}

@test "kept numbers stay with those that share most nodes" {
	[ "$(numbers --ns global | tr -d '12')" = 'abc: xyz:' ]
	xyz=$(numbers --ns global | tr ' ' '\n' | sed -n 's/^xyz://p')
	abc=$((3 - xyz))
	nodes w v
	ring w y z
	edge w x
	[ "$(numbers --ns global)" = "abc:$abc wxyz:$xyz" ]
	# What is left of it has the number, what is new a new one.
	nodes k l
	ring k l v
	[ "$(numbers --ns global)" = "abc:$abc klv:3 wxyz:$xyz" ]
	kg-node -q remove "$(id_of k)" "$(id_of l)" "$(id_of v)"
	nodes m n o
	ring m n o
	[ "$(numbers --ns global)" = "abc:$abc mno:4 wxyz:$xyz" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what is kept has a row of the audit, what is kept already none" {
	kg-communities --save --ns global > /dev/null
	kg-communities --save --ns global > /dev/null
	kept() { mem-audit | jq -c 'select(.kind == "communities_saved") | [.ns, .actor, .subject, .detail]'; }
	[ "$(kept)" = '["global","ada",null,{"communities":2,"nodes":6}]' ]
	nodes d
	edge d a
	kg-communities --save --ns global > /dev/null
	[ "$(kept | tail -1)" = '["global","ada",null,{"communities":2,"nodes":7}]' ]
	[ "$(kept | wc -l)" = 2 ]
}

@test "each namespace by itself; where the caller may not write, nothing is kept" {
	kg-node -q add < <(printf '{"kind":"tag","name":"%s"}\n' p q)
	edge p q
	edge p a
	run -0 kg-communities --save
	[ "$(jq -r '"\(.ns) \(.size)"' <<<"$output" | sort | uniq -c | tr -s ' ' | xargs)" = '1 agent:ada 2 2 global 3' ]
	run -4 kg-communities --agent bob --save --ns global
	run -0 kg-communities --agent bob --save
	[ -z "$output" ]
}

@test "what may not be seen changes nothing" {
	kg-communities --members > before
	hide hidden a b x y z
	[ "$(kg-communities --members)" = "$(<before)" ]
	[ "$(kg-communities --agent bob | jq -s 'map(.size) | add')" = 7 ]
}

@test "mem-rerank --per-community leaves the best of each" {
	for n in a b x c; do
		mem-get "$(id_of $n)" | jq -c ". + {rank: 1, score: $((10 - ${#hits}))}" >> hits
		hits+=1 # one less each time
	done
	[ "$(mem-rerank --per-community 1 hits | jq -r .name | xargs)" = 'a b x c' ]
	kg-communities --save > /dev/null
	run -0 mem-rerank --per-community 1 hits
	[ "$(jq -r .name <<<"$output" | xargs)" = 'a x' ]
	[ "$(jq -c '[.rank, .signals.per_community.place]' <<<"$output" | xargs)" = '[1,1] [2,1]' ]
	[ "$(mem-rerank --per-community 2 hits | jq -r .name | xargs)" = 'a b x' ]
	nodes far
	mem-get "$(id_of far)" | jq -c '. + {rank: 1, score: 1}' >> hits
	[ "$(mem-rerank --per-community 1 hits | jq -c '[.name, .signals.per_community]' | tail -1)" = '["far",{"community":null,"place":null}]' ]
	# One who may not see a node does not learn of its community.
	[ "$(mem-rerank --agent bob --per-community 1 hits | jq -r .name | xargs)" = 'a x far' ]
	echo 'rerank: {mmr: off, per_community: 1}' >> store/config.yaml
	[ "$(mem-rerank -S store hits | jq -r .name | xargs)" = 'a x far' ]
}
