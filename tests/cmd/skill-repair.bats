#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ada is the operator, so that she may write to the namespace of skills; bob is not.
load helper
load skills

setup() {
	scratch
	need_store
}

known() { skill-conflicts --known "$@" | jq -r .id; }
scan() { skill-conflicts "$@" 2>/dev/null | jq -r .id; }
# all: the whole store, whatever the versions and the order of fields.
all() { mem-export | jq -Sc 'del(.version)' | sort; }
# made JQ: of the receipts in $output.
made() { jq -c "$1" <<<"${output-}"; }
# tea N NAME [MORE]: a skill that says what all of them say.
tea() {
	skill "$@" | jq -c '.description = "Boil the water, warm the pot, and let the leaves stand for four minutes before the tea is poured out."'
}

# repair_types LIST: the setting skills.repair.
repair_types() {
	sed -i "/^  repair:/d; s/^skills:\$/&\n  repair: [$1]/" store/config.yaml
}

# Two skills that say the same, with vectors.
two_teas() {
	embed_server ok
	mem-init -q --trust "$PWD/store"
	{
		tea 1 brew-tea '"successes":2,"failures":1'
		tea 2 make-tea '"successes":5'
	} | mem-import -q
}

@test "a duplicate is merged into the skill that was used more, with all that leads to it" {
	two_teas
	{
		skill 3 serve-tea
		skill 4 boil-water
		printf '{"id":"0192bbbb-0000-7000-8000-000000000001","kind":"skill","ns":"global","created_at":"2026-01-01T00:00:00.000Z","version":1,"status":"superseded","ref":"skill-release/brew-tea/0.9.0","name":"brew-tea","release":"0.9.0","release_of":"%s"}\n' "$(skill_id 1)"
		skill_edge requires 3 1 '"weight":0.7,"note":"as always"'
		skill_edge requires 1 4 '"declared":1'
		skill_edge enhances 4 1
		skill_edge enhances 4 2
	} | mem-import -q
	skill-assign -q brew-tea --agent bob --team kitchen
	skill-record -q brew-tea failure --text 'The pot was cold.'
	mem-embed --pending
	id=$(scan --type duplicate)
	all > before
	run -0 skill-repair "$id"
	[ "$(made '[.verdict, .id, .ns, .type, .repair.action, .repair.keep, .repair.merged, .advice]')" = \
		"[\"changed\",\"$id\",\"global\",\"duplicate\",\"merged\",\"$(skill_id 2)\",\"$(skill_id 1)\",null]" ]
	[ "$(mem-get "$(skill_id 1)" | jq -c '[.status, .superseded_by, .uses]')" = "[\"merged\",\"$(skill_id 2)\",4]" ]
	[ "$(mem-get "$(skill_id 2)" | jq -c '[.status, .successes]')" = '["active",5]' ]
	mem-export | jq -r 'select(.edge) | "\(.edge) \(.from[-2:]) \(.to[-2:]) \(.weight // 1) \(.note // "")"' > edges
	grep -q '^requires 03 02 0.7 as always' edges
	grep -q '^requires 01 04' edges
	[ "$(grep -c '^assigned .* 02 ' edges)" -eq 2 ]
	grep -q '^has_failure 02 ' edges
	[ "$(grep -c '^enhances 04 02' edges)" -eq 1 ]
	run ! grep -Eq '^(assigned|has_failure|enhances) .*01 ' edges
	[ "$(skill-list --assigned bob | jq -r .name)" = make-tea ]
	[ "$(mem-get "$id" | jq -c '[.state, .reason, .decided_by, .repair.by]')" = '["resolved","repaired","ada","ada"]' ]
	[ "$(mem-audit --subject "$id" | tail -n 1 | jq -c '[.kind, .detail.type, .detail.action, .detail.from, .detail.to]')" = \
		'["skill_repair","duplicate","merged","detected","resolved"]' ]
	[ "$(mem-log | tail -n 1 | jq -c '[.id, .op]')" = "[\"$id\",\"changed\"]" ]
	run -0 mem-check
	[ -z "$output" ]
	run -0 skill-repair --undo "$id"
	[ "$(made .verdict)" = '"changed"' ]
	all > after
	diff before after
	run -0 skill-repair --undo "$id"
	[ "$(made .verdict)" = '"unchanged"' ]
	all > after
	diff before after
	run -0 mem-check
	[ -z "$output" ]
}

