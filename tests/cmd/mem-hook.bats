#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
	settings=$HOME/.claude/settings.json
	log=$HOME/.local/state/memkit/hook.log
}

# patiently COMMAND...: again as long as the log says that a hook did not come to its end in its time, as it may be on a machine
# that is busy with others; what takes too long by itself always does, and is called without this.
patiently() {
	local status kept=$BATS_TEST_TMPDIR/kept
	for _ in {1..20}; do
		cp "$log" "$kept.log" 2>/dev/null || rm -f "$kept.log"
		status=0
		"$@" >"$kept.out" 2>"$kept.err" || status=$?
		too_slow || break
		rm "$log"
		[ ! -e "$kept.log" ] || cp "$kept.log" "$log"
	done
	cat "$kept.err" >&2
	cat "$kept.out"
	return $status
}

too_slow() { tail -n 1 "$log" 2>/dev/null | grep -q 'took longer than'; }

# captured N: has the store so many nodes?  What takes longer than a second of a session's end is done in the background.
captured() { [ "$(mem-list | wc -l)" = "$1" ]; }

# call_hooks FILE EVENT JSON: what Claude Code and Codex do at an event.  Each command of the settings is run by sh with the
# record on standard input, in the session's folder; its standard output is printed.
call_hooks() { patiently call_hooks_once "$@"; }

call_hooks_once() {
	local commands
	commands=$(jq -r --arg e "$2" '.hooks[$e][]?.hooks[]?|select(.type=="command").command' "$1")
	[ -n "$commands" ] || return 9
	while IFS= read -r command; do
		(cd "$BATS_TEST_TMPDIR/work" && CLAUDE_PROJECT_DIR=$PWD sh -c "$command" <<<"$3")
	done <<<"$commands"
}

# prompt_record TEXT: the record of a UserPromptSubmit.
prompt_record() {
	jq -cn --arg p "$1" --arg c "$PWD" '{session_id:"s-1",transcript_path:($c+"/t.jsonl"),cwd:$c,permission_mode:"default",
		hook_event_name:"UserPromptSubmit",prompt:$p}'
}

# end_record PATH: of a SessionEnd.
end_record() {
	jq -cn --arg t "$1" --arg c "$PWD" '{session_id:"s-1",transcript_path:$t,cwd:$c,hook_event_name:"SessionEnd",reason:"other"}'
}

claude_transcript() {
	cat > t.jsonl <<-'END'
		{"type":"user","sessionId":"s-1","uuid":"u1","timestamp":"2026-11-28T08:00:00.000Z","cwd":"/w","message":{"role":"user","content":"the staging host is called heron"}}
		{"type":"assistant","sessionId":"s-1","uuid":"u2","timestamp":"2026-11-28T08:00:01.000Z","cwd":"/w","message":{"role":"assistant","content":[{"type":"text","text":"noted: heron it is"}]}}
	END
}

# in_ms LIMIT COMMAND...: takes it less than so many milliseconds?
in_ms() {
	local begun limit=$1
	shift
	begun=$(date +%s%3N)
	"$@"
	[ $(($(date +%s%3N) - begun)) -lt "$limit" ]
}

# ---- settings of agents ------------------------------------------------------

@test "claude-code: what is said in one session is there for the next one's question" {
	run -0 mem-hook install claude-code
	[ "$(jq -r '[.hook,.verdict,.file,.store]|@tsv' <<<"$output")" = $'claude-code\tnew\t'"$settings"$'\t'"$PWD/store" ]
	claude_transcript
	run -0 call_hooks "$settings" SessionEnd "$(end_record "$PWD/t.jsonl")"
	[ -z "$output" ]
	eventually captured 2
	run -0 --separate-stderr call_hooks "$settings" UserPromptSubmit "$(prompt_record 'what is the staging host called?')"
	[[ $output = '<recalled-memory-context '*'the staging host is called heron'*'</recalled-memory-context>' ]]
	[ -z "$stderr" ]
	# A question to which nothing is known gets nothing, and so does an empty one.
	run -0 call_hooks "$settings" UserPromptSubmit "$(prompt_record 'zebra quartz')"
	[ -z "$output" ]
	run -0 call_hooks "$settings" UserPromptSubmit "$(prompt_record ' ')"
	[ -z "$output" ]
	[ ! -e "$log" ]
	# The same session once more adds nothing.
	call_hooks "$settings" SessionEnd "$(end_record "$PWD/t.jsonl")"
	[ "$(mem-list | wc -l)" = 2 ]
	run -0 mem-hook status claude-code
	[ "$(jq -c '[.installed,.works,.problem,.last_error]' <<<"$output" | sort -u)" = '[true,true,null,null]' ]
}

