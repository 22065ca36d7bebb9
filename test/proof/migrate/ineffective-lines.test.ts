import { describe, expect, test } from "vitest";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import type { Migration, ProvedMigration } from "../../../src/proof/migrate/migration.js";
import { describeRule } from "../../../src/proof/migrate/plan/describe-require.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import { formatLine } from "../../../src/server/trace/step.js";
import { load } from "../../support/projects.js";
import { type CaseOptions, migrateFiles } from "./migrate-lines.js";

/** Lines that decide nothing, although they were written to decide something. */

const main = "/etc/httpd/httpd.conf";
const closedRoot = ['<Directory "/">', "    Require all denied", "</Directory>"];
const hiddenFiles = ['<FilesMatch "^\\.ht">', "    Require all denied", "</FilesMatch>"];
const stock = [...closedRoot, ...hiddenFiles];
const compatModules = ["authz_core", "authz_host", "authn_core", "access_compat", "dir", "alias"];
const login = ["    AuthType Basic", "    AuthName x", "    AuthUserFile /etc/users"];

function directory(path: string, ...lines: readonly string[]): readonly string[] {
  return [`<Directory "${path}">`, ...lines.map((line) => `    ${line}`), "</Directory>"];
}

function migrateServer(
  lines: readonly string[],
  options: CaseOptions = {},
  files: Readonly<Record<string, string>> = {},
): Migration {
  return migrateFiles({ [main]: `DocumentRoot "/srv"\n${lines.join("\n")}\n`, ...files }, options);
}

function proved(migration: Migration): ProvedMigration {
  if (migration.verdict === "refused") throw new Error(migration.refused.map(({ reason }) => reason).join("\n"));
  return migration;
}

/** Returns the changed contents of a file. */
function textAfter(migration: Migration, path = main): string | undefined {
  return proved(migration).files.find((file) => file.path === path)?.after;
}

/** Lists the lines without effect, with the access now and as written. */
function questionsOf(migration: Migration): readonly string[] {
  if (migration.verdict === "proved") return [];
  return (migration.choice?.ineffective ?? []).map(
    ({ lines, now, written }) => `${lines.map(formatLine).join("; ")}: ${describeRule(now)} → ${describeRule(written)}`,
  );
}

/** Lists the requests that restored lines decide. */
function restoredIn(migration: Migration): readonly string[] {
  return proved(migration).exceptions.restored.map(
    ({ difference: { request, before, after } }) => `${request.path}: ${before.class} → ${after.class}`,
  );
}

test("a preview of restored lines ends before the steps of the run do, and names the flag for the result", () => {
  const lines = [...stock, ...directory("/srv/a", "Order allow,deny", "Allow from all")];
  const choices = Array.from({ length: 14 }, (_, n) => {
    const migration = migrateServer(lines, { budget: { ...defaultBudget, steps: Math.round(5_000 * 1.5 ** n) } });
    return migration.verdict === "refused" && migration.choice ? [migration.choice.results] : [];
  }).flat();
  const cut = choices.filter(
    ({ restore }) => restore.verdict === "refused" && restore.refused[0]?.code.startsWith("long-preview"),
  );
  expect(cut.length).toBeGreaterThan(0);
  for (const { restore } of cut) expect(restore).toMatchObject({ refused: [{ help: [/--ineffective restore/] }] });
  // Twin: with enough steps, each choice has its result.
  expect(choices.at(-1)).toMatchObject({ restore: { verdict: "proved" }, delete: { verdict: "proved" } });
});

test("the choice to keep the access of today gets its steps first: it takes fewer", () => {
  const text = `DocumentRoot "/srv"\n${[...stock, ...directory("/srv/a", "Order allow,deny", "Allow from all")].join("\n")}\n`;
  const loadText = (own: string) => load({ [main]: own }, { release: "2.4", kind: "server", modules: compatModules });
  const calls: string[] = [];
  const changed = (call: string) => (texts: ReadonlyMap<string, string>) => {
    calls.push(call);
    return loadText(texts.get(main) ?? text);
  };
  const migration = migrate({ before: loadText(text), again: changed("again"), after: changed("after") }, "server");
  expect(migration.verdict === "refused" && migration.choice?.results.delete.verdict).toBe("proved");
  // The lines are omitted, the access of today is converted, and the lines are restored.
  expect(calls.slice(0, 3)).toEqual(["again", "after", "again"]);
});

