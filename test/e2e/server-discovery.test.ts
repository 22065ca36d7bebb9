import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectFailure, findings } from "../support/programs/command-output.js";
import { git } from "../support/programs/scratch-repository.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;

/** Writes files, and makes the directory a repository, so that files above it are ignored. */
function writeRepository(files: Readonly<Record<string, string | object>>): void {
  write(files);
  git(scratch.path, "init", "--quiet");
}

const howToName = "with --main FILE, or as `entry` in .httpd-lint.json";

/** A server with an unusual name, one with the usual one, a role, and an application. */
const repository = {
  "web1/conf/httpd.conf": "Listen 80\nInclude ../conf.d/*.conf\nInclude ../../shared/tls.conf\n",
  "web1/conf.d/a.conf": "Require all granted\n",
  "web1/conf.d/sub/unread.conf": "Optoins None\n",
  "web2/main.conf": 'Listen 80\nDocumentRoot "htdocs"\nInclude vhosts/*.conf\nInclude ../shared/tls.conf\n',
  "web2/vhosts/b.conf": "<VirtualHost *:80>\nRequire all granted\n</VirtualHost>\n",
  "web2/htdocs/.htaccess": "Listen 80\n",
  "shared/tls.conf": "ServerTokns Prod\n",
  "roles/web/files/status.conf": "<Location /server-status>\nSetHandler server-status\nNonsense\n</Location>\n",
  "roles/web/templates/vhost.conf.j2": "<VirtualHost *:80>\nServerName {{ name }}\n</VirtualHost>\n",
  "app/public/.htaccess": "Listen 80\n",
  "app/htaccess.txt": "RewriteEngin on\n",
  "app/conf-available/security.conf": "ServerTokns Prod\n",
  "app/docker/nginx.conf": "server {\n    listen 80;\n}\n",
  "app/docker/www.conf": "[www]\nuser = www-data\nlisten = 9000\n",
};

const found = [
  "app/conf-available/security.conf:1:1: error unknown-directive",
  "app/htaccess.txt:1:1: error unknown-directive",
  "app/public/.htaccess:1:1: error misplaced-directive",
  "roles/web/files/status.conf:2:1: warning unprotected-handler",
  "roles/web/files/status.conf:3:1: warning unknown-directive",
  "roles/web/templates/vhost.conf.j2:2:1: info template-placeholder",
  "shared/tls.conf:1:1: error unknown-directive",
  "web1/conf.d/a.conf:1:1: error misplaced-directive",
  "web1/conf.d/sub/unread.conf:1:1: error unknown-directive",
  "web2/htdocs/.htaccess:1:1: error misplaced-directive",
  "web2/vhosts/b.conf:2:1: error misplaced-directive",
];

describe("a repository has the same findings", () => {
  test("from its root, from each directory, and for each file", () => {
    writeRepository(repository);
    const root = lint(["."]);
    expect(findings(root)).toEqual(found);
    expect(root.stderr.split("\n")).toEqual([
      "httpd-lint: found 6 files of 2 servers; 3 parts, 2 `.htaccess` files in 1 tree and 1 template on their own (--list-files lists all)",
      "httpd-lint: checked 4 files on their own, because none of 2 servers reads them; if another main file does, name it " +
        howToName,
      "",
    ]);
    for (const folder of ["web1", "web2", "roles", "app", "shared", "web2/vhosts", "web1/conf.d"]) {
      const inside = found.filter((each) => each.startsWith(`${folder}/`));
      // Files in other directories that a server reads also belong to it.
      const read = /^web\d$/.test(folder) ? ["shared/tls.conf:1:1: error unknown-directive"] : [];
      expect(findings(lint([folder])), folder).toEqual([...inside, ...read].sort());
    }
    expect(findings(lint(Object.keys(repository).concat("--skip-unrecognized")))).toEqual(found);
    for (const file of Object.keys(repository).filter((path) => !/httpd\.conf$|main\.conf$/.test(path)))
      expect(findings(lint([file, "--skip-unrecognized"])), file).toEqual(
        found.filter((each) => each.startsWith(`${file}:`)),
      );
  });

  test("with a configuration file that names its servers, without paths and with them", () => {
    writeRepository({ ...repository, ".httpd-lint.json": { servers: [{ entry: "web1" }, { entry: "web2" }] } });
    for (const args of [[], ["."], Object.keys(repository).concat("--skip-unrecognized")])
      expect(findings(lint(args)), args.join(" ")).toEqual(found);
    expect(findings(lint([], { cwd: at("app") }))).toHaveLength(found.length);
  });
});

