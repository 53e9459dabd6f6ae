"use strict";
(() => {
const graph = JSON.parse(document.getElementById("graph").textContent);
const nodes = graph.nodes, edges = graph.edges; // edges: from, to, kind, weight, one after the other
const byId = (id) => document.getElementById(id);
const canvas = byId("plane"), pen = canvas.getContext("2d");
const EDGE = 4;
const light = ["#4c6ef5", "#e8590c", "#2b8a3e", "#ae3ec9", "#0c8599", "#c2255c", "#b08900", "#5f3dc4", "#868e96", "#846358", "#1098ad", "#66a80f"];
const dark = ["#7c96ff", "#ff9b57", "#69c77c", "#d68aea", "#4fc3d4", "#f27aa3", "#e3bd45", "#a48bff", "#a6adb7", "#c4a091", "#5fd3e6", "#a5d64c"];
const state = { x: 0, y: 0, scale: 1, picked: -1, over: -1, found: null, at: 0, colour: "kind", kinds: new Set(), edges: new Set(), groups: new Set() };

// ---- the graph ------------------------------------------------------------
for (const n of nodes) // a tag that is a category, a concept or a site is shown as such
	if (graph.kinds[n.k] === "tag" && n.t && n.t !== "tag") {
		if (!graph.kinds.includes(n.t)) graph.kinds.push(n.t);
		n.k = graph.kinds.indexOf(n.t);
	}
const around = nodes.map(() => []);
for (let e = 0; e < edges.length; e += EDGE) {
	around[edges[e]].push(e);
	if (edges[e + 1] !== edges[e]) around[edges[e + 1]].push(e);
}
const radius = nodes.map((_, i) => 2.2 + Math.min(9, 1.15 * Math.sqrt(around[i].length)));
const order = nodes.map((_, i) => i).sort((a, b) => around[b].length - around[a].length || a - b);
const folded = nodes.map((n) => (n.l + "\n" + (n.p || "")).toLowerCase());
const texts = nodes.map((n) => (n.e || "").toLowerCase());
const shown = (i) => state.kinds.has(nodes[i].k) && (nodes[i].c === undefined || state.groups.has(Math.min(nodes[i].c, GROUPS)));
const GROUPS = 11; // communities with a colour of their own; all others share the last
let visible = [];

function themePalette() { return document.documentElement.classList.contains("dark") ? dark : light; }
function colourOf(i) {
	const p = themePalette(), n = nodes[i];
	return p[(state.colour === "group" && n.c !== undefined ? Math.min(n.c, GROUPS) : n.k) % p.length];
}
function styleValue(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// ---- where things are on the screen ----------------------------------------
const toX = (x) => (x - state.x) * state.scale + canvas.clientWidth / 2;
const toY = (y) => (y - state.y) * state.scale + canvas.clientHeight / 2;
const fromX = (x) => (x - canvas.clientWidth / 2) / state.scale + state.x;
const fromY = (y) => (y - canvas.clientHeight / 2) / state.scale + state.y;
const spacing = 2000 / Math.sqrt(nodes.length + 1); // of nodes, were they spread evenly
const sizeOf = (i) => radius[i] * Math.max(.5, Math.min(2.1, spacing * state.scale / 30));

// Cells of the plane with the nodes in them, so that the one under the pointer is found among few.
const CELL = 25, cells = new Map();
nodes.forEach((n, i) => {
	const key = Math.floor(n.x / CELL) * 4096 + Math.floor(n.y / CELL);
	if (!cells.has(key)) cells.set(key, []);
	cells.get(key).push(i);
});
function nodeAt(sx, sy) {
	const x = fromX(sx), y = fromY(sy), reach = 16 / state.scale;
	let best = -1, least = Infinity;
	for (let cx = Math.floor((x - reach) / CELL); cx <= Math.floor((x + reach) / CELL); cx++)
		for (let cy = Math.floor((y - reach) / CELL); cy <= Math.floor((y + reach) / CELL); cy++)
			for (const i of cells.get(cx * 4096 + cy) || []) {
				const d = Math.hypot(toX(nodes[i].x) - sx, toY(nodes[i].y) - sy) - sizeOf(i);
				if (d < 5 && d < least && shown(i)) { least = d; best = i; }
			}
	return best;
}

// ---- drawing ----------------------------------------------------------------
// While it moves, of very many edges only some are drawn, and nodes as squares; all of it when it rests.
const MOVING_EDGES = 3000;
let waiting = false, moving = false, rest = 0;
function drawMoving() {
	moving = true;
	clearTimeout(rest);
	rest = setTimeout(() => { moving = false; drawGraph(); }, 160);
	drawGraph();
}
function drawGraph() {
	if (!waiting) { waiting = true; requestAnimationFrame(paintGraph); }
}
function strokeEdges(list, colour, width, alpha) {
	pen.beginPath();
	for (const e of list) {
		const a = nodes[edges[e]], b = nodes[edges[e + 1]];
		pen.moveTo(toX(a.x), toY(a.y));
		pen.lineTo(toX(b.x), toY(b.y));
	}
	pen.strokeStyle = colour; pen.lineWidth = width; pen.globalAlpha = alpha;
	pen.stroke();
	pen.globalAlpha = 1;
}
const edgeShown = (e) => state.edges.has(edges[e + 2]) && shown(edges[e]) && shown(edges[e + 1]);
let lines = [];
function applyFilters() { // what the filters leave
	visible = order.filter(shown);
	lines = [];
	for (let e = 0; e < edges.length; e += EDGE) if (edgeShown(e)) lines.push(e);
	byId("count").textContent = visible.length.toLocaleString("en") + " nodes \u00b7 " + lines.length.toLocaleString("en") + " edges";
	drawGraph();
}
function paintGraph() {
	waiting = false;
	const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
	if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
		canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
	}
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.clearRect(0, 0, w, h);
	const ink = styleValue("--ink"), soft = styleValue("--soft"), ground = styleValue("--ground"), accent = styleValue("--accent");
	const focus = state.picked >= 0 ? state.picked : state.over;
	const near = focus >= 0 ? new Set(around[focus].filter(edgeShown).flatMap((e) => [edges[e], edges[e + 1]])) : null;
	const left = fromX(-40), right = fromX(w + 40), top = fromY(-40), low = fromY(h + 40);
	const inView = (n) => n.x > left && n.x < right && n.y > top && n.y < low;
	const crowd = Math.min(1, 2500 / (lines.length + 1));
	const every = moving ? Math.ceil(lines.length / MOVING_EDGES) : 1;
	strokeEdges(lines.filter((e, i) => {
		if (i % every !== 0) return false;
		const a = nodes[edges[e]], b = nodes[edges[e + 1]];
		return Math.max(a.x, b.x) > left && Math.min(a.x, b.x) < right && Math.max(a.y, b.y) > top && Math.min(a.y, b.y) < low;
	}), soft, .8, (near ? .3 : 1) * (.1 + .34 * crowd));
	if (near) strokeEdges(around[focus].filter(edgeShown), accent, 1.4, .85);
	drawNodes(visible.filter((i) => inView(nodes[i])), near, focus, ground, accent);
	drawNames(near, focus, w, h, ink, ground);
}
function drawNodes(list, near, focus, ground, accent) {
	const groups = new Map();
	for (const i of list) {
		const faint = (near && !near.has(i) && i !== focus) || (state.found && !state.found.has(i)), key = colourOf(i) + (faint ? "|" : "");
		if (!groups.has(key)) groups.set(key, []);
		groups.get(key).push(i);
	}
	for (const [key, members] of groups) {
		const faint = key.endsWith("|");
		pen.beginPath();
		for (const i of members) {
			const x = toX(nodes[i].x), y = toY(nodes[i].y), r = sizeOf(i);
			if (moving && list.length > 2000) { pen.rect(x - r * .9, y - r * .9, r * 1.8, r * 1.8); continue; }
			pen.moveTo(x + r, y);
			pen.arc(x, y, r, 0, 6.2832);
		}
		pen.globalAlpha = faint ? .16 : 1;
		pen.fillStyle = faint ? key.slice(0, -1) : key;
		pen.fill();
		if (!faint && state.scale > .5 && !moving) { pen.strokeStyle = ground; pen.lineWidth = 1; pen.stroke(); }
	}
	pen.globalAlpha = 1;
	if (focus >= 0) {
		pen.beginPath();
		pen.arc(toX(nodes[focus].x), toY(nodes[focus].y), sizeOf(focus) + 3.5, 0, 6.2832);
		pen.strokeStyle = accent; pen.lineWidth = 2; pen.stroke();
	}
}
// The names of those with most edges, as many as do not cover each other.
function drawNames(near, focus, w, h, ink, ground) {
	const taken = new Set(), first = focus >= 0 ? [focus, ...[...near].filter((i) => i !== focus)] : [];
	let left = moving ? 30 : 140;
	pen.textBaseline = "middle"; pen.lineJoin = "round";
	for (const list of [first, state.found ? visible.filter((i) => state.found.has(i)) : near ? [] : visible])
		for (const i of list) {
			const x = toX(nodes[i].x), y = toY(nodes[i].y), r = sizeOf(i);
			if (left <= 0) return;
			if (x < -60 || x > w + 20 || y < 0 || y > h || (i !== focus && r < 2.6 && !near && !state.found)) continue;
			const size = i === focus ? 13.5 : Math.max(10.5, Math.min(13, 9 + r * .45)), name = nodes[i].l.length > 36 ? nodes[i].l.slice(0, 35) + "\u2026" : nodes[i].l;
			pen.font = (i === focus ? "600 " : "") + size + "px system-ui, sans-serif";
			const width = pen.measureText(name).width, row = Math.floor(y / 15), from = Math.floor((x + r) / 24), to = Math.floor((x + r + 4 + width) / 24);
			let free = true;
			for (let c = from; c <= to && free; c++) free = !taken.has(row * 4096 + c) && !taken.has((row + 1) * 4096 + c);
			if (!free && i !== focus) continue;
			for (let c = from; c <= to; c++) { taken.add(row * 4096 + c); taken.add((row + 1) * 4096 + c); }
			pen.strokeStyle = ground; pen.lineWidth = 3; pen.globalAlpha = .85;
			pen.strokeText(name, x + r + 4, y);
			pen.globalAlpha = 1; pen.fillStyle = ink;
			pen.fillText(name, x + r + 4, y);
			left--;
		}
}

// ---- moving -------------------------------------------------------------------
function zoomView(factor, sx = canvas.clientWidth / 2, sy = canvas.clientHeight / 2) {
	const x = fromX(sx), y = fromY(sy);
	state.scale = Math.max(.02, Math.min(40, state.scale * factor));
	state.x = x - (sx - canvas.clientWidth / 2) / state.scale;
	state.y = y - (sy - canvas.clientHeight / 2) / state.scale;
	drawMoving();
}
function fitView() {
	const list = visible.length > 0 ? visible : order;
	let left = Infinity, right = -Infinity, top = Infinity, low = -Infinity;
	for (const i of list) {
		left = Math.min(left, nodes[i].x); right = Math.max(right, nodes[i].x);
		top = Math.min(top, nodes[i].y); low = Math.max(low, nodes[i].y);
	}
	if (list.length === 0) left = right = top = low = 0;
	const panel = canvas.clientWidth > 640 ? 280 : 0, w = canvas.clientWidth - panel - 80, h = canvas.clientHeight - 80;
	state.scale = Math.max(.02, Math.min(4, w / (right - left + 1), h / (low - top + 1)));
	state.x = (left + right) / 2 - panel / 2 / state.scale;
	state.y = (top + low) / 2;
	drawGraph();
}
function goTo(i) {
	state.scale = Math.max(state.scale, 1.4);
	state.x = nodes[i].x; state.y = nodes[i].y;
	pickNode(i);
}

// ---- the note --------------------------------------------------------------------
function addElement(parent, tag, text) {
	const e = document.createElement(tag);
	if (text !== undefined) e.textContent = text;
	parent.appendChild(e);
	return e;
}
function pickNode(i) {
	state.picked = i;
	byId("note").hidden = i < 0;
	drawGraph();
	if (i < 0) return;
	const n = nodes[i];
	byId("name").textContent = n.l;
	byId("about").textContent = [graph.kinds[n.k], n.t, n.p, n.n].filter(Boolean).join(" \u00b7 ");
	byId("text").textContent = n.e || "";
	const list = byId("links");
	list.textContent = "";
	for (const e of around[i].slice(0, 200)) {
		const out = edges[e] === i, other = out ? edges[e + 1] : edges[e], row = addElement(list, "li");
		addElement(row, "small", (out ? "" : "\u2190 ") + graph.edgeKinds[edges[e + 2]] + (out ? " \u2192" : ""));
		addElement(row, "button", nodes[other].l).onclick = () => goTo(other);
	}
	if (around[i].length > 200) addElement(list, "li", "and " + (around[i].length - 200) + " more");
	list.hidden = around[i].length === 0;
}

// ---- searching --------------------------------------------------------------------
function searchNodes() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean), list = byId("found");
	list.textContent = "";
	list.hidden = words.length === 0;
	state.at = 0;
	if (words.length === 0) { state.found = null; drawGraph(); return; }
	const byName = visible.filter((i) => words.every((w) => folded[i].includes(w)));
	const named = new Set(byName), byText = visible.filter((i) => !named.has(i) && words.every((w) => folded[i].includes(w) || texts[i].includes(w)));
	const found = [...byName, ...byText];
	state.found = new Set(found);
	for (const i of found.slice(0, 50)) {
		const row = addElement(list, "li", nodes[i].l);
		row.dataset.node = i;
		row.onclick = () => goTo(i);
	}
	if (found.length === 0) addElement(list, "li", "nothing is found").className = "none";
	markFound();
	drawGraph();
}
function markFound() {
	[...byId("found").children].forEach((row, i) => {
		row.classList.toggle("at", i === state.at && row.dataset.node !== undefined);
		if (i === state.at) row.scrollIntoView({ block: "nearest" });
	});
}

