#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Who sees and writes what: one table of principals, namespaces and commands.
load helper

spaces='agent:ada agent:bob agent:zed team:red team:blue task:t1 global system'

# What each principal of as() may read, and write.
declare -gA reads=(
	[ada]='agent:ada global system'
	[bob]='agent:bob global'
	[carl]='global team:red'
	[dora]='global task:t1'
	[lena]='global team:red'
	[eve]='global'
	[nobody]='global'
)
declare -gA writes=(
	[ada]='agent:ada global'
	[bob]='agent:bob'
	[carl]='team:red'
	[dora]='task:t1'
	[lena]='team:red'
	[eve]=''
	[nobody]=''
)

# as NAME COMMAND...: ada is an operator; carl and dora are listed nowhere; lena and eve are listed
# in config.yaml, where eve is in nothing, so that their variables count for nothing.
as() {
	local who=$1
	shift
	case $who in
	carl) MEM_AGENT=carl MEM_TEAMS=red MEM_AGENT_ROLE=operator "$@" ;;
	dora) MEM_AGENT=dora MEM_TEAMS=,, MEM_TASKS=t1,t2 "$@" ;;
	lena) MEM_AGENT=lena MEM_TEAMS=blue MEM_TASKS=t1 "$@" ;;
	eve) MEM_AGENT=eve MEM_TEAMS=red,blue MEM_TASKS=t1 "$@" ;;
	*) MEM_AGENT=$who "$@" ;;
	esac
}

# The table's store, made once: a text in each namespace, all with the same words and ref.
setup_file() {
	export HOME=$BATS_FILE_TMPDIR USER=ada LOGNAME=ada MEM_NOW=2026-11-28T09:00:00Z
	export MEM_STORE=$BATS_FILE_TMPDIR/store
	unset MEM_AGENT MEM_TEAMS MEM_TASKS MEM_AGENT_ROLE
	PATH=${MEM_BUILD:-build/release}/bin:$PATH
	mem-init -q
	cat >>"$MEM_STORE/config.yaml" <<'END'
agents:
  lena:
    teams: [red]
  eve:
END
	local x
	put() { jq -cn --arg ns "$1" '{content:("common words of "+$ns),ref:"r",ns:$ns,session_id:"s",tags:["t"]}' | mem-capture -q; }
	for x in ada bob zed; do MEM_AGENT=$x put "agent:$x"; done
	MEM_AGENT=carl MEM_TEAMS=red,blue put team:red
	MEM_AGENT=carl MEM_TEAMS=red,blue put team:blue
	MEM_AGENT=carl MEM_TASKS=t1 put task:t1
	put global
	# Nobody writes there; an operator restores what was.
	mem-export | jq -c 'select(.ns=="global")|.id="01980000-0000-7000-8000-000000000001"|.ns="system"|.content="common words of system"' | mem-import -q
	mem-export --every-namespace >"$BATS_FILE_TMPDIR/all"
}

setup() {
	scratch
	export MEM_STORE=$BATS_FILE_TMPDIR/store
	all=$BATS_FILE_TMPDIR/all
}

# A store of its own for a test that writes.
own_store() {
	cp -a "$MEM_STORE" "$PWD/store"
	export MEM_STORE=$PWD/store
}

id_of() { jq -r --arg ns "$1" 'select(.ns==$ns).id' "$all"; }

# same WHAT EXPECTED ACTUAL
same() { [ "$2" = "$3" ] || { printf '%s: expected\n%s\nbut got\n%s\n' "$@"; return 1; }; }

