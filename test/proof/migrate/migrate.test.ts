import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { type CaseOptions, migrateFiles, migrateLines, reasonsOf } from "./migrate-lines.js";

const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

function section(...lines: readonly string[]): readonly string[] {
  return ['<Directory "/srv">', ...lines.map((line) => `    ${line}`), "</Directory>"];
}

/** Returns the migrated lines of a section. */
function migrateSection(lines: readonly string[], options?: CaseOptions): readonly string[] {
  const [tag, ...others] = migrateLines(section(...lines), options);
  return tag === "refused" ? [tag, ...others] : others.slice(0, -1).map((line) => line.replace(/^ {4}/, ""));
}

describe("the pairs of the upgrade guide", () => {
  const users = [...authLines, "Require valid-user"];
  const office = ["Deny from all", "Allow from 10.0.0.0/8"];
  const both = ["<RequireAll>", "    Require ip 10.0.0.0/8", "    Require valid-user", "</RequireAll>"];

  test.each<[string, readonly string[], readonly string[]]>([
    ["all denied", ["Order deny,allow", "Deny from all"], ["Require all denied"]],
    ["all allowed", ["Order allow,deny", "Allow from all"], ["Require all granted"]],
    ["some hosts", ["Order Deny,Allow", "Deny from all", "Allow from example.org"], ["Require host example.org"]],
    [
      "users, with host directives that have no effect",
      [...authLines, "Order allow,deny", "Allow from all", "Require valid-user"],
      users,
    ],
  ])("%s", (_, lines, expected) => {
    for (const from of ["2.2", "2.4"] as const)
      for (const reading of ["server", "guide"] as const)
        expect(migrateSection(lines, { from, reading })).toEqual(expected);
  });

  test("both must pass, with the right Order", () => {
    const lines = [...authLines, "Order deny,allow", ...office, "Satisfy ALL", "Require valid-user"];
    expect(migrateSection(lines)).toEqual([...authLines, ...both]);
  });

  test("both must pass, with the guide's Order, which denies all clients on the server", () => {
    const lines = [...authLines, "Order allow,deny", ...office, "Satisfy ALL", "Require valid-user"];
    expect(migrateSection(lines, { ineffective: "delete" })).toEqual([...authLines, "Require all denied"]);
    expect(migrateSection(lines, { reading: "guide" })).toEqual([...authLines, ...both]);
  });

  test("either suffices, with the guide's Order, which requires the password on the server", () => {
    const lines = [...authLines, "Order allow,deny", ...office, "Satisfy ANY", "Require valid-user"];
    expect(migrateSection(lines, { ineffective: "delete" })).toEqual(users);
    const either = ["<RequireAny>", "    Require ip 10.0.0.0/8", "    Require valid-user", "</RequireAny>"];
    expect(migrateSection(lines, { reading: "guide" })).toEqual([...authLines, ...either]);
    expect(migrateSection(["Order deny,allow", ...office, "Satisfy any", ...users])).toEqual([...either, ...authLines]);
  });
});

describe("converts", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "all clients except some",
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
      "some clients except others",
      ["Order allow,deny", "Allow from 10", "Deny from 10.1"],
      ["<RequireAll>", "    Require ip 10", "    Require not ip 10.1", "</RequireAll>"],
    ],
    [
      "denied clients except allowed ones",
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
    ["a denial if a variable is not set", ["Order deny,allow", "Deny from env=!ok"], ["Require env ok"]],
    [
      "methods",
      ["<Limit PUT DELETE>", "    Order deny,allow", "    Deny from all", "</Limit>"],
      ["<Limit PUT DELETE>", "    Require all denied", "</Limit>"],
    ],
    [
      "all methods except some",
      ["<LimitExcept GET>", "    Order deny,allow", "    Deny from all", "    Allow from 10", "</LimitExcept>"],
      ["<LimitExcept GET>", "    Require ip 10", "</LimitExcept>"],
    ],
    [
      "lines together with their comments",
      ["# all of it", "Order deny,allow", "Deny from all", "# here", "Allow from 10.1", "# there", "Allow from 10.2"],
      [
        ...["# all of it", "<RequireAny>", "    # here", "    Require ip 10.1"],
        ...["    # there", "    Require ip 10.2", "</RequireAny>"],
      ],
    ],
    [
      "access directives between other directives",
      ["Options None", "Order allow,deny", "Allow from all", "AllowOverride None"],
      ["Options None", "Require all granted", "AllowOverride None"],
    ],
  ])("%s", (_, lines, expected) => {
    expect(migrateSection(lines)).toEqual(expected);
  });

  test("with the tabs and line endings of the file", () => {
    const text =
      'DocumentRoot "/srv"\r\n<Directory "/srv">\r\n\tOrder allow,deny\r\n\tAllow from 10\r\n\tDeny from 10.1\r\n</Directory>\r\n';
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": text });
    expect(migration.verdict === "proved" && migration.files[0]?.after).toBe(
      'DocumentRoot "/srv"\r\n<Directory "/srv">\r\n\t<RequireAll>\r\n\t\tRequire ip 10\r\n\t\tRequire not ip 10.1\r\n\t</RequireAll>\r\n</Directory>\r\n',
    );
  });

  test("with the indentation of the file", () => {
    const text =
      'DocumentRoot "/srv"\n<Directory "/srv">\n  Order allow,deny\n  Allow from 10\n  Deny from 10.1\n</Directory>\n';
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": text });
    expect(migration.verdict === "proved" && migration.files[0]?.after).toBe(
      'DocumentRoot "/srv"\n<Directory "/srv">\n  <RequireAll>\n    Require ip 10\n    Require not ip 10.1\n  </RequireAll>\n</Directory>\n',
    );
  });

  test("hosts beside a container of Require lines", () => {
    const office = ["Order deny,allow", "Deny from all", "Allow from 10"];
    const users = ["<RequireAll>", "    Require user alice", "    Require not ip 10.1", "</RequireAll>"];
    const all = ["<RequireAll>", "    Require ip 10", ...users.slice(1)];
    expect(migrateSection([...authLines, ...office, ...users])).toEqual([...authLines, ...all]);
  });

  test("lines with variables of the configuration", () => {
    const lines = ["Define OFFICE 10.0.0.0/8", ...section("Order deny,allow", "Deny from all", "Allow from ${OFFICE}")];
    expect(migrateLines(lines)).toEqual(["Define OFFICE 10.0.0.0/8", ...section("Require ip ${OFFICE}")]);
  });
});

