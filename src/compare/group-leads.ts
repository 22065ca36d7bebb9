import { finiteTexts } from "../logic/finite-texts.js";
import { readPattern } from "../logic/pattern-reader.js";
import type { Regular } from "../logic/regular.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import { substituted } from "../scope/leading.js";
import { patternOf } from "../scope/patterns.js";
import { Questions } from "../scope/questions.js";
import type { Lead } from "./path-leads.js";

/** One of the texts that paths start with for which a pattern is: `/manual/de` and `/manual` of `^/manual(?:/de)?(/.*)?$`. */
interface Head {
  readonly text: string;
  /** Finds the paths of the pattern that start so. Those that an earlier one is for as well are the earlier one's. */
  readonly pattern: string;
}

/** So many are told apart. */
const MOST_HEADS = 64;

/** A head, a group for all that is behind it, and the end; the head and the rest may be all that there is. */
const headAndRest = /^(\^.*?)(\((\/?)\.[*+]\)(\??))?(\$?)$/s;

/** `$0` to `$9`. */
const MOST_GROUPS = 10;

/** What is read in another order, or says how the rest is to be read. */
const unread = /\(\?[^:]|\\Q|\?\?|\}/;

/** The heads of a pattern that takes a few and whatever is behind them, in the order in which the server tries them. */
export function headsOf(pattern: string): readonly Head[] {
  const [, head = "", rest = "", slash, optional, end = ""] = headAndRest.exec(pattern) ?? [];
  // Of what is behind a rest that may be left out it is not told whether it goes along.
  if (head === "" || unread.test(head) || (slash && optional && !end)) return [];
  const reading = readPattern(head);
  const texts = reading.kind === "regular" ? textsAtStart(reading.found) : undefined;
  return (texts ?? []).map((text) => ({ text, pattern: `^${escaped(text)}${rest}${end}` }));
}

/** Where a `^` is for all of it. */
function textsAtStart(found: Regular): readonly string[] | undefined {
  if (found.kind === "start") return [""];
  if (found.kind !== "sequence") return undefined;
  const [first, ...parts] = found.parts;
  return first?.kind === "start" ? finiteTexts({ kind: "sequence", parts }, MOST_HEADS) : undefined;
}

function escaped(text: string): string {
  return text.replace(/[^\w/]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/**
 * Where AliasMatch leads a path, and all that start with the same head: its groups but the last are the same for them, and the
 * last is the rest of the path.
 *
 * @param filename of that path
 * @returns undefined where it hangs on the rest of the path in another way
 */
export function groupLead(
  { from, to }: { readonly from: string; readonly to: string },
  path: string,
  filename: string,
  { serverRoot }: Project,
): Lead | undefined {
  const questions = new Questions(new Map());
  const head = headsOf(from).find(({ pattern }) => patternOf(pattern).matches(path, questions));
  const groups = patternOf(from).find(path, questions) ?? [];
  // Of a `\` or `&` the releases make different things.
  if (head === undefined || /[\\&]/.test(to)) return undefined;
  const [, , rest, slash] = headAndRest.exec(from) ?? [];
  if (groups.length > MOST_GROUPS) return undefined;
  const last = `$${groups.length - 1}`;
  if (rest === undefined || !(to.includes(last) || to.includes("$0"))) return { kind: "constant", target: filename };
  const written = to.slice(0, -last.length);
  if (!to.endsWith(last) || written.includes(last) || written.includes("$0")) return undefined;
  const folder = substituted(written, groups, questions);
  if (questions.unsettled !== undefined) return undefined;
  // What is behind a head without a slash may be two dots.
  const startsPart = folder.endsWith("/") && !slash && head.text !== "" && !head.text.endsWith("/");
  if (folder === "" || startsPart || /(^|\/)\.{1,2}$/.test(folder)) return undefined;
  return { kind: "file", prefix: head.text, target: absolutePath(serverRoot, folder), isRoot: false };
}
