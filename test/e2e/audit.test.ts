import { describe, expect, test } from "vitest";
import type { Ran } from "../support/programs/command.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

function audit(...args: readonly string[]): Ran {
  return lint(["audit", ...args], { env: { NO_COLOR: "1" } });
}

const modules = ["authz_core", "authz_host", "authz_user", "auth_basic", "authn_core", "authn_file", "alias", "cgi"]
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join("");
const open = 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\nRequire all granted\n</Directory>\n';
const office = '<Location "/office">\nRequire ip 10.0.0.0/8\n</Location>\n';
const scripts = 'ScriptAlias "/cgi-bin/" "/srv/cgi/"\n<Directory "/srv/cgi">\nRequire all granted\n</Directory>\n';

function writeMain(more = "", files: Readonly<Record<string, string>> = {}): void {
  write({ "httpd.conf": `${modules}ServerName a.test\n${open}${office}${more}`, "files.txt": "/srv/www/\n", ...files });
}

const listed = ["httpd.conf", "--files", "files.txt"];

describe("audit", () => {
  test("shows an overview, and each group of paths with its request, answer and deciding lines", () => {
    writeMain(scripts);
    const { status, stdout, stderr } = audit(...listed);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("Outside view: anonymous clients with a public address, httpd 2.4");
    expect(lines[2]?.split(/\s{2,}/)).toEqual(["groups of paths by host", "read", "run", "write", "fetch protected"]);
    expect(lines[3]).toMatch(/^a\.test, any other name +1 +1 +0 +0 +1$/);
    expect(stdout).toContain("\nSensitive paths: 0 exposed, ");
    expect(stdout).toContain("\nFindings of exposure and TLS: none\n");
    const run = stdout.slice(stdout.indexOf("  Run: "), stdout.indexOf("  Protected: "));
    expect(run).toContain("GET `http://a.test/cgi-bin/a` from 203.0.113.7 returns 200\n");
    expect(run).toContain('httpd.conf:17:1: `ScriptAlias "/cgi-bin/" "/srv/cgi/"`\n');
    const closed = stdout.slice(stdout.indexOf("  Protected: "));
    expect(closed).toContain("GET `http://a.test/office` from 203.0.113.7 returns 403\n");
    expect(closed).toContain("    allowed: 10.0.0.0/8; others: 403\n");
    expect(closed).toContain("httpd.conf:15:1: `Require ip 10.0.0.0/8`\n");
  });

  test("counts each sensitive path once, with its most open answer at any host", () => {
    const host = (name: string, ...lines: readonly string[]) =>
      `<VirtualHost *:80>\nServerName ${name}\n${lines.map((line) => `${line}\n`).join("")}</VirtualHost>\n`;
    const closed = host("closed.test", "<Location />", "Require all denied", "</Location>");
    writeMain(host("open.test") + closed, { "files.txt": "/srv/www/.env\n" });
    const { stdout } = audit(...listed);
    const counted = "\nSensitive paths: 1 exposed, 77 denied (of 78, each with its most open answer at any host)\n";
    const counts = [...(/Sensitive paths: (.*) \(of 78/.exec(stdout)?.[1] ?? "").matchAll(/\d+/g)].map(Number);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(78);
    expect(stdout).toContain(counted);
    const html = audit(...listed, "--format", "html").stdout;
    expect(html).toContain("<h3>1 path: exposed</h3>");
    expect(html).toContain("<h3>78 paths: denied</h3>");
    expect(html).toContain("<h3>77 paths: absent</h3>");
    // Twin: all hosts answer alike.
    writeMain(closed, { "files.txt": "/srv/www/.env\n" });
    expect(audit(...listed).stdout).toContain("\nSensitive paths: 0 exposed, 78 denied (of 78)\n");
  });

  test("counts the groups of paths with unknown answers, and does not call a server with only these empty", () => {
    const login = '<Location "/">\nAuthType openid-connect\nRequire valid-user\n</Location>\n';
    write({ "httpd.conf": `${modules}LoadModule auth_openidc_module x.so\nServerName a.test\n${login}` });
    const { stdout } = audit("httpd.conf");
    expect(stdout).toMatch(/\ngroups of paths by host +read +run +write +fetch protected unknown\n/);
    expect(stdout).toMatch(/\na\.test, any other name +0 +0 +0 +0 +0 +3\n/);
    expect(stdout).toContain("\n  no path with a known answer (see Unknown)\n");
    const json = JSON.stringify(validJson("audit", audit("httpd.conf", "--format", "json").stdout));
    expect(json).toContain('"unknownPaths":["/');
    expect(audit("httpd.conf", "--format", "html").stdout).toContain('<th scope="col">Unknown</th>');
  });

  test.each([
    ["a fragment", "site.inc", "ProxyPass /api http://10.0.0.9/\nAlias /doc /srv/doc\n"],
    ["a virtual host", "site.conf", "<VirtualHost *:80>\nServerName b.test\nDocumentRoot /srv/b\n</VirtualHost>\n"],
  ])("leaves the paths that no line of %s decides to the rest of the server", (_, file, text) => {
    write({ [`sites/${file}`]: text });
    const { stdout } = audit(`sites/${file}`);
    expect(stdout).not.toMatch(/^ {2}(?:Read|Fetch): /m);
    expect(stdout).toContain("no line of this file decides access; the rest of the server does");
    // Twin: a line of the file decides.
    write({ [`sites/${file}`]: `${text}<Location /doc>\nRequire all granted\n</Location>\n` });
    expect(audit(`sites/${file}`).stdout).toMatch(/^ {2}Read: `\/doc`/m);
  });

  test("exits with 1 if a sensitive file can be read", () => {
    writeMain("", { "files.txt": "/srv/www/.git/config\n/srv/www/.env.bak\n" });
    const { status, stdout } = audit(...listed);
    expect(status).toBe(1);
    expect(stdout).toContain("\nSensitive paths: 2 exposed, 76 absent (of 78)\n  `/.git/config` at a.test\n");
    expect(audit(...listed, "--exit-zero").status).toBe(0);
    const deny = '<DirectoryMatch "/\\.git">\nRequire all denied\n</DirectoryMatch>\n';
    writeMain(`${deny}<Files ".env*">\nRequire all denied\n</Files>\n`, {
      "files.txt": "/srv/www/.git/config\n/srv/www/.env.bak\n",
    });
    expect(audit(...listed)).toMatchObject({ status: 0, stdout: expect.stringContaining("0 exposed") });
  });

  test("exits with 1 if a finding of the groups exposure and tls reaches the --fail-on severity", () => {
    writeMain('<Location "/cfg">\nSetHandler server-info\n</Location>\nLoadModule info_module modules/mod_info.so\n');
    const { status, stdout } = audit(...listed);
    expect(status).toBe(1);
    expect(stdout).toContain("warning[unprotected-handler]");
    expect(audit(...listed, "--fail-on", "error").status).toBe(0);
  });

  test("uses the rules, severities and ignored paths of the configuration file", () => {
    writeMain('<Location "/cfg">\nSetHandler server-info\n</Location>\nLoadModule info_module modules/mod_info.so\n');
    const auditWith = (settings: object) => {
      write({ ".httpd-lint.json": settings });
      return audit(...listed);
    };
    for (const settings of [
      { rules: { "unprotected-handler": "off" } },
      { ignores: [{ paths: ["httpd.conf"], rules: ["unprotected-handler"], reason: "known" }] },
    ]) {
      const { status, stdout } = auditWith(settings);
      expect(status).toBe(0);
      expect(stdout).toContain("Findings of exposure and TLS: none");
    }
    const raised = auditWith({ rules: { "unprotected-handler": "error" } });
    expect(raised.stdout).toContain("error[unprotected-handler]");
  });

  test("reports findings about files on the disk", () => {
    write({ "www/a.sql": "x", "www/index.html": "x" });
    const root = '<Directory "www">\nRequire all granted\n</Directory>\n';
    write({ "httpd.conf": `${modules}ServerName a.test\nDocumentRoot "www"\n${root}` });
    const { status, stdout } = audit("httpd.conf", "--server-root", ".");
    expect(status).toBe(1);
    expect(stdout).toContain("error[exposed-private-file]: `/a.sql` is served to every client");
  });

  test("exits with 1 if the server does not start", () => {
    writeMain("Nonsense on\n");
    const { status, stdout } = audit(...listed);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^2\.4 does not start\n.*\n {2}note: the report ignores the rejected lines\n/);
  });

  test("lists unknown files with the reason", () => {
    writeMain();
    const { status, stdout } = audit("httpd.conf", "--files", "assume");
    expect(status).toBe(0);
    expect(stdout).toMatch(/ {2}unknown: `\/\.git\/config` at a\.test\n.*\n {4}depends on whether `\/srv\/www\/\.git/);
  });

  test("writes JSON that matches its schema", () => {
    writeMain(
      `${scripts}Listen 80\nListen 127.0.0.1:8080\n<VirtualHost 127.0.0.1:8080>\nServerName in.test\n</VirtualHost>\n`,
      {
        "files.txt": "/srv/www/.env\n",
      },
    );
    const { stdout } = audit(...listed, "--format", "json");
    validJson("audit", stdout);
    const { release, servers, sensitivePaths, unreachable } = JSON.parse(stdout);
    expect(release).toBe("2.4");
    expect(unreachable).toEqual(["in.test:8080"]);
    expect(servers[0].scopes.map(({ effect }: { effect: string }) => effect)).toEqual(["read", "run", "protected"]);
    expect(servers[0].scopes[2]).toMatchObject({
      paths: ["/office"],
      status: 403,
      request: { method: "GET", path: "/office", clientIp: "203.0.113.7" },
      access: { words: "10.0.0.0/8; others: 403" },
    });
    expect(sensitivePaths.answers).toContainEqual(
      expect.objectContaining({ path: "/.env", outcome: "exposed", status: 200, hosts: ["a.test"] }),
    );
    for (const args of [
      ["--files", "assume"],
      ["--release", "2.2"],
    ])
      validJson("audit", audit("httpd.conf", "--format", "json", ...args).stdout);
  });

  test("shows hosts that differ only in constants once", () => {
    const host = (name: string) =>
      `<VirtualHost *:80>\nServerName ${name}.test\nDocumentRoot "/srv/${name}"\n<Directory "/srv/${name}">\nRequire all granted\n</Directory>\n</VirtualHost>\n`;
    writeMain(["one", "two", "six"].map(host).join(""));
    const { stdout } = audit(...listed);
    expect(stdout.match(/^ {2}Read: /gm)).toHaveLength(1);
    expect(stdout).toMatch(/^ {2}same for 2 more hosts: two\.test, six\.test; each with its own names/m);
  });

  test("writes HTML with each request, its answer and the deciding lines", () => {
    writeMain(scripts, { "files.txt": "/srv/www/.env\n" });
    const { stdout } = audit(...listed, "--format", "html");
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).not.toContain("<script");
    expect(stdout).toContain("GET <code>http://a.test/office</code> from 203.0.113.7 returns 403");
    expect(stdout.replace(/<\/?span[^>]*>/g, "")).toContain("<mark>Require ip 10.0.0.0/8</mark>");
    expect(stdout).toContain("GET <code>http://a.test/.env</code> from 203.0.113.9 returns 200");
  });
});

describe("--wordlist", () => {
  test("adds paths without duplicates", () => {
    writeMain("", { "words.txt": "# backups\n/secret.txt\nold.zip\n/.env\n", "files.txt": "/srv/www/secret.txt\n" });
    const { status, stdout } = audit(...listed, "--wordlist", "words.txt");
    expect(status).toBe(1);
    expect(stdout).toContain("\nSensitive paths: 1 exposed, 79 absent (of 80)\n  `/secret.txt` at a.test\n");
  });

  test.each([
    [
      "a line that is not a path",
      "/ok\n/a b\n",
      "line 2 of the list `words.txt` of --wordlist is not a URL path: `/a b`",
    ],
    ["control characters", "/a\u001b[2J\n", "line 1 of the list `words.txt` of --wordlist is not a URL path"],
  ])("reports %s as a usage error", (_, words, message) => {
    writeMain("", { "words.txt": words });
    const { status, stdout, stderr } = audit(...listed, "--wordlist", "words.txt");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("\u001b");
  });

  test("exits with 3 if the list cannot be read", () => {
    writeMain();
    const { status, stderr } = audit(...listed, "--wordlist", "nowhere.txt");
    expect(status).toBe(3);
    expect(stderr).toBe("httpd-lint: the list `nowhere.txt` of --wordlist cannot be read\n");
  });
});
