import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Directive } from "../../../src/config/model/directive.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { runCount } from "../../support/depth.js";

function directivesOf(text: string): readonly Directive[] {
  const loaded = loadProject("/httpd.conf", { access: memoryAccess({ "/httpd.conf": text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value.directives;
}

test("repeated lines share a number with any indentation, and the first line has none", () => {
  const numbers = directivesOf("Timeout 5\n  Timeout 5\nTimeout  5\nTimeout 6\n\tTimeout 5  \nTIMEOUT 5\n").map(
    ({ wording }) => wording,
  );
  expect(numbers).toEqual([0, 1, 0, 0, 1, 0]);
});

test("lines before and after the LoadModule line of their module do not share a number", () => {
  const directives = directivesOf(
    "LoadModule unixd_module x.so\nsatisfy all\nLoadModule access_compat_module x.so\nsatisfy all\n",
  );
  expect(directives.map(({ name, wording }) => [name, wording])).toEqual([
    ["satisfy", 0],
    ["Satisfy", 0],
  ]);
});

test("different texts do not share a number, and shared numbers do not change what is read", () => {
  const line = fc.oneof(
    fc.constantFrom("Options None", "Deny from all", "<Files a>", "</Files>", "<files A>", "</files>", "# note", ""),
    fc
      .tuple(fc.constantFrom("Header", "Alias", "Redirect"), fc.string({ unit: "grapheme-ascii", maxLength: 12 }))
      .map(([name, rest]) => `${name} ${rest.replaceAll("\\", "")}`),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const texts = new Map<number, string>();
      const actual: string[] = [];
      const visit = (directives: readonly Directive[]) => {
        for (const directive of directives) {
          const text = `${directive.name} ${directive.argumentText}`;
          const { start, end, file } = directive.span;
          actual.push(file.text.slice(start, end));
          if (directive.wording !== 0) expect(texts.get(directive.wording) ?? text).toBe(text);
          if (directive.wording !== 0) texts.set(directive.wording, text);
          visit(directive.children ?? []);
        }
      };
      visit(directivesOf(lines.join("\n")));
      const expected = lines.map((each) => each.trim()).filter((each) => !/^(#|<\/|$)/.test(each));
      expect(actual).toEqual(expected);
    }),
    { seed: 7, numRuns: runCount(100, 500) },
  );
});
