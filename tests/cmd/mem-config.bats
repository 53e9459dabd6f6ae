#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The settings that mem-config(5) shows.
load helper

setup() { scratch; }

# The example as a reader would paste it.
print_example() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$TOP/man/mem-config.5" | sed -n '/^\.Bd/,/^\.Ed/p' | sed '1d;$d'
}

@test "the whole config.yaml of mem-config(5) is taken as it is" {
	print_example >whole
	[ "$(wc -l <whole)" -gt 30 ]
	export MEM_AGENT=ada
	mem-init -q s
	cp whole s/config.yaml
	run -0 mem-capture --lines -S s <<<tea
	[[ $output = '{"line":1,"verdict":"new"'* ]]
	run -0 mem-maintain --list -S s
	[[ $output = *'"task":"compact","due":'* ]]
}

@test "every setting stands in it" {
	print_example | sed 's/^# \?//; s/^  # /  /' >whole
	sed -n 's/^	{ "\([a-z_.]*\)", [A-Z]*, .*/\1/p' "$TOP/lib/conf/settings.c" >settings
	[ "$(wc -l <settings)" -gt 20 ]
	while read -r name; do
		key=${name##*.}
		case $name in
		*.*) sed -n "/^${name%%.*}:/,/^[a-z]/p" whole | grep -qE "(^ *|\{)$key:" || { echo "no $name"; false; } ;;
		*) grep -q "^$key:" whole || { echo "no $name"; false; } ;;
		esac
	done <settings
}

# refused YAML MESSAGE: settings that no command takes.
refused() {
	mem-init -q "s$((++stores))" 2>/dev/null
	printf '%s\n' "$1" >>"s$stores/config.yaml"
	run -3 --separate-stderr mem-log -S "s$stores"
	[[ $stderr = *"$2" ]]
}

@test "a key with a dot is no setting: it is refused, not passed over" {
	stores=0
	refused 'skills.paths: [/x]' 'a key with a dot: write skills.paths as a key inside a map, as mem-config(5) has it'
	refused 'capture.trust: 0.7' 'write capture.trust as a key inside a map, as mem-config(5) has it'
	refused 'search: {ranker.words: x}' 'write search.ranker.words as a key inside a map, as mem-config(5) has it'
	refused 'skills.path: [/x]' 'no such setting: skills.path (see mem-config(5))'
}

@test "off is refused where a guard would be off, and taken where it has a meaning" {
	stores=0
	for name in forget.age hebb.window embed.timeout store.wait; do
		refused "${name%.*}: {${name#*.}: off}" ": $name must be a duration like 500ms, 15m, 24h or 30d, up to 100 years"
	done
	for name in sign.skew skills.expire queries.keep; do
		mem-init -q "t.$name"
		sed -i '/^skills:/,$d' "t.$name/config.yaml"
		echo "${name%.*}: {${name#*.}: off}" >>"t.$name/config.yaml"
		run -0 mem-log -S "t.$name"
	done
}

@test "numbers and times that no program can reckon with are refused" {
	stores=0
	refused 'consolidate: {with_seconds: 9223372036854775807}' 'consolidate.with_seconds must be a whole number from 0 to 31536000'
	refused 'embed: {seconds: 31536001}' 'embed.seconds must be a whole number from 0 to 31536000'
	refused 'mine: {max_sets: 1000000000001}' 'mine.max_sets must be a whole number from 1 to 1000000000000'
	refused 'embed: {threads: 1025}' 'embed.threads must be a whole number from 0 to 1024'
	refused 'store: {wait: 9223372036854775807ms}' 'store.wait must be a duration like 500ms, 15m, 24h or 30d, up to 100 years'
	refused 'sign: {skew: 36526d}' 'sign.skew must be a duration like 500ms, 15m, 24h or 30d, up to 100 years, or off'
	mem-init -q s
	run -2 --separate-stderr mem-capture -S s --wait 9223372036854775807ms --lines <<<x
	[[ $stderr = "mem-capture: --wait: "*"a duration like 500ms, 15m, 24h or 30d, up to 100 years"* ]]
	run -0 mem-capture -q -S s --wait 36525d --lines <<<x
}