@test "codex: the same, from its own transcripts and hooks.json" {
	run -0 mem-hook install codex
	[ "$(jq -r '.hooks|keys|@tsv' "$HOME/.codex/hooks.json")" = $'SessionEnd\tUserPromptSubmit' ]
	cat > t.jsonl <<-'END'
		{"timestamp":"2026-11-28T08:00:00.000Z","type":"session_meta","payload":{"id":"c-1","timestamp":"2026-11-28T08:00:00.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.150.0"}}
		{"timestamp":"2026-11-28T08:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"the staging host is called heron"}]}}
	END
	call_hooks "$HOME/.codex/hooks.json" SessionEnd "$(end_record "$PWD/t.jsonl")"
	eventually captured 1
	run -0 call_hooks "$HOME/.codex/hooks.json" UserPromptSubmit "$(prompt_record 'staging host?')"
	[[ $output = *'the staging host is called heron'* ]]
	# Of a session that is not kept there is nothing to capture.
	call_hooks "$HOME/.codex/hooks.json" SessionEnd '{"session_id":"c","transcript_path":null,"cwd":"/","hook_event_name":"SessionEnd","reason":"other"}'
	[ ! -e "$log" ]
	run -0 mem-hook status codex
	printf '[features]\nweb = true\nhooks = false\n' > "$HOME/.codex/config.toml"
	run -1 mem-hook status codex
	[[ $(jq -r .problem <<<"$output") = *'switches hooks off'* ]]
}

# Settings as people have them, each with a name.
odd_settings() {
	printf '{}' > "$1/braces"
	printf '{ }\n' > "$1/space"
	printf '{\n}\n' > "$1/lines"
	printf '{"model":"opus"}' > "$1/one-line"
	printf '{\n  "model": "opus",\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}\n' > "$1/plain"
	printf '{\n\t"model": "opus" ,\n\n\t"n": 1e400\n\n}' > "$1/tabs"
	printf '{\r\n    "model": "opus"\r\n}\r\n' > "$1/crlf"
	printf '{"hooks":{}}' > "$1/no-events"
	printf '{\n  "hooks": { },\n  "z": "\\u00e9"\n}\n' > "$1/empty-hooks"
	printf '{\n  "hooks": {\n    "UserPromptSubmit": []\n  }\n}\n' > "$1/empty-event"
	printf '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]\n  },\n  "a": 1\n}\n' > "$1/other-event"
	printf '{"hooks":{"SessionEnd":[{"matcher":"clear","hooks":[{"type":"command","command":"a mem-hook run claude-code session-end"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"date"}]} ]}}\n' > "$1/both-events"
}

@test "settings: every other byte is kept, twice is once, and nothing is left after a removal" {
	mkdir before
	odd_settings before
	mkdir -p "$HOME/.claude"
	for before in before/*; do
		cp "$before" "$settings"
		chmod 640 "$settings"
		echo "# ${before##*/}"
		run -0 mem-hook install claude-code
		[ "$(jq -r .verdict <<<"$output")" = new ]
		cp "$settings" installed
		# Valid, ours once in each event, all else as it was.
		[ "$(jq '[.hooks[][].hooks[].command|select(endswith(" || :"))]|length' "$settings")" = 2 ]
		[ "$(jq -c 'del(.hooks)' "$settings")" = "$(jq -c 'del(.hooks)' "$before")" ]
		[ "$(jq -c '[.hooks[]?[]?.hooks[].command]|sort' "$before")" = "$(jq -c '[.hooks[][].hooks[].command|select(endswith(" || :")|not)]|sort' "$settings")" ]
		run -0 mem-hook install claude-code
		[ "$(jq -r .verdict <<<"$output")" = unchanged ]
		cmp installed "$settings"
		run -0 mem-hook remove claude-code
		[ "$(jq -r .verdict <<<"$output")" = removed ]
		cmp "$before" "$settings"
		[ "$(stat -c %a "$settings")" = 640 ]
		run -0 mem-hook remove claude-code
		[ "$(jq -r .verdict <<<"$output")" = unchanged ]
		cmp "$before" "$settings"
		[ "$(ls -A "$HOME/.claude")" = settings.json ]
	done
}

