import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { traps } from "../support/placed-traps.js";
import { lintedFolder } from "../support/test-folder.js";

const { lint, write } = lintedFolder();

interface Found {
  readonly rule: string;
  readonly severity: string;
  readonly path: string;
  readonly start: { readonly line: number };
  readonly notes?: readonly string[];
}

const names = [
  "httpd.conf",
  "apache2.conf",
  "site.conf",
  "sites-available/app.conf",
  "conf.d/app.conf",
  "roles/web/files/status.conf",
];

function check(args: readonly string[], input?: string): readonly Found[] {
  const { stdout } = lint(["check", "--no-config", "--format", "json", ...args], input === undefined ? {} : { input });
  const report: { findings: readonly Found[] } = JSON.parse(stdout);
  return report.findings;
}

const seen = (found: readonly Found[]) => found.map(({ rule, severity, start }) => `${rule} ${start.line} ${severity}`);

describe("a trap is reported alike whatever its file is called", () => {
  const folderOf = (index: number) => `trap${index}`;

  test.each(names)("%s", (name) => {
    write(
      Object.fromEntries(
        traps.map(({ text }, index) => [join(name.replaceAll("/", "-"), folderOf(index), name), text]),
      ),
    );
    const base = name.replaceAll("/", "-");
    const all = check(traps.map((_, index) => join(base, folderOf(index), name)));
    for (const [index, { name: trap, found, text }] of traps.entries()) {
      const here = all.filter(({ path }) => path.startsWith(`${join(base, folderOf(index))}/`));
      const lines = here.map(({ rule, start }) => `${rule} ${start.line}`);
      expect({ trap, lines }).toEqual({ trap, lines: expect.arrayContaining([...found]) });
      // Everything else that is found in the file is the same on standard input.
      if (name === "site.conf") {
        const piped = check(["-", "--stdin-filename", "piped/site.conf"], text);
        expect({ trap, found: seen(piped) }).toEqual({ trap, found: seen(here) });
      }
    }
  });

  test("what a finding assumes is a note; the main file of a server assumes nothing", () => {
    const { text } = traps.find(({ name }) => name === "the guide's first mixing example") ?? { text: "" };
    write({ "one/httpd.conf": text, "two/site.conf": text });
    const [server] = check(["one/httpd.conf"]).filter(({ rule }) => rule === "compat-precedence");
    const [fragment] = check(["two/site.conf"]).filter(({ rule }) => rule === "compat-precedence");
    expect(server?.notes).toBeUndefined();
    expect(fragment?.notes).toEqual(["assuming that no other file sets access for `/server-status`"]);
    expect(fragment?.severity).toBe(server?.severity);
  });
});
