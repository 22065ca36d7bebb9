import { describe, expect, test } from "vitest";
import { expectFailure } from "../support/programs/command-output.js";
import { git } from "../support/programs/scratch-repository.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { lint, write } = scratch;

const host = "<VirtualHost *:80>\nServerName www.example.com\n</VirtualHost>\n";

/** Two servers, a part of both, a tree of `.htaccess` files, a template, embedded files, and files that are left out. */
function writeMonorepo(): void {
  write({
    "web1/conf/httpd.conf": "Listen 80\nInclude ../conf.d/*.conf\nInclude ../../shared/tls.conf\n",
    "web1/conf.d/a.conf": host,
    "web1/conf.d/local.conf": host,
    "web2/main.conf": 'Listen 80\nDocumentRoot "htdocs"\nInclude ../shared/tls.conf\n',
    "web2/htdocs/.htaccess": "Options None\n",
    "shared/tls.conf": "ServerTokens Prod\nSSLCompression off\n",
    "roles/web/files/status.conf": '<Location "/server-status">\nSetHandler server-status\n</Location>\n',
    "roles/web/templates/vhost.conf.j2": host.replace("www.example.com", "{{ name }}"),
    "app/public/.htaccess": "Options None\n",
    "app/public/admin/.htaccess": "Options None\n",
    Dockerfile: `FROM httpd:2.4\nRUN cat > /usr/local/apache2/conf/extra/app.conf <<EOF\n${host}EOF\n`,
    "build/x.conf": host,
    "node_modules/x/y.conf": host,
    "legacy/z.conf": host,
    "legacy/deep/z.conf": host,
    ".gitignore": "/build/\nlocal.conf\n",
    ".httpd-lint.json": { extendExclude: ["legacy"] },
  });
  git(scratch.path, "init", "--quiet");
}

const both = "not read by `web2/main.conf` or `web1/conf/httpd.conf`";
const files = [
  "Dockerfile:3: on its own, as `usr/local/apache2/conf/extra/app.conf`",
  `app/public/.htaccess: on its own; ${both}`,
  `app/public/admin/.htaccess: on its own; ${both}`,
  `roles/web/files/status.conf: on its own; ${both}`,
  `roles/web/templates/vhost.conf.j2: on its own, as a template; ${both}`,
  "shared/tls.conf: read by `web2/main.conf` and `web1/conf/httpd.conf`",
  "web1/conf.d/a.conf: read by `web1/conf/httpd.conf`",
  "web1/conf.d/local.conf: read by `web1/conf/httpd.conf`",
  "web1/conf/httpd.conf: main file of a server",
  "web2/htdocs/.htaccess: read by `web2/main.conf`",
  "web2/main.conf: main file of a server",
];
const excluded = [
  "build/: excluded by .gitignore:1",
  "legacy/: excluded by `legacy` in .httpd-lint.json",
  "node_modules/: excluded by default (`node_modules/`)",
];
const summary =
  "httpd-lint: found 6 files of 2 servers; 1 part, 2 `.htaccess` files in 1 tree, 1 template and 1 embedded file on their own; 2 excluded paths (--list-files lists all)\n";

