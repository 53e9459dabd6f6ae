#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

F=00000001-1111-7111-8111-111111111111
setup() {
	scratch
	need_store
	e=$(remember '{"content":"Zoe works at Akme"}')
	{
		printf '{"id":"%s","kind":"fact","ns":"agent:ada","created_at":"2026-11-01T09:00:00.000Z","version":1,"status":"active","statement":"Zoe works at Akme","sources":[{"episode":"%s"}],"mentions":1,"tags":["old"],"type":"fact","importance":0.5,"trust":0.5,"confidence":0.7,"last_access":null,"access_count":3,"pinned":true,"valid_from":"2026-01-01T00:00:00.000Z"}\n' $F "$e"
		printf '{"edge":"derived_from","from":"%s","to":"%s"}\n' $F "$e"
		printf '{"edge":"supports","from":"%s","to":"%s","weight":0.7}\n' "$e" $F
	} | mem-import -q
}

verdict() { "$@" | jq -r '.verdict + " " + (.reason // "-")'; }
correct() { mem-edit --set statement='Zoe works at Acme' --why 'a typing error' "$@" | jq -r .id; }

@test "mem-edit makes a new version that supersedes the old one, with who and why" {
	new=$(correct $F)
	[ "$(mem-get "$new" | jq -c '[.statement, .version, .status, .confidence, .access_count, .pinned, .valid_from]')" = \
		'["Zoe works at Acme",1,"active",0.7,3,true,"2026-01-01T00:00:00.000Z"]' ]
	[ "$(mem-get "$new" | jq -c .edited)" = '{"by":"ada","at":"2026-11-28T09:00:00.000Z","why":"a typing error","from":"'$F'"}' ]
	[ "$(mem-get $F | jq -c '[.statement, .status, .superseded_by]')" = "[\"Zoe works at Akme\",\"superseded\",\"$new\"]" ]
	[ "$(mem-search acme | jq -r .id)" = "$new" ]
	[ "$(mem-search --kind fact akme)" = "" ]
	[ "$(mem-export | grep -c "\"derived_from\",\"from\":\"$new\",\"to\":\"$e\"")" = 1 ]
	[ "$(mem-export | grep "\"supports\"" | grep "\"to\":\"$new\"" | jq .weight)" = 0.7 ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .detail.of]')" = "[\"edit\",\"$new\",\"$F\"]" ]
	run -1 grep -q Acme <(mem-audit)
	run -0 mem-check
}

@test "mem-edit --undo makes the old one active again, once" {
	mem-get $F | jq -cS 'del(.version)' >before
	new=$(correct $F)
	[ "$(verdict mem-edit --undo "$new")" = "changed -" ]
	mem-get $F | jq -cS 'del(.version)' | diff before -
	[ "$(mem-get "$new" | jq -r .status)" = retired ]
	[ "$(mem-search --kind fact zoe | jq -r .id)" = $F ]
	[ "$(verdict mem-edit --undo "$new")" = "unchanged -" ]
	again=$(correct $F)
	[ "$again" != "$new" ]
	[ "$(mem-get "$again" | jq -r .status)" = active ]
	run -0 mem-check
}

@test "what --undo restores has all of its fields, those that were null among them" {
	mem-fact -q --subject Alice --predicate works_at --object Acme "Alice works at Acme"
	id=$(mem-list --kind fact | jq -r 'select(.predicate == "works_at").id')
	keys=$(mem-get "$id" | jq -c keys)
	new=$(mem-edit --set topic=work "$id" | jq -r .id)
	mem-edit -q --undo "$new"
	[ "$(mem-get "$id" | jq -c keys)" = "$keys" ]
	[ "$(mem-get "$id" | jq -c .valid_to)" = null ]
	mem-forget -q "$id"
	mem-forget -q --undo "$id"
	[ "$(mem-get "$id" | jq -c keys)" = "$keys" ]
}