in_list() { case " $2 " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# The namespaces of the records on standard input, sorted.
spaces_of() { jq -r .ns | sort -u | paste -sd' '; }

@test "the store of the table holds a text in each namespace" {
	[ "$(jq -r .ns "$all" | paste -sd' ')" = "$spaces" ]
	run -0 mem-check
}

@test "mem-search, mem-list, mem-get -r, mem-log, mem-audit, mem-stat, mem-export show what may be read" {
	need mem-search; need mem-list; need mem-get; need mem-audit; need mem-stat
	for who in ada bob carl dora lena eve nobody; do
		want=${reads[$who]}
		same "$who search" "$want" "$(as $who mem-search --all common | spaces_of)"
		same "$who search session" "$want" "$(as $who mem-search --session s --tag t words | spaces_of)"
		same "$who list" "$want" "$(as $who mem-list | spaces_of)"
		same "$who list session" "$want" "$(as $who mem-list --session s --tag t | spaces_of)"
		same "$who get -r" "$want" "$(as $who mem-get -r r | spaces_of)"
		same "$who log" "$want" "$(as $who mem-log | spaces_of)"
		# What was restored is audited where the operator is.
		same "$who audit" "${want% system}" "$(as $who mem-audit | spaces_of)"
		same "$who stat" "$want" "$(as $who mem-stat | jq -r '.nodes[]|keys[]' | sort -u | paste -sd' ')"
		same "$who export" "$want" "$(as $who mem-export | spaces_of)"
		# And the others are not counted either.
		same "$who consolidation" "$(wc -w <<<"$want")" "$(as $who mem-stat | jq .consolidation.pending)"
	done
}

@test "naming a namespace shows it or, unseen, what a namespace that does not exist shows" {
	need mem-search; need mem-list; need mem-get; need mem-audit
	for who in ada bob carl lena eve; do
		ask() { # status, output and messages of every way to name $1
			as $who mem-search --ns "$1" common 2>&1; echo $?
			as $who mem-search "common ns:$1" 2>&1; echo $?
			jq -cn --arg ns "$1" '{query:"common",ns:$ns}' | as $who mem-search --queries - 2>&1; echo $?
			as $who mem-list --ns "$1" 2>&1; echo $?
			as $who mem-get -r r --ns "$1" 2>&1; echo $?
			as $who mem-log --ns "$1" 2>&1; echo $?
			as $who mem-audit --ns "$1" 2>&1; echo $?
		}
		nothing=$(ask team:none)
		for ns in $spaces; do
			if in_list "$ns" "${reads[$who]}"; then
				[ "$ns" = system ] && n=6 || n=7 # restored, it has no row of its own in the audit
				same "$who $ns" "$n" "$(ask "$ns" | grep -cE "\"common words of $ns\"|\"op\":\"(new|import)\"|\"kind\":\"capture\"")"
			else
				same "$who $ns" "$nothing" "$(ask "$ns")"
			fi
		done
	done
}

@test "an unseen id is answered as an unknown one, letter by letter" {
	need mem-get; need mem-list; need mem-audit
	unknown=01900000-0000-7000-8000-000000000001
	ask() { # with an id; its own letters are taken out of the answers
		{
			as $who mem-get "$1"; echo $?
			as $who mem-get - <<<"{\"id\":\"$1\"}"; echo $?
			as $who mem-list --after "$1"; echo $?
			as $who mem-audit --subject "$1"; echo $?
			as $who mem-capture <<<"{\"content\":\"new words\",\"supersedes\":\"$1\"}"; echo $?
			as $who mem-import <<<"{\"edge\":\"about\",\"from\":\"$mine\",\"to\":\"$1\"}"; echo $?
			as $who mem-import <<<"{\"edge\":\"about\",\"from\":\"$1\",\"to\":\"$mine\"}"; echo $?
		} 2>&1 | sed "s/$1/ID/g"
	}
	own_store
	for who in bob carl lena; do
		mine=$(id_of "${writes[$who]}")
		nothing=$(ask $unknown)
		[[ $nothing = *supersedes_not_found*bad_value*bad_value* ]]
		for ns in $spaces; do
			in_list "$ns" "${reads[$who]}" || same "$who $ns" "$nothing" "$(ask "$(id_of "$ns")")"
		done
	done
	run -0 mem-get --every-namespace "$(id_of agent:bob)"
}

