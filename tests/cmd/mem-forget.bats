#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
	id=$(remember '{"content":"Zoe parks in bay 14","trust":0.1}')
}

verdict() { "$@" | jq -r '.verdict + " " + (.reason // "-")'; }
last_audit() { mem-audit | tail -n 1 | jq -c "$1"; }
fates() { mem-forget --sweep --dry-run | jq -r '.fate + " " + (.reason // "-")'; }

@test "mem-forget hides, --undo brings back; both are audited, and done once" {
	[ "$(verdict mem-forget "$id")" = "changed -" ]
	[ -z "$(mem-search bay)" ]
	[ "$(mem-get "$id" | jq -r '[.expired_at, .version, .status] | join(" ")')" = "2026-11-28T09:00:00.000Z 1 active" ]
	[ "$(last_audit '[.kind, .reason]')" = '["forget","manual"]' ]
	[ "$(verdict mem-forget "$id")" = "unchanged -" ]
	[ "$(verdict mem-forget --undo "$id")" = "changed -" ]
	[ "$(mem-search bay | jq -r .id)" = "$id" ]
	[ "$(last_audit '[.kind, .reason, .detail.undoes]')" = '["unforget","undo",2]' ]
	[ "$(verdict mem-forget --undo "$id")" = "unchanged -" ]
	[ "$(mem-log | tail -n 3 | jq -r .op | tr '\n' ' ')" = "forgotten unforgotten touched " ]
	run -0 mem-check
}

@test "mem-forget leaves what is pinned unless it is forced" {
	mem-pin -q "$id"
	[ "$(verdict mem-forget "$id")" = "rejected state_conflict" ]
	[ "$(verdict mem-forget --force "$id")" = "changed -" ]
	[ "$(verdict mem-forget "$id")" = "unchanged -" ]
}

@test "mem-forget refuses what cannot be forgotten, and what is not the caller's" {
	tag=$(echo '{"kind":"tag","name":"harbour"}' | kg-node add | jq -r .id)
	[ "$(verdict mem-forget "$tag")" = "rejected bad_value" ]
	shared=$(echo '{"content":"of all","ns":"global"}' | mem-capture | jq -r .id)
	run -4 mem-forget --agent bob "$shared"
	run -1 mem-forget --agent bob "$id"
	run -4 mem-forget --agent bob --undo "$shared"
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
}

@test "mem-forget --undo brings back what an import brought, and not what has had its time" {
	mem-forget -q "$id"
	mem-export >all
	mem-init -q two
	mem-import -S two -q <all
	[ -z "$(mem-search -S two bay)" ]
	[ "$(verdict mem-forget -S two --undo "$id")" = "changed -" ]
	[ "$(mem-search -S two bay | jq -r .id)" = "$id" ]
	[ "$(mem-audit -S two | tail -n 1 | jq -r .kind)" = unforget ]
	old=$(remember '{"content":"parking","expires_at":"2026-11-28T10:00:00Z"}')
	export MEM_NOW=2026-11-29T09:00:00Z
	mem-maintain expire
	[ "$(verdict mem-forget --undo "$old")" = "rejected state_conflict" ]
}

@test "a sweep is off as shipped, and a list of it says so of each" {
	run -1 --separate-stderr mem-forget --sweep
	[ -z "$output" ]
	[[ $stderr = *"forget.sweep is off"* ]]
	[ "$(fates)" = "spared importance" ]
	run -2 mem-forget --sweep "$id"
	run -2 mem-forget --ns global "$id"
	run -2 mem-forget --undo --force "$id"
}

