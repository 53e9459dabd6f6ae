#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Searching along edges: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
	printf '{"kind":"entity","name":"%s"}\n' Harbour Mina Atlas Lonely | kg-node -q --ns global add
	printf '{"kind":"tag","name":"%s"}\n' boats far | kg-node -q --ns global add
	edge harbour boats 0.8
	edge mina harbour 0.5
	edge mina atlas 1
	edge boats far 0.5
	edge far atlas 1
}

# found ARGS...: name and score of each hit.
found() { mem-search -m graph "$@" | jq -r '"\(.name):\(.score)"' | xargs; }

@test "what two edges reach from the entity of that name, by what is left" {
	[ "$(found harbour)" = 'Harbour:0.5 boats:0.34 Mina:0.2125 Atlas:0.180625 far:0.1445' ]
	[ "$(found -n 2 harbour)" = 'Harbour:0.5 boats:0.34' ]
	[ "$(found --min-score 0.2 harbour)" = 'Harbour:0.5 boats:0.34 Mina:0.2125' ]
	[ "$(found lonely)" = 'Lonely:0.5' ]
	run -1 mem-search -m graph nothing-of-this
	[ -z "$output" ]
}

@test "without an encoder it begins at names, not at texts that hold the word" {
	mkdir v
	printf 'ferry ferry ferry' >v/lists.md
	for i in 1 2 3 4 5 6; do printf '# Note %s\nferry ferry ferry ferry' $i >v/n$i.md; done
	printf -- '---\naliases: [White Ferries]\n---\n%s [[lists]]' "$(seq 300)" >v/timetable.md
	kg-link -q --no-embed --vault ferry v
	[ "$(mem-search -m graph 'when goes the ferry' | jq -c '[.title, .score]' | xargs)" = '[timetable,0.5] [lists,0.425]' ]
	run -1 mem-search -m graph 217
	[ -z "$output" ]
}

@test "each hit has its way" {
	run -0 mem-search -m graph harbour
	[ "$(jq -c '[.rank, .mode, .signals.graph.hops]' <<<"$output" | xargs)" = '[1,graph,0] [2,graph,1] [3,graph,1] [4,graph,2] [5,graph,2]' ]
	[ "$(jq -c .signals.graph <<<"${lines[3]}")" = "{\"score\":0.180625,\"hops\":2,\"via\":[{\"edge\":\"relates_to\",\"from\":\"$(id_of mina)\",\"to\":\"$(id_of harbour)\",\"weight\":0.5},{\"edge\":\"relates_to\",\"from\":\"$(id_of mina)\",\"to\":\"$(id_of atlas)\",\"weight\":1}]}" ]
}

@test "of several beginnings and ways the best counts" {
	[ "$(found harbour atlas | tr ' ' '\n' | sort | xargs)" = 'Atlas:0.5 Harbour:0.5 Mina:0.425 boats:0.34 far:0.425' ]
}

@test "weights fade" {
	faded_edge lonely far
	[ "$(found --now 2026-01-01T00:00:00Z lonely)" = 'Lonely:0.5 far:0.34 Atlas:0.289 boats:0.1445' ]
	[ "$(found --now 2026-01-02T00:00:00Z lonely)" = 'Lonely:0.5 far:0.3383 Atlas:0.287555 boats:0.143778' ]
}

@test "filters hold of what is reached" {
	episode=$(remember '{"content":"the crane was painted"}')
	edge "$episode" harbour 0.9 mentions
	[ "$(mem-search -m graph --kind episode harbour | jq -c '[.content, .score]')" = '["the crane was painted",0.3825]' ]
	[ "$(found --kind tag harbour)" = 'boats:0.34 far:0.1445' ]
	[ "$(found --kind tag -n 1 harbour)" = 'boats:0.34' ]
	[ "$(found --ns global --kind entity harbour)" = 'Harbour:0.5 Mina:0.2125 Atlas:0.180625' ]
	# Where a thing comes from is no way.
	edge "$episode" lonely 1 derived_from
	[ "$(found --kind episode lonely)" = '' ]
}

@test "each hit has its chance to answer, and --min-match goes by it" {
	# match = 1 / (1 + e^-(.73 v - 4.9)), v = 6.8 covered - 1.2: one of two words stands in Harbour, none in what edges reach.
	[ "$(mem-search -m graph 'harbour boats' | jq -c '[.name, .match]' | xargs)" = '[Harbour,0.035778] [boats,0.035778] [Mina,0.003092] [Atlas,0.003092] [far,0.003092]' ]
	[ "$(mem-search -m graph -n 1 --explain harbour | jq -c '.signals.match | [.covered, .unknown]')" = '[1,0]' ]
	[ "$(found --min-match 0.01 -n 1 'boats harbour')" = 'Harbour:0.5' ]
	[ "$(found --kind tag --min-match 0.01 'harbour boats')" = 'boats:0.34' ]
	# What it drops makes room for others, with their own ways.
	[ "$(mem-search -m graph --min-match 0.01 -n 1 'far harbour' --kind tag | jq -c '[.name, .rank, .signals.graph.hops]')" = '["far",1,2]' ]
	run -1 mem-search -m graph --min-match 1 harbour
	[ -z "$output" ]
}

@test "many questions at once" {
	printf '{"query":"%s"}\n' harbour nothing lonely > q
	run -0 mem-search -m graph --queries q
	[ "$(jq -c 'select(.end) | .hits' <<<"$output" | xargs)" = '5 0 1' ]
}

@test "what may not be seen shifts no score" {
	mem-search -m graph --all harbour > before
	hide hidden harbour far lonely
	[ "$(mem-search -m graph --all harbour)" = "$(<before)" ]
	[ "$(found --agent bob --kind entity -n 2 harbour)" = 'Harbour:0.5 Lonely:0.36125' ]
}

@test "entities, tags, pages and skills are found by name and alias" {
	kg-node -q --ns global add <<<'{"kind":"entity","name":"Ferry","aliases":["the white boat"]}'
	[ "$(mem-search --kind entity,page,tag,skill -n 1 'white boat' | jq -r .name)" = Ferry ]
	[ "$(mem-search --kind tag boats | jq -r .name)" = boats ]
}

@test "with an encoder the nearest begin" {
	need_model e5
	mem-embed --pending
	# By meaning its similarity counts, which is not that of a name found by words.
	run -0 mem-search -m graph -n 1 'where is the harbour'
	[ "$(jq -c '[.name, .score > 0.6, .signals.graph.hops]' <<<"$output")" = '["Harbour",true,0]' ]
	[ "$(jq -c .match <<<"$output")" = "$(mem-search -m hybrid --kind entity -n 1 'where is the harbour' | jq -c .match)" ]
	[ "$(mem-search -m graph --all 'where is the harbour' | jq -c 'select(.match == null)')" = '' ]
}

@test "a question that names nothing begins at the page that answers it, and one of nothing there finds nothing" {
	need_model e5
	mkdir v
	printf '# kernel\n\nThe kernel manages virtual memory.\n' >v/kernel.md
	printf '# sched\n\nA CPU scheduler decides which process runs next. [[kernel]]\n' >v/sched.md
	printf '# bread\n\nSourdough needs flour, water, salt and a lively starter.\n' >v/bread.md
	kg-link -q --no-embed v
	mem-embed --pending
	run -0 mem-search -m graph 'how does an operating system pick what is executed'
	[ "$(jq -c '[.title, .signals.graph.hops]' <<<"$output" | head -n 1)" = '["sched",0]' ]
	[[ $output != *bread* ]]
	run -1 mem-search -m graph 'who won the football match in Lisbon'
	[ -z "$output" ]
}
