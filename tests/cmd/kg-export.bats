#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The graph written for other programs.
load helper
load links

setup() {
	scratch
	team_store
}

give() { kg-export --format taxonomy "$@"; }

@test "a store without tags is an empty taxonomy" {
	run -0 give
	[ "$(jq -c . <<<"$output")" = '{"nodes":[],"edges":[]}' ]
}

@test "tags that were written by hand and what is between them" {
	kg-node -q add <<-'END'
		{"kind":"tag","type":"category","name":"drinks","ref":"d"}
		{"kind":"tag","name":"tea","weight":0.5}
		{"kind":"tag","type":"pattern","name":"both","items":["a","b"]}
		{"kind":"entity","name":"Zoë"}
	END
	kg-edge -q add <<-'END'
		{"edge":"uses_tag","from":"drinks","to":"tea"}
		{"edge":"co_occurs","from":"tea","to":"drinks","weight":0.3}
		{"edge":"relates_to","from":"tea","to":"zoe"}
		{"edge":"relates_to","from":"tea","to":"both"}
	END
	tea=$(kg-node list --name tea | jq -r .id)
	run -0 give
	[ "$(tr -d '\n' <<<"$output" | jq -c '.nodes, .edges | sort_by(.type)[]')" = "$(cat <<-END
		{"id":"d","type":"category","name":"drinks"}
		{"id":"$tea","type":"tag","name":"tea","weight":0.5}
		{"source":"$tea","target":"d","type":"CO_OCCURS","weight":0.3}
		{"source":"d","target":"$tea","type":"USES_TAG"}
	END
	)" ]
}

@test "a file comes back in its own order and spelling, escapes and numbers too" {
	cat > t.json <<-'END'
		{"nodes":[
		{"name":"Ma\u00df \"x\"","id":"b","type":"tag","n":1.50e2,"deep":{"a":[1,null,true]}},
		{"id":"a","kind":"category","title":"A"},
		{"id":12,"type":"site"}
		],"edges":[
		{"to":"b","from":"a","relation":"uses-tag","weight":1},
		{"source":12,"target":"b","type":"Has_Tag","weight":4.0},
		{"source":"b","target":"a","type":"CO_OCCURS"}
		]}
	END
	kg-import -q --format taxonomy t.json
	give > out.json
	cmp t.json out.json
	# What the store says otherwise stands in place of the file's.
	id=$(kg-node list --name A | jq -r .id)
	kg-node -q set <<<"{\"id\":\"$id\",\"name\":\"a\",\"ref\":\"a2\"}"
	run -0 give
	[ "${lines[2]}" = '{"id":"a2","kind":"category","title":"a"},' ]
	[ "${lines[5]}" = '{"to":"b","from":"a2","relation":"uses-tag","weight":1},' ]
}

@test "only what the caller may read, is live and is of the namespaces asked for" {
	kg-node -q --agent bob add <<-'END'
		{"kind":"tag","name":"own"}
		{"kind":"tag","name":"team","ns":"team:a"}
		{"kind":"tag","name":"gone","expires_at":"2026-11-28T10:00:00Z"}
	END
	kg-edge -q --agent bob add <<-'END'
		{"edge":"co_occurs","from":"own","to":"team"}
		{"edge":"co_occurs","from":"own","to":"gone"}
	END
	export MEM_NOW=2026-11-28T11:00:00Z
	[ "$(give --every-namespace | jq -c '[(.nodes | map(.name)), (.edges | length)]')" = '[["own","team"],1]' ]
	[ "$(give --every-namespace --ns team:a | jq -c '[(.nodes | map(.name)), (.edges | length)]')" = '[["team"],0]' ]
	[ "$(give --agent bob | jq -c '[(.nodes | map(.name)), (.edges | length)]')" = '[["own","team"],1]' ]
	[ "$(give | jq -c '.nodes')" = '[]' ]
	run -4 give --agent bob --every-namespace
	run -2 give --ns 'no such'
}