test("lines without effect have the methods that they are for, unless these are all", () => {
  const methodsOf = (...lines: readonly string[]) => {
    const migration = migrateServer([...closedRoot, ...directory("/srv/site", ...lines)]);
    return migration.verdict === "refused" ? migration.choice?.ineffective.map(({ methods }) => methods) : "proved";
  };
  const list = ["Order deny,allow", "Deny from all", "Allow from 192.0.2.0/24"];
  expect(methodsOf(...list)).toEqual([undefined]);
  const denial = (tag: string) => [
    ...["Require all granted", "Order deny,allow", "Allow from all"],
    ...[`<${tag}>`, "Deny from all", `</${tag.split(" ")[0]}>`],
  ];
  expect(methodsOf(...denial("Limit PUT"))).toEqual([{ except: false, names: ["PUT"] }]);
  expect(methodsOf(...denial("LimitExcept GET POST"))).toEqual([{ except: true, names: ["GET", "POST"] }]);
});

describe("lines without effect are not deleted without a choice", () => {
  test.each<[string, readonly string[], string]>([
    [
      "an Allow below an inherited denial by Require",
      directory("/srv/site", "Order allow,deny", "Allow from all"),
      "Order allow,deny; Allow from all: no client is allowed → every client is allowed",
    ],
    [
      "an Allow list below an inherited denial by Require",
      directory("/srv/site", "Order deny,allow", "Deny from all", "Allow from 192.0.2.0/24"),
      "Order deny,allow; Deny from all; Allow from 192.0.2.0/24: no client is allowed → clients are allowed by `Require ip 192.0.2.0/24`",
    ],
    [
      "in a Location",
      [
        "<Location /status>",
        "    SetHandler server-status",
        "    Allow from 127.0.0.1",
        "    Deny from all",
        "</Location>",
      ],
      "Allow from 127.0.0.1; Deny from all: no client is allowed → clients are allowed by `Require ip 127.0.0.1`",
    ],
    [
      "in a Files section",
      ['<Files "news.txt">', "    Order allow,deny", "    Allow from all", "</Files>"],
      "Order allow,deny; Allow from all: no client is allowed → every client is allowed",
    ],
    [
      "a Require below an inherited Deny",
      [...directory("/srv", "Order deny,allow", "Deny from all"), ...directory("/srv/site", "Require all granted")],
      "Require all granted: no client is allowed → every client is allowed",
    ],
    [
      "a password below an inherited Deny",
      [
        ...directory("/srv", "Order deny,allow", "Deny from all"),
        ...['<Directory "/srv/site">', ...login, "    Require valid-user", "</Directory>"],
      ],
      "Require valid-user: no client is allowed → clients are allowed by `Require valid-user`",
    ],
    [
      "an Allow list without a Deny",
      directory("/srv/site", "Require all granted", "Order Deny,Allow", "Allow from 127.0.0.1"),
      "Allow from 127.0.0.1: every client is allowed → clients are allowed by `Require ip 127.0.0.1`",
    ],
    [
      "a variable without a Deny",
      [...directory("/srv/site", "Require all granted"), "<Location />", "    Allow from env=ok", "</Location>"],
      "Allow from env=ok: every client is allowed → clients are allowed by `Require env ok`",
    ],
    [
      "an Allow list beside a denial that overrides it",
      directory("/srv/site", "Require all granted", "Order allow,deny", "Deny from all", "Allow from 192.0.2.1"),
      "Allow from 192.0.2.1: no client is allowed → clients are allowed by `Require ip 192.0.2.1`",
    ],
    [
      "a denial of all methods but two, beside an Allow that overrides it",
      directory(
        "/srv/site",
        ...["Require all granted", "Order allow,deny", "Allow from all", "<LimitExcept GET POST>"],
        ...["    Order deny,allow", "    Deny from all", "</LimitExcept>"],
      ),
      "Deny from all: every client is allowed → no client is allowed",
    ],
    [
      "a denial of some methods, beside an Allow list that overrides it",
      directory(
        "/srv/site",
        ...["Require all granted", "Order deny,allow", "Deny from all", "Allow from 192.0.2.0/24"],
        ...["<Limit DELETE PUT>", "    Deny from all", "</Limit>"],
      ),
      "Deny from all: clients are allowed by `Require ip 192.0.2.0/24` → no client is allowed",
    ],
    [
      "a ban beside an Allow that overrides it",
      directory("/srv/site", "Require all granted", "Deny from 203.0.113.66", "Allow from all"),
      "Deny from 203.0.113.66: every client is allowed → clients are allowed by `Require all granted` and `Require not ip 203.0.113.66`",
    ],
  ])("%s", (_, lines, expected) => {
    const migration = migrateServer([...stock, ...lines]);
    expect(migration).toMatchObject({ verdict: "refused" });
    expect(questionsOf(migration)).toEqual([expected]);
    const restored = migrateServer([...stock, ...lines], { ineffective: "restore" });
    expect(restoredIn(restored)).not.toEqual([]);
    expect(textAfter(restored)).toContain(hiddenFiles.join("\n"));
    const kept = proved(migrateServer([...stock, ...lines], { ineffective: "delete" }));
    expect([kept.exceptions.restored, kept.ineffective.length]).toEqual([[], 1]);
  });

  test("also in a `.htaccess` file, whose directory then permits Require", () => {
    const lines = [...hiddenFiles, ...directory("/srv", "AllowOverride Limit", "Require all denied")];
    const files = { "/srv/site/.htaccess": "Order allow,deny\nAllow from all\n" };
    expect(questionsOf(migrateServer(lines, {}, files))).toEqual([
      "Order allow,deny; Allow from all: no client is allowed → every client is allowed",
    ]);
    const restored = migrateServer(lines, { ineffective: "restore" }, files);
    expect(textAfter(restored, "/srv/site/.htaccess")).toBe("Require all granted\n");
    expect(textAfter(restored)).toContain("AllowOverride Limit AuthConfig\n");
  });

  test("also if the lines apply to some methods", () => {
    const lines = ["<Limit PUT>", "    Order allow,deny", "    Allow from all", "</Limit>"];
    const migration = migrateServer([...stock, ...directory("/srv/site", ...lines)]);
    expect(questionsOf(migration)).toHaveLength(1);
  });

  test("also of 2.2, if a line of their own section overrides them", () => {
    const lines = directory("/srv/site", "Order allow,deny", "Deny from all", "Allow from 192.0.2.1");
    expect(
      questionsOf(
        migrateServer([...lines, ...directory("/srv/x", "Order allow,deny", "Allow from all")], { from: "2.2" }),
      ),
    ).toEqual(["Allow from 192.0.2.1: no client is allowed → clients are allowed by `Require ip 192.0.2.1`"]);
  });
});

