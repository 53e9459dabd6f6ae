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