describe("main files", () => {
  test("take precedence over included fragments that look like main files", () => {
    writeRepository({
      "conf/server.conf": 'ServerRoot ".."\nInclude conf/conf.d/*.conf\n',
      "conf/conf.d/hosts.conf": "Listen 8080\nDocumentRoot /srv\nInclude conf/conf.d/x/*.conf\n",
      "conf/conf.d/x/a.conf": "Require all granted\n",
    });
    for (const path of [".", "conf/conf.d", "conf/conf.d/x/a.conf"]) {
      const ran = lint([path, "--server-root", "."]);
      expect(findings(ran), path).toEqual(["conf/conf.d/x/a.conf:1:1: error misplaced-directive"]);
      expect(ran.stderr, path).toBe("");
    }
  });

  test("are not detected by their contents above the repository", () => {
    write({ "main.conf": "ServerRoot .\nInclude repo/*.conf\n", "repo/a.conf": "Require all granted\n" });
    expect(findings(lint(["repo/a.conf"]))).toEqual(["repo/a.conf:1:1: error misplaced-directive"]);
    git(scratch.path, "init", "--quiet", "repo");
    expect(lint(["repo/a.conf"])).toMatchObject({
      status: 0,
      stderr: `httpd-lint: checked 1 file on its own, because no main file was found; name it ${howToName}\n`,
    });
  });

  test("are not found above the repository, nor above the named directory outside of one", () => {
    const part = "Require all granted\n";
    const place = (name: string) => [`${name}/sites/a.conf:1:1: error misplaced-directive`];
    write({
      "apache2.conf": "ServerRoot .\nInclude */sites/*.conf\n",
      "in/sites/a.conf": part,
      "repo/sites/a.conf": part,
    });
    git(scratch.path, "init", "--quiet", "repo");
    expect(findings(lint(["in/sites/a.conf"]))).toEqual(place("in"));
    expect(findings(lint(["."]))).toEqual(place("in"));
    for (const path of ["in", "in/sites", "repo", "repo/sites", "repo/sites/a.conf"])
      expect(lint([path]), path).toMatchObject({
        status: 0,
        stderr: expect.stringContaining("no main file was found"),
      });
    write({ "repo/apache2.conf": "ServerRoot .\nInclude sites/*.conf\n" });
    for (const path of ["repo", "repo/sites"]) expect(findings(lint([path])), path).toEqual(place("repo"));
  });

  test("are not read outside the --confine directory", () => {
    writeRepository({ "main.conf": "ServerRoot .\nInclude in/*.conf\n", "in/a.conf": "Require all granted\n" });
    const ran = lint(["in/a.conf", "--confine", "in"]);
    expect(ran).toMatchObject({ status: 0, stderr: expect.stringContaining("because no main file was found") });
  });

  test("are detected by their contents for the other commands, and for init", () => {
    writeRepository({
      "web/main.conf": "Listen 80\nDocumentRoot /srv\nInclude sites/*.conf\n",
      "web/sites/a.conf": "<Location /x>\nRequire all denied\n</Location>\n",
    });
    for (const entry of [".", "web", "web/main.conf", "web/sites/a.conf"])
      expect(lint(["explain", entry, "http://localhost/x"]).stdout, entry).toMatch(/^403 /);
    expect(lint(["init"]).stdout).toContain("found the server web/main.conf\n");
    expect(lint([])).toMatchObject({ status: 0, stderr: "" });
  });

  test("are omitted by init if other main files include them", () => {
    writeRepository({
      "a/conf.d/hosts.conf": "Listen 8080\nDocumentRoot /srv\n",
      "a/main.conf": "Listen 80\nDocumentRoot /srv\nInclude conf.d/*.conf\n",
      "b/other.conf": "Listen 80\nDocumentRoot /srv\n",
    });
    const { stdout } = lint(["init"]);
    expect(stdout.match(/^found .*$/gm)).toEqual(["found the server a/main.conf", "found the server b/other.conf"]);
  });
});

