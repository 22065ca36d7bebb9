import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { type Edit, insertLinesAfter, insertLinesBefore, replaceLines } from "../../src/text/edits.js";
import type { SourceFile } from "../../src/text/source.js";
import { coverage } from "../lint/upgrade-facts/index.js";
import { sampleOf } from "../support/depth.js";
import { lintText, section } from "../support/rules.js";

function applyEdit(text: string, { span: { start, end }, text: written }: Pick<Edit, "span" | "text">): string {
  return text.slice(0, start) + written + text.slice(end);
}

describe("inserted lines end like those of the file", () => {
  const edits = {
    replaces: (span: Edit["span"]) => replaceLines(span, "one\n  two"),
    "replaces with other line endings": (span: Edit["span"]) => replaceLines(span, "one\r\n  two\r"),
    "inserts before": (span: Edit["span"]) => insertLinesBefore(span, ["one", "  two"]),
    "inserts after": (span: Edit["span"]) => insertLinesAfter(span, ["one", "  two"]),
  };

  test.each([
    ["replaces", "a\r\nB\r\nc\r\n", "a\r\none\r\n  two\r\nc\r\n"],
    ["replaces", "a\nB\nc\n", "a\none\n  two\nc\n"],
    ["replaces", "a\r\nB", "a\r\none\r\n  two"],
    ["replaces", "a\nB", "a\none\n  two"],
    ["replaces", "B", "one\n  two"],
    ["replaces with other line endings", "a\r\nB\r\n", "a\r\none\r\n  two\r\n"],
    ["replaces with other line endings", "a\nB\n", "a\none\n  two\n"],
    ["inserts before", "a\r\nB\r\n", "a\r\none\r\n  two\r\nB\r\n"],
    ["inserts before", "a\r\nB", "a\r\none\r\n  two\r\nB"],
    ["inserts after", "a\r\nB\r\nc", "a\r\nB\r\none\r\n  two\r\nc"],
    ["inserts after", "a\r\nB", "a\r\nB\r\none\r\n  two"],
    ["inserts after", "a\nB", "a\nB\none\n  two"],
  ] as const)("%s a line: %j", (how, text, expected) => {
    const file: SourceFile = { path: "/a", realPath: "/a", text };
    const start = text.indexOf("B");
    const edit = edits[how]({ file, start, end: start + 1 });
    expect(edit && applyEdit(text, edit)).toBe(expected);
  });
});

const more = {
  "a client certificate for all connections": "LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n",
  "a module that may be built in":
    "LoadModule unixd_module modules/mod_unixd.so\nLoadModule log_config_module m/mod_log_config.so\n",
  "two directives that become one": section(
    "VirtualHost *:443",
    "SSLMutex file:/run/mutex",
    "AcceptMutex sem",
    "LockFile /run/lock",
  ),
};
const examples = [
  ...Object.entries(more),
  ...coverage.flatMap(({ facts }) =>
    facts.flatMap(({ fact, treatment }) => ("by" in treatment ? [[fact, treatment.example] as const] : [])),
  ),
];

test("no fix of any rule adds a different line ending", () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const [name, example] of sampleOf(examples, 6)) {
    const whole = `# Old.\n${example}`.replace(/\r?\n/g, "\r\n");
    for (const text of [whole, whole.replace(/\r\n$/, "")]) {
      for (const { rule, fix } of lintText(defaultRules, text, { from: "2.2" })) {
        if (fix === undefined) continue;
        tried++;
        const after = [...fix.edits].sort((a, b) => b.span.start - a.span.start).reduce(applyEdit, text);
        if (/(?<!\r)\n|\r(?!\n)/.test(after)) wrong.push(`${rule} (${name}): ${JSON.stringify(after)}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(10);
});