describe("--list-files", () => {
  test("lists the files of a folder, and how each is placed", () => {
    writeMonorepo();
    const ran = lint(["--list-files"]);
    expect(ran.stdout.trimEnd().split("\n")).toEqual([...files, ...excluded]);
    expect(ran.stderr).toContain(summary);
    expect(ran.status).toBe(0);
  });

  test("lists what a run without it checks, and the summary is the same", () => {
    writeMonorepo();
    const checked = lint(["--format", "json"]);
    expect(JSON.parse(checked.stdout)).toMatchObject({ summary: { files: files.length } });
    expect(checked.stderr).toContain(summary);
  });

  test("lists named files, with the server that reads them", () => {
    writeMonorepo();
    const { stdout, stderr } = lint(["--list-files", "shared/tls.conf", "build/x.conf"]);
    expect(stdout.split("\n")).toEqual([
      `build/x.conf: on its own; ${both}`,
      "shared/tls.conf: read by `web2/main.conf` and `web1/conf/httpd.conf`",
      "",
    ]);
    expect(stderr).not.toContain("found");
  });

  test("as JSON has the same", () => {
    writeMonorepo();
    const list: unknown = JSON.parse(lint(["--list-files", "--format", "json"]).stdout);
    const alone = { placement: "separate", servers: [] };
    const missedBy = ["web2/main.conf", "web1/conf/httpd.conf"];
    expect(list).toMatchObject({
      files: [
        { path: "Dockerfile", ...alone, form: "embedded", line: 3, target: "usr/local/apache2/conf/extra/app.conf" },
        { path: "app/public/.htaccess", ...alone, form: "htaccess", missedBy },
        { path: "app/public/admin/.htaccess", ...alone, form: "htaccess", missedBy },
        { path: "roles/web/files/status.conf", ...alone, form: "plain", missedBy },
        { path: "roles/web/templates/vhost.conf.j2", ...alone, form: "template", missedBy },
        { path: "shared/tls.conf", placement: "part", servers: missedBy },
        { path: "web1/conf.d/a.conf", placement: "part", servers: ["web1/conf/httpd.conf"] },
        { path: "web1/conf.d/local.conf", placement: "part", servers: ["web1/conf/httpd.conf"] },
        { path: "web1/conf/httpd.conf", placement: "main", servers: [] },
        { path: "web2/htdocs/.htaccess", placement: "part", form: "htaccess", servers: ["web2/main.conf"] },
        { path: "web2/main.conf", placement: "main", servers: [] },
      ],
      excluded: [
        { path: "build/", by: { kind: "git", path: ".gitignore", line: 1 } },
        { path: "legacy/", by: { kind: "settings", path: ".httpd-lint.json", pattern: "legacy" } },
        { path: "node_modules/", by: { kind: "default", pattern: "node_modules/" } },
      ],
    });
  });

  test("names no server that Git ignores, and counts more than two servers", () => {
    writeMonorepo();
    write({ "build/httpd.conf": "Listen 80\n" });
    expect(lint(["--list-files"]).stdout.split("\n")).toContain(`app/public/.htaccess: on its own; ${both}`);
    write({ "web3/httpd.conf": "Listen 80\n" });
    expect(lint(["--list-files"]).stdout.split("\n")).toContain(
      "app/public/.htaccess: on its own; not read by any of 3 servers",
    );
  });

  test("follows --exclude and --no-ignore", () => {
    writeMonorepo();
    const lines = lint(["--list-files", "--no-ignore", "--exclude", "app", "--exclude", "*.j2"]).stdout.split("\n");
    expect(lines).toContain(`build/x.conf: on its own; ${both}`);
    expect(lines).toContain("app/: excluded by `app` of --exclude");
    expect(lines).toContain("roles/web/templates/vhost.conf.j2: excluded by `*.j2` of --exclude");
  });

  test("lists a server in another file", () => {
    write({
      "k8s/web.yaml":
        "kind: ConfigMap\ndata:\n  httpd.conf: |\n    ServerRoot /etc/httpd\n    Listen 80\n    Include conf.d/*.conf\n",
      "a.conf": host,
    });
    const { stdout, stderr } = lint(["--list-files", "."]);
    expect(stdout).toBe("a.conf: on its own\nk8s/web.yaml:4: main file of a server\n");
    expect(stderr).toContain("httpd-lint: found 1 file of 1 server; 1 part on its own (--list-files lists all)\n");
  });

  test.each([
    [["--format", "sarif"], "--list-files supports the formats text and json, not sarif"],
    [["--fix"], "--list-files checks nothing and cannot be used with --fix or --diff"],
    [["--statistics"], "--list-files checks nothing and cannot be used with --statistics"],
  ])("cannot be used with %j", (flags, message) => {
    write({ "httpd.conf": "Listen 80\n" });
    expectFailure(lint([".", "--list-files", ...flags]), 2, message);
  });
});

describe("the summary of a folder", () => {
  test("does not appear for one server or one part", () => {
    write({ "httpd.conf": "Listen 80\nInclude a.conf\n", "a.conf": host });
    expect(lint(["."]).stderr).toBe("");
    write({ "httpd.conf": "", "a.conf": host });
    expect(lint(["a.conf"]).stderr).not.toContain("found");
  });
});