@test "codex-notify: a folder that was there before stays, one that was made goes" {
	folder=$HOME/.codex
	mem-hook -q install codex-notify
	run -0 mem-hook install codex-notify
	[ "$(jq -r .verdict <<<"$output")" = unchanged ]
	mem-hook -q remove codex-notify
	[ ! -e "$folder" ]
	mkdir "$folder"
	mem-hook -q install codex-notify
	mem-hook -q remove codex-notify
	[ -z "$(ls -A "$folder")" ]
}

@test "settings: what the agent writes anew meanwhile stays, and what was ours goes" {
	mkdir before
	odd_settings before
	mkdir -p "$HOME/.claude"
	for before in before/*; do
		for layout in '--indent 2' '--tab' '-c'; do
			cp "$before" "$settings"
			mem-hook -q install claude-code
			# shellcheck disable=SC2086
			jq $layout '.theme="dark"' "$settings" > new
			cat new > "$settings"
			mem-hook -q remove claude-code
			[ "$(jq -r .theme "$settings")" = dark ]
			run -1 grep -F ' || :' "$settings"
		done
	done
	# A file of ours that the agent has written in its way goes, too.
	rm "$settings"
	mem-hook -q install claude-code
	jq . "$settings" > new
	cat new > "$settings"
	mem-hook -q remove claude-code
	[ ! -e "$HOME/.claude" ]
}

@test "settings: another store or another place of memkit changes the commands in their places" {
	mkdir -p "$HOME/.claude"
	printf '{\n  "model": "opus"\n}\n' > "$settings"
	cp "$settings" before
	mem-hook -q install claude-code
	cp "$settings" first
	mem-init -q "it's 100% other"
	run -0 mem-hook -S "it's 100% other" install claude-code
	[ "$(jq -r .verdict <<<"$output")" = changed ]
	[ "$(diff first "$settings" | grep -c '^>')" = 2 ]
	mem-capture -q --lines -S "it's 100% other" <<<'the lamp is green'
	run -0 call_hooks "$settings" UserPromptSubmit "$(prompt_record lamp)"
	[[ $output = *'the lamp is green'* ]]
	run -0 mem-hook status claude-code
	[ "$(jq -r .store <<<"$output" | sort -u)" = "$PWD/it's 100% other" ]
	mem-hook -q remove claude-code
	cmp before "$settings"
}

@test "settings that are not understood are refused and stay as they are" {
	mkdir -p "$HOME/.claude"
	for text in '' '{' '[]' '{"a":1,"a":2}' '{"hooks":[]}' '{"hooks":{"SessionEnd":{}}}' '// mine
{}' $'\xef\xbb\xbf{}' '{"a":NaN}'; do
		printf %s "$text" > "$settings"
		cp "$settings" before
		for verb in install remove; do
			run -3 --separate-stderr mem-hook "$verb" claude-code
			[[ $stderr = "mem-hook: '$settings' is "* ]]
			cmp before "$settings"
		done
	done
	printf '{\n  "a": 1, // mine\n  "b": 2\n}\n' >"$settings"
	run -3 mem-hook install claude-code
	[[ $output = *'line 2): JSON has no comments' ]]
	printf '{\n  "a": 1,\n}\n' >"$settings"
	run -3 mem-hook install claude-code
	[[ $output = *'line 3): JSON has no comma behind the last item' ]]
	: >"$settings"
	run -3 mem-hook install claude-code
	[[ $output = *'is empty, which is no JSON: remove it, or write {} into it' ]]
	rm "$settings"
	mkdir "$settings"
	run -3 mem-hook install claude-code
	[[ $output = *'is not a plain file'* ]]
	rmdir "$settings"
	ln -s nowhere "$settings"
	run -3 mem-hook install claude-code
	[ -L "$settings" ]
	[ ! -e "$HOME/.claude/nowhere" ]
}

@test "a settings file that is a link elsewhere stays one" {
	mkdir -p "$HOME/.claude" dotfiles
	echo '{"model":"opus"}' > dotfiles/claude.json
	ln -s "$PWD/dotfiles/claude.json" "$settings"
	mem-hook -q install claude-code
	[ -L "$settings" ]
	jq -e .hooks dotfiles/claude.json >/dev/null
	mem-hook -q remove claude-code
	[ -L "$settings" ]
	[ "$(<dotfiles/claude.json)" = '{"model":"opus"}' ]
}

@test "--project: the settings of the project, and --dry-run a diff that patch takes" {
	run -0 mem-hook --project install claude-code codex
	[ -f .claude/settings.json ]
	[ -f .codex/hooks.json ]
	[ ! -e "$HOME/.claude" ]
	[ ! -e "$HOME/.codex" ]
	run -0 mem-hook --project status
	[ "$(jq -r .hook <<<"$output" | sort -u | paste -sd' ')" = 'claude-code codex' ]
	mem-hook -q --project remove claude-code codex
	[ ! -e .claude ]
	[ ! -e .codex ]
	run -2 mem-hook --project install cron
	mkdir -p "$HOME/.claude"
	printf '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4,\n  "e": 5\n}' > "$settings"
	cp "$settings" before
	run -0 mem-hook --dry-run install claude-code
	cmp before "$settings"
	[[ $output = "--- $settings"*"+++ $settings"*'"UserPromptSubmit"'* ]]
	mem-hook --dry-run install claude-code > a.diff
	mem-hook -q install claude-code
	cp "$settings" installed
	if command -v patch >/dev/null; then
		patch -s before a.diff
		cmp before installed
	fi
	run -0 mem-hook --dry-run install claude-code
	[ -z "$output" ]
	run -0 mem-hook --dry-run remove claude-code
	cmp installed "$settings"
	[[ $output = *'-  "e": 5,'*'+  "e": 5'*'No newline'* ]]
}

@test "status: what is installed, whether it would work, and why not" {
	run -0 mem-hook status
	[ "$(jq -c '[.installed,.works]' <<<"$output" | sort -u)" = '[false,false]' ]
	run -1 mem-hook status claude-code
	mem-hook -q install claude-code
	run -0 mem-hook status
	run -0 mem-hook --format text status
	grep -Ex 'claude-code +UserPromptSubmit +works' <<<"$output"
	grep -Ex 'codex +SessionEnd +not installed' <<<"$output"
	mv store elsewhere
	run -1 mem-hook status
	[[ $(jq -r 'select(.hook=="claude-code").problem' <<<"$output") = *"$PWD/store"*'no store here'* ]]
	mv elsewhere store
	jq '.disableAllHooks=true' "$settings" > new
	cat new > "$settings"
	run -1 mem-hook status claude-code
	[[ $(jq -r .problem <<<"$output") = *disableAllHooks* ]]
	sed -i 's,"/[^ ]*/mem-hook,"/gone/mem-hook,; s/true/false/' "$settings"
	run -1 mem-hook status claude-code
	[ "$(jq -r .problem <<<"$output" | sort -u)" = "'/gone/mem-hook' is not there" ]
	# A program that is gone does not stop the agent.
	run -0 call_hooks "$settings" UserPromptSubmit "$(prompt_record heron)"
}

