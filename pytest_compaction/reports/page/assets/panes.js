// The log and the view beside each other, message by message, with the marks of the facts.

const SHORT = 1400;

/** The messages of a view, each with its text: that of the log where it is word for word. */
function viewMessages(view, log) {
  const texts = new Map((log?.messages ?? []).map((message) => [message.id, message]));
  return view.map((message) => {
    if (typeof message.text === "string")
      return { ...message, kind: message.origin === "made" ? "made" : "changed" };
    const source = texts.get(message.id);
    return { ...message, kind: "kept", text: source?.text ?? "", cut: source?.cut };
  });
}

/** The messages of the log up to the point of the probe, and how many came after it. */
function logMessages(log, point) {
  const after = log.points?.find((each) => each.id === point)?.after;
  const end = log.messages.findIndex((message) => message.id === after);
  const messages = end < 0 ? log.messages : log.messages.slice(0, end + 1);
  return { messages, later: log.messages.length - messages.length };
}

const KINDS = {
  kept: "word for word",
  changed: "masked or cut",
  made: "written by the strategy",
};

/** One pane: a heading and its messages. `where` gives the places of each fact. */
function pane(name, title, note, messages, facts, where, points = new Map()) {
  const marks = new Map();
  facts.forEach((fact, k) => {
    for (const { message, place } of where(fact)) {
      if (!marks.has(message)) marks.set(message, []);
      marks.get(message).push({ fact: k, place });
    }
  });
  const body = make("div", {
    class: "messages",
    role: "group",
    tabindex: "0",
    "aria-label": title,
  });
  for (const message of messages) {
    body.append(messageNode(name, message, marks.get(message.id) ?? [], facts));
    for (const point of points.get(message.id) ?? [])
      body.append(make("p", { class: "point" }, "compaction ", shown(point)));
  }
  return make(
    "section",
    { class: `pane ${name}`, "aria-labelledby": `${name}-title` },
    make(
      "header",
      {},
      make("h2", { id: `${name}-title` }, title),
      make("p", { class: "note" }, note),
    ),
    body,
  );
}

function messageNode(pane, message, marks, facts) {
  const numbers = [...new Set(marks.map((mark) => mark.fact))];
  const labels = numbers.map((k) =>
    make(
      "button",
      {
        type: "button",
        class: `chip fate-${facts[k].fate}`,
        "data-fact": k,
        "aria-label": `fact ${k + 1}, ${FATES[facts[k].fate].name}`,
      },
      `${FATES[facts[k].fate].sign}${k + 1}`,
    ),
  );
  const kind = message.kind ?? "";
  const node = make(
    "article",
    { class: `message ${kind}`, "data-message": message.id, "data-facts": numbers.join(" ") },
    make(
      "header",
      {},
      said("span", message.role ?? "", { class: "role" }),
      said("span", message.id ?? "", { class: "id" }),
      pane === "view" && kind !== "kept" ? make("span", { class: "kind" }, KINDS[kind]) : null,
      pane === "log" && kind ? make("span", { class: "kind" }, LOG_KINDS[kind]) : null,
      ...labels,
    ),
  );
  fillMessage(node, message, marks, facts);
  return node;
}

const LOG_KINDS = {
  kept: "in the view",
  changed: "in the view, masked or cut",
  gone: "not in the view",
};

function fillMessage(node, message, marks, facts) {
  const text = message.text ?? "";
  const within = marks.filter((mark) => mark.place);
  const body = make("div", { class: "text", dir: "auto" });
  const paint = (most) => {
    const part = text.length > most ? text.slice(0, most) : text;
    body.replaceChildren(marked(part, within, facts));
  };
  node.append(body);
  const long = text.length > SHORT;
  paint(long ? SHORT / 2 : Infinity);
  if (!text) body.append(make("span", { class: "none" }, "no text"));
  if (long) {
    const button = make(
      "button",
      { type: "button", class: "whole quiet-button" },
      `… all ${number(text.length)} characters`,
    );
    button.addEventListener("click", () => expand());
    const expand = () => {
      paint(Infinity);
      button.remove();
      node.expand = undefined;
    };
    node.expand = expand;
    node.append(button);
  }
  if (message.cut)
    node.append(
      make(
        "p",
        { class: "cut note" },
        `${number(message.cut)} more characters are left out of this page.`,
      ),
    );
}

/** Bring a fact to the eye in a pane; says where it is, or null. */
function scrollToFact(pane, k) {
  const has = (node) => (node.dataset.facts ?? "").split(" ").includes(String(k));
  const message = [...pane.querySelectorAll(".message")].find(has);
  for (const mark of pane.querySelectorAll(".on")) mark.classList.remove("on");
  if (!message) return null;
  message.expand?.();
  const all = [...pane.querySelectorAll(".message")].filter(has);
  for (const each of all) each.expand?.();
  const marks = [...pane.querySelectorAll("mark")].filter(has);
  for (const mark of marks.length ? marks : all) mark.classList.add("on");
  const target = message.querySelector("mark.on") ?? marks[0] ?? message;
  const box = pane.querySelector(".messages");
  const middle = target.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTop += middle - Math.max(40, box.clientHeight / 3);
  return message.dataset.message;
}
