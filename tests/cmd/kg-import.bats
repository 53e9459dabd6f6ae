#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Graphs taken in from files: by ada, who is the operator, and by bob of team:a.
load helper
load links

setup() {
	scratch
	team_store
}

taxonomy() {
	cat <<-'END'
		{"nodes":[
		{"id":"sc:water","type":"super_concept","label":"Water","order":1.0},
		{"type":"category","id":"cat:water-sport","name":"water-sport"},
		{"id":"kite-surf","type":"tag","count":120},
		{"id":7,"type":"site","url":"https://example.org/"}],
		"edges":[
		{"source":"cat:water-sport","target":"kite-surf","type":"USES_TAG"},
		{"source":"kite-surf","target":"sc:water","type":"MAPS_TO_CONCEPT","weight":0.25,"by":"hand"},
		{"type":"HAS_TAG","source":7,"target":"kite-surf","weight":3},
		{"type":"HAS_TAG","source":7,"target":"cat:water-sport","weight":12},
		{"source":7,"target":"cat:water-sport","type":"HAS_CATEGORY"},
		{"source":"kite-surf","target":"cat:water-sport","type":"CO_OCCURS","weight":1}
		]}
	END
}

import_taxonomy() { kg-import --format taxonomy "$@"; }
tag() { kg-node list --name "$1" | jq -c "$2"; }
verdicts() { jq -rs 'group_by(.verdict) | map("\(length) \(.[0].verdict)") | join(" ")'; }

@test "nodes become tags, edges get their words and weights" {
	taxonomy > t.json
	run -0 import_taxonomy t.json
	[ "$(verdicts <<<"$output")" = '10 new' ]
	[ "$(jq -sc 'map(.line)' <<<"$output")" = '[2,3,4,5,7,8,9,10,11,12]' ]
	[ "$(tag kite-surf '[.kind,.type,.ref,.aliases,.weight,.extra]')" = '["tag","tag","kite-surf",["kite surf","kite","surf"],1,{"id":"kite-surf","type":"tag","count":120}]' ]
	[ "$(tag Water 'select(.name == "Water") | [.type,.ref,has("aliases")]')" = '["super_concept","sc:water",false]' ]
	[ "$(kg-edge list | jq -c '[.edge,.weight,.raw_weight,.bidirectional]' | sort)" = "$(sort <<-'END'
		["uses_tag",null,null,null]
		["maps_to_concept",0.25,null,null]
		["has_tag",0.25,3,null]
		["has_tag",1,12,null]
		["has_category",null,null,null]
		["co_occurs",1,null,true]
	END
	)" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "the same file again changes nothing, another one what it says otherwise" {
	taxonomy | import_taxonomy -q
	mem-export > before
	[ "$(taxonomy | import_taxonomy - | verdicts)" = '10 unchanged' ]
	mem-export | cmp - before
	[ "$(taxonomy | sed 's/"count":120/"count":121/; s/"weight":3/"weight":6/' | import_taxonomy | verdicts)" = '2 changed 8 unchanged' ]
	[ "$(kg-edge list --kind has_tag | jq -c '[.weight,.raw_weight]' | sort)" = '[0.5,6]'$'\n''[1,12]' ]
}

@test "a name is found whole and by part, and is meant before an alias" {
	taxonomy | import_taxonomy -q
	kg-node -q add <<<'{"kind":"tag","name":"surf"}'
	[ "$(mem-search -m keyword --kind tag 'kite surf' -n 1 | jq -r .name)" = kite-surf ]
	[ "$(mem-search -m keyword --kind tag kite | jq -r .name)" = kite-surf ]
	[ "$(kg-node list --name 'Kite Surf' | jq -r .name)" = kite-surf ]
	[ "$(kg-node list --name surf | jq -r .name | sort)" = kite-surf$'\n'surf ]
	[ "$(kg-edge add <<<'{"edge":"relates_to","from":"surf","to":"kite"}' | jq -r .verdict)" = new ]
	[ "$(kg-edge list --from surf | jq -r .edge)" = relates_to ]
	kg-node -q add <<<'{"kind":"tag","name":"kite-flying","aliases":["kite"]}'
	refused_by kg-edge ambiguous 1 40 '{"edge":"relates_to","from":"surf","to":"kite"}'
}

