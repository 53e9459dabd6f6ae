#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What hits activate: ada is the operator, bob of team:a.
load helper
load links

setup() {
	scratch
	team_store
}

# nodes NAME...: tags of these names.
nodes() { printf '{"kind":"tag","name":"%s"}\n' "$@" | kg-node -q add; }
# edge FROM TO WEIGHT [FIELDS]
edge() { echo "{\"edge\":\"${KIND:-relates_to}\",\"from\":\"$1\",\"to\":\"$2\",\"weight\":${3/#./0.}${4-}}" | kg-edge -q add; }
# hit NAME SCORE [FIELDS]: the tag of this name as a hit.
hit() { kg-node list --name "$1" | jq -c ". + {rank: 1, score: $2, mode: \"keyword\", signals: {lexical: {score: $2}}} ${3-}"; }
# potentials: of names, as they come out.
potentials() { jq -r '"\(.name):\(.score)"' | tr '\n' ' '; }

diamond() {
	nodes a b c d e
	edge a b .6
	edge a c .5
	edge b d .8
	edge c d .4
	edge a d .1
	edge d e 1
}

@test "potentials by hand, by potential" {
	diamond
	run -0 mem-spread < <(hit a 1)
	[ "$(potentials <<<"$output")" = 'd:0.5763 b:0.51 ' ]
	[ "$(jq -c '[.rank, .mode, .signals]' <<<"$output")" = '[1,"keyword",{"spread":{"score":0.5763,"hops":1}}]
[2,"keyword",{"spread":{"score":0.51,"hops":1}}]' ]
	[ "$(hit a 1 | mem-spread --threshold .4 | potentials)" = 'd:0.5763 b:0.51 e:0.489855 c:0.425 ' ]
	[ "$(hit a 1 | mem-spread --threshold 0 --hops 1 | potentials)" = 'b:0.51 c:0.425 d:0.085 ' ]
	[ "$(hit a 1 | mem-spread --leak .5 --threshold .3 | potentials)" = 'b:0.3 ' ]
	[ "$(hit a 1 | mem-spread --min-signal .45 --threshold .3 | potentials)" = 'b:0.51 d:0.4318 c:0.425 ' ]
	[ "$(hit a 1 | mem-spread -n 1 | potentials)" = 'd:0.5763 ' ]
}

@test "nodes of one potential come by id" {
	nodes a b c d
	for to in b c d; do edge a $to .7; done
	hit a 1 | mem-spread > out
	[ "$(wc -l < out)" = 3 ]
	jq -r .id out | LC_ALL=C sort -c
	[ "$(jq -r .score out | sort -u)" = 0.595 ]
}

@test "a weight that was strengthened fades" {
	nodes a b
	KIND=co_occurs edge a b .8 ',"reinforced_at":"2026-01-01T00:00:00Z"'
	[ "$(hit a 1 | mem-spread --now 2026-01-01T00:00:00Z | potentials)" = 'b:0.68 ' ]
	[ "$(hit a 1 | mem-spread --now 2026-01-02T00:00:00Z | potentials)" = 'b:0.6766 ' ]
}

@test "an edge to itself, a cycle of a thousand, a weight of nothing" {
	seq 1000 | jq -c '{kind: "tag", name: "t\(.)"}' | kg-node -q add
	kg-node list | jq -sc '. as $n | range(length) | {edge: "succeeds", from: $n[.].id, to: $n[(. + 1) % ($n | length)].id}' | kg-edge -q add
	nodes loop never
	edge t1 loop .5
	edge loop loop 1
	edge t1 never 0
	run -0 mem-spread --threshold 0 < <(hit t1 1)
	[ "$(potentials <<<"$output")" = 't2:0.85 loop:0.78625 t3:0.7225 t4:0.614125 ' ]
}

@test "--seeds: the seeds stay, what fired stands behind them" {
	diamond
	{ hit a 3; hit b 2.5 '+ {extra: 1e400}'; } > hits
	run -0 mem-spread --seeds hits
	# b has 1 and .51 of a; d .085 and .4913 of a, .68 of b; e .85 of what d got in each of two hops.
	[ "$(jq -c '[.name, .rank, .score, .signals.spread.score, .signals.spread.hops]' <<<"$output")" = '["a",1,3,1,0]
["b",2,2.5,1.51,0]
["d",3,2.056797,1.2563,1]
["e",4,2.016407,1.067855,2]' ]
	[ "$(jq -c 'select(.name == "b") | .signals.lexical.score' <<<"$output")" = 2.5 ]
	[[ ${lines[1]} = *'"extra":'* ]]
	[ "$(mem-spread --seeds -n 3 hits | jq -r .name | tr '\n' ' ')" = 'a b d ' ]
	[ "$(mem-spread hits | potentials)" = 'd:1.2563 e:1.067855 ' ]
}

@test "what was spread passes as it is, unless it is to be spread again" {
	diamond
	hit a 1 | mem-spread --seeds > once
	mem-spread --seeds once | cmp - once
	mem-spread once | cmp - once
	run -0 mem-spread --again --seeds once
	[ "$(jq -r .name <<<"$output" | tr '\n' ' ')" = 'a d b e ' ]
	[ "$(jq -c '.signals.spread.hops' <<<"$output" | tr '\n' ' ')" = '0 0 0 1 ' ]
}

@test "--explain shows the paths" {
	diamond
	run -0 mem-spread --explain < <(hit a 1)
	[ "$(jq -c 'select(.name == "d") | .signals.spread.paths | map([.signal, (.via | map(.weight))])' <<<"$output")" = '[[0.3468,[0.6,0.8]],[0.1445,[0.5,0.4]],[0.085,[0.1]]]' ]
	[ "$(jq -c 'select(.name == "d") | .signals.spread | [has("more"), (.paths[0].via[0].edge), .paths[0].from]' <<<"$output")" = "[false,\"relates_to\",\"$(kg-node list --name a | jq -r .id)\"]" ]
	for i in {1..9}; do nodes "x$i"; edge a "x$i" ".$i"; edge "x$i" e 1; done
	[ "$(hit a 1 | mem-spread --explain | jq -c 'select(.name == "e") | .signals.spread | [(.paths | length), .more]')" = '[8,4]' ]
}

@test "kinds of edges" {
	nodes a b c d
	KIND=derived_from edge a b 1
	KIND=about edge a c 1
	KIND=mentions edge a d 1
	names() { hit a 1 | mem-spread "$@" | jq -r .name | sort | tr '\n' ' '; }
	[ "$(names)" = 'c d ' ]
	[ "$(names --edge-kind derived_from)" = 'b ' ]
	[ "$(names --edge-kind about --edge-kind derived_from,never)" = 'b c ' ]
	[ "$(names --edge-kind never)" = '' ]
}

@test "filters say what comes out, not what signals go through" {
	nodes a b
	printf '%s\n' '{"kind":"entity","name":"person"}' '{"kind":"entity","name":"other","ns":"global"}' | kg-node -q add
	edge a person 1
	edge person b 1
	edge b other 1
	[ "$(hit a 1 | mem-spread --kind entity | jq -r .name | tr '\n' ' ')" = 'person other ' ]
	[ "$(hit a 1 | mem-spread --kind tag | jq -r .name)" = b ]
	[ "$(hit a 1 | mem-spread --ns global | jq -r .name)" = other ]
	[ -z "$(hit a 1 | mem-spread --until 2026-01-01)" ]
	run -2 mem-spread --kind nothing < <(hit a 1)
}

@test "what the caller may not see gives nothing and leads nowhere" {
	kg-node -q --agent bob --ns team:a add <<<'{"kind":"tag","name":"a"}
{"kind":"tag","name":"c"}'
	kg-node -q --agent bob add <<<'{"kind":"tag","name":"b"}
{"kind":"tag","name":"mine"}'
	for pair in 'a b' 'b c' 'a mine'; do
		echo "{\"edge\":\"about\",\"from\":\"${pair% *}\",\"to\":\"${pair#* }\"}" | kg-edge -q --agent bob add
	done
	kg-node --agent bob list --name a | jq -c '. + {score: 1}' > hit
	[ "$(mem-spread --agent bob hit | jq -r .name | sort | tr '\n' ' ')" = 'b c mine ' ]
	[ -z "$(mem-spread --agent out hit)" ]
	run -0 mem-spread --agent out --seeds hit
	[ "$(jq -c .signals.spread <<<"$output")" = '{"score":null,"hops":null}' ]
	# Another member of the team sees both ends, but not what lies between them.
	[ -z "$(MEM_TEAMS=a mem-spread --agent eve hit)" ]
	[ "$(mem-spread --every-namespace hit | wc -l)" = 3 ]
}

@test "nodes that are not live neither get nor send" {
	nodes a c
	echo '{"kind":"tag","name":"b","expires_at":"2026-11-29T00:00:00Z"}' | kg-node -q add
	edge a b 1
	edge b c 1
	[ "$(hit a 1 | mem-spread | jq -r .name | tr '\n' ' ')" = 'b c ' ]
	[ -z "$(hit a 1 | mem-spread --now 2026-11-30)" ]
}

@test "queries apart, with their end records" {
	diamond
	{ hit a 1 '+ {qid: "x"}'; hit b 1 '+ {qid: 7}'; echo '{"qid":"x","end":true,"hits":1}'; echo '{"qid":7,"end":true,"hits":1}'; } > hits
	run -0 mem-spread hits
	[ "$(jq -c '[.qid, .name, .rank, .hits]' <<<"$output")" = '["x","d",1,null]
["x","b",2,null]
["x",null,null,2]
[7,"d",1,null]
[7,"e",2,null]
[7,null,null,2]' ]
}

@test "records without score or signals are seeds, too; what is no hit is told" {
	diamond
	[ "$(kg-node list --name a | mem-spread | potentials)" = 'd:0.5763 b:0.51 ' ]
	run -0 mem-spread --seeds < <(kg-node list --name a)
	[ "$(jq -c '[.name, .score]' <<<"$output")" = '["a",null]
["d",-0.634397]
["b",-0.662252]' ]
	{ echo x; echo '{"content":"tea"}'; echo '{"id":"no-uuid","score":1}'; echo '{"id":"b","score":"high"}'; hit a 1; } > hits
	run -1 --separate-stderr mem-spread hits
	[ "$(potentials <<<"$output")" = 'd:0.5763 b:0.51 ' ]
	[ "$(wc -l <<<"$stderr")" = 3 ]
	run -0 mem-spread < /dev/null
	[ -z "$output" ]
}

@test "settings, and options over them" {
	diamond
	printf '%s\n' 'spread: {threshold: 0.4, hops: 1}' >> store/config.yaml
	[ "$(hit a 1 | mem-spread | potentials)" = 'b:0.51 c:0.425 ' ]
	[ "$(hit a 1 | mem-spread --hops 3 --threshold .5 | potentials)" = 'd:0.5763 b:0.51 ' ]
	sed -i 's/hops: 1/hops: 17/' store/config.yaml
	run -3 mem-spread < <(hit a 1)
	[[ $output = *'spread.hops must be a whole number from 1 to 16'* ]]
	run -3 mem-search --explain a
	[[ $output = *'spread.hops must be a whole number from 1 to 16'* ]]
	sed -i 's/hops: 17/leak: 1.5/' store/config.yaml
	run -3 mem-spread < <(hit a 1)
	[[ $output = *'spread.leak must be a number from 0 to 1'* ]]
}

@test "as a stage of a search it gives what the pipe gives" {
	printf '%s\n' '{"content":"Zoë moved the launch","ref":"r1"}' '{"content":"the launch is in May","ref":"r2"}' '{"content":"harbour","ref":"r3"}' | mem-capture -q
	printf '%s\n' '{"kind":"entity","name":"Zoë"}' '{"kind":"entity","name":"Atlas"}' | kg-node -q add
	edge r1 zoë .9 ',"bidirectional":true'
	edge r2 zoë .5
	edge zoë atlas .8
	edge atlas r3 1
	for query in launch 'launch kind:episode' 'may launch' nothing; do
		kind=()
		[[ $query != *kind:* ]] || kind=(--kind episode)
		mem-search --stages fuse "$query" | mem-spread --seeds "${kind[@]}" > pipe
		mem-search --stages fuse,spread "$query" | cmp - pipe
		mem-search --stages fuse "$query" | mem-spread --seeds --explain "${kind[@]}" | jq -c .signals.spread > pipe
		mem-search --stages fuse,spread --explain "$query" | jq -c .signals.spread | cmp - pipe
	done
	mem-capture -q <<<'{"content":"the launch","ref":"r4","session_id":"s1","role":"assistant","tags":["x"],"captured_at":"2026-01-05T00:00:00Z"}'
	edge r1 r4 1
	for filter in '--session s1' '--role assistant' '--tag x' '--flagged' '--until 2026-02-01' '--known-at 2026-01-01'; do
		# shellcheck disable=SC2086
		{ mem-search --all --stages fuse $filter launch | mem-spread --seeds $filter > pipe
		mem-search --all --stages fuse,spread $filter launch | cmp - pipe; }
	done
	# shellcheck disable=SC2086
	[ "$(for filter in '--session s1' '--role assistant' '--tag x' '--flagged' '--session s2'; do mem-get -r r1 | mem-spread $filter | jq -r .ref; echo .; done | paste -sd' ')" = 'r4 . r4 . r4 . . .' ]
	[ "$(mem-search --stages fuse,spread launch | wc -l)" -gt 2 ]
	[ "$(mem-search --stages fuse,spread -n 3 launch | wc -l)" = 3 ]
	run -2 mem-search --stages spread launch
	run -2 mem-search --stages fuse,spread,spread launch
}

@test "the signal of the graph is the potential of the best candidates' spreading" {
	printf '{"content":"dog %s","ref":"r%s"}\n' one 1 two 2 three 3 | mem-capture -q
	edge r1 r2 .5
	edge r2 r3 1
	run -0 mem-search --explain dog
	[ "$(jq -c '[.ref, .signals.graph.score, .signals.graph.rank]' <<<"$output" | sort | tr '\n' ' ')" = '["r1",1,3] ["r2",1.425,2] ["r3",2.21125,1] ' ]
	mem-search --explain dog | jq -c '[.ref, .signals.graph.score]' | sort > signals
	mem-search dog | mem-spread --seeds | jq -c '[.ref, .signals.spread.score]' | sort | cmp - signals
	[ "$(mem-search dog | jq -c '.signals | has("graph")' | sort -u)" = false ]
	# A class may let it count.
	printf '%s\n' 'search: {class: {factual: {graph: 1}}}' >> store/config.yaml
	[ "$(mem-search --stages fuse --class factual dog | jq -r .ref | tr '\n' ' ')" = 'r3 r2 r1 ' ]
	[ "$(mem-search --agent out --explain dog)" = '' ]
}