describe("symbolic links", () => {
  const available = { "web/sites-available/a.conf": "ServerTokns Prod\n", "web/sites-available/b.conf": "Listen 80\n" };
  const finding = "web/sites-available/a.conf:1:1: error unknown-directive";

  test("to files are found in a directory without other files", () => {
    writeRepository(available);
    mkdirSync(at("web/sites-enabled"));
    symlinkSync("../sites-available/a.conf", at("web/sites-enabled/000-a.conf"));
    symlinkSync("../gone.conf", at("web/sites-enabled/gone.conf"));
    const ran = lint(["web/sites-enabled"]);
    expect(findings(ran)).toEqual([finding]);
    expect(ran.stderr).toContain("checked 1 file on its own");
    expect(lint(["explain", "web/sites-enabled", "/x"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("name one of its files: `web/sites-enabled/000-a.conf`"),
    });
  });

  test("are counted once with their targets, and circular links are ignored", () => {
    writeRepository(available);
    symlinkSync("sites-available/a.conf", at("web/a.conf"));
    symlinkSync(".", at("web/loop"));
    symlinkSync("self.conf", at("web/self.conf"));
    symlinkSync("sites-available", at("web/sites-enabled"));
    const ran = lint(["web"]);
    expect(findings(ran)).toEqual([finding]);
    expect(ran.stderr).toContain("checked 2 files on their own");
  });

  test("to files outside the --confine directory are ignored", () => {
    writeRepository({ ...available, "in/c.conf": "Listen 80\n" });
    symlinkSync("../web/sites-available/a.conf", at("in/a.conf"));
    const ran = lint(["in", "--confine", "in"]);
    expect(ran).toMatchObject({ status: 0, stdout: "no findings in 1 file, 1 line\n" });
  });
});

describe("servers in directories with their own configuration files", () => {
  const main = "Listen 80\nServerTokns Prod\nInclude $" + "{PARTS}/*.conf\n";

  test("have the same findings without paths and from the root", () => {
    const defines = ["PARTS=parts"];
    writeRepository({
      ".httpd-lint.json": {
        servers: [
          { entry: "a/web.conf", serverRoot: "a", defines },
          { entry: "b/server.cnf", serverRoot: "b", defines },
          { entry: "c/web.conf", serverRoot: "c", defines },
          { entry: "d", serverRoot: "d", defines },
        ],
        rules: { "misplaced-directive": "warning" },
      },
      "a/.httpd-lint.json": { rules: { "unknown-directive": "off" } },
      "b/.httpd-lint.json": { ignores: [{ paths: ["parts/**"], rules: ["misplaced-directive"] }] },
      "d/.httpd-lint.json": { rules: { "unknown-directive": "info" } },
      "d/conf/httpd.conf": main,
      ...Object.fromEntries(["a/web.conf", "b/server.cnf", "c/web.conf"].map((path) => [path, main])),
      ...Object.fromEntries(["a", "b", "c", "d"].map((path) => [`${path}/parts/x.conf`, "Require all granted\n"])),
      "other/z.conf": "Listen 80\nServerTokns Prod\n",
    });
    const expected = [
      "a/parts/x.conf:1:1: error misplaced-directive",
      "b/server.cnf:2:1: error unknown-directive",
      "c/parts/x.conf:1:1: warning misplaced-directive",
      "c/web.conf:2:1: error unknown-directive",
      "d/conf/httpd.conf:2:1: info unknown-directive",
      "d/parts/x.conf:1:1: error misplaced-directive",
      "other/z.conf:2:1: error unknown-directive",
    ];
    for (const args of [[], ["."], ["a/parts/x.conf", "."], [".", "d", "a/web.conf"]])
      expect(findings(lint(args)), args.join(" ")).toEqual(expected);
    expect(findings(lint([], { cwd: at("other") }))).toHaveLength(expected.length);
  });
});

describe("--main", () => {
  const files = {
    "server.cnf": "<Directory /srv>\nInclude parts/*.conf\n</Directory>\n",
    "parts/a.conf": "Listen 80\n",
    "other/b.conf": "Listen 80\n",
  };

  test("names a main file with any name, and files that it reads are checked as part of it", () => {
    writeRepository(files);
    const place = "server.cnf:2:1: error misplaced-directive";
    expect(findings(lint(["parts/a.conf"]))).toEqual([]);
    expect(findings(lint(["parts/a.conf", "--main", "server.cnf"]))).toEqual([place]);
    expect(findings(lint(["--main", "server.cnf"]))).toEqual([place]);
    const all = lint([".", "--main", "server.cnf"]);
    expect(findings(all)).toEqual([place]);
    expect(all.stderr).toContain(
      `httpd-lint: checked 1 file on its own, because \`server.cnf\` of --main does not read it; use --server-root to set where its relative paths start\n`,
    );
    const inText = { input: "<Directory /srv>\nInclude other/*.conf\n</Directory>\n" };
    const stdin = lint(["other/b.conf", "-", "--stdin-filename", "new.cnf", "--main", "new.cnf"], inText);
    expect(findings(stdin)).toEqual(["new.cnf:2:1: error misplaced-directive"]);
  });

  test("is mentioned with --server-root in the note about a file that it does not read", () => {
    writeRepository({
      "conf/httpd.conf": `ServerRoot "${at("other")}"\nIncludeOptional conf.d/*.conf\n`,
      "other/web.conf": "Listen 81\nDocumentRoot /srv\n",
      "conf.d/app.conf": "Listen 80\n",
      "conf.d/b.conf": "Listen 82\n",
    });
    const why =
      "`conf/httpd.conf` of --main does not read them; use --server-root to set where its relative paths start\n";
    const args = ["--main", "conf/httpd.conf", "conf.d/app.conf", "conf.d/b.conf"];
    expect(lint(args).stderr).toBe(`httpd-lint: checked 2 files on their own, because ${why}`);
    expect(lint([...args, "--server-root", "."]).stderr).toBe("");
    const explained = ["explain", "conf.d/app.conf", "/x", "--main", "conf/httpd.conf"];
    const message =
      "`conf.d/app.conf` is not included by `conf/httpd.conf` of --main; use --server-root to set where its relative paths start";
    expectFailure(lint(explained), 2, message);
  });

  test("takes precedence over the servers of the configuration file", () => {
    writeRepository({ ...files, "httpd.conf": "Listen 80\n", ".httpd-lint.json": { entry: "httpd.conf" } });
    expect(findings(lint(["parts/a.conf"]))).toEqual([]);
    expect(findings(lint(["parts/a.conf", "--main", "server.cnf"]))).toHaveLength(1);
  });

  test.each([
    ["none.conf", 3, "`none.conf` of --main does not exist"],
    ["parts", 2, "`parts` of --main is a directory; name the main file in it"],
    ["", 2, "--main is empty; name the main file"],
  ])("rejects `%s`", (main, status, message) => {
    writeRepository(files);
    expectFailure(lint(["parts/a.conf", "--main", main]), status, message);
  });
});

describe("the note about files that are checked on their own", () => {
  test("counts fragments but not `.htaccess` files, and is not shown with --quiet", () => {
    writeRepository({ ".htaccess": "Options None\n", "a.conf": "Listen 80\n", "b.conf": "Listen 81\n" });
    expect(lint([".htaccess"]).stderr).toBe("");
    expect(lint(["."]).stderr.split("\n")).toEqual([
      "httpd-lint: found 2 parts and 1 `.htaccess` file in 1 tree on their own (--list-files lists all)",
      `httpd-lint: checked 2 files on their own, because no main file was found; name it ${howToName}`,
      "",
    ]);
    expect(lint([".", "--quiet"]).stderr).toBe("");
  });

  test("and the summary are one line each for a whole tree, also with --from", () => {
    const loose = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`mods-available/m${index}.conf`, "AddType text/a .a\n"]),
    );
    writeRepository({ ...loose, "apache2.conf": "Listen 80\n", "z/own.conf": "AddType text/a .a\n" });
    for (const args of [["."], [".", "--from", "2.2"]])
      expect(lint(args).stderr).toContain(
        "httpd-lint: checked 41 files on their own, because `apache2.conf` does not read them; ",
      );
    expect(lint([".", "--from", "2.2"]).stderr.trimEnd().split("\n")).toHaveLength(2);
  });

  test("follows one about the line that skips a file because of its name", () => {
    const skips =
      "httpd-lint: `IncludeOptional sites/*.conf` (apache2.conf:2) skips `shop`: its name does not end in `.conf`\n";
    const why = `httpd-lint: checked 1 file on its own, because \`apache2.conf\` does not read it; if another main file does, name it ${howToName}\n`;
    writeRepository({ "apache2.conf": "Listen 80\nIncludeOptional sites/*.conf\n", "sites/shop": "Listen 81\n" });
    expect(lint(["sites/shop"]).stderr).toBe(skips + why);
    // The finding about the server shows it.
    expect(lint(["."]).stderr).toBe("");
    expect(findings(lint(["."]))).toEqual(["apache2.conf:2:1: warning skipped-file"]);
  });

  test("counts the files without a main file", () => {
    writeRepository({ "a/httpd.conf": "Listen 80\n", "a/x.conf": "Listen 81\n", "b/y.conf": "Listen 82\n" });
    expect(lint(["a/x.conf", "b/y.conf"]).stderr).toBe(
      `httpd-lint: checked 2 files on their own: 1 without a main file, and 1 that \`a/httpd.conf\` does not read; name the main file ${howToName}\n`,
    );
  });
});

