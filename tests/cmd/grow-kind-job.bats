#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What may grow is a table: a kind of node is one line and its row in a page; a job is a file of its own, one line
# and its paragraph in a page.  Both are added to a copy of the tree, which then is built and has them.
load helper

# after FILE PATTERN LINE...: the lines come behind the last line that matches.
after() {
	local file=$1 at
	at=$(grep -n -- "$2" "$file" | tail -n 1 | cut -d : -f 1)
	[ -n "$at" ] || { echo "$file has no $2" >&2; return 1; }
	shift 2
	printf '%s\n' "$@" | sed -i "${at}r /dev/stdin" "$file"
}

add_kind() {
	local last line page
	last=$(sed -n 's/^\tKIND( *\([0-9]*\),.*/\1/p' lib/store/node.h | tail -n 1)
	printf -v line '\tKIND(%d, GADGET, .name = "gadget", .embedded = true) %s' $((last + 1)) "\\"
	after lib/store/node.h $'^\tKIND(' "$line"
	page=$(awk '/^\.Ss Kinds/ { inside = 1 } inside && /^\.It Cm/ { last = $0 } inside && /^\.El/ { print last; exit }' man/mem-records.5)
	after man/mem-records.5 "^$page\$" '.It Cm gadget Ta no Ta yes Ta a small tool'
}