describe("merged sections", () => {
  const outer = [
    '<Directory "/srv">',
    "    Order deny,allow",
    "    Deny from all",
    "    Allow from 10",
    "</Directory>",
  ];

  test("override the outer mod_access_compat directives", () => {
    const inner = ['<Directory "/srv/open">', "    Order allow,deny", "    Allow from all", "</Directory>"];
    expect(migrateLines([...outer, ...inner])).toEqual([
      ...['<Directory "/srv">', "    Require ip 10", "</Directory>"],
      ...['<Directory "/srv/open">', "    Require all granted", "</Directory>"],
    ]);
  });

  test("combine Require with the outer mod_access_compat directives", () => {
    const inner = ['<Directory "/srv/staff">', ...authLines, "Require valid-user", "</Directory>"];
    expect(migrateLines([...outer, ...inner])).toEqual([
      ...['<Directory "/srv">', "    Require ip 10", "</Directory>"],
      ...['<Directory "/srv/staff">', ...authLines, "AuthMerging And", "Require valid-user", "</Directory>"],
    ]);
  });

  test("are distinguished by a variable if necessary", () => {
    const user = (name: string) => [...authLines, "Order allow,deny", "Allow from 10", `Require user ${name}`];
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
    const migrated = migrateLines(lines).join("\n");
    expect(migrated).not.toMatch(/^\s*(?:Order|Allow|Deny|Satisfy)\b/m);
    expect(migrated).not.toContain("refused");
  });
});

