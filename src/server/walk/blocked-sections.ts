import type { ConfigTree, Line } from "../../../grammar/ast.js";
import type { Project } from "../../config/model/project.js";
import { formatUnclosedSections } from "../../config/reader/section-stack.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { type DirectiveFacts, findDirectiveFacts } from "../../facts/directives.js";
import { type Span, toReadable } from "../../text/source.js";

/** The server's result of reading a `.htaccess` file with a conditional section that is not allowed there. */
export interface PartialRead {
  /** The position of the first such section; the file is read normally up to there. */
  readonly from: number;
  /** The position at which the server stops; undefined if it ignores these sections and reaches the end. */
  readonly stop: Refusal | undefined;
  /** Error log messages about the sections that it ignores. */
  readonly remarks: readonly string[];
}

interface OpenSectionLine {
  readonly name: string;
  /** Whether it is an evaluated conditional section. */
  readonly isGuard: boolean;
  readonly line: WrittenLine;
}

/** A line with content. */
interface WrittenLine {
  readonly kind: Line["kind"];
  /** The name in the server's table, a section with its `<`. */
  readonly name: string;
  /** The original spelling. */
  readonly word: string;
  readonly span: Span;
  /** The facts of a directive that takes effect while reading. */
  readonly readTime: DirectiveFacts | undefined;
}

/**
 * Reads a file again with a read-time directive that is not allowed there (server/config.c `ap_build_config_sub`,
 * `invoke_cmd`). The server stops at it, or ignores it, and its closing tag then closes nothing.
 *
 * @param isAllowed whether a directive is allowed in the file
 * @param skips whether disallowed ones are ignored
 */
export function readUntilBlocked(
  tree: ConfigTree,
  project: Project,
  isAllowed: (facts: DirectiveFacts) => boolean,
  skips: boolean,
): PartialRead | undefined {
  const open: OpenSectionLine[] = [];
  const unmet = findUnmetGuards(tree, project);
  const remarks: string[] = [];
  let from: number | undefined;
  let hidden = 0;
  for (const line of linesIn(tree, project)) {
    const { kind, name, word, span, readTime } = line;
    if (hidden > 0) hidden += kind === "open" ? 1 : kind === "close" ? -1 : 0;
    else if (readTime && !isAllowed(readTime)) {
      if (skips && kind === "open") remarks.push(describeSkippedDirective(name));
      if (kind !== "open" && skips) continue;
      from ??= span.start;
      if (!skips) return { from, stop: refuseLine(line), remarks };
    } else if (readTime && unmet.has(span.start)) hidden = 1;
    else if (kind === "open") open.push({ name: name.slice(1), isGuard: readTime !== undefined, line });
    else if (kind === "close") {
      const server = describeMisplacedClose(word, open.pop());
      if (server === undefined) continue;
      if (from === undefined) return undefined;
      const stop = { ...wordingOf("close-after-skipped-section", toReadable(word), server), span };
      return { from, stop, remarks };
    }
  }
  return from === undefined ? undefined : { from, stop: findUnclosed(open), remarks };
}

/** Returns the server's message for a directive that it ignores because of Nonfatal. @param name as in its table */
export function describeSkippedDirective(name: string): string {
  return `AH02295: ${name} in .htaccess forbidden by AllowOverride`;
}

function refuseLine({ name, span }: WrittenLine): Refusal {
  const title = `\`${name}${name.startsWith("<") ? ">" : ""}\``;
  return { ...wordingOf("override-not-allowed", title, name, "here"), span };
}

/** Returns the server's message for an unmatched closing tag. */
function describeMisplacedClose(word: string, section: OpenSectionLine | undefined): string | undefined {
  const shown = toReadable(word);
  const isSectionOf = section !== undefined && word.slice(2, -1).toLowerCase() === section.name.toLowerCase();
  if (word.endsWith(">") && isSectionOf) return undefined;
  if (section === undefined || section.isGuard) return `${shown} without matching <${shown.slice(2)} section`;
  return word.endsWith(">")
    ? `Expected </${section.name}> but saw ${shown}`
    : `${shown}> directive missing closing '>'`;
}

/**
 * Returns the error for sections that are open at the end of the file; those inside a conditional section that applies
 * are accepted.
 */
function findUnclosed(open: readonly OpenSectionLine[]): Refusal | undefined {
  const firstGuard = open.findIndex(({ isGuard }) => isGuard);
  const lines = (firstGuard < 0 ? open : open.slice(0, firstGuard)).map(({ line }) => line);
  const [first] = lines;
  if (first === undefined) return undefined;
  const text = wordingOf("open-after-skipped-section", toReadable(first.name), formatUnclosedSections(lines));
  return { ...text, span: first.span };
}

/** Returns the positions of a file's conditional sections that do not apply. */
function findUnmetGuards({ source }: ConfigTree, { guards }: Project): ReadonlySet<number> {
  return new Set(guards.filter(({ span, holds }) => !holds && span.file === source).map(({ span }) => span.start));
}

/** Returns the lines of a file with content. */
function linesIn({ source, text, lines }: ConfigTree, { release, modules }: Project): WrittenLine[] {
  return Array.from(lines)
    .filter(({ kind }) => kind !== "blank" && kind !== "comment")
    .map(({ kind, nameStart, nameEnd, restEnd }) => {
      // The name may be the only text before a continuation.
      const word = text.slice(nameStart, nameEnd).replace(/\\$/, "");
      const written = word.replace(/^(<[^/].*)>$/, "$1");
      const facts = findDirectiveFacts(release, written).find((each) => !each.manualOnly && modules.provides(each));
      return {
        ...{ kind, word },
        name: facts ? `${facts.section ? "<" : ""}${facts.tableName}` : written,
        span: { file: source, start: nameStart, end: Math.max(nameEnd, restEnd) },
        readTime: facts?.readTime ? facts : undefined,
      };
    });
}
