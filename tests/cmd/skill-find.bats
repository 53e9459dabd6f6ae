#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The skills that a task asks for.
load helper

setup() {
	scratch
	mem-init -q store
	export MEM_STORE=$PWD/store
}

# skill N FIELDS: a record of a skill with the fields given as JSON members.
skill() { printf '{"id":"01900000-0000-7000-8000-00000000%04d","kind":"skill","ns":"global","created_at":"2026-01-01T00:00:00.000Z",%s}\n' "$1" "$2"; }
import() { mem-import -q; }
found() { skill-find --format json "$@" | jq -r .name; }

@test "the best comes first, with how its score came about, and without its body" {
	{
		skill 1 '"name":"brew","description":"Make a pot of tea","content":"Boil water.","front":"---\n","tags":["kitchen"]'
		skill 2 '"name":"knots","description":"Tie a boat to a pot","content":"Take a rope."'
		skill 3 '"name":"tax","description":"File a return","content":"Add it all up."'
	} | import
	run -0 skill-find --format json -m keyword make a pot of tea
	[ "$(jq -c '[.rank, .name, has("content"), has("front"), .mode]' <<<"${lines[0]}")" = '[1,"brew",false,false,"keyword"]' ]
	[ "$(jq -c '.signals.skill | [.relevance, .words, .similarity, .effectiveness, .bad_patterns]' <<<"${lines[0]}")" = '[1,0.526316,null,0.5,0]' ]
	[ "$(jq .score <<<"${lines[0]}")" = 0.9 ]
	[ "${#lines[@]}" = 2 ]
	[ "$(jq '.score < 0.9 and .score > 0' <<<"${lines[1]}")" = true ]
	# What stands nowhere is a part of the task, too.
	[ "$(skill-find --format json -m keyword make a pot of tea for the zebra | jq -s '.[0].signals.skill.words < .3')" = true ]
	# Its body is searched, too.
	[ "$(found -m keyword boil)" = brew ]
	[ "$(found -m keyword - <<<'a rope')" = knots ]
	run -1 skill-find zebra
	[ -z "$output" ]
}

@test "what did well comes before what did not" {
	{
		skill 1 '"name":"one","description":"Make tea","effectiveness":0.1'
		skill 2 '"name":"two","description":"Make tea","effectiveness":0.9'
	} | import
	[ "$(skill-find --format json make tea | jq -c '[.name, .score]')" = '["two",0.98]
["one",0.82]' ]
}

@test "category, tag, namespace and status filter before the limit" {
	{
		for i in $(seq 10 69); do
			skill "$i" "\"name\":\"tea $i\",\"description\":\"Make tea tea tea\",\"category\":\"kitchen\",\"tags\":[\"hot\"]"
		done
		skill 70 '"name":"boat","description":"Tea on a boat, and what else there is to do","category":"sea","tags":["hot","wet"]'
		skill 71 '"name":"old","description":"Tea","status":"deprecated"'
		skill 72 '"name":"draft","description":"Tea","status":"draft"'
		skill 73 '"name":"gone","description":"Tea","status":"draft","expired_at":"2026-01-02T00:00:00.000Z"'
	} | import
	[ "$(found -n 1 --category sea tea)" = boat ]
	[ "$(found --category sea,land tea)" = boat ]
	[ "$(found --tag hot --tag wet tea)" = boat ]
	[ "$(found --all tea | wc -l)" = 61 ]
	[ "$(found --status draft tea)" = draft ]
	[ "$(found --status draft,deprecated tea | sort | paste -sd' ')" = 'draft old' ]
	run -1 skill-find --ns agent:zoe tea
	run -2 skill-find --status lost tea
	[[ $output = *"--status: 'lost' is not one of"* ]]
	run -2 skill-find
	run -2 skill-find -n 0 tea
}

@test "what a person reads is a table" {
	skill 1 '"name":"brew","description":"Make a pot of tea","category":"kitchen"' | import
	run -0 skill-find --format text tea
	[[ ${lines[0]} = 'RANK '*SCORE*CATEGORY*SKILL*WHAT ]]
	[[ ${lines[1]} = '1 '*0.90*kitchen*brew*'Make a pot of tea' ]]
}

@test "without vectors bad patterns lower the score that are written like the task" {
	{
		skill 1 '"name":"deploy","description":"Deploy a web service to the cluster"'
		skill 2 '"name":"roll","description":"Deploy a web service"'
		printf '{"id":"01900000-0000-7000-8000-0000000009%02d","kind":"bad_pattern","ns":"global","created_at":"2026-01-01T00:00:00.000Z","description":"%s"}\n' \
			1 'Deployed the web service to the cluster' 2 'The tea was cold'
		printf '{"edge":"has_failure","from":"01900000-0000-7000-8000-000000000001","to":"01900000-0000-7000-8000-0000000009%02d"}\n' 1 2
		printf '{"edge":"has_failure","from":"01900000-0000-7000-8000-000000000002","to":"01900000-0000-7000-8000-0000000009%02d"}\n' 2
	} | import
	for how in "" keyword; do
		run -0 skill-find --format json ${how:+-m "$how"} deploy the web service to the cluster
		[ "$(jq -c 'select(.name == "deploy") | .signals.skill | [.bad_patterns, .similarity]' <<<"$output")" = '[1,null]' ]
		[ "$(jq -c 'select(.name == "roll") | .signals.skill.bad_patterns' <<<"$output")" = 0 ]
		[ "$(jq -c 'select(.name == "deploy") | .score' <<<"$output")" = 0.6 ]
	done
}

@test "bad patterns like the task lower the score" {
	need_model e5
	{
		skill 1 '"name":"deploy","description":"Deploy a web service to the cluster"'
		skill 2 '"name":"roll out","description":"Bring a new version of a web service into production"'
		printf '{"id":"01900000-0000-7000-8000-0000000009%02d","kind":"bad_pattern","ns":"global","created_at":"2026-01-01T00:00:00.000Z","description":"%s"}\n' \
			1 'Deploy the web service to the cluster' 2 'The tea was cold'
		printf '{"edge":"has_failure","from":"01900000-0000-7000-8000-000000000001","to":"01900000-0000-7000-8000-0000000009%02d"}\n' 1 2
	} | import
	mem-embed --pending
	run -0 skill-find --format json deploy the web service to the cluster
	[ "$(jq -c 'select(.name == "deploy") | .signals.skill | [.bad_patterns, .relevance]' <<<"$output")" = '[1,1]' ]
	[ "$(jq -c 'select(.name == "deploy") | .score' <<<"$output")" = 0.6 ]
	[ "$(jq -s 'all(.[]; .signals.skill.similarity > 0 and .mode == "hybrid")' <<<"$output")" = true ]
	# By meaning alone, and a name that shares no word with the task.
	[ "$(found -m vector -n 1 ship the site)" != '' ]
}
