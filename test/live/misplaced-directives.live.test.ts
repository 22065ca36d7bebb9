import { describe, expect, test } from "vitest";
import { misplacedDirective } from "../../rules/misplaced-directive/misplaced-directive.js";
import table from "../../src/facts/data/2.4.json" with { type: "json" };
import { type DirectiveFacts, findDirectiveFacts } from "../../src/facts/directives.js";
import { listCompiledInModules } from "../../src/facts/modules.js";
import { isDeep, seedOr } from "../support/depth.js";
import { complaintsAbout, httpd, liveTitle, loadModules, packagedModules } from "../support/httpd/httpd.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { plausibleUse } from "../support/random/plausible-arguments.js";
import { Random } from "../support/random/random.js";
import { findingsOf } from "../support/rules.js";

const isFull = isDeep;
const seed = seedOr(20260101);
/** Number of directives to try in each context; the table of contexts itself is tested in directives.live.test.ts. */
const sample = 1;

/** Nested sections, from the outermost: the table of contexts covers single sections. */
const nestings: readonly (readonly string[])[] = [
  ["VirtualHost *:80", 'Directory "/"'],
  ["VirtualHost *:80", 'DirectoryMatch "^/x"'],
  ["VirtualHost *:80", 'Location "/x"'],
  ["VirtualHost *:80", 'Files "x"'],
  ["VirtualHost *:80", 'If "true"'],
  ["VirtualHost *:80", 'Proxy "http://x.test/"'],
  ["VirtualHost *:80", 'Directory "/"', "Limit GET"],
  ["VirtualHost *:80", 'Directory "/"', 'Files "x"'],
  ["VirtualHost *:80", 'Directory "/"', "RequireAll"],
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
  ['Directory "/"', "Limit GET POST", "LimitExcept POST"],
  ['Directory "/"', 'Directory "/x"'],
  ['Location "/x"', 'Location "/x/y"'],
  ["AuthnProviderAlias file x"],
  ["AuthzProviderAlias ip x 10.0.0.1"],
  ["MDomainSet x.test"],
];

const misplacement =
  / not allowed (?:here|in <)| cannot occur within | is only valid inside a |only used in <VirtualHost>|only valid in per-directory config files|section without previous/;

function nest(sections: readonly string[], text: string): string {
  const closing = sections.map((section) => `</${section.replace(/ .*/, "")}>`).reverse();
  return [...sections.map((section) => `<${section}>`), text, ...closing, ""].join("\n");
}

/** Returns the directives of the loaded modules. Else and ElseIf need an If before them, and are tested below. */
function listDirectives(): DirectiveFacts[] {
  const loaded = new Set(listCompiledInModules("2.4").map((module) => module.name));
  for (const name of packagedModules()) loaded.add(`mod_${name}`);
  const written = table.directives.map(([name = "", , , marks]) => (marks?.startsWith("section") ? `<${name}` : name));
  return [...new Set(written)]
    .flatMap((name) => findDirectiveFacts("2.4", name).slice(0, 1))
    .filter((facts) => loaded.has(facts.module) && !facts.readTime && !facts.manualOnly && !/^Else/.test(facts.name));
}

describe.skipIf(!httpd)(liveTitle("the live server and the rule agree on misplaced directives"), () => {
  const random = new Random(seed);
  const directives = listDirectives();
  const head = `ServerName localhost\nErrorLog /dev/stderr\n${loadModules(["mpm_event", ...packagedModules()])}`;

  async function compare(texts: readonly string[]): Promise<void> {
    const configurations = texts.map((text) => head + text);
    const messages = await whileInScratchFolder((folder) => complaintsAbout(configurations, folder));
    const differing = texts.filter((_, index) => {
      const isReported = findingsOf([misplacedDirective], configurations[index] ?? "").length > 0;
      const message = messages[index] ?? "";
      // Not every server build supports every directive.
      return !message.includes("Invalid command") && misplacement.test(message) !== isReported;
    });
    expect(differing).toEqual([]);
  }

  const named = nestings.map((sections) => [`<${sections.join("> <")}>`, sections] as const);
  test.each(named)("in %s", { timeout: 900_000 }, async (_, sections) => {
    expect(directives.length).toBeGreaterThan(400);
    const chosen = isFull
      ? directives
      : Array.from({ length: sample }, () => directives[random.below(directives.length)] ?? []).flat();
    await compare(chosen.map((facts) => nest(sections, plausibleUse(facts))));
  });

  test("for Else and ElseIf, with and without an If before them", { timeout: 900_000 }, async () => {
    const runs = [
      "ElseIf",
      "Else",
      "If ElseIf",
      "If Else",
      "If ElseIf ElseIf Else",
      "If Else Else",
      "If Else ElseIf",
      "If Files Else",
    ];
    const between = runs.map((run) => run.split(" ").map(conditional).join(""));
    const around: readonly (readonly string[])[] = [
      [],
      ["VirtualHost *:80"],
      ['Directory "/"'],
      ['Directory "/"', 'Files "x"'],
      ["VirtualHost *:80", 'Location "/x"'],
    ];
    const split = [
      `${nest(['Directory "/a"'], conditional("If"))}${nest(['Directory "/a"'], conditional("Else"))}`,
      `${conditional("If")}${nest(["VirtualHost *:80"], conditional("Else"))}`,
      `${nest(["VirtualHost *:80"], conditional("If"))}${conditional("Else")}`,
      nest(["If true"], conditional("Else")),
      nest(["IfModule mod_env.c"], conditional("If")) + conditional("Else"),
    ];
    await compare([...around.flatMap((sections) => between.map((text) => nest(sections, text))), ...split]);
  });
});

/** Returns an empty section of that name. */
function conditional(name: string): string {
  const argument = name === "Else" ? "" : name === "Files" ? ' "x"' : ' "true"';
  return `<${name}${argument}>\n</${name}>\n`;
}