test.each<[string, readonly string[], string]>([
  [
    "an inherited Require",
    [...stock, ...directory("/srv/site", "Order allow,deny", "Allow from all")],
    "the inherited `Require all denied` decides instead",
  ],
  [
    "inherited Order and Deny lines",
    [...directory("/srv", "Order deny,allow", "Deny from all"), ...directory("/srv/site", "Require all granted")],
    "the inherited `Order deny,allow`, `Deny from all` decide instead",
  ],
  [
    "a line of the same section",
    directory("/srv", "Require all granted", "Order allow,deny", "Deny from all", "Allow from 192.0.2.1"),
    "`Deny from all` decides instead",
  ],
  [
    "the default",
    directory("/srv", "Require all granted", "Allow from 192.0.2.1"),
    "the default allows every client, unless a Deny names it",
  ],
])("the question names %s that decides instead", (_, lines, cause) => {
  expect(migrateServer(lines)).toMatchObject({ refused: [{ notes: expect.arrayContaining([cause]) }] });
});

describe("lines that count only together with those of another section", () => {
  const status = ["<Location /server-status>", "    SetHandler server-status", "    Require local", "</Location>"];
  const host = (...lines: readonly string[]) => [
    ...["<VirtualHost *:80>", "    ServerName two.example", "    DocumentRoot /home/two"],
    ...[...lines.map((line) => `    ${line}`), "</VirtualHost>"],
  ];

  test("are a question: the list of a site also applies to a page of the main file", () => {
    const list = directory("/home/two", "Order deny,allow", "Deny from all", "Allow from 198.51.100.0/24");
    const lines = [...stock, ...status, ...host(...list)];
    const migration = migrateServer(lines);
    expect(questionsOf(migration)).toEqual([
      "Order deny,allow; Deny from all; Allow from 198.51.100.0/24: no client is allowed → clients are allowed by `Require ip 198.51.100.0/24`",
    ]);
    expect(migration).toMatchObject({
      refused: [{ notes: expect.arrayContaining([expect.stringMatching(/^where another section/)]) }],
    });
    const restored = migrateServer(lines, { ineffective: "restore" });
    expect(textAfter(restored)).toContain(host(...directory("/home/two", "Require ip 198.51.100.0/24")).join("\n"));
    expect(new Set(restoredIn(restored).map((text) => text.replace(/^\/\w*:/, "")))).toEqual(
      new Set([" 403 → allowed"]),
    );
  });

  test("decide where no other section has lines, so `migrate` does not ask", () => {
    const list = directory(
      "/home/two",
      "Require all granted",
      "Order deny,allow",
      "Deny from all",
      "Allow from 192.0.2.1",
    );
    expect(questionsOf(migrateServer([...stock, ...status, ...host(...list)]))).toEqual([]);
  });

  test("do not open files that a section denies whose lines they override", () => {
    const files = ['<Files "*.inc">', "    Order allow,deny", "    Deny from all", "</Files>"];
    const everything = ["<Location />", "    Order allow,deny", "    Allow from all", "</Location>"];
    const lines = [...stock, ...status, ...files, ...host(...everything)];
    expect(questionsOf(migrateServer(lines))).toHaveLength(1);
    const migration = migrateServer(lines, { ineffective: "restore" });
    if (migration.verdict === "proved") throw new Error("proved");
    const texts = migration.refused.map(({ directive }) => directive?.span.file.text.slice(directive.span.start));
    expect(texts).toContainEqual(expect.stringMatching(/^Order allow,deny\n {4}Deny from all/));
  });
});

