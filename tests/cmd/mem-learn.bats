#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Learnings: written by ada, who is the operator, by bob of team:a, and by out, who is of neither.
load helper
load links

setup() {
	scratch
	team_store
}

verdict() { jq -r '.reason // .verdict' <<<"$output"; }
# learn TEXT: adds it as a pattern; prints its id.
learn() { mem-learn add pattern "$1" | jq -r .id; }
values() { mem-learn list "$@" | jq -c '[.importance, .confidence, .state, .effective_importance]'; }

@test "a learning has the fields of the page in their order" {
	src=$(remember '{"content":"the tests failed for want of a linter"}')
	run -0 mem-learn --source "$src" add best_practice Run the linter first.
	[ "$(verdict)" = new ]
	run -0 mem-learn list
	[ "$(jq -c 'del(.id, .origin)' <<<"$output")" = '{"kind":"learning","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","version":1,"status":"active","content":"Run the linter first.","category":"best_practice","state":"open","effectiveness":{"positive":0,"negative":0,"uses":0},"sources":["'"$src"'"],"type":"learning","importance":0.5,"trust":1,"confidence":0.5,"last_access":null,"access_count":0,"pinned":false,"effective_importance":0.5}' ]
	[ "$(kg-edge list --kind derived_from | jq -r .to)" = "$src" ]
	[ "$(mem-search -m keyword linter | jq -r .kind | sort | tr '\n' ' ')" = 'episode learning ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "verify, disprove, reinforce and outcomes change it by the numbers of the page" {
	id=$(learn one)
	mem-learn -q verify "$id"
	[ "$(values)" = '[0.65,0.6,"verified",0.65]' ]
	mem-learn -q reinforce "$id"
	[ "$(values)" = '[0.7,0.6,"verified",0.7]' ]
	patient
	for _ in 1 2 3 4 5 6; do mem-learn -q verify "$id"; done
	[ "$(values)" = '[1,1,"verified",1]' ]
	mem-learn -q disprove "$id"
	[ "$(values)" = '[0.05,0.1,"disproven",0.05]' ]
	mem-learn -q outcome "$id" positive
	mem-learn -q outcome "$id" negative
	[ "$(mem-get "$id" | jq -c .effectiveness)" = '{"positive":1,"negative":1,"uses":2}' ]
	run -2 mem-learn outcome "$id" fine
	[ "$(mem-audit | jq -r 'select(.kind=="learn").detail.change' | uniq | tr '\n' ' ')" = 'added verified reinforced verified disproven positive negative ' ]
}

@test "with five uses the outcomes count" {
	id=$(learn one)
	for _ in 1 2 3 4; do mem-learn -q outcome "$id" positive; done
	[ "$(values | jq '.[3]')" = 0.5 ]
	mem-learn -q outcome "$id" negative
	# .3 * .5 + .7 * (4 + 2) / (5 + 4) = .616666...
	[ "$(values | jq '.[3]')" = 0.6167 ]
}

@test "outcomes of several at once all count" {
	id=$(learn one)
	patient
	for _ in 1 2 3 4 5 6; do mem-learn -q outcome "$id" positive & done
	wait
	[ "$(mem-get "$id" | jq .effectiveness.positive)" = 6 ]
}

@test "what is there already grows: the same folded text without a model" {
	src=$(remember '{"content":"tea"}' '{"content":"milk"}')
	id=$(mem-learn --source "$(sed -n 1p <<<"$src")" add pattern 'Use the Hub' | jq -r .id)
	run -0 mem-learn --source "$(sed -n 2p <<<"$src")" add pattern 'use the HUB'
	[ "$(verdict)" = changed ]
	[ "$(jq -r .id <<<"$output")" = "$id" ]
	[ "$(values)" = '[0.53,0.52,"open",0.53]' ]
	[ "$(mem-get "$id" | jq '.sources | length')" = 2 ]
	run -0 mem-learn add pattern 'use the hub now'
	[ "$(verdict)" = new ]
	# Another namespace has its own.
	run -0 mem-learn --agent bob --ns team:a add pattern 'use the hub'
	[ "$(verdict)" = new ]
}

@test "with a model it is similarity and likeness, both" {
	need_model e5
	id=$(learn 'Run the linter before the tests of the project.')
	run -0 mem-learn add pattern 'Run the linter before the tests of the project'
	[ "$(jq -r .id <<<"$output")" = "$id" ]
	run -0 mem-learn add pattern 'Run the linters before the tests of the projects.'
	[ "$(verdict)" = changed ]
	run -0 mem-learn add pattern 'Berlin is the capital of Germany.'
	[ "$(verdict)" = new ]
	# Near in meaning, written otherwise.
	run -0 mem-learn add pattern 'The German capital: that is the city of Berlin!'
	[ "$(verdict)" != changed ]
}

@test "importance fades by whole days, from what is left at each change" {
	id=$(learn one)
	# .5 * .997^100 = .370242; nothing is stored by looking twice.
	[ "$(values --now 2027-03-08T09:00:00Z | jq '.[3]')" = 0.370242 ]
	[ "$(values --now 2027-03-08T09:00:00Z | jq '.[3]')" = 0.370242 ]
	[ "$(values --now 2027-03-09T08:59:00Z | jq '.[3]')" = 0.370242 ]
	[ "$(values --now 2046-01-01 | jq '.[3]')" = 0.05 ]
	mem-learn -q --now 2027-03-08T09:00:00Z reinforce "$id"
	[ "$(mem-get "$id" | jq -c '[.importance, .changed_at]')" = '[0.420242,"2027-03-08T09:00:00.000Z"]' ]
	[ "$(values --now 2027-03-08T09:00:00Z | jq '.[3]')" = 0.420242 ]
}

@test "what faded away is archived by the job, and comes back when it is learned again" {
	old=$(learn old)
	new=$(learn new)
	mem-learn -q disprove "$old"
	mem-maintain --now 2026-12-20 learn
	[ "$(mem-learn list | wc -l)" = 2 ]
	mem-maintain --now 2027-01-10 learn
	[ "$(mem-get "$old" "$new" | jq -r .status | tr '\n' ' ')" = 'archived active ' ]
	before=$(mem-audit | wc -l)
	mem-maintain --now 2027-01-10 learn
	[ "$(mem-audit | wc -l)" = "$before" ]
	run -1 mem-learn verify "$old"
	[ "$(verdict)" = state_conflict ]
	[ "$(mem-learn --archived list | wc -l)" = 2 ]
	[ "$(learn old)" = "$old" ]
	[ "$(mem-get "$old" | jq -r .status)" = active ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a learning named twice in one call counts once" {
	id=$(mem-learn add discovery 'the hub answers on port 8443' | jq -r .id)
	was=$(mem-get "$id" | jq .importance)
	run -0 mem-learn verify "$id" "${id:0:13}"
	[ "$(jq -r .verdict <<<"$output" | paste -sd' ')" = 'changed unchanged' ]
	[ "$(mem-get "$id" | jq --argjson was "$was" '.importance == ([$was + 0.15, 1] | min) and .version == 2')" = true ]
}

@test "what proved itself is shared with the team, then with all" {
	export MEM_TEAMS=a
	id=$(learn 'the hub needs a key')
	for _ in 1 2; do mem-learn -q verify "$id"; done
	mem-maintain learn
	[ "$(mem-learn list | wc -l)" = 1 ]
	mem-get --touch "$id" >/dev/null
	mem-maintain learn
	[ "$(mem-learn list | wc -l)" = 1 ]
	mem-get --touch "$id" >/dev/null
	mem-maintain learn
	[ "$(mem-learn --agent bob list | jq -c '[.ns, .content, .state, .importance, .sources[0]]')" = '["team:a","the hub needs a key","verified",0.8,"'"$id"'"]' ]
	copy=$(mem-learn --agent bob list | jq -r .id)
	[ "$(kg-edge list --kind promoted_to | jq -c '[.from, .to]')" = "[\"$id\",\"$copy\"]" ]
	before=$(mem-export | sha256sum)
	mem-maintain learn
	[ "$(mem-export | sha256sum)" = "$before" ]
	mem-get --touch "$copy" >/dev/null
	mem-get --touch "$copy" >/dev/null
	mem-maintain learn
	[ "$(MEM_TEAMS='' mem-learn --agent out list | jq -r .ns)" = global ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what was shared falls with what it is a copy of, unless the copy has a word of its own" {
	export MEM_TEAMS=a
	share() {
		local id
		id=$(learn "$1")
		for _ in 1 2; do mem-learn -q verify "$id"; mem-get --touch "$id" >/dev/null; done
		mem-maintain learn
		echo "$id"
	}
	copy_of() { kg-edge list --kind promoted_to | jq -r "select(.from == \"$1\").to"; }
	plain=$(share 'the hub needs a key')
	used=$(share 'never paint in the rain')
	mem-learn -q --agent bob outcome "$(copy_of "$used")" positive
	mem-learn -q disprove "$plain" "$used"
	mem-maintain learn
	[ "$(mem-get "$(copy_of "$plain")" | jq -c '[.state, .importance, .confidence]')" = '["disproven",0.05,0.1]' ]
	[ "$(mem-get "$(copy_of "$used")" | jq -r .state)" = verified ]
	before=$(mem-export | sha256sum)
	mem-maintain learn
	[ "$(mem-export | sha256sum)" = "$before" ]
	run -0 mem-check
}

@test "learn.promote ends sharing; what is disproven is not shared" {
	export MEM_TEAMS=a
	id=$(learn one)
	for _ in 1 2; do mem-learn -q verify "$id"; mem-get --touch "$id" >/dev/null; done
	cp store/config.yaml was
	echo 'learn: {promote: "off"}' >>store/config.yaml
	mem-maintain learn
	[ "$(mem-learn list | wc -l)" = 1 ]
	echo 'learn: {promote: team}' | cat was - >store/config.yaml
	mem-maintain learn
	[ "$(mem-learn list | wc -l)" = 2 ]
	copy=$(mem-learn --agent bob list | jq -r .id)
	for _ in 1 2; do mem-get --touch "$copy" >/dev/null; done
	mem-maintain learn
	[ "$(mem-learn list | wc -l)" = 2 ]
	mem-learn -q disprove "$copy"
	cp was store/config.yaml
	mem-maintain learn
	[ "$(mem-learn list | wc -l)" = 2 ]
}

@test "rights and bad input" {
	id=$(learn one)
	run -1 mem-learn --agent out verify "$id"
	[ "$(verdict)" = not_found ]
	team=$(mem-learn --agent bob --ns team:a add pattern two | jq -r .id)
	run -4 mem-learn --agent out --ns team:a add pattern two
	run -1 mem-learn --agent out verify "$team"
	[ "$(verdict)" = not_found ]
	all=$(mem-learn --ns global add pattern three | jq -r .id)
	run -4 mem-learn --agent bob verify "$all"
	[ "$(verdict)" = namespace_denied ]
	node=$(remember '{"content":"an episode"}')
	run -1 mem-learn verify "$node"
	[ "$(verdict)" = bad_value ]
	run -2 mem-learn add rumour tea
	run -2 mem-learn --source 00000000-0000-7000-8000-00000000000z add pattern tea
	run -1 mem-learn add pattern ' '
	[ "$(verdict)" = empty ]
	head -c 20000 /dev/zero | tr '\0' a >long
	run -1 mem-learn add pattern - <long
	[ "$(verdict)" = too_long ]
	[ "$(mem-learn --category discovery list | wc -l)" = 0 ]
	[ "$(mem-learn --state open list | wc -l)" = 2 ]
}

@test "what is learned again with another category has that one, and the audit what it was" {
	id=$(learn 'Mocks hide broken queries')
	run -0 mem-learn add anti_pattern 'mocks hide broken queries'
	[ "$(jq -r '.verdict + " " + .id' <<<"$output")" = "changed $id" ]
	[ "$(mem-learn list | jq -c '[.category, .importance, .confidence]')" = '["anti_pattern",0.53,0.52]' ]
	[ "$(mem-learn list --category anti_pattern | jq -r .id)" = "$id" ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.detail.change, .detail.category]')" = '["repeated","pattern"]' ]
	mem-learn add -q anti_pattern 'Mocks hide broken queries'
	[ "$(mem-audit | tail -n 1 | jq -c .detail)" = '{"change":"repeated"}' ]
	run -0 mem-check
	[ -z "$output" ]
}