describe("from 2.2", () => {
  test("a removed authoritative directive is deleted, and its modules become alternatives", () => {
    const lines = [
      ...authLines,
      "AuthGroupFile /etc/groups",
      "AuthzUserAuthoritative off",
      "Require user alice",
      "Require group staff",
    ];
    expect(migrateSection(lines, { from: "2.2" })).toEqual([
      ...[...authLines, "AuthGroupFile /etc/groups", "Require user alice", "Require group staff"],
    ]);
  });

  test("groups in a dbm file have their own provider", () => {
    const lines = [...authLines, "AuthDBMGroupFile /etc/groups", "Require group staff"];
    expect(migrateSection(lines, { from: "2.2" })).toEqual([
      ...authLines,
      "AuthDBMGroupFile /etc/groups",
      "Require dbm-group staff",
    ]);
  });

  test("an authoritative module stops at the group of the file, so later lines are deleted", () => {
    const lines = [...authLines, "AuthGroupFile /etc/groups", "Require file-group", "Require group staff"];
    // With mod_dir, 2.2 also asks for the group of an index file that does not exist, and 2.4 does not.
    expect(migrateSection(lines, { from: "2.2", without: ["dir"] })).toEqual(lines.slice(0, -1));
    expect(migrateSection(lines, { from: "2.2" })).toEqual(lines);
  });

  describe("the default of Options, which is All in 2.2", () => {
    const open = section("Order allow,deny", "Allow from all");
    const granted = section("Require all granted");
    const all = "Options All";
    const listing = { from: "2.2", with: ["autoindex"] } as const;

    test("in a directory with listings", () => {
      expect(migrateLines(open, listing)).toEqual([...granted, all]);
    });

    test("before other Options lines outside of sections, which add to it", () => {
      expect(migrateLines(["Options -Includes", ...open], listing)).toEqual([all, "Options -Includes", ...granted]);
    });

    test("in a directory of programs", () => {
      const lines = [
        "AddHandler cgi-script .cgi",
        ...section("Order allow,deny", "Allow from all", "Options +Indexes"),
      ];
      const after = ["AddHandler cgi-script .cgi", ...section("Require all granted", "Options +Indexes")];
      expect(migrateLines(lines, { from: "2.2", with: ["autoindex", "cgi"] })).toEqual([...after, all]);
    });

    test("together with the handlers of directories", () => {
      const alias = 'ScriptAlias /cgi/ "/srv/cgi/"';
      const lines = [alias, ...open];
      expect(migrateLines(lines, { from: "2.2", with: ["autoindex", "cgi"] })).toEqual([
        ...[alias, ...granted],
        ...["DirectoryCheckHandler On", all],
      ]);
    });

    test.each<[string, readonly string[], readonly string[], CaseOptions]>([
      [
        "Options in the section",
        section("Order allow,deny", "Allow from all", "Options None"),
        section("Require all granted", "Options None"),
        listing,
      ],
      ["Options for the server", ["Options Indexes", ...open], ["Options Indexes", ...granted], listing],
      [
        "Options for all directories",
        ["<Directory />", "Options None", "</Directory>", ...open],
        ["<Directory />", "Options None", "</Directory>", ...granted],
        listing,
      ],
      ["nobody has access", section("Order allow,deny"), section("Require all denied"), listing],
      ["from 2.4", open, granted, { with: ["autoindex"] }],
    ])("no line: %s", (_, lines, expected, options) => {
      expect(migrateLines(lines, options)).toEqual(expected);
    });

    test.each(["<VirtualHost *:81>", "<Files x>"])("Options All in %s does not keep it", (tag) => {
      const own = ["Listen 80", "Listen 81", tag, "Options All", `</${/\w+/.exec(tag)?.[0]}>`];
      expect(migrateLines([...open, ...own], listing)).toEqual([...granted, ...own, all]);
    });
  });

  describe("index files of a directory with a handler, which 2.2 does not search", () => {
    const open = section("Order allow,deny", "Allow from all");
    const granted = section("Require all granted");
    const check = "DirectoryCheckHandler On";
    const alias = 'ScriptAlias /cgi/ "/srv/cgi/"';
    const index = "DirectoryIndex index.html index.cgi";
    const page = ['<Location "/server-status">', "    SetHandler server-status", "</Location>"];
    const hidden = (...lines: readonly string[]) => [
      '<Files "index.html">',
      ...lines.map((each) => `    ${each}`),
      "</Files>",
    ];
    const cgi = { from: "2.2", with: ["cgi"] } as const;

    test("a directory of programs", () => {
      expect(migrateLines([alias, ...open], cgi)).toEqual([alias, ...granted, check]);
      expect(migrateLines([alias, index, ...open], cgi)).toEqual([alias, check, index, ...granted]);
    });

    test("a page, where access to an index file differs", () => {
      const denied = hidden("Order allow,deny");
      const migrated = hidden("Require all denied");
      expect(migrateLines([...open, ...denied, ...page], cgi)).toEqual([...granted, ...migrated, ...page, check]);
    });

    test.each(["<IfDefine !X>", "<IfModule mod_dir.c>", '<VirtualHost "*:80">'])("index files in %s", (tag) => {
      const guarded = [tag, `    ${index}`, `</${/\w+/.exec(tag)?.[0]}>`];
      expect(migrateLines([alias, ...guarded, ...open], cgi)).toEqual([alias, ...guarded, ...granted, check]);
      expect(migrateLines([alias, index, ...guarded, ...open], cgi)).toEqual([
        alias,
        check,
        index,
        ...guarded,
        ...granted,
      ]);
    });

    test("index files of an included file", () => {
      const main = [
        'DocumentRoot "/srv"',
        alias,
        ...open,
        '<VirtualHost "*:80">',
        "Include index.inc",
        "</VirtualHost>",
      ];
      const path = "/etc/httpd/httpd.conf";
      const files = { [path]: `${[...main, "Include index.inc"].join("\n")}\n`, "/etc/httpd/index.inc": `${index}\n` };
      const migration = migrateFiles(files, cgi);
      expect(migration.verdict).toBe("proved");
      const changed = migration.verdict === "proved" ? migration.files : [];
      expect(changed.map(({ after }) => after.trimEnd().split("\n").at(-1))).toEqual([check]);
    });

    test.each([
      ["# end \\", "# end \\\n\n"],
      ["# end", "# end\n"],
      ["# end \\\n", "# end \\\n\n"],
    ])("after a last comment without a line feed: %j", (comment, kept) => {
      const text = ['DocumentRoot "/srv"', alias, ...open, comment].join("\n");
      const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, cgi);
      const [file] = migration.verdict === "proved" ? migration.files : [];
      expect(file?.after.endsWith(`\n${kept}${check}\n`)).toBe(true);
    });

    test.each<[string, readonly string[], CaseOptions]>([
      ["a page alone", page, cgi],
      ["no handler", [index], cgi],
      ["without mod_dir", [alias], { ...cgi, without: ["dir"] }],
      ["from 2.4", [alias], { with: ["cgi"] }],
    ])("no line: %s", (_, lines, options) => {
      expect(migrateLines([...lines, ...open], options)).toEqual([...lines, ...granted]);
    });

    test("a version of 2.4 without the directive: the difference is reported", () => {
      const text = ['DocumentRoot "/srv"', alias, ...open].join("\n");
      const to = (release: Release) => migrateFiles({ "/etc/httpd/httpd.conf": text }, { ...cgi, to: release });
      const migration = to("2.4.6");
      const differences = migration.verdict === "refused" ? (migration.proposal?.differences ?? []) : [];
      expect(differences.map(({ difference: { request, change } }) => [request.path, change])).toEqual([
        ["/cgi/", "gain"],
      ]);
      expect(to("2.4.9").verdict).toBe("proved");
    });
  });

  test("Satisfy any without Require denies the same clients as before", () => {
    expect(migrateSection(["Order deny,allow", "Deny from all", "Satisfy any"], { from: "2.2" })).toEqual([
      "Require all denied",
    ]);
    expect(migrateSection(["Order deny,allow", "Deny from all", "Satisfy any"], { from: "2.4" })).toEqual([
      "Require all granted",
    ]);
  });

  test("AuthType without Require does not require a login", () => {
    expect(migrateSection([...authLines, "Order allow,deny", "Allow from 10"], { from: "2.2" })).toEqual([
      ...authLines,
      "Require ip 10",
    ]);
  });

  test.each(["<DirectoryMatch", "<Directory ~"])("a section that 2.2 never applied is commented out: %s", (tag) => {
    const end = tag.startsWith("<DirectoryMatch") ? "</DirectoryMatch>" : "</Directory>";
    const lines = [`${tag} "^/srv/.*/d$">`, "    Order deny,allow", "    Deny from all", end];
    const migrated = migrateLines(lines, { from: "2.2" });
    expect(migrated[0]).toMatch(/^# 2\.2 never applied/);
    expect(migrated.slice(1)).toEqual(lines.map((line) => `# ${line}`));
  });
});

