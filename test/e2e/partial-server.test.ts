import { describe, expect, test } from "vitest";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, textOf, write } = lintedFolder();

const assumptions = [
  "no other file of the server sets access for these paths",
  "its first virtual host answers requests without a Host header",
];
const note = `httpd-lint: assuming that ${assumptions.join(", and that ")}; name the main file with ENTRY or --main to check the whole server\n`;

const host = (lines = "") => `<VirtualHost *:80>\nServerName app.test\nDocumentRoot /srv/app\n${lines}</VirtualHost>\n`;
const admin = "<Location /admin>\nRequire all denied\n</Location>\n";
const old = "<Location /old>\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n</Location>\n";

/** The access directives of Debian's apache2.conf. */
const debian = [
  "<Directory />\nOptions FollowSymLinks\nAllowOverride None\nRequire all denied\n</Directory>",
  "<Directory /var/www/>\nRequire all granted\n</Directory>",
  'AccessFileName .htaccess\n<FilesMatch "^\\.ht">\nRequire all denied\n</FilesMatch>',
  "IncludeOptional sites-enabled/*.conf\n",
].join("\n");

const expectations = {
  expectations: [
    { path: "/x", expect: 200 },
    { path: "/y", expect: "allowed" },
    { path: "/z", host: "app.test", expect: "allowed" },
  ],
};

