#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Patterns: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
	nodes a b c d e
	edge a b 0.6
	edge b c 0.8
	edge c d 0.9 about
	edge a d 0.3 about
}

# found ARGS...: the names of each match, in the order of the pattern's.
found() { kg-query "$@" | jq -r '[.[].name] | join("")' | sort | tr '\n' ' '; }

@test "a record of the named nodes for each match" {
	run -0 kg-query '(x "a")-[relates_to]->(y:tag)'
	[ "$output" = "{\"x\":{\"id\":\"$(id_of a)\",\"kind\":\"tag\",\"name\":\"a\"},\"y\":{\"id\":\"$(id_of b)\",\"kind\":\"tag\",\"name\":\"b\"}}" ]
	run -0 kg-query '(x "a")-[nothing]->(y)'
	[ -z "$output" ]
}

@test "directions, kinds and lengths of edges" {
	[ "$(found '(x)-[relates_to]->(y)')" = 'ab bc ' ]
	[ "$(found '(x)<-[relates_to]-(y)')" = 'ba cb ' ]
	[ "$(found '(x)-[relates_to|about]->(y)')" = "$(found '(x)-->(y)')" ]
	[ "$(found '(x "c")--(y)')" = 'cb cd ' ]
	[ "$(found '(x "a")-[*1..3]->(y)')" = 'ab ac ad ' ]
	[ "$(found '(x "a")-[relates_to*..3]->(y)')" = 'ab ac ' ]
	[ "$(found '(x "a")-[*3]->(y)')" = 'ad ' ]
	echo '{"edge":"relates_to","from":"e","to":"a","bidirectional":true}' | kg-edge -q add
	[ "$(found '(x "a")-[relates_to]->(y)')" = 'ab ae ' ]
}

@test "paths joined by names; nodes without one are not printed and give no second record" {
	[ "$(found '(x)-[relates_to]->(y), (x)-[about]->(z)')" = 'abd ' ]
	[ "$(found '(x "a")--()--(y)')" = 'ac ' ]
	[ "$(found '(x)-[about]->()<-[about]-(y)')" = 'ac ca ' ]
	[ "$(kg-query '(x)-->()' | wc -l)" = 3 ]
	edge b d
	[ "$(kg-query '(x "a")-[*..9]->("d")' | wc -l)" = 1 ]
}

@test "kinds, names and fields of nodes" {
	kg-node -q --ns global add <<<'{"kind":"entity","name":"Zoe","type":"person","aliases":["Zo"]}'
	edge zoe a
	[ "$(found '(x:entity)-->(y)')" = 'Zoea ' ]
	[ "$(found '(x:entity|tag {name:"a"})-->(y)')" = 'ab ad ' ]
	[ "$(found '(x {aliases:"Zo", type:"person"})')" = 'Zoe ' ]
	[ "$(found '(x {aliases:"Zo", type:"place"})')" = '' ]
	[ "$(found '(x:tag {name:"e"})')" = 'e ' ] # without an edge
	[ "$(found '(x "zo")-->(y "A")')" = 'Zoea ' ]
	[ "$(found --ns agent:ada '(x)-->(y)')" = '' ]
	[ "$(found --ns global '(x:entity)-->(y)')" = 'Zoea ' ]
}

@test "least weight, limit, the past, standard input" {
	[ "$(found --min-weight 0.6 '(x)-->(y)')" = 'ab bc cd ' ]
	[ "$(kg-query -n 2 '(x)-->(y)' | wc -l)" = 2 ]
	[ "$(printf '(x)\n-[about]->\n(y)\n' | found -)" = 'ad cd ' ]
	echo '{"edge":"about","from":"e","to":"a","valid_from":"2026-01-01T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}' | kg-edge -q add
	[ "$(found --as-of 2026-01-15T00:00:00Z '(x "e")-[about]->(y)')" = 'ea ' ]
	[ "$(found --as-of 2026-03-15T00:00:00Z '(x "e")-[about]->(y)')" = '' ]
}

@test "what may not be seen leaves no trace" {
	kg-query '(x)-[*..4]-(y)' > before
	hide hidden a e
	[ "$(found --agent bob '(x "e")--(y)--(z)')" = 'ehiddena ' ]
	run -0 kg-query '(x)-[*..4]-(y)'
	[ "$output" = "$(<before)" ]
	run -1 --separate-stderr kg-query '(x "hidden")--(y)'
	[ "$stderr" = "kg-query: pattern, column 4: no node is meant by 'hidden'" ]
	[ "$(found --every-namespace '(x "e")--(y)')" = 'ehidden ' ]
	run -4 kg-query --agent bob --every-namespace '(x)'
}