@test "an edit of an edit is undone in its order alone" {
	one=$(correct $F)
	two=$(mem-edit --set topic=work "$one" | jq -r .id)
	[ "$(verdict mem-edit --undo "$one")" = "rejected state_conflict" ]
	[ "$(verdict mem-edit --undo "$two")" = "changed -" ]
	[ "$(verdict mem-edit --undo "$one")" = "changed -" ]
	[ "$(mem-get $F | jq -r .status)" = active ]
}

@test "values are text, JSON or taken away, by --set and by a record" {
	new=$(mem-edit --set importance=0.9 --set statement=123 --set 'extra={"a":1}' --set note=plain $F | jq -r .id)
	[ "$(mem-get "$new" | jq -c '[.importance, .statement, .extra, .note]')" = '[0.9,"123",{"a":1},"plain"]' ]
	new=$(echo "{\"id\":\"$new\",\"note\":null,\"topic\":\"work\"}" | mem-edit --why x | jq -r .id)
	[ "$(mem-get "$new" | jq -c '[.importance, .note, .topic, .edited.why]')" = '[0.9,null,"work","x"]' ]
	[ "$(verdict mem-edit --set topic=work "$new")" = "unchanged -" ]
	[ "$(mem-list --kind fact | wc -l)" = 3 ]
}

@test "shares are numbers as options have them" {
	for value in .5 0.25 1. 5e-1 1; do
		new=$(mem-edit --set confidence=$value $F | jq -r .id)
		[ "$(mem-get "$new" | jq -c ".confidence == $(printf %g "$value")")" = true ]
		mem-edit -q --undo "$new"
	done
	for value in half .5x 0x1 nan '' 1.5 -.1; do
		[ "$(verdict mem-edit --set importance="$value" $F)" = "rejected bad_value" ]
	done
	[ "$(mem-get "$(mem-edit --set note=.5 $F | jq -r .id)" | jq -c .note)" = '".5"' ]
}

# heard AT TEXT: Olga says it, and it is consolidated.
heard() {
	jq -cn --arg at "$1" --arg text "$2" '{speaker: "Olga", content: $text, captured_at: $at}' | mem-capture --no-embed | jq -r .id
	mem-consolidate -q --no-embed
}

