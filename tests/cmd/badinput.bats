#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What happens to input that nobody should send.
# shellcheck disable=SC2086,SC2016,SC1003,SC2317
load helper

setup() {
	scratch
	mem-init -q "$PWD/store"
	export MEM_STORE=$PWD/store
	readers=() # commands that print what is in the store
	for c in 'mem-search tea' 'mem-get -r r' mem-list mem-log mem-audit mem-stat mem-export 'mem-maintain --list'; do
		[ -x "$MEM_BUILD/bin/${c%% *}" ] && readers+=("$c")
	done
	true
}

# field FILTER: over the receipts in $output.
field() { jq -c "$1" <<<"$output"; }

repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }

# Memory that is bounded whatever comes in: 192 MiB of it, the store's map not counted.
bounded() { (
	case $MEM_BUILD in *address*|*thread*|*coverage*) ;; *) ulimit -d 196608 ;; esac
	"$@"
); }

# ---- JSON -------------------------------------------------------------------------

# Calls `$1 NAME FILE` for each case of the suite, with the text as it is.
each_case() {
	local name text
	while IFS=$'\t' read -r name text; do
		base64 -d <<<"$text" >case
		"$1" "$name" case
	done < <(jq -r '[.name,.base64]|@tsv' "$TOP/tests/data/jsontestsuite/cases.ndjson")
}

@test "each case of JSONTestSuite is captured or refused by its line" {
	names=()
	add() {
		names+=("$1 $(tr -cd '\n' <"$2" | wc -c) $(tail -c 1 "$2" | od -An -tx1)")
		cat "$2"
		[ "$(tail -c 1 "$2" | od -An -tx1)" = ' 0a' ] || echo
	}
	each_case add >lines
	[ ${#names[@]} = 318 ]
	run -1 bounded mem-capture <lines
	[ "${#lines[@]}" = "$(wc -l <lines)" ]
	[ "$(jq -s 'map(select(.line<1 or .verdict!="rejected" or .id!=null or (.offset|type)!="number"))|length' <<<"$output")" = 0 ]
	n=0
	jq -r .reason <<<"$output" >reasons
	for x in "${names[@]}"; do
		read -r name breaks end <<<"$x"
		parts=$breaks
		[ "$end" = 0a ] || parts=$((breaks + 1))
		got=$(sed -n "$((n + 1)),$((n + parts))p" reasons | paste -sd' ')
		n=$((n + parts))
		case $name:$parts in
		y_object_duplicated_key*:1) want='^duplicate_key$' ;;
		y_object_escaped_null_in_key*:1) want='^nul$' ;;
		y_object*:1) want='^empty$' ;;
		y_*:1) want='^not_an_object$' ;;
		n_*:1) want='^(bad_json|bad_utf8|too_deep|not_an_object|nul|duplicate_key)$' ;;
		*) want='^[a-z_0-9]+( [a-z_0-9]+)*$' ;;
		esac
		[[ $got =~ $want ]] || { echo "$name: $got"; false; }
	done
	[ $n = "$(wc -l <lines)" ]
	run mem-list
	[ -z "$output" ]
	run -0 mem-check
}

@test "what is valid JSON comes back under extra byte for byte" {
	: >events
	wrap() {
		case $1 in y_*) ;; *) return 0 ;; esac
		case $1 in y_object_duplicated_key*|*null*in_key*|*nul*U+0000*) return 0 ;; esac
		[ "$(tr -cd '\n' <"$2" | wc -c)" = 0 ] || return 0
		printf '{"content":"case %s","x":' "$1"; cat "$2"; printf '}\n'
	}
	each_case wrap >events
	[ "$(wc -l <events)" -gt 85 ]
	mem-capture <events >receipts || true
	# U+0000 cannot be kept.
	[ "$(jq -r 'select(.verdict!="new")|.reason' receipts | sort -u)" = nul ]
	jq -r 'select(.verdict=="new")|.line' receipts >kept
	[ "$(wc -l <kept)" -gt 80 ]
	mem-export >stored
	n=0
	while read -r line; do
		n=$((n + 1))
		x=$(sed -n "${line}p" events | sed -E 's/"x":[[:space:]]+/"x":/; s/[[:space:]]+}$/}/')
		got=$(sed -n "${n}p" stored)
		[[ $got = *"\"extra\":{\"x\":${x#*\"x\":}"* ]] || { echo "$x"; echo "$got"; false; }
	done <kept
}