describe("--skip-unrecognized", () => {
  test("skips named files that are not httpd configuration, and succeeds if none remains", () => {
    writeRepository({
      "www.conf": "[www]\nuser = www\n",
      "nginx.conf": "server {\n}\n",
      "t.conf.j2": "Listen {{ port }}\nServerName x\n",
      "bad.conf": "<VirtualHost *:80>\nServerName a\nOptoins None\n</VirtualHost>\n",
    });
    expect(lint(["www.conf", "nginx.conf", "--skip-unrecognized"])).toMatchObject({ status: 0, stderr: "" });
    expect(findings(lint(["t.conf.j2", "--skip-unrecognized"]))).toEqual(["t.conf.j2:1:1: info template-placeholder"]);
    expect(findings(lint(["www.conf", "bad.conf", "--skip-unrecognized"]))).toEqual([
      "bad.conf:3:1: error unknown-directive",
    ]);
    // Without the flag, a named file is checked. With the flag, a missing file is still reported.
    expect(lint(["www.conf"]).status).toBe(1);
    expectFailure(lint(["none.conf", "--skip-unrecognized"]), 3, "cannot be read");
  });

  test("does not skip files that a server reads", () => {
    writeRepository({ "httpd.conf": "Include odd.conf\n", "odd.conf": "Foo = bar\n" });
    expect(findings(lint(["odd.conf", "--skip-unrecognized"]))).toEqual(["odd.conf:1:1: error unknown-directive"]);
  });
});

