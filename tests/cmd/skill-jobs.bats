#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What mem-maintain does about skills: each job twice is as once.
load helper
load skills

setup() {
	scratch
	need_store
}

# rating N: effectiveness, what it was before, version.
rating() { mem-get "$(skill_id "$1")" | jq -c '[.effectiveness, .effectiveness_base, .version]'; }
# job TIME NAME: what it did, and that it does nothing the second time.
job() {
	mem-maintain -v --now "$1" "$2" | jq .done
	mem-export > once
	mem-maintain --now "$1" "$2" > /dev/null
	mem-export | cmp - once
}

@test "what nobody uses falls by the week, from its last use" {
	{
		skill 1 brew-tea '"last_used":"2026-11-01T09:00:00.000Z","effectiveness":0.9'
		skill 2 make-tea '"last_used":"2026-11-01T09:00:00.000Z","successes":1'
		skill 3 pour-tea '"effectiveness":0.9'
		skill 4 serve-tea '"last_used":"2026-11-01T09:00:00.000Z","effectiveness":0.9' | sed 's/"active"/"archived"/'
	} | mem-import -q
	[ "$(job 2026-12-01T09:00:00Z stale)" = 0 ]
	[ "$(job 2026-12-01T09:00:00.001Z stale)" = 2 ]
	[ "$(rating 1)" = '[0.85,0.9,1]' ]
	[ "$(rating 2)" = '[0.45,null,1]' ]
	[ "$(job 2026-12-08T09:00:00Z stale)" = 0 ]
	cp -r store weekly
	for day in 08 15 22 29; do mem-maintain -S weekly --now 2026-12-${day}T10:00:00Z stale > /dev/null; done
	[ "$(job 2026-12-29T10:00:00Z stale)" = 2 ]
	[ "$(rating 1)" = '[0.65,0.9,1]' ]
	mem-export -S weekly | diff once -
	[ "$(mem-audit --subject "$(skill_id 1)" | tail -n 1 | jq -c '[.kind, .detail]')" = '["skill_rested",{"effectiveness":0.65}]' ]
	[ "$(job 2028-01-01T00:00:00Z stale)" = 2 ]
	[ "$(rating 1)" = '[0,0.9,1]' ]
	[ "$(job 2029-01-01T00:00:00Z stale)" = 0 ]
	[ "$(rating 3)" = '[0.9,null,1]' ]
	[ "$(rating 4)" = '[0.9,null,1]' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "the next use gives it back" {
	{
		skill 1 brew-tea '"last_used":"2026-01-01T00:00:00.000Z","effectiveness":0.4'
		skill 2 make-tea '"last_used":"2026-01-01T00:00:00.000Z"'
		skill 3 pour-tea '"last_used":"2026-01-01T00:00:00.000Z","successes":9,"effectiveness":0.9'
	} | mem-import -q
	mem-maintain --now 2026-11-28T09:00:00Z stale
	[ "$(rating 1)" = '[0,0.4,1]' ]
	for name in brew-tea make-tea pour-tea; do skill-record -q "$name" success; done
	[ "$(rating 1)" = '[0.4,null,1]' ]
	[ "$(rating 2)" = '[null,null,1]' ]
	[ "$(rating 3)" = '[0.75,null,1]' ]
	run -0 mem-maintain -v stale
	[ "$(jq .done <<<"$output")" = 0 ]
}

@test "a repair of a skill at rest is not undone by its next use" {
	skill 1 brew-tea '"last_used":"2026-07-01T09:00:00.000Z","effectiveness":0.95' | mem-import -q
	mem-maintain --now 2026-09-30T09:00:00Z stale
	[ "$(rating 1)" = '[0.5,0.95,1]' ]
	skill-repair -q "$(skill-conflicts --type stale 2> /dev/null | jq -r .id)"
	[ "$(rating 1)" = '[0.4,0.85,1]' ]
	skill-record -q brew-tea success
	[ "$(rating 1)" = '[0.85,null,1]' ]
}

@test "front matter cannot say what it was before" {
	mkdir -p files/brew-tea
	printf -- '---\nname: brew-tea\ndescription: x\neffectiveness_base: 1\n---\nBoil.\n' > files/brew-tea/SKILL.md
	skill-ingest -q files
	[ "$(skill-show brew-tea | jq -c '[.effectiveness_base, .extra.effectiveness_base]')" = '[null,1]' ]
}

@test "conflicts are looked for daily, and mended by nobody" {
	{ skill 1 fold-laundry; skill 2 'Fold laundry'; } | mem-import -q
	[ "$(job 2026-11-28T09:00:00Z conflicts 2> /dev/null)" = 5 ]
	[ "$(skill-conflicts --known | jq -r .type | sort -u | tr '\n' ' ')" = 'naming orphan stale ' ]
	[ "$(mem-get "$(skill_id 1)" | jq .version)" = 1 ]
	mem-forget -q "$(skill_id 2)"
	[ "$(job 2026-11-29T09:00:00Z conflicts 2> /dev/null)" = 3 ]
	[ "$(skill-conflicts --known | jq -r .type | sort | tr '\n' ' ')" = 'orphan stale ' ]
}

@test "the jobs have their times, and are an operator's" {
	skill 1 fold-laundry '"last_used":"2026-01-01T00:00:00.000Z"' | mem-import -q
	mem-maintain > /dev/null 2>&1
	[ "$(mem-maintain --list conflicts stale reembed | jq -c '[.task, .due, .when, .last, .outcome]' | sort | tr '\n' ' ')" = \
		'["conflicts",false,"2026-11-29T04:15:00.000Z","2026-11-28T09:00:00.000Z","done"] ["reembed",false,"2026-11-30T05:00:00.000Z","2026-11-28T09:00:00.000Z","nothing"] ["stale",false,"2026-11-30T05:00:00.000Z","2026-11-28T09:00:00.000Z","done"] ' ]
	[ "$(rating 1)" = '[0,null,1]' ]
	[ "$(mem-maintain --list --now 2026-11-30T05:00:00Z stale | jq .due)" = true ]
	mem-export > before
	mem-maintain --agent bob --now 2027-11-30T05:00:00Z conflicts stale > /dev/null 2>&1
	mem-export | cmp - before
}

@test "without skills nothing is due" {
	mem-maintain > /dev/null 2>&1
	[ "$(mem-maintain --list --now 2027-01-01 | jq -r 'select(.task == "conflicts" or .task == "stale" or .task == "reembed").due' | sort -u)" = false ]
}

@test "skills get vectors of the model that the settings name now" {
	embed_server ok
	mem-init -q --trust "$PWD/store"
	{ skill 1 fold-laundry; skill 2 darn-socks; } | mem-import -q
	mem-embed --pending
	[ "$(mem-maintain --list reembed | jq -c '[.due, .amount]')" = '[false,0]' ]
	sed -i 's/model: words/model: others/' "$HOME/.config/memkit/config.yaml"
	[ "$(mem-maintain --list reembed | jq -c '[.due, .amount]')" = '[true,2]' ]
	[ "$(job 2026-11-28T09:00:00Z reembed)" = 2 ]
	[ "$(mem-stat | jq -r .model)" = others ]
	[ "$(mem-maintain --list reembed | jq -c '[.due, .amount]')" = '[false,0]' ]
	[ "$(skill-find 'fold the laundry' | head -n 1 | jq -r .name)" = fold-laundry ]
	run -0 mem-check
	[ -z "$output" ]
}
