import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Finding, severities } from "../../src/lint/finding.js";
import { PlaceResolver } from "../../src/report/text/source-places.js";
import { fromBytes } from "../../src/text/bytes.js";
import { positionAt, type SourceFile, type Span } from "../../src/text/source.js";
import { runCount } from "../support/depth.js";
import { githubComplaints } from "../support/programs/github-sarif.js";
import { renderReport, rule } from "./samples.js";
import { sarifValidator } from "./sarif-schema.js";

const isJson = new Ajv2020().compile(JSON.parse(readFileSync("src/report/schema/check.schema.json", "utf8")));
const isSarif = sarifValidator();

/** Significant bytes: line ends, continuations, escapes, and parts of wide, joined and broken characters. */
const piece = fc.oneof(
  fc.constantFrom(
    "\n",
    "\r\n",
    "\\\n",
    "\t",
    "\x1b[31m",
    "\0",
    "Order",
    " ",
    "日",
    "👩‍💻",
    "e\u0301",
    "\u202e",
    "\ufeff",
    "//a:b@",
  ),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const bytes = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join(""), "utf8")),
  fc.uint8Array({ maxLength: 60 }),
);
const words = fc.string({ unit: "binary", maxLength: 30 });
const path = words.map((name) => `/srv/${name.replaceAll(/\/|^\.+$/g, "_") || "x"}`);
const file = fc.tuple(path, bytes).map(([name, content]) => ({ path: name, realPath: name, text: fromBytes(content) }));

function spanIn(source: SourceFile): fc.Arbitrary<Span> {
  return fc
    .tuple(fc.nat({ max: source.text.length }), fc.nat({ max: source.text.length }))
    .map(([a, b]) => ({ file: source, start: Math.min(a, b), end: Math.max(a, b) }));
}

const findings: fc.Arbitrary<Finding[]> = fc.array(file, { minLength: 1, maxLength: 3 }).chain((files) => {
  const span = fc.oneof(...files.map(spanIn));
  const related = fc.record({ message: words, span });
  const edit = fc.record({ span, text: bytes.map(fromBytes) });
  const fix = fc.record({
    title: words,
    safety: fc.constantFrom("safe", "unsafe"),
    edits: fc.array(edit, { maxLength: 3 }),
  });
  const finding = fc.record(
    {
      rule: fc.constantFrom("one", "two"),
      severity: fc.constantFrom(...severities),
      message: words,
      span,
      label: words,
      related: fc.array(related, { maxLength: 3 }),
      notes: fc.array(words, { maxLength: 2 }),
      help: fc.array(words, { maxLength: 2 }),
      isAboutServer: fc.boolean(),
      fix,
    },
    { requiredKeys: ["rule", "severity", "message", "span", "related"] },
  );
  return fc.array(finding, { maxLength: 4 });
});

/** In JSON, invisible and bidirectional characters are escaped. */
const hidden = /(?!\n)[\p{Cc}\p{Cf}]/u;
const rules = [rule("one"), rule("two", "info")];

describe("reports of random findings in random bytes", () => {
  it("are text without control characters", () => {
    fc.assert(
      fc.property(findings, fc.integer({ min: 1, max: 200 }), (found, width) => {
        const text = renderReport("text", found, { width });
        expect(text).toMatch(/^(?:[^\p{Cc}\p{Bidi_Control}\p{Cs}]|\n)*$/u);
        expect(stripVTControlCharacters(renderReport("text", found, { width, colour: true }))).toBe(text);
      }),
    );
  });

  it("are JSON that conforms to the schema", () => {
    fc.assert(
      fc.property(findings, (found) => {
        const text = renderReport("json", found);
        expect(text).not.toMatch(hidden);
        const log = JSON.parse(text);
        expect(isJson(log), JSON.stringify(isJson.errors)).toBe(true);
        expect(log.findings).toHaveLength(found.length);
      }),
    );
  });

  it("have an issue for each finding in GitLab's format, and a line in the concise one", () => {
    fc.assert(
      fc.property(findings, (found) => {
        const text = renderReport("gitlab", found);
        expect(text).not.toMatch(hidden);
        expect(JSON.parse(text)).toHaveLength(found.length);
        const concise = renderReport("concise", found);
        expect(concise).toMatch(/^(?:[^\p{Cc}\p{Bidi_Control}\p{Cs}]|\n)*$/u);
        expect(concise.split("\n")).toHaveLength(found.length + 1);
      }),
    );
  });

  it("are SARIF that GitHub accepts", () => {
    fc.assert(
      fc.property(findings, (found) => {
        const text = renderReport("sarif", found, { rules });
        expect(text).not.toMatch(hidden);
        const log = JSON.parse(text);
        expect(isSarif?.(log) ?? true, JSON.stringify(isSarif?.errors)).toBe(true);
        expect(githubComplaints(log)).toEqual([]);
      }),
    );
  });

  it("have one command for each finding in GitHub's format", () => {
    fc.assert(
      fc.property(findings, (found) => {
        const lines = renderReport("github", found).split("\n").slice(0, -1);
        expect(lines).toHaveLength(found.length);
        for (const line of lines) expect(line).toMatch(/^::(?:error|warning|notice) file=[^,:]+,(?:line=\d+,)?[^:]*::/);
      }),
    );
  });

  it("have one command for each finding in the format of Azure Pipelines", () => {
    fc.assert(
      fc.property(findings, (found) => {
        const lines = renderReport("azure", found).split("\n").slice(0, -1);
        expect(lines).toHaveLength(found.length);
        for (const line of lines)
          expect(line).toMatch(
            /^##vso\[task\.logissue type=(?:error|warning);sourcepath=[^;\]]+;[a-z=\d;-]+\](?!.*##vso)/,
          );
      }),
    );
  });

  it.each([
    ["junit", /<failure /g],
    ["checkstyle", /<error /g],
  ] as const)("are XML without invalid characters: %s", (format, tag) => {
    fc.assert(
      fc.property(findings, (found) => {
        const text = renderReport(format, found);
        expect(text).toMatch(/^(?:[^\p{Cc}\p{Cs}\ufffe\uffff]|\n)*$/u);
        const words = text.replaceAll(/<(?:[?/]?[a-z]+(?: [a-z]+="[^"<>]*")*[?/]?)>/g, "");
        expect(words).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot|#10);)/);
        expect(text.match(tag) ?? []).toHaveLength(found.length);
      }),
    );
  });

  it("have the positions of a separate lookup, in any order", () => {
    fc.assert(
      fc.property(
        file.chain((source) => fc.array(spanIn(source), { maxLength: 10 })),
        (spans) => {
          const places = new PlaceResolver(undefined);
          for (const span of spans) {
            expect(places.exactRange(span)).toEqual({
              start: positionAt(span.file, span.start),
              end: positionAt(span.file, span.end),
            });
          }
        },
      ),
      { numRuns: runCount(200, 1000) },
    );
  });
});
