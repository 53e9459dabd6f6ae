#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/s" >/dev/null
	export MEM_STORE=$PWD/s
}

tasks_of_the_page() {
	sed -n '/^The tasks/,/^\.El/s/^\.It Cm //p' "$TOP/man/mem-maintain.1"
}

@test "what has expired is hidden at once, and marked and audited once" {
	id=$(mem-capture <<<'{"content":"the demo is at ten","expires_at":"2026-11-29T00:00:00Z"}' | jq -r .id)
	mem-capture -q <<<'{"content":"the demo room is 4"}'
	run -0 mem-search --now 2026-11-28T23:59:59Z 'demo ten'
	[ "$(wc -l <<<"$output")" = 2 ]
	run -0 mem-search --now 2026-11-29T00:00:00Z demo
	[ "$(jq -r .content <<<"$output")" = 'the demo room is 4' ]
	run -0 mem-maintain --list --now 2026-11-29T00:00:00Z expire
	[ "$output" = '{"task":"expire","due":true,"when":null,"amount":1,"after":["upgrade"]}' ]
	run -0 mem-maintain -v --now 2026-12-01T00:00:00Z expire
	[ "$output" = '{"task":"expire","done":1}' ]
	run -0 mem-get "$id"
	[ "$(jq -r .expired_at <<<"$output")" = 2026-11-29T00:00:00.000Z ]
	run -0 mem-maintain -v --now 2026-12-01T00:00:00Z expire
	[ "$output" = '{"task":"expire","done":0}' ]
	run -0 mem-audit --kind forget
	[ "$(jq -r '.subject+" "+.reason' <<<"$output")" = "$id expired" ]
	run -0 mem-check
}

@test "who is no operator brings nobody's time forward" {
	later=$(date -u -d '+2 days' +%FT%TZ)
	printf '{"content":"%s","expires_at":"%s"}\n' soon "$later" gone 2020-01-01T00:00:00Z | mem-capture -q
	run -0 mem-maintain --agent bob --now 2099-01-01 expire
	[ "$(mem-list | jq -r 'select(.expired_at).content')" = gone ]
	run -0 mem-maintain --now 2099-01-01 -v expire
	[ "$output" = '{"task":"expire","done":1}' ]
}

@test "it is quiet, and a second run finds nothing to do" {
	seq 9000 | mem-capture -q --lines
	run -0 --separate-stderr mem-maintain
	[ -z "$output$stderr" ]
	run -0 mem-maintain -v index
	[ "$output" = '{"task":"index","done":0}' ]
}

@test "no score changes by it" {
	seq 20000 | sed 's/\(.\)$/\1 word\1/' | mem-capture -q --lines
	mem-search -n 50 --explain '17 word3 word5' > before
	mem-maintain index compact
	mem-search -n 50 --explain '17 word3 word5' | cmp - before
}

@test "one at a time: without a task a second one ends with 0, with one it is busy" {
	exec 7>s/maintain.lock
	flock -x 7
	run -0 mem-maintain
	run -75 mem-maintain --wait 100ms index
	[[ $output = *'another maintenance'* ]]
}

@test "old rows of log and audit are packed, and read as before" {
	seq 9000 | mem-capture -q --lines --no-embed
	kg-node -q sync
	mem-log >log; mem-audit >audit
	run -0 mem-maintain --list pack
	[ "$(jq -c '[.due, .amount >= 8192]' <<<"$output")" = '[true,true]' ]
	run -0 mem-maintain -v
	[ "$(jq 'select(.task == "pack") | .done > 8000' <<<"$output")" = true ]
	mem-log | cmp - log
	mem-audit | cmp - audit
	for after in 0 1 999 1000 1023 1024 4000 4095 4096 4905 8999 9000; do
		mem-log --after $after | cmp - <(tail -n +$((after + 1)) log)
		mem-audit --after $after -n 3 | cmp - <(tail -n +$((after + 1)) audit | head -3)
	done
	id=$(sed -n 77p audit | jq -r .subject)
	mem-audit --subject "$id" | cmp - <(grep -F "$id" audit)
	MEM_AGENT=bob run -0 mem-log
	[ -z "$output" ]
	run -0 mem-maintain -v pack
	[ "$output" = '{"task":"pack","done":0}' ]
	mem-check
	mem-log -f --after 9000 >followed 3>&- &
	mem-capture -q <<<'{"content":"one more"}'
	eventually lines_in followed 2
	kill %%
	[ "$(head -1 followed)" = "$(tail -1 log)" ]
}

