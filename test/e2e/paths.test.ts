import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectFailure, findings } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;

const sound = "<Directory /srv>\nOptions None\n</Directory>\n";
const unclosed = "<Directory /srv>\nOptions None\n";

describe("paths", () => {
  test("a directory with a main file is a server", () => {
    write({ "conf/httpd.conf": "Include extra/*.conf\n", "conf/extra/a.conf": "Require all granted\n" });
    const ran = lint(["."]);
    expect(findings(ran)).toEqual(["conf/extra/a.conf:1:1: error misplaced-directive"]);
    expect(ran.stdout).toContain("in 2 files, 2 lines");
  });

  test("a file that a server includes is checked as part of it, and only its findings are reported", () => {
    write({
      "conf/httpd.conf": "Include extra/*.conf\nOptoins None\n",
      "conf/extra/a.conf": "Require all granted\n",
      "conf/other/a.conf": "Require all granted\n",
    });
    expect(findings(lint(["conf/extra/a.conf"]))).toEqual(["conf/extra/a.conf:1:1: error misplaced-directive"]);
    // No file includes this one: it is a fragment, which may be included anywhere.
    expect(lint(["conf/other/a.conf"]).status).toBe(0);
  });

  test("several paths of one server are analyzed once", () => {
    write({ "httpd.conf": "Include a.conf\nInclude b.conf\n", "a.conf": "Optoins None\n", "b.conf": "Optoins All\n" });
    const ran = lint(["a.conf", "b.conf", "a.conf"]);
    expect(findings(ran)).toEqual(["a.conf:1:1: error unknown-directive", "b.conf:1:1: error unknown-directive"]);
    expect(ran.stdout).toContain("2 errors in 2 files, 2 lines");
  });

  test("a file that is included through a link is reported at its target", () => {
    write({ "httpd.conf": "Include enabled/*\n", "available/a.conf": "Optoins None\n", "enabled/.keep": "" });
    symlinkSync("../available/a.conf", at("enabled/a.conf"));
    expect(findings(lint(["httpd.conf"]))).toEqual(["available/a.conf:1:1: error unknown-directive"]);
  });

  test("a `.htaccess` below a document root belongs to the server", () => {
    write({ "httpd.conf": 'DocumentRoot "www"\n', "www/a/.htaccess": "Listen 80\n" });
    const place = "www/a/.htaccess:1:1: error misplaced-directive";
    expect(findings(lint(["httpd.conf"]))).toEqual([place]);
    expect(findings(lint(["www/a/.htaccess"]))).toEqual([place]);
  });

  test("files of a nested server are checked only as part of it", () => {
    write({
      "srv/httpd.conf": `DocumentRoot "${scratch.path}/srv/www"\n`,
      "srv/www/a/.htaccess": "Listen 80\n",
      "loose/.htaccess": "Listen 80\n",
    });
    const place = "srv/www/a/.htaccess:1:1: error misplaced-directive";
    const loose = "loose/.htaccess:1:1: error misplaced-directive";
    expect(findings(lint(["."]))).toEqual([loose, place]);
    expect(findings(lint([".", "srv"]))).toEqual([loose, place]);
    expect(findings(lint(["srv/www"]))).toEqual([place]);
  });

  test("files that two servers read are reported once", () => {
    write({
      "a/httpd.conf": `DocumentRoot "${scratch.path}/b/www"\n`,
      "b/apache2.conf": `DocumentRoot "${scratch.path}/b/www"\n`,
      "b/www/.htaccess": "Listen 80\n",
    });
    expect(findings(lint(["."]))).toEqual(["b/www/.htaccess:1:1: error misplaced-directive"]);
    expectFailure(lint(["explain", ".", "http://localhost/"]), 2, "has more than one server");
  });

  test("circular links below a document root are followed once", () => {
    write({ "httpd.conf": 'DocumentRoot "www"\n', "www/a/.htaccess": "Listen 80\n" });
    symlinkSync("..", at("www/a/up"));
    symlinkSync("self", at("www/self"));
    const ran = lint(["httpd.conf"]);
    expect(findings(ran)).toEqual(["www/a/.htaccess:1:1: error misplaced-directive"]);
    expect(ran).toMatchObject({ status: 1, stderr: "" });
  });

  test("standard input has the path of --stdin-filename", () => {
    write({ "httpd.conf": "Include a.conf\n", "a.conf": sound });
    const fragment = lint(["-", "--stdin-filename", "other.conf"], { input: "Require all granted\n" });
    expect(fragment.status).toBe(0);
    const htaccess = lint(["check", "--stdin-filename", ".htaccess", "-"], { input: "Listen 80\n" });
    expect(findings(htaccess)).toEqual([".htaccess:1:1: error misplaced-directive"]);
    const included = lint(["-", "--stdin-filename", "a.conf"], { input: "Require all granted\n" });
    expect(findings(included)).toEqual(["httpd.conf:1:1: error misplaced-directive"]);
  });

  test("standard input without a name is `stdin.conf` in the current directory", () => {
    write({ "stdin.conf/a.conf": sound, "sub/b.conf": "Listen 80\n" });
    const text = "<Location /x>\nRequire all denied\n</Location>\nServerTokns Prod\n";
    const cwd = at("sub");
    const fragment = lint(["-"], { cwd, input: text });
    expect(findings(fragment)).toEqual(["stdin.conf:4:1: error unknown-directive"]);
    expect(fragment.stderr).toContain("checked 1 file on its own");
    expect(lint(["check", "-", "b.conf"], { cwd, input: text }).stdout).toContain("in 2 files");
    const server = `ServerRoot .\nListen 80\n${text.replace("Tokns", "Tokens")}`;
    const inText = { cwd, input: server };
    expect(lint(["check", "-"], inText)).toMatchObject({ stderr: "" });
    expect(lint(["explain", "-", "/x"], inText)).toMatchObject({ stdout: expect.stringMatching(/^403 /), stderr: "" });
    expect(lint(["resolve", "-"], inText)).toMatchObject({ status: 0, stdout: expect.stringContaining("Listen 80") });
    expect(lint(["map", "-"], inText)).toMatchObject({ status: 0, stderr: "" });
    expect(lint(["compare", "-", "--from", "2.2", "--to", "2.4"], inText).stdout).toContain("access decisions");
    expect(lint(["migrate", "-"], inText).stderr).toMatch(/^httpd-lint: nothing to migrate/);
    expect(lint(["upgrade", "-"], inText).stdout).toContain(
      "`Require all denied` (stdin.conf:4:1) is a directive of 2.4",
    );
    expectFailure(lint(["-"], { input: text }), 2, /`stdin\.conf` is a directory; name a file with --stdin-filename/);
  });

  test("every argument after `--` is a path", () => {
    write({ "-x.conf": unclosed, rules: unclosed });
    expect(findings(lint(["--", "-x.conf"]))).toEqual(["-x.conf:1:1: error syntax-error"]);
    expect(findings(lint(["check", "--", "rules"]))).toEqual(["rules:1:1: error syntax-error"]);
  });

  test("the default is the current directory", () => {
    write({ "conf.d/a.conf": unclosed });
    expect(findings(lint([]))).toEqual(["conf.d/a.conf:1:1: error syntax-error"]);
  });
});
