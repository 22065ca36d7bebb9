import { describe, expect, test } from "vitest";
import { type CaseOptions, migrated, migrateLines, reasonsOf } from "./migrate-lines.js";

const asking = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

function section(...lines: readonly string[]): readonly string[] {
  return ['<Directory "/srv">', ...lines.map((line) => `    ${line}`), "</Directory>"];
}

/** Returns the migrated lines of a section. */
function becomes(lines: readonly string[], options?: CaseOptions): readonly string[] {
  const [tag, ...others] = migrateLines(section(...lines), options);
  return tag === "refused" ? [tag, ...others] : others.slice(0, -1).map((line) => line.replace(/^ {4}/, ""));
}

describe("the pairs of the upgrade guide", () => {
  const users = [...asking, "Require valid-user"];
  const office = ["Deny from all", "Allow from 10.0.0.0/8"];
  const both = ["<RequireAll>", "    Require ip 10.0.0.0/8", "    Require valid-user", "</RequireAll>"];

  test.each<[string, readonly string[], readonly string[]]>([
    ["nobody", ["Order deny,allow", "Deny from all"], ["Require all denied"]],
    ["everybody", ["Order allow,deny", "Allow from all"], ["Require all granted"]],
    ["some hosts", ["Order Deny,Allow", "Deny from all", "Allow from example.org"], ["Require host example.org"]],
    [
      "users, with host rules that say nothing",
      [...asking, "Order allow,deny", "Allow from all", "Require valid-user"],
      users,
    ],
  ])("%s", (_, lines, expected) => {
    for (const from of ["2.2", "2.4"] as const)
      for (const reading of ["server", "guide"] as const) expect(becomes(lines, { from, reading })).toEqual(expected);
  });

  test("both ways, where the old lines mean it", () => {
    const lines = [...asking, "Order deny,allow", ...office, "Satisfy ALL", "Require valid-user"];
    expect(becomes(lines)).toEqual([...asking, ...both]);
  });

  test("both must hold, as the guide prints it: the server allows nobody, and the guide means both", () => {
    const lines = [...asking, "Order allow,deny", ...office, "Satisfy ALL", "Require valid-user"];
    expect(becomes(lines)).toEqual([...asking, "Require all denied"]);
    expect(becomes(lines, { reading: "guide" })).toEqual([...asking, ...both]);
  });

  test("one must hold, as the guide prints it: the server checks only the password, and the guide means either", () => {
    const lines = [...asking, "Order allow,deny", ...office, "Satisfy ANY", "Require valid-user"];
    expect(becomes(lines)).toEqual(users);
    const either = ["<RequireAny>", "    Require ip 10.0.0.0/8", "    Require valid-user", "</RequireAny>"];
    expect(becomes(lines, { reading: "guide" })).toEqual([...asking, ...either]);
    expect(becomes(["Order deny,allow", ...office, "Satisfy any", ...users])).toEqual([...either, ...asking]);
  });
});