@test "each valid case passes mem-render --format json byte for byte, the others are told and left out" {
	: >lines
	one() { [ "$(tr -cd '\n' <"$2" | wc -c)" = 0 ] || return 0; cat "$2"; echo; }
	each_case one >lines
	good() { case $1 in y_object_duplicated_key*) ;; y_object*) one "$@" ;; i_structure_UTF-8_BOM_empty_object*) echo '{}' ;; esac; }
	each_case good >wanted
	st=0
	bounded mem-render --format json lines >out 2>err || st=$?
	[ $st = 1 ]
	cmp out wanted
	[ "$(wc -l <err)" = "$(($(wc -l <lines) - $(wc -l <wanted)))" ]
	run ! grep -vE '^mem-render: lines: line [0-9]+, byte [0-9]+: [a-z_0-9]+: ' err
}

# ---- size ---------------------------------------------------------------------------

huge() {
	printf '{"content":"tea one"}\n'
	printf '{"content":"'; repeat x $((17 << 20)); printf '"}\n'
	printf '{"content":"x","a":'; repeat '[' 100000; printf '\n'
	printf '{"content":"x","a":'; repeat '[' 100000; repeat ']' 100000; printf '}\n'
	printf '{"content":"x","'; repeat k 10000000; printf '":1}\n'
	printf '{"content":"x","n":'; repeat 9 10000000; printf '}\n'
	repeat ' ' $((17 << 20)); printf '\n'
	printf '{"content":"'; repeat y 1048577; printf '"}\n'
	printf '{"content":"tea two"}\n'
}

@test "huge lines, deep nesting, huge keys: refused by line in bounded memory, the rest goes on" {
	huge >big
	st=0
	bounded mem-capture <big >out 2>err || st=$?
	cat err
	[ $st = 1 ]
	[ "$(jq -r '"\(.line):\(.reason)"' out | paste -sd' ')" = \
		'1:null 2:too_long 3:too_deep 4:too_deep 5:key_too_long 6:null 7:too_long 8:too_long 9:null' ]
	run -0 mem-search --all tea
	[ "${#lines[@]}" = 2 ]
	for f in json fence; do
		st=0
		bounded mem-render --format $f <big >out 2>err || st=$?
		[ $st = 1 ]
		[ "$(sed -nE 's/^mem-render: line ([0-9]+), byte [0-9]+: ([a-z_0-9]+):.*/\1:\2/p' err | paste -sd' ')" = \
			'2:too_long 3:too_deep 4:too_deep 5:key_too_long 7:too_long' ]
		grep -q 'tea one' out
		grep -q 'tea two' out
	done
	st=0
	bounded mem-import <big >out 2>err || st=$?
	[ $st = 1 ]
	[ "$(jq -s 'map(select(.verdict!="rejected"))|length' out)" = 0 ]
	st=0
	jq -c '{query:.}' <<<'"tea"' | cat - big | bounded mem-search --queries - >out 2>err || st=$?
	[ $st = 1 ]
	[ "$(jq -c 'select(.end)|.error' out | paste -sd' ')" = \
		'null "bad_value" "too_long" "too_deep" "too_deep" "key_too_long" "bad_value" "too_long" "bad_value" "bad_value"' ]
}

@test "a million small lines and a line without end take bounded memory" {
	yes '[' | head -n 1000000 >lines
	bounded mem-capture -q <lines | tail -n 1 >last || true
	[ "$(jq -c '[.line,.reason]' last)" = '[1000000,"bad_json"]' ]
	st=0
	repeat a $((300 << 20)) >endless
	bounded mem-capture <endless >out 2>err || st=$?
	rm endless
	cat err
	[ "$st:$(jq -r .reason out)" = 1:too_long ]
}

# ---- output -------------------------------------------------------------------------