describe("`Allow from all` below an inherited password", () => {
  const lines = [
    ...stock,
    ...['<Directory "/srv">', ...login, "    Require valid-user", "</Directory>"],
    ...['<Files "robots.txt">', "    Order allow,deny", "    Allow from all", "</Files>"],
  ];

  test("is a question: it may be meant to open the section", () => {
    const migration = migrateServer(lines);
    expect(questionsOf(migration)).toEqual([
      "Order allow,deny; Allow from all: clients are allowed by `Require valid-user` → every client is allowed",
    ]);
    expect(migration).toMatchObject({
      refused: [{ notes: expect.arrayContaining([expect.stringMatching(/^2\.2 asks/)]) }],
    });
    expect(textAfter(migrateServer(lines, { ineffective: "delete" }))).not.toContain("robots");
  });

  test("is not asked about if the Deny of its section has no effect: the password stays in any case", () => {
    const site = directory("/srv/site", "Deny from 203.0.113.66", "Allow from all");
    expect(questionsOf(migrateServer([...lines.slice(0, -4), ...site]))).toEqual([
      "Deny from 203.0.113.66: clients are allowed by `Require valid-user` → clients are allowed by `Require not ip 203.0.113.66` and `Require valid-user`",
    ]);
  });

  test("is restored only with consent, because it opens what a password protects in 2.2 and 2.4", () => {
    const migration = migrateServer(lines, { ineffective: "restore" });
    if (migration.verdict === "proved") throw new Error("proved");
    expect(migration.refused).toMatchObject([{ reason: expect.stringMatching(/ask for a password/) }]);
    const ids = migration.refused.flatMap(({ reason }) => /^d-\w+/.exec(reason) ?? []);
    const accepted = migrateServer(lines, { ineffective: "restore", accept: { stricter: false, ids: new Set(ids) } });
    expect(textAfter(accepted)).toContain('<Files "robots.txt">\n    Require all granted\n</Files>');
  });

  test("concerns addresses only in files of 2.2, so `migrate` does not ask", () => {
    const old = [
      ...['<Directory "/srv">', ...login, "    Require valid-user", "</Directory>"],
      ...directory("/srv/site", "Order allow,deny", "Allow from all"),
    ];
    expect(questionsOf(migrateServer(old, { from: "2.2" }))).toEqual([]);
    expect(questionsOf(migrateServer(old))).toHaveLength(1);
  });
});

