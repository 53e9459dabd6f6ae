#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Releases of a skill: ada is the operator; bob may not write where the skill is.
load helper
load links

setup() {
	scratch
	team_store
	export MEM_NOW=2026-11-28T09:00:00Z
	skill=019aa000-0000-7000-8000-000000000001
	member=',"description":"new","tags":["a"],"license":"MIT"'
	mem-import -q <<<'{"kind":"skill","id":"'$skill'","ns":"global","ref":"skill/deploy","created_at":"2026-11-28T09:00:00.000Z","name":"deploy","release":"1.0.1","content":"Push, then wait."'"$member"'}'
	old 1.0.0 2 superseded
}

# old RELEASE DIGIT STATUS: another release of the skill.
old() {
	mem-import -q <<<'{"kind":"skill","id":"019aa000-0000-7000-8000-00000000000'"$2"'","ns":"global","ref":"skill-release/deploy/'"$1"'","created_at":"2026-11-28T09:00:00.000Z","status":"'"$3"'","name":"deploy","release":"'"$1"'","release_of":"'"$skill"'","content":"Push '"$1"'.","description":"old"}'
}
history() { skill-version deploy | jq -c '[.release, .active, .status, .uses]' | tr '\n' ' '; }
# uses RELEASE: what that release counted.
uses() { skill-version deploy | jq -c --arg r "$1" 'select(.release == $r) | [.successes, .failures, .partials]'; }
# record OUTCOME N RELEASE: N outcomes of a release.
record() { jq -cn --arg o "$1" --argjson n "$2" --arg r "$3" 'range($n) | {skill: "deploy", outcome: $o, release: $r}' | skill-record -q -; }

@test "history has all releases in their order" {
	old 0.10.0 3 superseded
	old 0.9.0 4 superseded
	old 2.0.0 5 draft
	[ "$(history)" = '["0.9.0",false,"superseded",0] ["0.10.0",false,"superseded",0] ["1.0.0",false,"superseded",0] ["1.0.1",true,"active",0] ["2.0.0",false,"draft",0] ' ]
	[ "$(skill-version 019aa000-0000-7000-8000-000000000004)" = "$(skill-version deploy history)" ]
	run -1 skill-version nothing
}