@test "writing: what is not one's own is refused, on the command line with 4, in an event with its reason" {
	own_store
	for who in ada bob carl dora lena eve nobody; do
		for ns in $spaces; do
			status=0
			out=$(as $who mem-capture --ns "$ns" <<<"{\"content\":\"one of $who\"}" 2>err) || status=$?
			verdict=$(as $who mem-capture <<<"{\"content\":\"two of $who\",\"ns\":\"$ns\"}" | jq -r '.verdict+" "+(.reason//"")') || true
			if in_list "$ns" "${writes[$who]}"; then
				same "$who $ns" '0 new new ' "$status $(jq -r .verdict <<<"$out") $verdict"
			else
				same "$who $ns" '4  rejected namespace_denied' "$status $out $verdict"
				same "$who $ns" "mem-capture: $who may not write to $ns" "$(cat err)"
			fi
		done
	done
	# What was refused left its trace with whom it was refused, and nowhere else.
	need mem-audit
	run -0 as bob mem-audit --kind namespace_denied
	same bob agent:bob "$(spaces_of <<<"$output")"
	run -0 mem-audit --kind namespace_denied --every-namespace
	same denied 'agent:ada agent:bob agent:carl agent:dora agent:eve agent:lena agent:nobody' "$(spaces_of <<<"$output")"
}

@test "importing: the same, by the namespace of each node" {
	line() { # a node in $1 with an id made of $2
		jq -cn --arg ns "$1" --arg id "01900000-0000-7000-8000-0000000000$2" \
			'{id:$id,kind:"episode",ns:$ns,created_at:"2026-11-27T09:00:00.000Z",content:"imported words"}'
	}
	for who in ada bob carl dora lena eve; do
		cp -a "$BATS_FILE_TMPDIR/store" "$PWD/$who"
		export MEM_STORE=$PWD/$who
		n=10
		for ns in $spaces; do
			n=$((n + 1))
			verdict=$(line "$ns" $n | as $who mem-import | jq -r '.verdict+" "+(.reason//"")') || true
			# An operator restores what was in system, which nobody else could read.
			if in_list "$ns" "${writes[$who]}" || [ "$who $ns" = 'ada system' ]; then
				same "$who $ns" 'new ' "$verdict"
			else
				same "$who $ns" 'rejected namespace_denied' "$verdict"
			fi
		done
	done
	# An operator may ask for all.
	own_store
	run -0 mem-import --every-namespace < <(line agent:bob 99)
	[ "$(as bob mem-search imported | jq -r .ns)" = agent:bob ]
}

@test "superseding: not what is seen but not owned, not what is not seen" {
	own_store
	try() { # reason when $1 supersedes the text of $2
		jq -cn --arg id "$(id_of "$2")" --arg by "$1 $2" '{content:("better words by "+$by),supersedes:$id}' |
			as "$1" mem-capture | jq -r '.reason//"done"' || true
	}
	same bob supersedes_denied "$(try bob global)"
	same bob supersedes_not_found "$(try bob agent:ada)"
	same lena supersedes_denied "$(try lena global)"
	same lena supersedes_not_found "$(try lena team:blue)"
	same ada supersedes_not_found "$(try ada agent:bob)"
	same bob "done" "$(try bob agent:bob)"
	same ada "done" "$(try ada global)"
	run -0 mem-check
}

@test "--every-namespace is the operators' alone" {
	for c in mem-search mem-get mem-list mem-log mem-audit mem-stat mem-export mem-import; do
		need $c
		args=()
		case $c in mem-search) args=(common) ;; mem-get) args=("$(id_of agent:zed)") ;; esac
		for who in bob carl lena eve; do
			run -4 --separate-stderr as $who $c --every-namespace "${args[@]}" </dev/null
			same "$c $who" '' "$output"
			[[ $stderr = *"--every-namespace is for operators"* ]]
		done
		case $c in mem-stat|mem-import) continue ;; esac
		run -0 $c --every-namespace "${args[@]}" </dev/null
		[[ $output = *agent:zed* ]]
	done
	run -0 mem-stat --every-namespace
	same stat "$(tr ' ' '\n' <<<"$spaces" | sort | paste -sd' ')" "$(jq -r '.nodes.episode|keys[]' <<<"$output" | paste -sd' ')"
}