test("a section that denies all clients still does, even if other sections always override it", () => {
  const files = ['<FilesMatch "^\\.ht">', "    Order allow,deny", "    Deny from all", "</FilesMatch>"];
  const wiki = [
    ...authLines,
    "Require valid-user",
    "Order deny,allow",
    "Deny from all",
    "Allow from 10",
    "Satisfy any",
  ];
  const migrated = migrateLines(
    [
      ...['<Directory "/">', "    Order deny,allow", "    Deny from all", "</Directory>"],
      ...section("Order allow,deny", "Allow from all"),
      ...['<Directory "/srv/wiki">', ...wiki.map((line) => `    ${line}`), "</Directory>"],
      ...files,
    ],
    { from: "2.2", allowsVariables: true },
  );
  // No request depends on it, because all paths map below /srv.
  expect(migrated.slice(0, 3)).toEqual(['<Directory "/">', "    Require all denied", "</Directory>"]);
  expect(migrated.slice(-6)).toEqual([
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

test("a section that other sections override for all requests keeps its rules, because an Alias may be added", () => {
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
  const migrateHtaccess = (override: string) => {
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": conf(override), "/srv/a/.htaccess": old });
    return migration.verdict === "proved" ? migration.files.map((file) => file.after) : reasonsOf(migration);
  };

  test("extend AllowOverride if necessary", () => {
    expect(migrateHtaccess("Limit")).toEqual([conf("Limit AuthConfig"), "Require ip 10\n"]);
    expect(migrateHtaccess("All")).toEqual(["Require ip 10\n"]);
  });

  test("are unchanged if httpd rejects them", () => {
    expect(migrateHtaccess("FileInfo")).toEqual([]);
  });
});

describe("conditional sections", () => {
  const ifModule = (name: string, ...lines: readonly string[]) => [`<IfModule ${name}>`, ...lines, "</IfModule>"];
  const old = ["Order deny,allow", "Deny from all", "Allow from 10"];

  test("for both releases are unchanged", () => {
    for (const pair of [
      [...ifModule("!mod_authz_core.c", ...old), ...ifModule("mod_authz_core.c", "Require ip 10")],
      [...ifModule("mod_access_compat.c", ...old), ...ifModule("!mod_access_compat.c", "Require ip 10")],
    ])
      expect(migrateSection(pair)).toEqual(pair);
  });

  test("for mod_access_compat only are removed", () => {
    expect(migrateSection(ifModule("mod_access_compat.c", ...old))).toEqual(["Require ip 10"]);
  });

  test("around a container that moves are removed with it", () => {
    const container = ifModule("mod_dir.c", "<RequireAll>", "Require env x", "</RequireAll>");
    const all = ["<RequireAll>", "    Require not ip 10", "    Require env x", "</RequireAll>"];
    expect(migrateSection(["Order deny,allow", "Deny from 10", ...container])).toEqual(all);
  });

  test("for another module stay", () => {
    expect(migrateSection(ifModule("mod_authz_host.c", ...old))).toEqual(ifModule("mod_authz_host.c", "Require ip 10"));
  });
});

describe("requests that 2.4 always rejects are exceptions", () => {
  const exceptionsFor = (from: "2.2" | "2.4", ...lines: readonly string[]) => {
    const head = ['DocumentRoot "/srv"', "RewriteEngine on", ...lines];
    const text = [...head, ...section("Order deny,allow", "Deny from all", "Allow from 10"), ""].join("\n");
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { from });
    if (migration.verdict === "refused") return reasonsOf(migration);
    return migration.exceptions.byRelease.map(({ request, before, after }) =>
      [request.path, before.class, after.class].join(" "),
    );
  };

  test.each([
    ["a question mark from the path", "RewriteRule ^/old/(.*)$ /new/$1 [R]", ["/old/%3f redirected 403"]],
    ["a space in the query", "RewriteRule ^/q/(.*)$ /new?x=$1 [R,NE]", ["/q/%20 redirected 403"]],
  ])("%s", (_, line, expected) => {
    expect(exceptionsFor("2.2", line)).toEqual(expected);
    expect(exceptionsFor("2.4", line)).toEqual([]);
  });

  test("a backend without a module", () => {
    const text = ['DocumentRoot "/srv"', "ProxyPass /app/ ajp://localhost:8009/", ...section("Order deny,allow"), ""];
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": text.join("\n") }, { from: "2.2", with: ["proxy"] });
    expect(migration.verdict === "proved" && migration.exceptions.byRelease).toMatchObject([
      { request: { path: "/app/" }, before: { class: "allowed" }, after: { status: 500, log: ["AH01144"] } },
    ]);
  });

  test("a question mark from the path, where access lines decide after the rule", () => {
    const rule = ["RewriteEngine On", "RewriteRule ^/app/(.*)$ http://192.0.2.1/$1 [P]"];
    const location = ["<Location />", "Order deny,allow", "Deny from 192.0.2.7", "</Location>"];
    const text = ['DocumentRoot "/srv"', ...rule, ...location, ""].join("\n");
    const with22 = ["rewrite", "proxy", "proxy_http"];
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { from: "2.2", with: with22 });
    expect(migration.verdict === "proved" && migration.exceptions.byRelease).toMatchObject([
      { request: { path: "/app/%3f" }, before: { class: "allowed" }, after: { status: 403, log: ["AH10508"] } },
    ]);
  });

  test("a question mark from the path where 2.2 asks for a password: 2.4 refuses it before", () => {
    const rule = ["RewriteEngine On", "RewriteRule ^/app/(.*)$ http://192.0.2.1/$1 [P]"];
    const location = ["<Location />", ...authLines, "Require valid-user", "Deny from 192.0.2.7", "</Location>"];
    const text = ['DocumentRoot "/srv"', ...rule, ...location, ""].join("\n");
    const with22 = ["rewrite", "proxy", "proxy_http"];
    const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { from: "2.2", with: with22 });
    expect(migration.verdict === "proved" && migration.exceptions.byRelease).toMatchObject([
      { before: { class: "401" }, after: { status: 403, log: ["AH10508"] } },
      { before: { class: "allowed" }, after: { status: 403, log: ["AH10508"] } },
    ]);
  });

  test("a host name that 2.4 rejects, also for clients that were denied", () => {
    const named = (name: string, from: "2.2" | "2.2.31") => {
      const host = ["<VirtualHost *:80>", `ServerName ${name}`, 'DocumentRoot "/srv/b"', "</VirtualHost>"];
      const head = [
        "NameVirtualHost *:80",
        'DocumentRoot "/srv"',
        "<VirtualHost *:80>",
        "ServerName a.test",
        "</VirtualHost>",
      ];
      const text = [...head, ...host, ...section("Order deny,allow", "Deny from all", "Allow from 10"), ""].join("\n");
      const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { from });
      return (
        migration.verdict === "proved" &&
        migration.exceptions.byRelease.map(({ after, change }) => [after.status, change])
      );
    };
    expect(named("b%x.test", "2.2.31")).toEqual([
      [400, "neither"],
      [400, "loss"],
    ]);
    expect(named("b.example.org", "2.2.31")).toEqual([]);
    // 2.2.34 rejects it, too.
    expect(named("b%x.test", "2.2")).toEqual([]);
  });

  test("twin: not the decisions of rules that are new in 2.4", () => {
    expect(exceptionsFor("2.2", "RewriteRule ^/old/ - [F]")).toEqual([]);
    // 2.2 does not support expressions in conditions. The denials differ, but not because 2.4 rejects the request itself.
    expect(exceptionsFor("2.2", 'RewriteCond expr "%{REQUEST_URI} =~ m#^/old#"', "RewriteRule ^ - [F]")).toEqual([
      expect.stringContaining("not all differences are accepted"),
    ]);
  });
});

