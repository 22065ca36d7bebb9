import {
  areContradictory,
  canonicalizeName,
  type Directive,
  escapePattern,
  hasWildcard,
  type PatternTest,
  parsePcre,
} from "../../src/lint/api/configuration.js";

/** Sections that are merged in the order of the file, and what their name or pattern is compared with. */
const families: readonly { readonly keys: ReadonlySet<string>; readonly subject: PatternTest }[] = [
  { keys: new Set(["<files", "<filesmatch"]), subject: { pattern: "^[^/\\n]+$" } },
  { keys: new Set(["<location", "<locationmatch"]), subject: { pattern: "^/[^\\n]*$" } },
  { keys: new Set(["<directorymatch"]), subject: { pattern: "^/[^\\n]*$" } },
];

/** The requests of a section, by its name or pattern. */
export interface SectionTest {
  readonly family: number;
  readonly test: PatternTest;
  /** Whether the section has a pattern, rather than a name. */
  readonly isPattern: boolean;
}

/** Returns the requests of a section; undefined if its name is not a plain text or a pattern. */
export function readSectionTest({ key, arguments: [first, second] }: Directive): SectionTest | undefined {
  const family = families.findIndex(({ keys }) => keys.has(key));
  if (family < 0 || first === undefined) return undefined;
  const isTilde = first.value === "~";
  const written = isTilde ? second?.value : second === undefined ? first.value : undefined;
  if (written === undefined || written.includes("${")) return undefined;
  if (isTilde || key.endsWith("match"))
    return parsePcre(written).error ? undefined : { family, test: { pattern: written }, isPattern: true };
  const named = (pattern: string): SectionTest => ({ family, test: { pattern }, isPattern: false });
  const name = key === "<files" ? canonicalizeName(written) : written;
  if (key === "<files" && name === "*") return named("^");
  if (hasWildcard(name)) return undefined;
  if (key === "<files") return named(`^${escapePattern(name)}$`);
  // A path that does not end in a slash is followed by one, or by nothing (server/request.c `ap_location_walk`).
  return named(`^${escapePattern(written)}${written.endsWith("/") ? "" : "(?:/|$)"}`);
}

/** Reports whether it is proved that a section applies to all requests of another. */
export function covers(later: SectionTest, earlier: SectionTest): boolean {
  const subject = families[later.family]?.subject;
  return (
    later.family === earlier.family &&
    subject !== undefined &&
    areContradictory([subject, earlier.test, { ...later.test, isNegated: true }])
  );
}

/** Reports whether it is proved that two sections have no requests in common. */
export function areApart(one: SectionTest, other: SectionTest): boolean {
  const subject = families[one.family]?.subject;
  return one.family !== other.family || (subject !== undefined && areContradictory([subject, one.test, other.test]));
}

/** An alternative of the pattern of a section, and the requests that it is for. */
export interface PatternAlternative extends SectionTest {
  readonly text: string;
}

/** Lists the alternatives in the first group of a pattern that has several, or of the pattern as a whole. */
export function listAlternatives({ family, test: { pattern }, isPattern }: SectionTest): readonly PatternAlternative[] {
  const { branches, error } = parsePcre(pattern);
  if (error || !isPattern) return [];
  const isWhole = branches.length > 1;
  const group = branches[0]?.find((node) => node.kind === "group" && node.branches.length > 1);
  if (!isWhole && (group?.kind !== "group" || group.construct !== undefined)) return [];
  const listed = isWhole ? branches : group?.kind === "group" ? group.branches : [];
  const [before, after] = isWhole || !group ? ["", ""] : [pattern.slice(0, group.start), pattern.slice(group.end)];
  return listed.flatMap((nodes) => {
    const [first, last] = [nodes[0], nodes.at(-1)];
    if (first === undefined || last === undefined) return [];
    const text = pattern.slice(first.start, last.end);
    return [{ text, family, isPattern, test: { pattern: `${before}(?:${text})${after}` } }];
  });
}