@test "what is no pattern is named by its column" {
	run -2 --separate-stderr kg-query '(a:page)-[references*0]->(b)'
	[ "$stderr" = 'kg-query: pattern, column 22: a length from 1 to 100 expected, such as 2 or 1..3' ]
	run -2 kg-query '()-->()'
	run -2 kg-query ''
	run -2 kg-query
	run -2 kg-query '(a)' '(b)'
	run -2 kg-query --steps 0 '(a)'
}

@test "edges of any length end where nothing is new, in cycles too" {
	[ "$(found '(x "a")-[*]->(y)')" = 'ab ac ad ' ]
	[ "$(found '(x "a")-[relates_to*]->(y)')" = 'ab ac ' ]
	[ "$(found '(x "a")-[*3..]->(y)')" = 'ad ' ]
	edge d a
	[ "$(found '(x "a")-[*3..]->(y)')" = 'ab ac ad ' ]
	[ "$(kg-query '(x "a")-[*90..]->(x)' | jq -r .x.name)" = a ]
	[ "$(found '(x)<-[*..]-(y "c")')" = 'ac bc dc ' ]
}

@test "an edge with a name is printed under it, each that there is" {
	run -0 kg-query '(x "a")-[e:relates_to]->(y)'
	[ "$output" = "{\"x\":{\"id\":\"$(id_of a)\",\"kind\":\"tag\",\"name\":\"a\"},\"e\":{\"edge\":\"relates_to\",\"from\":\"$(id_of a)\",\"to\":\"$(id_of b)\",\"weight\":0.6,\"confidence\":1},\"y\":{\"id\":\"$(id_of b)\",\"kind\":\"tag\",\"name\":\"b\"}}" ]
	edge a b 0.5 about
	echo '{"edge":"about","from":"b","to":"a","confidence":0.25}' | kg-edge -q add
	edges() { kg-query "$1" | jq -r '.e | "\(.edge) \(.weight) \(.confidence)"' | tr '\n' ,; }
	[ "$(edges '("a")-[e:]->("b")')" = 'about 0.5 1,relates_to 0.6 1,' ]
	[ "$(edges '("a")-[e:about]-("b")')" = 'about 0.5 1,about 1 0.25,' ]
	[ "$(edges '("a")<-[e:]-("b")')" = 'about 1 0.25,' ]
	[ "$(kg-query '()-[e:about]-()' | wc -l)" = 4 ]
	[ "$(kg-query '("a")-[e:]->("b"), ("a")-[f:]->("b")' | jq -r '.e.edge + " " + .f.edge' | tr '\n' ,)" = 'about relates_to,relates_to about,' ]
	[ "$(kg-query '("a")-[e:]->("b"), ("a")-[f:]->("b"), ("a")-[g:]->("b")')" = '' ]
	echo '{"edge":"about","from":"e","to":"e"}' | kg-edge -q add
	[ "$(kg-query '("e")-[e:]-(x)' | wc -l)/$(kg-query '("e")<-[e:]-("e")' | wc -l)" = 1/1 ]
	run -0 kg-query --format text '(x "a")-[e:relates_to]->(y)'
	[[ ${lines[0]} = X*E*Y && ${lines[1]} = a*relates_to*b ]]
}

@test "steps are counted, and it is told when they are used up" {
	run -1 --separate-stderr kg-query --steps 8 '(x)--(y)--(z)'
	[[ $stderr = 'kg-query: stopped after 8 steps, there may be more:'* ]]
	run -0 kg-query --steps 1000 '(x)--(y)--(z)'
}

@test "the same nodes in another order of writing give the same matches" {
	kg-query '(x)-[*..3]-(y)--(z)' > one
	mem-export --every-namespace | jq -c 'select(.kind == "tag")' | tac > nodes
	mem-export --every-namespace | jq -c 'select(.edge)' | tac > edges
	mem-init -q other
	cat nodes edges | mem-import -q -S other
	run -0 kg-query -S other '(x)-[*..3]-(y)--(z)'
	[ "$output" = "$(<one)" ]
}

@test "a table for people" {
	run -0 kg-query --format text '(x "a")-[relates_to]->(other)'
	[[ ${lines[0]} = X*OTHER ]]
	[[ ${lines[1]} = a*b ]]
}