@test "what is said again while it is edited is not lost by --undo" {
	heard 2026-01-01T00:00:00Z "Runa Vik uses Gimp."
	f=$(mem-list --kind fact | jq -r 'select(.subject.name? == "Runa Vik") | .id')
	new=$(mem-edit --set statement="Runa Vik uses GIMP 3" "$f" | jq -r .id)
	again=$(heard 2026-02-01T00:00:00Z "Runa Vik uses Gimp, as she told me.")
	evidence() { mem-get "$1" | jq -c '[.mentions, (.sources | map(.episode)), .confidence]'; }
	[ "$(mem-get "$new" | jq .mentions)" = 2 ]
	evidence "$new" > gained
	[ "$(verdict mem-edit --undo "$new")" = "changed -" ]
	evidence "$f" | diff gained -
	[ "$(mem-get "$f" | jq -r '.statement + "/" + .status')" = 'Runa Vik uses Gimp./active' ]
	for edge in "\"supports\",\"from\":\"$again\",\"to\":\"$f\"" "\"derived_from\",\"from\":\"$f\",\"to\":\"$again\""; do
		mem-export | grep -F "$edge"
	done
	[ "$(mem-export | jq -c --arg e "$again" --arg f "$f" 'select(.edge == "supports" and .from == $e and .to == $f).weight')" != null ]
	[ "$(verdict mem-edit --undo "$new")" = "unchanged -" ]
	evidence "$f" | diff gained -
	# What was taken back stays readable.
	[ "$(mem-history "$f" | jq -r '.text + "/" + .status' | sort | tr '\n' ' ')" = 'Runa Vik uses GIMP 3/retired Runa Vik uses Gimp./active ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what is pinned, boosted or verified while it is edited is so after --undo, by as much" {
	new=$(mem-edit "$F" --set 'detail=five' --set importance=.9 | jq -r .id)
	mem-pin -q "$new"
	mem-boost -q --by .2 --down "$new"
	mem-edit -q --undo "$new"
	[ "$(mem-get "$F" | jq -c '[.status, .pinned, .importance]')" = '["active",true,0.3]' ]
	new=$(mem-edit "$F" --set 'detail=six' | jq -r .id)
	[ "$(mem-get "$new" | jq -c '[.pinned, .importance]')" = '[true,0.3]' ]
	mem-pin -q --off "$new"
	mem-edit -q --undo "$new"
	[ "$(mem-get "$F" | jq -c '[.pinned, .importance]')" = '[false,0.3]' ]
	l=$(mem-learn add fact 'tests run at night' | jq -r .id)
	was=$(mem-get "$l" | jq -c '[.importance, .confidence]')
	new=$(mem-edit "$l" --set 'content=tests run at dawn' | jq -r .id)
	mem-learn -q verify "$new"
	mem-edit -q --undo "$new"
	[ "$(mem-get "$l" | jq -c --argjson was "$was" '[.status, .state, ((.importance - $was[0]) * 100 | round), ((.confidence - $was[1]) * 100 | round)]')" = \
		'["active","verified",15,10]' ]
	run -0 mem-check
}

@test "what is said again of a rewritten statement is no evidence for the old one: --undo is refused" {
	new=$(correct $F)
	[ "$(verdict mem-fact --no-embed --from 2026-04-01 "Zoe works at Acme")" = "changed -" ]
	[ "$(verdict mem-edit --undo "$new")" = "rejected state_conflict" ]
	[ "$(mem-get "$new" | jq -c '[.status, .mentions]')" = '["active",2]' ]
}

@test "what is erased takes along the versions that were taken back" {
	one=$(correct $F)
	two=$(mem-edit --set statement='Zoe works at Axme' "$one" | jq -r .id)
	mem-edit -q --undo "$two" "$one"
	three=$(mem-edit --set statement='Zoe works at Abme' $F | jq -r .id)
	run -0 mem-forget --erase --force "$three"
	[ "$(jq -c '[.verdict, .erased.versions]' <<<"$output")" = '["removed",3]' ]
	[ -z "$(mem-list --kind fact)" ]
	mem-maintain compact
	for text in 'at Acme' 'at Axme' 'at Abme'; do
		run -1 grep -c -a "$text" store/data.mdb
	done
	mem-check
}

@test "a version that was taken back goes alone" {
	new=$(correct $F)
	mem-edit -q --undo "$new"
	mem-forget -q --erase --force "$new"
	[ "$(mem-list --kind fact | jq -r '.id + .status')" = ${F}active ]
}

@test "what cannot be edited is refused, and the other lines go on" {
	[ "$(verdict mem-edit --set content=no "$e")" = "rejected bad_value" ]
	[ "$(verdict mem-edit --set subject=x $F)" = "rejected bad_value" ]
	[ "$(verdict mem-edit --set status=retired $F)" = "rejected reserved_field" ]
	[ "$(verdict mem-edit --set importance=7 $F)" = "rejected bad_value" ]
	[ "$(verdict mem-edit --if-version 4 --set topic=x $F)" = "rejected conflict" ]
	[ "$(verdict mem-edit --set nonsense $F)" = "rejected bad_value" ]
	core=$(mem-core add persona 'I am kind' | jq -r .id)
	[ "$(verdict mem-edit --set content=x "$core")" = "rejected bad_value" ]
	run -1 mem-edit < <(printf '{"id":"%s","content":"x"}\nnot json\n{"id":"%s","topic":"work"}\n' "$e" $F)
	[ "$(jq -c '[.line, .verdict, .reason]' <<<"$output")" = $'[1,"rejected","bad_value"]\n[2,"rejected","bad_json"]\n[3,"new",null]' ]
	[ "$(verdict mem-edit --set topic=again $F)" = "rejected state_conflict" ]
	run -1 mem-edit --agent bob --set topic=x $F
	run -2 mem-edit --set topic=x
	run -2 mem-edit --undo --why x $F
}

@test "the text of a memory is not edited away" {
	learned=$(mem-learn add pattern 'Retry failed uploads' | jq -r .id)
	for set in statement= 'statement=  '; do
		[ "$(verdict mem-edit --set "$set" $F)" = "rejected empty" ]
	done
	[ "$(verdict mem-edit --set content= "$learned")" = "rejected empty" ]
	[ "$(printf '{"id":"%s","statement":null}\n' $F | verdict mem-edit)" = "rejected empty" ]
	[ "$(printf '{"id":"%s","statement":7}\n' $F | verdict mem-edit)" = "rejected bad_value" ]
	[ "$(verdict mem-edit --set topic= $F)" = "new -" ]
}

@test "an id without a change is told what is missing" {
	run -2 mem-edit $F
	[[ $output = *"--set, --tag or --untag"* ]]
}

@test "new values are cleaned" {
	new=$(mem-edit --set statement='Zoe has zoe@example.org' $F | jq -r .id)
	run -1 grep -q zoe@example.org <(mem-export)
	[ "$(mem-get "$new" | jq -r '.redactions[0].kind')" = email ]
}

@test "tags: of a fact part of a new version, of an episode edges, each undone" {
	new=$(mem-edit --tag new --untag old $F | jq -r .id)
	[ "$(mem-get "$new" | jq -c .tags)" = '["new"]' ]
	[ "$(verdict mem-edit --tag new "$new")" = "unchanged -" ]
	mem-get "$e" >before
	[ "$(verdict mem-edit --tag harbour "$e")" = "changed -" ]
	mem-get "$e" | diff before -
	tag=$(kg-node list --kind tag --name harbour | jq -r .id)
	[ "$(kg-edge list --from "$e" --kind tagged | jq -r .to)" = "$tag" ]
	[ "$(verdict mem-edit --tag harbour "$e")" = "unchanged -" ]
	[ "$(verdict mem-edit --untag harbour "$e")" = "changed -" ]
	[ -z "$(kg-edge list --from "$e" --kind tagged)" ]
	[ "$(verdict mem-edit --undo "$e")" = "changed -" ]
	[ "$(kg-edge list --from "$e" --kind tagged | jq -r .to)" = "$tag" ]
	[ "$(verdict mem-edit --undo "$e")" = "changed -" ]
	[ -z "$(kg-edge list --from "$e" --kind tagged)" ]
	# The same tag that kg-node makes.
	[ "$(echo '{"kind":"tag","type":"tag","name":"harbour"}' | kg-node add | jq -r '.verdict + " " + .id')" = "unchanged $tag" ]
	run -0 mem-check
}

@test "erasing the episode takes both versions; erasing what was written by hand takes what stood before" {
	new=$(correct $F)
	mem-pin -q --off $F "$new"
	[ "$(mem-forget --erase "$e" | jq .erased.cascaded)" = 2 ]
	[ -z "$(mem-list --kind fact)" ]
	echo '{"id":"00000002-1111-7111-8111-111111111111","kind":"fact","ns":"agent:ada","created_at":"2026-11-01T09:00:00.000Z","statement":"by hand"}' | mem-import -q
	new=$(correct 00000002-1111-7111-8111-111111111111)
	[ "$(mem-forget --erase "$new" | jq .erased.versions)" = 1 ]
	[ -z "$(mem-list --kind fact)" ]
	run -0 mem-check
}

@test "mem-edit --dry-run changes nothing" {
	mem-export >before
	run -0 mem-edit --dry-run --set topic=x $F
	run -0 mem-edit --dry-run --tag x "$e"
	mem-export | diff before -
}

@test "a tag of over 256 bytes is too long, on an episode and on a fact" {
	long=$(printf 'x%.0s' {1..257})
	for id in "$e" $F; do
		[ "$(mem-edit --tag "$long" "$id" | jq -c '[.verdict, .reason]')" = '["rejected","too_long"]' ]
		run -0 mem-edit --tag "${long#x}" "$id"
	done
	[ "$(mem-list --kind tag | jq -r '.name | length')" = 256 ]
}

@test "a draft of a skill is changed in place, and changed back" {
	p=$(skill-propose - <<<'{"topic":"brew tea","description":"When tea is wanted"}' | jq -r .id)
	mem-get "$p" | jq -cS 'del(.version)' >before
	run -0 mem-edit --set description='Tea for two' --set 'dependencies=[{"name":"boil-water"}]' --why 'it said too little' "$p"
	[ "$(jq -c '[.verdict, .id]' <<<"$output")" = '["changed","'"$p"'"]' ]
	[ "$(mem-get "$p" | jq -c '[.description, .dependencies, .state, .version]')" = '["Tea for two",[{"name":"boil-water"}],"draft",2]' ]
	[ "$(mem-get "$p" | jq -c '.edited | [.by, .why, .was]')" = '["ada","it said too little",{"description":"When tea is wanted","dependencies":[]}]' ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .reason]')" = '["skill_edited","'"$p"'",null]' ]
	[ "$(verdict mem-edit --set description='Tea for two' "$p")" = "unchanged -" ]
	# Tags come and go by themselves.
	[ "$(verdict mem-edit --tag hot "$p")" = "changed -" ]
	[ "$(verdict mem-edit --undo "$p")" = "changed -" ]
	mem-get "$p" | jq -cS 'del(.version)' | diff before -
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .reason]')" = '["skill_edited","undo"]' ]
	[ "$(verdict mem-edit --undo "$p")" = "changed -" ]
	[ -z "$(kg-edge list --from "$p")" ]
	# What came as a secret goes.
	[ "$(mem-edit <<<'{"id":"'"$p"'","content":"password: hunter2secret99","title":null}' | jq -r .verdict)" = changed ]
	[[ $(mem-get "$p" | jq -r .content) != *hunter2* ]]
	run -0 mem-check
}

