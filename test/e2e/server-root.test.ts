import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findings } from "../support/programs/command-output.js";
import { editedFolder } from "../support/programs/editor.js";
import { git } from "../support/programs/scratch-repository.js";

const scratch = editedFolder();
const { at, lint, start, textOf, uri, write } = scratch;

const note = (named: string, where: string, root: string) =>
  `httpd-lint: the ServerRoot \`${named}\` ${where}: relative paths start in \`${root}\`; name another directory with --server-root\n`;

/** A copy of a server whose ServerRoot is on another machine. */
function writeCopy(main = 'ServerRoot "/nowhere/httpd"\nIncludeOptional conf.d/*.conf\n'): void {
  write({
    "rhel/etc/httpd/conf/httpd.conf": main,
    "rhel/etc/httpd/conf.d/open.conf": "Require all granted\n<Location /x>\nRequire all denied\n</Location>\n",
  });
  git(scratch.path, "init", "--quiet");
}

const misplaced = "rhel/etc/httpd/conf.d/open.conf:1:1: error misplaced-directive";
const copied = note("/nowhere/httpd", "does not exist here", "rhel/etc/httpd");

describe("a ServerRoot that is not here", () => {
  test("is guessed from where the main file is", () => {
    writeCopy();
    for (const args of [["."], ["rhel"], ["rhel/etc/httpd/conf.d/open.conf"]]) {
      const ran = lint(args);
      expect(findings(ran), args.join(" ")).toEqual([misplaced]);
      expect(ran.stderr, args.join(" ")).toBe(copied);
    }
  });

  test("is guessed by the commands that are about one server", () => {
    writeCopy();
    for (const entry of ["rhel/etc/httpd/conf.d/open.conf", "rhel/etc/httpd"]) {
      const ran = lint(["explain", entry, "http://localhost/x"]);
      expect(ran.stdout, entry).toMatch(/^403 /m);
      expect(ran.stderr, entry).toContain(copied);
    }
    const resolved = lint(["resolve", "rhel/etc/httpd"]);
    expect(resolved.stdout).toContain("Require all denied");
    expect(resolved.stderr).toContain(copied);
  });

  test("is guessed from absolute paths below it, which are then read from the copy", () => {
    writeCopy('ServerRoot "/nowhere/httpd"\nInclude /nowhere/httpd/conf.d/*.conf\nInclude /nowhere/httpd/b.conf\n');
    const ran = lint(["."]);
    expect(findings(ran)).toEqual([misplaced, "rhel/etc/httpd/conf/httpd.conf:3:1: error refused-at-start"]);
    expect(ran.stdout).toContain("rhel/etc/httpd/b.conf` cannot be included: it does not exist");
    expect(ran.stderr).toBe(copied);
  });

  test("is guessed for variables that have a value, and for those without", () => {
    writeCopy('Define ROOT "/nowhere"\nServerRoot "$' + '{ROOT}/httpd"\nInclude conf.d/*.conf\n');
    expect(lint(["."]).stderr).toBe(copied);
    writeCopy('ServerRoot "$' + '{ROOT}"\nInclude conf.d/*.conf\n');
    expect(lint(["."]).stderr).toContain(note("$" + "{ROOT}", "does not exist here", "rhel/etc/httpd"));
  });

  test("is guessed below a system root if its variable has no value", () => {
    writeCopy('ServerRoot "$' + '{ROOT}"\nInclude conf.d/*.conf\n');
    expect(lint([".", "--sysroot", "rhel"]).stderr).toContain(
      note("$" + "{ROOT}", "does not exist here", "rhel/etc/httpd"),
    );
  });

  test("is guessed although a continued comment contains a ServerRoot that is here", () => {
    writeCopy(`# see \\\nServerRoot "${at("rhel")}"\nServerRoot "/nowhere/httpd"\nIncludeOptional conf.d/*.conf\n`);
    expect(lint(["."]).stderr).toBe(copied);
  });

  test("is not guessed if no Include below it finds anything there", () => {
    writeCopy('ServerRoot "/nowhere/httpd"\nIncludeOptional other.d/*.conf\nIncludeOptional /nowhere/conf.d/*.conf\n');
    const ran = lint(["."]);
    expect(ran.stdout).toContain("ServerRoot `/nowhere/httpd` is not a directory on this machine");
    expect(ran.stderr).not.toContain("relative paths start in");
  });

  test("is not guessed if a flag or the configuration file says where files are", () => {
    writeCopy();
    for (const flags of [
      ["--server-root", "rhel"],
      ["--map", "rhel=/elsewhere"],
      ["--sysroot", "rhel"],
    ])
      expect(lint([".", ...flags]).stderr, flags.join(" ")).not.toContain("relative paths start in");
    write({ ".httpd-lint.json": { servers: [{ entry: "rhel/etc/httpd", serverRoot: "rhel" }] } });
    expect(lint(["."]).stderr).not.toContain("relative paths start in");
  });

  test("is guessed by the language server", async () => {
    writeCopy();
    const editor = await start();
    const opened = uri("rhel/etc/httpd/conf.d/open.conf");
    editor.open(opened, textOf("rhel/etc/httpd/conf.d/open.conf"));
    const codes = (await editor.diagnostics(opened)).map(({ code }) => code);
    expect(codes).toEqual(["misplaced-directive"]);
  });
});