describe("each form of the old lines", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "all but some",
      ["Order allow,deny", "Allow from all", "Deny from 10.1 192.0.2.0/24 bad.example"],
      [
        "<RequireAll>",
        "    Require all granted",
        "    Require not ip 10.1 192.0.2.0/24",
        "    Require not host bad.example",
        "</RequireAll>",
      ],
    ],
    [
      "some but others",
      ["Order allow,deny", "Allow from 10", "Deny from 10.1"],
      ["<RequireAll>", "    Require ip 10", "    Require not ip 10.1", "</RequireAll>"],
    ],
    [
      "others, unless they are allowed",
      ["Order deny,allow", "Deny from 10", "Allow from 10.1"],
      [
        ...["<RequireAny>", "    Require ip 10.1", "    <RequireAll>", "        Require all granted"],
        ...["        Require not ip 10", "    </RequireAll>", "</RequireAny>"],
      ],
    ],
    ["a variable", ["Order deny,allow", "Deny from all", "Allow from env=ok"], ["Require env ok"]],
    [
      "a variable that is not set",
      ["Order deny,allow", "Deny from all", "Allow from env=!bad"],
      ["<RequireAll>", "    Require all granted", "    Require not env bad", "</RequireAll>"],
    ],
    ["whoever lacks a variable kept out", ["Order deny,allow", "Deny from env=!ok"], ["Require env ok"]],
    [
      "methods",
      ["<Limit PUT DELETE>", "    Order deny,allow", "    Deny from all", "</Limit>"],
      ["<Limit PUT DELETE>", "    Require all denied", "</Limit>"],
    ],
    [
      "all methods but some",
      ["<LimitExcept GET>", "    Order deny,allow", "    Deny from all", "    Allow from 10", "</LimitExcept>"],
      ["<LimitExcept GET>", "    Require ip 10", "</LimitExcept>"],
    ],
    [
      "comments with what they are about",
      ["# all of it", "Order deny,allow", "Deny from all", "# here", "Allow from 10.1", "# there", "Allow from 10.2"],
      [
        ...["# all of it", "<RequireAny>", "    # here", "    Require ip 10.1"],
        ...["    # there", "    Require ip 10.2", "</RequireAny>"],
      ],
    ],
    [
      "what else stands there",
      ["Options None", "Order allow,deny", "Allow from all", "AllowOverride None"],
      ["Options None", "Require all granted", "AllowOverride None"],
    ],
  ])("%s", (_, lines, expected) => {
    expect(becomes(lines)).toEqual(expected);
  });

  test("tabs and line endings of the file", () => {
    const text =
      'DocumentRoot "/srv"\r\n<Directory "/srv">\r\n\tOrder allow,deny\r\n\tAllow from 10\r\n\tDeny from 10.1\r\n</Directory>\r\n';
    const migration = migrated({ "/etc/httpd/httpd.conf": text });
    expect(migration.verdict === "proved" && migration.files[0]?.after).toBe(
      'DocumentRoot "/srv"\r\n<Directory "/srv">\r\n\t<RequireAll>\r\n\t\tRequire ip 10\r\n\t\tRequire not ip 10.1\r\n\t</RequireAll>\r\n</Directory>\r\n',
    );
  });

  test("the indentation of the file", () => {
    const text =
      'DocumentRoot "/srv"\n<Directory "/srv">\n  Order allow,deny\n  Allow from 10\n  Deny from 10.1\n</Directory>\n';
    const migration = migrated({ "/etc/httpd/httpd.conf": text });
    expect(migration.verdict === "proved" && migration.files[0]?.after).toBe(
      'DocumentRoot "/srv"\n<Directory "/srv">\n  <RequireAll>\n    Require ip 10\n    Require not ip 10.1\n  </RequireAll>\n</Directory>\n',
    );
  });

  test("variables of the configuration stay", () => {
    const lines = ["Define OFFICE 10.0.0.0/8", ...section("Order deny,allow", "Deny from all", "Allow from ${OFFICE}")];
    expect(migrateLines(lines)).toEqual(["Define OFFICE 10.0.0.0/8", ...section("Require ip ${OFFICE}")]);
  });
});

describe("sections that lie over each other", () => {
  const outer = [
    '<Directory "/srv">',
    "    Order deny,allow",
    "    Deny from all",
    "    Allow from 10",
    "</Directory>",
  ];

  test("old rules do not add up", () => {
    const inner = ['<Directory "/srv/open">', "    Order allow,deny", "    Allow from all", "</Directory>"];
    expect(migrateLines([...outer, ...inner])).toEqual([
      ...['<Directory "/srv">', "    Require ip 10", "</Directory>"],
      ...['<Directory "/srv/open">', "    Require all granted", "</Directory>"],
    ]);
  });

  test("Require does not take the old rules around it away", () => {
    const inner = ['<Directory "/srv/staff">', ...asking, "Require valid-user", "</Directory>"];
    expect(migrateLines([...outer, ...inner])).toEqual([
      ...['<Directory "/srv">', "    Require ip 10", "</Directory>"],
      ...['<Directory "/srv/staff">', ...asking, "AuthMerging And", "Require valid-user", "</Directory>"],
    ]);
  });

  test("a variable tells sections apart that nothing else does", () => {
    const user = (name: string) => [...asking, "Order allow,deny", "Allow from 10", `Require user ${name}`];
    const lines = [
      ...[
        '<Directory "/srv/a">',
        ...user("alice"),
        "</Directory>",
        '<Directory "/srv/b">',
        ...user("bob"),
        "</Directory>",
      ],
      ...["<Location />", "Order allow,deny", "Allow from 192.0.2.0/24", "</Location>"],
    ];
    const said = migrateLines(lines).join("\n");
    expect(said).not.toMatch(/^\s*(?:Order|Allow|Deny|Satisfy)\b/m);
    expect(said).not.toContain("refused");
  });
});

