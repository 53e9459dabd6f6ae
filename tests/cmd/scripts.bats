#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The scripts of the house, each in a copy of the sources: what they make, and that their
# checks can fail.
load helper

setup() {
	scratch
	unset MEM_NOW MAKEFLAGS MAKELEVEL MFLAGS
	mkdir copy
	(cd "$TOP" && find Makefile lib scripts man cmd tests/cmd completions tests/fuzz/driver.c \
		-type f -not -name '*.o' -print0 | xargs -0 cp -p --parents -t "$BATS_TEST_TMPDIR/work/copy")
	cd copy || return 1
	# Only one room is needed; the compiler's choice is not.
	mkdir -p build
	rm -rf cmd/* man/*.1 tests/cmd/*.bats completions/*
	find lib -mindepth 1 -maxdepth 1 -type d -not -name base -not -name cli -exec rm -r {} +
}

new() { env -u CC -u SAN scripts/new-command mem-sample "show what a new command is"; }

@test "new-command makes a command that passes every check" {
	new
	[ "$(build/release/bin/mem-sample -n 1 <<<tea)" = tea ]
	scripts/completions --check
	scripts/check-layers
	grep -q -- --limit completions/bash/mem-sample completions/zsh/_mem-sample
	grep -q -- '-l limit' completions/fish/mem-sample.fish
	bash -n completions/bash/mem-sample
	cp -r "$TOP/tests/cmd/helper.bash" tests/cmd/
	MEM_BUILD=$PWD/build/release bats --tap tests/cmd/mem-sample.bats
	PATH=$PWD/build/release/bin:$PATH "$TOP/tests/examples" man/mem-sample.1
	! command -v mandoc || scripts/check-help
	! command -v mandoc || mandoc -Tlint -Wwarning man/mem-sample.1
}

@test "new-command refuses a bad name and an existing one" {
	run -2 scripts/new-command sample "x"
	run -2 scripts/new-command mem-Sample "x"
	new
	run -2 scripts/new-command mem-sample "x"
}

@test "completions --check sees an old file" {
	new
	echo >>completions/fish/mem-sample.fish
	run -1 scripts/completions --check
	[[ $output == *'out of date'* ]]
}

@test "check-help sees an option that only one side has" {
	command -v mandoc || skip "mandoc is not installed"
	new
	sed -i 's/^\.It Fl n , Fl -limit Ar N/.It Fl n , Fl -limit Ar COUNT/' man/mem-sample.1
	run -1 scripts/check-help
	[[ $output == *'only in the page: --limit COUNT'* ]]
	[[ $output == *'only in --help: --limit N'* ]]
	sed -i 's/^\.Op Fl n Ar N/.Op Fl n/; s/^\.Nd .*/.Nd do something else/' man/mem-sample.1
	run -1 scripts/check-help
	[[ $output == *'.Nd and --help differ'* ]]
	[[ $output == *'page: mem-sample [-n] [FILE...]'* ]]
}

@test "check-layers sees each kind of breach" {
	mkdir lib/conf
	echo '#include "cli/cli.h"' >lib/conf/up.c
	run -1 scripts/check-layers
	[[ $output == *'lib/conf/up.c: conf may not include cli'* ]]
	echo '#include <lmdb.h>' >lib/conf/up.c
	run -1 scripts/check-layers
	[[ $output == *'<lmdb.h> belongs to store'* ]]
	printf 'void f(void)\n{\n\texit(3);\n}\n' >lib/conf/up.c
	run -1 scripts/check-layers
	[[ $output == *'prints or exits'* ]]
	rm lib/conf/up.c
	touch lib/conf/extra.h
	run -1 scripts/check-layers
	[[ $output == *'lib/conf/extra.h: a room has conf.h'* ]]
	mv lib/conf/extra.h lib/conf/opts.c
	run -1 scripts/check-layers
	[[ $output == *'used twice: opts.c'* ]]
}

@test "examples are compared" {
	printf '%s\n' '```console' '$ echo tea' 'milk' '```' >page.md
	run -0 "$TOP/tests/examples" page.md
	[[ $output == *'not ok 1'* ]]
	printf '%s\n' '```console' '$ echo tea; echo milk' 't...' '$ false' '$ echo $?' '1' '```' >page.md
	run -0 "$TOP/tests/examples" page.md
	[[ $output != *'not ok'* ]]
	printf '%s\n' '.Bd -literal' "\$ printf 'a\\en'" 'b' '.Ed' >page.1
	run -0 "$TOP/tests/examples" page.1
	[[ $output == *'not ok 1'* ]]
}

@test "deps lists each package once with a reason" {
	run -0 scripts/deps --list build test lint
	[[ $output == *'liblmdb-dev'*'the store'* ]]
	[ "$(sort <<<"$output" | awk '{ print $1 }' | uniq -d)" = "" ]
	run -1 scripts/deps nonsense
}