@test "names that are none are refused before anything is looked at" {
	for name in '' 'a b' 'a/b' 'é' 'a:b' $'a\nb' '*' "$(printf 'x%.0s' {1..65})"; do
		run -2 mem-export --agent "$name"
		[ "$name" = '' ] || MEM_AGENT=$name run -2 mem-export
		[[ $output != *common* ]]
		for ns in "agent:$name" "team:$name" "task:$name"; do
			run -2 mem-capture --ns "$ns" <<<'{"content":"x"}'
			run -1 mem-capture < <(jq -cn --arg ns "$ns" '{content:"x",ns:$ns}')
			[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
		done
	done
	for teams in 'a b' 'red,a/b' '*' '../red'; do
		MEM_TEAMS=$teams run -2 mem-export --agent carl
		MEM_TASKS=$teams run -2 mem-export --agent carl
	done
	for ns in AGENT:ada agent: Global 'global ' 'agent:ada,agent:bob' agent:ada/ 'team:red:x'; do
		run -1 mem-capture < <(jq -cn --arg ns "$ns" '{content:"x",ns:$ns}')
		[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	done
	# 64 letters are a name; case counts; one name is not the beginning of another.
	run -0 mem-export --agent "$(printf 'x%.0s' {1..64})"
	same case global "$(mem-export --agent Bob | spaces_of)"
	same prefix global "$(MEM_TEAMS=re,redd mem-export --agent carl | spaces_of)"
}

@test "a role or an agent's own settings make nobody an operator" {
	export MEM_AGENT_ROLE=operator
	run -4 mem-export --agent carl --every-namespace
	export XDG_CONFIG_HOME=$PWD/xdg
	mkdir -p xdg/memkit
	printf 'operators: [carl]\nagents:\n  carl:\n    teams: [red]\n  eve:\n    teams: [red]\n' >xdg/memkit/config.yaml
	run -4 mem-export --agent carl --every-namespace
	same eve global "$(mem-export --agent eve | spaces_of)"
}

in_hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }

@test "mem-check shows nobody keys of what he may not read, and only operators repair" {
	need mem-check
	export MEM_STORE=$PWD/s
	mem-init -q --agent root
	mem-capture --agent bob -q <<<'{"content":"one","ref":"bobs-secret-ref"}'
	mem-capture --agent eve -q <<<'{"content":"two","ref":"eves-secret-ref"}'
	# The keys of table ref alone: in the texts a quotation mark stands before.
	perl -0777 -pi -e 's/(?<!")(bob|eve)s-secret-ref/$1s-sEcret-ref/g' s/data.mdb
	for agent in bob eve; do
		other=eve
		[ $agent = bob ] || other=bob
		MEM_AGENT=$agent run -1 mem-check
		[ "$(grep -c '"check":"ref_missing"' <<<"$output")" = 2 ]
		[ "$(grep -c '"key":null' <<<"$output")" = 2 ]
		[[ $output = *"$(in_hex "${agent}s-secret")"* ]]
		[[ $output != *"$(in_hex "${other}s-s")"* && $output != *"${other}s-"* ]]
		MEM_AGENT=$agent run -4 mem-check --repair
		[ "$output" = "mem-check: a repair is for operators, and '$agent' is none (operators: in config.yaml)" ]
		MEM_AGENT=$agent run -4 mem-check --every-namespace
	done
	MEM_AGENT=root run -1 mem-check
	[ "$(grep -c '"key":null' <<<"$output")" = 4 ]
	MEM_AGENT=root run -1 mem-check --every-namespace
	[ "$(grep -c '"key":null' <<<"$output")" = 0 ]
	MEM_AGENT=root run -0 mem-check --repair
}

@test "what is no namespace is refused by every command that takes one" {
	for c in mem-get mem-audit mem-list mem-log; do
		for ns in foo agent: 'agent:a b' Global 'team:a/b' ''; do
			args=(--ns "$ns")
			[ $c != mem-get ] || args+=(-r x)
			run -2 $c "${args[@]}"
			[[ $output = "$c: --ns: "* ]] || { echo "$c $ns: $output"; false; }
		done
	done
}

@test "settings that somebody else could have written are refused" {
	export XDG_CONFIG_HOME=$PWD/xdg
	mkdir -p xdg/memkit
	echo 'search: {language: german}' >xdg/memkit/config.yaml
	for mode in 620 602 666; do
		chmod $mode xdg/memkit/config.yaml
		run -4 mem-list
		[ "$output" = "mem-list: '$PWD/xdg/memkit/config.yaml' can be written by others (mode 0$mode): chmod go-w it if you trust what is inside" ]
	done
	chmod 644 xdg/memkit/config.yaml
	run -0 mem-list
	[ "$(id -u)" = 0 ] || return 0
	chown 65534 xdg/memkit/config.yaml
	run -4 mem-list
	[[ $output = *"belongs to user 65534, not to you" ]]
}

@test "a link to a store is refused however its name ends" {
	ln -s "$MEM_STORE" link
	for end in '' / // /. /./ /././/. ; do
		run -4 mem-list -S "link$end"
		[[ $output = *"is a symbolic link: a store is not followed through one" ]]
		run -0 mem-list -S "$MEM_STORE$end"
	done
	cd "$MEM_STORE"
	for here in . ./ ./.; do run -0 mem-list -S $here; done
}

# ---- what another agent does ----------------------------------------------------

# Everything that the first agent can ask, with scores to the last digit.
all_answers() {
	local q
	for q in 'red kettle' 'kettle' 'the lamp in the kitchen' '"blue kettle"' 'lamp -kitchen' 'tag:home kettle' 'speaker:Ada lamp' window; do
		mem-search --explain --all "$q"; echo $?
	done
	mem-search --explain --min-score 0.5 -n 3 kettle
	mem-list; mem-get -r n-3; mem-log; mem-audit; mem-export; mem-stat; mem-maintain --list index compact
}

@test "a thousand texts of another agent change no digit, before and after maintenance" {
	need mem-search; need mem-list; need mem-get; need mem-audit; need mem-stat
	export MEM_STORE=$PWD/s MEM_AGENT=cara
	mem-init -q --agent root
	for i in $(seq 40); do
		case $((i % 4)) in
		0) t="the red kettle stands beside lamp $i" ;;
		1) t="a blue kettle, dear, and kettle again" ;;
		2) t="the lamp in the kitchen is number $i" ;;
		*) t="nothing to see by the window $i" ;;
		esac
		jq -cn --arg t "$t $i" --arg r "n-$((i % 5))" '{content:$t,ref:$r,speaker:"Ada",session_id:"s1",tags:["home"]}'
	done | mem-capture -q
	all_answers >before
	grep -q '"score"' before
	seq 1000 | jq -c '{content:"kettle kettle lamp \(.) window red blue home Ada bobsecret",ref:"n-3",speaker:"Ada",session_id:"s1",tags:["home"]}' |
		mem-capture -q --agent bob
	all_answers | cmp before -
	mem-maintain index
	all_answers | cmp before -
	mem-maintain compact
	all_answers | cmp before -
	# An index of segments, written anew, and the same once more.
	seq 4200 | jq -c '{content:"kettle \(.) lamp window bobsecret"}' | mem-capture -q --agent bob
	mem-maintain index
	[ "$(mem-stat --agent root | jq .index.segments)" -gt 0 ]
	all_answers | cmp before -
	run ! grep -i bob before
	# The other one is there all the same.
	[ "$(mem-search --agent bob --all bobsecret | wc -l)" = 5200 ]
}

