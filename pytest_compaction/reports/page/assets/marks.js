// Where a fact stands in a text: the clause that was read, else the line with most of its words.

const COMMON = new Set(
  (
    "the and for with that this was were are not but has had have from into its than then they " +
    "which when what who will would can could should must only also been being there"
  ).split(" "),
);

/** The text with each run of white space as one space, and the place of each character. */
function flattened(text) {
  let flat = "";
  const places = [];
  let space = false;
  for (let n = 0; n < text.length; n += 1) {
    if (/\s/.test(text[n])) {
      if (!space) {
        flat += " ";
        places.push(n);
      }
      space = true;
    } else {
      flat += text[n];
      places.push(n);
      space = false;
    }
  }
  places.push(text.length);
  return { flat, places };
}

const flat = new Map();

function flatOf(text) {
  if (!flat.has(text)) {
    if (flat.size > 4000) flat.clear();
    flat.set(text, flattened(text));
  }
  return flat.get(text);
}

/** The place of a clause, `[start, end]`, whatever the white space; null if it is not there. */
function placeOfClause(text, clause) {
  const wanted = (clause ?? "").replace(/…$/, "").replace(/\s+/g, " ").trim();
  if (wanted.length < 3) return null;
  const { flat: body, places } = flatOf(text);
  let at = body.indexOf(wanted);
  if (at < 0) at = body.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0 || at + wanted.length >= places.length) return null;
  return [places[at], places[at + wanted.length - 1] + 1];
}

function wordsOf(text) {
  const found = (text ?? "").toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./-]*/gu) ?? [];
  const whole = found.map((word) => word.replace(/[./-]+$/, ""));
  return new Set(whole.filter((word) => word.length > 1 && !COMMON.has(word)));
}

/** The place of the line that has most of the words; null if none has half, or two, of them. */
function placeOfWords(text, words) {
  let best = null;
  let most = 0;
  let start = 0;
  for (const line of text.split("\n")) {
    const lower = line.toLowerCase();
    let found = 0;
    for (const word of words)
      if (lower.includes(word)) found += 1 + (/[\d_./-]/.test(word) ? 1 : 0);
    if (found > most) {
      most = found;
      best = [start + line.length - line.trimStart().length, start + line.trimEnd().length];
    }
    start += line.length + 1;
  }
  return most >= Math.min(3, Math.ceil(words.size / 2)) && best && best[1] > best[0] ? best : null;
}

/** The places of a fact in the messages of a log: those that are its evidence. */
function placesInLog(fact, messages) {
  const wanted = new Set(fact.evidence ?? []);
  const words = wordsOf([fact.text, ...(fact.words ?? [])].join(" "));
  return messages
    .filter((message) => wanted.has(message.id))
    .map((message) => {
      const text = message.text ?? "";
      const stated = fact.view === "contradicted" ? null : placeOfClause(text, fact.clause);
      const place = stated ?? placeOfClause(text, fact.text);
      return { message: message.id, place: place ?? placeOfWords(text, words) };
    });
}

/** The places of a fact in the messages of a view: where the clause stands that decided. */
function placesInView(fact, messages) {
  if (fact.fate === "d" && fact.view !== "contradicted") return [];
  const found = [];
  for (const message of messages) {
    const place = placeOfClause(message.text ?? "", fact.clause);
    if (place) found.push({ message: message.id, place });
  }
  if (found.length || fact.fate === "d") return found.slice(0, 3);
  const words = wordsOf([fact.text, ...(fact.words ?? [])].join(" "));
  for (const message of messages) {
    const place = placeOfWords(message.text ?? "", words);
    if (place) found.push({ message: message.id, place });
  }
  return found.slice(0, 1);
}

/** The text with its marks, as nodes. A mark names its facts, also for who does not see it. */
function marked(text, marks, facts) {
  const nodes = document.createDocumentFragment();
  const cuts = new Set([0, text.length]);
  for (const { place } of marks) place.forEach((at) => cuts.add(Math.min(at, text.length)));
  const places = [...cuts].sort((a, b) => a - b);
  const begun = new Set();
  for (let n = 0; n + 1 < places.length; n += 1) {
    const [from, to] = [places[n], places[n + 1]];
    const over = marks.filter(({ place }) => place[0] <= from && to <= place[1]);
    const part = text.slice(from, to);
    if (!over.length) {
      nodes.append(shown(part));
      continue;
    }
    const numbers = over.map((mark) => mark.fact);
    const worst = "dus"[Math.min(...numbers.map((k) => "dus".indexOf(facts[k].fate)))];
    const mark = make("mark", { class: `fate-${worst}`, "data-facts": numbers.join(" ") });
    for (const k of numbers.filter((k) => !begun.has(k))) {
      begun.add(k);
      mark.append(
        make("sup", { "aria-hidden": "true" }, String(k + 1)),
        make("span", { class: "unseen" }, `fact ${k + 1}, ${FATES[facts[k].fate].name}: `),
      );
    }
    mark.append(shown(part));
    nodes.append(mark);
  }
  return nodes;
}
