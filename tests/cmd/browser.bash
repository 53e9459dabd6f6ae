# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For bats files that open a page in a real browser (`load browser`, after helper): Chromium without a screen, spoken to over its
# debugging pipe (https://chromedevtools.github.io/devtools-protocol/), whose messages end in NUL.

# browser_open FILE: opens the page and waits until it says that it is ready; skips where there is no Chromium.
browser_open() {
	command -v chromium >/dev/null || skip "chromium is not installed"
	mkfifo to_browser from_browser
	chromium --headless=new --no-sandbox --disable-gpu --no-first-run --window-size=1200,800 --user-data-dir="$PWD/profile" \
		--remote-debugging-pipe 3<to_browser 4>from_browser >browser.out 2>&1 &
	browser=$!
	exec 8>to_browser 9<from_browser
	browser_number=0 browser_session=
	: >browser.events
	browser_send Target.createTarget '{"url":"about:blank"}'
	browser_send Target.attachToTarget "$(jq -c '{targetId: .result.targetId, flatten: true}' <<<"$reply")"
	browser_session=$(jq -r .result.sessionId <<<"$reply")
	browser_send Runtime.enable
	browser_send Log.enable
	browser_send Page.enable
	browser_send Page.navigate "$(jq -nc --arg url "file://$(realpath "$1")" '{url: $url}')"
	eventually browser_ready
}

browser_ready() { [ "$(browser_value 'document.documentElement.dataset.ready')" = '"yes"' ]; }

# browser_send METHOD [PARAMETERS]: waits for the answer, which is in $reply; what comes meanwhile goes to browser.events.
browser_send() {
	local message
	browser_number=$((browser_number + 1))
	jq -nc --arg method "$1" --argjson parameters "${2-{\}}" --argjson id "$browser_number" --arg session "$browser_session" \
		'{id: $id, method: $method, params: $parameters} + if $session != "" then {sessionId: $session} else {} end' | tr '\n' '\0' >&8
	while IFS= read -r -d '' -t 300 message <&9; do
		if [ "$(jq -r .id <<<"$message")" = "$browser_number" ]; then
			reply=$message
			return
		fi
		printf '%s\n' "$message" >>browser.events
	done
	echo "no answer to $1"
	return 1
}

# browser_value EXPRESSION: what it gives in the page, as JSON.
browser_value() {
	browser_send Runtime.evaluate "$(jq -nc --arg e "$1" '{expression: $e, returnByValue: true}')"
	jq -c '.result.exceptionDetails // .result.result.value' <<<"$reply"
}

# browser_key KEY...: presses and lets go.
browser_key() {
	local key
	for key; do
		browser_send Input.dispatchKeyEvent "$(jq -nc --arg k "$key" '{type: "keyDown", key: $k} + if ($k | length) == 1 then {text: $k} else {} end')"
		browser_send Input.dispatchKeyEvent "$(jq -nc --arg k "$key" '{type: "keyUp", key: $k}')"
	done
}

# browser_click X Y: with the left button.
browser_click() {
	local type
	for type in mouseMoved mousePressed mouseReleased; do
		browser_send Input.dispatchMouseEvent "{\"type\":\"$type\",\"x\":$1,\"y\":$2,\"button\":\"left\",\"clickCount\":1}"
	done
}

# Errors and messages of the page, and what its policy refused.
browser_complaints() {
	jq -c 'select(.method == "Runtime.exceptionThrown" or .method == "Runtime.consoleAPICalled" or .method == "Log.entryAdded")' browser.events
}

browser_close() {
	[ -z "${browser-}" ] || kill "$browser" 2>/dev/null || true
	exec 8>&- 9<&- || true
	[ -z "${browser-}" ] || wait "$browser" 2>/dev/null || true
	browser=
}