describe("is refused for", () => {
  test("a configuration of 2.2 that is read as 2.4, with a hint about the flag", () => {
    const text = `DocumentRoot "/srv"\n${section("Order allow,deny", "Deny from all").join("\n")}\n`;
    const files = { "/etc/httpd/httpd.conf": text };
    const migration = migrateFiles(files, { without: ["authz_core"] });
    expect(migration).toMatchObject({
      verdict: "refused",
      refused: [{ help: ["if the server runs 2.2, add `--from 2.2`", "if it runs 2.4, load mod_authz_core"] }],
    });
    expect(migration.verdict === "refused" && migration.refused[0]?.directive?.span.start).toBe(text.indexOf("Order"));
    expect(migrateFiles(files, { from: "2.2" })).toMatchObject({ verdict: "proved" });
  });

  test("a line that prevents httpd from starting", () => {
    const [verdict, reason] = migrateSection(["Order sideways"]);
    expect([verdict, reason]).toEqual(["refused", expect.stringMatching(/^2\.4: unknown order `sideways`$/)]);
  });

  // It may be `10.0.0.0/8`, `.example.org`, `all` or `env=known`: each converts to another line.
  test.each(["2.2", "2.4"] as const)(
    "a line whose arguments come from the environment of the server, from %s",
    (from) => {
      const lines = ["Order deny,allow", "Deny from all", "Allow from ${OFFICE}"];
      const why = "`${OFFICE}` is not defined here";
      expect(migrateSection(lines, { from })).toEqual(["refused", why]);
      expect(migrateSection(["Require ip ${OFFICE}"], { from: "2.4" })).toEqual(["Require ip ${OFFICE}"]);
    },
  );

  test("a section that returns 500 to some clients only", () => {
    const [verdict, reason] = migrateSection([...authLines, "Order allow,deny", "Allow from 10"]);
    expect([verdict, reason]).toEqual(["refused", "AuthType applies without a Require line"]);
  });
});

