import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectFailure, findings, fragmentNote } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, write } = lintedFolder();

const sound = "<Directory /srv>\nOptions None\n</Directory>\n";
const unclosed = "<Directory /srv>\nOptions None\n";
const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n";

describe("the exit code is", () => {
  test("0 without findings", () => {
    write({ "sound.conf": sound });
    expect(lint(["sound.conf"])).toEqual({
      status: 0,
      stdout: "no findings in 1 file, 3 lines\n",
      stderr: fragmentNote,
    });
  });

  test("1 if there are findings", () => {
    write({ "unclosed.conf": unclosed });
    const ran = lint(["unclosed.conf"]);
    expect(ran).toMatchObject({ status: 1, stderr: fragmentNote });
    expect(findings(ran)).toEqual(["unclosed.conf:1:1: error syntax-error"]);
  });

  test.each(["text", "json", "sarif", "github"])("also 1 in the format %s, and 0 with --exit-zero", (format) => {
    write({ "unclosed.conf": unclosed });
    expect(lint(["unclosed.conf", "--format", format])).toMatchObject({ status: 1, stderr: fragmentNote });
    expect(lint(["unclosed.conf", "--format", format, "--exit-zero"])).toMatchObject({
      status: 0,
      stderr: fragmentNote,
    });
  });

  test.each([
    "define",
    "select",
    "disable",
    "modules",
    "output",
    "server-root",
    "sysroot",
    "map",
    "format",
    "color",
    "release",
  ])("2 if --%s has no value", (flag) => {
    write({ "sound.conf": sound });
    expectFailure(lint(["check", "sound.conf", `--${flag}`]), 2, new RegExp(`--${flag} needs a value`));
  });

  test("0 if all findings are below --min-severity", () => {
    write({ "old.conf": old });
    expect(lint(["old.conf", "--fail-on", "info"]).status).toBe(1);
    expect(lint(["old.conf", "--fail-on", "info", "--min-severity", "warning"]).status).toBe(0);
  });

  test("0 if all findings are below --fail-on, which is the default for infos", () => {
    write({ "old.conf": old, "broken.conf": "Optoins None\n" });
    expect(lint(["old.conf"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("info[old-access-control]"),
    });
    expect(lint(["old.conf", "--fail-on", "error"]).status).toBe(0);
    for (const least of ["error", "warning", "info"]) {
      expect(lint(["old.conf", "broken.conf", "--fail-on", least]).status).toBe(1);
      expect(lint(["old.conf", "broken.conf", "--fail-on", least, "--exit-zero"]).status).toBe(0);
    }
  });

  test.each([
    [["--bogus"], /bogus/],
    [["check", "--format", "xml", "a.conf"], /format/],
    [["check", "--min-severity", "fatal", "a.conf"], /min-severity/],
    [["check", "--release", "2.3", "a.conf"], /release/],
    [["--select", "sintax-error", "a.conf"], /unknown rule `sintax-error`; did you mean `syntax-error`/],
    [["--disable", "syntax-error,nonsense", "a.conf"], /unknown rule `nonsense`/],
    [["rules", "sintax-error"], /did you mean `syntax-error`/],
    [["--stdin-filename", "x.conf", "a.conf"], /needs the path `-`/],
    [["--envvars", "nowhere", "a.conf"], /`nowhere` of --envvars cannot be read/],
    [
      ["--output", "nowhere/result", "httpd.conf"],
      /`nowhere\/result` of --output cannot be written: its directory does not exist$/m,
    ],
    [["--sysroot", "nowhere", "a.conf"], /`nowhere` of --sysroot is not a directory/],
    [["--server-root", "nowhere", "a.conf"], /`nowhere` of --server-root is not a directory/],
    [["--confine", "a.conf", "a.conf"], /`a\.conf` of --confine is not a directory/],
    [["resolve"], /ENTRY is missing: expected a main file, a virtual host file/],
    [["resolve", "--format", "json", "a.conf"], /format/],
  ])("2 for %j", (args, message) => {
    write({ "a.conf": sound, "httpd.conf": sound });
    expectFailure(lint(args), 2, message);
  });

  test("3 if a path does not exist, even if another path does", () => {
    write({ "sound.conf": sound });
    expectFailure(lint(["nope.conf"]), 3, /nope\.conf` cannot be read: it does not exist/);
    expectFailure(lint(["sound.conf", "nope.conf"]), 3, /nope\.conf` cannot be read/);
    expectFailure(lint(["resolve", "nope.conf"]), 3, /nope\.conf` cannot be read/);
    expectFailure(lint(["sound.conf/inside.conf"]), 3, /a part of its path is not a directory/);
  });

  test("3 if a folder has no configuration", () => {
    write({ "readme.txt": "Hello\n", "nginx/site.conf": "server {\nlisten 80;\n}\n" });
    expectFailure(lint([]), 3, "no httpd configuration was found in `.`");
  });

  test("3 if links go in circles", () => {
    symlinkSync("b.conf", at("a.conf"));
    symlinkSync("a.conf", at("b.conf"));
    expectFailure(lint(["a.conf"]), 3, /a\.conf` cannot be read: its symbolic links go in circles/);
  });

  test("3 for an entry that is not a file, without waiting for it", () => {
    expectFailure(lint(["/dev/tty0"]), 3, /cannot be read/);
  });
});

test("an empty path is not the current directory", () => {
  write({ "site.conf": sound });
  expectFailure(lint([""]), 3, "a path is empty; name a file or a directory");
  expectFailure(lint(["check", "site.conf", ""]), 3, "a path is empty; name a file or a directory");
});

describe("a misspelled command", () => {
  test.each([
    ["chek", "check"],
    ["tset", "test"],
    ["Explan", "explain"],
  ])("%s suggests %s", (word, command) => {
    expectFailure(lint([word, "x"]), 3, `did you mean \`httpd-lint ${command}\`?`);
  });

  test("is not assumed for directories and unrelated words", () => {
    write({ "chek/a.conf": sound });
    expect(lint(["chek"])).toMatchObject({ status: 0 });
    expectFailure(lint(["site"]), 3, "it does not exist");
    expectFailure(lint(["chek.conf"]), 3, "it does not exist");
  });
});
