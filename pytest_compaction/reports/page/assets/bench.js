// The parts of an item: facts, answer, verdict, compactions, and the panes beside them.

function factsOf(item, detail) {
  return item.probe.facts.map((fact, k) => ({
    ...fact,
    ...(detail.facts?.[k] ?? {}),
    fate: item.facts[k],
  }));
}

function workbench(item, texts) {
  const detail = texts.items[item.number] ?? {};
  const facts = factsOf(item, detail);
  const side = make(
    "div",
    { class: "side" },
    part("facts", "Facts", factList(facts)),
    detail.response || !item.facts.includes("v")
      ? part(
          "answer",
          "Answer",
          said("div", detail.response || "no answer", { class: "response text" }),
        )
      : null,
    part("verdict", "Verdict", ...verdict(item, detail)),
    detail.compaction?.events?.length
      ? part("events", "Compactions", events(detail.compaction.events))
      : null,
  );
  return [side, panesOf(item, texts, facts)];
}

function part(name, title, ...children) {
  return make(
    "section",
    { class: name, "aria-labelledby": `${name}-title` },
    make("h2", { id: `${name}-title` }, title),
    ...children,
  );
}

function factList(facts) {
  if (!facts.length) return make("p", { class: "none" }, "none");
  return make(
    "ol",
    { class: "fact-list" },
    ...facts.map((fact, k) => make("li", {}, factButton(fact, k))),
  );
}

function factButton(fact, k) {
  const { sign, name, says } = FATES[fact.fate];
  const more = [];
  if (fact.needed) more.push(plain(fact.needed.why));
  const proved = fact.proved ? "proved: " : "";
  if (fact.recoverable === true)
    more.push(proved ? `${proved}found by a search` : "can be read again");
  if (fact.recoverable === false) more.push(`${proved}gone`);
  if (fact.view === "contradicted") more.push("the view says otherwise");
  if (fact.source && fact.fate === "d")
    more.push(`${number(fact.source.tokens)} tokens to read ${plain(fact.source.message)} again`);
  const held = (fact.stated_after ?? []).map(([point, state]) =>
    make(
      "span",
      { title: plain(`after ${point}: ${state ? "stated" : "not stated"}`) },
      state ? "●" : "○",
    ),
  );
  return make(
    "button",
    { type: "button", class: `fact fate-${fact.fate}`, "data-fact": k, "aria-pressed": "false" },
    make("span", { class: "sign", "aria-hidden": "true" }, sign),
    said("span", fact.text, { class: "fact-text" }),
    make(
      "span",
      { class: "fact-note" },
      make("b", {}, name),
      fact.class ? " · " : "",
      shown(String(fact.class ?? "").replaceAll("_", " ")),
      more.length ? ` · ${more.join(" · ")}` : "",
      held.length > 1 ? make("span", { class: "held" }, "after each compaction ", ...held) : null,
    ),
    fact.clause ? said("q", fact.clause, { class: "clause" }) : null,
    make("span", { class: "unseen" }, says),
  );
}

const ORDER_FIGURES = ["precision", "recall", "f1", "order", "product"];

function judged({ score: figure, reasoning }, what) {
  return make(
    "li",
    {},
    make("span", { class: "figure" }, score(figure)),
    make("span", { class: "criterion" }, shown(what)),
    said("span", reasoning ?? "", { class: "reasoning" }),
  );
}

function verdict(item, detail) {
  const rows = [
    ...(detail.criteria ?? []).map((each) => judged(each, String(each.id).replaceAll("_", " "))),
    ...(detail.nuggets ?? []).map((each) => judged(each, String(each.text))),
  ];
  const order = ORDER_FIGURES.filter((name) => name in (detail.ordering ?? {}));
  const traps = item.probe.traps.filter((_, k) => detail.hit?.[k]);
  const other = detail.reading === "view" ? detail.answer : detail.view;
  return [
    detail.reason ? said("p", detail.reason, { class: "reason" }) : null,
    detail.error
      ? said("p", `${detail.error.phase ?? "error"}: ${detail.error.reason ?? ""}`, {
          class: "reason",
        })
      : null,
    rows.length
      ? make("ul", { class: "criteria" }, ...rows)
      : make("p", { class: "none" }, "no criteria"),
    order.length
      ? make(
          "p",
          { class: "note" },
          `Order of events: ${order.map((name) => `${name} ${score(detail.ordering[name])}`).join(", ")}.`,
        )
      : null,
    other && typeof other.overall === "number"
      ? make(
          "p",
          { class: "note" },
          `Read from the ${detail.reading}. Read from the ${detail.reading === "view" ? "answer" : "view"}: ${score(other.overall)}.`,
        )
      : null,
    detail.listed
      ? make(
          "p",
          { class: "reason" },
          `The view is mostly a list of names: ${number(detail.listed.count)} of ${number(detail.listed.of)} words.`,
        )
      : null,
    ...traps.map((text) =>
      make("p", { class: "reason" }, "claims what no longer holds: ", shown(text)),
    ),
  ];
}

