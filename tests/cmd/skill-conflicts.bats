#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ada is the operator, so that she may write to the namespace of skills; bob is not.
load helper

setup() {
	scratch
	need_store
}

id_of() { printf '0192aaaa-0000-7000-8000-%012d' "$1"; }
# skill NUMBER NAME [JSON]: a skill that is a day old, with more fields; those that it has are put over.
skill() {
	jq -nc --arg id "$(id_of "$1")" --arg name "$2" --argjson more "${3-null}" \
		'{id:$id,kind:"skill",ns:"global",created_at:"2026-11-27T09:00:00.000Z",version:1,status:"active",ref:("skill/"+$name),name:$name} + ($more // {})' |
		mem-import -q
}
edge() { # KIND FROM TO [JSON]
	jq -nc --arg e "$1" --arg from "$(id_of "$2")" --arg to "$(id_of "$3")" --argjson more "${4-null}" \
		'{edge:$e,from:$from,to:$to,weight:1,confidence:1,created_at:"2026-11-27T09:00:00.000Z"} + ($more // {})' | mem-import -q
}
found() { skill-conflicts -q "$@" 2> /dev/null | jq -r '"\(.type)/\(.names | join("+"))"' | sort | tr '\n' ' '; }
old='{"created_at":"2026-10-01T09:00:00.000Z"}'

@test "names that are nearly the same are found once, in either order" {
	skill 1 fold-laundry
	skill 2 'Fold laundry'
	skill 3 brew-tea
	[ "$(found)" = 'naming/Fold laundry+fold-laundry ' ]
	[ "$(found)" = 'naming/Fold laundry+fold-laundry ' ]
	[ "$(mem-list --kind conflict | wc -l)" -eq 1 ]
	run -0 skill-conflicts --known
	[ "$(jq -c '[.kind, .ns, .subject, .loser, .winner, .over, .state, .severity, .likeness, .priority]' <<<"$output")" = \
		"[\"conflict\",\"global\",\"$(id_of 2)\",\"$(id_of 2)\",\"$(id_of 1)\",\"name\",\"detected\",\"low\",1,1]" ]
	run -0 mem-check
	[ -z "$output" ]
	[ "$(mem-audit | jq -c 'select(.kind == "conflict") | [.actor, .detail]')" = '["ada",{"type":"naming","to":"detected"}]' ]
}

@test "what is needed and is not there, or not live, is found" {
	skill 1 brew-tea '{"relations":[{"edge":"requires","name":"boil-water"},{"edge":"enhances","name":"bake"}],"missing":["boil-water","bake"]}'
	skill 2 serve-tea
	skill 3 warm-pot '{"status":"deprecated"}'
	skill 4 buy-leaves '{"status":"draft"}'
	edge requires 2 3
	edge requires 2 1
	edge requires 2 4
	[ "$(found)" = 'dependency/brew-tea dependency/serve-tea+warm-pot ' ]
	[ "$(skill-conflicts --known | jq -r 'select(.winner == null) | .missing')" = boil-water ]
}

@test "the table says which skill is missing" {
	skill 1 brew-tea '{"relations":[{"edge":"requires","name":"boil-water"}],"missing":["boil-water"]}'
	run -0 --separate-stderr skill-conflicts --format text
	[[ "${lines[1]}" = *'brew-tea, boil-water (missing)' ]]
}

@test "a circle names its weakest edge, and a long one is none" {
	for i in 1 2 3; do skill $i "step-$i-$i$i$i"; done
	edge requires 1 2
	edge composes 2 3 '{"weight":0.4}'
	edge succeeds 3 1
	[ "$(found --type circular)" = 'circular/step-2-222+step-3-333 ' ]
	[ "$(skill-conflicts --known --type circular | jq -c '[.over, (.circle | length), .severity]')" = '["composes",3,"high"]' ]
}

@test "a release that is not the one asked for is found" {
	skill 1 brew-tea
	skill 2 boil-water '{"release":"1.4.0"}'
	edge requires 1 2 '{"version":"^1.2"}'
	[ "$(found)" = '' ]
	skill 3 serve-tea
	edge requires 3 2 '{"version":">=2"}'
	[ "$(found)" = 'version_mismatch/serve-tea+boil-water ' ]
	[ "$(skill-conflicts --known | jq -c .releases)" = '{"asked":">=2","there":"1.4.0"}' ]
}

