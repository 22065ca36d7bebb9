import * as z from "zod/mini";
import { BASELINE_VERSION, type KnownFinding } from "./baseline.js";

const shape = z.object({
  version: z.literal(BASELINE_VERSION),
  findings: z.array(
    z.object({
      rule: z.string(),
      path: z.string(),
      line: z.string(),
      fingerprint: z.string(),
      count: z.int().check(z.positive()),
    }),
  ),
});

/** Reads a baseline, or says as a clause why that cannot be done. */
export function readBaseline(text: string): { readonly known: readonly KnownFinding[] } | { readonly failed: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const why = /^<{7}/m.test(text) ? ": it holds the marks of a merge conflict" : "";
    return { failed: `it is no JSON${why}` };
  }
  const read = shape.safeParse(value);
  if (read.success) return { known: read.data.findings };
  const version = z.object({ version: z.number() }).safeParse(value);
  if (version.success && version.data.version !== BASELINE_VERSION)
    return {
      failed: `it is of version ${version.data.version}, and this httpd-lint reads version ${BASELINE_VERSION}`,
    };
  const [issue] = read.error.issues;
  return { failed: `it is no baseline of httpd-lint: \`${issue?.path.join(".") || "version"}\` is missing or wrong` };
}
