import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Release } from "../../src/facts/release.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import type { TraceStep } from "../../src/server/model/trace-step.js";
import { loadProject } from "../../src/startup/load-project.js";

const files = createListedFiles(["/srv/www/a/x.txt", "/srv/www/a/index.html", "/srv/other/o.txt"]);

function trace(texts: Readonly<Record<string, string>>, request: Partial<Request> = {}, release: Release = "2.4") {
  const loaded = loadProject("/etc/httpd.conf", { access: memoryAccess(texts), kind: "server", release });
  if (!loaded.ok) throw new Error(loaded.error);
  return answer(loaded.value, { method: "GET", path: "/a/x.txt", clientIp: "192.0.2.7", ...request }, { files }).trace;
}

/** Formats each step as a line, with the sections that it overrides or joins. */
function stepLines(steps: readonly TraceStep[]): string[] {
  return steps.map(({ section, effect, replaced, combined }) =>
    [
      `${section}: ${effect}`,
      ...replaced.map((each) => `replaces ${each.rules} of ${each.section}`),
      ...combined.map((each) => `with ${each.section}`),
    ].join("; "),
  );
}

const root = 'DocumentRoot "/srv/www"\n';
const mapping = 'DocumentRoot "/srv/www": maps to `/srv/www/a/x.txt`';