@test "a skill was used as often as all its releases were" {
	skill 1 brew-tea "$(jq -c '.release = "1.0.1" | .last_used = "2026-07-01T09:00:00.000Z"' <<<"$old")"
	skill 2 serve-tea "$(jq -c '.successes = 9' <<<"$old")"
	edge enhances 1 2
	skill 3 brew-tea '{"ref":"skill-release/brew-tea/1.0.0","status":"superseded","release":"1.0.0","release_of":"'"$(id_of 1)"'","successes":50}'
	# The node of the active release waits, and counts what it counted before.
	skill 4 serve-tea '{"ref":"skill-release/serve-tea/1.0.0","status":"superseded","release_of":"'"$(id_of 2)"'","successes":2}'
	[ "$(found --type stale)" = '' ]
}

@test "old skills that nobody uses are stale, and orphans without an edge" {
	skill 1 brew-tea "$old"
	skill 2 serve-tea "$old"
	skill 3 fold-laundry "$(jq -c '.successes = 5' <<<"$old")"
	skill 4 darn-socks "$(jq -c '.successes = 1 | .last_used = "2026-11-20T09:00:00.000Z"' <<<"$old")"
	edge enhances 1 2
	[ "$(found)" = 'orphan/darn-socks orphan/fold-laundry stale/brew-tea stale/serve-tea ' ]
	agent-team -q add kitchen ada
	skill-assign -q fold-laundry --team kitchen
	[ "$(found --type orphan)" = 'orphan/darn-socks ' ]
	[ "$(skill-conflicts --known --state resolved | jq -r .reason)" = gone ]
}

@test "skills that say the same, nearly the same and the opposite are found by their vectors" {
	need_store
	embed_server ok
	mem-init -q --trust "$PWD/store"
	tea='Boil the water, warm the pot, and let the leaves stand for four minutes before the tea is poured out. '
	skill 1 brew-tea "$(jq -nc --arg t "$tea" '{description:$t}')"
	skill 2 make-tea "$(jq -nc --arg t "$tea" '{description:$t}')"
	skill 3 tea-later "$(jq -nc --arg t "$tea" '{description:($t + "Serve it cold with ice, lemon and mint in a tall glass on hot days.")}')"
	skill 4 tea-of-others "$(jq -nc --arg t "$tea" '{description:($t + "Serve it cold with ice, lemon and mint in a tall glass on hot days."),category:"kitchen"}')"
	skill 5 wash-cups '{"content":"- Always rinse cups with hot water."}'
	skill 6 save-heat '{"content":"Never rinse cups with hot water!"}'
	mem-embed --pending
	skill-conflicts > all
	[ "$(jq -r 'select(.type == "duplicate") | .names | join("+")' all | sort | tr '\n' ' ')" = 'make-tea+brew-tea tea-of-others+tea-later ' ]
	[ "$(jq -r 'select(.type == "overlap") | .names | join("+")' all | sort | tr '\n' ' ')" = 'tea-later+brew-tea tea-later+make-tea ' ]
	[ "$(jq -c 'select(.type == "contradiction") | [.names, .orders]' all)" = \
		'[["save-heat","wash-cups"],{"does":"Always rinse cups with hot water.","does_not":"Never rinse cups with hot water!"}]' ]
	[ "$(head -n 1 all | jq -r .type)" = duplicate ]
}

@test "where pairs are left aside other conflicts end all the same" {
	local i
	need_store
	embed_server ok
	mem-init -q --trust "$PWD/store"
	for ((i = 100; i < 156; i++)); do
		jq -nc --arg id "$(id_of $i)" --arg name "tea-$((i * i * i))" '{id:$id,kind:"skill",ns:"global",created_at:"2026-11-27T09:00:00.000Z",
			version:1,status:"active",ref:("skill/"+$name),name:$name,description:"Boil the water and let the leaves stand for four minutes."}'
	done | mem-import -q
	skill 1 wash-cups
	skill 2 rinse-cups '{"status":"deprecated"}'
	edge requires 1 2
	mem-embed --pending
	run -0 --separate-stderr skill-conflicts --type dependency
	[[ $stderr == *'pairs more lie near each other'* ]]
	[ "$(jq -c .names <<< "$output")" = '["wash-cups","rinse-cups"]' ]
	known=$(skill-conflicts --known --all --type duplicate,overlap | grep -c "$(id_of 100)")
	[ "$known" -ge 50 ]
	kg-edge list --kind requires | kg-edge remove -q
	skill-status -q "$(id_of 100)" deprecated --reason old
	skill-status -q "$(id_of 100)" archived --reason old
	run -0 --separate-stderr skill-conflicts --type dependency
	[[ $stderr == *'pairs more lie near each other'* ]]
	[ "$output" = '' ]
	[ "$(skill-conflicts --known --type dependency --state resolved | jq -r .reason)" = gone ]
	[ "$(skill-conflicts --known --all --type duplicate,overlap | grep -c "$(id_of 100)")" = 0 ]
	[ "$(skill-conflicts --known --all --type duplicate,overlap --state resolved | grep -c "$(id_of 100)")" = "$known" ]
}

