#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A byte of a stored text changes on the disk: it is told, and nothing else is lost.
load helper

setup() {
	scratch
	need mem-capture
	need_store
	mapfile -t id < <(remember '{"content":"one cup of tea","ref":"a"}' '{"content":"two cups of tea","ref":"a"}' \
		'{"content":"three cups of tea"}')
	[ ${#id[@]} = 3 ]
	damage 'two cups of tea' 'two caps of tea'
	told="node ${id[1]} is damaged: its text is damaged: run mem-check"
}

# damage OLD NEW: bytes of the data file, of one length, wherever they stand.
damage() {
	local at
	while read -r at; do
		printf %s "$2" | dd of="$MEM_STORE/data.mdb" bs=1 seek="$at" conv=notrunc status=none
	done < <(LC_ALL=C grep -abo "$1" "$MEM_STORE/data.mdb" | cut -d: -f1)
	! LC_ALL=C grep -q "$1" "$MEM_STORE/data.mdb"
}

# expect COMMAND...: exit 3, one message that names the node, and what else there is.
expect() {
	run -3 --separate-stderr "$@"
	[[ $stderr == "$1: '"*"': $told" ]]
	[[ $output != *caps* ]]
}

@test "mem-get of a damaged node: exit 3, its id, and the others" {
	expect mem-get "${id[1]}"
	[ -z "$output" ]
	expect mem-get "${id[0]}" "${id[1]}" "${id[2]}"
	[ ${#lines[@]} = 2 ]
	expect mem-get -r a
	[ ${#lines[@]} = 1 ]
	expect mem-get - < <(printf '%s\n' "${id[@]}")
	[ ${#lines[@]} = 2 ]
}

@test "streams name what is damaged, print the rest and exit 3" {
	expect mem-list
	[ ${#lines[@]} = 2 ]
	expect mem-export
	[ ${#lines[@]} = 2 ]
	expect mem-search tea
	[ ${#lines[@]} = 2 ]
	expect mem-search --queries - < <(printf '{"query":"tea"}\n{"query":"cup"}\n')
	[ "$(grep -c '"end":true' <<<"$output")" = 2 ]
	[ "$(grep -c '"rank"' <<<"$output")" = 4 ]
	# What does not read the text goes on.
	run -0 mem-log
	run -0 mem-audit
	run -0 mem-stat
}

@test "of a damaged node of others kg-node says no more than of none" {
	need kg-node
	local its
	its=$(kg-node --agent bob add <<<'{"kind":"entity","name":"Vidal the Quince"}' | jq -r .id)
	damage 'Vidal the Quince' 'Vidal the Prince'
	run -3 --separate-stderr kg-node --agent bob set <<<"{\"id\":\"$its\",\"x\":1}"
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	run -1 --separate-stderr kg-node set <<<"{\"id\":\"$its\",\"x\":1}"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	[ -z "$stderr" ]
	run -1 --separate-stderr kg-node remove "$its"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	[ -z "$stderr" ]
}

@test "a length that leads behind the end of the file is damage, too" {
	# In a page stand before a node's text its key, of 4 bytes, and before that two bytes each of length, more length,
	# flags and the key's length.
	at=$(LC_ALL=C grep -abo "{\"id\":\"${id[1]}\"" "$MEM_STORE/data.mdb" | cut -d: -f1)
	[ -n "$at" ]
	for at in $at; do
		printf '\4' | dd of="$MEM_STORE/data.mdb" bs=1 seek=$((at - 9)) conv=notrunc status=none # 64 MiB
	done
	expect mem-get "${id[0]}" "${id[1]}" "${id[2]}"
	[ ${#lines[@]} = 2 ]
	expect mem-list
	[ ${#lines[@]} = 2 ]
	expect mem-export
	[ ${#lines[@]} = 2 ]
	run -1 mem-check
	[[ $output == *'{"check":"page","table":"node","key":"page '*'","message":"a node leads out of its page"}'* ]]
	# Writers, too.
	run -3 mem-capture --no-embed <<<'{"content":"four cups","supersedes":"'"${id[1]}"'"}'
	run -0 mem-capture --no-embed <<<'{"content":"five cups"}'
	run -3 mem-check --repair
}

@test "who may not read it is not told" {
	run -0 --separate-stderr mem-list --agent bob
	[ -z "$output$stderr" ]
	run -1 --separate-stderr mem-get --agent bob "${id[1]}"
	[ "$stderr" = "mem-get: no such node: ${id[1]}" ]
	run -0 --separate-stderr mem-export --agent bob
	[ -z "$output$stderr" ]
}

@test "a damaged node costs no other event" {
	run -3 --separate-stderr mem-capture < <(printf '%s\n' '{"content":"two cups of tea","ref":"a"}' '{"content":"four cups"}')
	[[ $stderr == *"$told" ]]
	[ "$(grep -c '"verdict":"new"' <<<"$output")" = 2 ]
	run -3 --separate-stderr mem-capture < <(printf '{"content":"2 cups","supersedes":"%s"}\n{"content":"five"}\n' "${id[1]}")
	[[ $stderr == *"$told" ]]
	[[ ${lines[0]} == *'"verdict":"rejected"'*'"reason":"supersedes_not_found"'* ]]
	[[ ${lines[1]} == *'"verdict":"new"'* ]]
}

@test "what has fallen due and is damaged stays, and the others are forgotten" {
	remember '{"content":"six cups go","expires_at":"2026-11-28T10:00:00Z"}' '{"content":"seven cups go","expires_at":"2026-11-28T11:00:00Z"}'
	damage 'six cups go' 'six caps go'
	run -3 --separate-stderr mem-maintain -v --now 2026-11-30 expire
	[ "$output" = '{"task":"expire","done":1}' ]
	[[ $stderr == "mem-maintain: '"*"is damaged: its text is damaged: run mem-check" ]]
	run -3 mem-maintain --now 2026-11-30 expire
}

@test "mem-check names the value; a repair leaves what it cannot know" {
	run -1 mem-check
	[ "$output" = '{"check":"checksum","table":"node","key":"00000001","message":"a value is not what was written"}' ]
	run -1 mem-check --repair
	[ "$output" = '{"check":"checksum","table":"node","key":"00000001","message":"a value is not what was written"}' ]
	expect mem-get "${id[1]}"
	run -0 mem-search three
}

@test "mem-list --session ends, whatever the order of a session's keys" {
	for i in 1 2 3 4; do echo "{\"content\":\"turn $i\",\"session_id\":\"s1\",\"captured_at\":\"2026-03-0${i}T10:00:00.000Z\"}"; done | mem-capture -q
	run -0 mem-list --session s1
	[ ${#lines[@]} = 4 ]
	cp "$MEM_STORE/data.mdb" sound
	for way in '4 1' '3 1' '2 4' '1 4'; do
		cp sound "$MEM_STORE/data.mdb"
		# In no other place is a captured_at in this order of bytes.
		perl -0777 -pi -e 'BEGIN { sub k { pack "Q>", (1772359200000 + 86400000 * ($_[0] - 1)) ^ (1 << 63) } ($a, $b) = (k('"${way% *}"'), k('"${way#* }"')) }
			s/\Q$a/$b/g or die' "$MEM_STORE/data.mdb"
		run timeout 120 mem-list --session s1
		[ "$status" != 124 ] || { echo "$way: no end"; false; }
		[ "$status" = 3 ] || [ "$status" = 0 ]
		run -1 mem-check
	done
}

# One memory that supersedes another; `whole` is its export.
fill_superseding_store() {
	export MEM_STORE=$PWD/s
	mem-init -q
	local old
	old=$(mem-capture <<<'{"content":"tea"}' | jq -r .id)
	mem-capture -q <<<"{\"content\":\"milk instead\",\"supersedes\":\"$old\"}"
	mem-export >whole
}

@test "counters that are damaged are told by all that opens the store, and a repair counts anew" {
	fill_superseding_store
	# The number of the next node, 24 bytes into the counters.
	perl -0777 -pi -e 's/(\0\x08\0counters.{24})./$1\x47/sg or die' s/data.mdb
	told="'$PWD/s': a value of table meta is damaged: run mem-check"
	for command in mem-maintain 'mem-maintain compact' mem-list mem-stat 'mem-search tea' 'mem-backup copy' mem-check; do
		# shellcheck disable=SC2086
		run -3 $command
		[ "$output" = "${command%% *}: $told" ]
	done
	run -3 mem-capture <<<'{"content":"milk"}'
	[[ $output = *"$told"* ]]
	run -0 mem-check --repair
	mem-export | cmp - whole
	run -0 mem-capture <<<'{"content":"milk"}'
	run -0 mem-maintain
	run -0 mem-check
}

@test "a kind of edges whose name is damaged comes back from its number, and an edge that is damaged is told" {
	fill_superseding_store
	grep -q '"edge":"superseded_by"' whole
	cp s/data.mdb sound
	perl -0777 -pi -e 's/edge:superseded_by/edge:superseded_bx/g or die' s/data.mdb
	run -1 mem-check
	run -0 mem-check --repair
	mem-export | cmp - whole
	run -0 kg-edge list --kind superseded_by
	# The edge's own text: there is nothing that tells it.
	cp sound s/data.mdb
	perl -0777 -pi -e 's/"reason":"writer_hint"/"reason":"writer_hunt"/g or die' s/data.mdb
	for command in mem-export 'kg-edge list'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr $command
		[ "$(sort -u <<<"$stderr")" = "${command%% *}: '$PWD/s': a value of table out is damaged: run mem-check" ]
		[[ $output != *hunt* ]]
	done
	run -1 mem-check
	[ "$(jq -r '.check+" "+.table' <<<"$output" | sort -u)" = 'checksum out' ]
	run -1 mem-check --repair
	[[ $output = *'"checksum","table":"out"'* ]]
}

# turn_over PERL: an edit of the whole file, that must find its place; &time makes eight bytes of a key.
turn_over() {
	cp sound s/data.mdb
	perl -0777 -pi -e 'sub at { quotemeta pack "Q>", ($_[0] + 1772359200000) ^ (1 << 63) } '"$1"' or die "not found"' s/data.mdb
	mem-check >breaches && return 1
	[ -s breaches ]
}

# expect_row TABLE COMMAND...: exit 3, and the row is told.
expect_row() {
	local table=$1 what='key of table %s is damaged'
	shift
	[ "$table" != sess ] || what='row of table %s leads to another node'
	run -3 --separate-stderr "$@"
	# shellcheck disable=SC2059
	[ "$stderr" = "$1: '$PWD/s': a $(printf "$what" "$table"): run mem-check" ]
}

@test "a name of which a bit has turned over leads nobody to another node, and is told where it is looked for" {
	export MEM_STORE=$PWD/s
	mem-init -q
	printf '{"kind":"tag","name":"%s"}\n' first second third | kg-node -q --ns global add # numbers 0 to 2
	cp s/data.mdb sound
	local edit
	for edit in 's/(\0second\0.{16}\0\0\0)\x01/$1\0/sg' 's/(\0second\0.{16}\0\0\0)\x01/$1\x05/sg' 's/\0second(?=\0.{16}\0\0\0\x01)/\0seconf/sg' \
		's/\0second(?=\0.{16}\0\0\0\x01)/\0\xf3econd/sg' 's/\0second(?=\0.{16}\0\0\0\x01)/\x003econd/sg'; do
		turn_over "$edit"
		run -3 --separate-stderr kg-node list --name second
		[ -z "$output" ]
		[[ $stderr = "kg-node: '$PWD/s': "*" of table name is damaged: run mem-check" ]]
		run -0 mem-check --repair
		run -0 kg-node list --name second
		[ "$(jq -r .name <<<"$output")" = second ]
	done
}

@test "a row whose node's number is another leads nobody to that node" {
	export MEM_STORE=$PWD/s
	mem-init -q
	# Their numbers in the store: 0 to 4.  In no other place are these times, 2026-03-01T10:00 and on, in this order of bytes.
	mapfile -t id < <(remember '{"content":"turn 1","session_id":"s1","captured_at":"2026-03-01T10:00:00Z"}' \
		'{"content":"turn 2","session_id":"s1","captured_at":"2026-03-01T10:00:01Z","ref":"r-one"}' \
		'{"content":"turn 3","session_id":"s1","captured_at":"2026-03-01T10:00:02Z"}' \
		'{"content":"of another","session_id":"s2","captured_at":"2026-03-01T10:00:03Z","ref":"r-two"}' '{"content":"tea"}' \
		'{"content":"goes","expires_at":"2026-03-01T10:00:09Z"}' '{"content":"milk"}')
	cp s/data.mdb sound
	run -0 mem-list --session s1
	said=("${lines[@]}")
	# The second turn's row: to the node of the other session, and to none.
	for other in 03 99; do
		turn_over 's/('"@{[at(1000)]}"')\0\0\0\x01/$1\0\0\0\x'"$other/sg"
		expect_row sess mem-list --session s1
		[ "${lines[*]}" = "${said[0]} ${said[2]}" ]
	done
	# A row under another hash may hide those beside it: which ones hangs on the store's secret.
	for row in 0:00 1000:01 2000:02; do
		for flip in 1 128; do
			turn_over 's/(.)('"@{[at(${row%:*})]}"')(?=\0\0\0\x'"${row#*:})/chr(ord(\$1)^$flip).\$2/sge"
			run -3 --separate-stderr mem-list --session s1
			[[ $stderr = *"of table sess"*"run mem-check" ]]
			for line in "${lines[@]}"; do [[ "${said[*]}" = *"$line"* ]]; done
		done
	done

	turn_over 's/(r-one.{8})\0\0\0\x01/$1\0\0\0\x03/sg'
	expect_row ref mem-get -r r-one
	[ -z "$output" ]
	# Whoever says it again is told of no other node.
	turn_over 's/(\x20\0\0\0\0.\0{8}.{16})\0\0\0\x04/$1\0\0\0\x06/sg' # the key's length, no session
	expect_row dup mem-capture <<<'{"content":"tea"}'
	[[ $output = *'"verdict":"new"'* ]]
	# An id that is not found any more.
	turn_over "s/(\\Q@{[pack 'H*', '$(tr -d - <<<"${id[4]}")']}\\E)(?=\0\0\0\x04)/substr(\$1,0,15).chr(ord(substr(\$1,15))^1)/sge"
	run -3 mem-get "${id[4]}"
	[ "$output" = "mem-get: '$PWD/s': a key of table id is damaged: run mem-check" ]
	# Due is what its node says, and no sooner.
	turn_over 's/('"@{[at(9000)]}"')\0\0\0\x05/$1\0\0\0\x06/sg'
	run -3 --separate-stderr mem-maintain -v --now 2026-11-30 expire
	[ "$stderr" = "mem-maintain: '$PWD/s': node ${id[6]} is damaged: its row of table due is not what was written: run mem-check" ]
	run -0 mem-get "${id[6]}"
	[[ $output != *expired_at* ]]
	run -0 mem-check --repair
	run -0 mem-maintain --now 2026-11-30 expire
	[[ "$(mem-get "${id[5]}")" = *'"expired_at"'* ]]
}

@test "a ref, or what was said before, is not hidden by a bit in its key" {
	export MEM_STORE=$PWD/s
	mem-init -q
	printf '{"content":"%s","ref":"%s"}\n' tea first milk second bread third | mem-capture -q
	mem-capture -q --lines <<<'salt'
	cp s/data.mdb sound
	local edit
	for edit in 's/second(?=.{8}\0\0\0\x01)/seconf/sg' 's/second(?=.{8}\0\0\0\x01)/3econd/sg' 's/second(?=.{8}\0\0\0\x01)/\xf3econd/sg'; do
		turn_over "$edit"
		run -3 --separate-stderr mem-get -r second
		[ -z "$output" ]
		[[ $stderr = "mem-get: '$PWD/s': "*" of table ref is damaged: run mem-check" ]]
		run -0 mem-check --repair
		run -0 mem-get -r second
		[[ $output = *milk* ]]
	done
	# The first and the last byte of the hash.
	for edit in 's/(\x20\0\0\0\0.\0{8})(.)(?=.{15}\0\0\0\x03)/$1.chr(ord($2)^128)/sge' \
		's/(\x20\0\0\0\0.\0{8}.{15})(.)(?=\0\0\0\x03)/$1.chr(ord($2)^1)/sge'; do
		turn_over "$edit"
		run -3 --separate-stderr mem-capture --lines <<<'salt'
		[[ $stderr = *"of table dup is damaged: run mem-check" ]]
		run -0 mem-check --repair
	done
}

@test "who waits for a vector, and what counts no more, is not taken from a key that is damaged" {
	random_model
	export MEM_STORE=$PWD/s
	mem-init -q
	kg-node -q add <<<'{"kind":"tag","name":"harbour"}' # node 0, which waits for none
	mem-capture -q --no-embed --lines <<<$'tea\nmilk\nbread'
	cp s/data.mdb sound
	for edit in 's/([\0\x04]\0{5}\x04\0\0\0\0)\x01/$1\0/sg' 's/([\0\x04]\0{5}\x04\0\0\0\0)\x03/$1\x07/sg'; do
		turn_over "$edit"
		run -3 mem-embed --model minilm --pending
		[[ $output = *'table pend is damaged: run mem-check --repair' ]]
	done
	run -0 mem-check --repair
	run -0 --separate-stderr mem-embed -v --model minilm --pending
	[ "$output" = '{"embedded":3,"near_duplicates":0,"pending":0}' ]
	# A removed document of a segment.
	seq 300 | sed 's/$/ cups/' | mem-capture -q --no-embed --lines
	mem-maintain index
	mem-forget -q --erase "$(mem-search -m keyword -n 1 198 | jq -r .id)"
	run -0 mem-search -m keyword -n 400 cups
	[ ${#lines[@]} = 299 ]
	cp s/data.mdb sound
	for edit in 's/(\x08\0\0\0\0)\x01(?=\0\0\0[\xc0-\xd0])/$1\x03/sg' 's/(\x08\0\0\0\0\x01\0\0\0)([\xc0-\xd0])/$1.chr(ord($2)^1)/sge'; do
		turn_over "$edit"
		run -3 mem-search -m keyword -n 400 cups
		[ "$output" = "mem-search: index: a key of table tomb is damaged: run mem-check --repair" ]
		run -3 mem-maintain compact
		run -0 mem-check --repair
		run -0 mem-search -m keyword -n 400 cups
		[ ${#lines[@]} = 299 ]
	done
}

@test "a vector, and what filters read of it, is not hidden by a bit" {
	random_model
	export MEM_STORE=$PWD/s
	mem-init -q
	mkdir -p "$HOME/.config/memkit"
	echo 'embed: {model: minilm}' >"$HOME/.config/memkit/config.yaml"
	# The first node has none, so that the first vector's key has room before it.
	kg-node -q add <<<'{"kind":"tag","name":"harbour"}'
	printf '{"content":"%s","role":"user"}\n' tea milk bread | mem-capture -q --no-embed
	mem-embed --model minilm --pending
	run -0 mem-search -m vector role:user tea
	[ ${#lines[@]} = 3 ]
	cp s/data.mdb sound
	# Role and time in table code, behind ord, namespace, session and kind.
	for edit in 's/(\x02\0\0\0\x01\0\0\0.{4}.\0)(.)(?=\0\0\0)/$1.chr(ord($2)^1)/sge' 's/(.)(.{3})(?=\x02\0\0\0\x01\0\0\0.{4}.\0.\0\0\0)/chr(ord($1)^1).$2/sge'; do
		turn_over "$edit"
		run -3 mem-search -m vector role:user tea
		[ "$output" = "mem-search: index: the code of node 2 is damaged: run mem-check --repair" ]
		run -0 mem-check --repair
		run -0 mem-search -m vector role:user tea
		[ ${#lines[@]} = 3 ]
	done
	# The key of table row: last place, first place.
	turn_over 's/\0\0\0\x01(?=\0\0\0\0\0\x01\0\0)/\0\0\0\0/sg'
	run -3 mem-search -m vector tea
	[[ $output = *'vectors of node '*' are damaged: run mem-check --repair' ]]
	run -0 mem-check --repair
	run -0 mem-embed --model minilm --pending
	run -0 mem-search -m vector role:user tea
	[ ${#lines[@]} = 3 ]
}
