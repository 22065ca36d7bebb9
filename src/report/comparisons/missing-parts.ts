import { joinClauses } from "../../config/assumed-server.js";
import type { Refusal } from "../../config/refusals/refusal.js";
import { formatCount, quoteText } from "../../text/words.js";
import { PlaceResolver } from "../text/source-places.js";

/** Limit of the lines in an assumption. */
const MAX_LINES = 5;

/** The assumptions without which nothing can be known about a server with missing parts. */
interface MissingParts {
  /** As clauses. */
  readonly assumptions: readonly string[];
  readonly notes: readonly string[];
}

/** Describes the missing parts of a server: files that Include names, and the lines that a template's tags stand for. */
export function describeMissingParts(missing: readonly Refusal[], base: string | undefined): MissingParts {
  const files = missing.filter(({ kind }) => kind !== "template");
  const tags = missing.filter(({ kind }) => kind === "template");
  const assumptions = [
    ...(files.length === 0 ? [] : [`no missing file affects access: ${listLines(files, base)}`]),
    ...(tags.length === 0 ? [] : [`no line inserted for a template tag affects access: ${listLines(tags, base)}`]),
  ];
  const remedies = [...new Set(missing.map(({ remedy }) => remedy))].join("; ");
  const note = `httpd-lint: assuming that ${joinClauses(assumptions)}; to check the whole server, ${remedies}`;
  return { assumptions, notes: assumptions.length === 0 ? [] : [note] };
}

function listLines(problems: readonly Refusal[], base: string | undefined): string {
  const places = new PlaceResolver(base);
  const lines = problems.map(({ span }) => {
    const { file, start, end } = span;
    return `${quoteText(file.text.slice(start, end))} (${places.path(file)}:${places.start(places.place(span)).line})`;
  });
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [formatCount(more, "more line")] : [])].join(", ");
}