@test "of a draft only what it will be is changed, while it is one" {
	p=$(skill-propose - <<<'{"topic":"brew tea"}' | jq -r .id)
	for set in state=approved confidence=1 parent="$p" 'overlaps=[]' id=x; do
		[ "$(verdict mem-edit --set "$set" "$p")" = "rejected reserved_field" ]
	done
	for set in colour=red dependencies=none name= topic=; do
		[ "$(verdict mem-edit --set "$set" "$p")" = "rejected bad_value" ]
	done
	[ "$(verdict mem-edit --set name=tea --tag hot "$p")" = "rejected bad_value" ]
	[ "$(mem-edit <<<'{"id":"'"$p"'","topic":null}' | jq -r .reason)" = bad_value ]
	[ "$(verdict mem-edit --if-version 7 --set name=tea "$p")" = "rejected conflict" ]
	run -1 mem-edit --agent bob --set name=tea "$p"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	[ "$(verdict mem-edit --set name=tea "$p")" = "changed -" ]
	# What was submitted is what the reviewer reads.
	skill-propose -q --submit "$p"
	[ "$(verdict mem-edit --set name=other "$p")" = "rejected state_conflict" ]
	[ "$(verdict mem-edit --undo "$p")" = "rejected state_conflict" ]
	[ "$(mem-get "$p" | jq -r .name)" = tea ]
}

