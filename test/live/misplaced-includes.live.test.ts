import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { misplacedDirective } from "../../rules/misplaced-directive/misplaced-directive.js";
import { refusedAtStart } from "../../rules/refused-at-start/refused-at-start.js";
import { complaintsAbout, httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { findingsOf } from "../support/rules.js";

const lists = {
  "container.conf": "<RequireAll>\nRequire all granted\nRequire not ip 203.0.113.9\n</RequireAll>\n",
  "negated.conf": "Require not ip 203.0.113.9\nRequire not ip 203.0.113.10\n",
  "host.conf": "<VirtualHost *:80>\nServerName a.test\n</VirtualHost>\n",
};

const inside = (tag: string, ...lines: readonly string[]) =>
  [`<${tag}>`, ...lines, `</${tag.replace(/ .*/, "")}>`, ""].join("\n");

/** A line at a place where httpd rejects what it adds, and at one that the help names. */
const pairs: readonly (readonly [title: string, wrong: string, right: string])[] = [
  [
    "a container in a virtual host",
    inside("VirtualHost *:80", "Include container.conf"),
    inside("VirtualHost *:80", "<Location />", "Include container.conf", "</Location>"),
  ],
  ["a container at server level", "Include container.conf\n", inside("Files x", "Include container.conf")],
  ["a virtual host in a section", inside("Directory /srv", "Include host.conf"), "Include host.conf\n"],
  [
    "negated rules outside of a container",
    inside("Location /", "Include negated.conf"),
    inside("Location /", "<RequireAll>", "Require all granted", "Include negated.conf", "</RequireAll>"),
  ],
];

describe.skipIf(!httpd)(liveTitle("httpd rejects what an Include adds, and accepts it at the named place"), () => {
  test.each(pairs)("%s", { timeout: 120_000 }, async (_, wrong, right) => {
    const modules = loadModules(["mpm_event", "authz_core", "authz_host"]);
    const textsIn = (folder: string) =>
      [wrong, right].map(
        (lines) => `ServerRoot ${folder}\nServerName localhost\nErrorLog /dev/stderr\n${modules}${lines}`,
      );
    const complaints = await whileInScratchFolder((folder) => {
      for (const [name, text] of Object.entries(lists)) writeFileSync(join(folder, name), text);
      return complaintsAbout(textsIn(folder), folder);
    });
    expect(complaints[0]).toMatch(/not allowed (?:here|in <)|cannot occur within|has no effect in/);
    expect(complaints[1]).toContain("Syntax OK");
    const files = Object.fromEntries(Object.entries(lists).map(([name, text]) => [`/etc/httpd/${name}`, text]));
    const [wrongText = "", rightText = ""] = textsIn("/etc/httpd");
    const rules = [misplacedDirective, refusedAtStart];
    expect(findingsOf(rules, wrongText, { files }).map(({ text }) => text)).toEqual([/Include \S+/.exec(wrong)?.[0]]);
    expect(findingsOf(rules, rightText, { files })).toEqual([]);
  });
});