test.each([
  ["./x", "refused"],
  ["b/../x", "refused"],
  ["../x", '<Files "../x">'],
])("rules of `<Files %s>` and another module's of `<Files x>`", (name, first) => {
  const denial = [`<Files "${name}">`, "Order allow,deny", "Deny from all", "</Files>"];
  expect(migrateLines([...denial, '<Files "x">', "Require all granted", "</Files>"])[0]).toBe(first);
});

test("a configuration without mod_access_compat directives is unchanged", () => {
  const migration = migrateFiles({
    "/etc/httpd/httpd.conf": `DocumentRoot "/srv"\n${section("Require all granted").join("\n")}\n`,
  });
  expect(migration).toMatchObject({ verdict: "proved", files: [] });
});

test("a configuration without authz_core and without mod_access_compat directives is unchanged", () => {
  const lines = section("Options None");
  expect(migrateLines(lines, { without: ["authz_core"] })).toEqual(lines);
});

test("a section with the same rules as those around it is omitted, unless they are for every client", () => {
  const lines = ["Order deny,allow", "Deny from all", "Allow from 10"];
  const inner = ['<Directory "/srv/a">', ...lines, "</Directory>"];
  expect(migrateLines([...section(...lines), ...inner])).toEqual(section("Require ip 10"));
  const open = ['<Directory "/srv/a">', "    Order allow,deny", "    Allow from all", "</Directory>"];
  expect(migrateLines([...section("Order allow,deny", "Allow from all"), ...open])).toEqual([
    ...section("Require all granted"),
    ...['<Directory "/srv/a">', "    Require all granted", "</Directory>"],
  ]);
});

test("a Deny list inside a section that denies everyone does not become a denial of everyone", () => {
  const closed = ['<Directory "/">', "    Require all denied", "</Directory>"];
  const migrated = migrateLines([...closed, ...section("Order deny,allow", "Deny from 10")], { ineffective: "delete" });
  expect(migrated).toEqual(closed);
});

test("lines for different methods are merged for each method", () => {
  const limit = (method: string, ...lines: readonly string[]) => [
    `<Limit ${method}>`,
    ...lines.map((line) => `    ${line}`),
    "</Limit>",
  ];
  const both = (name: string) =>
    limit("PUT", "<RequireAll>", "    Require ip 10", `    Require env ${name}`, "</RequireAll>");
  const inside = (path: string, ...lines: readonly string[]) => [
    `<Directory "${path}">`,
    ...lines.map((line) => `    ${line}`),
    "</Directory>",
  ];
  const lines = [
    ...section(...limit("PUT", "Require env z", "Order deny,allow", "Deny from all", "Allow from 10")),
    ...inside("/srv/a", ...limit("GET", "Require env x")),
    ...inside("/srv/b", ...limit("PUT", "Require env k")),
  ];
  expect(migrateLines(lines)).toEqual([
    ...section(...both("z")),
    ...inside("/srv/a", ...limit("PUT", "Require ip 10"), ...limit("GET", "Require env x")),
    ...inside("/srv/b", ...both("k")),
  ]);
});

test("a section with an AuthType of 2.4 that has no Require line keeps its status of 500", () => {
  const login = ["AuthType Basic", "AuthName x", "AuthUserFile /u"].map((line) => `    ${line}`);
  const closed = ['<Directory "/srv">', ...login, "</Directory>"];
  const compat = ["    Order allow,deny", "    Allow from all"];
  expect(migrateLines(['<Directory "/srv">', ...login, ...compat, "</Directory>"])).toEqual(closed);
  // A list of clients cannot be kept beside it.
  const list = ['<Directory "/srv/a">', "    Order allow,deny", "    Allow from 10", "</Directory>"];
  expect(migrateLines([...closed, ...list])).toEqual(["refused", "AuthType applies without a Require line"]);
});

test("a section with `Satisfy any` adds its clients to an inherited Require with AuthMerging", () => {
  const outer = ['<Directory "/srv">', "    AuthType Basic", "    AuthName x", "    AuthUserFile /u"];
  const login = [...outer, "    Require valid-user", "</Directory>"];
  const inner = (...lines: readonly string[]) => [
    '<Directory "/srv/a">',
    ...lines.map((line) => `    ${line}`),
    "</Directory>",
  ];
  const either = inner("Order deny,allow", "Deny from all", "Allow from 10", "Satisfy any");
  expect(migrateLines([...login, ...either])).toEqual([...login, ...inner("AuthMerging Or", "Require ip 10")]);
});

