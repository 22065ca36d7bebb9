import type { UncomparedChange } from "../compare/uncompared-changes.js";
import type { Directive } from "../project/directive.js";
import { lineText } from "../simulate/written.js";
import { saidLine } from "./decision-json.js";
import type { Teller } from "./teller.js";

/** At most this many are shown; JSON has all. */
const MOST_CHANGES = 50;

/** Lists what differs between two configurations and is not compared; empty if nothing does. */
export function uncomparedText(changes: readonly UncomparedChange[], teller: Teller): string {
  if (changes.length === 0) return "";
  const shown = changes.slice(0, MOST_CHANGES).map((change) => changeText(change, teller));
  const more = changes.length > MOST_CHANGES ? `  and ${changes.length - MOST_CHANGES} more\n` : "";
  return `\n${teller.colours.bold("also changed, not compared")}\n${shown.join("")}${more}`;
}

function changeText({ before, after }: UncomparedChange, teller: Teller): string {
  const quoted = (directive: Directive) => {
    const line = teller.say(`\`${saidLine(lineText(directive))}\``, 6);
    return `${teller.where(directive)}: ${line}`;
  };
  if (before && after) return `  ${quoted(before)}\n    is now ${quoted(after)}\n`;
  if (before) return `  deleted: ${quoted(before)}\n`;
  return after ? `  added: ${quoted(after)}\n` : "";
}