@test "an edited note takes its links over; those of the old one end, and an undo gives them back" {
	n() { printf '%08d-2222-7222-8222-222222222222' "$1"; }
	{
		for i in 1 2; do
			printf '{"id":"%s","kind":"note","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","version":1,"status":"active","content":"note %d","sources":[]}\n' "$(n $i)" $i
		done
		printf '{"edge":"relates_to","from":"%s","to":"%s","weight":0.75}\n' "$(n 1)" "$(n 2)" "$(n 2)" "$(n 1)"
	} | mem-import -q
	links() { mem-export | jq -r 'select(.edge == "relates_to") | "\(.from) \(.to) \(.weight) \(.valid_to != null)"' | LC_ALL=C sort; }
	links >before
	new=$(mem-edit --set content=better "$(n 1)" | jq -r .id)
	[ "$(links)" = "$(printf '%s\n' "$(n 1) $(n 2) 0.75 true" "$(n 2) $(n 1) 0.75 true" "$new $(n 2) 0.75 false" "$(n 2) $new 0.75 false" | LC_ALL=C sort)" ]
	mem-check
	mem-edit -q --undo "$new"
	[ "$(mem-get "$(n 1)" | jq -r .status)" = active ]
	links | cmp - before
	mem-check
}

@test "what an edit made, or took back, gets its vector at once" {
	random_model
	mkdir -p "$HOME/.config/memkit"
	echo 'embed: {model: minilm}' >"$HOME/.config/memkit/config.yaml"
	pending() { mem-stat --format json | jq .pending_vectors; }
	mem-embed --pending
	new=$(correct $F)
	[ "$(pending)" = 0 ]
	[ "$(mem-search --kind fact -m vector Acme | jq -r .id)" = "$new" ]
	mem-edit -q --undo "$new"
	[ "$(pending)" = 0 ]
	[ "$(mem-search --kind fact -m vector Akme | jq -r .id)" = $F ]
}

