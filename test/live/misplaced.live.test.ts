import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { misplacedDirective } from "../../rules/misplaced-directive/misplaced-directive.js";
import { type ArgumentKind, type DirectiveFacts, directiveFacts } from "../../src/directives/directives.js";
import table from "../../src/directives/data/2.4.json" with { type: "json" };
import { httpd, liveTitle, loadModules, packagedModules } from "../support/httpd.js";
import { Random } from "../support/random.js";
import { findingsOf } from "../support/rules.js";

const full = process.env["HTTPD_LINT_FULL"] === "1";
const seed = Number(process.env["HTTPD_LINT_SEED"] ?? 20260101);
/** How many directives are tried in each place; the table of places itself is tried in directives.live.test.ts. */
const sample = 12;

/** Sections within each other, from the outermost: what a single section does is proved for the table of places. */
const nestings: readonly (readonly string[])[] = [
  ['VirtualHost *:80', 'Directory "/"'],
  ['VirtualHost *:80', 'DirectoryMatch "^/x"'],
  ['VirtualHost *:80', 'Location "/x"'],
  ['VirtualHost *:80', 'Files "x"'],
  ['VirtualHost *:80', 'If "true"'],
  ['VirtualHost *:80', 'Proxy "http://x.test/"'],
  ['VirtualHost *:80', 'Directory "/"', "Limit GET"],
  ['VirtualHost *:80', 'Directory "/"', 'Files "x"'],
  ['VirtualHost *:80', 'Directory "/"', "RequireAll"],
  ['LocationMatch "^/x"'],
  ['FilesMatch "x"'],
  ['ProxyMatch "^http://x.test/"'],
  ["Limit GET"],
  ["RequireAll"],
  ['Directory "/"', "LimitExcept GET"],
  ['Directory "/"', 'Files "x"'],
  ['Directory "/"', 'FilesMatch "x"', "Limit GET"],
  ['Directory "/"', 'If "true"'],
  ['Directory "/"', 'Files "x"', 'If "true"'],
  ['Directory "/"', 'If "true"', 'Files "x"'],
  ['Directory "/"', 'If "true"', "Limit GET"],
  ['Location "/x"', 'If "true"'],
  ['Location "/x"', 'If "true"', 'If "true"'],
  ['Location "/x"', "Limit GET"],
  ['Location "/x"', 'Files "x"'],
  ['Location "/x"', "RequireNone"],
  ['Files "x"', 'If "true"'],
  ['Files "x"', "Limit GET"],
  ['Files "x"', "RequireAny"],
  ['If "true"', 'Files "x"'],
  ['If "true"', "Limit GET"],
  ['If "true"', "RequireAll"],
  ['Proxy "http://x.test/"', "Limit GET"],
  ['Proxy "http://x.test/"', 'If "true"'],
  ['Proxy "http://x.test/"', "RequireAny"],
  ['Directory "/"', "RequireAll"],
  ['Directory "/"', "RequireAll", "RequireAny"],
  ['Directory "/"', "RequireAll", "Limit GET"],
  ['Directory "/"', "Limit GET", "RequireAll"],
  ['Directory "/"', "Limit GET", "LimitExcept POST"],
  ['Directory "/"', 'Directory "/x"'],
  ['Location "/x"', 'Location "/x/y"'],
  ["AuthnProviderAlias file x"],
  ["AuthzProviderAlias ip x 10.0.0.1"],
  ["MDomainSet x.test"],
];

/** As many words as the server wants to see; whether it likes them is another matter. */
const plausible: Readonly<Record<ArgumentKind, string>> = {
  RAW_ARGS: "a b",
  NO_ARGS: "",
  FLAG: "On",
  ITERATE: "1",
  ITERATE2: "a b",
  TAKE_ARGV: "a",
  TAKE1: "1",
  TAKE2: "a b",
  TAKE3: "a b c",
  TAKE12: "1",
  TAKE13: "1",
  TAKE23: "a b",
  TAKE123: "a b",
  UNKNOWN: "1",
};

const refusal = / not allowed (?:here|in <)| cannot occur within | is only valid inside a |only used in <VirtualHost>|section without previous/;

function textOf({ name, section, argumentKind }: DirectiveFacts): string {
  const words = `${name} ${plausible[argumentKind]}`;
  return section ? `<${words}>\n</${name}>` : words;
}

function nested(sections: readonly string[], text: string): string {
  const closing = sections.map((section) => `</${section.replace(/ .*/, "")}>`).reverse();
  return [...sections.map((section) => `<${section}>`), text, ...closing, ""].join("\n");
}

/** What the server says of each configuration; several run side by side. */
async function ask(configurations: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-misplaced-"));
  const said: string[] = [];
  const waiting = [...configurations.entries()];
  const work = async (_: unknown, worker: number) => {
    const file = join(folder, `${worker}.conf`);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [index, text] = next;
      writeFileSync(file, text);
      said[index] = await complaint(file);
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return said;
}

function complaint(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(httpd ?? "apache2", ["-t", "-f", file], { timeout: 20_000 }, (_error, _output, stderr) => resolve(stderr));
  });
}

/** All directives that the packaged modules define, sections apart from those that only reading knows. */
function known(): DirectiveFacts[] {
  const names = table.directives.map(([name = "", , , marks = ""]) => (marks.startsWith("section") ? `<${name}` : name));
  return [...new Set(names)].flatMap((name) => directiveFacts("2.4", name).slice(0, 1));
}

describe.skipIf(!httpd)(liveTitle("misplaced directives against the live server"), () => {
  const random = new Random(seed);
  const head = `ServerName localhost\nErrorLog /dev/stderr\n${loadModules(["mpm_event", ...packagedModules()])}`;
  const tried = known().filter((facts) => !facts.readTime && !facts.manualOnly);

  test.each(nestings.map((sections) => [`<${sections.join("> <")}>`, sections] as const))("in %s", { timeout: 900_000 }, async (_, sections) => {
    const chosen = full ? tried : Array.from({ length: sample }, () => tried[random.below(tried.length)] ?? tried[0]).filter((each) => each !== undefined);
    const texts = chosen.map((facts) => head + nested(sections, textOf(facts)));
    const said = await ask(texts);
    const server = said.map((words, index) => [chosen[index]?.name, refusal.test(words)]);
    const ours = texts.map((text, index) => [chosen[index]?.name, findingsOf([misplacedDirective], text).length > 0]);
    const off = server.flatMap((each, i) => (each[1] === ours[i]?.[1] ? [] : [`${each[0]} server=${each[1]} ${said[i]?.split("\n").find((l) => !l.startsWith("AH00526"))}`]));
    expect(off).toEqual([]);
  });
});
