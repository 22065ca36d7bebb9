import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findings } from "../support/programs/command-output.js";
import { editedFolder } from "../support/programs/editor.js";
import { git } from "../support/programs/scratch-repository.js";

const scratch = editedFolder();
const { at, lint, start, textOf, uri, write } = scratch;

const note = (serverRoot: string, problem: string, root: string) =>
  `httpd-lint: the ServerRoot \`${serverRoot}\` ${problem}: it is read from \`${root}\`; name another directory with --server-root\n`;

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

describe("a ServerRoot that does not exist here", () => {
  test("is guessed from the directory of the main file", () => {
    writeCopy();
    for (const args of [["."], ["rhel"], ["rhel/etc/httpd/conf.d/open.conf"]]) {
      const ran = lint(args);
      expect(findings(ran), args.join(" ")).toEqual([misplaced]);
      expect(ran.stderr, args.join(" ")).toBe(copied);
    }
  });

  test("is guessed by the commands for one server", () => {
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
    expect(findings(ran)).toEqual([misplaced, "rhel/etc/httpd/conf/httpd.conf:3:1: info refused-at-start"]);
    expect(ran.stdout).toContain("rhel/etc/httpd/b.conf` cannot be included: it does not exist");
    expect(ran.stderr).toBe(copied);
  });

  test("is guessed if it contains a variable, with or without a value", () => {
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

  test("is guessed even if a continued comment contains a ServerRoot that exists here", () => {
    writeCopy(`# see \\\nServerRoot "${at("rhel")}"\nServerRoot "/nowhere/httpd"\nIncludeOptional conf.d/*.conf\n`);
    expect(lint(["."]).stderr).toBe(copied);
  });

  test.each<[string, string, Readonly<Record<string, string>>, string]>([
    ["its documents are in the copy", "conf", {}, "it is read from `copy`; name another directory with --server-root"],
    [
      "the path of an Include leads to the main file",
      "etc/web",
      { "etc/web/sites/a.conf": "Include etc/web/sites/*.conf" },
      "it is read from `copy`; name another directory with --server-root",
    ],
    [
      "the path of an absolute Include leads to the main file",
      "etc",
      { "etc/sites/a.conf": "Include /nowhere/httpd/etc/sites/*.conf" },
      "it is read from `copy`; name another directory with --server-root",
    ],
    [
      "only the folder of the main file is copied",
      ".",
      { "extra/a.conf": "Include conf/extra/a.conf" },
      "`/nowhere/httpd/conf` is read from `copy`; name other directories with --map",
    ],
    [
      "only the folder of the main file is copied, with an absolute Include",
      ".",
      { "extra/a.conf": "Include /nowhere/httpd/conf/extra/a.conf" },
      "`/nowhere/httpd/conf` is read from `copy`; name other directories with --map",
    ],
    [
      "only the folder of the main file is copied, which is outside of the ServerRoot",
      ".",
      { "extra/a.conf": "Include /etc/web/extra/*.conf" },
      "`/etc/web` is read from `copy`; name other directories with --map",
    ],
    [
      "the folder of the main file is copied, and a path ends in a slash",
      ".",
      { "extra/a.conf": 'ScriptAlias /cgi-bin/ "/nowhere/httpd/web/cgi-bin/"\nInclude /etc/web/extra/a.conf' },
      "`/etc/web` is read from `copy`; name other directories with --map",
    ],
  ])("is guessed from another layout: %s", (_, folder, included, expectedNote) => {
    const [[path, include] = ["conf/a.conf", "Include conf/a.conf"]] = Object.entries(included);
    const isWhole = !expectedNote.includes("--map");
    write({
      [`copy/${folder}/httpd.conf`]: [
        ...['ServerRoot "/nowhere/httpd"', "Listen 80", "ServerName x.test", 'DocumentRoot "/nowhere/httpd/htdocs"'],
        ...['<Directory "/nowhere/httpd/htdocs">', "AllowOverride All", "Order allow,deny", "Allow from all"],
        ...["</Directory>", include, ""],
      ].join("\n"),
      [`copy/${path}`]: "<Location /a>\nDeny from all\n</Location>\n",
      // A copied folder has no documents.
      ...(isWhole ? { "copy/htdocs/.htaccess": "Deny from all\n" } : {}),
    });
    const entry = `copy/${folder}/httpd.conf`;
    const { stdout, stderr } = lint(["migrate", entry, "--from", "2.2"]);
    expect(stderr).toContain(`httpd-lint: the ServerRoot \`/nowhere/httpd\` does not exist here: ${expectedNote}\n`);
    expect(stdout).toContain(`+++ b/copy/${path}\n`);
    expect(lint(["explain", entry, "/a"]).stdout).toContain(`copy/${path}:2:1: `);
    expect(stdout.includes("+++ b/copy/htdocs/.htaccess\n")).toBe(isWhole);
    expect(lint(["explain", entry, "/"]).stdout.includes("copy/htdocs/.htaccess:1:1: ")).toBe(isWhole);
    expect(lint(["explain", entry, "/a", "--server-root", "copy"]).stderr).not.toContain("is read from");
  });

  test("reads `.htaccess` files of absolute paths below it from --server-root", () => {
    writeCopy('ServerRoot "/nowhere/httpd"\nDocumentRoot /nowhere/httpd/htdocs\nInclude conf.d/*.conf\n');
    write({ "elsewhere/htdocs/.htaccess": "Optoins None\n", "elsewhere/conf.d/a.conf": "" });
    const { stdout } = lint(["rhel/etc/httpd/conf/httpd.conf", "--server-root", "elsewhere"]);
    expect(stdout).toContain("elsewhere/htdocs/.htaccess:1:1");
  });

  test("is the parent of `conf` if no Include finds anything there", () => {
    writeCopy('ServerRoot "/nowhere/httpd"\nIncludeOptional other.d/*.conf\nIncludeOptional /nowhere/conf.d/*.conf\n');
    const ran = lint(["."]);
    expect(ran.stdout).not.toContain("is not a directory on this machine");
    expect(ran.stderr).toContain(copied);
  });

  test("is not guessed if a flag or the configuration file sets the location of files", () => {
    writeCopy();
    for (const flags of [
      ["--server-root", "rhel"],
      ["--map", "rhel=/elsewhere"],
      ["--sysroot", "rhel"],
    ])
      expect(lint([".", ...flags]).stderr, flags.join(" ")).not.toContain("is read from");
    write({ ".httpd-lint.json": { servers: [{ entry: "rhel/etc/httpd", serverRoot: "rhel" }] } });
    expect(lint(["."]).stderr).not.toContain("is read from");
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

describe("a copy of a whole system", () => {
  const systemNote =
    "httpd-lint: the ServerRoot `/nowhere/httpd` does not exist here: absolute paths are read below `backup`; name another directory with --sysroot\n";

  /** @param more lines of the main file, which includes only files of the server */
  function writeSystem(more = "Include conf.d/*.conf\n"): void {
    const main = [
      ...['ServerRoot "/nowhere/httpd"', 'DocumentRoot "/var/www/html"', '<Directory "/var/www/html">'],
      ...["AllowOverride All", "Order allow,deny", "Allow from all", "</Directory>", ""],
    ];
    write({
      "backup/nowhere/httpd/conf/httpd.conf": main.join("\n") + more,
      "backup/nowhere/httpd/conf.d/status.conf": "<Location /status>\nDeny from all\n</Location>\n",
      "backup/var/www/html/.htaccess": "Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n",
      "backup/var/www/html/index.html": "x\n",
    });
  }

  test.each([
    ["relative", "Include conf.d/*.conf\n"],
    ["absolute", "Include /nowhere/httpd/conf.d/*.conf\n"],
  ])("is read with its documents, with %s Include lines", (_, include) => {
    writeSystem(include);
    const explained = lint(["explain", "backup", "/index.html", "--release", "2.2"]);
    expect(explained).toMatchObject({ stdout: expect.stringMatching(/^403 /), stderr: systemNote });
    expect(explained.stdout).toContain("backup/var/www/html/.htaccess:2:1: ");
    const migrated = lint(["migrate", "backup", "--from", "2.2"]);
    expect(migrated.stderr).toContain(systemNote);
    expect(migrated.stderr).toContain("proved: without mod_access_compat, the 3 changed files keep");
    expect(migrated.stdout).toContain("+++ b/backup/var/www/html/.htaccess\n");
    for (const args of [["backup"], ["backup/nowhere/httpd/conf.d/status.conf"]]) {
      const checked = lint(["check", ...args]);
      expect(checked.stderr, args.join(" ")).toContain(systemNote);
      expect(checked.stdout, args.join(" ")).toContain("backup/nowhere/httpd/conf.d/status.conf:2");
    }
  });

  test("is read if the package sets the ServerRoot, but not without documents", () => {
    write({
      "copy/etc/apache2/apache2.conf":
        '<Directory "/srv">\nAllowOverride All\n</Directory>\nInclude sites-enabled/*.conf\n',
      "copy/etc/apache2/sites-enabled/a.conf": "Listen 80\nDocumentRoot /srv\n",
      "copy/srv/.htaccess": "Require all denied\n",
      "bare/etc/apache2/apache2.conf": "Listen 80\nDocumentRoot /srv\n",
    });
    const { stdout, stderr } = lint(["explain", "copy", "/x"]);
    expect(stderr).toContain(
      "httpd-lint: `copy/etc/apache2` is a copy of `/etc/apache2`: absolute paths are read below `copy`; name another directory with --sysroot\n",
    );
    expect(stdout).toMatch(/^403 /);
    expect(lint(["explain", "bare", "/x"]).stderr).not.toContain("is a copy of");
    expect(lint(["explain", "copy/etc/apache2/apache2.conf", "/x", "--confine", "copy/etc"]).stderr).not.toContain(
      "copy of",
    );
  });

  test.each([
    ["another ServerRoot", 'ServerRoot "/nowhere/other"\n'],
    ["a ServerRoot above it", 'ServerRoot "/nowhere"\n'],
  ])("is read if the path of an Include leads to it, with %s", (_, root) => {
    const lines = `${root}Listen 80\nServerName x\nDocumentRoot /nowhere/www\nInclude /nowhere/etc/web/sites/*.conf\n`;
    write({
      "backup/nowhere/etc/web/httpd.conf": lines,
      "backup/nowhere/etc/web/sites/a.conf": "<Directory /nowhere/www>\nAllowOverride All\n</Directory>\n",
      "backup/nowhere/www/.htaccess": "Require all denied\n",
    });
    const { stdout, stderr } = lint(["explain", "backup/nowhere/etc/web/httpd.conf", "/x"]);
    expect(stderr).toContain("absolute paths are read below `backup`; name another directory with --sysroot\n");
    expect(stdout).toContain("backup/nowhere/www/.htaccess:1:1: ");
  });

  test("is recognized by its path if its ServerRoot also exists on this machine", () => {
    write({
      "machine/web/sites/own.conf": "Optoins None\n",
      [`copy${at("machine/web")}/conf/httpd.conf`]: `ServerRoot "${at("machine/web")}"\nListen 80\nServerName x\nIncludeOptional sites/*.conf\n`,
    });
    const { stdout, stderr } = lint([`copy${at("machine/web")}/conf/httpd.conf`]);
    expect(stderr).toContain(`is a copy of \`${at("machine/web")}\`: it is read from`);
    expect(stdout).toContain("no findings");
  });

  test("is recognized by a site that its Include skips, beside a server of this machine", () => {
    write({
      "machine/web/sites/own.conf": "Optoins None\n",
      "taken/httpd.conf": `ServerRoot "${at("machine/web")}"\nListen 80\nServerName x\nIncludeOptional sites/*.conf\n`,
      "taken/sites/shop": "<VirtualHost *:80>\nServerName shop.test\n</VirtualHost>\n",
    });
    git(at("taken"), "init", "--quiet");
    const ran = lint(["check", "taken/httpd.conf"]);
    expect(findings(ran)).toEqual(["taken/httpd.conf:4:1: warning skipped-file"]);
    expect(ran.stdout).toContain("rename it to `shop.conf`");
    // Twin: files of another kind do not show that it is a copy.
    write({ "taken/sites/readme.md": "x\n" });
    rmSync(at("taken/sites/shop"));
    expect(findings(lint(["check", "taken/httpd.conf"]))).toEqual([
      "machine/web/sites/own.conf:1:1: error unknown-directive",
    ]);
  });

  test("is treated as a server of this machine if its paths exist here", () => {
    write({
      "moved/etc/apache2/apache2.conf": "Listen 80\nInclude sites-enabled/*.conf\n",
      "moved/etc/apache2/sites-enabled/a.conf": `DocumentRoot "${at("moved/srv")}"\n`,
      "moved/srv/x.txt": "x\n",
    });
    const { stdout, stderr } = lint(["explain", "moved", "/x.txt"]);
    expect(stderr).not.toContain("is a copy of");
    expect(stdout).toMatch(/^200 /);
  });

  test("is not read outside the directory of --confine", () => {
    writeSystem();
    const { stdout, stderr } = lint([
      ...["explain", "backup/nowhere/httpd/conf/httpd.conf", "/x", "--release", "2.2", "--confine", "backup/nowhere"],
    ]);
    expect(stderr).toContain(note("/nowhere/httpd", "does not exist here", "backup/nowhere/httpd"));
    expect(stdout).not.toContain(".htaccess:");
  });

  test("is in the configuration file of init as the root of the system", () => {
    writeSystem();
    const { stdout } = lint(["init"]);
    expect(stdout).toContain("  absolute paths are read below backup\n");
    expect(textOf(".httpd-lint.json")).toContain('"sysroot": "backup"');
    expect(textOf(".httpd-lint.json")).not.toContain("serverRoot");
    // The .htaccess file of the document root decides, as without a configuration file.
    const { stdout: explained } = lint(["explain", "/index.html", "--release", "2.2"]);
    expect(explained).toMatch(/^403 /);
    expect(explained).toContain("backup/var/www/html/.htaccess:2:1: ");
    rmSync(at("backup/var"), { recursive: true });
    rmSync(at(".httpd-lint.json"));
    // Twin: without the documents, only the ServerRoot is known.
    lint(["init"]);
    expect(textOf(".httpd-lint.json")).toContain('"serverRoot": "backup/nowhere/httpd"');
    expect(textOf(".httpd-lint.json")).not.toContain("sysroot");
    rmSync(at(".httpd-lint.json"));
  });

  test("is read by the language server", async () => {
    writeSystem();
    write({ "backup/var/www/html/.htaccess": "Optoins None\n" });
    const editor = await start();
    const opened = uri("backup/var/www/html/.htaccess");
    editor.open(opened, textOf("backup/var/www/html/.htaccess"));
    expect((await editor.diagnostics(opened)).map(({ code }) => code)).toContain("unknown-directive");
  });
});

test("does not show a note about a server that reads none of the files", () => {
  write({
    "httpd.conf": "ServerRoot /\n<Location />\nRequire all granted\n</Location>\n",
    "inner/httpd.conf": "ServerName x.test\n<Location />\nDeny from all\n</Location>\n",
  });
  const upgraded = "is a directive of 2.4";
  expect(lint(["check", "httpd.conf", "--from", "2.2"]).stderr).toContain(upgraded);
  expect(lint(["check", "inner/httpd.conf", "--from", "2.2"]).stderr).not.toContain(upgraded);
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
    const outsideNote = note(at("machine"), "is outside the repository", "a2/apache2");
    for (const args of [["."], ["a2/apache2/sites-enabled/a.conf"]])
      expect(lint(args, cwd), args.join(" ")).toMatchObject({
        stdout: expect.stringContaining("a2/apache2/sites-enabled/a.conf:1:1"),
        stderr: outsideNote,
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

test("a main file above --sysroot is not that of a file in it", () => {
  write({
    "other.conf": "ServerRoot /srv/other\nListen 80\nInclude sites/*.conf\n",
    "copy/etc/part.conf": "<Location /x>\nOrder allow,deny\nDeny from all\n</Location>\n",
  });
  const within = ["copy/etc/part.conf", "--sysroot", "copy"];
  const migrated = lint(["migrate", ...within]);
  expect(migrated).toMatchObject({ status: 0, stdout: expect.stringContaining("+Require all denied") });
  expect(migrated.stderr + lint(["check", ...within]).stderr).not.toMatch(/other\.conf|reads it/);
  // Twin: without the flag, it may be.
  expect(lint(["migrate", "copy/etc/part.conf"]).stderr).toMatch(/is not included by `[^`]*other\.conf`/);
});
