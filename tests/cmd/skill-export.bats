#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Skills to files, by ada, who is the operator.
load helper
load links
load skill_files

setup() {
	scratch
	team_store
}

receipts() { jq -r '[.verdict, .reason, .path, .exact] | map(tostring) | join(" ")'; }

@test "the text comes back byte for byte, again it is unchanged" {
	skill tea $'name: tea\ndescription: d' $'x\r\n\n'
	ingest -q v
	run -0 skill-export out
	[ "$(receipts <<<"$output")" = 'new null out/tea/SKILL.md true' ]
	diff -r v out
	[ "$(skill-export out | receipts)" = 'unchanged null out/tea/SKILL.md true' ]
	# What was written is read again as the same.
	[ "$(ingest out | jq -r .verdict)" = duplicate ]
}

@test "a file of another content stays, unless it is to be replaced" {
	skill tea $'name: tea\ndescription: d' x
	ingest -q v
	mkdir -p out/tea
	echo mine >out/tea/SKILL.md
	run -1 skill-export out
	[ "$(receipts <<<"$output")" = 'rejected exists out/tea/SKILL.md true' ]
	[ "$(cat out/tea/SKILL.md)" = mine ]
	[ "$(skill-export --dry-run --force out | receipts)" = 'changed null out/tea/SKILL.md true' ]
	[ "$(cat out/tea/SKILL.md)" = mine ]
	[ "$(skill-export --force out | receipts)" = 'changed null out/tea/SKILL.md true' ]
	diff -r v out
	[ -z "$(skill-export -q out)" ]
}

@test "active skills are written, or those that are named" {
	skill tea $'name: tea\ndescription: d' one
	skill cup $'name: cup\ndescription: d' x
	ingest -q v
	skill tea $'name: tea\ndescription: d' two
	rm -r v/cup
	ingest -q v
	[ "$(skill-export out | receipts)" = 'new null out/tea/SKILL.md true' ]
	[ "$(tail -n 1 out/tea/SKILL.md)" = two ]
	[ "$(skill-export out2 cup | receipts)" = 'new null out2/cup/SKILL.md true' ]
	id=$(mem-list --kind skill | jq -r 'select(.release == "1.0.0" and .name == "tea") | .id')
	skill-export -q out2 "$id"
	[ "$(tail -n 1 out2/tea/SKILL.md)" = one ]
	run -1 --separate-stderr skill-export out2 pot
	[ "$stderr" = 'skill-export: no such skill: pot' ]
	run -2 skill-export
	[ "$(skill-export --dry-run nowhere | receipts)" = 'new null nowhere/tea/SKILL.md true' ]
	[ ! -e nowhere ]
}

@test "nothing is written outside of the folder" {
	name() { printf '{"id":"01940000-0000-7000-8000-00000000000%s","kind":"skill","ns":"global","created_at":"2026-11-28T09:00:00.000Z","status":"active","ref":"skill/%s","name":"%s","content":"x"}\n' "$1" "$1" "$2"; }
	{ name 1 '../../up'; name 2 '/etc/x'; name 3 '..'; name 4 'a\\b'; name 5 'a/b'; name 6 'tea'; } | mem-import -q
	mkdir -p out elsewhere
	ln -s ../elsewhere out/tea
	run -1 skill-export out
	[ "$(receipts <<<"$output")" = "$(cat <<-'EOF'
		new null out/_._.._up/SKILL.md true
		new null out/_etc_x/SKILL.md true
		new null out/_./SKILL.md true
		new null out/a_b/SKILL.md true
		rejected exists out/a_b/SKILL.md true
		rejected outside out/tea/SKILL.md true
	EOF
	)" ]
	[ -z "$(ls elsewhere)" ]
	[ "$(find . -name SKILL.md | grep -c '^./out/')" = 4 ]
	[ "$(find . -name SKILL.md | wc -l)" = 4 ]
	rm out/tea
	mkdir out/tea
	ln -s ../../elsewhere/f out/tea/SKILL.md
	[ "$(skill-export --force out skill/6 | receipts)" = 'rejected outside out/tea/SKILL.md true' ]
}

@test "what was redacted is not exact" {
	skill key $'name: key\ndescription: d' "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	ingest -q v
	[ "$(skill-export out | receipts)" = 'new null out/key/SKILL.md false' ]
	run -1 grep -q ghp_ out/key/SKILL.md
}

@test "all skills of people come back byte for byte, but for those whose receipts say otherwise" {
	need_data skills
	ingest "$MEMKIT_DATA/skills" >in.lines || [ $? -eq 1 ]
	skill-export out >out.lines
	[ "$(jq -r .verdict in.lines | sort | uniq -c | xargs)" = '280 new 1 rejected' ]
	[ "$(jq -r .reason in.lines | grep -v null)" = conflict ]
	[ "$(jq -r 'select(.redactions != []) | .name' in.lines)" = "$(jq -r 'select(.exact | not) | .name' out.lines)" ]
	jq -r 'select(.exact) | .name' out.lines >exact
	[ "$(wc -l <exact)" -ge 275 ]
	while read -r name; do
		cmp "$(jq -r "select(.name == \"$name\" and .verdict == \"new\") | .path" in.lines)" "out/$name/SKILL.md"
	done <exact
}

modes() { find "$1" -mindepth 1 -printf '%m '; stat -c %a "$1"; }

@test "new folders and files have what the umask leaves, a file that is replaced keeps its mode" {
	skill tea $'name: tea\ndescription: d' x
	ingest -q v
	(umask 022 && skill-export -q out22)
	[ "$(modes out22)" = '755 644 755' ]
	(umask 077 && skill-export -q out77)
	[ "$(modes out77)" = '700 600 700' ]
	for mode in 600 664; do
		echo mine >out22/tea/SKILL.md
		chmod $mode out22/tea/SKILL.md
		(umask 022 && skill-export -q --force out22)
		[ "$(modes out22)" = "755 $mode 755" ]
	done
}
