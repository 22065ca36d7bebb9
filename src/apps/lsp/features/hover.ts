import { type Hover, type MarkupContent, MarkupKind, type Position, type Range } from "vscode-languageserver/node";
import type { Release } from "../../../facts/release.js";
import { describeDirective } from "../../../report/text/directive-description.js";
import type { Cursor } from "../documents/open-documents.js";
import type { AccessDescription, EditorFinding } from "../job.js";

/** Lines for which the hover shows access: sections for paths, and access control directives. */
const accessDirective =
  /^(?:<(?:virtualhost|(?:directory|files|location|proxy)(?:match)?|limit|limitexcept|require(?:all|any|none))|require|order|allow|deny|satisfy)$/;

/** Reports whether the hover shows access for a line. */
export function isAccessControlLine({ read }: Cursor): boolean {
  return read !== undefined && accessDirective.test(read.key);
}

/** The input for a hover besides the cursor. */
export interface HoverContext {
  readonly release: Release;
  /** Undefined if access was not requested, or there is nothing to show. */
  readonly access: AccessDescription | "not yet" | undefined;
  /** The findings of the open version of the document. */
  readonly findings: readonly EditorFinding[];
}

/** Returns the hover text: the findings there, the access, and a description of the directive or section. */
export function createHover(cursor: Cursor, position: Position, context: HoverContext): Hover | undefined {
  const { release, access, findings } = context;
  const { read, document } = cursor;
  const found = findings.filter(({ diagnostic }) => isWithinRange(position, diagnostic.range));
  const [first] = found;
  const facts = read && describeDirective(read.key, release);
  if (read === undefined || facts === undefined)
    return first && { contents: toMarkup(found.map(({ hover }) => hover)), range: first.diagnostic.range };
  const described =
    access === "not yet"
      ? "The access to these paths is still being computed. Hover again to see it."
      : access?.markdown;
  const parts = [...found.map(({ hover }) => hover), ...(described === undefined ? [] : [described]), facts];
  const end = read.words.at(-1)?.end ?? read.name.end;
  return {
    contents: toMarkup(parts),
    range: document.placed.rangeOf({ start: read.name.start, end }),
  };
}

function toMarkup(parts: readonly string[]): MarkupContent {
  return { kind: MarkupKind.Markdown, value: parts.join("\n\n---\n\n") };
}

/** Reports whether a position is in a range, or at its end. */
function isWithinRange({ line, character }: Position, { start, end }: Range): boolean {
  const isAfterStart = line > start.line || (line === start.line && character >= start.character);
  return isAfterStart && (line < end.line || (line === end.line && character <= end.character));
}