@test "output closed by head: a quiet end" {
	seq 3000 | jq -c '{content:"tea \(.) and more words, so that a pipe fills",ref:"r"}' >events
	mem-capture <events 2>err | head -n 1 >one
	[ "$(jq .line one)" = 1 ]
	[ ! -s err ]
	# What was committed before the end is there, and whole.
	run -0 mem-check
	mem-capture -q <events
	for c in "${readers[@]}"; do
		case $c in mem-stat*|mem-maintain*) continue ;; mem-search*) c='mem-search --all tea' ;; esac
		$c 2>err | head -n 1 >one
		st=${PIPESTATUS[0]}
		[ "$st" = 141 ] || { echo "$c: $st"; false; }
		[ ! -s err ] || { echo "$c: $(cat err)"; false; }
		[ "$(wc -l <one)" = 1 ]
	done
	mem-search --all tea | mem-render 2>err | head -n 1 >one
	[ ! -s err ]
}

@test "a full device: 3 and a message, from every command that prints" {
	mem-capture -q <<<'{"content":"tea","ref":"r"}'
	mem-export >lines
	mem-search tea >hits
	printf '{"type":"user","message":{"role":"user","content":"hi"},"sessionId":"s","uuid":"u","timestamp":"2026-11-27T10:00:00Z"}\n' >s.jsonl
	n=0
	full() { # NAME COMMAND...
		local name=$1 st=0
		shift
		"$@" >/dev/full 2>err || st=$?
		[ "$st" = 3 ] || { echo "$*: $st"; false; }
		grep -q "^$name: .*\(disk full\|No space left\)" err || { echo "$*: $(cat err)"; false; }
		[ "$(wc -l <err)" = 1 ] || { echo "$*: $(cat err)"; false; }
		n=$((n + 1))
	}
	for c in "${readers[@]}"; do full "${c%% *}" $c; done
	full mem-capture mem-capture <<<'{"content":"milk"}'
	full mem-capture mem-capture <<<'{"content":""}'
	full mem-import mem-import <lines
	full mem-render mem-render hits
	full mem-render mem-render --format json hits
	full mem-adapt mem-adapt claude-code s.jsonl
	full mem-backup mem-backup copy
	full mem-init mem-init new
	full mem-maintain mem-maintain -v index
	full mem-search mem-search --queries - <<<'{"query":"tea"}'
	[ $n -ge 15 ]
	# What was captured though its receipt was lost is found again as a duplicate.
	run -0 mem-capture <<<'{"content":"milk"}'
	[ "$(field .verdict)" = '"duplicate"' ]
}

# ---- queries ------------------------------------------------------------------------

