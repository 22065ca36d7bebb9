import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { Exploration } from "../../../src/proof/compare/exploration.js";
import { processAlike } from "../../../src/proof/compare/same-processing.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { StepAllowance } from "../../../src/regex/budget.js";
import { load } from "../../support/projects.js";

type Lines = readonly string[];

const modules = [
  ...["authn_file", "auth_basic", "authz_user", "authz_host", "authz_core", "authn_core", "access_compat", "env"],
  ...["setenvif", "alias", "dir", "rewrite", "userdir", "vhost_alias", "proxy", "proxy_http"],
];

function sideOf(lines: Lines, loaded: readonly string[] = modules) {
  const text = `${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  return {
    project: load({ "/etc/httpd/httpd.conf": text }, { release: "2.4", kind: "server", modules: loaded }),
    semantics: "server",
  } as const;
}

function compareLines(before: Lines, after: Lines): ConfigComparison {
  return compare(sideOf(before), sideOf(after));
}

const within = (folder: string, ...lines: Lines) => [`<Directory "${folder}">`, ...lines, "</Directory>"];
const denied = within("/", "Require all denied");
const old = [...denied, ...within("/home/*/web", "Order allow,deny", "Allow from 10.1", "Require all granted")];
const converted = [...denied, ...within("/home/*/web", "Require ip 10.1")];

const sources: readonly (readonly [string, Lines])[] = [
  ["home directories", ["UserDir web"]],
  ["an AliasMatch with a name in the middle", ["AliasMatch ^/u/([^/]+)/(.*) /home/$1/web/$2"]],
  ["a lookahead", ["ScriptAliasMatch ^/cgi/((?!old).*)$ /home/a/web/$1"]],
  ["the name of the host", ["VirtualDocumentRoot /home/%1/web"]],
  ["an undefined variable", ["Alias /u ${HOME_OF_ANN}/web"]],
  ["a variable of mod_proxy", ["SetEnvIf User-Agent bot no-proxy", "ProxyPass /u http://backend.test/u"]],
];

describe.each(sources)("a target that depends on %s", (_, lines) => {
  test("does not prevent a proof if all files have the same access rules on both sides", () => {
    expect(compareLines([...lines, ...old], [...lines, ...converted])).toMatchObject({
      verdict: "equivalent",
      unproved: [],
    });
  });

  test("twin: prevents a proof if a file that no known path reaches has other rules", () => {
    const wider = [...denied, ...within("/home/*/web", "Require ip 10.1 10.2")];
    expect(compareLines([...lines, ...old], [...lines, ...wider]).verdict).not.toBe("equivalent");
  });

  test("twin: prevents a proof if another line differs", () => {
    expect(compareLines([...lines, ...old], [...lines, "DirectoryIndex a", ...converted]).verdict).toBe("unknown");
  });

  test("does not prevent a proof if lines differ that cannot change an answer", () => {
    const idle = ["StartServers 3", "CustomLog logs/a common", 'ExpiresDefault "access plus 1 day"'];
    expect(compareLines([...idle, ...lines, ...old], [...lines, ...converted])).toMatchObject({
      verdict: "equivalent",
      unproved: [],
    });
  });

  test.each([
    "Require env checked",
    'Require "env" checked',
    'Require not "env" checked',
    "Deny from env=checked",
    'Allow from "env=checked"',
    "Require \"expr\" \"tolower(req('X-A')) == 'x'\"",
  ])("twin: prevents a proof if the access line `%s` reads a variable, which an earlier step may have set", (line) => {
    const inAll = line.includes(" not ") ? ["<RequireAll>", "Require all granted", line, "</RequireAll>"] : [line];
    const readingLines = within("/srv/www/env", ...inAll);
    expect(compareLines([...lines, ...readingLines, ...old], [...lines, ...readingLines, ...converted]).verdict).toBe(
      "unknown",
    );
  });
});

test("paths with a known target are compared as always, beside others", () => {
  expect(compareLines(["UserDir web", ...old], ["UserDir web", ...converted]).pathClasses).toBeGreaterThan(0);
});

describe("URL paths to which the same sections apply", () => {
  const rules = ["RewriteEngine on", "RewriteCond %{HTTP_REFERER} evil", "RewriteRule \\.(gif|png)$ - [F]"];
  const trace = ["RewriteCond %{REQUEST_METHOD} ^TRACE", "RewriteRule .* - [F]"];
  const areas = ["a", "b", "c"].map((name) => `RewriteRule /${name}/ - [F]`);
  const lines = ["UserDir web", ...rules, ...trace, ...areas];
  const files = (own: string) => ['<FilesMatch "\\.(bak|old)$">', own, "</FilesMatch>"];
  const location = (own: string) => ["<LocationMatch ^/~ann/>", own, "</LocationMatch>"];
  const verdict = (before: Lines, after: Lines) => compareLines([...lines, ...before], [...lines, ...after]).verdict;

  test("are checked with each file only once", () => {
    let checks = 0;
    const { exploreAccessChecks } = Exploration.prototype;
    Exploration.prototype.exploreAccessChecks = function (pair, walked, check) {
      if (check.target !== undefined) checks++;
      return exploreAccessChecks.call(this, pair, walked, check);
    };
    try {
      const named = ["a", "b", "c", "d", "e", "f"].flatMap((name) => [
        `<Files ${name}>`,
        "Require all denied",
        "</Files>",
      ]);
      expect(verdict([...named, ...old], [...named, ...converted])).toBe("equivalent");
    } finally {
      Exploration.prototype.exploreAccessChecks = exploreAccessChecks;
    }
    expect(checks).toBeLessThan(100);
  });

  test("twin: others are checked, too", () => {
    const both = [...old, ...files("Require all denied"), ...location("Require ip 10.1")];
    const alike = [...converted, ...files("Require all denied"), ...location("Require ip 10.1")];
    expect(verdict(both, alike)).toBe("equivalent");
    expect(verdict(both, [...alike, ...location("Require ip 10.2")])).not.toBe("equivalent");
    expect(verdict(both, [...alike, ...files("Require ip 10.2")])).not.toBe("equivalent");
  });

  test("twin: each method is checked", () => {
    const limited = (method: string) => within("/home/*/web", `<Limit ${method}>`, "Require ip 10.2", "</Limit>");
    expect(verdict([...old, ...limited("POST")], [...old, ...limited("POST")])).toBe("equivalent");
    expect(verdict([...old, ...limited("POST")], [...old, ...limited("PUT")])).not.toBe("equivalent");
  });
});

describe("a ProxyPass that a variable may turn off", () => {
  const lines = ["SetEnvIf User-Agent bot no-proxy", "ProxyPass /u http://backend.test/"];
  const proxy = (...own: Lines) => ["<Proxy *>", ...own, "</Proxy>"];
  const verdict = (before: Lines, after: Lines) => compareLines([...lines, ...before], [...lines, ...after]).verdict;

  test("does not prevent a proof of equal sides, and of sides with equal access", () => {
    expect(verdict([], [])).toBe("equivalent");
    expect(verdict(proxy("Order allow,deny", "Allow from 10.1"), proxy("Require ip 10.1"))).toBe("equivalent");
  });

  test.each([
    ["the backend", proxy("Require ip 10.1"), proxy("Require ip 10.2")],
    [
      "a part of the backend",
      [...proxy("Require ip 10.1"), "<Proxy http://backend.test/a*>", "Require ip 10.2", "</Proxy>"],
      proxy("Require ip 10.1"),
    ],
    ["the file", within("/srv/www/u", "Require ip 10.1"), within("/srv/www/u", "Require ip 10.2")],
  ])("twin: access to %s may still differ", (_, before, after) => {
    expect(verdict(before, after)).not.toBe("equivalent");
    expect(verdict(before, before)).toBe("equivalent");
  });

  test("twin: the variable itself may differ", () => {
    const other = lines.map((line) => line.replace("bot", "spider"));
    expect(compareLines(lines, other).verdict).not.toBe("equivalent");
  });
});

test.each([
  ["a rule", []],
  ["a condition", ["RewriteCond %{REQUEST_FILENAME}\\.gz -s"]],
])("the steps after %s of a section do not prevent a proof if all paths have the same access rules", (_, condition) => {
  const lines = [
    ...['<Location "/u">', "RewriteEngine On", ...condition, "RewriteRule ^(.*)\\.css $1.css.gz", "</Location>"],
    "Alias /home /home",
  ];
  expect(compareLines([...lines, ...old], [...lines, ...converted])).toMatchObject({
    verdict: "equivalent",
    unproved: [],
  });
  expect(compareLines([...lines, ...old], [...lines, "DirectoryIndex a", ...converted]).verdict).toBe("unknown");
  expect(compareLines([...lines, ...old], [...lines, ...denied]).verdict).toBe("different");
});

test("a line that matters in one release only does not prevent a proof if both sides have it", () => {
  const lines = ["AliasMatch ^/u/([^/]+)/(.*) /home/$1/web/$2", "DefaultType text/plain", "Action text/plain /cgi/a"];
  const side = (access: Lines, release: "2.2" | "2.4") => {
    const text = `${['DocumentRoot "/srv/www"', ...lines, ...access].join("\n")}\n`;
    const options = { release, kind: "server", modules: [...modules, "actions", "mime"] } as const;
    return load({ "/etc/httpd/httpd.conf": text }, options);
  };
  const access = within("/", "Order allow,deny", "Allow from 10.1");
  expect(processAlike(side(access, "2.2"), side(within("/", "Require ip 10.1"), "2.4"))).toBe(true);
  expect(
    processAlike(side(["Listen 443", "Listen 443", ...access], "2.2"), side(["Listen 443", ...access], "2.4")),
  ).toBe(true);
  expect(processAlike(side(access, "2.2"), side(["DirectoryIndex a", ...access], "2.4"))).toBe(false);
});

describe.each([
  ["rule that leads to a file by the path", ["RewriteRule ^/u/(.*) /home/$1"]],
  ["rule that leads to a backend by the path", ['RewriteRule "^/([^/]+)/(.*)" "http://$1:9000/$2" [P]']],
  ["rule after a condition on a value of the path", ["RewriteCond $1 =ann", "RewriteRule ^/(.*)/ /home/a/web/b"]],
  ["ProxyPass whose host depends on the path", ["ProxyPassMatch ^/b/([a-z]+)/(.*)$ http://$1.test/$2"]],
])("a %s", (_, rules) => {
  const lines = ["RewriteEngine On", ...rules];
  const verdict = (before: Lines, after: Lines) => compareLines([...lines, ...before], [...lines, ...after]).verdict;
  const at = (...own: Lines) => ["<Location /u>", ...own, "</Location>"];
  const proxy = (backend: string, ...own: Lines) => [`<Proxy "${backend}">`, ...own, "</Proxy>"];

  test("does not prevent a proof if each path is checked alike with each file and each backend", () => {
    expect(compareLines([...lines, ...old], [...lines, ...converted])).toMatchObject({
      verdict: "equivalent",
      unproved: [],
    });
    expect(verdict([...denied, ...at("Order allow,deny")], [...denied, ...at("Require all denied")])).toBe(
      "equivalent",
    );
    const open = proxy("*", "Require all granted");
    expect(verdict([...denied, ...proxy("*", "Order deny,allow")], [...denied, ...open])).toBe("equivalent");
  });

  test.each([
    ["of a folder", within("/home/*/web", "Require ip 10.1"), within("/home/*/web", "Require ip 10.2")],
    ["of a URL path", at("Require ip 10.1"), at("Require ip 10.2")],
    ["of backends", proxy("*", "Require ip 10.1"), proxy("*", "Require ip 10.2")],
    ["of one backend", proxy("http://a.test/", "Require ip 10.1"), proxy("http://a.test/", "Require ip 10.2")],
    ["that read a variable", ["Require env a", ...at("Require ip 10.1")], ["Require env a", ...at("Require ip 10.2")]],
  ])("twin: prevents a proof if the lines %s differ", (_, before, after) => {
    expect(verdict([...denied, ...before], [...denied, ...after])).not.toBe("equivalent");
  });

  test("twin: prevents a proof if the rule itself, or another line, differs", () => {
    const other = lines.map((line) => line.replace(/\$1/g, "x$1").replace("web/b", "web/c").replace("=ann", "=bob"));
    expect(compareLines([...lines, ...old], [...other, ...converted]).verdict).not.toBe("equivalent");
    expect(verdict(old, ["DirectoryIndex a", ...converted])).toBe("unknown");
  });
});

describe("rules that lead to any file, beside many groups of paths", () => {
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);
  const side = (count: number, access: Lines, network = "10.1") => {
    const rules = range(2 * count).flatMap((index) => [
      `RewriteRule ^/l${index}/?$ /l${index}/start [R,L]`,
      `RewriteRule ^/l${index}/(.+) /base/$1`,
    ]);
    const names = range(count).flatMap((index) => [`<Files n${index}>`, "Require all denied", "</Files>"]);
    const at = ["<Location /l1>", `Require ip ${network}`, "</Location>"];
    return sideOf(["RewriteEngine On", ...rules, ...names, ...at, ...access]);
  };

  test("are proved, because paths with the same sections are checked with each file once", () => {
    const steps = new StepAllowance(30_000_000);
    const found = compare(side(20, old), side(20, converted), defaultBudget, { steps });
    expect(found).toMatchObject({ verdict: "equivalent", unproved: [] });
    expect(steps.isUsedUp).toBe(false);
  });

  test("twin: are not if a section for some paths or some files has other rules", () => {
    const wider = [...denied, ...within("/home/*/web", "Require ip 10.1 10.2")];
    expect(compare(side(3, old), side(3, converted)).verdict).toBe("equivalent");
    expect(compare(side(3, old), side(3, converted, "10.2")).verdict).not.toBe("equivalent");
    expect(compare(side(3, old), side(3, wider)).verdict).not.toBe("equivalent");
  });
});

test("a rule that passes an unknown target on as a URL prevents a proof", () => {
  for (const rules of [
    ["RewriteRule ^/u/(.*) /home/$1 [PT]"],
    ["RewriteRule ^/u/(.*) /home/$1", "RewriteRule ^ - [PT]"],
  ]) {
    const lines = ["RewriteEngine On", ...rules];
    expect(compareLines([...lines, ...old], [...lines, ...converted]).verdict).toBe("unknown");
  }
});

describe("a rule of the server that forwards all paths to one backend", () => {
  const forward = ["RewriteEngine On", 'RewriteRule "/(.*)" "http://127.0.0.1:9000/$1" [P]'];
  const proxied = (...lines: Lines) =>
    compareLines([...forward, ...old, ...lines], [...forward, ...converted, ...lines]);

  test("has a known target", () => {
    expect(proxied()).toMatchObject({ verdict: "equivalent", unproved: [] });
    const open = within("/home/*/web", "Require ip 10.1 10.2");
    expect(compareLines([...forward, ...old], [...forward, ...denied, ...open]).verdict).toBe("equivalent");
  });

  test("twin: is different if a section for the URL is different", () => {
    const status = (line: string) => ["<Location /admin>", line, "</Location>"];
    const { differences } = compareLines(
      [...forward, ...status("Require all denied")],
      [...forward, ...status("Require all granted")],
    );
    expect(differences.map(({ request }) => request.path)).toEqual(["/admin"]);
  });

  test("twin: prevents a proof if a section matches the URL of the backend", () => {
    expect(proxied('<Proxy "http://127.0.0.1:9000/private">', "Require all denied", "</Proxy>").verdict).toBe(
      "unknown",
    );
  });

  test("twin: prevents a proof if the path decides the host, and a section matches some backends", () => {
    const hosts = ["RewriteEngine On", 'RewriteRule "^/([^/]+)/(.*)" "http://$1:9000/$2" [P]'];
    const section = ['<Proxy "http://a*">', "Require all denied", "</Proxy>"];
    expect(compareLines([...hosts, ...old, ...section], [...hosts, ...converted, ...section]).verdict).toBe("unknown");
  });
});

test("a rule with a lookahead is compared by the paths that it matches", () => {
  const { verdict, differences } = compareLines(["RewriteEngine On", 'RewriteRule "(^|/)\\.(?!well-known)" - [F]'], []);
  expect(verdict).toBe("different");
  for (const { request, before, after } of differences) {
    expect(request.path).toMatch(/\/\.(?!well-known)/);
    expect([before.status, after.class]).toEqual([403, "allowed"]);
  }
});

test("rules do not prevent a proof if RewriteEngine is not enabled anywhere", () => {
  const lines = ["RewriteEngine Off", "RewriteRule ^/u/(.*) /home/$1"];
  expect(compareLines([...lines, ...old], [...lines, ...converted]).verdict).toBe("equivalent");
  const within = ['<Location "/">', "RewriteRule ^(.*) $1.gz", "</Location>"];
  expect(compareLines([...lines, ...within, ...old], [...within, ...converted]).verdict).toBe("equivalent");
});

test("an If section prevents a proof with unknown targets", () => {
  const lines = ["UserDir web", "<If \"%{HTTP:X} == 'a'\">", "Require all denied", "</If>"];
  expect(compareLines([...lines, ...old], [...lines, ...converted]).verdict).toBe("unknown");
});

test("lines about processes do not prevent a proof with unknown targets", () => {
  const lines = ["UserDir web", ...old];
  expect(compareLines(lines, ["UserDir web", "StartServers 2", ...converted]).verdict).toBe("equivalent");
});

describe("home directories with many classes of files because of handlers", () => {
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);
  const at = range(20).flatMap((index) => [`<Location /~u${index}>`, `Require ip 10.${index}`, "</Location>"]);
  const handlers = range(400).flatMap((index) => within(`/srv/d${index}`, `SetHandler h${index % 2}`));
  const side = (networks: string) => [
    ...["UserDir web", ...at, ...handlers, ...denied],
    ...within("/home/*/web", `Require ip ${networks}`),
  ];

  test("are checked without the sections for handlers", () => {
    expect(compareLines(side("10.1 10.2"), side("10.2 10.1"))).toMatchObject({ verdict: "equivalent", unproved: [] });
  });

  test("twin: stay unknown if a file may be checked differently", () => {
    const { verdict, unproved } = compareLines(side("10.1"), side("10.2"));
    expect([verdict, unproved.map(({ directive }) => directive?.name)]).toEqual(["unknown", ["UserDir"]]);
  });
});

describe("an action whose script is handled by the action again", () => {
  const withActions = [...modules, "actions", "mime"];
  const repeated = [
    'ScriptAlias /php-bin/ "/srv/php-bin/"',
    "AddHandler php-script .php",
    "Action php-script /php-bin/php",
    "DirectoryIndex index.php",
  ];
  const serverOf = (rules: Lines) =>
    sideOf([...repeated, ...rules, ...within("/srv", "Require all granted")], withActions);

  test("is proved with few steps by the access checks of its paths", () => {
    const steps = new StepAllowance(400_000);
    const found = compare(serverOf(old), serverOf(converted), defaultBudget, { steps });
    expect(found).toMatchObject({ verdict: "equivalent", unproved: [] });
    expect(steps.isUsedUp).toBe(false);
  });

  test("twin: is not proved if a folder has other rules", () => {
    const other = [...converted, ...within("/srv/php-bin", "Require ip 10.1")];
    const found = compare(serverOf(old), serverOf(other), { ...defaultBudget, steps: 400_000 });
    expect(found.verdict).not.toBe("equivalent");
  });
});