@test "each gate of a sweep spares, in its order" {
	echo 'forget: {sweep: on}' >>store/config.yaml
	mem-boost -q --down --by 0.5 "$id"
	[ "$(fates)" = "spared young" ]
	export MEM_NOW=2027-01-28T09:00:00Z
	[ "$(fates)" = "forgotten -" ]
	# What refers to it.
	fact='{"id":"11111111-1111-7111-8111-111111111111","kind":"fact","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","statement":"x","importance":1}'
	edge='{"edge":"derived_from","from":"11111111-1111-7111-8111-111111111111","to":"'$id'"}'
	printf '%s\n' "$fact" "$edge" | mem-import -q
	[ "$(fates | head -n 1)" = "spared referenced" ]
	# More trust and importance come before that.
	strong=$(remember '{"content":"of weight"}')
	[ "$(mem-forget --sweep --dry-run | jq -r "select(.id == \"$strong\") | .reason")" = importance ]
	mem-boost -q --down --by 0.5 "$strong"
	[ "$(mem-forget --sweep --dry-run | jq -r "select(.id == \"$strong\") | .reason")" = trust ]
	# Another kind, and a pin.
	thing=$(echo '{"kind":"entity","name":"Zoe"}' | kg-node add | jq -r .id)
	[ "$(mem-forget --sweep --dry-run | jq -r "select(.id == \"$thing\") | .reason")" = kind ]
	mem-pin -q "$id"
	[ "$(fates | head -n 1)" = "spared pinned" ]
}

@test "a sweep of a promoted, attested or superseded memory leaves it" {
	mem-boost -q --down --by 0.5 "$id"
	export MEM_NOW=2027-01-28T09:00:00Z
	other='{"id":"11111111-1111-7111-8111-111111111111","kind":"fact","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","statement":"x","importance":1}'
	printf '%s\n' "$other" '{"edge":"attested_by","from":"'"$id"'","to":"11111111-1111-7111-8111-111111111111"}' | mem-import -q
	[ "$(fates | head -n 1)" = "spared attested" ]
	printf '%s\n' '{"edge":"promoted_to","from":"'"$id"'","to":"11111111-1111-7111-8111-111111111111"}' | mem-import -q
	[ "$(fates | head -n 1)" = "spared promoted" ]
	mem-capture -q <<<'{"content":"she does not","supersedes":"'"$id"'"}'
	[ "$(fates | head -n 1)" = "spared status" ]
}

@test "a sweep forgets at most a batch, the job does the same, and what was taken back stays a while" {
	printf 'forget: {sweep: on, batch: 2}\n' >>store/config.yaml
	for i in 1 2 3; do echo "{\"content\":\"number $i\",\"trust\":0.1}"; done | mem-capture | mem-boost -q --down --by 0.5 "$id" -
	export MEM_NOW=2027-01-28T09:00:00Z
	[ "$(fates | grep -c forgotten)" = 4 ]
	[ "$(mem-forget --sweep | jq -r .verdict | tr '\n' ' ')" = "changed changed " ]
	[ "$(mem-maintain -v forget | jq -c .)" = '{"task":"forget","done":2}' ]
	[ -z "$(fates)" ]
	[ "$(last_audit '[.kind, .reason, .detail.kind, .detail.importance_floor, .detail.trust_floor]')" = '["forget","sweep","episode",0.05,0.3]' ]
	mem-forget -q --undo "$id"
	[ "$(fates)" = "spared young" ]
	run -0 mem-check
}

@test "what had lost to a fact that a sweep forgets stands, as behind mem-forget" {
	printf 'forget: {sweep: on, trust: 1}\n' >>store/config.yaml
	export MEM_NOW=2026-01-10T09:00:00Z
	for employer in Acme Globex; do mem-fact -q --no-embed --subject Thomas --predicate works_at --object $employer; done
	current() { mem-list --kind fact | jq -r 'select(.status == "active" and .expired_at == null).object.name'; }
	won=$(current)
	winner=$(mem-list --kind fact | jq -r 'select(.status == "active").id')
	mem-boost -q --down --by 0.5 "$winner"
	export MEM_NOW=2027-06-28T09:00:00Z
	mem-forget --sweep >swept
	grep -q "$winner" swept
	[[ "$(current)" =~ ^(Acme|Globex)$ && "$(current)" != "$won" ]]
	mem-forget -q --undo "$winner"
	[ "$(current)" = "$won" ]
	run -0 mem-check
}

@test "a sweep of an operator's job takes all namespaces, by hand only its own" {
	echo 'forget: {sweep: on}' >>store/config.yaml
	theirs=$(mem-capture --agent bob <<<'{"content":"of bob","trust":0.1}' | jq -r .id)
	mem-boost --agent bob -q --down --by 0.5 "$theirs"
	export MEM_NOW=2027-01-28T09:00:00Z
	[ "$(mem-forget --sweep | jq -r .id)" = "$id" ]
	mem-maintain forget
	[ "$(mem-get --agent bob "$theirs" | jq -r .expired_at)" = 2027-01-28T09:00:00.000Z ]
}

# works EMPLOYER DAY: writes, on that day, where Zoe works from then on; prints the id.
works() { mem-fact --subject Zoe --predicate works_at --object "$1" --from "$2" --now "$2" | jq -r .id; }
# employers: each fact of it, with its time and what became of it.
employers() { mem-list --kind fact | jq -r '"\(.object.name) \(.valid_from[5:7])-\((.valid_to // "")[5:7]) \(if .expired_at then "forgotten" else .status end)"' | paste -sd,; }

@test "a fact that is brought back is judged with what was said meanwhile" {
	works Acme 2026-01-01
	globex=$(works Globex 2026-02-01)
	mem-forget -q --now 2026-02-15 "$globex"
	# Forgetting what ended another does not make that one true again.
	[ "$(employers)" = 'Acme 01-02 superseded,Globex 02- forgotten' ]
	works Hooli 2026-03-01
	[ "$(verdict mem-forget --undo --now 2026-03-15 "$globex")" = 'changed -' ]
	[ "$(employers)" = 'Acme 01-02 superseded,Globex 02-03 superseded,Hooli 03- active' ]
	[ "$(mem-audit | jq -r 'select(.subject == "'"$globex"'").kind' | tail -n 2 | paste -sd' ')" = 'unforget fact' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a fact that is brought back is not there twice" {
	acme=$(works Acme 2026-01-01)
	mem-forget -q --now 2026-02-15 "$acme"
	works Acme 2026-03-01
	mem-forget -q --undo --now 2026-03-15 "$acme"
	[ "$(employers)" = 'Acme 01- active,Acme 03-03 superseded' ]
	[ "$(mem-get "$acme" | jq .mentions)" = 2 ]
	mem-forget -q "$acme"
	mem-forget -q --undo "$acme"
	[ "$(employers)" = 'Acme 01- active,Acme 03-03 superseded' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what lost to a fact that is forgotten is judged without it" {
	mem-fact -q --subject Zoe --predicate works_at --object Acme --from 2026-01-01 --confidence .6
	strong=$(mem-fact --subject Zoe --predicate works_at --object Globex --from 2026-01-01 --confidence .9 | jq -r .id)
	[ "$(employers)" = 'Acme 01-01 quarantined,Globex 01- active' ]
	mem-forget -q "$strong"
	[ "$(employers)" = 'Acme 01- active,Globex 01- forgotten' ]
	mem-forget -q --undo "$strong"
	[ "$(employers)" = 'Acme 01-01 quarantined,Globex 01- active' ]
	run -0 mem-check
	[ -z "$output" ]
}
