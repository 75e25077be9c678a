// Texts of cases and models: always text nodes, and what cannot be seen is shown as an escape.

const UNSEEN = new RegExp(
  "\\r(?!\\n)|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff]" +
    "|[\\u{e0000}-\\u{e007f}]|\\p{Surrogate}",
  "gu",
);

function escapeOf(ch) {
  const code = ch.codePointAt(0);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** A text for attributes and announcements. */
function plain(text) {
  return String(text ?? "").replace(UNSEEN, escapeOf);
}

/** A text as nodes; each character that cannot be seen stands as a marked escape. */
function shown(text) {
  const source = String(text ?? "");
  const nodes = document.createDocumentFragment();
  let from = 0;
  for (const match of source.matchAll(UNSEEN)) {
    nodes.append(source.slice(from, match.index));
    nodes.append(make("span", { class: "unseen-character" }, escapeOf(match[0])));
    from = match.index + match[0].length;
  }
  nodes.append(source.slice(from));
  return nodes;
}

/** A name as nodes; it can go on in the next line after a mark, and nowhere else. */
function named(text) {
  const nodes = document.createDocumentFragment();
  for (const part of String(text ?? "").split(/(?<=[_\-./:,=@])(?=\p{L})/u))
    nodes.append(...(nodes.hasChildNodes() ? [make("wbr")] : []), shown(part));
  return nodes;
}

/** An element; children are nodes, or texts that this page itself says. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A text of a case or model in an element that keeps its direction to itself. */
function said(tag, text, attributes = {}) {
  return make(tag, { dir: "auto", ...attributes }, shown(text));
}

function number(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en-US");
}

function score(value) {
  return value === null || value === undefined ? "–" : value.toFixed(2);
}

function signed(value) {
  return (value > 0 ? "+" : value < 0 ? "−" : "±") + Math.abs(value).toFixed(2);
}

function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function announce(text) {
  byId("said").textContent = plain(text);
}

function byId(id) {
  return document.getElementById(id);
}