function events(list) {
  return make(
    "ol",
    { class: "event-list" },
    ...list.map((event) =>
      make(
        "li",
        {},
        said("b", event.point ?? ""),
        ` ${plain(event.status)} `,
        make(
          "span",
          { class: "figure" },
          `${number(event.before ?? event.log)} → ${number(event.after)} tokens`,
        ),
        typeof event.until_next === "number"
          ? `, full again after ${plural(event.until_next, "message")}`
          : "",
        typeof event.calls === "number" ? `; ${asked(event)}` : "",
      ),
    ),
  );
}

/** What a compaction asked of models: calls, seconds if it waited for them, and tokens. */
function asked(event) {
  const parts = [`${plural(event.calls, "call")} of a model`];
  if (typeof event.seconds === "number") parts.push(`${event.seconds.toFixed(1)} s`);
  if (event.input_tokens) parts.push(`${number(event.input_tokens)} tokens read`);
  if (event.output_tokens) parts.push(`${number(event.output_tokens)} written`);
  return parts.join(", ");
}

function panesOf(item, texts, facts) {
  const box = make("div", { class: "panes" });
  const view = texts.views[item.view];
  if (!texts.log && !view) {
    box.append(
      make(
        "p",
        { class: "note absent" },
        "The texts of this log and view are not there. Runs keep them in the folders logs and views beside the file of the run.",
      ),
    );
    return box;
  }
  const messages = view ? viewMessages(view, texts.log) : null;
  if (texts.log) {
    const { messages: log, later } = logMessages(texts.log, item.probe.point);
    const kept = new Map((messages ?? []).map((message) => [message.id, message.kind]));
    const known = (id) =>
      messages ? (kept.get(id) === "made" ? "gone" : (kept.get(id) ?? "gone")) : "";
    const points = new Map();
    for (const point of texts.log.points ?? [])
      points.set(point.after, [...(points.get(point.after) ?? []), point.id]);
    const note =
      plural(log.length, "message") + (later ? `, ${number(later)} later not shown` : "");
    box.append(
      pane(
        "log",
        "Log",
        note,
        log.map((m) => ({ ...m, kind: known(m.id) })),
        facts,
        (fact) => placesInLog(fact, log),
        points,
      ),
    );
  }
  if (messages) {
    const made = messages.filter((message) => message.kind === "made").length;
    const note = `${plural(messages.length, "message")}, ${number(item.tokens)} tokens; ${number(made)} written by the strategy`;
    box.append(pane("view", "View", note, messages, facts, (fact) => placesInView(fact, messages)));
  }
  return box;
}

function listen(body) {
  body.addEventListener("click", (event) => {
    const target = event.target.closest("[data-fact], mark");
    if (target) chooseFact(Number(target.dataset.fact ?? target.dataset.facts.split(" ")[0]));
  });
}

/** Show a fact in both panes. */
function chooseFact(k) {
  const button = document.querySelector(`.fact[data-fact="${k}"]`);
  if (!button) return;
  for (const each of document.querySelectorAll(".fact"))
    each.setAttribute("aria-pressed", String(each === button));
  const found = [...document.querySelectorAll(".pane")].map((pane) => {
    const at = scrollToFact(pane, k);
    const name = pane.classList.contains("log") ? "log" : "view";
    return at ? `${name}: ${at}` : `not found in the ${name}`;
  });
  announce([`fact ${k + 1}, ${FATES[current.facts[k]].name}`, ...found].join("; "));
}
