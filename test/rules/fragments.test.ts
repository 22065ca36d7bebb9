import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { ComparisonProofs } from "../../src/compare/proofs.js";
import { lintProject } from "../../src/engine/run-rules.js";
import { wholeServerRules } from "../../src/engine/whole-server-rules.js";
import { memoryAccess } from "../../src/project/files/file-access.js";
import { loadProject } from "../../src/project/load.js";
import type { Project } from "../../src/project/model/project.js";

/** Returns the findings in one of several files, as `rule line: assumption`. */
function findingsIn(entry: string, files: Readonly<Record<string, string>>): readonly string[] {
  return found(load(entry, files)).map(({ rule, line, notes }) => [`${rule} ${line}`, ...notes].join(": "));
}

function load(entry: string, files: Readonly<Record<string, string>>, release: "2.2" | "2.4" = "2.4"): Project {
  const loaded = loadProject(entry, { access: memoryAccess(files), release });
  if ("failed" in loaded) throw new Error(loaded.failed);
  return loaded.project;
}

function found(project: Project, before?: Project) {
  const options = before ? { from: "2.2" as const, proofs: new ComparisonProofs(project, () => before) } : {};
  return lintProject(project, { rules: defaultRules, ...options }).findings.map(
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

const only = (rule: string, all: readonly string[]) => all.filter((each) => each.startsWith(`${rule} `));

const assuming = (path: string) => `assuming that no other file sets access for \`${path}\``;
const HTACCESS_NOTE = "assuming that httpd reads this file and sets no access for its directory elsewhere";

describe("a fragment is analyzed as if an empty server included it", () => {
  test("an upgrade changes access", () => {
    const files = { "/r/site.conf": "<Location /x>\nDeny from all\nSatisfy any\n</Location>\n" };
    const [change] = found(load("/r/site.conf", files), load("/r/site.conf", files, "2.2")).filter(
      ({ rule }) => rule === "upgrade-changes-access",
    );
    expect(change).toMatchObject({
      line: 3,
      severity: "error",
      notes: ["assuming that no other file sets access for the same requests"],
    });
  });

  test("an Alias of the fragment maps the URL to its directory", () => {
    const text =
      'Alias /app /srv/app\n<Directory "/srv/app">\nDeny from all\n</Directory>\n<Location /app/x>\nRequire local\n</Location>\n';
    expect(only("compat-precedence", findingsIn("/r/app.conf", { "/r/app.conf": text }))).toEqual([
      `compat-precedence 6: ${assuming("/app/x")}`,
    ]);
  });

  test("lines that need a directory are in one", () => {
    const text = "Deny from all\n<Files x.php>\nRequire local\n</Files>\n";
    expect(only("compat-precedence", findingsIn("/r/inc.conf", { "/r/inc.conf": text }))).toEqual([
      `compat-precedence 3: ${assuming("x.php")}`,
    ]);
  });

  test("sections of one virtual host that settle access assume nothing", () => {
    const host = (...sections: readonly string[]) =>
      ["<VirtualHost *:80>", ...sections, "</VirtualHost>", ""].join("\n");
    const outer = "<Location />\nDeny from all\n</Location>";
    const inner = "<Location /status>\nRequire local\n</Location>";
    const both = (text: string) => only("compat-precedence", findingsIn("/r/site.conf", { "/r/site.conf": text }));
    expect(both(host(outer, inner))).toEqual(["compat-precedence 6"]);
    // Other files may add sections to the main server, and a missing Include may add them to the host.
    expect(both(`${outer}\n${inner}\n`)).toEqual([`compat-precedence 5: ${assuming("/status")}`]);
    expect(both(host(outer, "Include more.conf", inner))).toEqual([`compat-precedence 7: ${assuming("/status")}`]);
    expect(both(host(outer, "<Location /status>\nAuthMerging And\nRequire local\n</Location>"))).toEqual([
      `compat-precedence 7: ${assuming("/status")}`,
    ]);
    // A `.htaccess` file or a <Location> of the main server is merged after a <Directory>.
    const directory = '<Directory "/srv">\nDeny from all\n</Directory>';
    expect(both(host("DocumentRoot /srv", directory, inner))).toEqual([`compat-precedence 7: ${assuming("/status")}`]);
  });

  test("comments name the sections around it", () => {
    const lines = "Deny from all\n<Files x.php>\nRequire local\n</Files>\n";
    const inHost = `# httpd-lint-context <VirtualHost *:80>\n# httpd-lint-context <Directory "/srv">\n${lines}`;
    expect(findingsIn("/r/inc.conf", { "/r/inc.conf": inHost })).toContain(
      `compat-precedence 5: ${assuming("x.php")}: the path of the request assumes \`DocumentRoot "/"\`: this file does not map a URL to the directory`,
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
  ])("a context that has no effect is reported: %s", (_, text) => {
    expect(only("ignore-comment", findingsIn("/r/inc.conf", { "/r/inc.conf": text }))).toHaveLength(1);
  });
});

test("the line that allows the client is named, not another one of the section", () => {
  const lines = "Require ip 192.0.2.9\nRequire all granted\n";
  const text = `<Location />\nDeny from all\n</Location>\n<Location /a>\n${lines}</Location>\n`;
  expect(only("compat-precedence", findingsIn("/r/a.conf", { "/r/a.conf": text }))).toEqual([
    `compat-precedence 6: ${assuming("/a")}`,
  ]);
});

test("`Allow from None` is a host name that never matches", () => {
  const outer = '<Directory "/srv">\nRequire ip 127.0.0.1\n</Directory>\n';
  const inner = '<Directory "/srv/lib">\nOrder Deny,Allow\nDeny from All\nAllow from None\n</Directory>\n';
  const all = findingsIn("/r/a.conf", { "/r/a.conf": outer + inner });
  expect(only("compat-precedence", all)).toEqual([]);
  expect(only("never-matching-name", all)).toHaveLength(1);
});

describe("does not report what the rest of the server supplies", () => {
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
      "the pair for both releases",
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

  test("`Allow from all` with no other rule is deprecated, and no more is reported", () => {
    const text = '<Directory "/srv">\nAllow from all\n</Directory>\n';
    expect(findingsIn("/r/conf.d/x.conf", { "/r/conf.d/x.conf": text })).toEqual(["old-access-control 2"]);
  });
});

describe("`.htaccess` files", () => {
  test("a section of the file cannot override a denial by the file", () => {
    const files = { "/r/.htaccess": 'Deny from all\n<Files "status.php">\nRequire local\n</Files>\n' };
    expect(only("compat-precedence", findingsIn("/r/.htaccess", files))).toEqual([
      `compat-precedence 3: ${HTACCESS_NOTE}`,
    ]);
  });

  const below = { "/r/app/.htaccess": "Deny from all\n", "/r/app/public/img/.htaccess": "Require all granted\n" };

  test("files above it in the repository are its context", () => {
    const files = { ...below, "/r/.git/HEAD": "", "/.htaccess": "Require all denied\n" };
    expect(findingsIn("/r/app/public/img/.htaccess", files)).toEqual([`compat-precedence 1: ${HTACCESS_NOTE}`]);
    expect(findingsIn("/r/app/.htaccess", files)).toEqual(["old-access-control 1"]);
  });

  test("files outside of its repository are not", () => {
    const files = { ...below, "/r/app/public/.git": "gitdir: elsewhere\n" };
    expect(findingsIn("/r/app/public/img/.htaccess", files)).toEqual([]);
  });

  test("does not report files above or beside it that use Require", () => {
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

test("the rules that need the whole server exist", () => {
  const ids = defaultRules.map(({ id }) => id);
  for (const id of Object.keys(wholeServerRules)) expect(ids).toContain(id);
});
