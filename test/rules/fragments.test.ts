import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { ComparisonProofs } from "../../src/proof/compare/proofs.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Returns the findings in one of several files, as `rule line: assumption`. */
function findingsIn(entry: string, files: Readonly<Record<string, string>>): readonly string[] {
  return lintLoaded(load(entry, files)).map(({ rule, line, notes }) => [`${rule} ${line}`, ...notes].join(": "));
}

function load(entry: string, files: Readonly<Record<string, string>>, release: "2.2" | "2.4" = "2.4"): Project {
  const loaded = loadProject(entry, { access: memoryAccess(files), release });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

function lintLoaded(project: Project, before?: Project) {
  const options = before ? { from: "2.2" as const, proofs: new ComparisonProofs(project, () => before) } : {};
  return lintWithoutProofs(project, { rules: defaultRules, ...options }).findings.map(
    ({ rule, span, notes = [], severity }) => {
      const line = span.file.text.slice(0, span.start).split("\n").length;
      return {
        rule,
        line,
        notes: notes.filter((note) => /^(?:assuming|the path of the request assumes) /.test(note)),
        severity,
      };
    },
  );
}

const filterByRule = (rule: string, all: readonly string[]) => all.filter((each) => each.startsWith(`${rule} `));

const accessAssumption = (path: string) => `assuming that no other file sets access for \`${path}\``;
const HTACCESS_NOTE = "assuming that httpd reads this file and sets no access for its directory elsewhere";

describe("a fragment, as if an empty server included it", () => {
  test("has a finding if an upgrade changes access", () => {
    const files = { "/r/site.conf": "<Location /x>\nDeny from all\nSatisfy any\n</Location>\n" };
    const [change] = lintLoaded(load("/r/site.conf", files), load("/r/site.conf", files, "2.2")).filter(
      ({ rule }) => rule === "upgrade-changes-access",
    );
    expect(change).toMatchObject({
      line: 3,
      severity: "error",
      notes: ["assuming that no other file sets access for the same requests"],
    });
  });

  test("maps the URL of an Alias to its directory", () => {
    const text =
      'Alias /app /srv/app\n<Directory "/srv/app">\nDeny from all\n</Directory>\n<Location /app/x>\nRequire local\n</Location>\n';
    expect(filterByRule("compat-precedence", findingsIn("/r/app.conf", { "/r/app.conf": text }))).toEqual([
      `compat-precedence 6: ${accessAssumption("/app/x")}`,
    ]);
  });

  test("has a directory for lines that need one", () => {
    const text = "Deny from all\n<Files x.php>\nRequire local\n</Files>\n";
    expect(filterByRule("compat-precedence", findingsIn("/r/inc.conf", { "/r/inc.conf": text }))).toEqual([
      `compat-precedence 3: ${accessAssumption("x.php")}`,
    ]);
  });

  test("needs no assumption if the sections of one virtual host decide access", () => {
    const host = (...sections: readonly string[]) =>
      ["<VirtualHost *:80>", ...sections, "</VirtualHost>", ""].join("\n");
    const outer = "<Location />\nDeny from all\n</Location>";
    const inner = "<Location /status>\nRequire local\n</Location>";
    const listConflicts = (text: string) =>
      filterByRule("compat-precedence", findingsIn("/r/site.conf", { "/r/site.conf": text }));
    expect(listConflicts(host(outer, inner))).toEqual(["compat-precedence 6"]);
    // Other files may add sections to the main server, and a missing Include may add them to the host.
    expect(listConflicts(`${outer}\n${inner}\n`)).toEqual([`compat-precedence 5: ${accessAssumption("/status")}`]);
    expect(listConflicts(host(outer, "Include more.conf", inner))).toEqual([
      `compat-precedence 7: ${accessAssumption("/status")}`,
    ]);
    expect(listConflicts(host(outer, "<Location /status>\nAuthMerging And\nRequire local\n</Location>"))).toEqual([
      `compat-precedence 7: ${accessAssumption("/status")}`,
    ]);
    // A `.htaccess` file or a <Location> of the main server is merged after a <Directory>.
    const directory = '<Directory "/srv">\nDeny from all\n</Directory>';
    expect(listConflicts(host("DocumentRoot /srv", directory, inner))).toEqual([
      `compat-precedence 7: ${accessAssumption("/status")}`,
    ]);
  });

  test("is in the sections that its comments declare", () => {
    const lines = "Deny from all\n<Files x.php>\nRequire local\n</Files>\n";
    const inHost = `# httpd-lint-context <VirtualHost *:80>\n# httpd-lint-context <Directory "/srv">\n${lines}`;
    expect(findingsIn("/r/inc.conf", { "/r/inc.conf": inHost })).toContain(
      `compat-precedence 5: ${accessAssumption("x.php")}: the path of the request assumes \`DocumentRoot "/"\`: this file does not map a URL to the directory`,
    );
    // ServerName is allowed in a virtual host, but not in a <Location>.
    expect(
      findingsIn("/r/inc.conf", { "/r/inc.conf": "# httpd-lint-context <VirtualHost *:80>\nServerName a\n" }),
    ).toEqual([]);
    expect(findingsIn("/r/inc.conf", { "/r/inc.conf": "# httpd-lint-context <Location /a>\nServerName a\n" })).toEqual([
      "misplaced-directive 2",
    ]);
  });

  test.each([
    ["an unknown section", "# httpd-lint-context <Foo bar>\nDeny from all\n"],
    ["no section", "# httpd-lint-context\nDeny from all\n"],
    ["a comment after the first directive", "Deny from all\n# httpd-lint-context <Directory /srv>\n"],
  ])("has a finding for a context without an effect: %s", (_, text) => {
    expect(filterByRule("ignore-comment", findingsIn("/r/inc.conf", { "/r/inc.conf": text }))).toHaveLength(1);
  });
});

test("reports the line that allows the client, not another one of the section", () => {
  const lines = "Require ip 192.0.2.9\nRequire all granted\n";
  const text = `<Location />\nDeny from all\n</Location>\n<Location /a>\n${lines}</Location>\n`;
  expect(filterByRule("compat-precedence", findingsIn("/r/a.conf", { "/r/a.conf": text }))).toEqual([
    `compat-precedence 6: ${accessAssumption("/a")}`,
  ]);
});

test("treats `Allow from None` as a host name that never matches", () => {
  const outer = '<Directory "/srv">\nRequire ip 127.0.0.1\n</Directory>\n';
  const inner = '<Directory "/srv/lib">\nOrder Deny,Allow\nDeny from All\nAllow from None\n</Directory>\n';
  const all = findingsIn("/r/a.conf", { "/r/a.conf": outer + inner });
  expect(filterByRule("compat-precedence", all)).toEqual([]);
  expect(filterByRule("never-matching-name", all)).toHaveLength(1);
});

describe("does not report lines that the rest of the server completes", () => {
  test.each([
    [
      "access to an alias",
      'Alias /doc /usr/share/doc\n<Directory "/usr/share/doc">\nRequire all granted\n</Directory>\n',
    ],
    [
      "a password file whose Require is elsewhere",
      '<Directory "/srv">\nAuthUserFile /etc/htpasswd\nAuthType Basic\nAuthName x\n</Directory>\n',
    ],
    [
      "a Require whose password file is elsewhere",
      '<Directory "/srv">\nAuthType Basic\nAuthName x\nRequire valid-user\n</Directory>\n',
    ],
    ["a variable that another file defines", "<Directory ${ROOT}>\nRequire all granted\n</Directory>\n"],
    [
      "a pair of conditional sections for both releases",
      '<Directory "/srv">\n<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n<IfModule !mod_authz_core.c>\nAllow from all\n</IfModule>\n</Directory>\n',
    ],
    ["a macro that another file defines", "Use VHost example.com\n"],
    [
      "providers that another file defines",
      '<Directory "/srv">\nAuthBasicProvider myldap\nRequire office-net\n</Directory>\n',
    ],
    ["a protected status page", "<Location /server-status>\nSetHandler server-status\nRequire local\n</Location>\n"],
    [
      "Require in both sections",
      '<Directory "/srv">\nRequire all denied\n</Directory>\n<Directory "/srv/public">\nRequire all granted\n</Directory>\n',
    ],
  ])("%s", (_, text) => {
    expect(findingsIn("/r/conf.d/x.conf", { "/r/conf.d/x.conf": text })).toEqual([]);
  });

  test("more than a deprecated directive for `Allow from all` on its own", () => {
    const text = '<Directory "/srv">\nAllow from all\n</Directory>\n';
    expect(findingsIn("/r/conf.d/x.conf", { "/r/conf.d/x.conf": text })).toEqual(["old-access-control 2"]);
  });
});

describe("`.htaccess` files", () => {
  test("have a finding for a section that cannot override a denial by the file", () => {
    const files = { "/r/.htaccess": 'Deny from all\n<Files "status.php">\nRequire local\n</Files>\n' };
    expect(filterByRule("compat-precedence", findingsIn("/r/.htaccess", files))).toEqual([
      `compat-precedence 3: ${HTACCESS_NOTE}`,
    ]);
  });

  const below = { "/r/app/.htaccess": "Deny from all\n", "/r/app/public/img/.htaccess": "Require all granted\n" };

  test("inherit from the files above them in the repository", () => {
    const files = { ...below, "/r/.git/HEAD": "", "/.htaccess": "Require all denied\n" };
    expect(findingsIn("/r/app/public/img/.htaccess", files)).toEqual([`compat-precedence 1: ${HTACCESS_NOTE}`]);
    expect(findingsIn("/r/app/.htaccess", files)).toEqual(["old-access-control 1"]);
  });

  test("do not inherit from files outside of their repository", () => {
    const files = { ...below, "/r/app/public/.git": "gitdir: elsewhere\n" };
    expect(findingsIn("/r/app/public/img/.htaccess", files)).toEqual([]);
  });

  test("have no finding for files above or beside them that use Require", () => {
    expect(
      findingsIn("/r/a/.htaccess", {
        "/r/.htaccess": "Require all denied\n",
        "/r/a/.htaccess": "Require all granted\n",
      }),
    ).toEqual([]);
    expect(
      findingsIn("/r/a/.htaccess", { "/r/b/.htaccess": "Deny from all\n", "/r/a/.htaccess": "Require all granted\n" }),
    ).toEqual([]);
  });
});