@test "diff has the fields that differ, of these two releases or those" {
	run -0 skill-version deploy diff
	[ "$output" = '{"field":"content","before":"Push 1.0.0.","after":"Push, then wait."}
{"field":"description","before":"old","after":"new"}
{"field":"tags","before":null,"after":["a"]}
{"field":"license","before":null,"after":"MIT"}' ]
	old 0.9.0 4 superseded
	[ "$(skill-version deploy diff 0.9.0 1.0.0)" = '{"field":"content","before":"Push 0.9.0.","after":"Push 1.0.0."}' ]
	skill-record -q deploy success
	[ -z "$(skill-version deploy diff 1.0.1)" ]
	run -1 skill-version deploy diff 7.0.0
}

@test "activate takes text and counts along, and back again byte by byte" {
	skill-record -q --latency 1s deploy success
	before=$(mem-get "$skill" | jq -cS 'del(.version, .last_used)')
	run -0 skill-version deploy activate 1.0.0
	[ "$(jq -c '[.verdict, .id]' <<<"$output")" = '["changed","'"$skill"'"]' ]
	[ "$(history)" = '["1.0.0",true,"active",0] ["1.0.1",false,"superseded",1] ' ]
	[ "$(mem-get "$skill" | jq -c '[.content, .description, .tags, .license, .uses, .latency_ms, .ref]')" = '["Push 1.0.0.","old",null,null,null,null,"skill/deploy"]' ]
	skill-record -q deploy failure
	skill-version -q deploy activate 1.0.1
	[ "$(mem-get "$skill" | jq -cS 'del(.version, .last_used)')" = "$before" ]
	[ "$(uses 1.0.0) $(uses 1.0.1)" = '[0,1,0] [1,0,0]' ]
	skill-record -q deploy partial
	skill-version -q deploy activate 1.0.0
	[ "$(uses 1.0.0) $(uses 1.0.1)" = '[0,1,0] [1,0,1]' ]
	[ "$(mem-audit | jq -r .kind | grep -c skill_activated)" = 3 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "the receipt names the release that is active now" {
	[ "$(skill-version deploy activate 1.0.0 | jq -c '[.verdict, .release]')" = '["changed","1.0.0"]' ]
	[ "$(skill-version deploy rollback | jq -c '[.verdict, .release]')" = '["changed","1.0.1"]' ]
}

@test "rollback goes back the way that it came" {
	old 0.9.0 4 superseded
	skill-version -q deploy activate 0.9.0
	skill-version -q deploy activate 1.0.0
	[ "$(skill-version deploy diff | jq -r 'select(.field == "content").before')" = 'Push 0.9.0.' ]
	skill-version -q deploy rollback
	[ "$(skill-version deploy | jq -r 'select(.active).release')" = 0.9.0 ]
	skill-version -q deploy rollback
	[ "$(skill-version deploy | jq -r 'select(.active).release')" = 1.0.1 ]
	# What came before that nobody knows: by number.
	skill-version -q deploy rollback
	[ "$(skill-version deploy | jq -r 'select(.active).release')" = 1.0.0 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "rollback goes down the numbers and passes over drafts" {
	old 0.9.0 4 superseded
	old 0.9.5 5 draft
	skill-version -q deploy rollback
	skill-version -q deploy rollback
	[ "$(skill-version deploy | jq -r 'select(.active).release')" = 0.9.0 ]
	run -1 skill-version deploy rollback
	[ "$(field reason)" = not_found ]
	skill-version -q deploy activate 0.9.5
	[ "$(skill-version deploy | jq -c '[.release, .status]' | tr '\n' ' ')" = '["0.9.0","superseded"] ["0.9.5","active"] ["1.0.0","superseded"] ["1.0.1","superseded"] ' ]
}

@test "a winner needs 20 outcomes of each and p below .05" {
	record failure 30 1.0.0
	skill-version -q --variant 1.0.0 deploy ab start
	record success 19 1.0.0
	record failure 12 1.0.1
	record success 8 1.0.1
	[ "$(skill-version deploy ab | jq -c '[.winner, .share, .active.missing, .variant.missing, .variant.uses]')" = '[null,0.2,0,1,19]' ]
	[ "$(skill-version deploy ab | jq -r .reason)" = "1.0.1 has 20 outcomes and 1.0.0 has 19, each needs 20; so far p = 4.51e-05" ]
	run -1 skill-version deploy ab promote
	[ "$(field reason)" = state_conflict ]
	[ "$(field advice)" = "$(skill-version deploy ab | jq -r .reason)" ]
	[ "$(skill-version --format text deploy ab promote || true)" = "line 1 is refused: $(field advice)" ]
	record partial 1 1.0.0
	[ "$(skill-version deploy ab status | jq -c '[.winner, .variant.successes, .variant.partials]')" = '["1.0.0",19,1]' ]
	# {19, 1} against {8, 12}
	[ "$(skill-version deploy ab | jq '.p < .001')" = true ]
	run -0 skill-version deploy ab promote
	[ "$(skill-version deploy | jq -r 'select(.active).release')" = 1.0.0 ]
	[ "$(uses 1.0.0) $(uses 1.0.1)" = '[19,30,1] [8,12,0]' ]
	run -1 skill-version deploy ab
}

@test "what differs by chance has no winner, and the active one may win" {
	skill-version -q --variant 1.0.0 --share 5e-1 deploy ab start
	record success 16 1.0.0
	record failure 4 1.0.0
	record success 10 1.0.1
	record failure 10 1.0.1
	[ "$(skill-version deploy ab | jq -c '[.winner, .p, .share]')" = '[null,0.0958456,0.5]' ]
	[ "$(skill-version deploy ab | jq -r .reason)" = "p = 0.0958 is not below 0.05: 10 of 20 outcomes of 1.0.1 were successes, and 16 of 20 of 1.0.0" ]
	record success 60 1.0.1
	record failure 60 1.0.0
	[ "$(skill-version deploy ab | jq -c '[.winner, .reason]')" = '["1.0.1",null]' ]
	run -0 skill-version deploy ab promote
	[ "$(skill-version deploy | jq -r 'select(.active).release')" = 1.0.1 ]
	[ "$(mem-get "$skill" | jq .ab)" = null ]
}

@test "sessions draw by a hash, about as many as the share, and always the same" {
	skill-version -q --variant 1.0.0 --share 0.3 deploy ab start
	jq -cn 'range(400) | {skill: "deploy", outcome: "success", session_id: "s\(.)"}' | skill-record -q -
	n=$(uses 1.0.0 | jq '.[0]')
	[ "$n" -gt 90 ]
	[ "$n" -lt 150 ]
	jq -cn 'range(400) | {skill: "deploy", outcome: "failure", session_id: "s\(.)"}' | skill-record -q -
	[ "$(uses 1.0.0)" = "[$n,$n,0]" ]
	skill-record -q deploy success # without a session: the active one
	[ "$(uses 1.0.1 | jq '.[0]')" = $((401 - n)) ]
	[ "$(mem-get "$skill" | jq -r .last_used)" = 2026-11-28T09:00:00.000Z ]
	skill-version -q deploy ab stop
	[ "$(mem-get "$skill" | jq .ab)" = null ]
}

@test "the share is held between .01 and .99, and activation ends a comparison" {
	skill-version -q --variant 1.0.0 --share 0 deploy ab start
	[ "$(skill-version deploy ab | jq .share)" = 0.01 ]
	# Another one has to wait for its end.
	run -1 skill-version --variant 1.0.0 --share 5 deploy ab start
	[ "$(field reason)" = state_conflict ]
	[[ $(field advice) = *'with 1.0.0 runs'*'ab stop'* ]]
	[ "$(skill-version deploy ab | jq .share)" = 0.01 ]
	for share in 5 1; do
		skill-version -q deploy ab stop
		skill-version -q --variant 1.0.0 --share "$share" deploy ab start
		[ "$(skill-version deploy ab | jq .share)" = 0.99 ]
	done
	skill-version -q deploy ab stop
	skill-version -q --variant 1.0.0 --share=-1 deploy ab start
	[ "$(skill-version deploy ab | jq .share)" = 0.01 ]
	skill-version -q deploy activate 1.0.0
	run -1 skill-version deploy ab
	run -1 skill-version --variant 1.0.0 deploy ab start
	[ "$(field reason)" = state_conflict ]
}

@test "outcomes that are counted meanwhile are not lost" {
	patient
	for _ in 1 2 3 4 5 6 7 8; do
		skill-record -q deploy success &
		skill-version -q deploy activate 1.0.0 || true &
		skill-version -q deploy activate 1.0.1 || true &
	done
	wait
	[ "$(skill-version deploy | jq -s 'map(.successes) | add')" = 8 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "who comes too late each time is told that others are busy with it" {
	run -0 with_lock_hook LOCK_AT=1 LOCK_HOOK='skill-record -q deploy success' skill-version deploy activate 1.0.0
	[ "$(uses 1.0.0) $(uses 1.0.1)" = '[0,0,0] [1,0,0]' ]
	run -75 with_lock_hook LOCK_HOOK='skill-record -q deploy success' skill-version deploy activate 1.0.1
	[ "$output" = 'skill-version: busy: others change the same nodes all the time' ]
	[ "$(uses 1.0.0)" = '[16,0,0]' ]
}

@test "who may not write there is refused, and a dry run changes nothing" {
	was=$(mem-get "$skill")
	run -4 skill-version --agent bob deploy rollback
	[ "$(field reason)" = namespace_denied ]
	run -0 skill-version --dry-run deploy rollback
	run -0 skill-version --dry-run --variant 1.0.0 deploy ab start
	[ "$(mem-get "$skill")" = "$was" ]
}

@test "operands that make no sense" {
	run -2 skill-version
	run -2 skill-version deploy fly
	run -2 skill-version deploy activate
	run -2 skill-version deploy ab start
	run -2 skill-version deploy ab fly
	run -2 skill-version --share .5 deploy ab
	for wrong in '--dry-run -q deploy history' '-q deploy' '--dry-run deploy diff' '-q deploy ab' '--dry-run deploy ab status' '--change minor deploy' \
		'--share .5 deploy ab promote' '--variant 1.0.0 deploy rollback' '--file x deploy rollback' '--file x --variant 1.0.0 deploy' 'deploy ab stop now' \
		'deploy history 1.0.0' 'deploy rollback 1.0.0'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr skill-version $wrong
		[[ $stderr = *' is not for '* || $stderr = *': unexpected operand '* ]]
	done
	[ "$(skill-version deploy ab status)" = "$(skill-version deploy ab)" ]
	run -1 skill-version deploy activate 7.0.0
	[ "$(field reason)" = not_found ]
	run -1 skill-version deploy activate 1.0.1
	[ "$(field reason)" = state_conflict ]
}

@test "a new release follows the active one, also behind a roll back, and never has the number of another" {
	old 2.0.0 5 superseded
	old 1.0.2 6 superseded
	old 1.1.0 7 draft
	next() { # TEXT CHANGE: the number that the text gets
		printf -- '---\nname: deploy\n%s---\n%s\n' "${3-}" "$1" >text.md
		skill-version --file text.md --change "$2" deploy | jq -r .release
	}
	skill-version -q deploy activate 1.0.0
	[ "$(next one patch)" = 1.0.3 ] # 1.0.1 and 1.0.2 are there, wherever they came from
	[ "$(next two minor)" = 1.2.0 ]
	skill-version -q deploy activate 1.0.0
	[ "$(next three major)" = 3.0.0 ]
	[ "$(next four patch $'version: 1.0.2\n')" = 1.0.4 ] # the number that the file gives is taken
	[ "$(skill-version deploy | jq -r .release | sort | uniq -d)" = '' ]
}