describe("a ServerRoot outside the repository", () => {
  function writeBoth(): void {
    write({
      "repo/a2/apache2/apache2.conf": `ServerRoot "${at("machine")}"\nIncludeOptional sites-enabled/*.conf\n`,
      "repo/a2/apache2/sites-enabled/a.conf": "Require all granted\n",
      "machine/sites-enabled/own.conf": "Optoins None\n",
    });
  }

  test("is not read", () => {
    writeBoth();
    git(scratch.path, "init", "--quiet", "repo");
    const cwd = { cwd: at("repo") };
    const told = note(at("machine"), "is outside the repository", "a2/apache2");
    for (const args of [["."], ["a2/apache2/sites-enabled/a.conf"]])
      expect(lint(args, cwd), args.join(" ")).toMatchObject({
        stdout: expect.stringContaining("a2/apache2/sites-enabled/a.conf:1:1"),
        stderr: told,
      });
    expect(lint(["."], cwd).stdout).not.toContain("own.conf");
    const written = lint(["init"], cwd);
    expect(written.stdout).toContain("its ServerRoot is outside the repository; relative paths start in a2/apache2\n");
    expect(textOf("repo/.httpd-lint.json")).toContain('"serverRoot": "a2/apache2"');
    expect(lint([], cwd).stderr).toBe("");
  });

  test("is not read by absolute paths either", () => {
    writeBoth();
    const main = `ServerRoot "${at("machine")}"\nIncludeOptional "${at("machine/sites-enabled/*.conf")}"\n`;
    write({ "repo/a2/apache2/apache2.conf": main });
    git(scratch.path, "init", "--quiet", "repo");
    const { stdout } = lint(["."], { cwd: at("repo") });
    expect(stdout).toContain("a2/apache2/sites-enabled/a.conf:1:1");
    expect(stdout).not.toContain("own.conf");
  });

  test("is read if there is no repository, or if both are in one", () => {
    writeBoth();
    expect(lint(["repo"]).stdout).toContain("machine/sites-enabled/own.conf");
    git(scratch.path, "init", "--quiet");
    expect(lint(["repo"]).stdout).toContain("machine/sites-enabled/own.conf");
  });

  test("is read if the main file is below it", () => {
    writeBoth();
    write({
      "machine/conf/httpd.conf": `ServerRoot "${at("machine")}"\nInclude x/*.conf\nIncludeOptional sites-enabled/*.conf\n`,
    });
    mkdirSync(at("machine/conf/.git"));
    expect(lint(["machine/conf/httpd.conf"]).stderr).toBe("");
  });
});
