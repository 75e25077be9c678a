// Which items are listed, and in which order; the address of the page says it.

const FILTERS = ["text", "strategy", "task", "kind", "case", "outcome", "order"];
const ORDERS = {
  "": (a, b) => (a.overall ?? 9) - (b.overall ?? 9) || a.number - b.number,
  highest: (a, b) => (b.overall ?? -1) - (a.overall ?? -1) || a.number - b.number,
  case: (a, b) => a.probe.case - b.probe.case || a.item_probe - b.item_probe || a.number - b.number,
};

const VALUES = {
  strategy: (item) => item.arm.label,
  task: (item) => item.case.task,
  kind: (item) => item.probe.kind,
  case: (item) => item.case.id,
  outcome: (item) => item.outcome,
};

for (const item of ITEMS) {
  item.item_probe = DATA.items[item.number].probe;
  const facts = item.probe.facts.map((fact) => fact.text);
  item.text = [item.key, item.probe.question, ...facts].join("\n").toLowerCase();
}

let chosen = Object.fromEntries(FILTERS.map((name) => [name, ""]));

function readFilters(query) {
  const values = new URLSearchParams(query);
  chosen = Object.fromEntries(FILTERS.map((name) => [name, values.get(name) ?? ""]));
  for (const name of FILTERS) {
    const field = byId("filters").elements[name];
    field.value = chosen[name];
    if (field.value !== chosen[name]) chosen[name] = field.value = "";
  }
}

/** The address of the list as it is filtered now. */
function listAddress() {
  const set = FILTERS.filter((name) => chosen[name]).map((name) => [name, chosen[name]]);
  const query = new URLSearchParams(set).toString();
  return query ? `#items?${query}` : "#items";
}

function listed() {
  const words = chosen.text.toLowerCase().split(/\s+/).filter(Boolean);
  const names = Object.keys(VALUES).filter((name) => chosen[name]);
  return ITEMS.filter(
    (item) =>
      names.every((name) => plain(VALUES[name](item)) === chosen[name]) &&
      words.every((word) => item.text.includes(word)),
  ).sort(ORDERS[chosen.order] ?? ORDERS[""]);
}

function fillFilters() {
  for (const name of ["strategy", "task", "kind", "case"]) {
    const field = byId("filters").elements[name];
    const values = [...new Set(ITEMS.map(VALUES[name]))].filter(Boolean);
    if (name !== "strategy") values.sort();
    const short = new Map(DATA.arms.map((arm) => [arm.label, arm.short]));
    for (const value of values)
      field.append(make("option", { value: plain(value) }, plain(short.get(value) ?? value)));
  }
}