describe("it does not ask", () => {
  test.each<[string, readonly string[]]>([
    ["if the lines decide", directory("/srv", "Order deny,allow", "Deny from all", "Allow from 192.0.2.1")],
    [
      "if the lines decide beside a Require of their section",
      [
        ...stock,
        ...directory("/srv", "Require all granted", "Order deny,allow", "Deny from all", "Allow from 192.0.2.1"),
      ],
    ],
    [
      "if what they say is what happens",
      [
        ...stock,
        ...directory("/srv", "Require all granted"),
        ...directory("/srv/site", "Order allow,deny", "Allow from all"),
      ],
    ],
    [
      "if they decide at one of several paths",
      [
        ...[...stock, ...directory("/srv/open", "Require all granted")],
        ...[
          '<Files "report.txt">',
          "    Order deny,allow",
          "    Deny from all",
          "    Allow from 192.0.2.1",
          "</Files>",
        ],
      ],
    ],
    [
      "if an Order allows every address beside an inherited password",
      [
        ...['<Directory "/srv">', ...login, "    Require valid-user", "</Directory>"],
        ...directory("/srv/site", "Order deny,allow"),
      ],
    ],
    [
      "if an Allow list applies beside an inherited password",
      [
        ...['<Directory "/srv">', ...login, "    Require valid-user", "</Directory>"],
        ...directory("/srv/site", "Order deny,allow", "Deny from all", "Allow from 192.0.2.1"),
      ],
    ],
    [
      "if an Allow opens a section for addresses, below a Deny and a password",
      [
        ...['<Directory "/srv">', ...login, "    Require valid-user", "    Deny from all", "</Directory>"],
        ...directory("/srv/site", "Order allow,deny", "Allow from all"),
      ],
    ],
    [
      "if the lines that ask for a password are in the same section",
      [
        '<Directory "/srv">',
        ...login,
        "    Require valid-user",
        "    Order allow,deny",
        "    Allow from all",
        "</Directory>",
      ],
    ],
    [
      "if a denial for some methods decides",
      directory(
        "/srv",
        ...["Order allow,deny", "Allow from all", "<LimitExcept GET>", "    Deny from all", "</LimitExcept>"],
      ),
    ],
    [
      "if an Allow for the same methods lifts the denial",
      directory(
        "/srv",
        ...["Allow from all", "<Limit PUT>", "    Deny from all", "    Allow from 192.0.2.1", "</Limit>"],
      ),
    ],
    [
      "about a list that bans clients",
      directory("/srv", "Order allow,deny", "Allow from all", "Deny from 203.0.113.66"),
    ],
    ["about a Deny that the default includes", directory("/srv", "Order allow,deny", "Deny from 203.0.113.66")],
    ["about exceptions from a ban", directory("/srv", "Deny from 203.0.113.0/24", "Allow from 203.0.113.66")],
    ["about a denial that Allow lifts for all clients", directory("/srv", "Deny from all", "Allow from all")],
    ["about an Allow list for nobody", directory("/srv", "Order allow,deny", "Deny from all", "Allow from none")],
  ])("%s", (_, lines) => {
    expect(proved(migrateServer(lines)).ineffective).toEqual([]);
  });

  test("if the same lines decide in another virtual host", () => {
    const host = (name: string, root: string) => [
      ...[
        "<VirtualHost *:80>",
        `    ServerName ${name}`,
        `    DocumentRoot ${root}`,
        "    Include /etc/httpd/status.conf",
      ],
      "</VirtualHost>",
    ];
    const lines = [
      ...stock,
      ...directory("/srv/open", "Require all granted"),
      ...[...host("a.example", "/srv/open"), ...host("b.example", "/srv/closed")],
    ];
    const files = {
      "/etc/httpd/status.conf":
        "<Location />\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1\n</Location>\n",
    };
    expect(questionsOf(migrateServer(lines, {}, files))).toEqual([]);
  });
});