@test "without a model the rest is found, and it is said what was not looked for" {
	skill 1 fold-laundry
	skill 2 'Fold laundry'
	run -0 --separate-stderr skill-conflicts
	[ "$(jq -r .type <<<"$output")" = naming ]
	[[ $stderr == *'duplicates and overlaps were not looked for'* && $stderr == *'contradictions were not looked for'* ]]
}

@test "what parts the words of a name tells no skill from another" {
	skill 1 wash_car
	skill 2 wash-car
	skill 3 'Wash  Car'
	skill 4 wash.car
	skill 5 car-wash
	[ "$(skill-conflicts --all 2> /dev/null | jq -c .names | wc -l)" = 6 ]
	[ "$(skill-conflicts --known --all | jq -r '.names[]' | sort -u | tr '\n' ' ')" = 'Wash  Car wash-car wash.car wash_car ' ]
}

@test "a skill that requires itself is a circle of one" {
	mkdir -p k/narcissus
	printf -- '---\nname: narcissus\ndescription: Looks at itself\nrequires: [narcissus]\nenhances: narcissus\n---\nLook.\n' > k/narcissus/SKILL.md
	run -0 skill-ingest --no-embed k
	[ "$(jq -c .itself <<<"$output")" = '["requires","enhances"]' ]
	run -0 skill-deps narcissus
	[ "$(jq -c '[.cycles[] | map(.name)]' <<<"$output")" = '[["narcissus"]]' ]
	run -0 --separate-stderr skill-conflicts
	[ "$(jq -c '[.type, .over, .names, (.circle | length)]' <<<"$output")" = '["circular","requires",["narcissus"],1]' ]
	skill-repair -q --type circular
	[ "$(skill-deps narcissus | jq -c .cycles)" = '[]' ]
	[ -z "$(skill-conflicts 2> /dev/null)" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a decision is kept for 30 days" {
	skill 1 fold-laundry
	skill 2 'Fold laundry'
	id=$(skill-conflicts 2> /dev/null | jq -r .id)
	run -0 skill-conflicts --acknowledge "$id"
	[ "$(found)" = 'naming/Fold laundry+fold-laundry ' ]
	[ "$(skill-conflicts --known | jq -r .state)" = acknowledged ]
	run -0 skill-conflicts --dismiss "${id:0:13}" --reason 'Two machines.'
	[ "$(jq -r .verdict <<<"$output")" = changed ]
	[ "$(found)" = '' ]
	[ "$(mem-get "$id" | jq -c '[.state, .reason, .decided_by, .decided_at]')" = '["dismissed","Two machines.","ada","2026-11-28T09:00:00.000Z"]' ]
	run -1 skill-conflicts --resolve "$id"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	[ "$(found --now 2026-12-28T08:59:59Z --type naming)" = '' ]
	[ "$(found --now 2026-12-28T09:00:00Z --type naming)" = 'naming/Fold laundry+fold-laundry ' ]
	[ "$(mem-get "$id" | jq -c '[.state, .reason, .decided_by, .detected_at]')" = '["detected",null,null,"2026-12-28T09:00:00.000Z"]' ]
}

@test "a conflict grows more urgent with its age" {
	skill 1 brew-tea '{"relations":[{"edge":"requires","name":"boil-water"}],"missing":["boil-water"]}'
	[ "$(skill-conflicts 2> /dev/null | jq .priority)" = 4 ]
	[ "$(skill-conflicts --known --now 2027-01-12T09:00:00Z | jq .priority)" = 6 ]
	[ "$(skill-conflicts --known --now 2028-01-12T09:00:00Z | jq .priority)" = 12 ]
}

@test "the list is filtered by type, severity and state" {
	skill 1 fold-laundry "$old"
	skill 2 'Fold laundry' '{"missing":["iron"],"relations":[{"edge":"requires","name":"iron"}]}'
	[ "$(found --severity high,medium)" = 'dependency/Fold laundry ' ]
	[ "$(found --type stale,naming)" = 'naming/Fold laundry+fold-laundry stale/fold-laundry ' ]
	[ "$(found -n 1)" = 'dependency/Fold laundry ' ]
	[ "$(found --state resolved)" = '' ]
	run -2 skill-conflicts --type quarrel
	run -2 skill-conflicts --reason why
	run -2 skill-conflicts --known --resolve "$(id_of 1)"
}

@test "who may not write there decides nothing, and scans nothing" {
	skill 1 fold-laundry
	skill 2 'Fold laundry'
	id=$(skill-conflicts 2> /dev/null | jq -r .id)
	run -4 skill-conflicts --agent bob --ns global
	run -0 skill-conflicts --agent bob --known
	[ "$(jq -r .id <<<"$output")" = "$id" ]
	run -4 skill-conflicts --agent bob --dismiss "$id"
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	run -1 skill-conflicts --dismiss "$(id_of 1)"
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
}

@test "conflicts go with a skill that is erased" {
	skill 1 fold-laundry
	skill 2 'Fold laundry'
	[ "$(found)" = 'naming/Fold laundry+fold-laundry ' ]
	mem-forget -q --erase "$(id_of 1)"
	[ -z "$(mem-list --kind conflict)" ]
}

# file NAME TEXT: a skill's file.
file() {
	mkdir -p "files/$1"
	printf -- '---\nname: %s\n%s\n' "$1" "$2" > "files/$1/SKILL.md"
}

# check_mismatches EXPECTED: once the files are read again.
check_mismatches() {
	skill-ingest -q files
	[ "$(found --type version_mismatch)" = "$1" ]
}

@test "a clone and its origin that changed the same field are found" {
	file brew-tea $'description: brew it\nlicense: MIT\n---\nBoil the water.'
	file brew-chai $'description: brew it\nlicense: MIT\ncloned_from: brew-tea@1.0.0\n---\nBoil the water.'
	check_mismatches ''
	file brew-chai $'description: brew it\nlicense: MIT\ncloned_from: brew-tea@1.0.0\n---\nBoil the milk.'
	check_mismatches ''
	# The origin changes another field, then the same one.
	file brew-tea $'description: brew it well\nlicense: MIT\n---\nBoil the water.'
	check_mismatches ''
	file brew-tea $'description: brew it well\nlicense: MIT\n---\nBoil fresh water.'
	check_mismatches 'version_mismatch/brew-chai+brew-tea '
	[ "$(skill-conflicts --known --type version_mismatch | jq -c '[.over, .releases]')" = '["content",{"asked":"1.0.0","there":"1.0.2"}]' ]
	# Taken over, and said so.
	file brew-chai $'description: brew it well\nlicense: MIT\ncloned_from: brew-tea@1.0.2\n---\nBoil fresh milk.'
	check_mismatches ''
	# Both changed it alike.
	file brew-chai $'description: brew it\nlicense: MIT\ncloned_from: brew-tea@1.0.0\n---\nBoil fresh water.'
	check_mismatches ''
	run -0 skill-show brew-chai
	[ "$(jq -r .cloned_from <<<"$output")" = brew-tea@1.0.0 ]
}

@test "what a clone says of no skill or release is let be" {
	file brew-tea $'description: brew it\n---\nBoil the water.'
	for from in brew-tea brew-tea@ @1.0.0 brew-tea@9.9.9 nobody@1.0.0 '[brew-tea@1.0.0]' brew-chai@1.0.0; do
		file brew-chai $'description: brew it\ncloned_from: '"$from"$'\n---\nBoil the milk.'
		check_mismatches ''
	done
}

@test "an open conflict says what the last scan found of it" {
	skill 1 serve-tea
	skill 2 boil-water '{"release":"1.4.0"}'
	edge requires 1 2 '{"version":">=2"}'
	skill 3 fold-laundry '{"successes":3}'
	skill 4 'Fold laundry'
	# A pair that is found twice, as a clone and by what it needs, says one of both each time.
	skill 5 pour-water "{\"release\":\"1.0.0\",\"content\":\"c\",\"cloned_from\":\"boil-water@1.0.0\"}"
	skill 6 boil-water-1.0.0 "{\"ref\":\"skill/boil-water@1.0.0\",\"name\":\"boil-water\",\"release\":\"1.0.0\",\"release_of\":\"$(id_of 2)\",\"status\":\"superseded\",\"content\":\"b\"}"
	edge requires 5 2 '{"version":"^3"}'
	skill-conflicts -q
	known=$(skill-conflicts --known)
	skill-conflicts -q
	[ "$(skill-conflicts --known)" = "$known" ]
	[ "$(jq -c 'select(.type == "naming") | [.loser, .winner]' <<<"$known")" = "[\"$(id_of 4)\",\"$(id_of 3)\"]" ]
	printf -- '---\nname: boil-water\nversion: 1.5.0\n---\nBoil it.\n' >SKILL.md
	skill-ingest -q SKILL.md
	for i in 1 2 3 4; do skill-record -q "$(id_of 4)" success; done
	skill-conflicts -q
	[ "$(skill-conflicts --known --type version_mismatch | jq -c 'select(.loser | endswith("1")).releases')" = '{"asked":">=2","there":"1.5.0"}' ]
	[ "$(skill-conflicts --known --type version_mismatch | jq -c 'select(.loser | endswith("5")).releases')" = '{"asked":"^3","there":"1.5.0"}' ]
	[ "$(skill-conflicts --known --type naming | jq -c '[.loser, .winner, .state]')" = "[\"$(id_of 3)\",\"$(id_of 4)\",\"detected\"]" ]
	[ "$(skill-conflicts --known | jq -s 'map([.id, .detected_at])' )" = "$(jq -s 'map([.id, .detected_at])' <<<"$known")" ]
	# What was acknowledged stays so, and what was decided stays as it was decided.
	id=$(skill-conflicts --known --type naming | jq -r .id)
	skill-conflicts -q --acknowledge "$id" --reason 'I know'
	for i in 1 2 3 4; do skill-record -q "$(id_of 3)" success; done
	skill-conflicts -q
	[ "$(mem-get "$id" | jq -c '[.loser, .winner, .state, .reason]')" = "[\"$(id_of 4)\",\"$(id_of 3)\",\"acknowledged\",\"I know\"]" ]
	skill-conflicts -q --dismiss "$id" --reason 'They differ'
	for i in 1 2 3 4; do skill-record -q "$(id_of 4)" success; done
	skill-conflicts -q
	[ "$(mem-get "$id" | jq -c '[.loser, .winner, .state]')" = "[\"$(id_of 4)\",\"$(id_of 3)\",\"dismissed\"]" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "an edge to what is deprecated, archived or retired is one; to what was forgotten, or to itself, it is none" {
	n=1
	for status in deprecated archived retired active; do
		skill $n "needs-$status" "$old"
		skill $((n + 1)) "is-$status" "$(jq -c --arg s $status '.status = $s' <<<"$old")"
		if [ $status = archived ]; then edge enhances $((n + 1)) $n; else edge enhances $n $((n + 1)); fi
		n=$((n + 2))
	done
	skill 20 needs-itself "$old"
	edge requires 20 20
	skill 21 has-a-tag "$old"
	mem-edit -q --tag harbour "$(id_of 21)"
	[ "$(found --type orphan)" = 'orphan/has-a-tag orphan/needs-itself ' ]
	mem-forget -q "$(id_of 8)"
	[ "$(found --type orphan)" = 'orphan/has-a-tag orphan/needs-active orphan/needs-itself ' ]
}

@test "a range of releases that is not understood is told, and is no conflict" {
	skill 1 brew-tea
	skill 2 boil-water '{"release":"1.4.0"}'
	skill 3 serve-tea
	edge requires 1 2 '{"version":"latest"}'
	run -0 --separate-stderr skill-conflicts
	[ -z "$output" ]
	[[ "$stderr" = *'skill-conflicts: a range of releases is not understood: brew-tea requires boil-water latest'* ]]
	edge requires 3 2 '{"version":">=2 soon"}'
	run -0 --separate-stderr skill-conflicts
	[[ "$stderr" = *'2 ranges of releases are not understood, the first: brew-tea requires boil-water latest'* ]]
	# One that was a conflict before is none any more.
	for version in '^2' soon; do
		printf -- '---\nname: warm-pot\ndependencies: [{name: boil-water, version: "%s"}]\n---\nWarm it.\n' "$version" >SKILL.md
		skill-ingest -q SKILL.md
		found --type version_mismatch
	done >all
	[ "$(<all)" = 'version_mismatch/warm-pot+boil-water ' ]
}