@test "who has more outcomes when it is mended is kept" {
	two_teas
	mem-embed --pending
	id=$(scan --type duplicate)
	for _ in 1 2 3; do skill-record -q brew-tea success; done
	run -0 skill-repair "$id"
	[ "$(made .repair.keep)" = "\"$(skill_id 1)\"" ]
}

@test "skills are merged only where that is asked for" {
	two_teas
	mem-embed --pending
	id=$(scan --type duplicate)
	run -0 skill-repair
	[ "$(made 'select(.type == "duplicate") | [.verdict, .repair, (.advice | test("unasked"))]')" = '["unchanged",null,true]' ]
	[ "$(mem-get "$id" | jq -r .state)" = detected ]
	run -0 skill-repair --dry-run --type duplicate
	[ "$(made '[.verdict, .repair.action]')" = '["changed","merged"]' ]
	[ "$(mem-get "$id" | jq -r .state)" = detected ]
	repair_types stale
	run -0 skill-repair "$id"
	[ "$(made .verdict)" = '"unchanged"' ]
	repair_types duplicate
	run -0 skill-repair
	[ "$(made 'select(.type == "duplicate") | .repair.action')" = '"merged"' ]
	repair_types naming
	run -3 skill-repair "$id"
	[[ $output = *'skills.repair must be a list of duplicate|circular|stale|orphan'* ]]
}

@test "of three that are the same two are merged, and the third says what it needs" {
	two_teas
	tea 3 pour-tea | mem-import -q
	mem-embed --pending
	[ "$(scan --type duplicate | wc -l)" -eq 3 ]
	run -0 skill-repair --type duplicate
	[ "$(made .repair.action | sort | tr '\n' ' ')" = '"merged" "merged" null ' ]
	[ "$(skill-list --status active | jq -r .name)" = make-tea ]
	[ "$(scan --type duplicate | wc -l)" -eq 0 ]
}

@test "a requirement by name follows a skill that was merged" {
	two_teas
	mkdir -p files/serve-tea
	printf -- '---\nname: serve-tea\ndescription: serve it\ndependencies: [brew-tea]\n---\nPour.\n' > files/serve-tea/SKILL.md
	skill-ingest -q files
	mem-embed --pending
	skill-repair -q "$(scan --type duplicate)"
	printf -- '---\nname: serve-tea\ndescription: serve it hot\ndependencies: [brew-tea]\n---\nPour.\n' > files/serve-tea/SKILL.md
	skill-ingest -q files
	[ "$(mem-export | jq -r 'select(.edge == "requires") | .to')" = "$(skill_id 2)" ]
	[ "$(skill-show serve-tea | jq -c .missing)" = null ]
}

@test "the weakest edge of a circle goes, and comes back as it was" {
	{
		skill 1 warm-pot
		skill 2 boil-water
		skill_edge requires 1 2
		skill_edge requires 2 1 '"weight":0.4,"declared":0.4,"version":"^1.2","note":{"why":"it says so"}'
	} | mem-import -q
	id=$(scan --type circular)
	all > before
	run -0 skill-repair --reason 'One needs no pot.' "${id:0:13}"
	[ "$(made '[.verdict, .repair.action, .repair.edge.note.why, (.advice | test("declares it"))]')" = '["changed","edge_removed","it says so",true]' ]
	[ "$(mem-export | jq -c 'select(.edge == "requires") | .weight')" = null ]
	[ "$(mem-get "$id" | jq -r .reason)" = 'One needs no pot.' ]
	run ! grep -q 'it says so' <(mem-audit)
	[ "$(mem-audit --subject "$(skill_id 2)" | tail -n 1 | jq -c '[.kind, .detail]')" = \
		"[\"skill_repair\",{\"type\":\"circular\",\"action\":\"edge_removed\",\"conflict\":\"$id\"}]" ]
	[ -z "$(scan --type circular)" ]
	run -0 skill-repair --undo "$id"
	all > after
	diff before after
	run -0 mem-check
	[ -z "$output" ]
}

@test "an edge that came back meanwhile is in the way of an undoing" {
	{
		skill 1 warm-pot
		skill 2 boil-water
		skill_edge requires 1 2
		skill_edge requires 2 1 '"weight":0.4'
	} | mem-import -q
	id=$(scan --type circular)
	skill-repair -q "$id"
	skill_edge requires 2 1 | mem-import -q
	all > before
	run -1 skill-repair --undo "$id"
	[ "$(made .reason)" = '"state_conflict"' ]
	all > after
	diff before after
}

