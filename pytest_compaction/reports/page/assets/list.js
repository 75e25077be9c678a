// The list of items.

const PAGE_OF_ROWS = 200;
let rowsShown = PAGE_OF_ROWS;

function showList() {
  const items = listed();
  const scored = items.filter((item) => item.overall !== null);
  const mean = scored.reduce((sum, item) => sum + item.overall, 0) / scored.length;
  const below = items.filter((item) => item.outcome === "below").length;
  byId("count").textContent =
    `${number(items.length)} of ${plural(ITEMS.length, "item")}` +
    (scored.length ? ` · mean ${score(mean)} · ${number(below)} below ${DATA.passScore}` : "");
  byId("rows").replaceChildren(...items.slice(0, rowsShown).map(row));
  if (!items.length) {
    byId("rows").append(
      make("tr", {}, make("td", { colspan: 6, class: "none" }, "No item matches these filters.")),
    );
  }
  const rest = items.length - rowsShown;
  byId("more").hidden = rest <= 0;
  byId("more").textContent = `Show ${number(Math.min(rest, 1000))} more`;
}

function row(item) {
  const question = make("a", { href: linkTo(item), dir: "auto" }, shown(titleOf(item)));
  return make(
    "tr",
    { "data-item": item.number },
    make("td", { class: "number" }, scoreOf(item)),
    make("th", { scope: "row" }, question),
    make("td", { "data-head": "strategy", title: plain(item.arm.label) }, named(item.arm.short)),
    make("td", { "data-head": "case" }, named(item.case.id)),
    said("td", item.probe.kind, { "data-head": "kind" }),
    make("td", { "data-head": "facts" }, signsOf(item)),
  );
}

function titleOf(item) {
  return item.probe.question || item.probe.id;
}

/** The score with its outcome, which is not told by colour alone. */
function scoreOf(item) {
  const text = item.overall === null ? item.outcome : score(item.overall);
  return make(
    "span",
    { class: `score outcome-${item.outcome}`, title: item.outcome },
    text,
    make("span", { class: "unseen" }, ` ${item.overall === null ? "" : item.outcome}`),
  );
}

function signsOf(item) {
  const counts = Object.entries(FATES)
    .map(([fate, { name }]) => [[...item.facts].filter((each) => each === fate).length, name])
    .filter(([count]) => count)
    .map(([count, name]) => `${count} ${name}`);
  const signs = [...item.facts]
    .slice(0, 16)
    .map((fate) => make("span", { class: `sign fate-${fate}` }, FATES[fate].sign));
  return make(
    "span",
    { class: "signs", title: counts.join(", ") },
    make("span", { "aria-hidden": "true" }, ...signs),
    item.facts.length > 16 ? make("span", { "aria-hidden": "true" }, "…") : null,
    make("span", { class: "unseen" }, counts.join(", ") || "no facts"),
  );
}

function startList() {
  fillFilters();
  const form = byId("filters");
  const changed = () => {
    for (const name of FILTERS) chosen[name] = form.elements[name].value;
    rowsShown = PAGE_OF_ROWS;
    history.replaceState(null, "", listAddress());
    showList();
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  byId("more").addEventListener("click", () => {
    const first = rowsShown;
    rowsShown += 1000;
    showList();
    byId("rows").children[first]?.querySelector("a")?.focus();
  });
}
