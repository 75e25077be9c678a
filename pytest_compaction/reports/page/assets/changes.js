// What changed between two strategies or runs: items by the size of the change, facts of each.

const ROWS_OF_CHANGES = 100;
let changesShown = ROWS_OF_CHANGES;

function changesBetween(first, second) {
  const before = new Map(
    ITEMS.filter((item) => item.arm === DATA.arms[first]).map((item) => [questionOf(item), item]),
  );
  const pairs = [];
  for (const to of ITEMS) {
    const from = to.arm === DATA.arms[second] ? before.get(questionOf(to)) : undefined;
    if (from) pairs.push({ from, to, ...factChanges(from, to) });
  }
  const size = (pair) => (pair.change === null ? -1 : Math.abs(pair.change));
  return pairs.sort(
    (a, b) => size(b) - size(a) || (a.change ?? 0) - (b.change ?? 0) || a.to.number - b.to.number,
  );
}

function factChanges(from, to) {
  const held = (item) =>
    new Map(item.probe.facts.map((fact, k) => [fact.text, item.facts[k] !== "d"]));
  const [old, now] = [held(from), held(to)];
  const both = [...old.keys()].filter((text) => now.has(text));
  return {
    change: from.overall === null || to.overall === null ? null : to.overall - from.overall,
    lost: both.filter((text) => old.get(text) && !now.get(text)),
    gained: both.filter((text) => !old.get(text) && now.get(text)),
  };
}

function showChanges(first, second) {
  const form = byId("pair");
  form.elements.from.value = String(first);
  form.elements.to.value = String(second);
  const all = changesBetween(first, second);
  const pairs = all.filter((pair) => pair.change || pair.lost.length || pair.gained.length);
  const total = (name) => all.reduce((sum, pair) => sum + pair[name].length, 0);
  byId("difference").replaceChildren(
    ...meanDifference(first, second),
    ` ${number(pairs.length)} of ${plural(all.length, "item")} changed; facts of the view: ${number(total("lost"))} lost, ${number(total("gained"))} gained.`,
  );
  byId("changed").replaceChildren(...pairs.slice(0, changesShown).map(changeRow));
  const rest = pairs.length - changesShown;
  byId("more-changed").hidden = rest <= 0;
  byId("more-changed").textContent = `Show ${number(Math.min(rest, 500))} more`;
}

function meanDifference(first, second) {
  const known = DATA.pairs[`${first},${second}`] ?? DATA.pairs[`${second},${first}`];
  if (!known) return [];
  const sign = DATA.pairs[`${first},${second}`] ? 1 : -1;
  const bounds = known.interval?.map((bound) => bound * sign).sort((a, b) => a - b);
  const unsure = known.p !== null && known.p > 0.05;
  return [
    make("b", {}, signed(known.mean * sign)),
    bounds ? ` [${signed(bounds[0])}, ${signed(bounds[1])}]` : "",
    ` overall over ${plural(known.items, "paired item")} of ${plural(known.cases, "case")}`,
    known.p === null ? "" : `, p ${known.p < 0.001 ? "< 0.001" : `= ${known.p.toFixed(3)}`}`,
    unsure ? ", which these cases cannot tell from no change." : ".",
  ];
}

function changeRow({ from, to, change, lost, gained }) {
  const facts = (texts, name) =>
    make(
      "td",
      { "data-head": `facts ${name}` },
      texts.length
        ? make("ul", { class: "fact-changes" }, ...texts.map((text) => said("li", text)))
        : "–",
    );
  const linked = (head, item) => {
    const name = plain(`${item.key}, ${score(item.overall)}`);
    const link = make("a", { href: linkTo(item), "aria-label": name }, score(item.overall));
    return make("td", { class: "number", "data-head": head }, link);
  };
  const toward = change === null ? "" : change < 0 ? "worse" : change > 0 ? "better" : "";
  return make(
    "tr",
    {},
    make(
      "td",
      { class: `number change ${toward}` },
      change === null ? "–" : signed(change),
      make("span", { class: "unseen" }, ` ${toward}`),
    ),
    make(
      "th",
      { scope: "row", dir: "auto" },
      shown(titleOf(to)),
      make("small", {}, named(to.case.id), " · ", named(to.probe.id)),
    ),
    linked("from", from),
    linked("to", to),
    facts(lost, "lost"),
    facts(gained, "gained"),
  );
}

/** The two that are compared first: one strategy in two runs, else the first two. */
function firstPair() {
  for (let a = 0; a < DATA.arms.length; a += 1)
    for (let b = a + 1; b < DATA.arms.length; b += 1)
      if (DATA.arms[a].name === DATA.arms[b].name) return [a, b];
  return [0, Math.min(1, DATA.arms.length - 1)];
}

function readPair(query) {
  const values = new URLSearchParams(query);
  const place = (name) => DATA.arms.findIndex((arm) => plain(arm.label) === values.get(name));
  const [first, second] = [place("from"), place("to")];
  return first < 0 || second < 0 ? firstPair() : [first, second];
}

function startChanges() {
  const form = byId("pair");
  DATA.arms.forEach((arm, n) => {
    for (const name of ["from", "to"])
      form.elements[name].append(make("option", { value: n }, plain(arm.short)));
  });
  form.addEventListener("input", () => {
    const [first, second] = [form.elements.from.value, form.elements.to.value].map(Number);
    const labels = { from: plain(DATA.arms[first].label), to: plain(DATA.arms[second].label) };
    history.replaceState(null, "", `#changes?${new URLSearchParams(labels)}`);
    changesShown = ROWS_OF_CHANGES;
    showChanges(first, second);
  });
  byId("more-changed").addEventListener("click", () => {
    changesShown += 500;
    showChanges(Number(form.elements.from.value), Number(form.elements.to.value));
  });
}