describe("moves from 2.2", () => {
  test("a removed authoritative directive is deleted, and its modules become alternatives", () => {
    const lines = [
      ...asking,
      "AuthGroupFile /etc/groups",
      "AuthzUserAuthoritative off",
      "Require user alice",
      "Require group staff",
    ];
    expect(becomes(lines, { from: "2.2" })).toEqual([
      ...[...asking, "AuthGroupFile /etc/groups", "Require user alice", "Require group staff"],
    ]);
  });

  test("groups in a dbm file have a word of their own", () => {
    const lines = [...asking, "AuthDBMGroupFile /etc/groups", "Require group staff"];
    expect(becomes(lines, { from: "2.2" })).toEqual([
      ...asking,
      "AuthDBMGroupFile /etc/groups",
      "Require dbm-group staff",
    ]);
  });

  test("Satisfy any without Require denies the same clients as before", () => {
    expect(becomes(["Order deny,allow", "Deny from all", "Satisfy any"], { from: "2.2" })).toEqual([
      "Require all denied",
    ]);
    expect(becomes(["Order deny,allow", "Deny from all", "Satisfy any"], { from: "2.4" })).toEqual([
      "Require all granted",
    ]);
  });

  test("AuthType without Require asks for no login", () => {
    expect(becomes([...asking, "Order allow,deny", "Allow from 10"], { from: "2.2" })).toEqual([
      ...asking,
      "Require ip 10",
    ]);
  });

  test("a section that 2.2 never applied stays without effect", () => {
    const lines = ['<DirectoryMatch "^/srv/.*/d$">', "    Order deny,allow", "    Deny from all", "</DirectoryMatch>"];
    const said = migrateLines(lines, { from: "2.2" });
    expect(said[0]).toMatch(/^# 2\.2 never applied/);
    expect(said.slice(1)).toEqual(lines.map((line) => `# ${line}`));
  });
});

test("a section that denies everybody is not opened for sections that are merged over it", () => {
  const files = ['<FilesMatch "^\\.ht">', "    Order allow,deny", "    Deny from all", "</FilesMatch>"];
  const wiki = [...asking, "Require valid-user", "Order deny,allow", "Deny from all", "Allow from 10", "Satisfy any"];
  const said = migrateLines(
    [
      ...['<Directory "/">', "    Order deny,allow", "    Deny from all", "</Directory>"],
      ...section("Order allow,deny", "Allow from all"),
      ...['<Directory "/srv/wiki">', ...wiki.map((line) => `    ${line}`), "</Directory>"],
      ...files,
    ],
    { from: "2.2", allowsVariables: true },
  );
  // No request shows it: all paths map below /srv.
  expect(said.slice(0, 3)).toEqual(['<Directory "/">', "    Require all denied", "</Directory>"]);
  expect(said.slice(-6)).toEqual([
    '<FilesMatch "^\\.ht">',
    ...[
      "    <RequireAll>",
      "        Require env in_directory_srv_wiki",
      "        Require valid-user",
      "    </RequireAll>",
    ],
    "</FilesMatch>",
  ]);
});

test("a section that no request meets by itself stays what it is, for what an Alias leads to tomorrow", () => {
  const inner = section("Order allow,deny", "Allow from all", "Deny from 192.168");
  const moved = section(...["<RequireAll>", "    Require all granted", "    Require not ip 192.168", "</RequireAll>"]);
  for (const [lines, rule] of [
    [[], "Require all denied"],
    [["    Allow from 10"], "Require ip 10"],
  ] as const) {
    const outer = ['<Directory "/">', "    Order deny,allow", "    Deny from all", ...lines, "</Directory>"];
    expect(migrateLines([...outer, ...inner])).toEqual(['<Directory "/">', `    ${rule}`, "</Directory>", ...moved]);
  }
});

describe(".htaccess files", () => {
  const conf = (override: string) =>
    `DocumentRoot "/srv"\n<Directory "/srv">\n    AllowOverride ${override}\n</Directory>\n`;
  const old = "Order deny,allow\nDeny from all\nAllow from 10\n";
  const become = (override: string) => {
    const migration = migrated({ "/etc/httpd/httpd.conf": conf(override), "/srv/a/.htaccess": old });
    return migration.verdict === "proved" ? migration.files.map((file) => file.after) : reasonsOf(migration);
  };

  test("extends AllowOverride", () => {
    expect(become("Limit")).toEqual([conf("Limit AuthConfig"), "Require ip 10\n"]);
    expect(become("All")).toEqual(["Require ip 10\n"]);
  });

  test("keeps a rejected file", () => {
    expect(become("FileInfo")).toEqual([]);
  });
});

describe("guards", () => {
  const guarded = (name: string, ...lines: readonly string[]) => [`<IfModule ${name}>`, ...lines, "</IfModule>"];
  const old = ["Order deny,allow", "Deny from all", "Allow from 10"];

  test("a pair for both releases is unchanged", () => {
    for (const pair of [
      [...guarded("!mod_authz_core.c", ...old), ...guarded("mod_authz_core.c", "Require ip 10")],
      [...guarded("mod_access_compat.c", ...old), ...guarded("!mod_access_compat.c", "Require ip 10")],
    ])
      expect(becomes(pair)).toEqual(pair);
  });

  test("moves lines for mod_access_compat only outside", () => {
    expect(becomes(guarded("mod_access_compat.c", ...old))).toEqual(["Require ip 10"]);
  });

  test("keeps other lines in place", () => {
    expect(becomes(guarded("mod_authz_host.c", ...old))).toEqual(guarded("mod_authz_host.c", "Require ip 10"));
  });
});

describe("lines that 2.4 rejects in any case", () => {
  const moved = (from: "2.2" | "2.4", ...lines: readonly string[]) => {
    const head = ['DocumentRoot "/srv"', "RewriteEngine on", ...lines];
    const text = [...head, ...section("Order deny,allow", "Deny from all", "Allow from 10"), ""].join("\n");
    const migration = migrated({ "/etc/httpd/httpd.conf": text }, { from });
    if (migration.verdict === "refused") return reasonsOf(migration);
    return migration.exceptions.byRelease.map(({ request, before, after }) =>
      [request.path, before.class, after.class].join(" "),
    );
  };

  test.each([
    ["a question mark out of the path", "RewriteRule ^/old/(.*)$ /new/$1 [R]", ["/old/%3f allowed 403"]],
    ["a space in the query", "RewriteRule ^/q/(.*)$ /new?x=$1 [R,NE]", ["/q/%20 allowed 403"]],
  ])("%s is set aside", (_, line, expected) => {
    expect(moved("2.2", line)).toEqual(expected);
    expect(moved("2.4", line)).toEqual([]);
  });

  test("considers decisions of rules that are new in 2.4", () => {
    expect(moved("2.2", "RewriteRule ^/old/ - [F]")).toEqual([]);
    // 2.2 does not support expressions there: the denials differ by release, but no built-in rejection of a release
    // causes them.
    expect(moved("2.2", 'RewriteCond expr "%{REQUEST_URI} =~ m#^/old#"', "RewriteRule ^ - [F]")).toEqual([
      expect.stringContaining("not all differences are accepted"),
    ]);
  });
});

describe("refusals", () => {
  test("a configuration of 2.2 that is read as 2.4, with the flag that helps", () => {
    const text = `DocumentRoot "/srv"\n${section("Order allow,deny", "Deny from all").join("\n")}\n`;
    const files = { "/etc/httpd/httpd.conf": text };
    const migration = migrated(files, { without: ["authz_core"] });
    expect(migration).toMatchObject({
      verdict: "refused",
      refused: [{ help: ["if the server runs 2.2, add `--from 2.2`", "if it runs 2.4, load mod_authz_core"] }],
    });
    expect(migration.verdict === "refused" && migration.refused[0]?.directive?.span.start).toBe(text.indexOf("Order"));
    expect(migrated(files, { from: "2.2" })).toMatchObject({ verdict: "proved" });
  });

  test("a line at which the server stops", () => {
    const [verdict, reason] = becomes(["Order sideways"]);
    expect([verdict, reason]).toEqual(["refused", expect.stringMatching(/^2\.4: unknown order `sideways`$/)]);
  });

  // It may be `10.0.0.0/8`, `.example.org`, `all` or `env=known`: each converts to another line.
  test.each(["2.2", "2.4"] as const)("a line of which the server's environment knows the words, from %s", (from) => {
    const lines = ["Order deny,allow", "Deny from all", "Allow from ${OFFICE}"];
    const why = "`${OFFICE}` is not defined here";
    expect(becomes(lines, { from })).toEqual(["refused", why]);
    expect(becomes(["Require ip ${OFFICE}"], { from: "2.4" })).toEqual(["Require ip ${OFFICE}"]);
  });

  test("500 for some and not for others", () => {
    const [verdict, reason] = becomes([...asking, "Order allow,deny", "Allow from 10"]);
    expect([verdict, reason]).toEqual(["refused", "AuthType applies without a Require line"]);
  });
});

test("a configuration without mod_access_compat directives is unchanged", () => {
  const migration = migrated({
    "/etc/httpd/httpd.conf": `DocumentRoot "/srv"\n${section("Require all granted").join("\n")}\n`,
  });
  expect(migration).toMatchObject({ verdict: "proved", files: [] });
});

test("sections that only a variable could tell apart are refused where mod_setenvif is not there", () => {
  const users = (name: string) => [...asking, "Order allow,deny", "Allow from 10", `Require user ${name}`];
  const lines = [
    ...[
      '<Directory "/srv/a">',
      ...users("alice"),
      "</Directory>",
      '<Directory "/srv/b">',
      ...users("bob"),
      "</Directory>",
    ],
    ...['<Files "x.txt">', "Order allow,deny", "Allow from 192.0.2.0/24", "</Files>"],
  ];
  expect(migrateLines(lines, { allowsVariables: true }).join("\n")).toContain("SetEnvIf");
  expect(migrateLines(lines, { allowsVariables: true, without: ["setenvif"] })).toContainEqual(
    expect.stringContaining("need a variable of SetEnvIf, but mod_setenvif is not loaded"),
  );
});
