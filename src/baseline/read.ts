import * as z from "zod/mini";
import { BASELINE_VERSION, type KnownFinding } from "./baseline.js";

const baselineShape = z.object({
  version: z.literal(BASELINE_VERSION),
  findings: z.array(z.unknown()),
});

const findingShape = z.object({
  rule: z.string(),
  path: z.string(),
  line: z.string(),
  fingerprint: z.string(),
  count: z.int().check(z.positive()),
});

/** Parses a baseline, or returns the reason for failure as a clause. */
export function readBaseline(text: string): { readonly known: readonly KnownFinding[] } | { readonly failed: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const why = /^<{7}/m.test(text) ? ": it has the markers of a merge conflict" : "";
    return { failed: `it is not valid JSON${why}` };
  }
  const read = baselineShape.safeParse(value);
  if (read.success) return parseFindings(read.data.findings);
  const version = z.object({ version: z.number() }).safeParse(value);
  if (version.success && version.data.version !== BASELINE_VERSION)
    return {
      failed: `it has version ${version.data.version}, but this httpd-lint reads version ${BASELINE_VERSION}`,
    };
  return failAt(read.error.issues[0]?.path ?? []);
}

/**
 * Validates the findings one by one, up to the first error: the issues of a fully invalid file would overflow the
 * stack.
 */
function parseFindings(findings: readonly unknown[]): ReturnType<typeof readBaseline> {
  const known: KnownFinding[] = [];
  for (const [index, each] of findings.entries()) {
    const read = findingShape.safeParse(each);
    if (!read.success) return failAt(["findings", index, ...(read.error.issues[0]?.path ?? [])]);
    known.push(read.data);
  }
  return { known };
}

function failAt(path: readonly PropertyKey[]): { readonly failed: string } {
  return { failed: `it is not a baseline of httpd-lint: \`${path.join(".") || "version"}\` is missing or invalid` };
}