describe("restored lines", () => {
  test("change only the requests of their sections", () => {
    const lines = [
      ...[...stock, ...directory("/srv/open", "Require all granted")],
      ...directory("/srv/site", "# the site", "Order allow,deny", "Allow from all"),
      ...directory("/srv/office", "Order deny,allow", "Deny from all", "Allow from 192.0.2.0/24"),
    ];
    const migration = migrateServer(lines, { ineffective: "restore" });
    expect(textAfter(migration)).toBe(
      [
        'DocumentRoot "/srv"',
        ...[...stock, ...directory("/srv/open", "Require all granted")],
        ...directory("/srv/site", "# the site", "Require all granted"),
        ...directory("/srv/office", "Require ip 192.0.2.0/24"),
        "",
      ].join("\n"),
    );
    const paths = restoredIn(migration).map((text) => text.replace(/^(\/\w+).*?:/, "$1:"));
    expect(new Set(paths)).toEqual(new Set(["/site: 403 → allowed", "/office: 403 → allowed"]));
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      "files that another section denies",
      [...stock, "<Location />", "    Order allow,deny", "    Allow from all", "</Location>"],
      /another section denies these requests on purpose/,
    ],
    [
      "a directory that its own section denies",
      [
        ...[...stock, ...directory("/srv/private", "Require all denied")],
        ...["<LocationMatch ^/(private|site)/>", "    Order allow,deny", "    Allow from all", "</LocationMatch>"],
      ],
      /another section denies these requests on purpose/,
    ],
    [
      "`.ht*` files, even if no section denies them",
      [...closedRoot, ...directory("/srv/site", "Order allow,deny", "Allow from all")],
      /files named `\.htpasswd` would be served/,
    ],
  ])("do not open %s", (_, lines, reason) => {
    const migration = migrateServer(lines, { ineffective: "restore" });
    if (migration.verdict === "proved") throw new Error("proved");
    expect(migration.refused.map((each) => each.reason)).toContainEqual(expect.stringMatching(reason));
    const ids = migration.refused.flatMap(({ reason: text }) => /^d-\w+/.exec(text) ?? []);
    const accepted = migrateServer(lines, { ineffective: "restore", accept: { stricter: false, ids: new Set(ids) } });
    expect(accepted.verdict).toBe("proved");
  });
});

test("restored lines open a page of a handler, which serves no `.ht*` file", () => {
  const page = ["<Location /status>", "    SetHandler server-status", "    Deny from all", "    Allow from 127.0.0.1"];
  const restored = migrateServer([...closedRoot, ...page, "</Location>"], { ineffective: "restore" });
  expect(restoredIn(restored)).toEqual(["/status: 403 → allowed"]);
});

test("restored lines that open `.ht*` files which a section denies are refused for these files only", () => {
  const lines = [...stock, "<Location />", "    Order allow,deny", "    Allow from all", "</Location>"];
  const migration = migrateServer(lines, { ineffective: "restore" });
  expect(migration).toMatchObject({
    refused: [{ reason: expect.stringMatching(/another section denies these requests on purpose/) }],
  });
});