# A store of nodes and edges with all that formats could stumble over.
nasty_graph() {
	kg-node -q add <<-'END'
		{"kind":"entity","name":"Zoë \"x\" <b>&amp;\\ y","type":"person","ref":"=cmd()"}
		{"kind":"entity","name":"Atlas","type":"pro\nject\u0001","aliases":["a,b","c\r\nd"]}
		{"kind":"entity","name":"lonely"}
		{"kind":"tag","name":"-dash"}
	END
	remember '{"content":"tea, \"hot\"\n\tat <four> ]]>","ref":"r1"}' >/dev/null
	kg-edge -q add <<-'END'
		{"edge":"works_on","from":"=cmd()","to":"Atlas","weight":0.3,"bidirectional":true,"note":"<&>"}
		{"edge":"mentions","from":"r1","to":"=cmd()","confidence":0.5}
		{"edge":"has_tag","from":"Atlas","to":"Atlas"}
		{"edge":"has_tag","from":"Atlas","to":"-dash"}
	END
}

@test "what comes back from json, graphml and csv is the same graph" {
	nasty_graph
	mem-init -q other
	for format in json graphml csv; do
		kg-export --format $format --orphans > first.$format
		rm -r other
		mem-init -q other
		[ "$(kg-import -S other first.$format | jq -r .verdict | sort | uniq -c | tr -s ' ')" = ' 9 new' ]
		kg-export -S other --format $format --orphans | cmp - first.$format
		[ "$(kg-import -S other first.$format | jq -r .verdict | sort | uniq -c | tr -s ' ')" = ' 9 duplicate' ]
		[ -z "$(mem-check -S other)" ]
		diff <(mem-export | sort) <(mem-export -S other | sort)
	done
}

@test "what a terminal obeys is escaped there, and is no label of dot" {
	printf '%s\n' '{"id":"01890000-0000-8000-8000-000000000001","kind":"tag","ns":"agent:ada","created_at":"2026-01-01T00:00:00Z","version":1,"status":"active","name":"red\u009b31m\u001b[0m\u007f\u202eä","type":"tag"}' |
		mem-import -q
	for args in '--orphans --format dot' '--orphans --format json' '--orphans --format csv' '--format taxonomy'; do
		script -qec "kg-export $args" /dev/null </dev/null > seen
		grep -q red seen
		[ "$(tr -d '\r\n' < seen | grep -caP '\xc2[\x80-\x9f]|\xe2\x80\xae|[\x00-\x1f\x7f]')" = 0 ]
	done
	kg-export --orphans --format dot > plain
	grep -qF 'label="red 31m [0m ' plain
	[ "$(grep -caP '\xc2[\x80-\x9f]|\x7f' plain)" = 0 ]
}

@test "each format says what its readers look for" {
	nasty_graph
	run -0 bash -c 'kg-export --format json | jq -c "[(.nodes | length), (.edges | map(.edge) | sort)]"'
	[ "$output" = '[4,["has_tag","has_tag","mentions","works_on"]]' ]
	run -0 kg-export --format graphml
	[[ $output = *'<data key="label">Zoë &#34;x&#34; &#60;b&#62;&#38;amp;\ y</data>'* ]]
	[[ $output = *'<data key="edge">works_on</data><data key="weight">0.3</data>'* ]]
	# A reader like NetworkX takes edges that are all directed, or none.
	[[ $output = *'<data key="bidirectional">true</data>'* && $output != *'directed="false"'* ]]
	run -0 kg-export --format csv
	[[ $output = *"\"'=cmd()\""* && $output = *"\"'-dash\""* ]]
	run -0 kg-export --format dot
	[[ $output = *'[label="Zoë \"x\" <b>&amp;\\ y" kind="entity" type="person"];'* ]]
	[[ $output = *'[label="works_on" weight=0.3 dir=both];'* ]]
}

@test "kinds, edges and namespaces leave the rest out" {
	nasty_graph
	nodes() { kg-export --format json "$@" | jq -c '[(.nodes | map(.name) | sort), (.edges | length)]'; }
	[ "$(nodes --kind tag)" = '[[],0]' ]
	[ "$(nodes --kind tag --orphans)" = '[["-dash"],0]' ]
	[ "$(nodes --edge has_tag)" = '[["-dash","Atlas"],2]' ]
	[ "$(nodes --ns global)" = '[[],0]' ]
	[ "$(nodes --agent bob)" = '[[],0]' ]
	run -2 kg-export --format taxonomy --kind tag
	run -2 kg-export --format json --kind nosuch
}

@test "a full disk is told" {
	nasty_graph
	run -3 bash -c 'kg-export --format csv > /dev/full'
}