@test "usage: verbs, names, and a store there must be" {
	run -2 mem-hook
	run -2 mem-hook install
	run -2 mem-hook install vim
	run -2 mem-hook install claude-code vim
	run -2 mem-hook --project install claude-code cron
	[ ! -e "$HOME/.claude" ]
	[ ! -e .claude ]
	# What an agent calls makes sense or not: 2 would be a refusal there.
	for words in 'run' 'run claude-code' 'run claude-code prompt {} more' 'run --nonsense' '-S store run --dry-run claude-code prompt'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr mem-hook $words <<<'{}'
		[ -n "$stderr" ]
	done
	run -2 mem-hook remove --store x git
	rm -r store
	run -3 mem-hook install claude-code
	[ ! -e "$HOME/.claude" ]
	mkdir planted
	(cd planted && unset MEM_STORE && XDG_STATE_HOME=$PWD/other mem-init -q)
	cd planted
	unset MEM_STORE
	run -4 mem-hook install claude-code
}

# call_notify JSON: what Codex does after a turn: the words of notify and the record, no shell, no standard input.
call_notify() {
	local words
	mapfile -t words < <(sed -n 's/^notify = //p' "$HOME/.codex/config.toml" | jq -r '.[]')
	[ ${#words[@]} -gt 0 ] || return 9
	patiently "${words[@]}" "$1" </dev/null
}

codex_thread() { # THREAD TEXT
	mkdir -p "$HOME/.codex/sessions/2026/11/27"
	cat > "$HOME/.codex/sessions/2026/11/27/rollout-2026-11-27T08-00-00-$1.jsonl" <<-END
		{"timestamp":"2026-11-27T08:00:00.000Z","type":"session_meta","payload":{"id":"$1","timestamp":"2026-11-27T08:00:00.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.144.0"}}
		{"timestamp":"2026-11-27T08:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"$2"}]}}
	END
}

@test "codex-notify: after a turn the transcript of its thread is captured, as far as it is not known" {
	local thread=b5f6c1c2-1111-7222-8333-444455556666
	mkdir -p "$HOME/.codex"
	run -0 mem-hook install codex-notify
	[ "$(jq -r .file <<<"$output")" = "$HOME/.codex/config.toml" ]
	codex_thread other-$thread 'of another thread'
	codex_thread $thread 'the staging host is called heron'
	turn='{"type":"agent-turn-complete","thread-id":"'$thread'","turn-id":"1","cwd":"/w","input-messages":["a"],"last-assistant-message":null}'
	call_notify "$turn"
	eventually captured 1
	call_notify "$turn"
	[ "$(mem-list | jq -r .content)" = 'the staging host is called heron' ]
	# Another notice is none of ours.
	call_notify '{"type":"approval-requested"}'
	[ ! -e "$log" ]
	call_notify '{"type":"agent-turn-complete","thread-id":"unknown"}'
	[[ $(tail -n 1 "$log") = *' codex-notify turn: there is no transcript of the thread unknown' ]]
	call_notify '{"type":"agent-turn-complete","thread-id":"../../x"}'
	[[ $(tail -n 1 "$log") = *'has no thread-id' ]]
	run -0 mem-hook status codex-notify
	[ "$(jq -r .store <<<"$output")" = "$PWD/store" ]
	mem-hook -q remove codex-notify
	[ ! -e "$HOME/.codex/config.toml" ]
	[ -d "$HOME/.codex/sessions" ]
	run -2 mem-hook --project install codex-notify
}

@test "codex-notify: every other byte of config.toml is kept; one that is another's, or no TOML, is refused" {
	local toml=$HOME/.codex/config.toml
	mkdir -p "$HOME/.codex"
	printf '# mine\nmodel = "o"\nx.notify = 1\na = """\nnotify = 1\n"""\nb = [ # notify = 1\n  "]",\n]\n[tui]\nnotify = true' > 1.toml
	printf '[features]\nhooks = true\n' > 2.toml
	: > 3.toml
	printf '[[a]]\n[a.b]\nx = 1\n[[a]]\n[a.b]\nx = { y = [1, 2.5e3, 0x1F], "z z" = 07:32:00 } # c\n[c."d.e"]\ns = "\\u00e9\\"" \nl = """a\\\n  b"""""\n"" = true\n[c]\n' > 5.toml
	printf "'k' = 'C:\\\\'\r\nd = 2026-11-28 09:00:00\r\n" > 4.toml
	for f in [1-5].toml; do
		cp "$f" "$toml"
		mem-hook -q install codex-notify
		run -0 mem-hook install codex-notify
		[ "$(jq -r .verdict <<<"$output")" = unchanged ]
		if command -v python3 >/dev/null && python3 -c 'import tomllib' 2>/dev/null; then
			python3 - "$toml" "$f" <<-'END'
				import sys, tomllib
				new, old = (tomllib.load(open(f, "rb")) for f in sys.argv[1:])
				assert new.pop("notify")[1:4] == ["run", "codex-notify", "turn"]
				assert new == old
			END
		fi
		mem-hook -q remove codex-notify
		cmp "$f" "$toml"
	done
	for text in 'notify = ["say"]' '"notify" = []' $'a = 1\n  notify=["x"]\n[t]' $'a = """\n' 'a = [1' 'a' '= 1' $'a = "b\n"' 'a = ]' 'a. = 1' 'model = ' $'a=1\na=2' \
		$'a=1\n"a"=2' $'a=1\n[a]' $'[t]\nx=1\n[t]' $'a.b=1\na.b.c=2' 'a = yes' 'a = 1 2' 'a = [1 2]' 'a = "\q"' 'a = {b=1' '[t' '[t] x=1' $'[t]\nx'; do
		printf '%s\n' "$text" > "$toml"
		cp "$toml" before
		run -3 mem-hook install codex-notify
		[[ $output = *"'$toml' is left as it is: "* ]]
		cmp before "$toml"
	done
}

# ---- hooks that fail -----------------------------------------------------------

@test "a hook that fails says nothing, ends with 0, and leaves a line in the log" {
	local failures=0
	mem-hook -q install claude-code
	failing() { # EVENT RECORD WORDS
		run -0 call_hooks "$settings" "$1" "$2"
		[ -z "$output" ]
		failures=$((failures + 1))
		eventually lines_in "$log" $failures
		[ "$(wc -l < "$log")" = $failures ]
		[[ $(tail -n 1 "$log") = *" claude-code "*"$3"* ]]
	}
	failing UserPromptSubmit '{"session_id":1}' 'the record has no prompt'
	failing UserPromptSubmit 'not json' 'bad_json'
	failing UserPromptSubmit '' 'no JSON object'
	failing SessionEnd '{"transcript_path":"relative"}' 'no transcript_path'
	mkfifo nothing
	failing SessionEnd "$(end_record "$PWD/nothing")" 'is no regular file'
	failing SessionEnd "$(end_record /dev/zero)" 'is no regular file'
	failing SessionEnd "$(end_record /no/such/file)" 'mem-adapt ended with 3'
	mv store elsewhere
	failing UserPromptSubmit "$(prompt_record heron)" 'no store here'
	run -1 mem-hook status claude-code
	[[ $(jq -r 'select(.event=="UserPromptSubmit").last_error' <<<"$output") = *'no store here'* ]]
	[[ $(jq -r 'select(.event=="SessionEnd").last_error' <<<"$output") = *'mem-adapt ended with 3'* ]]
	run -0 mem-hook run claude-code nonsense </dev/null
	[[ $(tail -n 1 "$log") = *'claude-code nonsense: there is no such hook' ]]
	# Neither is a reader that takes nothing a failure.
	mv elsewhere store
	mem-capture -q --lines <<<'the staging host is called heron'
	prompt_record heron > record
	run -0 bash -c 'mem-hook run claude-code prompt < record 2>/dev/null >/dev/full'
	# Where not even a line can be written, nobody is held up.
	chmod 500 "$HOME/.local/state/memkit"
	rm -rf "$log" && mkdir -p "$log" 2>/dev/null || true
	run -0 call_hooks "$settings" UserPromptSubmit '{}'
	[ -z "$output" ]
}

# A folder of memkit whose mem-search is a script of ours.
fake_search() {
	mkdir fake
	cp "$MEM_BUILD"/bin/mem-{hook,render,capture,adapt} fake
	printf '#!/bin/sh\n%s\n' "$1" > fake/mem-search
	chmod +x fake/mem-search
	fake/mem-hook -q install claude-code
}

# Is none of the processes of the file pids there?  One that nobody waits for is gone, too.
all_gone() {
	local pid
	# shellcheck disable=SC2013
	for pid in $(cat pids); do
		[ ! -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status"
	done
}

# given_up WORDS COMMAND...: within the 2 s of a hook, with nothing said but those words in the log.  Tried again, since a busy machine
# may take longer.
given_up() {
	in_ms 2100 "${@:2}" > out && [ ! -s out ] && [[ $(tail -n 1 "$log") = *"$1"* ]]
}

@test "a hook that is slow is killed within 2 s, with all that it started" {
	fake_search 'sleep 61 & echo $! $$ > pids; trap "" TERM; wait'
	eventually given_up 'took longer than' call_hooks_once "$settings" UserPromptSubmit "$(prompt_record heron)"
	eventually all_gone
}

@test "a hook that is stopped, or whose record never ends, holds nobody up" {
	fake_search 'echo $$ > pids; kill -STOP $$'
	eventually given_up 'took longer than' call_hooks_once "$settings" UserPromptSubmit "$(prompt_record heron)"
	eventually all_gone
	mkfifo pipe
	exec 7<>pipe
	endless_record() { fake/mem-hook run claude-code prompt <&7; }
	eventually given_up 'did not come to its end in time' endless_record
}

@test "a store that is locked keeps a question waiting for no longer than 2 s" {
	mem-hook -q install claude-code
	mem-capture -q --lines <<<'the staging host is called heron'
	exec 7>>store/store.lock 8>>store/store.gate
	flock -x 7
	flock -x 8
	eventually given_up '' call_hooks_once "$settings" UserPromptSubmit "$(prompt_record heron)" 7>&- 8>&-
	exec 7>&- 8>&-
	run -0 call_hooks "$settings" UserPromptSubmit "$(prompt_record heron)"
	[[ $output = *heron* ]]
}

@test "a session that takes longer to capture is captured in the background" {
	mem-hook -q install claude-code
	claude_transcript
	patient
	exec 7>>store/write.lock
	flock -x 7
	# Tried again, since a busy machine may take longer: the same session is the same events.
	eventually in_ms 1500 call_hooks_once "$settings" SessionEnd "$(end_record "$PWD/t.jsonl")" 7>&-
	[ "$(mem-list | wc -l)" = 0 ]
	exec 7>&-
	eventually captured 2
	[ ! -e "$log" ]
}

# ---- git ---------------------------------------------------------------------------

git_repository() {
	export GIT_CONFIG_NOSYSTEM=1
	git init -q "$1"
	git -C "$1" config user.name Ada
	git -C "$1" config user.email ada@example.org
	cd "$1" || return
}

# commit ARGUMENT...: git commit, whose hook has its time again where the machine was too slow.
commit() {
	git commit "$@" || return
	for _ in {1..20}; do
		too_slow || break
		rm "$log"
		mem-hook run git post-commit -S "$MEM_STORE"
	done
}

@test "git: a commit becomes an event with its message and paths" {
	git_repository repo
	run -0 mem-hook install git
	[ "$(stat -c %a .git/hooks/post-commit)" = 755 ]
	mkdir 'a dir'
	echo 1 > $'a dir/été\tx.txt'
	echo 2 > 'tea.txt'
	git add .
	commit -qm $'Keep tea at four\n\nBecause the demo is at ten.'
	hash=$(git rev-parse HEAD)
	run -0 mem-get -r "git:$hash"
	[ "$(jq -r .content <<<"$output")" = $'Keep tea at four\n\nBecause the demo is at ten.\n\nFiles:\n- a dir/été\tx.txt\n- tea.txt' ]
	[ "$(jq -r '[.role,.speaker,.tags[0],.extra.repository]|@tsv' <<<"$output")" = $'event\tAda\tgit\t'"$PWD" ]
	[ "$(jq -r .captured_at <<<"$output")" = "$(date -ud "$(git log -1 --format=%cI)" +%FT%T.000Z)" ]
	# A merge, an amended commit and an empty one, too; from a worktree as well.
	commit -q --allow-empty -m empty
	commit -q --allow-empty --amend -m amended
	git worktree add -q ../other -b side
	(cd ../other && echo 3 > three && git add three && commit -qm 'in a worktree')
	[ "$(mem-list --tag git | jq -r '.content|split("\n")[0]' | paste -sd,)" = 'Keep tea at four,empty,amended,in a worktree' ]
	[ "$(mem-list --tag git | tail -n 1 | jq -r .extra.repository)" = "$(cd ../other && pwd)" ]
	[ ! -e "$log" ]
	run -0 mem-hook status git
	mem-hook -q remove git
	[ ! -e .git/hooks/post-commit ]
}

@test "git: a script that is made has what the umask leaves" {
	git_repository repo
	for mask in 022:755 077:700; do
		(umask ${mask%:*} && mem-hook -q install git && kg-hooks -q install)
		[ "$(stat -c %a .git/hooks/post-{commit,merge} | sort -u)" = "${mask#*:}" ]
		rm .git/hooks/post-*
	done
}

@test "git: a script that is there goes on as before, core.hooksPath counts, and what is no script is refused" {
	git_repository repo
	mkdir ../hooks
	git config core.hooksPath ../hooks
	printf '#!/bin/bash -e\necho mine >> log\nexit 0' > ../hooks/post-commit
	chmod 750 ../hooks/post-commit
	cp -p ../hooks/post-commit ../before
	run -0 mem-hook install git
	[ "$(jq -r .file <<<"$output")" = "$(realpath ../hooks/post-commit)" ]
	run -0 mem-hook install git
	[ "$(jq -r .verdict <<<"$output")" = unchanged ]
	commit -q --allow-empty -m one
	[ "$(<log)" = mine ]
	[ "$(mem-list | wc -l)" = 1 ]
	mem-hook -q remove git
	cmp ../before ../hooks/post-commit
	[ "$(stat -c %a ../hooks/post-commit)" = 750 ]
	for first in '#!/usr/bin/env python3' 'no script' '' '#!/usr/bin/bashful'; do
		printf '%s\nprint(1)\n' "$first" > ../hooks/post-commit
		cp ../hooks/post-commit ../before
		run -3 mem-hook install git
		[[ $output = *'no script of a shell'* ]]
		cmp ../before ../hooks/post-commit
	done
	# One that git does not run is not brought to life.
	printf '#!/bin/sh\nrm -rf .\n' > ../hooks/post-commit
	chmod 640 ../hooks/post-commit
	run -3 mem-hook install git
	[[ $output = *'may not be executed'* ]]
	printf '#!/bin/sh' > ../hooks/post-commit
	chmod 755 ../hooks/post-commit
	mem-hook -q install git
	commit -q --allow-empty -m two
	[ "$(mem-list | wc -l)" = 2 ]
	mem-hook -q remove git
	[ "$(od -c < ../hooks/post-commit)" = "$(printf '#!/bin/sh' | od -c)" ]
	cd /
	run -3 mem-hook install git
	[[ $output = *'not a git repository'* ]]
}

@test "git: a commit is held up by nothing, and no setting of the repository runs anything" {
	git_repository repo
	mem-hook -q install git
	git config core.fsmonitor 'touch fsmonitor-ran; false'
	git config log.showSignature true
	git config gpg.program 'touch gpg-ran; false'
	git config diff.external 'touch diff-ran; false'
	echo 1 > a
	git add a 2>/dev/null
	rm -f fsmonitor-ran
	mem-hook run git post-commit -S "$MEM_STORE" # no commit yet
	[ ! -e fsmonitor-ran ]
	[[ $(tail -n 1 "$log") = *' git post-commit: git log ended with 128'* ]]
	exec 7>>"$MEM_STORE/write.lock"
	flock -x 7
	# Tried again, since a busy machine may take longer.
	held_up_by_nothing() {
		in_ms 2500 git -c core.fsmonitor=false commit -q --allow-empty -m one 7>&- && [[ $(tail -n 1 "$log") = *' git post-commit: '*'mem-capture'* ]]
	}
	eventually held_up_by_nothing
	exec 7>&-
	kept() {
		GIT_TRACE2_EVENT=$PWD/trace git -c core.fsmonitor=false commit -q --allow-empty -m two
		[ "$(mem-list | jq -r .content | sort -u)" = two ]
	}
	eventually kept
	[ ! -e gpg-ran ]
	[ ! -e diff-ran ]
	[ ! -e fsmonitor-ran ]
}

# ---- cron ---------------------------------------------------------------------------

# A crontab(1) that keeps the table in a file, and says what the real one says.
fake_crontab() {
	mkdir bin
	cat > bin/crontab <<-'END'
		#!/bin/sh
		table=$HOME/crontab.table
		case $1 in
		-l) [ -f "$table" ] || { echo "no crontab for ada" >&2; exit 1; }; cat "$table" ;;
		-r) rm "$table" ;;
		-) cat > "$table" ;;
		*) exit 2 ;;
		esac
	END
	chmod +x bin/crontab
	PATH=$PWD/bin:$PATH
}

