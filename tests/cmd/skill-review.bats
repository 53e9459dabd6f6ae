#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	export MEM_AGENT=ada
	need_store
	printf 'reviewers: [rev]\n' >>"$MEM_STORE/config.yaml"
}
propose() { # RECORD: in global; its id
	skill-propose --ns global - <<<"$1" | jq -r .id
}
submitted() {
	local id
	id=$(propose "$1")
	skill-propose -q --submit "$id"
	echo "$id"
}
state() { mem-get "$1" | jq -r .state; }

@test "what is approved is a skill, with its edges, and what it lacks is proposed" {
	printf '%s\n' '{"id":"01a227c1-b922-7000-966b-a0d1b5934b99","kind":"skill","ns":"global","created_at":"2026-11-01T00:00:00.000Z","version":1,"status":"active","ref":"skill/boil-water","name":"boil-water","description":"Boil water","tags":[],"release":"1.0.0","content":"Heat it.\n"}' | mem-import -q
	id=$(submitted '{"topic":"brew tea","description":"When tea is wanted","content":"# Tea\n\nUse water.\n","category":"kitchen","dependencies":[{"name":"boil-water","weight":0.9},{"name":"warm-pot","relation":"enhances","similarity":0.6},{"name":"far-away","similarity":0.2}]}')
	run -0 --separate-stderr skill-review --agent rev approve --note "It was time." "$id"
	[ "$(jq -r .verdict <<<"$output")" = changed ]
	[ "$(state "$id")" = created ]
	skill=$(mem-list --kind skill | jq -r 'select(.name == "brew-tea").id')
	[ "$(mem-get "$skill" | jq -c '[.ns, .status, .ref, .description, .category, .release, .content, .missing, .path]')" = \
		'["global","active","skill/brew-tea","When tea is wanted","kitchen","1.0.0","# Tea\n\nUse water.\n",["warm-pot","far-away"],null]' ]
	[ "$(mem-get "$skill" | jq -rj '.front + .content' | sha256sum | cut -d' ' -f1)" = "$(mem-get "$skill" | jq -r .sha256)" ]
	[ "$(kg-edge list --from "$skill" | jq -c '[.edge, .to, .weight]')" = '["requires","01a227c1-b922-7000-966b-a0d1b5934b99",0.9]' ]
	# Of what it lacks, what is near enough.
	[ "$(mem-list --kind proposal | jq -c --arg id "$id" 'select(.parent == $id) | [.name, .confidence, .state]')" = '["warm-pot",0.48,"draft"]' ]
	[ "$(mem-audit | jq -r --arg s "$skill" 'select(.kind == "skill_created" and .subject == $s).detail.proposal')" = "$id" ]
	# It is decided.
	run -0 skill-review --agent rev approve "$id"
	[ "$(jq -r .verdict <<<"$output")" = unchanged ]
	run -1 skill-review --agent rev reject --note no "$id"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
}

@test "what a skill needs is in its file, so that it is the same elsewhere" {
	for n in boil-water cup; do
		printf -- '---\nname: %s\n---\nx\n' $n >$n.md
		skill-ingest -q $n.md
	done
	id=$(submitted '{"topic":"brew tea","description":"d","content":"Pour.\n","dependencies":[{"name":"boil-water","weight":0.9},{"name":"cup","relation":"enhances"},"kettle"]}')
	skill-review -q --agent rev approve "$id"
	edges() { mem-export --every-namespace | jq -c -s '(map(select(.kind == "skill") | {key: .id, value: .name}) | from_entries) as $n | .[] | select(.edge) | [.edge, $n[.from], $n[.to], .weight]' | sort; }
	edges >here
	[ "$(tr '\n' ' ' <here)" = '["enhances","brew-tea","cup",0.7] ["requires","brew-tea","boil-water",0.9] ' ]
	skill-export -q out
	[ "$(grep -A 4 ^dependencies: out/brew-tea/SKILL.md)" = "$(printf '%s\n' 'dependencies:' '  - {name: "boil-water", weight: 0.9}' '  - {name: "kettle", weight: 0.7}' 'enhances:' '  - {name: "cup", weight: 0.7}')" ]
	mem-init -q other
	MEM_STORE=$PWD/other skill-ingest -q out
	MEM_STORE=$PWD/other edges | diff here -
	[ "$(MEM_STORE=$PWD/other mem-list --kind skill | jq -c 'select(.name == "brew-tea").missing')" = '["kettle"]' ]
}