test("an inherited `Satisfy any` also applies to the Require lines of sections inside", () => {
  const office = ["Order deny,allow", "Deny from all", "Allow from 10", "Satisfy any"];
  const inner = (...lines: readonly string[]) => ['<Directory "/srv/a">', ...lines, "</Directory>"];
  const either = (user: string) => ["<RequireAny>", "    Require ip 10", `    Require ${user}`, "</RequireAny>"];
  expect(
    migrateLines([...section(...office, ...authLines, "Require valid-user"), ...inner("    Require user alice")]),
  ).toEqual([
    ...section(...either("valid-user"), ...authLines),
    ...inner(...either("user alice").map((line) => `    ${line}`)),
  ]);
});

test("an AuthMerging stays once, and is deleted if the lines are replaced", () => {
  const inner = (...lines: readonly string[]) => ['<Directory "/srv/a">', ...lines, "</Directory>"];
  const office = section("Order deny,allow", "Deny from all", "Allow from 10");
  // Order, Allow and Deny apply beside all Require lines, however these are merged.
  for (const operator of ["And", "Or"])
    expect(migrateLines([...office, ...inner(`AuthMerging ${operator}`, "Require env x")])).toEqual([
      ...section("Require ip 10"),
      ...inner("AuthMerging And", "Require env x"),
    ]);
});

test("a line that moves out of a macro has the values of its parameters", () => {
  const lines = ["<Macro User $name>", "    Require user $name", "    AuthName x", "</Macro>"];
  const office = ["Order deny,allow", "Deny from all", "Allow from 10"];
  const [type, , file] = authLines;
  const auth = [type ?? "", file ?? ""];
  expect(migrateLines([...lines, ...section(...auth, ...office, "Use User alice")])).toEqual([
    ...["<Macro User $name>", "    AuthName x", "</Macro>"],
    ...section(
      ...[...auth, "<RequireAll>", "    Require ip 10", "    Require user alice", "</RequireAll>"],
      "Use User alice",
    ),
  ]);
});

test("lines of a file that is included in two sections, with different results, are refused", () => {
  const include = (path: string, ...lines: readonly string[]) =>
    [`<Directory "${path}">`, "Include /etc/httpd/acl.inc", ...lines, "</Directory>", ""].join("\n");
  const text = `DocumentRoot "/srv"\n${include("/srv/a")}${include("/srv/b", "Require env x")}`;
  const included = "Order deny,allow\nDeny from all\nAllow from 10\n";
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": text, "/etc/httpd/acl.inc": included });
  expect(reasonsOf(migration)).toEqual([expect.stringMatching(/^these lines are read in several places/)]);
});

test("a proposal keeps the Require lines of a section, and merges them with those around it", () => {
  const inner = (path: string, ...lines: readonly string[]) => [`<Directory "${path}">`, ...lines, "</Directory>"];
  const files = ['<Files "x">', "Order deny,allow", "Deny from 10.1", "</Files>"];
  const users = inner("/srv/a", ...authLines, "Require user alice");
  const lines = [...section("Order deny,allow", "Deny from all", "Allow from 10"), ...users];
  const below = inner("/srv/a/b", "Require user bob");
  const text = `DocumentRoot "/srv"\n${[...lines, ...below, ...files].join("\n")}\n`;
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": text });
  const proposed = migration.verdict === "refused" ? migration.proposal?.files[0]?.after : undefined;
  expect(proposed).toContain(inner("/srv/a", ...authLines, "AuthMerging And", "Require user alice").join("\n"));
});

test("sections that need a variable are refused without mod_setenvif", () => {
  const users = (name: string) => [...authLines, "Order allow,deny", "Allow from 10", `Require user ${name}`];
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
  // One variable suffices: that of the section that is merged over the others.
  expect(migrateLines(lines, { allowsVariables: true }).slice(-5)).toEqual([
    '<Files "x.txt">',
    ...['SetEnvIf Request_URI "^" in_files_x_txt', "AuthMerging And", "Require ip 192.0.2.0/24"],
    "</Files>",
  ]);
  expect(migrateLines(lines, { allowsVariables: true, without: ["setenvif"] })).toContainEqual(
    expect.stringContaining("need a variable of SetEnvIf, but mod_setenvif is not loaded"),
  );
  const text = `DocumentRoot "/srv"\n${lines.join("\n")}\n`;
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { allowsVariables: true, without: ["setenvif"] });
  const help = migration.verdict === "refused" ? migration.refused.flatMap((each) => each.help ?? []) : [];
  expect(help).toContain("load mod_setenvif");
});

test("a refusal because of the directories of users says which flag leaves their files out", () => {
  const home = ["<Directory /home/b/www>", "AllowOverride All", "Order allow,deny", "Allow from all", "</Directory>"];
  const programs = "ScriptAliasMatch ^/cgi-bin/((?!(?i:webobjects)).*$) /usr/lib/cgi/$1";
  const text = [
    "DocumentRoot /srv",
    "UserDir www",
    programs,
    ...section("Order allow,deny", "Allow from 10.1"),
    ...home,
  ];
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": `${text.join("\n")}\n` }, { from: "2.2" });
  const unproved = migration.verdict === "refused" ? (migration.comparison?.unproved ?? []) : [];
  const [ofUsers] = unproved.filter(({ directive }) => directive?.key === "userdir");
  expect(ofUsers?.help).toEqual([expect.stringContaining("add `--assume-no-userdir-htaccess` if no `.htaccess` file")]);
});