@test "names that are alike, and ids in the file that are not: each node and its edges come back" {
	cat > t.json <<-'END'
		{"nodes":[{"id":"t:1","type":"tag","name":"Küste"},{"id":"t:2","type":"tag","name":"kuste","n":2},
		{"id":"KUSTE","type":"tag"},{"id":"t:4","type":"tag","name":"kuste"},{"id":"c:1","type":"category","name":"Küste"},{"id":"t:3","type":"tag","name":"sea"}],
		"edges":[{"source":"c:1","target":"t:1","type":"USES_TAG"},{"source":"c:1","target":"t:2","type":"USES_TAG"},
		{"source":"t:2","target":"t:3","type":"CO_OCCURS","weight":0.4},{"source":"t:3","target":"t:4","type":"CO_OCCURS","weight":0.4}]}
	END
	run -0 import_taxonomy t.json
	[ "$(verdicts <<<"$output")" = '10 new' ]
	cmp <(kg-export --format taxonomy | jq -cS .) <(jq -cS . t.json)
	[ "$(import_taxonomy t.json | verdicts)" = '10 unchanged' ]
	# In another store, and from there.
	kg-export --format taxonomy | env MEM_AGENT=bob kg-import -q --format taxonomy
	cmp <(kg-export --format taxonomy --agent bob --ns agent:bob) <(kg-export --format taxonomy)
	# The first is the tag of that name: what sessions have goes to it.
	[ "$(kg-node add <<<'{"kind":"tag","name":"KÜSTE"}' | jq -r .id)" = "$(kg-node list --kind tag | jq -r 'select(.ref == "t:1").id')" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "activation climbs from a tag to its category and its concepts" {
	taxonomy | import_taxonomy -q
	run -0 bash -c 'mem-search -m keyword --kind tag kite | mem-spread --threshold .1 --edge-kind uses_tag,maps_to_concept | jq -c "[.name,.score]"'
	[ "$output" = '["water-sport",0.85]'$'\n''["Water",0.2125]' ]
}

@test "what comes twice, has no end or no id is refused by line and byte" {
	cat > t.json <<-'END'
		{"nodes":[{"id":"a","type":"tag"},{"id":"b","type":"tag"},
		  {"id":"a","type":"tag","name":"other"}, 5, {"type":"tag"},
		{"id":"c","type":"planet"}, {"id":"B","type":"tag"}],
		"edges":[{"source":"a","target":"b","type":"CO_OCCURS"}, {"source":"a","target":"b","type":"co-occurs"},
		{"source":"a","target":"z","type":"CO_OCCURS"},{"source":"a","target":"c","type":"CO_OCCURS"},
		{"source":"a","target":"b","type":"MEMBER/OF"},{"source":"a","target":"b","type":"X","weight":-1},
		{"source":"b","target":"a","type":"CO_OCCURS"}]}
	END
	run -1 import_taxonomy t.json
	[ "$(jq -c '[.line,.verdict,.reason,.offset]' <<<"$output")" = "$(cat <<-'END'
		[1,"new",null,null]
		[1,"new",null,null]
		[2,"rejected","bad_value",2]
		[2,"rejected","not_an_object",42]
		[2,"rejected","bad_value",45]
		[3,"rejected","bad_value",0]
		[3,"new",null,null]
		[4,"new",null,null]
		[4,"rejected","bad_value",57]
		[5,"rejected","not_found",0]
		[5,"rejected","not_found",47]
		[6,"rejected","bad_value",0]
		[6,"rejected","bad_value",47]
		[7,"new",null,null]
	END
	)" ]
	[ "$(kg-edge list | jq -c '[.edge,.bidirectional]')" = '["co_occurs",null]'$'\n''["co_occurs",null]' ]
}

@test "a file that is no taxonomy has one receipt with the place of the fault" {
	printf '{"nodes":[\n{"id":"a",}],"edges":[]}' > bad.json
	run -1 import_taxonomy bad.json
	[ "$(jq -c '[.line,.reason,.offset]' <<<"$output")" = '[2,"bad_json",10]' ]
	run -1 import_taxonomy <<<'[1]'
	[ "$(jq -c '[.line,.reason,.offset]' <<<"$output")" = '[1,"not_an_object",0]' ]
	run -1 import_taxonomy <<<'{"nodes":{},"edges":[]}'
	[ "$(jq -c '[.line,.reason,.offset]' <<<"$output")" = '[1,"bad_value",9]' ]
	run -1 import_taxonomy < <(printf '{"nodes":[],\n"x":"\377"}')
	[ "$(jq -c '[.line,.reason,.offset]' <<<"$output")" = '[2,"bad_utf8",5]' ]
	run -1 import_taxonomy < <(printf '{"nodes":%0600d' 0 | tr 0 '[')
	[ "$(jq -r .reason <<<"$output")" = too_deep ]
	run -3 import_taxonomy nosuch.json
	[ "$(mem-list | wc -l)" = 0 ]
}

@test "what stands beside nodes and edges is told" {
	run -0 --separate-stderr import_taxonomy <<<'{"nodes":[],"edges":[],"version":2}'
	[[ $stderr = *"'version' is neither nodes nor edges"* ]]
}

@test "a dry run writes nothing and says what would be, of edges between new nodes, too" {
	taxonomy > t.json
	run -0 import_taxonomy --dry-run t.json
	[ "$(verdicts <<<"$output")" = '10 new' ]
	[ "$(mem-export | wc -l)" = 0 ]
}

@test "who may not write there takes nothing in; secrets are cut" {
	taxonomy > t.json
	run -4 kg-import --agent bob --ns team:b --format taxonomy t.json
	run -0 kg-import --agent bob --ns team:a -q --format taxonomy t.json
	[ "$(kg-node list --agent out | wc -l)" = 0 ]
	[ "$(kg-node list --agent bob | jq -r .ns | sort -u)" = team:a ]
	run -0 import_taxonomy <<<'{"nodes":[{"id":"x","type":"tag","note":"password: hunter2hunter2"}],"edges":[]}'
	[ "$(jq -r '.redactions[0].field' <<<"$output")" = extra.note ]
	[ "$(mem-export | grep -c hunter2)" = 0 ]
}

@test "the audit has a row for each batch" {
	taxonomy | import_taxonomy -q
	run -0 mem-audit --kind import
	[ "$(jq -sc 'map(.detail) | [map(.nodes) + map(.edges) | add]' <<<"$output")" = '[10]' ]
}

@test "a taxonomy of real size comes back as it was" {
	awk 'BEGIN {
		srand(3); printf "{\"nodes\":["
		for (i = 0; i < 18; i++) printf "%s\n{\"id\":\"sc:%d\",\"type\":\"super_concept\",\"label\":\"Concept %d\"}", i ? "," : "", i, i
		for (i = 0; i < 87; i++) printf ",\n{\"id\":\"cat:%d\",\"type\":\"category\",\"name\":\"group-%d\"}", i, i
		for (i = 0; i < 100; i++) printf ",\n{\"id\":\"s%d.example\",\"type\":\"site\"}", i
		for (i = 0; i < 3000; i++) printf ",\n{\"id\":\"tag-%d-%c\",\"type\":\"tag\",\"count\":%d}", i, 97 + i % 26, i * 7 % 1000
		printf "],\n\"edges\":["
		for (i = 0; i < 3000; i++) {
			printf "%s\n{\"source\":\"tag-%d-%c\",\"target\":\"sc:%d\",\"type\":\"MAPS_TO_CONCEPT\",\"weight\":%.3f}", i ? "," : "", i, 97 + i % 26, i % 18, rand()
			printf ",\n{\"source\":\"cat:%d\",\"target\":\"tag-%d-%c\",\"type\":\"USES_TAG\"}", i % 87, i, 97 + i % 26
		}
		for (i = 0; i < 100; i++) for (j = 0; j < 10; j++) printf ",\n{\"source\":\"s%d.example\",\"target\":\"cat:%d\",\"type\":\"HAS_CATEGORY\"}", i, j
		for (i = 0; i < 5880; i++) {
			a = i % 2940; b = a + 1 + int(i / 2940)
			printf ",\n{\"source\":\"tag-%d-%c\",\"target\":\"tag-%d-%c\",\"type\":\"CO_OCCURS\",\"weight\":%d}", a, 97 + a % 26, b, 97 + b % 26, 1 + i % 90
		}
		print "\n]}" }' > big.json
	[ "$(jq -c '[(.nodes, .edges) | length]' big.json)" = '[3205,12880]' ]
	run -0 kg-import --format taxonomy big.json
	[ "$(verdicts <<<"$output")" = '16085 new' ]
	kg-export --format taxonomy > out.json
	cmp <(jq -cS . big.json) <(jq -cS . out.json)
	run -0 mem-check
	[ -z "$output" ]
}

# places FILE: line, verdict, reason and offset of each receipt.
places() { kg-import "$@" | jq -c '[.line,.verdict,.reason,.offset]'; }

@test "a graphml's booleans are those of XML Schema, and of NetworkX" {
	cat >b.graphml <<-'END'
		<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
		<key id="d0" for="node" attr.name="hot" attr.type="boolean"/><key id="d1" for="node" attr.name="word" attr.type="string"/>
		<key id="d2" for="edge" attr.name="bidirectional" attr.type="boolean"><default>False</default></key>
		<graph edgedefault="directed">
		<node id="a"><data key="d0">True</data><data key="d1">True</data></node><node id="b"><data key="d0">0</data></node><node id="c"/>
		<edge source="a" target="b"><data key="d2">True</data></edge><edge source="b" target="c"><data key="d2">1</data></edge><edge source="a" target="c"/>
		</graph></graphml>
	END
	run -0 kg-import -q --format graphml b.graphml
	[ "$(kg-node list | jq -c '[.name, .extra.hot, .extra.word]' | sort | paste -sd' ')" = '["a",true,"True"] ["b",false,null] ["c",null,null]' ]
	[ "$(kg-edge list | jq -c '[.extra.source, .extra.target, .bidirectional // false]' | sort | paste -sd' ')" = '["a","b",true] ["a","c",false] ["b","c",true]' ]
}

@test "a graphml of another program: keys, defaults, no direction" {
	cat > x.graphml <<-'END'
		<?xml version='1.0' encoding='utf-8'?>
		<!-- by hand -->
		<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
		<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
		<key id="d0" for="node" attr.name="label" attr.type="string"><default>none &amp; such</default></key>
		<graph edgedefault="undirected"><desc>a &lt;test&gt;</desc>
		<node id="n0"><data key="d0">Z&#xF6;e</data></node>
		<node id="n1"/>
		<node id="n2"><data key="d0"><![CDATA[a<b]]></data><data key="d9"><g:shape xmlns:g="x">5</g:shape></data></node>
		<edge source="n0" target="n1"><data key="d1">2.0</data></edge>
		<edge source="n1" target="n2" directed="true"><data key="d1">4</data></edge>
		</graph></graphml>
	END
	run -0 kg-import -q x.graphml
	[ "$(mem-list --kind entity | jq -c '[.name,.ref]')" = '["Zöe","n0"]'$'\n''["none & such","n1"]'$'\n''["a<b","n2"]' ]
	[ "$(kg-edge list | jq -c '[.edge,.weight,.bidirectional]')" = '["relates_to",0.5,true]'$'\n''["relates_to",1,null]' ]
}

@test "hostile XML is refused with its place" {
	hostile() { printf '%b' "$1" > h.graphml; [ "$(places h.graphml)" = "$2" ] || { places h.graphml; false; }; }
	hostile '<?xml version="1.0"?>\n<!DOCTYPE g [<!ENTITY a "b">]>\n<graphml/>' '[2,"rejected","bad_value",0]'
	hostile '<graphml>\n<graph>&lol;</graph></graphml>' '[2,"rejected","bad_value",7]'
	hostile '<graphml><graph></graphml>' '[1,"rejected","bad_value",16]'
	hostile '<graphml a="1" a="2"/>' '[1,"rejected","bad_value",0]'
	hostile '<graphml/><graphml/>' '[1,"rejected","bad_value",10]'
	hostile '<graphml><graph><node id="a">' '[1,"rejected","bad_value",29]'
	hostile '<graphml><graph><node id="a"/>\n<node id="b"><graph/></node></graph></graphml>' '[1,"new",null,null]'$'\n''[2,"rejected","bad_value",13]'
	hostile '<graphml>&#0;</graphml>' '[1,"rejected","bad_value",9]'
	hostile '<html/>' '[1,"rejected","bad_value",0]'
	{ printf '<graphml>'; printf '<a>%.0s' {1..100}; } > deep.graphml
	[ "$(places deep.graphml | jq -r '.[2]')" = too_deep ]
}

@test "tables of nodes and of edges, with quotes, other separators and faults" {
	printf 'Id;Label\na;Ann\nb;Bob\nc;"Ca\nrl ""x"""\n' > nodes.csv
	printf 'Source;Target;Type;Weight;Label\na;b;Directed;1;knows\nb;c;Undirected;5;"works; at"\nb;z;;;\n' > edges.csv
	run -1 kg-import nodes.csv edges.csv
	[ "$(jq -c '[.line,.verdict,.reason]' <<<"$output" | tail -3)" = '[2,"new",null]'$'\n''[3,"new",null]'$'\n''[4,"rejected","not_found"]' ]
	[ "$(kg-edge list | jq -c '[.edge,.weight,.bidirectional]')" = '["knows",1,null]'$'\n''["works_at",1,true]' ]
	[ "$(mem-list --kind entity | jq -r .name | tail -2)" = 'Ca'$'\n''rl "x"' ]
	printf 'id,label\nq,x\nr,"open\ns,t\n' > bad.csv
	[ "$(places bad.csv)" = '[2,"new",null,null]'$'\n''[3,"rejected","bad_value",0]' ]
	printf 'id,id\n1,2\n' > twice.csv
	[ "$(places twice.csv)" = '[1,"rejected","duplicate_key",0]' ]
	printf 'id\na\0b\n' > nul.csv
	[ "$(places nul.csv)" = '[2,"rejected","nul",0]' ]
	printf 'id\n1,2\n' > long.csv
	[ "$(places long.csv)" = '[2,"rejected","bad_value",0]' ]
}

@test "json with links; what --format does not say the name must tell" {
	echo '{"directed":true,"nodes":[{"id":1,"label":"One"},{"id":2,"kind":"tag"}],"links":[{"source":1,"target":2,"weight":0.5}]}' > l.json
	run -0 kg-import -q l.json
	[ "$(kg-node list | jq -c '[.kind,.name,.ref]')" = '["entity","One","1"]'$'\n''["tag","2","2"]' ]
	cp l.json l.txt
	run -2 kg-import l.txt
	run -2 kg-import < l.json
	run -0 kg-import --format json -q l.txt
}

@test "a page whose path leads out of its vault is refused" {
	mem-import -q <<<'{"id":"0198f3c2-7d4e-7b1a-9c3d-000000000001","kind":"page","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","title":"In","path":"a/x.md"}'
	kg-export --format json --orphans | jq -c '.nodes += [.nodes[0] | .id |= sub("1$"; "2") | .path = "../../x.md"]' > l.json
	mem-init -q other
	run -1 kg-import -S other l.json
	[ "$(jq -r '"\(.verdict) \(.reason)"' <<<"$output" | sort)" = $'new null\nrejected bad_value' ]
	[ "$(mem-list -S other --kind page | jq -r .path)" = a/x.md ]
}

@test "who is no operator brings in no rights and no other's origin" {
	kg-node -q --agent bob add <<<'{"kind":"entity","name":"own"}'
	kg-node -q --agent bob --ns team:a add <<<'{"kind":"entity","name":"ours"}'
	kg-export --agent bob --format json --orphans > bob.json
	jq -c '.nodes[0].origin.agent = "ada" | .nodes[1].kind = "core"' bob.json > evil.json
	mem-init -q other
	printf 'agents:\n  bob: {teams: [a]}\n' >> other/config.yaml
	run -4 kg-import -S other --agent bob evil.json
	[ "$(jq -r .reason <<<"$output" | sort -u)" = rights_denied ]
	run -0 kg-import -S other --agent bob bob.json
	[ "$(verdicts <<<"$output")" = '2 new' ]
}
