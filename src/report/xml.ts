import { visible, wellFormed } from "./visible.js";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Text that XML can hold: no control characters, which it has no way to write. */
export function xml(text: string): string {
  const shown = text
    .split("\n")
    .map((line) => visible(wellFormed(line)))
    .join("\n");
  return shown.replace(/[&<>"\n]/g, (letter) => entities[letter] ?? letter).replace(/[\ufffe\uffff]/g, "\ufffd");
}