describe("converts a section although a target is unknown because of", () => {
  const before = section("Order allow,deny", "Allow from 10.1");
  const after = section("Require ip 10.1");
  const root = ['<Directory "/">', "AllowOverride None", "Options FollowSymLinks", "</Directory>"];
  const check = "DirectoryCheckHandler On";
  const targets: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    // By default, 2.2 reads `.htaccess` files in home directories.
    ["home directories", ["UserDir public_html"], []],
    ["a lookahead", ["ScriptAliasMatch ^/cgi-bin/((?!(?i:webobjects)).*$) /usr/lib/cgi/$1"], [check]],
    ["the name of the host", ["VirtualDocumentRoot /srv/%1"], []],
    ["an undefined variable", ["Alias /a ${A}/a"], []],
    [
      "rules in a section",
      [
        ...["<LocationMatch ^/css/>", "RewriteEngine On", "RewriteCond %{REQUEST_FILENAME}\\.gz -s"],
        ...["RewriteRule ^(.*)\\.css $1.css.gz", "</LocationMatch>"],
      ],
      [],
    ],
  ];

  test.each(targets)("%s", (_, lines, kept) => {
    const all = [...root, ...lines];
    expect(migrateLines([...all, ...before], { from: "2.4" })).toEqual([...all, ...after]);
    expect(migrateLines([...all, ...before], { from: "2.2" })).toEqual([...all, ...after, ...kept]);
  });

  test.each(targets)("%s, and keeps the default of Options", (_, lines, kept) => {
    const bare = ['<Directory "/">', "AllowOverride None", "</Directory>"];
    const all = [...bare, ...lines];
    expect(migrateLines([...all, ...before], { from: "2.4" })).toEqual([...all, ...after]);
    expect(migrateLines([...all, ...before], { from: "2.2" })).toEqual([...all, ...after, ...kept, "Options All"]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    [
      "an undefined variable and a directory of programs",
      ['ScriptAlias /cgi/ "/srv/cgi/"', "Alias /a ${A}/a"],
      [check],
    ],
    ["a page alone", ["<Location /s>", "SetHandler server-status", "</Location>", "Alias /a ${A}/a"], [check]],
  ])("%s", (_, lines, kept) => {
    const all = [...root, ...lines];
    expect(migrateLines([...all, ...before], { from: "2.2" })).toEqual([...all, ...after, ...kept]);
    expect(migrateLines([...all, ...before], { from: "2.2", without: ["dir"] })).toEqual([...all, ...after]);
  });
});

test("sections for paths on a drive apply, as on Windows", () => {
  const at = (...lines: readonly string[]) => ['<Directory "C:/www/a">', ...lines, "</Directory>"];
  const otherLines = [...section("Require all granted"), 'Alias /a "C:/www/a"'];
  const lines = [...otherLines, ...at("Order allow,deny", "Allow from 10.1")];
  expect(migrateLines(lines)).toEqual([...otherLines, ...at("Require ip 10.1")]);
});

test("a section that no request reaches is converted by its own lines", () => {
  const never = (...lines: readonly string[]) => ["<Directory relative>", ...lines, "</Directory>"];
  for (const from of ["2.2", "2.4"] as const)
    expect(migrateLines(never("Order allow,deny", "Allow from 10.1"), { from })).toEqual(never("Require ip 10.1"));
});

test("an unknown file type does not prevent a proof if SetHandler applies", () => {
  const lines = (...own: readonly string[]) => [
    "AddHandler type-map var",
    ...section("Require all granted"),
    ...['<FilesMatch ".+\\.phps$">', ...own.map((line) => `    ${line}`), "</FilesMatch>"],
    ...["<Location /server-status>", "    SetHandler server-status", "    Require local", "</Location>"],
  ];
  const migrateFiles = migrateLines(lines("Order deny,allow", "Deny from all"), { with: ["negotiation"] });
  expect(migrateFiles).toEqual(lines("Require all denied"));
});

describe("a rule that tests the name of the client", () => {
  const rule = (name: string) => ["RewriteEngine On", `RewriteCond %{${name}} !=a.test`, "RewriteRule . - [F]"];
  const access = ["Order deny,allow", "Deny from b.test", "Allow from 192.0.2.1"];

  test("keeps a section from being migrated whose access lines look the name up", () => {
    expect(migrateSection([...access, ...rule("REMOTE_HOST")])[0]).toBe("refused");
    const without = ["Order deny,allow", "Deny from b.test", "Allow from all", ...rule("REMOTE_HOST")];
    expect(migrateSection(without, { ineffective: "delete" })[0]).toBe("refused");
  });

  test("but not one that does not, and no other rule does", () => {
    expect(migrateSection([...access, ...rule("HTTP_HOST")])[0]).not.toBe("refused");
    const byAddress = ["Order deny,allow", "Deny from all", "Allow from 192.0.2.1"];
    expect(migrateSection([...byAddress, ...rule("REMOTE_HOST")])[0]).not.toBe("refused");
  });
});