describe("the semantics of the upgrade guide", () => {
  const open = ["Order allow,deny", "Allow from all"];

  test("apply a Require of a later section as well", () => {
    const migration = migrateServer([...stock, ...directory("/srv/site", ...open)], { reading: "guide" });
    expect(textAfter(migration)).toContain([...stock, ...directory("/srv/site", "Require all granted")].join("\n"));
  });

  test("do not prevent a proposal if the result differs", () => {
    const users = (path: string, name: string) =>
      directory(path, ...login, "Order allow,deny", "Allow from 10", `Require user ${name}`);
    const all = [...users("/srv/a", "alice"), ...users("/srv/b", "bob")];
    const files = ['<Files "x.txt">', "    Order allow,deny", "    Allow from 192.0.2.0/24", "</Files>"];
    expect(migrateServer([...all, ...files], { reading: "guide" })).toMatchObject({
      verdict: "refused",
      proposal: { differences: expect.arrayContaining([expect.objectContaining({ isStricter: true })]) },
    });
  });

  test("do not open what a section denies on purpose", () => {
    const lines = [...stock, "<Location />", ...open, "</Location>"];
    expect(migrateServer(lines, { reading: "guide" })).toMatchObject({ verdict: "refused" });
  });
});

test("a section that denies everyone is not opened for the sections inside it", () => {
  const lines = directory(
    "/srv",
    "Require all granted",
    "Order allow,deny",
    "Deny from 203.0.113.66",
    "Allow from all",
  );
  expect(textAfter(migrateServer([...stock, ...lines]))).toContain(closedRoot.join("\n"));
});

test.each<[string, readonly string[]]>([
  ["a directory", directory("/srv/private/drafts", "Order allow,deny", "Deny from all")],
  ["files", ['<FilesMatch "\\.inc$">', "    Order deny,allow", "    Deny from all", "</FilesMatch>"]],
  ["a Location", ["<Location /private/cgi>", "    Deny from all", "</Location>"]],
])("a denial of %s is kept, although another section denies the same requests", (_, lines) => {
  const outer = [...directory("/srv", "Deny from all")];
  const text = textAfter(migrateServer([...outer, ...lines]));
  expect(text?.match(/Require all denied/g)).toHaveLength(2);
  expect(textAfter(migrateServer([...stock, ...lines]))?.match(/Require all denied/g)).toHaveLength(3);
});

test("a Deny list is deleted if a section before it denies the same files to everyone", () => {
  const files = (...lines: readonly string[]) => ['<Files "*.inc">', ...lines.map((line) => `    ${line}`), "</Files>"];
  const closed = directory("/srv", "Require all denied");
  const denial = files("Order deny,allow", "Deny from all");
  const lines = [...denial, ...files("Order deny,allow", "Deny from 10"), ...closed];
  expect(textAfter(migrateServer(lines, { ineffective: "delete" }))).toBe(
    ['DocumentRoot "/srv"', ...files("Require all denied"), ...closed, ""].join("\n"),
  );
});

test("a rule that no Require can express is described as a failure of requests", () => {
  expect(describeRule(undefined)).toBe("requests fail with status 500");
});

test("`Allow from none` allows nobody, and `Deny from none` denies nobody", () => {
  const section = (...lines: readonly string[]) => textAfter(migrateServer(directory("/srv", ...lines)));
  const result = (line: string) => `DocumentRoot "/srv"\n${directory("/srv", line).join("\n")}\n`;
  expect(section("Order deny,allow", "Deny from all", "Allow from None")).toBe(result("Require all denied"));
  expect(section("Order deny,allow", "Deny from all", "Allow from none 192.0.2.1")).toBe(
    result("Require ip 192.0.2.1"),
  );
  expect(section("Order allow,deny", "Allow from all", "Deny from none")).toBe(result("Require all granted"));
  expect(section("Order deny,allow", "Deny from all", "Allow from none.example")).toBe(
    result("Require host none.example"),
  );
});

test("the access of lines that would only count beside others without effect is that for all methods", () => {
  const outer = directory("/srv", "Order deny,allow", "Allow from 192.0.2.1");
  const migration = migrateServer([...outer, ...directory("/srv/site", "Require all granted")]);
  expect(questionsOf(migration)).toEqual([
    "Allow from 192.0.2.1: every client is allowed → clients are allowed by `Require ip 192.0.2.1`",
    "Require all granted: every client is allowed → every client is allowed",
  ]);
  const methods = migration.verdict === "refused" && migration.choice?.ineffective.map((each) => each.methods);
  expect(methods).toEqual([undefined, undefined]);
});