@test "what a skill lacked is joined to it when it is created" {
	id=$(submitted '{"topic":"brew tea","dependencies":[{"name":"warm-pot","relation":"enhances","similarity":0.6,"confidence":0.4},{"name":"cup","similarity":0.5}]}')
	run -0 --separate-stderr skill-review --agent rev approve "$id"
	[ "$stderr" = 'skill-review: brew-tea needs a skill that is not there: warm-pot
skill-review: brew-tea needs a skill that is not there: cup' ]
	tea=$(mem-list --kind skill | jq -r 'select(.name == "brew-tea").id')
	[ "$(mem-get "$tea" | jq -c .missing)" = '["warm-pot","cup"]' ]
	mapfile -t children < <(mem-list --kind proposal | jq -r --arg id "$id" 'select(.parent == $id) | .id')
	skill-propose -q --submit "${children[0]}"
	skill-propose -q --submit "${children[1]}"
	# The reviewer may write neither skill.
	skill-review -q --agent rev approve "${children[0]}"
	[ "$(mem-get "$tea" | jq -c .missing)" = '["cup"]' ]
	[ "$(kg-edge list --from "$tea" | jq -c '[.edge, .weight]')" = '["enhances",0.4]' ]
	[ "$(kg-edge list --from "$tea" | jq -r .to | xargs mem-get | jq -r .name)" = warm-pot ]
	skill-review -q --agent rev reject --note no "${children[1]}"
	[ "$(mem-get "$tea" | jq -c .missing)" = '["cup"]' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a dependency whose id is no skill's is told and kept" {
	id=$(submitted '{"topic":"brew tea","dependencies":[{"id":"00000000-0000-8000-8000-000000000000","relation":"composes"},{"id":"00000000-0000-8000-8000-000000000001","name":"warm-pot"}]}')
	run -0 --separate-stderr skill-review --agent rev approve "$id"
	[ "$stderr" = 'skill-review: brew-tea needs a skill that is not there: 00000000-0000-8000-8000-000000000000
skill-review: brew-tea needs a skill that is not there: warm-pot' ]
	[ "$(mem-list --kind skill | jq -c .missing)" = '["00000000-0000-8000-8000-000000000000","warm-pot"]' ]
	# An id is no name to propose.
	[ "$(mem-list --kind proposal | jq -r --arg id "$id" 'select(.parent == $id).name')" = warm-pot ]
}

@test "a skill has an edge to each of its dependencies" {
	for i in {10..29}; do
		printf '{"id":"01a227c1-b922-7000-966b-a0d1b59340%s","kind":"skill","ns":"global","created_at":"2026-11-01T00:00:00.000Z","version":1,"status":"active","ref":"skill/s%s","name":"s%s","description":"x","tags":[],"release":"1.0.0","content":"x"}\n' "$i" "$i" "$i"
	done | mem-import -q
	id=$(submitted "$(jq -nc '{topic: "many", dependencies: [range(10; 30) | "s\(.)"]}')")
	skill-review -q --agent rev approve "$id"
	[ "$(kg-edge list --all --kind requires | grep -c .)" = 20 ]
}

@test "a name that is taken is refused, and nothing is kept" {
	id=$(submitted '{"topic":"brew tea"}')
	other=$(submitted '{"topic":"another","name":"Brew-Tea","dependencies":[{"name":"x","similarity":0.5}]}')
	skill-review -q --agent rev approve "$id"
	run -1 skill-review --agent rev approve "$other"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	[ "$(state "$other")" = submitted ]
	[ "$(mem-list --kind skill | grep -c .)" = 1 ]
	[ "$(mem-list --kind proposal | grep -c .)" = 2 ]
	# Both at once: of two that want one name one is created, or none.
	third=$(submitted '{"topic":"c","name":"coffee"}')
	fourth=$(submitted '{"topic":"d","name":"coffee"}')
	run -1 skill-review --agent rev approve "$third" "$fourth"
	[[ "$output" = *"nothing is changed"* ]]
	[ "$(state "$third") $(state "$fourth")" = "submitted submitted" ]
	[ "$(mem-list --kind skill | jq -r .name)" = brew-tea ]
	skill-review -q --agent rev approve "$fourth"
	[ "$(mem-list --kind skill | jq -r .proposal | tail -n 1)" = "$fourth" ]
}

@test "taken up, sent back, submitted again" {
	id=$(submitted '{"topic":"brew tea"}')
	skill-review -q --agent rev take "$id"
	[ "$(state "$id")" = under_review ]
	run -1 skill-review --agent rev take "$id"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	run -2 skill-review --agent rev ask "$id"
	skill-review -q --agent rev ask --note "Say when." "$id"
	[ "$(state "$id")" = draft ]
	run -1 skill-review --agent rev approve "$id"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	skill-propose -q --submit "$id"
	[ "$(skill-review --agent rev list | grep -c .)" = 1 ]
	skill-review -q --agent rev approve "$id"
	[ "$(state "$id")" = created ]
}

@test "rejected for good" {
	id=$(submitted '{"topic":"brew tea"}')
	skill-review -q --agent rev reject --note "We drink coffee." "$id"
	[ "$(state "$id")" = rejected ]
	[ "$(skill-review --agent rev show "$id" | jq -rs '.[0].note')" = "We drink coffee." ]
	[ "$(skill-review --agent rev show "$id" | jq -rs '.[1].topic')" = "brew tea" ]
	run -1 skill-propose --submit "$id"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	[ -z "$(mem-list --kind skill)" ]
}

@test "nobody approves their own, and none but reviewers approve" {
	id=$(submitted '{"topic":"brew tea"}')
	run -4 skill-review approve "$id"
	[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	run -4 skill-review --agent bob approve "$id"
	run -4 skill-review --agent bob take "$id"
	[ "$(state "$id")" = submitted ]
	[ -z "$(mem-list --kind skill)" ]
	# The queue is the same for all that ask.
	[ "$(mem-review --agent rev list | jq -r .asks)" = proposal ]
	mem-review -q --agent rev approve "$(mem-review --agent rev list | jq -r .id)"
	[ "$(state "$id")" = created ]
}

@test "a hostile name is no skill's" {
	for set in name=../../etc/passwd 'dependencies=[{"name":"x","weight":2}]'; do
		id=$(propose "$(jq -nc --arg t "$set" '{topic: $t}')")
		mem-edit -q --set "$set" "$id"
		skill-propose -q --submit "$id"
		run -1 skill-review --agent rev approve "$id"
		[ "$(jq -r .reason <<<"$output")" = bad_value ]
		[ -z "$(mem-list --kind skill)" ]
	done
}

@test "an unknown id, --dry-run, wrong use" {
	id=$(submitted '{"topic":"brew tea"}')
	skill-review -q --agent rev --dry-run approve "$id"
	[ "$(state "$id")" = submitted ]
	run -1 skill-review --agent rev approve 01a227c1-b922-7000-966b-a0d1b5934b55
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	run -2 skill-review
	run -2 skill-review approve
	run -2 skill-review burn "$id"
}

@test "sent back it is changed, and what was submitted then is approved" {
	id=$(submitted '{"topic":"brew tea","content":"# Tea\n"}')
	skill-review -q --agent rev ask --note "Say how long." "$id"
	mem-edit -q --set content=$'# Tea\n\nFour minutes.\n' "$id"
	skill-propose -q --submit "$id"
	skill-review -q --agent rev approve "$id"
	[ "$(mem-list --kind skill | jq -r .content)" = $'# Tea\n\nFour minutes.' ]
	[ "$(mem-list --kind review | wc -l)" = 1 ]
}

@test "what a skill lacks is proposed, down to the third generation" {
	id=$(submitted '{"topic":"first","dependencies":["second"]}')
	for name in third fourth fifth; do
		skill-review -q --agent rev approve "$id"
		parent=$id
		id=$(mem-list --kind proposal | jq -r --arg id "$parent" 'select(.parent == $id).id')
		mem-edit -q --set "dependencies=[\"$name\"]" "$id"
		skill-propose -q --submit "$id"
	done
	skill-review -q --agent rev approve "$id"
	[ "$(mem-list --kind proposal | jq -r '"\(.name) \(.state)"' | tr '\n' ' ')" = 'first created second created third created fourth created ' ]
	[ "$(mem-list --kind skill | jq -c 'select(.name == "fourth").missing')" = '["fifth"]' ]
	# At most three of one, and none that is unlike or the same.
	id=$(submitted '{"topic":"many","dependencies":["a1",{"name":"far","similarity":0.39},"a2",{"name":"same","similarity":0.71},"a3","a4"]}')
	skill-review -q --agent rev approve "$id"
	[ "$(mem-list --kind proposal | jq -r --arg id "$id" 'select(.parent == $id).name' | tr '\n' ' ')" = 'a1 a2 a3 ' ]
	# What is known goes first, by its similarity.
	id=$(submitted '{"topic":"known","dependencies":["b1","b2",{"name":"k5","similarity":0.5},"b3",{"name":"k6","similarity":0.65}]}')
	skill-review -q --agent rev approve "$id"
	[ "$(mem-list --kind proposal | jq -r --arg id "$id" 'select(.parent == $id).name' | tr '\n' ' ')" = 'k6 k5 b1 ' ]
	id=$(submitted '{"topic":"four","dependencies":[{"name":"l4","similarity":0.4},{"name":"l5","similarity":0.5},{"name":"l6","similarity":0.6},{"name":"l7","similarity":0.7}]}')
	skill-review -q --agent rev approve "$id"
	[ "$(mem-list --kind proposal | jq -r --arg id "$id" 'select(.parent == $id).name' | tr '\n' ' ')" = 'l7 l6 l5 ' ]
}

@test "every verb takes --format" {
	id=$(submitted '{"topic":"brew tea","content":"Use water."}')
	[ "$(skill-review --agent rev --format json take "$id" | jq -r .verdict)" = changed ]
	run -0 skill-review --agent rev --format text approve "$id"
	[[ "$output" = 'line 1: changed '* ]]
	id=$(submitted '{"topic":"warm the pot","content":"Use water."}')
	[ "$(skill-review --agent rev --format json --note why ask "$id" | jq -r .verdict)" = changed ]
	skill-propose -q --submit "$id"
	[ "$(skill-review --agent rev --format json --note why reject "$id" | jq -r .verdict)" = changed ]
}

@test "nobody reviews their own: who drafted it, edited it or submitted it, and when does not matter" {
	sed -i 's/^operators:.*/operators: [ada, bob, cy, dan, rev]/' "$MEM_STORE/config.yaml"
	id=$(propose '{"topic":"brew tea"}')                    # drafted by ada
	skill-propose -q --agent bob --submit "$id"
	skill-review -q --agent rev ask --note "Say more." "$id"
	mem-edit -q --agent cy --set 'content=More.' "$id"
	mem-edit -q --agent ada --set 'content=Much more.' "$id" # the last editor hides no other
	skill-propose -q --agent dan --submit "$id"
	for own in ada bob cy dan; do
		for verb in take approve 'reject --note no' 'ask --note no'; do
			# shellcheck disable=SC2086 # a verb and its note
			run -4 skill-review --agent $own $verb "$id"
			[ "$(jq -r .reason <<<"$output")" = rights_denied ]
		done
		run -4 mem-review --agent $own approve "$(mem-review list --state changes_asked --agent rev | jq -r .id)"
		[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	done
	[ "$(state "$id")" = submitted ]
	[ -z "$(mem-list --kind skill)" ]
	skill-review -q --agent rev approve "$id"
	[ "$(state "$id")" = created ]
}

@test "what an approval proposes in turn is of who made the proposal, not of who approved it" {
	sed -i 's/^reviewers:.*/reviewers: [rev, ada]/' "$MEM_STORE/config.yaml"
	id=$(submitted '{"topic":"brew tea","dependencies":[{"name":"warm-pot","similarity":0.6}]}')
	skill-review -q --agent rev approve "$id"
	child=$(mem-list --kind proposal | jq -r --arg id "$id" 'select(.parent == $id).id')
	sed -i 's/^operators:.*/operators: [ada, bob]/' "$MEM_STORE/config.yaml"
	skill-propose -q --agent bob --submit "$child"
	run -4 skill-review --agent ada approve "$child"
	[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	skill-review -q --agent rev approve "$child"
}