test("explain places a `.htaccess` file in the folders with which the URL begins", () => {
  const rules = "RewriteEngine On\nRewriteRule ^(.*)$ https://new.test/$1 [R=301,L]\n";
  write({ "site/forum/in/.htaccess": rules });
  const first = (url: string) => lint(["explain", "site/forum/in/.htaccess", url]).stdout.split("\n")[0];
  expect(first("http://a.test/forum/in/topic.html")).toBe("301 → https://new.test/topic.html");
  expect(first("http://a.test/in/topic.html")).toBe("301 → https://new.test/topic.html");
  expect(lint(["explain", "site/forum/in/.htaccess", "/forum/in/x"]).stderr).toMatch(
    /the document root is `[^`]*\/site`/,
  );
  // Twins: other folders, and a part of a name.
  expect(first("http://a.test/forum/topic.html")).toBe("301 → https://new.test/forum/topic.html");
  expect(first("http://a.test/in2/topic.html")).toBe("301 → https://new.test/in2/topic.html");
});

describe("a virtual host file without its server", () => {
  test("explain reports requests that the file does not decide as unknown, with a note about the main file", () => {
    write({ "site.conf": host() });
    const ran = lint(["explain", "site.conf", "/x"]);
    expect(ran).toMatchObject({ status: 5, stderr: note });
    expect(ran.stdout).toMatch(
      /^200 from \/srv\/app\/x\n +if other files grant access: this file has no access rules for `\/x`\n/,
    );
    const json = validJson("explain", lint(["explain", "site.conf", "/x", "--format", "json"]).stdout);
    expect(json).toMatchObject({ class: "unknown", status: null, decidedBy: [], assumptions });
  });

  test("explain returns 403 inside Debian's apache2.conf, which denies everything except /var/www", () => {
    write({ "apache2.conf": debian, "sites-enabled/site.conf": host() });
    for (const entry of [".", "apache2.conf", "sites-enabled/site.conf"]) {
      const ran = lint(["explain", entry, "/x"]);
      expect([entry, ran.status, ran.stderr]).toEqual([entry, 0, ""]);
      expect(ran.stdout).toMatch(/^403 Forbidden: /);
    }
  });

  test("explain analyzes a site that is not enabled on its own, with a note", () => {
    write({ "apache2.conf": debian, "sites-available/site.conf": host() });
    const ran = lint(["explain", "sites-available/site.conf", "/x"]);
    expect(ran.status).toBe(5);
    expect(ran.stderr).toMatch(/^httpd-lint: `sites-available\/site\.conf` is not included by `.*apache2\.conf`: /);
    expect(ran.stderr.endsWith(note)).toBe(true);
  });

  test("is analyzed as part of a main file with any name if the configuration file names it", () => {
    write({ "web.conf": `${debian}Include part.conf\n`, "part.conf": host(admin) });
    write({ ".httpd-lint.json": { servers: [{ entry: "web.conf" }] } });
    for (const words of [["web.conf", "/x"], ["/x"], ["part.conf", "/x"]]) {
      const ran = lint(["explain", ...words]);
      expect([words, ran.status, ran.stderr]).toEqual([words, 0, ""]);
      expect(ran.stdout).toMatch(/^403 Forbidden: /);
    }
  });

  test("test reports three unknown expectations, and exits with 5, also with --exit-zero", () => {
    write({ "site.conf": host(), "e.json": expectations });
    const ran = lint(["test", "site.conf", "e.json"]);
    expect(ran).toMatchObject({ status: 5, stderr: note });
    expect(ran.stdout).toMatch(/\n3 unknown, 0 passed\n$/);
    expect(lint(["test", "site.conf", "e.json", "--exit-zero"]).status).toBe(5);
    const json = validJson("test", lint(["test", "site.conf", "e.json", "--format", "json"]).stdout);
    expect(json).toMatchObject({ assumptions, summary: { passed: 0, failed: 0, unknown: 3 } });
    expect(lint(["test", "site.conf", "e.json", "--format", "junit"]).stdout).toContain('failures="0" errors="3"');
  });

  test("explain decides requests that the file determines, and exits with 0 and a note", () => {
    write({ "site.conf": host(admin) });
    for (const words of [["/admin/x"], ["http://app.test/admin/x"]]) {
      const ran = lint(["explain", "site.conf", ...words]);
      expect(ran).toMatchObject({ status: 0, stderr: note });
      expect(ran.stdout).toMatch(/^403 Forbidden: /);
    }
    expect(lint(["explain", "site.conf", "/admin/x", "--quiet"])).toMatchObject({ status: 0, stderr: "" });
    expect(lint(["explain", "site.conf", "http://other.test/admin/x"]).status).toBe(5);
    write({ "e.json": { expectations: [{ path: "/admin/x", expect: "refused" }] } });
    expect(lint(["test", "site.conf", "e.json"])).toMatchObject({ status: 0, stdout: "1 expectation passed\n" });
  });

  test("is analyzed in the same way on standard input", () => {
    const explain = (path: string, input: string) =>
      lint(["explain", "-", path, "--stdin-filename", "sites/new.conf"], { input });
    expect(explain("/x", host(admin))).toMatchObject({ status: 5, stderr: note });
    expect(explain("/admin/x", host(admin))).toMatchObject({ status: 0, stderr: note });
    write({ "apache2.conf": debian, "sites-enabled/site.conf": "" });
    const inServer = lint(["explain", "-", "/x", "--stdin-filename", "sites-enabled/site.conf"], { input: host() });
    expect(inServer).toMatchObject({ status: 0, stderr: "" });
    expect(inServer.stdout).toMatch(/^403 Forbidden: /);
  });

  test("makes requests of an access log unknown", () => {
    const line = (path: string, status: number) =>
      `192.0.2.7 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 0\n`;
    write({ "site.conf": host(admin), "access.log": line("/x", 200) + line("/admin/", 403) });
    const ran = lint(["explain", "site.conf", "--requests", "access.log"]);
    expect(ran).toMatchObject({ status: 5, stderr: note });
    expect(ran.stdout).toMatch(/\n2 requests, 1 unknown\n$/);
    const json = lint(["explain", "site.conf", "--requests", "access.log", "--format", "json"]).stdout;
    expect(validJson("explain-requests", json)).toMatchObject({ assumptions, summary: { same: 1 } });
  });
});

describe("a `.htaccess` file on its own", () => {
  test("has its directory as the document root", () => {
    write({ "www/.htaccess": "Require ip 10.0.0.0/8\n", "www/x.html": "" });
    const ran = lint(["explain", "www/.htaccess", "/x.html"]);
    expect(ran.status).toBe(0);
    expect(ran.stdout).toMatch(/^403 Forbidden: /);
    expect(ran.stderr).toMatch(
      /, and that the document root is `.*\/www`, with `AllowOverride All`; name the main file/,
    );
    write({ "www/.htaccess": "Options -Indexes\n" });
    expect(lint(["explain", "www/.htaccess", "/x.html"]).status).toBe(5);
  });

  test("is migrated under the assumption", () => {
    write({ "www/.htaccess": "Order deny,allow\nDeny from all\n" });
    const ran = lint(["migrate", "www/.htaccess"]);
    expect(ran.status).toBe(0);
    expect(ran.stdout).toContain("-Order deny,allow\n-Deny from all\n+Require all denied\n");
    expect(ran.stderr).toContain("proved under this assumption: ");
  });

  test("is named in the help for its migration, unless a server reads it", () => {
    const denied = "Order deny,allow\nDeny from all\n";
    write({ "www/.htaccess": denied });
    expect(lint(["www"]).stdout).toContain(
      "help: run `httpd-lint migrate .htaccess` in the directory of this file to convert all sections at once\n",
    );
    expect(lint(["migrate", ".htaccess"], { cwd: at("www") }).status).toBe(0);
    write({ "httpd.conf": `<Directory /srv>\n${denied}</Directory>\n` });
    expect(lint(["httpd.conf"]).stdout).toContain("help: run `httpd-lint migrate` to convert all sections at once\n");
  });

  test("is migrated together with the file in the parent directory", () => {
    write({ "www/.htaccess": "Order deny,allow\nDeny from all\n", "www/in/.htaccess": "Order deny,allow\n" });
    const asked = lint(["migrate", "www/in/.htaccess"]);
    expect(asked).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("discards the inherited `Deny from all`"),
    });
    const [id = ""] = /\bf-[0-9a-f]{8}\b/.exec(asked.stdout) ?? [];
    const { status, stdout } = lint(["migrate", "www/in/.htaccess", "--accept", id]);
    expect(status).toBe(0);
    expect(stdout).toContain("-Order deny,allow\n-Deny from all\n+Require all denied\n");
    expect(stdout).toContain("-Order deny,allow\n+Require all granted\n");
  });
});

describe("the modules of `.htaccess` files that are read together", () => {
  const guarded = '<IfModule mod_expires.c>\nExpiresByType text/css "access plus 1 week"\n</IfModule>\n';
  const denied = "<Files x>\nOrder allow,deny\nDeny from all\n</Files>\n";
  const loaded = "and that `expires_module` is loaded";

  test.each([
    ["above", { "www/.htaccess": guarded + denied, "www/in/.htaccess": denied }],
    ["below", { "www/.htaccess": denied, "www/in/.htaccess": guarded + denied }],
  ])("include those that a file %s tests for", (_, files) => {
    write({ ".git/HEAD": "", ...files });
    const results = ["www/.htaccess", "www/in/.htaccess"].map((entry) => lint(["migrate", entry]));
    for (const { status, stdout, stderr } of results) {
      expect(status).toBe(0);
      expect(stdout.match(/^\+Require all denied$/gm)?.length).toBe(stdout.match(/^\+\+\+ /gm)?.length);
      expect(stderr).not.toContain("left (first at");
    }
    expect(results[0]?.stdout).toContain("+++ b/www/.htaccess");
    expect(results[0]?.stdout).toContain("+++ b/www/in/.htaccess");
    expect(results[0]?.stderr).toContain(loaded);
  });

  test("decide the conditional sections of the named file, too", () => {
    const without = "<IfModule !mod_expires.c>\nRequire all denied\n</IfModule>\n";
    write({ ".git/HEAD": "", "www/.htaccess": guarded, "www/in/.htaccess": `${without}Options -Indexes\n` });
    const explain = () => lint(["explain", "www/in/.htaccess", "/in/x", "--files", "assume"]);
    expect(explain().stdout).not.toMatch(/^403/);
    write({ "www/.htaccess": "Options -Indexes\n" });
    expect(explain().stdout).toMatch(/^403/);
  });

  test("are not those of a file in another folder", () => {
    write({ ".git/HEAD": "", "www/.htaccess": denied, "www/in/.htaccess": denied, "www/b/.htaccess": guarded });
    expect(lint(["migrate", "www/in/.htaccess"]).stderr).not.toContain("expires_module");
  });

  test("do not matter for a line that the server rejects, which is named", () => {
    write({ ".git/HEAD": "", "www/.htaccess": `${denied}Options +Indexs\n`, "www/in/.htaccess": denied });
    expect(lint(["migrate", "www/in/.htaccess"]).stderr).toContain(
      "2 mod_access_compat directives left (first at www/.htaccess:2): the server rejects this file because of `Options +Indexs` (www/.htaccess:5), so",
    );
    write({ "www/.htaccess": `${denied}NoSuchLine 1\n` });
    expect(lint(["migrate", "www/in/.htaccess"]).stderr).toContain(" because of `NoSuchLine 1` (www/.htaccess:5), so");
    write({ "www/.htaccess": `${denied}Listen 80\n` });
    expect(lint(["migrate", "www/in/.htaccess"]).stderr).toContain(" because of `Listen 80` (www/.htaccess:5), so");
  });
});

describe("commands without a request, which state the assumption once", () => {
  test("compare finds two fragments equivalent or different", () => {
    write({
      "a.conf": host(old),
      "b.conf": host("<Location /old>\nRequire ip 10.0.0.0/8\n</Location>\n"),
      "c.conf": host(),
    });
    const equal = lint(["compare", "a.conf", "b.conf"]);
    expect(equal).toMatchObject({ status: 0, stderr: note });
    expect(equal.stdout).toMatch(/^equivalent: /m);
    expect(lint(["compare", "a.conf", "c.conf"])).toMatchObject({ status: 1, stderr: note });
    const json = validJson("compare", lint(["compare", "a.conf", "b.conf", "--format", "json"]).stdout);
    expect(json).toMatchObject({ verdict: "equivalent", assumptions });
    write({ "access.log": '192.0.2.7 - - [01/Jan/2026:00:00:00 +0000] "GET /old HTTP/1.1" 403 0\n' });
    const logged = ["compare", "a.conf", "c.conf", "--requests", "access.log"];
    expect(lint(logged)).toMatchObject({ status: 1, stderr: note });
    const loggedJson = validJson("compare-requests", lint([...logged, "--format", "json"]).stdout);
    expect(loggedJson).toMatchObject({ assumptions, summary: { different: 1 } });
  });

  test("map shows the access that the file sets", () => {
    write({ "site.conf": host(admin + old) });
    const ran = lint(["map", "site.conf", "--release", "2.4"]);
    expect(ran).toMatchObject({ status: 5, stderr: note });
    expect(ran.stdout).toContain("`/old`");
    expect(ran.stdout).not.toContain("every client");
    expect(ran.stdout).toContain("no line of this file decides access; the rest of the server does (e.g. `/a`)");
    const json = validJson("map", lint(["map", "site.conf", "--format", "json"]).stdout);
    expect(json).toMatchObject({ assumptions });
    expect(lint(["map", "site.conf", "--format", "html"])).toMatchObject({ status: 5, stderr: note });
  });

  test("upgrade compares both releases", () => {
    write({ "site.conf": host("<Location /old>\nDeny from all\nSatisfy any\n</Location>\n") });
    const ran = lint(["upgrade", "site.conf"]);
    expect(ran).toMatchObject({ status: 1, stderr: note });
    const json = validJson("upgrade", lint(["upgrade", "site.conf", "--format", "json"]).stdout);
    expect(json).toMatchObject({ assumptions, answers: { verdict: "different" } });
  });
});

describe("migrate on a fragment", () => {
  const migrated = host("<Location /old>\nRequire ip 10.0.0.0/8\n</Location>\n");

  test("shows the change, and the assumptions of the proof", () => {
    write({ "site.conf": host(old) });
    const ran = lint(["migrate", "site.conf"]);
    expect(ran.status).toBe(0);
    expect(ran.stdout).toContain("+Require ip 10.0.0.0/8\n");
    expect(ran.stderr).toMatch(new RegExp(`^${note}httpd-lint: proved under this assumption: `));
    const json = validJson("migrate", lint(["migrate", "site.conf", "--format", "json"]).stdout);
    expect(json).toMatchObject({ verdict: "proved", assumptions });
  });

  test("--write changes nothing without --assume-complete", () => {
    write({ "site.conf": host(old) });
    const rejected = lint(["migrate", "site.conf", "--write"]);
    expect(rejected).toMatchObject({ status: 2, stdout: "" });
    expect(rejected.stderr).toMatch(/^httpd-lint: `site\.conf` is only a part of a server.*--assume-complete/);
    expect(textOf("site.conf")).toBe(host(old));
    expect(lint(["migrate", "site.conf", "--write", "--assume-complete"]).status).toBe(0);
    expect(textOf("site.conf")).toBe(migrated);
  });

  test("--assume-complete changes nothing about a whole server", () => {
    write({ "httpd.conf": host(old) });
    const ran = lint(["migrate", "httpd.conf", "--write", "--assume-complete"]);
    expect(ran.status).toBe(0);
    expect(ran.stderr).not.toContain("assum");
    expect(textOf("httpd.conf")).toBe(migrated);
  });

  test("--verify-with-httpd needs the main file", () => {
    write({ "site.conf": host(old) });
    const ran = lint(["migrate", "site.conf", `--verify-with-httpd=${process.execPath}`]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain("--verify-with-httpd needs the main file; name it with ENTRY or --main");
  });
});

describe("without a main file", () => {
  test.each([["explain"], ["test"], ["compare"], ["migrate"]])("%s lists the possible entries", (command) => {
    const ran = lint([command]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /ENTRY is missing: expected a main file, a virtual host file, a `\.htaccess` file, or the directory of a server/,
    );
  });

  test("explain lists the files of a directory", () => {
    write({ "sites/a.conf": host(), "sites/b.conf": host(), "sites/c.conf": host(), "sites/d.conf": host() });
    const ran = lint(["explain", "sites", "/x"]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toBe(
      "httpd-lint: `sites` has no main file; name one of its files: `sites/a.conf`, `sites/b.conf`, `sites/c.conf` (1 more)\n",
    );
  });
});

describe("--main", () => {
  const parts = { "web.conf": `${debian}Include part.conf\n`, "part.conf": host(admin), "other.conf": host() };

  test("names the main file of a fragment, for every command", () => {
    write({ ...parts, "e.json": expectations });
    const explained = lint(["explain", "part.conf", "/x", "--main", "web.conf"]);
    expect(explained).toMatchObject({ status: 0, stderr: "" });
    expect(explained.stdout).toMatch(/^403 Forbidden: /);
    expect(lint(["explain", "/x", "--main", "web.conf"])).toEqual(explained);
    expect(lint(["test", "part.conf", "e.json", "--main", "web.conf"])).toMatchObject({ status: 1, stderr: "" });
    expect(lint(["map", "part.conf", "--release", "2.4", "--main", "web.conf"])).toMatchObject({
      status: 0,
      stderr: "",
    });
    const piped = lint(["explain", "-", "/x", "--stdin-filename", "part.conf", "--main", "web.conf"], {
      input: host(),
    });
    expect(piped).toMatchObject({ status: 0, stderr: "" });
  });

  test.each([
    [
      ["other.conf", "/x", "--main", "web.conf"],
      2,
      "`other.conf` is not included by `web.conf` of --main; use --server-root to set where its relative paths start",
    ],
    [["part.conf", "/x", "--main", "none.conf"], 3, "`none.conf` of --main does not exist"],
    [["part.conf", "/x", "--main", "."], 2, "`.` of --main is a directory; name the main file in it"],
  ])("reports %j in one line", (args, status, message) => {
    write(parts);
    expect(lint(["explain", ...args])).toEqual({ status, stdout: "", stderr: `httpd-lint: ${message}\n` });
  });
});

describe("a `.htaccess` file with others in subdirectories", () => {
  const tree = {
    "public/.htaccess": "Order deny,allow\nDeny from all\n",
    "public/admin/.htaccess": "Require all denied\n",
    "public/admin/open/.htaccess": "Require all granted\n",
    ".git/HEAD": "",
  };

  test("is explained, compared and migrated with them", () => {
    write(tree);
    write({ "new/.htaccess": "Require all denied\n", "new/admin/open/.htaccess": "Require all granted\n" });
    const explained = lint(["explain", "public/.htaccess", "/admin/open/x", "--files", "assume", "--format", "json"]);
    expect(JSON.parse(explained.stdout)).toMatchObject({ class: "403", log: ["AH01797"] });
    expect(lint(["compare", "public/.htaccess", "new/.htaccess"]).status).toBe(1);
    // The migration of this file alone would allow requests that are now denied, so the other file changes, too.
    const ran = lint(["migrate", "public/.htaccess"]);
    expect(ran.stdout).toContain(
      "+++ b/public/admin/open/.htaccess\n@@ -1,1 +1,1 @@\n-Require all granted\n+Require all denied\n",
    );
  });

  test("requires a backup directory outside the document root, and the assumption, at once", () => {
    write(tree);
    const ran = lint(["migrate", "public/.htaccess", "--write", "--assume-complete"]);
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("httpd-lint: `public/.htaccess` may be in a document root; name a directory");
    expect(ran.stderr).toContain("--backup-dir");
    const both = lint(["migrate", "public/.htaccess", "--write"]);
    expect(both.status).toBe(2);
    expect(both.stderr).toMatch(/--assume-complete if .*; it may be in a document root; .* with --backup-dir\n$/);
    const assumption = lint(["migrate", "public/.htaccess", "--write", "--backup-dir", "copies"]);
    expect(assumption.status).toBe(2);
    expect(assumption.stderr).toContain("--assume-complete");
    expect(assumption.stderr).not.toContain("--backup-dir");
    expect(textOf("public/.htaccess")).toBe(tree["public/.htaccess"]);
  });

  test("applies at once when it is written, without a restart", () => {
    const { "public/admin/open/.htaccess": _, ...both } = tree;
    write({ ...both, "public/admin/.htaccess": "Order deny,allow\nDeny from all\n" });
    const ran = lint(["migrate", "public/.htaccess", "--write", "--assume-complete", "--backup-dir", "copies"]);
    expect([ran.status, textOf("public/.htaccess")]).toEqual([0, "Require all denied\n"]);
    expect(ran.stderr).toContain("2 files written; the originals are in ");
    expect(ran.stderr).not.toMatch(/graceful|restart/);
  });
});