@test "odd queries: a defined answer, never everything" {
	seq 20 | jq -c '{content:"tea number \(.) of the house"}' | mem-capture -q
	mem-capture -q <<<'{"content":"it is what it is"}'
	for q in '' ' ' $'\t\n' '!?.,;:' '""' '"' '"""' '-' '--' '- -' '-""' '*' '()' ':' '::' '-:' '"-"' $'\u200b' $'\u00a0' $'\ufeff' '…—„“' '🙂' '-tea' '-"tea number"' 'tag:' 'speaker:' '"' "'" '\' '%' '$()' '&&' ' OR ' '^' '~' '+'; do
		for plain in '' --plain; do
			st=0
			mem-search $plain --all -- "$q" >out 2>err || st=$?
			case "$plain$q" in
			--plain-tea|'--plain-"tea number"') [ "$st:$(wc -l <out)" = 0:20 ] ;;
			' OR '|'--plain OR ') [ $st = 1 ] ;;
			*) [ "$st:$(wc -l <out)" = 1:0 ] ;;
			esac || { echo "'$q' $plain: $st $(wc -l <out) $(cat err)"; false; }
			[ ! -s err ] || { echo "'$q' $plain: $(cat err)"; false; }
		done
	done
	# Stop words alone are words; with others they find nothing more.
	run -0 mem-search --all 'it is'
	[ "${#lines[@]}" = 1 ]
	run -1 mem-search --all 'the zebra of it'
	# An unbalanced quote is a character like others.
	[ "$(mem-search --all 'tea "' | wc -l)" = 20 ]
	[ "$(mem-search --all '"tea number' | wc -l)" = 20 ]
	[ "$(mem-search --all '"tea number 7"' | wc -l)" = 1 ]
}

@test "queries on standard input: 1 MB, no UTF-8, NUL, too long" {
	mem-capture -q <<<'{"content":"tea of the house"}'
	one() { st=0; bounded mem-search "$@" >out 2>err || st=$?; }
	seq -f 'word%g' 150000 >words
	{ head -c 1000000 words; echo ' tea'; } >query
	one - <query
	[ "$st:$(wc -l <out)" = 0:1 ]
	one - < <(repeat a 1000000)
	[ "$st:$(wc -l <out)" = 1:0 ]
	one - < <(repeat '"' 1000000; echo tea)
	[ $st -le 1 ]
	one - < <(repeat '-' 1000000; echo tea)
	[ $st -le 1 ]
	one - < <(yes '"tea house"' | head -c 1000000)
	[ $st -le 1 ]
	one - < <(yes 'tag:tea ns:x' | head -c 1000000)
	[ $st -le 2 ]
	one - < <(yes '茶' | tr -d '\n' | head -c 999999)
	[ "$st:$(wc -l <out)" = 1:0 ]
	one - < <(printf 'tea \377\376')
	[ "$st:$(cat err)" = '2:mem-search: the query is not UTF-8 at byte 4' ]
	one - < <(printf 'tea\0house')
	[ $st -le 2 ]
	one - < <(repeat a $((17 << 20)))
	[ $st = 2 ]
	one --queries - < <(jq -Rsc '{query:.}' query)
	[ "$st:$(jq -c 'select(.end)|[.hits,.error]' out)" = '0:[1,null]' ]
}

# ---- events -------------------------------------------------------------------------

@test "reserved names are refused under every spelling and at no other place" {
	for name in kind status version origin created_at expired_at importance pinned access_count last_access signals rank score; do
		for key in "$name" "\\u00$(printf '%02x' "'${name:0:1}")${name:1}"; do
			for value in 1 null '{}' '"x"' true; do
				printf '{"content":"x","%s":%s}\n' "$key" "$value"
			done
		done
	done >events
	run -1 mem-capture <events
	[ "$(jq -s 'map(select(.reason=="reserved_field" and .offset==15))|length' <<<"$output")" = "$(wc -l <events)" ]
	run mem-list
	[ -z "$output" ]
	# Inside another value, or written otherwise, it is a name like others.
	run -0 mem-capture <<<'{"content":"x","meta":{"pinned":true,"rank":1,"id":"y"},"Rank":2,"PINNED":true,"pinned ":1}'
	run -0 mem-export
	[ "$(field '[.pinned,.importance,.version,.status,.extra]')" = '[false,0.5,1,"active",{"meta":{"pinned":true,"rank":1,"id":"y"},"Rank":2,"PINNED":true,"pinned ":1}]' ]
}

@test "an id becomes the ref, and only a name that makes sense does" {
	run -1 mem-capture <<'END'
{"content":"a","id":"m1"}
{"content":"b","id":7}
{"content":"c","id":12345678901234567890123}
{"content":"d","id":"m1","ref":"m2"}
{"content":"e","id":null}
{"content":"f","id":{"x":1}}
{"content":"g","id":[1]}
{"content":"h","id":true}
{"content":"i","id":""}
{"content":"j","ref":5}
{"content":"k","tags":"one"}
{"content":"l","tags":[1]}
{"content":"m","speaker":{"name":"x"}}
{"content":"n","session_id":4}
{"content":"o","trust":"high"}
{"content":"p","trust":-0.1}
{"content":"q","trust":1e400}
{"content":"r","role":5}
{"content":"s","captured_at":1700000000}
{"content":"t","captured_at":"2026-02-30T00:00:00Z"}
{"content":"u","ns":5}
{"content":"v","supersedes":5}
{"content":"w","supersedes":"m1"}
{"content":"x","role":null,"speaker":null,"trust":null,"tags":null,"ref":null,"captured_at":null}
END
	[ "$(jq -r '.reason//"new"' <<<"$output" | paste -sd' ')" = \
		'new new new reserved_field new bad_value bad_value bad_value new bad_value bad_value bad_value bad_value bad_value bad_value bad_value bad_value bad_value bad_time bad_time bad_value bad_value supersedes_not_found new' ]
	[ "$(mem-export | jq -c .ref | paste -sd' ')" = '"m1" "7" "12345678901234567890123" null null null' ]
}

# ---- clocks ---------------------------------------------------------------------------

@test "a clock that is set back, times in the future and far away" {
	need mem-stat
	at() { mem-capture --now "$1" <<<"{\"content\":\"tea at $1 $2\"${3:+,\"captured_at\":\"$3\"}}" | jq -r .id; }
	ids=$(at 2026-11-28T10:00:00Z a; at 2026-11-28T09:00:00Z b; at 1970-01-01T00:00:00Z c; at 2026-11-28T09:00:00Z d 2099-01-01T00:00:00Z
		at 9999-12-31T23:59:59.999Z e; at 2026-11-28T09:00:00Z f; at 2026-11-28T09:00:00Z g 0001-01-01T00:00:00Z
		at 2026-11-28T09:00:00Z h 9999-12-31T23:59:59.999Z)
	[ "$(wc -l <<<"$ids")" = 8 ]
	[ "$(LC_ALL=C sort -u <<<"$ids")" = "$ids" ]
	[ "$(mem-list | jq -r .id)" = "$ids" ]
	[ "$(mem-stat --now 1960-01-01 | jq .consolidation.oldest_age)" = 0 ]
	[ "$(mem-search --all tea | wc -l)" = 8 ]
	# mem-render says when, never "in -3 days".
	run -0 mem-render < <(mem-search --now 2020-01-01 --all tea)
	[[ $output = *' at="2099-01-01T00:00:00.000Z" '* ]]
	run ! grep -E 'at="-|[" ]-[0-9]' <<<"$output"
	run -0 mem-maintain --now 1960-01-01
	run -0 mem-maintain --now 9999-12-31
	run -0 mem-check
	# What expires before it is captured is kept but not shown.
	run -0 mem-capture <<<'{"content":"late tea","expires_at":"2020-01-01T00:00:00Z","ref":"late"}'
	run -1 mem-search late
	run -0 mem-maintain
	run -0 mem-check
}

# ---- surroundings ---------------------------------------------------------------------

@test "no HOME, no PATH, no terminal, closed descriptors" {
	bin=$MEM_BUILD/bin
	bare() { env -i MEM_STORE="$MEM_STORE" MEM_NOW="$MEM_NOW" "$bin/$1" "${@:2}"; }
	run -0 bare mem-capture <<<'{"content":"tea","ref":"r"}'
	[ "$(field .ns)" = '"agent:ada"' ]
	[ "$(bare mem-search tea | jq -r .ref)" = r ]
	bare mem-search tea >hits
	[ "$(bare mem-render <hits | wc -l)" = 3 ]
	for c in "${readers[@]}"; do
		run -0 bare $c
		[ -n "$output" ]
	done
	# No store named and no home to look in: said, and nothing made.
	(
		cd / || exit 1
		run -3 env -i "$bin/mem-search" tea
		[[ $output = *'no store here: run mem-init'* ]]
	)
	# No terminal at all.
	if command -v setsid >/dev/null; then
		run -0 setsid -w "$bin/mem-search" tea
		[ -n "$output" ]
	fi
	# Closed descriptors: no message goes into the store, no status lies.
	st=0; mem-capture <&- >out 2>err || st=$?
	[ $st = 3 ]
	grep -q '^mem-capture: ' err
	for c in "${readers[@]}"; do
		st=0; $c <&- >out 2>err || st=$?
		[ $st = 0 ] || { echo "$c <&-: $st"; false; }
		st=0; $c >&- 2>err || st=$?
		[ $st = 3 ] || { echo "$c >&-: $st"; false; }
		st=0; $c >out 2>&- || st=$?
		[ $st = 0 ] || { echo "$c 2>&-: $st"; false; }
		st=0; $c <&- >&- 2>&- || st=$?
		[ $st = 3 ] || { echo "$c, all closed: $st"; false; }
	done
	st=0; echo '{"content":"milk"}' | mem-capture >&- 2>&- || st=$?
	[ $st = 3 ]
	st=0; mem-import <&- >&- 2>&- || st=$?
	[ $st = 3 ]
	st=0; mem-get nope >&- 2>&- || st=$?
	[ $st = 1 ] || [ $st = 3 ]
	run -0 mem-check
	run ! grep -cE 'mem-[a-z]+: |cannot ' store/data.mdb
}
