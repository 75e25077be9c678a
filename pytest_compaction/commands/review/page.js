(() => {
"use strict";
const {questions, command, name, key} = JSON.parse(document.getElementById("data").textContent);
const cards = document.getElementById("cards");
const answers = new Map();
let now = 0;
let saved = true;

function element(tag, text, of) {
  const made = document.createElement(tag);
  if (of) made.className = of;
  if (text !== undefined) made.textContent = text;
  return made;
}

function card(question, number) {
  const made = element("article");
  made.append(element("p", `${question.case} · ${question.place}`, "place"));
  made.append(element("h2", question.asked));
  const facts = element("ul");
  for (const fact of question.facts) {
    const item = element("li", fact.text);
    for (const said of fact.evidence) {
      const quote = element("blockquote");
      quote.append(element("span", `${said.where} `, "id"), said.text);
      item.append(quote);
    }
    for (const trap of fact.not) item.append(element("p", `not: ${trap}`, "why"));
    if (fact.why) item.append(element("p", fact.why, "why"));
    facts.append(item);
  }
  const actions = element("p");
  for (const answer of ["yes", "no", "edit"]) {
    const button = element("button", answer);
    button.addEventListener("click", () => { go(number); act(answer); });
    actions.append(button, " ");
  }
  made.append(facts, actions);
  made.addEventListener("focusin", () => { if (now !== number) go(number, false); });
  return made;
}

function go(number, scroll = true) {
  now = Math.max(0, Math.min(number, questions.length - 1));
  [...cards.children].forEach((each, place) => each.classList.toggle("now", place === now));
  if (scroll) cards.children[now].scrollIntoView({block: "start"});
}

function act(answer) {
  const made = cards.children[now];
  if (answer === "edit") {
    let field = made.querySelector("textarea");
    if (!field) {
      field = element("textarea", answers.get(now)?.text ?? questions[now].text);
      field.setAttribute("aria-label", "the question, its facts and keys");
      const number = now;
      field.addEventListener("input", () => record(number, {answer: "yes", text: field.value}));
      made.append(field);
    }
    field.focus();
    return;
  }
  const field = made.querySelector("textarea");
  const text = field && field.value !== questions[now].text ? field.value : undefined;
  record(now, answer === "yes" ? {answer, text} : answer && {answer});
  if (answer) go(now + 1);
}

function record(number, answer) {
  if (answer) answers.set(number, answer); else answers.delete(number);
  saved = answers.size === 0;
  try { localStorage.setItem(key, JSON.stringify([...answers])); } catch { /* not at hand */ }
  show();
}

function show() {
  const counts = {yes: 0, no: 0};
  questions.forEach((question, number) => {
    const answer = answers.get(number)?.answer;
    if (answer) counts[answer] += 1;
    const made = cards.children[number];
    for (const each of ["yes", "no"]) made.classList.toggle(each, answer === each);
    made.querySelectorAll("button").forEach((button) =>
      button.setAttribute("aria-pressed", String(button.textContent === answer)));
  });
  document.getElementById("count").textContent =
    `${counts.yes + counts.no} of ${questions.length} answered`;
  document.getElementById("said").textContent = `${counts.yes} yes, ${counts.no} no`;
}

function save() {
  const list = [...answers].map(([number, {answer, text}]) => {
    const {case: name, id, mark} = questions[number];
    return {case: name, id, mark, answer, ...(text === undefined ? {} : {text})};
  });
  const link = element("a");
  const blob = new Blob([JSON.stringify({answers: list}, null, 1)], {type: "application/json"});
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  saved = true;
  document.getElementById("command").textContent = command;
  document.getElementById("next").hidden = false;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLTextAreaElement) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const acts = {j: () => go(now + 1), k: () => go(now - 1), y: () => act("yes"),
    n: () => act("no"), e: () => act("edit"), u: () => act("")};
  const chosen = acts[event.key.toLowerCase()];
  if (chosen) { event.preventDefault(); chosen(); }
});
window.addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
document.getElementById("save").addEventListener("click", save);
try {
  for (const [number, answer] of JSON.parse(localStorage.getItem(key) ?? "[]"))
    if (number < questions.length) answers.set(number, answer);
} catch { /* not at hand */ }
cards.append(...questions.map(card));
show();
go(questions.findIndex((_, number) => !answers.has(number)) || 0, false);
})();