@test "a stale skill falls by .1, and one that falls below .2 is deprecated" {
	{
		skill 1 warm-pot
		skill 2 boil-water '"effectiveness":0.25'
		skill 3 pour-out '"effectiveness":0.3'
	} | mem-import -q
	scan --type stale > ids
	[ "$(wc -l < ids)" -eq 3 ]
	all > before
	run -0 skill-repair --type stale
	[ "$(made '[.repair.action, .repair.effectiveness]' | sort | tr '\n' ' ')" = '["deprecated",0.15] ["lowered",0.2] ["lowered",0.4] ' ]
	[ "$(mem-get "$(skill_id 1)" | jq -c '[.status, .version, .effectiveness]')" = '["active",1,0.4]' ]
	[ "$(mem-get "$(skill_id 2)" | jq -c '[.status, .status_changes[0].reason]')" = '["deprecated","stale"]' ]
	xargs skill-repair -q --undo < ids
	[ "$(mem-get "$(skill_id 2)" | jq -c '[.status, .effectiveness, [.status_changes[].to]]')" = '["active",0.25,["deprecated","active"]]' ]
	mem-export | jq -Sc 'del(.version, .status_changes)' | sort > after
	diff before after
	[ "$(known | wc -l)" -ge 3 ]
}

@test "a stale skill that was used since is not put back" {
	{ skill 1 warm-pot; skill 2 boil-water '"effectiveness":0.25,"uses":2,"successes":2'; } | mem-import -q
	[ "$(scan --type stale | grep -c .)" -eq 2 ]
	skill-repair -q --type stale
	skill-record -q warm-pot success
	skill-record -q boil-water success
	all > before
	for id in $(known --type stale --state resolved); do
		run -1 skill-repair --undo "$id"
		[ "$(made .reason)" = '"state_conflict"' ]
	done
	all > after
	diff <(grep -v '"audit"' before) after
}

@test "an orphan whose edge was weighed anew is not put back" {
	two_teas
	mem-embed --pending
	id=$(scan --type orphan | head -n 1)
	skill-repair -q "$id"
	kg-edge list --kind relates_to | jq -c '{edge, from, to, weight: 0.9}' | kg-edge set -q
	run -1 skill-repair --undo "$id"
	[ "$(made .reason)" = '"state_conflict"' ]
	[ "$(kg-edge list --kind relates_to | jq .weight)" = 0.9 ]
}

