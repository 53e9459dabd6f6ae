#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Paths: ada is the operator, bob of team:a.
load helper
load links
load graph

setup() {
	scratch
	team_store
	nodes a b c d e f
	edge a b 0.9
	edge b d 0.9
	edge a c 0.5
	edge c d 0.5 about
	edge d e 1 about
	edge a e 0.1
}

# paths ARGS...: names and weight of each.
paths() { kg-path "$@" | jq -r '"\([.nodes[].name] | add):\(.weight)"' | tr '\n' ' '; }

@test "the fewest edges, or what is left most of" {
	[ "$(paths a e)" = 'ae:0.1 ' ]
	[ "$(paths --weighted a e)" = 'abde:0.81 ' ]
	[ "$(paths -k 10 a e)" = 'ae:0.1 abde:0.81 acde:0.25 ' ]
	[ "$(paths -k 10 --weighted a e)" = 'abde:0.81 acde:0.25 ae:0.1 ' ]
	[ "$(paths -k 2 --weighted a e)" = 'abde:0.81 acde:0.25 ' ]
	[ "$(paths -k 10 --weighted --max-hops 2 a e)" = 'ae:0.1 ' ]
}

@test "the record" {
	run -0 kg-path a d --edge about,relates_to --min-weight 0.9
	[ "$output" = "{\"nodes\":[{\"id\":\"$(id_of a)\",\"kind\":\"tag\",\"name\":\"a\"},{\"id\":\"$(id_of b)\",\"kind\":\"tag\",\"name\":\"b\"},{\"id\":\"$(id_of d)\",\"kind\":\"tag\",\"name\":\"d\"}],\"edges\":[{\"edge\":\"relates_to\",\"from\":\"$(id_of a)\",\"to\":\"$(id_of b)\",\"weight\":0.9,\"confidence\":1},{\"edge\":\"relates_to\",\"from\":\"$(id_of b)\",\"to\":\"$(id_of d)\",\"weight\":0.9,\"confidence\":1}],\"weight\":0.81}" ]
	run -0 kg-path a a
	[ "$(jq -c '[.edges, .weight, (.nodes | length)]' <<<"$output")" = '[[],1,1]' ]
	[ "$(kg-path --format text --direction both --edge about c e)" = 'c -about-> d -about-> e (0.5)' ]
	[ "$(kg-path --format text --direction in e d)" = 'e <-about- d (1)' ]
}

@test "confidence counts as weight does" {
	echo '{"edge":"relates_to","from":"a","to":"f","weight":0.8,"confidence":0.5}' | kg-edge -q add
	echo '{"edge":"about","from":"a","to":"f","weight":0.6}' | kg-edge -q add
	[ "$(paths --weighted a f)" = 'af:0.6 ' ]
	[ "$(kg-path --edge relates_to a f | jq -c '[.weight, .edges[].confidence]')" = '[0.4,0.5]' ]
	[ "$(paths --edge relates_to --weighted a f)" = 'af:0.4 ' ]
	echo '{"edge":"about","from":"f","to":"e","weight":0}' | kg-edge -q add
	[ "$(paths --weighted f e 2>&1)" = '' ]
	[ "$(paths f e)" = 'fe:0 ' ]
}

@test "weights fade" {
	faded_edge a f
	[ "$(paths --now 2026-01-02T00:00:00Z a f)" = 'af:0.796 ' ]
	[ "$(paths --now 2026-01-02T00:00:00Z --weighted a f)" = 'af:0.796 ' ]
}

@test "directions; an edge that leads both ways" {
	run -1 kg-path e a
	[ -z "$output" ]
	[ "$(paths --direction in e a)" = 'ea:0.1 ' ]
	[ "$(paths --direction both e a)" = 'ea:0.1 ' ]
	echo '{"edge":"relates_to","from":"f","to":"e","bidirectional":true}' | kg-edge -q add
	[ "$(paths e f)" = 'ef:1 ' ]
	[ "$(paths --weighted --direction in f e)" = 'fe:1 ' ]
}

@test "what is asked for wrongly" {
	run -1 --separate-stderr kg-path a nobody
	[ "$stderr" = "kg-path: no node is meant by 'nobody'" ]
	run -1 kg-path f a
	run -2 kg-path a
	run -2 kg-path a b c
	run -2 kg-path -k 0 a b
	run -2 kg-path --edge 'a b' a b
}

@test "what may not be seen is on no path" {
	kg-path -k 20 --direction both a e > before
	hide hidden a e f
	[ "$(paths --agent bob --weighted a e)" = 'ahiddene:1 ' ]
	[ "$(kg-path -k 20 --direction both a e)" = "$(<before)" ]
	run -1 kg-path --direction both a f
	run -1 kg-path a hidden
	[ "$(paths --every-namespace --direction both a f)" = 'ahiddenf:1 ' ]
}

@test "between two nodes the best edge counts, whichever way paths are looked for" {
	edge a f 0.2 about
	edge a f 0.8 relates_to
	edge a f 0.8 zeta
	echo '{"edge":"alpha","from":"f","to":"a","weight":1,"confidence":0.5,"bidirectional":true}' | kg-edge -q add
	for how in '' --weighted '-k 3' '--max-hops 1'; do
		# shellcheck disable=SC2086
		[ "$(kg-path $how --format text a f | head -n 1)" = 'a -relates_to-> f (0.8)' ]
	done
	[ "$(kg-path --format text --edge about,alpha a f)" = 'a <-alpha- f (0.5)' ]
	[ "$(kg-path --format text --edge about a f)" = 'a -about-> f (0.2)' ]
	[ "$(kg-path --format text --direction in a f)" = 'a <-alpha- f (0.5)' ]
	[ "$(kg-path --format text --direction both --min-weight 0.9 a f)" = 'a <-alpha- f (0.5)' ]
}