@test "cron: the lines of mem-maintain --crontab stand between marks, beside what was there" {
	fake_crontab
	run -0 mem-hook --dry-run install cron
	[ ! -e "$HOME/crontab.table" ]
	[ ! -e "$HOME/.local/state/memkit/cron.log" ]
	run -0 mem-hook install cron
	[ "$(jq -r .verdict <<<"$output")" = new ]
	diff <(grep -v '^#' "$HOME/crontab.table") <(mem-maintain --crontab)
	run -0 mem-hook install cron
	[ "$(jq -r .verdict <<<"$output")" = unchanged ]
	mem-hook -q remove cron
	[ ! -e "$HOME/crontab.table" ]
	printf '# mine\nMAILTO=ada\n0 1 * * * true\n' > "$HOME/crontab.table"
	cp "$HOME/crontab.table" before
	mem-hook -q install cron
	diff <(head -n 3 "$HOME/crontab.table") before
	[ "$(grep -c mem-maintain "$HOME/crontab.table")" = 2 ]
	mem-init -q 'other %store'
	run -0 mem-hook -S 'other %store' install cron
	[ "$(jq -r .verdict <<<"$output")" = changed ]
	[ "$(grep -c mem-maintain "$HOME/crontab.table")" = 2 ]
	run mem-hook status cron
	[ "$(jq -r '[.installed,.store]|@tsv' <<<"$output")" = $'true\t'"$PWD/other %store" ]
	rm -r 'other %store'
	run -1 mem-hook status cron
	[[ $(jq -r .problem <<<"$output") = *'no store here'* || $(jq -r .problem <<<"$output") = *'no daemon'* ]]
	mem-hook -q remove cron
	cmp before "$HOME/crontab.table"
	sed -i '1i# memkit begin' "$HOME/crontab.table"
	cp "$HOME/crontab.table" before
	run -3 mem-hook install cron
	[[ $output = *'one is missing'* ]]
	cmp before "$HOME/crontab.table"
	printf '#!/bin/sh\necho "you may not use this" >&2; exit 1\n' > bin/crontab
	run -3 mem-hook install cron
	[[ $output = *'you may not use this'* ]]
}

@test "cron: the real crontab(1)" {
	[ -n "${MEMKIT_CRON_TEST-}" ] || skip 'MEMKIT_CRON_TEST is not set: it changes the crontab of this user for a moment'
	command -v crontab >/dev/null || skip 'no crontab here'
	crontab -l > before 2>/dev/null || true
	mem-hook -q install cron
	crontab -l > with
	mem-hook -q remove cron
	crontab -l 2>/dev/null | cmp - before
	[ "$(grep -c mem-maintain with)" = 2 ]
}
