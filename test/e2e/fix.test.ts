import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Ran } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

beforeEach(() => {
  mkdirSync(at("home"));
});

function check(args: readonly string[], input?: string): Ran {
  const env = { NO_COLOR: "1", HOME: at("home") };
  return lint(["check", ...args], { env, ...(input === undefined ? {} : { input }) });
}

const fixedAccess = "Order allow,deny\nAllow from 10.0.0.0/8\n";
const shadowed = `${fixedAccess}Allow from 10.0.0.0/8\n`;
const main = 'DocumentRoot "/srv/www"\nNameVirtualHost *:80\nKeepAlive 5\n';
const safe = 'DocumentRoot "/srv/www"\nKeepAlive 5\n';
const all = 'DocumentRoot "/srv/www"\nKeepAlive On\n';

describe("check --fix", () => {
  test("applies proved fixes, keeps the originals, lists other findings, and changes nothing when run again", () => {
    write({ "conf/httpd.conf": main });
    const ran = check(["--fix", "conf"]);
    expect([ran.status, textOf("conf/httpd.conf")]).toEqual([1, safe]);
    expect(ran.stdout).toMatch(
      /^error\[refused-at-start\]: invalid value .*`KeepAlive`.*\n --> conf\/httpd\.conf:2:11$/m,
    );
    expect(ran.stderr).toContain("httpd-lint: 1 fix applied\nhttpd-lint: 1 file written; the originals are in ");
    expect(ran.stderr).toContain("1 more fix may change what the server does");
    const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(ran.stderr) ?? [];
    expect(readFileSync(`${backup}/old${at("conf/httpd.conf")}`, "utf8")).toBe(main);
    // The copies are not a separate configuration.
    const again = check(["--fix", "conf"]);
    expect([again.status, again.stdout, textOf("conf/httpd.conf")]).toEqual([1, ran.stdout, safe]);
    expect(again.stderr).not.toContain("written");
  });

  test("applies unsafe fixes on request, and then exits with 0", () => {
    write({ "httpd.conf": main });
    const { status, stdout, stderr } = check(["--fix=unsafe", "httpd.conf"]);
    expect([status, stdout, textOf("httpd.conf")]).toEqual([0, "no findings in 1 file, 2 lines\n", all]);
    expect(stderr).toContain("2 fixes applied");
  });

  test("lists the requests whose answers a fix changes", () => {
    const modules = ["authz_core", "alias", "proxy", "proxy_http"]
      .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
      .join("");
    const lines = 'ServerName a.test\nListen 80\nProxyPass "/" "http://b.test/"\nProxyPass "/private" "!"\n';
    write({ "httpd.conf": `${modules}DocumentRoot "/srv/www"\n${lines}` });
    const { stdout, stderr } = check(["--diff", "--fix=unsafe", "--select", "shadowed-line", "httpd.conf"]);
    expect(stdout).toContain('-ProxyPass "/" "http://b.test/"\n ProxyPass "/private" "!"\n+ProxyPass "/"');
    expect(stderr).toMatch(/GET `\S*\/private` from \S+ returned 200 from a backend, and returns 200 after the fix\n/);
    expect(check(["--diff", "--select", "shadowed-line", "httpd.conf"]).stderr).not.toContain("after the fix");
  });

  test("shows the changes as a patch that applies, and writes nothing", () => {
    const latin = `${main}ServerAdmin caf\xe9@example.com`;
    const file = at("httpd.conf");
    write({});
    execFileSync("sh", ["-c", `printf '%s' "$1" | iconv -f UTF-8 -t LATIN1 > httpd.conf`, "sh", latin], {
      cwd: scratch.path,
    });
    const before = readFileSync(file, "latin1");
    const shell = (flags: string) =>
      execFileSync(
        "sh",
        [
          "-c",
          `"$0" "$1" check httpd.conf ${flags} > change.diff 2>notes || true`,
          process.execPath,
          join(process.cwd(), "dist/httpd-lint.js"),
        ],
        { cwd: scratch.path },
      );
    shell("--diff");
    expect(textOf("notes")).toContain("1 fix would be applied to 1 file");
    expect(readFileSync(file, "latin1")).toBe(before);
    shell("--diff --fix=unsafe");
    execFileSync("git", ["apply", "change.diff"], { cwd: scratch.path });
    expect(readFileSync(file, "latin1")).toBe(before.replace("NameVirtualHost *:80\n", "").replace("5", "On"));
    expect(check(["--diff", "httpd.conf"])).toMatchObject({ status: 0, stdout: "" });
  });

  test("exits with 1 if --diff shows a change, unless --exit-zero is given", () => {
    write({ "httpd.conf": main });
    expect(check(["httpd.conf", "--diff"]).status).toBe(1);
    expect(check(["httpd.conf", "--diff", "--exit-zero"]).status).toBe(0);
    expect(check(["httpd.conf", "--diff", "--disable", "ignored-directive"])).toMatchObject({ status: 0, stdout: "" });
    expect(textOf("httpd.conf")).toBe(main);
  });

  test("applies a fix that is safe for both servers to a shared file once", () => {
    const server = (root: string) => `DocumentRoot "${root}"\nInclude ../shared.conf\n`;
    const files = { "a/httpd.conf": server("/srv/a"), "b/httpd.conf": server("/srv/b") };
    write({ ...files, "shared.conf": `<Directory "/srv">\n${shadowed}</Directory>\n` });
    const { stderr } = check(["--fix", "a", "b"]);
    expect(stderr).toContain("1 fix applied\nhttpd-lint: 1 file written");
    expect(textOf("shared.conf")).toBe(`<Directory "/srv">\n${fixedAccess}</Directory>\n`);
  });

  test("withholds unproved fixes, and reports why; --fix=unsafe needs no proof", () => {
    const rewriting = "RewriteEngine On\nRewriteMap m prg:/bin/m\nRewriteRule ^/x $" + "{m:x} [PT]\n";
    const mapped = `DocumentRoot "/srv/www"\n${rewriting}<Directory "/srv/www">\n${shadowed}</Directory>\n`;
    write({ "httpd.conf": mapped });
    const { stderr } = check(["--fix", "httpd.conf"]);
    expect(textOf("httpd.conf")).toBe(mapped);
    expect(stderr).toContain(
      "httpd.conf:8:1: the fix of `shadowed-rule` was not applied: its effect on access is not proved: ",
    );
    check(["--fix=unsafe", "httpd.conf"]);
    expect(textOf("httpd.conf")).toBe(mapped.replace(shadowed, fixedAccess));
  });

  test("does not delete a line if that would hide a finding about an open section", () => {
    const open =
      'DocumentRoot "/srv/www"\n<Location "/admin">\nRequire all granted\nRequire ip 10.0.0.0/8\n</Location>\n';
    write({ "httpd.conf": open });
    for (const more of [[], ["--select", "shadowed-rule"], ["--fix=unsafe"]]) {
      expect(check(["httpd.conf", "--fix", ...more]).status).toBe(1);
      expect(textOf("httpd.conf")).toBe(open);
    }
    expect(check(["httpd.conf", "--fix"]).stdout).toContain("[implicit-require-any]");
  });

  test("does not change files that were not requested", () => {
    const outer = `${main}Include sites/*.conf\n`;
    write({ "httpd.conf": outer, "sites/a.conf": "NameVirtualHost *:81\n" });
    check(["--fix", "sites/a.conf"]);
    expect([textOf("httpd.conf"), textOf("sites/a.conf")]).toEqual([outer, ""]);
  });

  test("fixes a lone `.htaccess` file without a proof, and keeps its original in the home directory", () => {
    write({ "www/.htaccess": shadowed });
    const { stderr } = check(["--fix", "www/.htaccess"]);
    expect(textOf("www/.htaccess")).toBe(fixedAccess);
    expect(stderr).toContain(join("home", ".httpd-lint"));
    write({ "www/.htaccess": shadowed });
    expect(check(["--fix", "www/.htaccess", "--backup-dir", "www/saved"])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("clients could download it"),
    });
    expect(textOf("www/.htaccess")).toBe(shadowed);
  });

  test("writes fixed standard input to standard output, and the remaining findings to standard error", () => {
    const args = ["-", "--fix", "--stdin-filename", "www/.htaccess", "--min-severity", "warning"];
    expect(check(args, shadowed)).toEqual({
      status: 0,
      stdout: fixedAccess,
      stderr: "httpd-lint: 1 fix applied\nno findings in 1 file, 2 lines\n",
    });
    const withUnknown = `${shadowed}Nonsense On\n`;
    const ran = check(args, withUnknown);
    expect([ran.status, ran.stdout]).toEqual([1, `${fixedAccess}Nonsense On\n`]);
    expect(ran.stderr).toContain("[unknown-directive]");
    expect(existsSync(at("www"))).toBe(false);
  });

  test("preserves modes and links", () => {
    write({ "real/httpd.conf": safe.replace("KeepAlive 5", "NameVirtualHost *:80") });
    chmodSync(at("real/httpd.conf"), 0o640);
    mkdirSync(at("conf"));
    symlinkSync("../real/httpd.conf", at("conf/httpd.conf"));
    expect(check(["--fix", "conf/httpd.conf"]).status).toBe(0);
    expect(textOf("real/httpd.conf")).toBe('DocumentRoot "/srv/www"\n');
    expect(statSync(at("real/httpd.conf")).mode & 0o777).toBe(0o640);
  });

  test("reports how to recover after an interrupted run, and writes nothing", () => {
    write({ "httpd.conf": main });
    const { stderr } = check(["--fix", "httpd.conf"]);
    const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(stderr) ?? [];
    // This is the state after a run that was killed when all files were written.
    renameSync(backup, join(backup, "../unfinished"));
    write({ "httpd.conf": safe });
    const rejected = check(["--fix=unsafe", "httpd.conf"]);
    expect([rejected.status, textOf("httpd.conf")]).toEqual([3, safe]);
    const [, command = ""] = /run `httpd-lint (migrate --recover [^`]*)` first/.exec(rejected.stderr) ?? [];
    expect(lint(command.split(" ")).status).toBe(0);
    expect(check(["--fix=unsafe", "httpd.conf"]).status).toBe(0);
  });

  test("reports a line that a macro inserts, and does not change it", () => {
    const macro = `<Macro M $d>\n<Directory "$d">\n${shadowed}</Directory>\n</Macro>\nUse M /srv/a\nUse M /srv/b\n`;
    write({ "httpd.conf": `DocumentRoot "/srv"\n${macro}` });
    expect(check(["--fix=unsafe", "httpd.conf"]).stderr).toContain("nothing was fixed");
    expect(textOf("httpd.conf")).toBe(`DocumentRoot "/srv"\n${macro}`);
  });

  test.each([
    [["--fix", "unsafe"], "the path `unsafe` does not exist; did you mean --fix=unsafe?"],
    [["--backup-dir", "x", "."], "--backup-dir needs --fix"],
    [["--diff", "--format", "json", "."], "--diff shows a patch without findings; omit --format"],
    [["--diff", "--statistics", "."], "omit --statistics"],
    [["--fix=all", "."], "invalid value `all` for --fix: expected safe or unsafe"],
    [["--fix", "-", "x.conf", "--stdin-filename", "y.conf"], "standard input can only be fixed on its own"],
  ])("reports wrong usage: %j", (args, message) => {
    const { status, stderr } = check(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