# deploy STATEMENT DAY OPTION...: writes a statement of the topic on that day; prints the id.
deploy() { mem-fact --domain ops --topic "${3-deploy}" "$1" --now "$2" | jq -r .id; }
# deploys: the statements of domain ops and what became of them.
deploys() { mem-list --kind fact --ns agent:ada | jq -r 'select(.domain == "ops") | "\(.statement):\(.status)"' | paste -sd,; }

@test "an edited fact is judged by what it says now, and by what it said once that is undone" {
	one=$(deploy 'We deploy on Monday' 2026-01-01)
	two=$(mem-edit --now 2026-01-05 --set 'statement=Backups run at night' "$one" | jq -r .id)
	deploy 'We deploy on Tuesday' 2026-02-01
	[ "$(deploys)" = 'We deploy on Monday:superseded,Backups run at night:active,We deploy on Tuesday:active' ]
	[ "$(verdict mem-edit --undo --now 2026-03-01 "$two")" = 'changed -' ]
	[ "$(deploys)" = 'We deploy on Monday:superseded,Backups run at night:retired,We deploy on Tuesday:active' ]
	[ "$(mem-get "$one" | jq -r .superseded_reason)" = outweighed ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a fact that is edited into a topic is judged there, and gone from it judged no more" {
	deploy 'We deploy on Monday' 2026-01-01
	other=$(deploy 'We deploy on Tuesday' 2026-02-01 other)
	new=$(mem-edit --now 2026-02-05 --set topic=deploy --set confidence=.9 "$other" | jq -r .id)
	[ "$(deploys)" = 'We deploy on Monday:superseded,We deploy on Tuesday:superseded,We deploy on Tuesday:active' ]
	# What a person made of it stays.
	[ "$(mem-get "$new" | jq -c .confidence)" = 0.9 ]
	[ "$(verdict mem-edit --undo --now 2026-03-01 "$new")" = 'changed -' ]
	[ "$(deploys)" = 'We deploy on Monday:active,We deploy on Tuesday:active,We deploy on Tuesday:retired' ]
	run -0 mem-check
	[ -z "$output" ]
}