// ---- filters -------------------------------------------------------------------------
function fillFilter(id, names, counts, chosen, colours) {
	const box = byId(id);
	const all = names.map((_, k) => k).filter((k) => counts[k] > 0).sort((a, b) => counts[b] - counts[a] || a - b);
	box.hidden = all.length < (id === "kinds" ? 1 : 2);
	for (const k of all) {
		chosen.add(k);
		const row = addElement(box, "label"), tick = addElement(row, "input"), dot = addElement(row, "i");
		tick.type = "checkbox"; tick.checked = true; tick.value = names[k];
		dot.dataset.colour = colours ? k : "";
		addElement(row, "span", names[k]);
		addElement(row, "b", counts[k].toLocaleString("en"));
		tick.onchange = () => { if (tick.checked) chosen.add(k); else chosen.delete(k); applyFilters(); searchNodes(); };
		row.ondblclick = (event) => { // this one alone, or all again
			event.preventDefault();
			const alone = chosen.size === 1 && chosen.has(k);
			box.querySelectorAll("input").forEach((other, j) => { other.checked = alone || all[j] === k; });
			chosen.clear();
			for (const j of all) if (alone || j === k) chosen.add(j);
			applyFilters(); searchNodes();
		};
	}
}
function paintLegend() {
	const p = themePalette(), soft = styleValue("--soft");
	for (const id of ["kinds", "groups", "edges"])
		for (const dot of byId(id).querySelectorAll("i")) {
			const own = dot.dataset.colour !== "" && (id === "groups") === (state.colour === "group");
			dot.style.borderColor = own ? p[dot.dataset.colour % p.length] : soft;
			dot.style.background = own ? p[dot.dataset.colour % p.length] : "none";
		}
}
function countBy(values, n) {
	const counts = new Array(n).fill(0);
	for (const v of values) counts[v]++;
	return counts;
}
function fillFilters() {
	const grouped = nodes.some((n) => n.c !== undefined);
	fillFilter("kinds", graph.kinds, countBy(nodes.map((n) => n.k), graph.kinds.length), state.kinds, true);
	fillFilter("edges", graph.edgeKinds, countBy(edges.filter((_, i) => i % EDGE === 2), graph.edgeKinds.length), state.edges, false);
	if (!grouped) { byId("groups").hidden = true; state.groups = new Set([...Array(GROUPS + 1).keys()]); return; }
	const names = [...Array(GROUPS).keys()].map((g) => graph.communities[g] || "").concat("all others");
	fillFilter("groups", names, countBy(nodes.map((n) => Math.min(n.c, GROUPS)), GROUPS + 1), state.groups, true);
	const swap = addElement(byId("groups"), "button", "colour by community");
	swap.type = "button"; swap.className = "plain"; swap.id = "swap";
	swap.onclick = () => {
		state.colour = state.colour === "kind" ? "group" : "kind";
		swap.textContent = state.colour === "kind" ? "colour by community" : "colour by kind";
		paintLegend(); drawGraph();
	};
}