describe("templates", () => {
  const host = "<VirtualHost *:80>\nServerName {{ name }}\n</VirtualHost>\n";

  test("are checked", () => {
    const names = ["a.conf.j2", "b.erb", "c.epp", "d.tpl", "e.conf.tmpl"];
    writeRepository(Object.fromEntries(names.map((name) => [name, `${host}Optoins None\n`])));
    expect(findings(lint(["."]))).toEqual(
      names.flatMap((name) => [`${name}:2:1: info template-placeholder`, `${name}:4:1: error unknown-directive`]),
    );
  });
});

describe("configuration files in subdirectories", () => {
  const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n";

  test("apply to their directories, also from the root", () => {
    writeRepository({
      "a/web.txt": "Include parts/*.conf\n",
      "a/parts/x.conf": old,
      "a/loose.conf": "Optoins None\nListen 80\n",
      "a/.httpd-lint.json": { entry: "web.txt", serverRoot: ".", rules: { "old-access-control": "error" } },
      "b/.htaccess": "Listen 80\n",
      "b/vendor/x.conf": "Optoins None\nListen 80\n",
      "b/.httpd-lint.json": { ignores: [{ paths: ["vendor/**"] }] },
      "c/x.conf": old,
    });
    const all = [
      "a/loose.conf:1:1: error unknown-directive",
      "a/parts/x.conf:2:1: error old-access-control",
      "b/.htaccess:1:1: error misplaced-directive",
      "c/x.conf:2:1: info old-access-control",
    ];
    expect(findings(lint(["."]))).toEqual(all);
    expect(findings(lint([]))).toEqual(all);
    expect(findings(lint([], { cwd: at("a") }))).toEqual([
      "loose.conf:1:1: error unknown-directive",
      "parts/x.conf:2:1: error old-access-control",
    ]);
    expect(findings(lint([".", "--no-config"]))).toContain("b/vendor/x.conf:1:1: error unknown-directive");
    write({ ".httpd-lint.json": { rules: { "misplaced-directive": "off" } } });
    expect(findings(lint([]))).toEqual(all);
  });

  test("are reported if they are invalid", () => {
    writeRepository({ "httpd.conf": "Listen 80\n", "a/.httpd-lint.json": { entri: "x" } });
    expectFailure(lint(["."]), 2, "a/.httpd-lint.json:1:2: ");
  });

  test("may be the only configuration files", () => {
    writeRepository({ "a/httpd.conf": "Listen 80\n", "a/.httpd-lint.json": { entry: "httpd.conf" } });
    expect(lint(["."])).toMatchObject({ status: 0, stdout: "no findings in 1 file, 1 line\n", stderr: "" });
  });
});

test("a file outside the system root is read at its own path", () => {
  writeRepository({
    "root/etc/httpd/conf/httpd.conf": "ServerRoot /etc/httpd\n",
    "docs/a.conf": "Optoins None\nListen 80\n",
    ".httpd-lint.json": { entry: "root/etc/httpd/conf/httpd.conf", sysroot: "root" },
  });
  expect(findings(lint([]))).toEqual(["docs/a.conf:1:1: error unknown-directive"]);
  expect(findings(lint(["docs/a.conf"]))).toEqual(["docs/a.conf:1:1: error unknown-directive"]);
});

test("a main file and the links to it are one server", () => {
  writeRepository({ "conf/web.conf": "Listen 80\nDocumentRoot /srv\nOptoins None\n" });
  symlinkSync("conf", at("current"));
  symlinkSync("web.conf", at("conf/zz.conf"));
  expect(findings(lint(["."]))).toEqual(["conf/web.conf:3:1: error unknown-directive"]);
  expect(findings(lint(["current/zz.conf"]))).toEqual(["conf/web.conf:3:1: error unknown-directive"]);
});
