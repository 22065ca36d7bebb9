import { findModuleByName, type Guard, isVersionOf, type Project } from "../../src/lint/api/configuration.js";
import { type Span, toReadable } from "../../src/lint/api/rule.js";

/** A LoadModule line in a conditional section that does not apply. */
export interface SkippedLoad {
  readonly identifier: string;
  readonly span: Span;
  /** The opening line of the section, as written. */
  readonly section: string;
  /** Identifier of the missing module that the section tests for. */
  readonly testedModule?: string;
}

/** Finds the LoadModule line of a module, by its identifier without a version, in sections that do not apply. */
export function findSkippedLoad({ guards, release }: Project, module: string): SkippedLoad | undefined {
  for (const guard of guards) {
    if (guard.holds) continue;
    const { file, start } = guard.span;
    for (const line of linesInside(guard)) {
      const identifier = line.text.trim().split(/\s+/)[1] ?? "";
      if (!isVersionOf(identifier, module)) continue;
      const tested = guard.negated ? undefined : findModuleByName(release, guard.argument)?.identifier;
      return {
        identifier: toReadable(identifier),
        span: { file, start: line.start, end: line.start + line.text.length },
        section: toReadable(file.text.slice(start, guard.span.end).trim()),
        ...(tested === undefined ? {} : { testedModule: tested }),
      };
    }
  }
  return undefined;
}

/** Yields the LoadModule lines up to the end of a conditional section. */
function* linesInside({ kind, span }: Guard): Generator<{ readonly text: string; readonly start: number }> {
  const { text } = span.file;
  const name = kind.slice(1);
  const line = new RegExp(`^[\\t ]*(?:(<${name}[\\t ])|(</${name}[\\t ]*>)|(LoadModule[\\t ][^\\r\\n]*))`, "gim");
  line.lastIndex = span.end;
  let depth = 1;
  for (let match = line.exec(text); match && depth > 0; match = line.exec(text)) {
    const [, opening, closing, load] = match;
    if (opening) depth++;
    else if (closing) depth--;
    else if (load) yield { text: load, start: match.index + match[0].length - load.length };
  }
}
