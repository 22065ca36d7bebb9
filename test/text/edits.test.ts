import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { type Edit, insertLinesAfter, insertLinesBefore, replaceLines } from "../../src/text/edits.js";
import type { SourceFile } from "../../src/text/source.js";
import { sampleOf } from "../support/depth.js";
import { lintText, section } from "../support/rules.js";
import { coverage } from "../upgrade/facts/index.js";

function applied(text: string, { span: { start, end }, text: written }: Pick<Edit, "span" | "text">): string {
  return text.slice(0, start) + written + text.slice(end);
}

describe("lines are ended as the file does it", () => {
  const edits = {
    replaced: (span: Edit["span"]) => replaceLines(span, "one\n  two"),
    "replaced by a line with an end of its own": (span: Edit["span"]) => replaceLines(span, "one\r\n  two\r"),
    before: (span: Edit["span"]) => insertLinesBefore(span, ["one", "  two"]),
    behind: (span: Edit["span"]) => insertLinesAfter(span, ["one", "  two"]),
  };

  test.each([
    ["replaced", "a\r\nB\r\nc\r\n", "a\r\none\r\n  two\r\nc\r\n"],
    ["replaced", "a\nB\nc\n", "a\none\n  two\nc\n"],
    ["replaced", "a\r\nB", "a\r\none\r\n  two"],
    ["replaced", "a\nB", "a\none\n  two"],
    ["replaced", "B", "one\n  two"],
    ["replaced by a line with an end of its own", "a\r\nB\r\n", "a\r\none\r\n  two\r\n"],
    ["replaced by a line with an end of its own", "a\nB\n", "a\none\n  two\n"],
    ["before", "a\r\nB\r\n", "a\r\none\r\n  two\r\nB\r\n"],
    ["before", "a\r\nB", "a\r\none\r\n  two\r\nB"],
    ["behind", "a\r\nB\r\nc", "a\r\nB\r\none\r\n  two\r\nc"],
    ["behind", "a\r\nB", "a\r\nB\r\none\r\n  two"],
    ["behind", "a\nB", "a\nB\none\n  two"],
  ] as const)("%s: %j", (how, text, expected) => {
    const file: SourceFile = { path: "/a", realPath: "/a", text };
    const start = text.indexOf("B");
    const edit = edits[how]({ file, start, end: start + 1 });
    expect(edit && applied(text, edit)).toBe(expected);
  });
});

const more = {
  "a client certificate of all": "LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n",
  "a module that may be built in":
    "LoadModule unixd_module modules/mod_unixd.so\nLoadModule log_config_module m/mod_log_config.so\n",
  "two lines for one": section(
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

test("no fix of any rule ends a line in another way than the file does", () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const [name, example] of sampleOf(examples, 6)) {
    const whole = `# Old.\n${example}`.replace(/\r?\n/g, "\r\n");
    for (const text of [whole, whole.replace(/\r\n$/, "")]) {
      for (const { rule, fix } of lintText(defaultRules, text, { from: "2.2" })) {
        if (fix === undefined) continue;
        tried++;
        const after = [...fix.edits].sort((a, b) => b.span.start - a.span.start).reduce(applied, text);
        if (/(?<!\r)\n|\r(?!\n)/.test(after)) wrong.push(`${rule} (${name}): ${JSON.stringify(after)}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(10);
});
