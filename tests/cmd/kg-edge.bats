#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Edges: written by ada, who is the operator, by bob of team:a, and by out, who is of neither.
load helper
load links
load graph

setup() {
	scratch
	team_store
	kg-node -q add <<-'END'
		{"kind":"entity","name":"Zoë","type":"person","ref":"person/1"}
		{"kind":"entity","name":"Atlas","type":"project","aliases":["the big one"]}
		{"kind":"tag","name":"boats"}
	END
	zoe=$(id_of Zoë) atlas=$(id_of Atlas)
}

add() { printf '%s\n' "$@" | kg-edge add; }
refused() { refused_by kg-edge "$@"; }

@test "an edge has the fields of the page, then its own" {
	run -0 kg-edge add <<<'{"edge":"works_on","from":"Zoë","to":"Atlas","since":"spring","weight":0.50,"confidence":1,"bidirectional":true,"valid_from":"2026-01-01T00:00:00+01:00","valid_to":null}'
	[ "$(field verdict) $(field id) $(field ns)" = "new $zoe null" ]
	run -0 kg-edge list
	[ "$output" = "{\"edge\":\"works_on\",\"from\":\"$zoe\",\"to\":\"$atlas\",\"since\":\"spring\",\"weight\":0.5,\"confidence\":1,\"bidirectional\":true,\"valid_from\":\"2025-12-31T23:00:00.000Z\",\"created_at\":\"2026-11-28T09:00:00.000Z\"}" ]
	[ "$(mem-export | grep '^{"edge"')" = "$output" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "ends are ids, their beginnings, refs, names and aliases" {
	episode=$(remember '{"content":"tea","ref":"chat/7"}')
	add "{\"edge\":\"mentions\",\"from\":\"${episode}\",\"to\":\"zoe\"}" "{\"edge\":\"mentions\",\"from\":\"chat/7\",\"to\":\"person/1\"}" \
		"{\"edge\":\"mentions\",\"from\":\"${episode:0:18}\",\"to\":\"${zoe:0:8}\"}" '{"edge":"about","from":"chat/7","to":"The Big One"}' > receipts
	[ "$(jq -r .verdict receipts | tr '\n' ' ')" = 'new unchanged unchanged new ' ]
	[ "$(kg-edge list | jq -r .to)" = "$zoe"$'\n'"$atlas" ]
}

@test "what means two is refused, and both are named at --from" {
	kg-node -q add <<<'{"kind":"entity","name":"Zoe","type":"dog"}'
	refused ambiguous 1 26 '{"edge":"mentions","from":"zoë","to":"Atlas"}'
	refused ambiguous 1 39 '{"edge":"mentions","from":"Atlas","to":"ZOE"}'
	run -1 kg-edge list --from zoe
	[[ $output = *"'zoe' means several nodes: "*"$zoe"* ]]
	# A ref and a name are two meanings, too.
	kg-node -q add <<<'{"kind":"tag","name":"boats two","ref":"Atlas"}'
	refused ambiguous 1 26 '{"edge":"mentions","from":"Atlas","to":"boats"}'
	[ "$(add "{\"edge\":\"mentions\",\"from\":\"$atlas\",\"to\":\"boats\"}" | jq -r .verdict)" = new ]
}

@test "only what is live is meant by a name; an id means what is gone, too" {
	kg-node -q add <<<'{"kind":"tag","name":"gone","expires_at":"2026-11-28T10:00:00Z"}'
	gone=$(id_of gone)
	export MEM_NOW=2026-11-30T00:00:00Z
	refused not_found 1 38 '{"edge":"has_tag","from":"Atlas","to":"gone"}'
	[ "$(add "{\"edge\":\"has_tag\",\"from\":\"Atlas\",\"to\":\"$gone\"}" | jq -r .verdict)" = new ]
}

@test "the same values again are unchanged, others change the one edge" {
	edge='"edge":"works_on","from":"Zoë","to":"Atlas"'
	add "{$edge}" "{$edge,\"weight\":1.0}" "{\"confidence\":1,\"bidirectional\":false,$edge,\"valid_to\":null}" "{$edge,\"weight\":0.5,\"a\":1,\"b\":2}" \
		"{$edge,\"b\":2,\"a\":1,\"weight\":5e-1}" "{$edge,\"b\":2,\"a\":3,\"weight\":0.5}" "{$edge}" > receipts
	[ "$(jq -r .verdict receipts | tr '\n' ' ')" = 'new unchanged unchanged changed unchanged changed changed ' ]
	[ "$(kg-edge list | wc -l)" = 1 ]
	export MEM_NOW=2026-12-01T00:00:00Z
	[ "$(add "{$edge,\"weight\":0}" | jq -r .verdict)" = changed ]
	[ "$(kg-edge list | jq -c '[.weight, .created_at]')" = '[0,"2026-11-28T09:00:00.000Z"]' ]
	# The other way round, or of another kind, it is another edge.
	add '{"edge":"works_on","from":"Atlas","to":"Zoë"}' '{"edge":"relates_to","from":"Zoë","to":"Atlas"}' > receipts
	[ "$(jq -r .verdict receipts | sort -u)" = new ]
	[ "$(kg-edge list | wc -l)" = 3 ]
}

@test "a weight keeps six digits that count, however small it is" {
	local want
	for want in 0.123457 0.0123457 0.00001 0.0000001 0.000000000012 1 0; do
		echo "{\"edge\":\"relates_to\",\"from\":\"atlas\",\"to\":\"boats\",\"weight\":${want/57/567890}}" | kg-edge -q add
		[[ $(kg-edge list --kind relates_to) = *"\"weight\":$want,"* ]]
		[ "$(kg-path --weighted atlas boats | wc -l)" = "$([ "$want" = 0 ] && echo 0 || echo 1)" ]
	done
	run -0 mem-check
	[ -z "$output" ]
}

@test "an edge to itself is allowed" {
	[ "$(add '{"edge":"relates_to","from":"Zoë","to":"Zoë"}' | jq -r .verdict)" = new ]
	[ "$(kg-edge list --end Zoë | wc -l)" = 1 ]
	[ "$(kg-edge list --to Zoë | wc -l)" = 1 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what a record may not say is refused, with its place" {
	refused bad_value 1 0 '{"from":"Zoë","to":"Atlas"}'
	refused bad_value 1 8 '{"edge":"works on","from":"Zoë","to":"Atlas"}'
	refused bad_value 1 8 "{\"edge\":\"$(printf 'a%.0s' {1..65})\",\"from\":\"Zoë\",\"to\":\"Atlas\"}"
	refused bad_value 1 0 '{"edge":"relates_to","to":"Atlas"}'
	refused bad_value 1 28 '{"edge":"relates_to","from":7,"to":"Atlas"}'
	for weight in 7 -0.1 1e999 '"NaN"' '"1"' true; do
		refused bad_value 1 55 "{\"edge\":\"works_on\",\"from\":\"Zoë\",\"to\":\"Atlas\",\"weight\":$weight}"
	done
	refused bad_json 1 55 '{"edge":"works_on","from":"Zoë","to":"Atlas","weight":NaN}'
	refused bad_value 1 62 '{"edge":"works_on","from":"Zoë","to":"Atlas","bidirectional":1}'
	refused bad_time 1 59 '{"edge":"works_on","from":"Zoë","to":"Atlas","valid_from":"soon"}'
	refused bad_value 1 93 '{"edge":"works_on","from":"Zoë","to":"Atlas","valid_from":"2026-02-01T00:00:00Z","valid_to":"2026-01-01T00:00:00Z"}'
	refused reserved_field 1 46 '{"edge":"works_on","from":"Zoë","to":"Atlas","created_at":"2026-01-01T00:00:00Z"}'
	refused not_found 1 26 '{"edge":"works_on","from":"Nobody","to":"Atlas"}'
	refused not_found 1 38 '{"edge":"works_on","from":"Zoë","to":"0198f3c2-7d4e-7b1a-9c3d-0000000000ff"}'
	[ -z "$(kg-edge list)" ]
	for weight in 0 1; do
		add "{\"edge\":\"works_on\",\"from\":\"Zoë\",\"to\":\"Atlas\",\"weight\":$weight}" >/dev/null
		[ "$(kg-edge list | jq .weight)" = "$weight" ]
	done
}

@test "texts of an edge are cleaned" {
	run -0 kg-edge add <<<'{"edge":"works_on","from":"Zoë","to":"Atlas","note":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}'
	[ "$(jq -c '[.redactions[] | [.field, .kind]]' <<<"$output")" = '[["note","github_token"]]' ]
	[ "$(kg-edge list | jq -r .note)" = '[redacted:github_token]' ]
}

@test "set changes some fields; null takes one away" {
	edge='"edge":"works_on","from":"Zoë","to":"Atlas"'
	refused not_found 1 0 "{$edge,\"weight\":0.5}" set
	add "{$edge,\"weight\":0.5,\"since\":\"spring\"}" >/dev/null
	run -0 kg-edge set <<<"{$edge,\"confidence\":0.25,\"since\":null}"
	[ "$(field verdict)" = changed ]
	[ "$(kg-edge list | jq -c 'del(.from, .to)')" = '{"edge":"works_on","weight":0.5,"created_at":"2026-11-28T09:00:00.000Z","confidence":0.25}' ]
	run -0 kg-edge set <<<"{$edge,\"confidence\":0.25}"
	[ "$(field verdict)" = unchanged ]
	run -0 kg-edge set <<<"{$edge,\"weight\":null}
{$edge,\"confidence\":null}"
	[ "$(jq -r .verdict <<<"$output" | uniq -c | tr -s ' ')" = ' 2 changed' ]
	[ "$(add "{$edge}" | jq -r .verdict)" = unchanged ]
	refused bad_value 1 55 "{$edge,\"weight\":7}" set
}

@test "remove; what list prints can be removed" {
	add '{"edge":"works_on","from":"Zoë","to":"Atlas"}' '{"edge":"has_tag","from":"Atlas","to":"boats"}' '{"edge":"has_tag","from":"Zoë","to":"boats"}' >/dev/null
	run -0 kg-edge remove <<<'{"edge":"works_on","from":"Zoë","to":"Atlas"}'
	[ "$(field verdict) $(field id)" = "removed $zoe" ]
	refused not_found 1 0 '{"edge":"works_on","from":"Zoë","to":"Atlas"}' remove
	refused not_found 1 0 '{"edge":"never","from":"Zoë","to":"Atlas"}' remove
	kg-edge list --kind has_tag | kg-edge remove | jq -r .verdict | uniq -c | tr -s ' ' > verdicts
	[ "$(<verdicts)" = ' 2 removed' ]
	[ -z "$(kg-edge list)" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "who writes what is logged and audited" {
	edge='"edge":"works_on","from":"Zoë","to":"Atlas"'
	add "{$edge}" "{$edge}" "{$edge,\"weight\":0}" >/dev/null
	kg-edge -q remove <<<"{$edge}"
	[ "$(mem-audit | jq -c 'select(.kind | startswith("edge")) | [.kind, .subject, .actor, .detail]')" = "[\"edge_added\",\"$zoe\",\"ada\",{\"edge\":\"works_on\",\"to\":\"$atlas\"}]
[\"edge_changed\",\"$zoe\",\"ada\",{\"edge\":\"works_on\",\"to\":\"$atlas\"}]
[\"edge_removed\",\"$zoe\",\"ada\",{\"edge\":\"works_on\",\"to\":\"$atlas\"}]" ]
	[ "$(mem-log | jq -r 'select(.kind == "entity" and .op != "new") | .op' | tr '\n' ' ')" = 'edge edge edge_removed ' ]
}

@test "the node that an edge leaves must be the caller's to write, both ends to read" {
	kg-node -q --agent bob add <<<'{"kind":"entity","name":"Bob"}'
	kg-node -q add <<<'{"kind":"entity","name":"Public","ns":"global"}'
	kg-node -q --agent bob --ns team:a add <<<'{"kind":"entity","name":"Team"}'
	bob=$(kg-node --agent bob list --name Bob | jq -r .id)
	# An end that is another's is not there, by whatever it is named.
	for end in Bob "$bob" "${bob:0:12}"; do
		run -1 kg-edge add <<<"{\"edge\":\"relates_to\",\"from\":\"Zoë\",\"to\":\"$end\"}"
		[ "$(field reason)" = not_found ]
		run -1 kg-edge add <<<"{\"edge\":\"relates_to\",\"from\":\"$end\",\"to\":\"Zoë\"}"
		[ "$(field reason)" = not_found ]
	done
	run -0 kg-edge --agent bob add <<<'{"edge":"relates_to","from":"Bob","to":"Public"}'
	run -0 kg-edge --agent bob add <<<'{"edge":"relates_to","from":"Team","to":"Bob"}'
	run -4 kg-edge --agent bob add <<<'{"edge":"relates_to","from":"Public","to":"Bob"}'
	[ "$(field reason)" = namespace_denied ]
	run -4 kg-edge --agent bob set <<<'{"edge":"relates_to","from":"Public","to":"Bob","weight":0}'
	run -0 kg-edge add <<<'{"edge":"relates_to","from":"Public","to":"Zoë"}'
	run -1 kg-edge --agent bob remove <<<"{\"edge\":\"relates_to\",\"from\":\"Public\",\"to\":\"$zoe\"}"
	# Each sees the edges whose ends both are seen.
	[ "$(kg-edge --agent bob list | wc -l)" = 2 ]
	[ "$(kg-edge list | wc -l)" = 1 ]
	[ "$(kg-edge --agent bob list --end Public | wc -l)" = 1 ]
	[ -z "$(kg-edge --agent out list)" ]
	[ "$(kg-edge --every-namespace list | wc -l)" = 3 ]
	run -1 kg-edge --agent out list --from "$zoe"
	[ "$output" = "kg-edge: --from: no node is meant by '$zoe'" ]
}

@test "the audit names no end that is another's, nor the edge to it" {
	kg-node -q --agent bob add <<<'{"kind":"entity","name":"Bob"}'
	kg-node -q --agent bob --ns team:a add <<<'{"kind":"entity","name":"Team"}'
	bob=$(kg-node --agent bob list --name Bob | jq -r .id)
	printf 'agents:\n  bob: {teams: [a]}\n  eve: {teams: [a]}\n' > agents
	sed -i '/^agents:/,$d' store/config.yaml
	cat agents >> store/config.yaml
	edge='"edge":"relates_to","from":"Team","to":"Bob"'
	kg-edge -q --agent bob add <<<"{$edge}"
	kg-edge -q --agent bob set <<<"{$edge,\"weight\":0.5}"
	kg-edge -q --agent bob remove <<<"{$edge}"
	audited() { mem-audit "$@" | jq -r 'select(.kind | startswith("edge")) | .kind' | wc -l; }
	[ "$(audited --agent bob)" = 3 ]
	[ "$(audited --every-namespace)" = 3 ]
	[ "$(audited --agent eve)" = 0 ]
	[[ $(mem-audit --agent eve) != *"$bob"* ]]
	# Of a node that is gone nobody can tell any more whose it was.
	kg-node -q --agent bob remove "$bob"
	[ "$(audited --agent eve)" = 0 ]
	[ "$(audited --agent bob)" = 3 ]
	[ "$(audited --every-namespace)" = 3 ]
}

@test "kinds that give rights are for operators" {
	kg-node -q --agent bob add <<<'{"kind":"entity","name":"Bob"}
{"kind":"entity","name":"Crew"}'
	for verb in add set remove; do
		run -4 kg-edge --agent bob $verb <<<'{"edge":"member_of","from":"Bob","to":"Crew"}'
		[ "$(field reason)/$(field offset)" = rights_denied/8 ]
	done
	for kind in attested_by promoted_to demoted_from; do
		run -4 kg-edge --agent bob add <<<"{\"edge\":\"$kind\",\"from\":\"Bob\",\"to\":\"Crew\"}"
	done
	run -0 kg-edge add <<<'{"edge":"member_of","from":"Zoë","to":"Atlas"}'
	[ "$(mem-audit --agent bob --kind rights_denied | wc -l)" = 6 ]
	# What is superseded must be the caller's to write.
	kg-node -q add <<<'{"kind":"entity","name":"Public","ns":"global"}'
	run -1 kg-edge --agent bob add <<<'{"edge":"supersedes","from":"Bob","to":"Public"}'
	[ "$(field reason)" = supersedes_denied ]
}

@test "list filters by end, kind and weight" {
	add '{"edge":"works_on","from":"Zoë","to":"Atlas","weight":0.25}' '{"edge":"has_tag","from":"Atlas","to":"boats"}' '{"edge":"has_tag","from":"Zoë","to":"boats","weight":0.75}' '{"edge":"relates_to","from":"boats","to":"boats","weight":0}' >/dev/null
	ends() { kg-edge list "$@" | jq -r '"\(.edge):\(.weight // 1)"' | tr '\n' ' '; }
	[ "$(ends)" = 'works_on:0.25 has_tag:0.75 has_tag:1 relates_to:0 ' ]
	[ "$(ends --from Zoë)" = 'works_on:0.25 has_tag:0.75 ' ]
	[ "$(ends --to boats)" = 'has_tag:0.75 has_tag:1 relates_to:0 ' ]
	[ "$(ends --end Atlas)" = 'has_tag:1 works_on:0.25 ' ]
	[ "$(ends --end boats)" = 'relates_to:0 has_tag:0.75 has_tag:1 ' ]
	[ "$(ends --from Zoë --to boats)" = 'has_tag:0.75 ' ]
	[ "$(ends --from Zoë --end Atlas)" = 'works_on:0.25 ' ]
	[ "$(ends --kind has_tag,relates_to)" = 'has_tag:0.75 has_tag:1 relates_to:0 ' ]
	[ "$(ends --kind nothing)" = '' ]
	[ "$(ends --min-weight 0.75)" = 'has_tag:0.75 has_tag:1 ' ]
	[ "$(ends --max-weight 0.25)" = 'works_on:0.25 relates_to:0 ' ]
	[ "$(ends -n 1)" = 'works_on:0.25 ' ]
	run -2 kg-edge list --min-weight 2
	run -0 kg-edge --format text list --from Zoë -n 1
	[[ ${lines[0]} = KIND*WEIGHT*FROM*NAME*WAY*TO*NAME* ]]
	[[ ${lines[1]} = works_on*0.25*"${zoe:0:8}"*Zoë*'->'*"${atlas:0:8}"*Atlas* ]]
}

# refuses KIND COMMAND...: the command says that this is none, wherever it stands in the list.
refuses() {
	run -2 --separate-stderr "${@:2}" "works_on,$1"
	[[ $stderr = *"'$1' is no kind of edges: letters a to z and _" ]]
}

@test "a kind of edges that can be none is told by whoever is asked for it" {
	add '{"edge":"works_on","from":"zoe","to":"atlas"}' > receipts
	for kind in NIX works-on "$(printf 'a%.0s' {1..65})"; do
		refuses "$kind" kg-edge list --kind
		refuses "$kind" kg-export --format json --edge
		refuses "$kind" kg-export --format svg --edge
		refuses "$kind" kg-neighbors zoe --edge
		refuses "$kind" kg-stat --edge
	done
	run -2 mem-spread --edge-kind NIX </dev/null
	[ "$(kg-edge list --kind nix)" = '' ]
}

@test "set: a new end of validity is compared with the one that stays" {
	local edge='"edge":"works_on","from":"Zoë","to":"Atlas"' part
	add "{$edge,\"valid_from\":\"2026-02-01T00:00:00Z\",\"weight\":0.5}" >/dev/null
	kg-edge list >before
	for part in '"valid_to":"2026-01-01T00:00:00Z"' '"valid_to":"2026-02-01T00:00:00Z"'; do
		run -1 kg-edge set <<<"{$edge,$part}"
		[ "$(jq -r '.verdict + " " + .reason' <<<"$output")" = 'rejected bad_value' ]
	done
	cmp before <(kg-edge list)
	kg-edge -q set <<<"{$edge,\"valid_to\":\"2026-03-01T00:00:00Z\"}"
	kg-edge list >before
	run -1 kg-edge set <<<"{$edge,\"valid_from\":\"2026-04-01T00:00:00Z\"}"
	[ "$(jq -r '.verdict + " " + .reason' <<<"$output")" = 'rejected bad_value' ]
	cmp before <(kg-edge list)
	kg-edge -q set <<<"{$edge,\"valid_from\":null}"
	kg-edge -q set <<<"{$edge,\"valid_to\":\"2026-01-01T00:00:00Z\"}"
	[ "$(kg-edge list | jq -c '[.valid_from, .valid_to, .weight]')" = '[null,"2026-01-01T00:00:00.000Z",0.5]' ]
}

@test "more edges than one snapshot reads" {
	seq 2500 | jq -c '{kind: "tag", name: "t\(.)"}' | kg-node -q add
	kg-node list --kind tag | jq -c '{edge: "has_tag", from: "Zoë", to: .id}, {edge: "co_occurs", from: .id, to: "Atlas", bidirectional: true}' > edges
	kg-edge add edges | jq -r .verdict | uniq -c | tr -s ' ' > verdicts
	[ "$(<verdicts)" = ' 5002 new' ]
	[ "$(kg-edge list | jq -r '.edge + .from + .to' | sort -u | wc -l)" = 5002 ]
	[ "$(kg-edge list --from Zoë | wc -l)" = 2501 ]
	[ "$(kg-edge list --to Atlas -n 1234 | wc -l)" = 1234 ]
	kg-edge list | cmp - <(kg-edge list)
	kg-edge list | jq -c 'del(.created_at)' | kg-edge add | jq -r .verdict | uniq -c | tr -s ' ' > verdicts
	[ "$(<verdicts)" = ' 5002 unchanged' ]
}

@test "--dry-run keeps nothing" {
	run -0 kg-edge --dry-run add <<<'{"edge":"works_on","from":"Zoë","to":"Atlas"}'
	[ "$(field verdict)" = new ]
	[ -z "$(kg-edge list)" ]
	add '{"edge":"works_on","from":"Zoë","to":"Atlas"}' >/dev/null
	run -0 kg-edge --dry-run remove <<<'{"edge":"works_on","from":"Zoë","to":"Atlas"}'
	[ "$(field verdict)" = removed ]
	[ "$(kg-edge list | wc -l)" = 1 ]
}