@test "two orphans are joined once, and who was joined is none any more" {
	two_teas
	tea 3 pour-tea | mem-import -q
	mem-embed --pending
	[ "$(scan --type orphan | wc -l)" -eq 3 ]
	run -0 skill-repair --type orphan
	[ "$(made .verdict | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 "changed" 2 "unchanged" ' ]
	[ "$(kg-edge list --kind relates_to | grep -c .)" -eq 2 ]
	[ -z "$(scan --type orphan)" ]
}

@test "an orphan is joined to the nearest skills" {
	two_teas
	for n in 3 4 5 6 7; do tea $n "tea-$n"; done | mem-import -q
	skill 8 fold-laundry | mem-import -q
	id=$(scan --type orphan | head -n 1)
	run -0 skill-repair "$(skill-conflicts --known --type orphan | jq -r 'select(.names[0] == "tea-7").id')"
	[ "$(made '[.verdict, .repair, (.advice | test("no vector"))]')" = '["unchanged",null,true]' ]
	mem-embed --pending
	all > before
	run -0 skill-repair --type orphan -n 1
	[ "$(made '[.repair.action, (.repair.edges | length), (.repair.edges | map(.similarity >= 0.5) | all)]')" = '["connected",5,true]' ]
	[ "$(mem-export | jq -c 'select(.edge == "relates_to") | .from' | sort -u)" = "$(made .repair.skill)" ]
	run -0 skill-repair "$(skill-conflicts --known --type orphan | jq -r 'select(.names[0] == "fold-laundry").id')"
	[ "$(made '[.verdict, .repair, (.advice | test("no skill"))]')" = '["unchanged",null,true]' ]
	skill-repair -q --undo "$(known --state resolved)"
	all > after
	diff before after
	[ -n "$id" ]
}

@test "what needs a person has an advice" {
	{ skill 1 fold-laundry; skill 2 'Fold laundry'; } | mem-import -q
	id=$(scan --type naming)
	run -0 skill-repair "$id"
	[ "$(made '[.verdict, .type, .repair, .advice]')" = '["unchanged","naming",null,"rename one of the two in its file"]' ]
	run -0 skill-repair --format text "$id"
	[ "$output" = "line 1: unchanged $id"$'\n''  naming: rename one of the two in its file' ]
	[ "$(mem-get "$id" | jq -r .state)" = detected ]
}

@test "who may not write there changes nothing" {
	{ skill 1 warm-pot; skill 2 boil-water; skill_edge requires 1 2; skill_edge requires 2 1; } | mem-import -q
	id=$(scan --type circular)
	mem-export > before
	run -4 skill-repair --agent bob "$id"
	[ "$(made .reason | head -n 1)" = '"namespace_denied"' ]
	run -4 skill-repair --agent bob
	mem-export > after
	diff before after
	skill-repair -q "$id"
	mem-export > before
	run -4 skill-repair --agent bob --undo "$id"
	mem-export > after
	diff before after
}

@test "one who may write to the skills and not to an agent merges nothing" {
	export MEM_TEAMS=wolves
	two_teas
	{
		tea 1 brew-tea
		tea 2 make-tea '"successes":5'
	} | sed 's/0192aaaa/0192cccc/; s/"ns":"global"/"ns":"team:wolves"/' | mem-import -q
	skill-assign -q 0192cccc-0000-7000-8000-000000000001 --agent eve
	mem-embed --pending
	id=$(scan --type duplicate --ns team:wolves)
	mem-export > before
	run -4 skill-repair --agent bob "$id"
	[ "$(made .reason)" = '"namespace_denied"' ]
	mem-export > after
	diff before after
}

@test "a conflict is mended once, also by two at a time" {
	{ skill 1 warm-pot; skill 2 boil-water; skill_edge requires 1 2; skill_edge requires 2 1; } | mem-import -q
	id=$(scan --type circular)
	patient
	skill-repair "$id" > one &
	skill-repair "$id" > two || true
	wait
	[ "$(cat one two | jq -r '.reason // .verdict' | sort | tr '\n' ' ')" = 'changed state_conflict ' ]
	[ "$(mem-export | jq -c 'select(.edge == "requires")' | wc -l)" -eq 1 ]
	skill-repair --undo "$id" > one &
	skill-repair --undo "$id" > two || true
	wait
	[[ "$(cat one two | jq -r '.reason // .verdict' | sort | tr '\n' ' ')" =~ ^changed\ (state_conflict|unchanged)\ $ ]]
	[ "$(mem-export | jq -c 'select(.edge == "requires")' | wc -l)" -eq 2 ]
}

@test "a conflict that is found again says nothing of the old repair" {
	skill 1 warm-pot | mem-import -q
	id=$(scan --type stale)
	skill-repair -q "$id"
	[ "$(scan --type stale --now 2026-12-28T09:00:00Z)" = "$id" ]
	[ "$(mem-get "$id" | jq -c '[.state, .reason, .repair]')" = '["detected",null,null]' ]
	run -1 skill-repair --undo "$id"
	[ "$(made .reason)" = '"state_conflict"' ]
}

@test "bad operands are refused one by one" {
	skill 1 warm-pot | mem-import -q
	id=$(scan --type stale)
	run -1 skill-repair "$(skill_id 1)" 0192ffff-0000-7000-8000-000000000001 '' "$id"
	[ "$(jq -r '.reason // .verdict' <<<"$(grep '^{' <<<"$output")" | tr '\n' ' ')" = 'bad_value not_found empty changed ' ]
	run -1 skill-repair --undo ''
	[ "$(jq -r .reason <<<"$output")" = empty ]
	run -1 skill-show ''
	[ "$output" = 'skill-show: no skill has an empty name' ]
	run -1 skill-repair --undo "$(skill_id 1)"
	run -2 skill-repair --undo
	run -2 skill-repair --type quarrel
	run -2 skill-repair --ns wolves
	run -2 skill-repair --type stale "$id"
	run -2 skill-repair --undo --reason why "$id"
}
