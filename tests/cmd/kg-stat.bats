#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The graph in numbers: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
}

@test "an empty graph" {
	run -0 kg-stat
	[ "$output" = '{"nodes":0,"nodes_by_kind":{},"edges":0,"edges_by_kind":{},"bidirectional":0,"loops":0,"weight":0,"confidence":0,"density":0,"degree":{"mean":0,"median":0,"max":0},"components":0,"largest_component":0,"orphans":0,"hubs":[],"mentions":0,"most_mentioned":[]}' ]
}

small_graph() {
	nodes a b c d alone
	kg-node -q --ns global add <<<'{"kind":"entity","name":"Zoe"}'
	edge a b 0.5
	edge a c 0.6 mentions
	edge b c 0.7 references
	edge c c 1
	echo '{"edge":"about","from":"d","to":"zoe","bidirectional":true,"confidence":0.5}' | kg-edge -q add
}

@test "counts, shape, hubs" {
	small_graph
	run -0 kg-stat -n 2
	[ "$(jq -c 'del(.hubs, .most_mentioned)' <<<"$output")" = '{"nodes":6,"nodes_by_kind":{"entity":1,"tag":5},"edges":5,"edges_by_kind":{"about":1,"mentions":1,"references":1,"relates_to":2},"bidirectional":1,"loops":1,"weight":0.76,"confidence":0.9,"density":0.166667,"degree":{"mean":1.666667,"median":1.5,"max":4},"components":3,"largest_component":3,"orphans":1,"mentions":2}' ]
	[ "$(jq -c '[.hubs[] | [.name, .kind, .degree, .in, .out]]' <<<"$output")" = '[["c","tag",4,3,1],["b","tag",2,1,1]]' ]
	[ "$(jq -c '[.most_mentioned[] | [.name, .mentions]]' <<<"$output")" = '[["c",2]]' ]
	[ "$(jq -r '.hubs[0].id' <<<"$output")" = "$(id_of c)" ]
}

@test "weights fade" {
	nodes a b
	faded_edge a b
	[ "$(kg-stat --now 2026-01-01T00:00:00Z | jq .weight)" = 0.8 ]
	[ "$(kg-stat --now 2026-01-02T00:00:00Z | jq .weight)" = 0.796 ]
}

@test "nodes of other kinds count where they have edges" {
	small_graph
	episode=$(remember '{"content":"tea"}')
	other=$(remember '{"content":"milk"}')
	[ "$(kg-stat | jq .nodes)" = 6 ]
	edge "$episode" a 1 mentions
	[ "$(kg-stat | jq -c .nodes_by_kind)" = '{"episode":1,"entity":1,"tag":5}' ]
	[ "$(kg-stat --kind tag | jq -c '[.nodes, .edges, .orphans]')" = '[5,4,2]' ]
	[ "$(kg-stat --kind episode | jq -c '[.nodes, .edges, .orphans]')" = '[2,0,2]' ]
	[ -n "$other" ]
}

@test "kinds of edges, weights, namespaces" {
	small_graph
	[ "$(kg-stat --edge mentions,references | jq -c '[.nodes, .edges, .orphans]')" = '[6,2,3]' ]
	[ "$(kg-stat --min-weight 0.7 | jq -c .edges)" = 3 ]
	kg-node -q add <<<'{"kind":"tag","name":"mine"}'
	edge mine a
	[ "$(kg-stat --ns agent:ada | jq -c '[.nodes, .edges]')" = '[1,0]' ]
	[ "$(kg-stat --ns agent:ada,global | jq -c '[.nodes, .edges]')" = '[7,6]' ]
	run -2 kg-stat --edge 'No kind'
	run -2 kg-stat --kind nothing
	run -2 kg-stat a
}

@test "what may not be seen shifts no number" {
	small_graph
	kg-stat > before
	hide hidden a c alone
	kg-node -q --agent bob --ns agent:bob add <<<'{"kind":"tag","name":"unseen"}'
	[ "$(kg-stat)" = "$(<before)" ]
	[ "$(kg-stat --agent bob | jq -c '[.nodes, .edges, .orphans]')" = '[8,8,1]' ]
	[ "$(kg-stat --every-namespace | jq .nodes)" = 8 ]
}

@test "for people, a field a line" {
	small_graph
	run -0 kg-stat --format text
	[[ $output = *nodes*6* ]]
	# No brackets, and of a list of nodes one a line.
	run ! grep '[][{}"]' <<<"$output"
	[ "$(kg-stat --format text | grep -c ', degree ')" = "$(kg-stat | jq '.hubs | length')" ]
}

@test "the median of an even number of nodes lies between the two in the middle" {
	nodes a b c d
	edge a b
	edge a c
	edge a c 1 about
	[ "$(kg-stat | jq -c .degree)" = '{"mean":1.5,"median":1.5,"max":3}' ]
}
