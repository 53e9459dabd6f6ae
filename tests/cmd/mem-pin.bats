#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
	id=$(remember '{"content":"the gate code is with Mina"}')
}

field() { mem-get "$1" | jq -c ".$2"; }
verdict() { "$@" | jq -r '.verdict + " " + (.reason // "-")'; }
last_audit() { mem-audit | tail -n 1 | jq -r "$1"; }

@test "mem-pin pins, --off unpins, again changes nothing" {
	[ "$(verdict mem-pin "$id")" = "changed -" ]
	[ "$(field "$id" pinned)" = true ]
	[ "$(last_audit '.kind + " " + .subject + " " + .actor')" = "pin $id ada" ]
	rows=$(mem-audit | wc -l)
	[ "$(verdict mem-pin "$id")" = "unchanged -" ]
	[ "$(mem-audit | wc -l)" = "$rows" ]
	[ "$(verdict mem-pin --off "$id")" = "changed -" ]
	[ "$(field "$id" pinned)" = false ]
	[ "$(last_audit .kind)" = unpin ]
	run -0 mem-check
}

@test "mem-pin --undo takes changes back one by one, and each once" {
	mem-pin -q "$id"
	mem-pin -q --off "$id"
	[ "$(verdict mem-pin --undo "$id")" = "changed -" ]
	[ "$(field "$id" pinned)" = true ]
	[ "$(last_audit '.kind + " " + .reason + " \(.detail.undoes)"')" = "pin undo 3" ]
	[ "$(verdict mem-pin --undo "$id")" = "changed -" ]
	[ "$(field "$id" pinned)" = false ]
	[ "$(last_audit '.kind + " " + .reason + " \(.detail.undoes)"')" = "unpin undo 2" ]
	[ "$(verdict mem-pin --undo "$id")" = "unchanged -" ]
	[ "$(field "$id" pinned)" = false ]
}

@test "mem-pin --undo finds rows that were packed, and survives a copy of the store" {
	mem-pin -q "$id"
	for i in $(seq 1100); do echo "{\"content\":\"number $i\"}"; done | mem-capture -q
	mem-maintain pack compact
	[ "$(verdict mem-pin --undo "$id")" = "changed -" ]
	[ "$(field "$id" pinned)" = false ]
	[ "$(verdict mem-pin --undo "$id")" = "unchanged -" ]
}

@test "mem-pin --dry-run changes nothing" {
	[ "$(verdict mem-pin --dry-run "$id")" = "changed -" ]
	[ "$(field "$id" pinned)" = false ]
	[ "$(mem-audit | wc -l)" = 1 ]
}

@test "mem-pin refuses what is not there, no memory, another version or somebody else's" {
	[ "$(verdict mem-pin 00000000-0000-7000-8000-000000000000)" = "rejected not_found" ]
	run -1 mem-pin nonsense
	[ "$(verdict mem-pin --if-version 7 "$id")" = "rejected conflict" ]
	[ "$(verdict mem-pin --if-version 1 "$id")" = "changed -" ]
	tag=$(echo '{"kind":"tag","name":"harbour"}' | kg-node add | jq -r .id)
	[ "$(verdict mem-pin "$tag")" = "rejected bad_value" ]
	shared=$(echo '{"content":"of all","ns":"global"}' | mem-capture | jq -r .id)
	run -4 mem-pin --agent bob "$shared"
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	run -1 mem-pin --agent bob "$id"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
}

@test "mem-pin does not pin what is forgotten" {
	old=$(remember '{"content":"parking","expires_at":"2026-11-28T10:00:00Z"}')
	MEM_NOW=2026-11-29T09:00:00Z run -1 mem-pin "$old"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
}

@test "mem-pin takes ids from records, and needs one" {
	mem-list | mem-pin -q -
	[ "$(field "$id" pinned)" = true ]
	run -2 mem-pin
	run -2 mem-pin --off --undo "$id"
}
