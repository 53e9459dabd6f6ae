#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What strangers write into files of skills, and what tired hands ask for, by ada, who is the operator.
load helper
load links
load skill_files

setup() {
	scratch
	team_store
}

# refusals: FOLDER REASON of each that was refused.
refusals() { jq -r 'select(.verdict == "rejected") | "\(.path | split("/")[-2]) \(.reason)"'; }

@test "a pipe in the place of a skill's file is told, and is no sign that the skill is gone" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	rm v/tea/SKILL.md
	mkfifo v/tea/SKILL.md
	run -1 --separate-stderr ingest v
	[ "$(refusals <<<"$output")" = 'tea unreadable' ]
	[ "$(node tea | jq -r .status)" = active ]
}

@test "a name has no end of a line in it" {
	skill nel $'name: "a\\x85b"\ndescription: d' B
	skill ls $'name: "a\\u2028b"\ndescription: d' B
	skill ps $'name: "a\\u2029b"\ndescription: d' B
	run -1 --separate-stderr ingest v
	[ "$(refusals <<<"$output" | sort | tr '\n' ' ')" = 'ls bad_value nel bad_value ps bad_value ' ]
}

@test "a version may have build metadata" {
	skill tea $'name: tea\ndescription: d\nversion: 1.2.0-beta.1+5' Boil.
	run -0 ingest v
	[ "$(verdicts <<<"$output")" = 'new tea 1.2.0-beta.1+5' ]
}

@test "a file that comes back makes active again only what was active" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	skill-status -q tea deprecated --reason 'Coffee.'
	mv v/tea away
	[ -z "$(ingest v)" ]
	[ "$(node tea | jq -r .status)" = deprecated ]
	mv away v/tea
	[ "$(ingest v | verdicts)" = 'unchanged tea 1.0.0' ]
	[ "$(node tea | jq -r .status)" = deprecated ]
}

@test "an outcome of a release that is named by its id is counted for that one, and its skill was used" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	skill tea $'name: tea\ndescription: d' Steep.
	ingest -q v
	old=$(skill-version tea | jq -r 'select(.active | not).id')
	run -0 skill-record --session s --text 'Too hot.' "$old" failure
	[ "$(field release)/$(field uses)/$(field id)" = "1.0.0/1/$(node tea | jq -r .id)" ]
	[ "$(skill-show tea | jq -c '[.edges[] | select(.edge == "used" or .edge == "has_failure").edge]')" = '["has_failure","used"]' ]
}

@test "a comparison whose variant is gone can be stopped" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	skill tea $'name: tea\ndescription: d' Steep.
	ingest -q v
	skill-version -q --variant 1.0.0 tea ab start
	mem-forget -q --erase "$(skill-version tea | jq -r 'select(.active | not).id')"
	[ "$(skill-record --session s tea success | jq -r .release)" = 1.0.1 ]
	run -1 skill-version tea ab promote
	[ "$(field reason)" = not_found ]
	run -0 skill-version tea ab stop
	[ "$(node tea | jq .ab)" = null ]
	run -1 skill-version tea ab stop
	[ "$(field reason)" = not_found ]
}

@test "a namespace that is named twice counts once" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	[ "$(skill-health --ns global,global | jq .skills)" = 1 ]
}

@test "a release that is active again stands once" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	skill tea $'name: tea\ndescription: d' Steep.
	ingest -q v
	skill-version -q tea activate 1.0.0
	[ "$(skill-show tea | jq -c '[.release, (.releases[] | .release)]')" = '["1.0.0","1.0.1"]' ]
	[ "$(skill-list --releases | jq -r .release | tr '\n' ' ')" = '1.0.0 1.0.1 ' ]
}

@test "a secret in a version is refused, and stands nowhere" {
	skill tea $'name: tea\ndescription: d\nversion: ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3kL6' Boil.
	run -1 --separate-stderr ingest v
	[ "$(refusals <<<"$output")" = 'tea residue' ]
	mem-export --every-namespace >all
	run -1 grep -q aB3dE6 all
}

@test "front matter without an end is refused" {
	mkdir -p v/tea
	printf -- '---\nname: tea\ndescription: d\nBoil.\n' >v/tea/SKILL.md
	run -1 --separate-stderr ingest v
	[ "$(jq -c '[.reason, .faults]' <<<"$output")" = '["bad_value",[{"line":1,"message":"front matter without an end"}]]' ]
}

@test "a variant that was forgotten is neither served nor compared" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	skill tea $'name: tea\ndescription: d' Steep.
	ingest -q v
	skill-version -q --variant 1.0.0 --share .99 tea ab start
	[ "$(skill-activate -m keyword --session s --format json tea | jq -r .release)" = 1.0.0 ]
	mem-forget -q "$(skill-version tea | jq -r 'select(.active | not).id')"
	[ "$(skill-activate -m keyword --session s --format json tea | jq -r .release)" = 1.0.1 ]
	[ "$(skill-record --session s tea success | jq -r .release)" = 1.0.1 ]
	[ "$(skill-version tea | jq -r .release)" = 1.0.1 ]
	run -1 --separate-stderr skill-version tea ab
}

@test "white space around a failure's text makes no other failure" {
	skill tea $'name: tea\ndescription: d' Boil.
	ingest -q v
	for text in 'Too hot.' $'  too\t hot. \n' $'TOO\u00a0HOT.'; do skill-record -q --text "$text" tea failure; done
	[ "$(mem-list --kind bad_pattern | jq -c '[.description, .times]')" = '["Too hot.",3]' ]
}

@test "a topic on several lines gives a name that can be approved, and one without a word gives none" {
	id=$(skill-propose --ns global $'Tea \t/\nfor two  \u2028now' | jq -r .id)
	[ "$(mem-get "$id" | jq -r .name)" = tea-for-two-now ]
	run -1 --separate-stderr skill-propose '???'
	[ "$(field reason)" = bad_value ]
}

@test "a namespace that is none is wrong use" {
	run -2 --separate-stderr skill-export --ns bogus out
	run -2 --separate-stderr skill-conflicts --ns bogus
}

@test "what an approved skill lacks is named once, and joined when it comes" {
	echo 'reviewers: [eve]' >>store/config.yaml
	id=$(skill-propose --ns global - <<<'{"topic":"parent","content":"See [[Kid]].","dependencies":["kid","Kid",{"name":"kid","weight":0.4}]}' | jq -r .id)
	skill-propose -q --submit "$id"
	skill-review -q --agent eve approve "$id"
	[ "$(skill-show parent | jq -c .missing)" = '["kid"]' ]
	[ "$(skill-deps parent | jq -c '[.missing[].name]')" = '["kid"]' ]
	[ "$(mem-list --kind proposal | jq -r 'select(.parent).name')" = kid ]
	skill kid $'name: kid\ndescription: d' B
	ingest -q v
	[ "$(skill-show parent | jq -c '[.missing, (.edges[] | [.edge, .weight, .end.name])]')" = '[null,["requires",0.7,"kid"],["references",1,"kid"]]' ]
}