@test "a damaged block of old rows is told, and all else is printed" {
	seq 9000 | mem-capture -q --lines --no-embed
	mem-log >log
	mem-maintain pack
	# The id of row 3 stands in nothing else than tables of nodes and the first block of each.
	head=$(sed -n 3p log | jq -r .id | tr -d - | cut -c17-32 | sed 's/../\\x&/g')
	while read -r at; do
		printf x | dd of=s/data.mdb bs=1 seek="$at" conv=notrunc status=none
	done < <(LC_ALL=C grep -aboP "$head" s/data.mdb | cut -d: -f1)
	run -3 --separate-stderr mem-log
	[[ $stderr =~ ^"mem-log: '$PWD/s': rows 1 to "([0-9]+)" of table log are damaged: run mem-check"$ ]]
	last=${BASH_REMATCH[1]}
	diff <(printf '%s\n' "$output") <(sed "1,${last}d" log)
	run -0 mem-log --after "$last" -n 1
	run -3 mem-audit -n 1
	run -1 mem-check
	[[ $output == *'"check":"checksum","table":"logpack"'* ]]
	[[ $output == *'"check":"checksum","table":"auditpack"'* ]]
}

@test "one that waits for another keeps nobody from compacting" {
	exec 7>s/maintain.lock
	flock -x 7
	mem-maintain --wait 1h index 7>&- &
	eventually has_open $! maintain.lock
	eventually flock -n -x s/store.lock true
	exec 7>&-
	wait $!
}

@test "compaction gives space back and keeps all" {
	seq 20000 | mem-capture -q --lines --commit-every 50
	mem-export > before
	size=$(stat -c %s s/data.mdb)
	run -0 mem-maintain -v compact
	[ "$(jq -r .done <<<"$output")" -gt 0 ]
	[ "$(stat -c %s s/data.mdb)" -lt "$size" ]
	mem-export | cmp - before
	run -0 mem-check
}

@test "an unknown task is named, with those that there are" {
	run -2 mem-maintain expire polish
	[ "$output" = "mem-maintain: no such task: 'polish' ($(tasks_of_the_page | paste -sd, | sed 's/,/, /g'))" ]
}

@test "--list and the page have the same tasks in the same order" {
	run -0 mem-maintain --list
	[ "$(tasks_of_the_page | wc -l)" -ge 5 ]
	jq -r .task <<<"$output" | diff - <(tasks_of_the_page)
}

@test "tasks run in the order of the table, whatever the order of their names" {
	run -0 mem-maintain -v compact index upgrade
	[ "$(jq -r .task <<<"$output")" = $'upgrade\nindex\ncompact' ]
	run -0 mem-maintain --list index expire
	[ "$(jq -r .task <<<"$output")" = $'expire\nindex' ]
}

