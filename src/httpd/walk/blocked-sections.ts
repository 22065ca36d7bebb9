import type { ConfigTree, Line } from "../../../grammar/ast.js";
import { type DirectiveFacts, findDirectiveFacts } from "../../directives/directives.js";
import type { Project } from "../../project/model/project.js";
import { formatUnclosedSections } from "../../project/reader/section-stack.js";
import { type Span, toReadable } from "../../text/source.js";

/** What the server gets to while it reads a `.htaccess` file in which a guard may not stand. */
export interface PartialRead {
  /** Where the first such guard stands; up to there the file is read like any other. */
  readonly from: number;
  /** Where the server stops then; it may come through where it passes guards over. */
  readonly stop: { readonly span: Span; readonly why: string; readonly server: string | undefined } | undefined;
  /** What it writes into its error log of guards that it passes over. */
  readonly remarks: readonly string[];
}

interface OpenSectionLine {
  readonly name: string;
  /** Whether it is a guard that is carried out. */
  readonly isGuard: boolean;
  readonly line: WrittenLine;
}

/** A line that says anything. */
interface WrittenLine {
  readonly kind: Line["kind"];
  /** As the server's table has it, a section with its `<`. */
  readonly name: string;
  /** As it is written. */
  readonly word: string;
  readonly span: Span;
  /** What is known of one that is carried out while the file is read. */
  readonly readTime: DirectiveFacts | undefined;
}

/**
 * Reads a file once more where a line that is carried out while it is read may not stand there (server/config.c
 * `ap_build_config_sub`, `invoke_cmd`): the server stops at it, or passes it over, and what closes it closes nothing.
 *
 * @param isAllowed whether a directive may stand in the file
 * @param passesOver whether what may not is passed over
 */
export function readUntilBlocked(
  tree: ConfigTree,
  project: Project,
  isAllowed: (facts: DirectiveFacts) => boolean,
  passesOver: boolean,
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
      if (passesOver && kind === "open") remarks.push(describeSkippedDirective(name));
      if (kind !== "open" && passesOver) continue;
      from ??= span.start;
      if (!passesOver) return { from, stop: stopAt(line, " by AllowOverride", `${name} not allowed here`), remarks };
    } else if (readTime && unmet.has(span.start)) hidden = 1;
    else if (kind === "open") open.push({ name: name.slice(1), isGuard: readTime !== undefined, line });
    else if (kind === "close") {
      const server = describeMisplacedClose(word, open.pop());
      if (server === undefined) continue;
      if (from === undefined) return undefined;
      return {
        from,
        stop: { span, why: `\`${toReadable(word)}\` closes nothing, for a guard is passed over`, server },
        remarks,
      };
    }
  }
  return from === undefined ? undefined : { from, stop: findUnclosed(open), remarks };
}

/** What the server says of a directive that Nonfatal lets it pass over. @param name as its table has it */
export function describeSkippedDirective(name: string): string {
  return `AH02295: ${name} in .htaccess forbidden by AllowOverride`;
}

function stopAt({ name, span }: WrittenLine, more: string, server: string): PartialRead["stop"] {
  return { span, why: `\`${name}${name.startsWith("<") ? ">" : ""}\` is not allowed${more}`, server };
}

/** What the server says of a closing tag that does not close what it should. */
function describeMisplacedClose(word: string, section: OpenSectionLine | undefined): string | undefined {
  const shown = toReadable(word);
  const isFor = section !== undefined && word.slice(2, -1).toLowerCase() === section.name.toLowerCase();
  if (word.endsWith(">") && isFor) return undefined;
  if (section === undefined || section.isGuard) return `${shown} without matching <${shown.slice(2)} section`;
  return word.endsWith(">")
    ? `Expected </${section.name}> but saw ${shown}`
    : `${shown}> directive missing closing '>'`;
}

/** Sections that the file ends in; those around which a guard holds are taken. */
function findUnclosed(open: readonly OpenSectionLine[]): PartialRead["stop"] {
  const firstGuard = open.findIndex(({ isGuard }) => isGuard);
  const lines = (firstGuard < 0 ? open : open.slice(0, firstGuard)).map(({ line }) => line);
  const [first] = lines;
  if (first === undefined) return undefined;
  return {
    span: first.span,
    why: `\`${toReadable(first.name)}>\` is never closed`,
    server: formatUnclosedSections(lines),
  };
}

/** Where the guards of a file stand that do not hold. */
function findUnmetGuards({ source }: ConfigTree, { guards }: Project): ReadonlySet<number> {
  return new Set(guards.filter(({ span, holds }) => !holds && span.file === source).map(({ span }) => span.start));
}

/** The lines of a file that say anything. */
function linesIn({ source, lines }: ConfigTree, { release, modules }: Project): WrittenLine[] {
  return Array.from(lines)
    .filter(({ kind }) => kind !== "blank" && kind !== "comment")
    .map(({ kind, nameStart, nameEnd, restEnd }) => {
      // The name may be all that stands ahead of a continuation.
      const word = source.text.slice(nameStart, nameEnd).replace(/\\$/, "");
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
