// The data of the page: an index of all items, and the texts of a case, unpacked when needed.

const DATA = JSON.parse(byId("data").textContent);
const ITEMS = DATA.items.map((item, number) => {
  const probe = DATA.probes[item.probe];
  return { ...item, number, probe, case: DATA.cases[probe.case], arm: DATA.arms[item.arm] };
});
const FATES = {
  s: { sign: "●", name: "survived", says: "in the view and in the answer" },
  v: { sign: "●", name: "survived", says: "in the view" },
  u: { sign: "◐", name: "unused", says: "in the view, not in the answer" },
  d: { sign: "○", name: "dropped", says: "not in the view" },
};

/** The name of each item in links: strategy, case, probe, and what else tells it apart. */
const KEYS = new Map();
for (const item of ITEMS) {
  const parts = [item.arm.label, item.case.id, item.probe.id];
  if (item.trial > 1) parts.push(`trial ${item.trial}`);
  const name = parts.join("/");
  let key = name;
  for (let n = 2; KEYS.has(key); n += 1) key = `${name}~${n}`;
  KEYS.set(key, item);
  item.key = key;
}

/** What the same question has in common over strategies and runs. */
function questionOf(item) {
  return JSON.stringify([item.case.id, item.probe.id, item.trial, item.budget]);
}

const SAME = new Map();
for (const item of ITEMS) {
  const key = JSON.stringify([item.case.id, item.probe.id, item.trial]);
  if (!SAME.has(key)) SAME.set(key, []);
  SAME.get(key).push(item);
  item.siblings = SAME.get(key);
}

function linkTo(item) {
  return `#item=${encodeURIComponent(plain(item.key))}`;
}

const unpacked = new Map();

/** The texts of a case: `log`, `views` by hash, `items` by number. */
function textsOf(number) {
  if (!unpacked.has(number)) unpacked.set(number, unpack(DATA.blocks[number]));
  return unpacked.get(number);
}

async function unpack(block) {
  const bytes = Uint8Array.from(atob(block), (ch) => ch.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
