import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { accessPitfalls } from "../support/access-pitfalls.js";
import { lintedFolder } from "../support/programs/test-folder.js";

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

const describeFindings = (found: readonly Found[]) =>
  found.map(({ rule, severity, start }) => `${rule} ${start.line} ${severity}`);

describe("the findings of a pitfall do not depend on the file name", () => {
  const folderOf = (index: number) => `pitfall${index}`;

  test.each(names)("%s", (name) => {
    write(
      Object.fromEntries(
        accessPitfalls.map(({ text }, index) => [join(name.replaceAll("/", "-"), folderOf(index), name), text]),
      ),
    );
    const base = name.replaceAll("/", "-");
    const all = check(accessPitfalls.map((_, index) => join(base, folderOf(index), name)));
    for (const [index, { name: pitfall, found, text }] of accessPitfalls.entries()) {
      const inFile = all.filter(({ path }) => path.startsWith(`${join(base, folderOf(index))}/`));
      const lines = inFile.map(({ rule, start }) => `${rule} ${start.line}`);
      expect({ pitfall, lines }).toEqual({ pitfall, lines: expect.arrayContaining([...found]) });
      // All other findings in the file are the same on standard input.
      if (name === "site.conf") {
        const piped = check(["-", "--stdin-filename", "piped/site.conf"], text);
        expect({ pitfall, found: describeFindings(piped) }).toEqual({ pitfall, found: describeFindings(inFile) });
      }
    }
  });

  test("except for notes about assumptions, which a main file does not have", () => {
    const { text } = accessPitfalls.find(({ name }) => name === "the guide's first mixing example") ?? { text: "" };
    write({ "one/httpd.conf": text, "two/site.conf": text });
    const [server] = check(["one/httpd.conf"]).filter(({ rule }) => rule === "compat-precedence");
    const [fragment] = check(["two/site.conf"]).filter(({ rule }) => rule === "compat-precedence");
    expect(server?.notes?.join()).not.toContain("assum");
    expect(fragment?.notes).toEqual([
      ...(server?.notes ?? []),
      "assuming that no other file sets access for `/server-status`",
    ]);
    expect(fragment?.severity).toBe(server?.severity);
  });
});

describe("the context of fragments in the configuration file", () => {
  const lines = "Deny from all\n<Files x.php>\nRequire local\n</Files>\n";
  const settings = {
    fragments: [
      { paths: ["snippets/*.conf"], context: ['<Directory "/srv/app">'] },
      { paths: ["admin/**"], context: ["<VirtualHost *:80>", "<Location /admin>"] },
    ],
  };

  test("applies to check and explain", () => {
    const denied = "Require all denied\n";
    write({ ".httpd-lint.json": settings, "snippets/inc.conf": lines, "admin/in/access.conf": denied });
    const { stdout } = lint(["check", "snippets/inc.conf", "--format", "json"]);
    expect(stdout).toContain("GET `/srv/app/x.php` from 127.0.0.1");
    const explain = (url: string) =>
      JSON.parse(lint(["explain", "admin/in/access.conf", url, "--format", "json"]).stdout);
    expect(explain("/admin/x")).toMatchObject({ class: "403", log: ["AH01630"] });
    expect(explain("/elsewhere")).toMatchObject({ class: "unknown" });
  });

  test("applies if many files are checked in parallel", () => {
    const names = Array.from({ length: 1010 }, (_, index) => `snippets/${index}.conf`);
    write({ ".httpd-lint.json": settings, ...Object.fromEntries(names.map((name) => [name, lines])) });
    const { stdout } = lint([
      "check",
      "snippets",
      "--jobs",
      "2",
      "--select",
      "compat-precedence",
      "--format",
      "github",
    ]);
    expect(stdout.match(/^::/gm)).toHaveLength(1010);
    expect(stdout.match(/GET `\/srv\/app\/x\.php`/g)).toHaveLength(1010);
  });

  test("is rejected with its position if it is not a section", () => {
    write({
      ".httpd-lint.json": '{ "fragments": [{ "paths": ["a"], "context": ["Directory /srv"] }] }',
      "a.conf": lines,
    });
    const { status, stderr } = lint(["a.conf"]);
    expect(status).toBe(2);
    expect(stderr).toContain(".httpd-lint.json:1:47: invalid value");
  });
});

test("lines that no server applies are counted", () => {
  write({
    "site.conf": "Define A\n<IfDefine !A>\nFoo on\n</IfDefine>\n<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n",
  });
  const { stderr } = lint(["check", "site.conf"]);
  expect(stderr).toContain("httpd-lint: 1 line under `<IfDefine !A>` (site.conf:2) was not checked");
  const { stdout } = lint(["check", "site.conf", "--format", "json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    unchecked: [{ path: "site.conf", line: 2, tag: "<IfDefine !A>", lines: 1 }],
    assumedModules: ["ssl_module"],
  });
  expect(stderr).toContain("httpd-lint: assuming that `ssl_module` is loaded\n");
});

test("lines that a server skips are counted", () => {
  write({
    "httpd.conf": "LoadModule unixd_module mod_unixd.so\nListen 80\n<IfVersion >= 2.5>\nFoo on\n</IfVersion>\n",
  });
  expect(lint(["check", "httpd.conf"]).stderr).toBe(
    "httpd-lint: 1 line under `<IfVersion >= 2.5>` (httpd.conf:3) was not checked\n",
  );
  expect(JSON.parse(lint(["check", "httpd.conf", "--format", "json"]).stdout)).toMatchObject({
    unchecked: [{ path: "httpd.conf", line: 3, tag: "<IfVersion >= 2.5>", lines: 1, isSkippedByServer: true }],
  });
});
