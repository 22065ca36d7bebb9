import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { patternFault } from "./patterns.js";
import type { Fault } from "./refusal.js";

/** What mod_substitute refuses about Substitute (`set_pattern`): `s`, and any mark three times around two texts. */
export function substituteFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const span = directive.spanOf(word);
  const { value } = word;
  const mark = value.charAt(1);
  const [from = "", to, ...flags] = value.slice(2).split(mark);
  const remedy = "write `s/what/instead/`, with another mark for `/` if you like";
  if (!/^s/i.test(value)) {
    const server = "Bad Substitute format, must be an s/// pattern";
    return { server, wrong: `${quoted(value)} does not start with \`s\``, remedy, span };
  }
  if (mark === "" || from === "" || to === undefined) {
    const server = "Bad Substitute format, must be a complete s/// pattern";
    return { server, wrong: `${quoted(value)} is not complete`, remedy, span };
  }
  const strange = /[^infq]/i.exec(flags.join(mark));
  if (strange) {
    const server = "Bad Substitute flag, only s///[infq] are supported";
    return { server, wrong: `${quoted(strange[0])} is no flag here`, remedy: "take it out", span };
  }
  if (/n/i.test(flags.join(""))) return undefined;
  return patternFault(
    directive,
    { ...word, value: value.slice(0, 2 + from.length) },
    "Substitute could not compile regex",
    2,
  );
}