@test "to others than operators only whether to upgrade is told" {
	mem-maintain expire index
	MEM_AGENT=eve run -0 mem-maintain --list upgrade expire embed index compact
	[ "$output" = '{"task":"upgrade","due":false,"when":null,"amount":null,"last":null,"outcome":null}
{"task":"expire","due":null,"when":null,"amount":null,"after":["upgrade"],"last":null,"outcome":null}
{"task":"embed","due":null,"when":null,"amount":null,"after":["upgrade"],"last":null,"outcome":null}
{"task":"index","due":null,"when":null,"amount":null,"after":["upgrade"],"last":null,"outcome":null}
{"task":"compact","due":null,"when":null,"amount":null,"after":["upgrade","expire","index","pack"],"last":null,"outcome":null}' ]
	MEM_AGENT=eve run -0 mem-maintain -v expire index
	[ "$output" = '{"task":"expire","done":null}
{"task":"index","done":null}' ]
}

@test "another language is named as the reason; upgrade builds the index anew" {
	mem-capture -q --lines <<<'die Häuser der Nachbarn'
	echo 'search: {language: german}' >> s/config.yaml
	run -3 mem-search Haus
	[[ $output = *'mem-maintain upgrade'* ]]
	run -3 mem-capture --lines <<<'noch ein Haus'
	run -0 mem-maintain --list upgrade
	[ "$output" = '{"task":"upgrade","due":true,"when":null,"amount":1}' ]
	run -0 mem-maintain
	run -0 mem-search Haus
	[ "$(jq -r .content <<<"$output")" = 'die Häuser der Nachbarn' ]
	run -0 mem-maintain -v upgrade
	[ "$output" = '{"task":"upgrade","done":0}' ]
	run -0 mem-check
}

@test "store.wait says how long to wait, --wait overrides it" {
	exec 7>s/write.lock
	flock -x 7
	echo 'store: {wait: 50ms}' >> s/config.yaml
	# Without the setting it is 10 s.
	soon() {
		local begun=$SECONDS
		run -75 mem-capture --lines <<<x
		[ $((SECONDS - begun)) -lt 8 ]
	}
	eventually soon
	mem-capture --lines --wait 1h <<<x >receipt 7>&- &
	eventually has_open $! write.lock
	run -75 mem-capture --lines <<<y
	exec 7>&-
	wait $!
	grep -q '"verdict":"new"' receipt
}

@test "embed: due where there is an encoder and something waits" {
	seq 40 | mem-capture -q --lines
	run -0 mem-maintain --list embed
	[ "$(jq -c '[.due, .amount]' <<<"$output")" = '[false,40]' ]
	run -0 --separate-stderr mem-maintain
	[ -z "$output$stderr" ]
	run -3 mem-maintain embed
	[ "$output" = 'mem-maintain: no model is installed: run mem-model install e5' ]
	embed_server ok
	run -0 mem-maintain --list embed
	[ "$(jq -c '[.due, .amount, .outcome]' <<<"$output")" = '[true,40,"failed"]' ]
	run -0 mem-maintain -v
	[[ $output = *'{"task":"embed","done":40}'* ]]
	[ "$(mem-stat | jq .pending_vectors)" = 0 ]
	run -0 mem-maintain -v embed
	[ "$output" = '{"task":"embed","done":0}' ]
}

@test "an encoder that fails keeps no other task from its work" {
	seq 600 | mem-capture -q --lines
	embed_server 401
	run -3 --separate-stderr mem-maintain -v
	[[ $stderr = *'answered 401'* ]]
	[[ $output = *'{"task":"index","done":1}'* ]]
}

# ---- times of their own -----------------------------------------------------------------------

# set_times YAML: the map `maintain` of the store's settings.
set_times() {
	sed -i '/^maintain:/d' s/config.yaml
	echo "maintain: $1" >> s/config.yaml
}

# index_at TIME: how much -v says of the task index then, if it runs.
index_at() {
	mem-maintain -v --now "$1" | jq -c 'select(.task == "index") | .done'
}

@test "a time of its own: it waits for it, catches up once, and --list tells last, outcome and next" {
	set_times '{index: "sun 03:00"}'
	mem-maintain --now 2026-11-28T12:00:00Z      # it never ran, so its time has come; there is nothing to do
	seq 300 | mem-capture -q --lines
	run -0 mem-maintain --list --now 2026-11-28T12:00:00Z index
	[ "$output" = '{"task":"index","due":false,"when":"2026-11-29T03:00:00.000Z","amount":300,"after":["upgrade"],"last":"2026-11-28T12:00:00.000Z","outcome":"nothing"}' ]
	[ -z "$(index_at 2026-11-29T02:59:59Z)" ]
	run -0 mem-maintain --list --now 2026-12-09T09:00:00Z index
	[ "$(jq -c '[.due, .when]' <<<"$output")" = '[true,"2026-12-13T03:00:00.000Z"]' ]
	# Two Sundays were missed.
	[ "$(index_at 2026-12-09T09:00:00Z)" = 1 ]
	seq 301 600 | mem-capture -q --lines
	[ -z "$(index_at 2026-12-09T09:10:00Z)" ]
	run -0 mem-maintain --list --now 2026-12-09T09:10:00Z index
	[ "$(jq -c '[.due, .when, .amount, .last, .outcome]' <<<"$output")" = \
		'[false,"2026-12-13T03:00:00.000Z",300,"2026-12-09T09:00:00.000Z","done"]' ]
	[ "$(index_at 2026-12-13T03:00:00Z)" -ge 1 ]
}

@test "off: only by name" {
	set_times '{index: off}'
	seq 300 | mem-capture -q --lines
	run -0 mem-maintain --list index
	[ "$(jq -c '[.due, .when, .amount]' <<<"$output")" = '[false,null,300]' ]
	[ -z "$(index_at 2099-01-01)" ]
	run -0 mem-maintain -v index
	[ "$output" = '{"task":"index","done":1}' ]
}

@test "without a time a task runs when there is something to do, and nothing is kept of looking" {
	run -0 mem-maintain -v
	[ -z "$output" ]
	cp s/data.mdb before
	run -0 mem-maintain
	cmp before s/data.mdb
	seq 300 | mem-capture -q --lines
	run -0 mem-maintain -v
	[ "$output" = '{"task":"index","done":1}' ]
	run -0 mem-maintain --list index
	[ "$(jq -r .outcome <<<"$output")" = "done" ]
}

@test "the tasks of the graph run in order, what decays before what is mined, nodes of sessions last" {
	run -0 mem-maintain --list activation cooccurrence tags mining tiers sync
	[ "$(jq -r .task <<<"$output" | xargs)" = 'activation cooccurrence tags mining tiers sync' ]
}

@test "a task that fails keeps from running only those that come after it" {
	seq 300 | mem-capture -q --lines
	mem-capture -q <<<'{"content":"the demo is at ten","expires_at":"2026-11-29T00:00:00Z"}'
	embed_server 401
	run -3 --separate-stderr mem-maintain -v --now 2026-12-01T00:00:00Z
	[ "$(jq -r .task <<<"$output")" = $'expire\nconsolidate\nsync\nindex' ]
	run -0 mem-maintain --list embed
	[ "$(jq -c '[.last, .outcome]' <<<"$output")" = '["2026-12-01T00:00:00.000Z","failed"]' ]
}

@test "settings of times are refused with file, key and reason" {
	local bad
	for bad in '"25:00"' '"3:00"' '"Sun 03:00"' '"32 02:00"' '"0m"' '[1h]' '' 'true'; do
		set_times "{compact: $bad}"
		run -3 mem-maintain
		[[ $output = 'mem-maintain: config.yaml:'[0-9]*': maintain.compact must be off, a time like 03:00, sun 03:00 or 1 03:00, or a duration like 12h' ]]
	done
	set_times '03:00'
	run -3 mem-maintain
	[[ $output = *': maintain must be a map' ]]
	set_times '{polish: 12h}'
	run -3 mem-maintain --list
	[[ $output = 'mem-maintain: config.yaml:'[0-9]*': no such setting: maintain.polish (see mem-config(5))' ]]
	# By whoever reads it, not only where it would count.
	for command in mem-stat 'mem-search tea' mem-list mem-check; do
		# shellcheck disable=SC2086 # words
		run -3 $command
		[[ $output = "${command% *}: config.yaml:"[0-9]*': no such setting: maintain.polish (see mem-config(5))' ]]
	done
	set_times '{}'
	export XDG_CONFIG_HOME=$PWD/c
	mkdir -p "$XDG_CONFIG_HOME/memkit"
	echo 'maintain: {polish: 12h}' > "$XDG_CONFIG_HOME/memkit/config.yaml"
	run -3 mem-maintain
	[[ $output = *'/memkit/config.yaml:1: no such setting: maintain.polish'* ]]
	echo 'maintain: {compact: off, index: "31 02:00"}' > "$XDG_CONFIG_HOME/memkit/config.yaml"
	set_times '{compact: "29 02:00"}'
	run -0 mem-maintain --list --now 2027-02-01T00:00:00Z
	[ "$(jq -r 'select(.task == "compact") | .when' <<<"$output")" = 2027-02-28T02:00:00.000Z ]
	[ "$(jq -r 'select(.task == "index") | .when' <<<"$output")" = 2027-02-28T02:00:00.000Z ]
}

@test "completions have the tasks" {
	run -0 bash -c ". '$TOP/completions/bash/mem-maintain'; COMP_WORDS=(mem-maintain e); COMP_CWORD=1; _mem_maintain; echo \${COMPREPLY[*]}"
	[ "$output" = "$(tasks_of_the_page | grep ^e | paste -sd ' ')" ]
}

# cron_commands LINES: the command of each line, as cron hands it to sh.
cron_commands() {
	sed -E 's/^([^ ]+ ){5}//; s/\\%/%/g' <<<"$1"
}

@test "--crontab: sh runs each line from / without an environment, whatever the paths hold" {
	home="$PWD/it's 100% \"home\"" store="$PWD/a store's \$5 %"
	mkdir "$home"
	export HOME=$home
	mem-init -q "$store"
	MEM_STORE=$store mem-capture -q --lines <<<'the demo is at ten'
	cd "$store/.."
	run -0 mem-maintain --crontab -S "$store" --backup "${store##*/} copy"
	printed=$output
	[ "$(wc -l <<<"$printed")" = 4 ]
	[ -d "$home/.local/state/memkit" ]
	# What cron takes for the end of a command is nowhere without a backslash.
	run -1 grep -E '(^|[^\\])%' <<<"$printed"
	cron_commands "$printed" > commands
	cd /
	while IFS= read -r command; do
		env -i HOME="$home" /bin/sh -c "$command" </dev/null
	done < "$BATS_TEST_TMPDIR/work/commands"
	[ ! -s "$home/.local/state/memkit/cron.log" ]
	mem-check -S "$store copy"
	[ "$(mem-stat -S "$store" | jq -r '.jobs[]|select(.task=="compact").outcome')" = 'done' ]
	# What goes wrong is in the log.
	rm -r "$store"
	while IFS= read -r command; do
		run ! env -i HOME="$home" /bin/sh -c "$command" </dev/null
		[ -z "$output" ]
	done < "$BATS_TEST_TMPDIR/work/commands"
	[ "$(grep -c 'no store here' "$home/.local/state/memkit/cron.log")" = 4 ]
}

@test "--crontab hands on what tells where things are, and is refused with what it does not go with" {
	export XDG_STATE_HOME="$PWD/st ate"
	run -0 mem-maintain --crontab
	[[ $output = *" XDG_STATE_HOME='$PWD/st ate' "*"/mem-maintain -S $PWD/s >>'$PWD/st ate/memkit/cron.log' 2>&1"* ]]
	[[ $output != *MEM_AGENT=* && $output != *XDG_DATA_HOME=* ]]
	[ "$(wc -l <<<"$output")" = 3 ]
	run -0 mem-maintain --crontab --agent bob
	[[ $output = *' MEM_AGENT=bob '* ]]
	run -2 mem-maintain --crontab --list
	run -2 mem-maintain --crontab compact
	run -2 mem-maintain --backup copy
	run -3 mem-maintain --crontab --backup $'a\nb'
	[[ $output = *'line break'* ]]
}

@test "the pages show the lines of --crontab" {
	run -0 mem-maintain --crontab --backup /mnt/backup/s
	cron_shapes <<<"$output" > printed
	for page in "$TOP"/man/*.[157]; do
		sed -n '/^\.\\" cron$/,/^\.Ed/{/^[0-9*]/p;}' "$page" | cron_shapes > shown
		run -1 grep -vxFf printed shown
		# There is no other.
		[ "$(grep -cE '^[0-9*/]+ [0-9*]+ \* \* [0-9*] ' "$page")" = "$(wc -l < shown)" ]
	done
	run -0 grep -l '^\.\\" cron$' "$TOP"/man/*.[157]
	[ "$(wc -l <<<"$output")" = 5 ]
}

# A line without what differs between machines.
cron_shapes() {
	sed -E 's/PATH=[^ ]+ /PATH=... /; s,[^ ]+/(mem-[a-z]+) ,.../\1 ,; s,-S [^ ]+/s,-S .../s,; s,>>[^ ]+,>>.../cron.log,'
}

@test "the daemon of cron runs the lines" {
	[ -n "${MEMKIT_CRON_TEST-}" ] || skip 'MEMKIT_CRON_TEST is not set: it takes a minute'
	[ "$(id -u)" = 0 ] && command -v cron crontab >/dev/null || skip 'no cron here, or not root'
	crontab -l > before 2>/dev/null || true
	(cat before; mem-maintain --crontab | sed -E 's/^([^ ]+ ){5}/* * * * * /' | head -n 1) | crontab -
	cron -f -L 0 3>&- & daemon=$!
	ran() { mem-stat | jq -e '.jobs[]|select(.task=="expire").last' >/dev/null; }
	mem-capture -q <<<'{"content":"the demo is at ten","expires_at":"2020-11-29T00:00:00Z"}'
	end=$((SECONDS + 100))
	until ran || [ $SECONDS -ge $end ]; do sleep 1; done
	kill $daemon
	if [ -s before ]; then crontab before; else crontab -r; fi
	ran
}