// ---- dark and light -------------------------------------------------------------------
function setTheme(on) { document.documentElement.classList.toggle("dark", on); paintLegend(); drawGraph(); }
const system = matchMedia("(prefers-color-scheme: dark)");
system.addEventListener("change", (e) => setTheme(e.matches));

// ---- hands ------------------------------------------------------------------------------
const pointers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, e); moved = 0; });
canvas.addEventListener("pointermove", (e) => {
	const before = pointers.get(e.pointerId);
	if (!before) {
		const i = nodeAt(e.offsetX, e.offsetY);
		canvas.classList.toggle("over", i >= 0);
		if (i !== state.over) { state.over = i; drawGraph(); }
		return;
	}
	if (pointers.size === 2) { // two fingers
		const [a, b] = [...pointers.values()], apart = Math.hypot(a.offsetX - b.offsetX, a.offsetY - b.offsetY);
		pointers.set(e.pointerId, e);
		const [c, d] = [...pointers.values()];
		zoomView(Math.hypot(c.offsetX - d.offsetX, c.offsetY - d.offsetY) / Math.max(1, apart), (c.offsetX + d.offsetX) / 2, (c.offsetY + d.offsetY) / 2);
		moved = 99;
		return;
	}
	moved += Math.abs(e.offsetX - before.offsetX) + Math.abs(e.offsetY - before.offsetY);
	canvas.classList.add("drag");
	state.x -= (e.offsetX - before.offsetX) / state.scale;
	state.y -= (e.offsetY - before.offsetY) / state.scale;
	pointers.set(e.pointerId, e);
	drawMoving();
});
function liftPointer(e) {
	if (pointers.delete(e.pointerId) && moved < 4 && e.type === "pointerup") pickNode(nodeAt(e.offsetX, e.offsetY));
	canvas.classList.remove("drag");
}
canvas.addEventListener("pointerup", liftPointer);
canvas.addEventListener("pointercancel", liftPointer);
canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoomView(Math.exp(-e.deltaY * (e.deltaMode ? .03 : .0016)), e.offsetX, e.offsetY); }, { passive: false });
byId("in").onclick = () => zoomView(1.4);
byId("out").onclick = () => zoomView(1 / 1.4);
byId("fit").onclick = fitView;
byId("close").onclick = () => pickNode(-1);
byId("theme").onclick = () => setTheme(!document.documentElement.classList.contains("dark"));
byId("search").addEventListener("input", searchNodes);
byId("search").addEventListener("keydown", (e) => {
	const rows = [...byId("found").children].filter((r) => r.dataset.node !== undefined);
	if (e.key === "ArrowDown" || e.key === "ArrowUp") {
		e.preventDefault();
		state.at = Math.max(0, Math.min(rows.length - 1, state.at + (e.key === "ArrowDown" ? 1 : -1)));
		markFound();
	} else if (e.key === "Enter" && rows[state.at]) {
		goTo(Number(rows[state.at].dataset.node));
	}
});
document.addEventListener("keydown", (e) => {
	const typing = document.activeElement === byId("search"), step = 60 / state.scale;
	if (e.key === "Escape") {
		if (typing || state.found) { byId("search").value = ""; searchNodes(); byId("search").blur(); canvas.focus(); } else pickNode(-1);
		return;
	}
	if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
	const keys = {
		"/": () => byId("search").focus(), "+": () => zoomView(1.25), "=": () => zoomView(1.25), "-": () => zoomView(.8), "0": fitView, "d": () => byId("theme").click(),
		"ArrowLeft": () => { state.x -= step; drawMoving(); }, "ArrowRight": () => { state.x += step; drawMoving(); },
		"ArrowUp": () => { state.y -= step; drawMoving(); }, "ArrowDown": () => { state.y += step; drawMoving(); },
	};
	if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
});
window.addEventListener("resize", drawGraph);

fillFilters();
setTheme(system.matches);
applyFilters();
fitView();
document.documentElement.dataset.ready = "yes";
})();