add_job() {
	cat > lib/upkeep/job_shine.c <<-'END'
		/* SPDX-License-Identifier: Apache-2.0 */
		/* The job shine: once there are nodes, table meta says that they shine.  Amount: nodes. */
		#include "store/job.h"
		#include "words/words.h"

		static enum mem_status
		look_shine(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
		{
			struct mem_str shine;
			(void)m;
			enum mem_status st = mem_tab_get(t, MEM_T_META, MEM_STR("shine"), &shine, err);
			out->amount = st == MEM_NONE ? mem_tab_count(t, MEM_T_NODE) : 0;
			out->due = out->amount > 0;
			return st == MEM_NONE ? MEM_OK : st;
		}

		static enum mem_status
		put_shine(struct mem_txn *t, void *ctx, struct mem_err *err)
		{
			uint64_t *done = ctx;
			*done = mem_tab_count(t, MEM_T_NODE);
			return mem_tab_put(t, MEM_T_META, MEM_STR("shine"), MEM_STR("yes"), err);
		}

		static enum mem_status
		run_shine(struct mem_index *m, uint64_t *done, struct mem_err *err)
		{
			return mem_store_write(m->store, put_shine, done, err);
		}

		const struct mem_job mem_job_shine = {
			.name = "shine", .look = look_shine, .run = run_shine, .only_when_due = true,
		};
	END
	after lib/upkeep/jobs.c $'^\tJOB(expire)' $'\tJOB(shine) \\'
	sed -i '/^\.It Cm expire/,/^\.It Cm embed/s/^\.It Cm embed/.It Cm shine\nOnce there are nodes, they shine.\nAmount: nodes.\n&/' man/mem-maintain.1
}

setup_file() {
	unset MEM_NOW MAKEFLAGS MAKELEVEL MFLAGS CC SAN COV WERROR
	[ "$MEM_BUILD" = "$TOP/build/release" ] || return 0
	local copy=$BATS_FILE_TMPDIR/copy bin=build/release/bin
	mkdir "$copy"
	cd "$TOP" || return 1
	tar -c --exclude=build/release/{bin,unit,fuzz,bench,tests,tidy,headers,tap} Makefile lib cmd man scripts \
		tests/unit/store_kind_test.c tests/cmd/{helper.bash,mem-maintain.bats,mem-import.bats} build/release |
		tar -x -C "$copy"
	[ ! -e config.mak ] || cp -p config.mak "$copy"
	cd "$copy" || return 1
	git init -q . && git add Makefile lib cmd man tests && git -c user.name=a -c user.email=a@a commit -qm before
	add_kind && add_job || return 1
	make -s "-j$(nproc)" WERROR=1 $bin/mem-{init,import,export,check,list,search,stat,maintain} build/release/unit/store_kind_test
}

setup() {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	scratch
	copy=$BATS_FILE_TMPDIR/copy
	PATH=$copy/build/release/bin:$PATH
	mem-init -q -S "$PWD/s"
	export MEM_STORE=$PWD/s
}

gadgets() { # FIRST LAST: as lines for mem-import
	local i
	for i in $(seq "$1" "$2"); do
		printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d","kind":"gadget","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","name":"opener %d","content":"It opens tins."}\n' "$i" "$i"
	done
}

@test "a kind and a job touch the table, the page and the job's own file" {
	cd "$copy"
	run -0 git status --porcelain lib cmd man tests
	[ "$output" = ' M lib/store/node.h
 M lib/upkeep/jobs.c
 M man/mem-maintain.1
 M man/mem-records.5
?? lib/upkeep/job_shine.c' ]
	run -0 git diff --numstat
	[ "$output" = $'1\t0\tlib/store/node.h\n1\t0\tlib/upkeep/jobs.c\n3\t0\tman/mem-maintain.1\n1\t0\tman/mem-records.5' ]
}

@test "what holds the pages to the tables is content" {
	cd "$copy"
	build/release/unit/store_kind_test
	MEM_BUILD=$PWD/build/release bats --tap -f 'same tasks|unknown task' tests/cmd/mem-maintain.bats
	MEM_BUILD=$PWD/build/release bats --tap -f 'every kind' tests/cmd/mem-import.bats
}

@test "a new kind is imported, listed, searched, counted and exported" {
	gadgets 1 2 > in
	echo '{"id":"0198f3c2-7d4e-7b1a-9c3d-000000000009","kind":"fact","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","statement":"Tins hold tea."}' >> in
	run -0 mem-import < in
	[ "$(jq -r .verdict <<<"$output" | uniq -c | tr -s ' ')" = ' 3 new' ]
	run -0 mem-list --kind gadget
	[ "$(jq -r .name <<<"$output")" = $'opener 1\nopener 2' ]
	run -0 mem-search --kind gadget tins
	[ "$(jq -r .kind <<<"$output" | uniq -c | tr -s ' ')" = ' 2 gadget' ]
	run -0 mem-search 'kind:gadget tins'
	[ "$(wc -l <<<"$output")" = 2 ]
	run -0 mem-search tins
	[ "$(jq -r .kind <<<"$output")" = fact ]
	run -0 mem-stat
	[ "$(jq -c .nodes <<<"$output")" = '{"fact":{"agent:ada":1},"gadget":{"agent:ada":2}}' ]
	[ "$(jq .pending_vectors <<<"$output")" = 3 ]
	mem-export | cmp - in
	run -0 mem-check
}

@test "a new kind goes through a segment" {
	gadgets 1 400 > in
	mem-import -q < in
	run -0 mem-maintain -v index
	[ "$output" = '{"task":"index","done":1}' ]
	[ "$(mem-search --kind gadget --all tins | wc -l)" = 400 ]
	[ "$(mem-search --kind gadget,fact --all tins | wc -l)" = 400 ]
	run -1 mem-search --kind fact tins
	run -0 mem-check
}

@test "a new job is listed, run in its place, and done" {
	run -0 mem-maintain --list shine
	[ "$output" = '{"task":"shine","due":false,"when":null,"amount":0}' ]
	gadgets 1 7 | mem-import -q
	run -0 mem-maintain --list
	[ "$(jq -r .task <<<"$output" | sed -n '/expire/,/embed/p')" = $'expire\nshine\nembed' ]
	[ "$(jq -c 'select(.task == "shine")' <<<"$output")" = '{"task":"shine","due":true,"when":null,"amount":7}' ]
	run -0 mem-maintain -v
	[ "$(jq -c 'select(.task == "shine")' <<<"$output")" = '{"task":"shine","done":7}' ]
	run -0 mem-maintain -v
	[[ $output != *shine* && $output = *'"expire"'* ]]
	run -2 mem-maintain wax
	[[ $output = *' expire, shine, embed, '* ]]
}
