#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=last
# The newest of lists, and times in words.
load helper

setup() {
	scratch
	need_store
}

# fill N: events 1 to N; every third is bob's, every fifth a tool's, and each hour has one.
fill() {
	local i
	for ((i = 1; i <= $1; i++)); do
		printf '{"content":"e%d","role":"%s","session_id":"s%d","captured_at":"2026-11-2%dT%02d:00:00Z"}\n' \
			$i "$([ $((i % 5)) = 0 ] && echo tool || echo user)" $((i % 2)) $((i / 24 % 8)) $((i % 24))
	done | mem-capture -q
	mem-capture -q --agent bob --lines <<<'not for ada'
}

# Each command with these options prints the last N of what it prints without --last.
same_tail() { # COMMAND... ; for some N
	local n
	"$@" >all
	[ -s all ]
	for n in 1 2 3 7 1000 5000; do
		"$@" --last $n | cmp - <(tail -n $n all)
	done
}

@test "--last prints the newest of what the filters leave, in the usual order" {
	fill 2500
	same_tail mem-list
	same_tail mem-list --role tool
	same_tail mem-list --session s1
	same_tail mem-list --tag x || [ ! -s all ]
	same_tail mem-list --since 2026-11-21 --until 2026-11-23
	same_tail mem-list --after "$(mem-list -n 2400 | tail -n 1 | jq -r .id)"
	same_tail mem-log
	same_tail mem-log --kind episode --after 2490
	same_tail mem-audit
	same_tail mem-audit --kind capture --after 2000
	same_tail mem-audit --subject "$(mem-list -n 10 | tail -n 1 | jq -r .id)"
	[ "$(mem-list --last 5 -n 2 | jq -r .content | xargs)" = 'e2496 e2497' ]
	# What others have does not count.
	[ "$(mem-list --agent bob --last 2 | jq -r .content)" = 'not for ada' ]
	[ -z "$(mem-list --agent eve --last 2)" ]
	for c in mem-list mem-log mem-audit; do
		run -2 $c --last 0
		run -2 $c --last x
	done
}

@test "--last over rows that were packed" {
	for i in {1..9000}; do echo "e$i"; done | mem-capture -q --no-embed --lines
	mem-log >log.before
	mem-audit >audit.before
	run -0 mem-maintain -v pack
	[ "$(jq .done <<<"$output")" -gt 2000 ]
	for n in 1 3000 4100 7000 8999; do
		mem-log --last $n | cmp - <(tail -n $n log.before)
		mem-audit --last $n | cmp - <(tail -n $n audit.before)
	done
}

@test "mem-log -f --after now prints only what comes" {
	fill 30
	mem-log -f --after now -n 1 >seen &
	# What comes before it looks is not printed, so there is more until it has ended.
	n=0
	one_more() { n=$((n + 1)); mem-capture -q --lines <<<"new $n"; gone "$!"; }
	eventually one_more
	wait
	[ "$(wc -l <seen)" = 1 ]
	[ "$(jq .seq <seen)" -gt 31 ]
	run -0 mem-log --after now
	[ -z "$output" ]
	run -2 mem-log --after soon
	[[ $output = *"'soon' is not the number of a change, or now" ]]
	run -2 mem-log --after -1
	timeout 120 mem-log -f --last 2 -n 2 | cmp - <(mem-log --last 2)
}

@test "times in words, in UTC and from --now" {
	mem-capture -q <<-'END'
		{"content":"of last week","captured_at":"2026-11-16T00:00:00Z"}
		{"content":"sunday","captured_at":"2026-11-22T23:59:59Z"}
		{"content":"monday","captured_at":"2026-11-23T00:00:00Z"}
		{"content":"of yesterday","captured_at":"2026-11-27T12:00:00Z"}
		{"content":"of today","captured_at":"2026-11-28T00:00:00Z"}
	END
	took() { mem-list "$@" | jq -r .content | paste -sd,; }
	[ "$(took --since today)" = 'of today' ]
	[ "$(took --since yesterday)" = 'of yesterday,of today' ]
	[ "$(took --until today --since yesterday)" = 'of yesterday' ]
	[ "$(took --since 'last week' --until 'this week')" = 'of last week,sunday' ]
	[ "$(took --since 'this week')" = 'monday,of yesterday,of today' ]
	[ "$(took --since yesterday --now 2026-11-29T00:00:00Z)" = 'of today' ]
	[ "$(TZ=Asia/Tokyo took --since today)" = 'of today' ]
	[ "$(mem-search --plain -m keyword --since yesterday of | jq -r .content | sort | paste -sd,)" = 'of today,of yesterday' ]
	[ "$(mem-search -m keyword 'of since:"last week" until:"this week"' | jq -r .content)" = 'of last week' ]
	[ "$(mem-search -m keyword 'of since:today' | jq -r .content)" = 'of today' ]
	[ "$(mem-search -m keyword --queries - <<<'{"query":"of","since":"yesterday","until":"today"}' | jq -r '.content // empty')" = 'of yesterday' ]
	[ "$(mem-audit --since today | wc -l)" = 5 ]
	[ -z "$(mem-audit --until today)" ]
	run -2 mem-list --since tomorrow
	[[ $output = *yesterday* ]]
}
