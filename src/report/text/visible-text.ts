import { computeOnce } from "../../text/memoize.js";

/** Text outside printable ASCII needs a closer check. */
const plain = /^[ -~]*$/;

/**
 * Characters that a terminal would interpret or hide: control characters (including the start of escape sequences),
 * bidirectional marks, invisible characters, lone surrogates. The joiner and the variation selectors of emoji are kept.
 */
const hidden = computeOnce(
  () => /(?![\u200d\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu,
);

const wide = computeOnce(
  () =>
    /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u,
);

/** Characters that share a cell with those before them. */
const joining = computeOnce(() => /[\p{M}\p{RI}\p{Emoji_Modifier}\u1160-\u11ff]|\u200d/u);
const combining = computeOnce(() => /^\p{M}/u);

const segmenter = computeOnce(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/**
 * Text that the log of a CI system interprets as a command: `##[error]` and `##vso[…]` anywhere in a line, `::error::`
 * at its start. One character is replaced by a similar one.
 */
const logCommand = /##(?=(?:vso)?\[[a-z])|^(\s*)::(?=[a-z-]+[^:]*::)/gi;

/** Reports whether text can be shown unchanged: printable ASCII, one column per character, and no log command. */
export function isPlainText(text: string): boolean {
  return plain.test(text) && !text.includes("##") && !text.includes("::");
}

/** Removes lone surrogates, which no encoding can represent. */
export function toWellFormed(text: string): string {
  return plain.test(text) ? text : text.replace(/\p{Cs}/gu, "\ufffd");
}

/**
 * Makes text displayable anywhere: characters that a terminal would interpret or hide are shown by name (`␛`,
 * `\u{202e}`).
 */
export function makeVisible(text: string): string {
  if (isPlainText(text)) return text;
  const shown = text.replace(hidden(), symbolOf);
  return shown.replace(logCommand, (_command, blank: string | undefined) =>
    blank === undefined ? "#\u266f" : `${blank}:\u2236`,
  );
}

function symbolOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `\\u{${code.toString(16)}}`;
}

/** Returns the width of visible text in a terminal. */
export function columnsOf(text: string): number {
  if (plain.test(text)) return text.length;
  let columns = 0;
  for (const cell of cellsOf(text)) columns += columnsOfCell(cell);
  return columns;
}

/** Returns the start of visible text that fits into a number of columns. */
export function takeFirstColumns(text: string, columns: number): string {
  if (plain.test(text)) return text.slice(0, columns);
  let taken = "";
  let left = columns;
  for (const cell of cellsOf(text)) {
    left -= columnsOfCell(cell);
    if (left < 0) break;
    taken += cell;
  }
  return taken;
}

/** Returns the end of visible text that fits into a number of columns. */
export function takeLastColumns(text: string, columns: number): string {
  if (plain.test(text)) return text.slice(Math.max(0, text.length - columns));
  let taken = "";
  let left = columns;
  for (const cell of cellsOf(text).reverse()) {
    left -= columnsOfCell(cell);
    if (left < 0) break;
    taken = cell + taken;
  }
  return taken;
}

/** Splits text into the units that a terminal draws: mostly one character each. */
function cellsOf(text: string): string[] {
  if (!joining().test(text)) return [...text];
  return [...segmenter().segment(text)].map(({ segment }) => segment);
}

function columnsOfCell(cell: string): number {
  if (wide().test(cell)) return 2;
  if (combining().test(cell) || cell === "\u200d") return 0;
  return cell.includes("\ufe0f") ? 2 : 1;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Returns text for XML without control characters, which XML cannot represent. */
export function escapeXml(text: string): string {
  const shown = text
    .split("\n")
    .map((line) => makeVisible(toWellFormed(line)))
    .join("\n");
  return shown.replace(/[&<>"\n]/g, (letter) => entities[letter] ?? letter).replace(/[\ufffe\uffff]/g, "\ufffd");
}