describe("a trace", () => {
  test("lists sections in the order in which they are merged", () => {
    const lines = [
      ["<If true>", "Require ip 1", "</If>"],
      ["<Location /a>", "Require ip 2", "</Location>"],
      ["<Files x.txt>", "Require ip 3", "</Files>"],
      ["<DirectoryMatch a>", "Require ip 4", "</DirectoryMatch>"],
      ["<Directory /srv/www>", "Require ip 5", "</Directory>"],
      ["<Directory />", "Require ip 6", "AllowOverride All", "</Directory>"],
      ["<Location /b>", "Require ip 7", "</Location>"],
    ].flat();
    const texts = {
      "/etc/httpd.conf": `${root}${lines.join("\n")}\n`,
      "/srv/www/a/.htaccess": "Require ip 8\n",
    };
    expect(stepLines(trace(texts))).toEqual([
      mapping,
      "<Directory />: sets `Require ip 6`",
      "<Directory /srv/www>: sets `Require ip 5`; replaces require of <Directory />",
      ".htaccess: sets `Require ip 8`; replaces require of <Directory /srv/www>",
      "<DirectoryMatch a>: sets `Require ip 4`; replaces require of .htaccess",
      "<Files x.txt>: sets `Require ip 3`; replaces require of <DirectoryMatch a>",
      "<Location /a>: sets `Require ip 2`; replaces require of <Files x.txt>",
      "<If true>: sets `Require ip 1`; replaces require of <Location /a>",
    ]);
  });

  test("shows AuthMerging and the sections that it combines", () => {
    const lines = [
      ["<Directory /srv>", "Require ip 1", "</Directory>"],
      ["<Directory /srv/www>", "AuthMerging And", "Require ip 2", "</Directory>"],
      ["<Location /a>", "AuthMerging Off", "</Location>"],
    ].flat();
    expect(stepLines(trace({ "/etc/httpd.conf": `${root}${lines.join("\n")}\n` }))).toEqual([
      mapping,
      "<Directory /srv>: sets `Require ip 1`",
      "<Directory /srv/www>: sets `Require ip 2`, `AuthMerging And`; with <Directory /srv>",
      "<Location /a>: sets `AuthMerging Off`; replaces require of <Directory /srv>; replaces require of <Directory /srv/www>",
    ]);
  });

  test("reports mod_access_compat directives, their methods, and that Satisfy discards them in 2.4 but not in 2.2", () => {
    const lines = [
      ["<Directory /srv>", "<Limit GET>", "Deny from all", "</Limit>", "</Directory>"],
      ["<Directory /srv/www>", "Satisfy any", "</Directory>"],
    ].flat();
    const texts = { "/etc/httpd.conf": `${root}${lines.join("\n")}\n` };
    const first = [mapping, "<Directory /srv>: sets `Deny from all` (Limit GET)"];
    const last = "<Directory /srv/www>: sets `Satisfy any`";
    expect(stepLines(trace(texts))).toEqual([...first, `${last}; replaces old of <Directory /srv>`]);
    expect(stepLines(trace(texts, {}, "2.2"))).toEqual([...first, last]);
  });

  test("begins with the lines for the host, the alias and variables", () => {
    const lines = [
      ["<VirtualHost *:80>", "ServerName one.test", "Redirect /r http://x.test/", "</VirtualHost>"],
      ["<VirtualHost *:80>", "ServerName two.test", "ServerAlias *.two.test", "Alias /o /srv/other"],
      ['SetEnvIf Host "a" looked', 'SetEnvIf Host "a" other', "</VirtualHost>"],
      ["<Location /o>", "Require env looked", "</Location>"],
    ].flat();
    const texts = { "/etc/httpd.conf": `${lines.join("\n")}\n` };
    expect(stepLines(trace(texts, { host: "a.two.test", path: "/o/o.txt" }))).toEqual([
      "<VirtualHost *:80>: handles the request: `ServerAlias *.two.test` matches the host",
      "Alias /o /srv/other: maps to `/srv/other/o.txt`",
      'SetEnvIf Host "a" looked: sets `looked`',
      "<Location /o>: sets `Require env looked`",
    ]);
    expect(stepLines(trace(texts, { host: "b.test", path: "/r" }))).toEqual([
      "<VirtualHost *:80>: handles the request: the first virtual host at this address, because none matches `b.test`",
      "Redirect /r http://x.test/: returns 302 before access is checked",
    ]);
  });

  test("reports `.htaccess` files that are not read, and those that are rejected", () => {
    const texts = (allowed: string, htaccess: string) => ({
      "/etc/httpd.conf": `${root}<Directory /srv/www>\n${allowed}</Directory>\n`,
      "/srv/www/a/.htaccess": `${htaccess}\n`,
    });
    const noRules = "<Directory /srv/www>: has no access rules, but `AllowOverride`";
    expect(stepLines(trace(texts("AllowOverride None\n", "Require all denied")))).toEqual([
      ...[mapping, noRules, ".htaccess: is not read: `AllowOverride None`"],
    ]);
    expect(stepLines(trace(texts("AllowOverride Limit\n", "Require all denied")))).toEqual([
      mapping,
      noRules,
      ".htaccess: is rejected: `Require` is not allowed by AllowOverride (`AllowOverride Limit`)",
    ]);
    expect(stepLines(trace(texts("", "# nothing\n<IfModule nope.c>\n</IfModule>")))).toEqual([
      mapping,
      "<Directory /srv/www>: has no access rules",
      expect.stringMatching(/^\.htaccess: is rejected: .* \(no `AllowOverride` applies\)$/),
    ]);
    expect(stepLines(trace(texts("AllowOverride All\n", "<Files x>"))).at(-1)).toMatch(/is rejected: .*<Files/);
  });

  test("continues with the index file of a directory and its further sections", () => {
    const text = `${root}DirectoryIndex none.html index.html\n<Files index.html>\nRequire all denied\n</Files>\n`;
    expect(stepLines(trace({ "/etc/httpd.conf": text }, { path: "/a/" }))).toEqual([
      'DocumentRoot "/srv/www": maps to `/srv/www/a/`',
      "DirectoryIndex none.html index.html: looks for the index files `/a/none.html` and `/a/index.html`",
      "<Files index.html>: sets `Require all denied`",
    ]);
  });

  test("names the conditions before an Else, and the alias of a provider", () => {
    const lines = [
      ['<AuthzProviderAlias ip office "10.0.0.0/8">', "</AuthzProviderAlias>"],
      ["<Location />", "<If false>", "</If>", "<Else>", "Require office", "</Else>", "</Location>"],
    ].flat();
    const steps = trace({ "/etc/httpd.conf": `${root}${lines.join("\n")}\n` });
    expect(stepLines(steps)).toEqual([
      mapping,
      "<Location />: has no access rules",
      '<AuthzProviderAlias ip office "10.0.0.0/8">: defines the provider that `Require` names',
      "<Else>: the previous conditions are false; sets `Require office`",
    ]);
    expect(steps.at(-1)?.lines.map(({ key }) => key)).toEqual(["<else", "<if", "require"]);
  });

  test("is empty if the URL itself is rejected", () => {
    expect(trace({ "/etc/httpd.conf": root }, { path: "/../x" })).toEqual([]);
  });
});