@test "messages and receipts name nobody else" {
	need mem-get; need mem-search
	{
		as bob mem-get "$(id_of agent:ada)"
		as bob mem-get -r nope
		as bob mem-search --ns agent:ada common
		as bob mem-capture <<<'{"content":"common words of agent:ada","ref":"r","session_id":"s","tags":["t"]}'
		as bob mem-capture <<<"{\"content\":\"x\",\"supersedes\":\"$(id_of agent:ada)\"}"
		as bob mem-maintain --list
		as bob mem-check
	} >out 2>&1 || true
	[ -s out ]
	run ! grep -E 'agent:[^b]|zed|team:|task:' <(sed "s/$(id_of agent:ada)//g" out | grep -v 'may not write')
}

# ---- another user ----------------------------------------------------------------

# as_user COMMAND...: as somebody who owns nothing here.
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent MEM_STORE="$MEM_STORE" MEM_AGENT=ada PATH="$PATH" "$@"
}

opens_data() { grep -E 'openat?2?\(.*data\.mdb' "$1"; }

@test "the store of another user is refused before its data is opened" {
	[ "$(id -u)" = 0 ] || skip "needs root, to be somebody else"
	command -v setpriv >/dev/null || skip "no setpriv"
	dir=$(mktemp -d /tmp/memkit.XXXXXX)
	chmod 755 "$dir"
	cp -a "$MEM_STORE" "$dir/store"
	cp "$MEM_BUILD"/bin/mem-* "$dir"
	export MEM_STORE=$dir/store PATH=$dir:$PATH
	trace=()
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # LeakSanitizer does not work under strace
	if command -v strace >/dev/null; then trace=(strace -f -o "$dir/trace" -e "trace=open,openat,openat2"); fi
	status=0
	for mode in 700 755 777; do
		chmod $mode "$dir/store"
		chmod go+rwX "$dir/store"/* 2>/dev/null || true
		[ $mode = 700 ] && chmod 600 "$dir/store"/*
		for c in mem-search:common mem-export: mem-stat: mem-list: mem-log: mem-check: mem-maintain: mem-audit:; do
			cmd=${c%%:*}
			[ -x "$dir/$cmd" ] || continue
			st=0
			: >"$dir/trace"; chmod 666 "$dir/trace"
			as_user "${trace[@]}" "$cmd" ${c#*:} </dev/null >"$dir/out" 2>"$dir/err" || st=$?
			{ [ $st = 4 ] && [ ! -s "$dir/out" ]; } || { echo "$mode $cmd: $st: $(cat "$dir/err")"; status=1; }
			if opens_data "$dir/trace"; then echo "$mode $cmd opens data.mdb"; status=1; fi
		done
		st=0
		echo '{"content":"x"}' | as_user "${trace[@]}" mem-capture >"$dir/out" 2>"$dir/err" || st=$?
		[ $st = 4 ] || { echo "$mode mem-capture: $st"; status=1; }
	done
	# The other way round: root is stopped by the owner, though no mode stops root.
	chown -R 65534:65534 "$dir/store"
	chmod 700 "$dir/store"; chmod 600 "$dir/store"/*
	: >"$dir/trace"
	st=0
	"${trace[@]}" mem-search common >"$dir/out" 2>"$dir/err" || st=$?
	[ $st = 4 ] || { echo "root: $st"; status=1; }
	if opens_data "$dir/trace"; then echo "root opens data.mdb"; status=1; fi
	# The trace would show it: the owner does open it.
	if [ ${#trace[@]} -gt 0 ]; then
		touch "$dir/trace2"; chmod 666 "$dir/trace2"
		as_user strace -f -o "$dir/trace2" -e trace=open,openat,openat2 mem-export >"$dir/out" 2>"$dir/err" ||
			{ echo "owner: $(cat "$dir/err")"; status=1; }
		opens_data "$dir/trace2" >/dev/null || { echo "the trace shows nothing"; status=1; }
	fi
	rm -rf "$dir"
	[ $status = 0 ]
}

@test "a list in a list is refused with its line, wherever names are listed" {
	mem-init -q lists
	cp lists/config.yaml first
	sed -i '/^operators:/d' first
	at=$(($(wc -l <first) + 1))
	for setting in 'operators: [[eve]]' 'operators: [ada, {eve: yes}]' 'reviewers: [[ada], eve]' 'agents: {ada: {teams: [[red]]}}' 'agents: {ada: {tasks: [{a: b}]}}'; do
		{ cat first; echo "$setting"; } >lists/config.yaml
		run -3 mem-stat -S lists
		[[ $output = "mem-stat: config.yaml:$at: "*' must be a list of names, without lists or maps in it' ]] || { echo "$setting: $output"; false; }
	done
	{ cat first; echo 'operators: [ada, eve]'; } >lists/config.yaml
	run -0 mem-stat -S lists
}
