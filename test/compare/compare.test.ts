import { describe, expect, test } from "vitest";
import { compare } from "../../src/compare/compare.js";
import { defaultBudget } from "../../src/compare/model/budget.js";
import type { ConfigComparison } from "../../src/compare/model/comparison.js";
import type { Release } from "../../src/directives/directives.js";
import type { Reading } from "../../src/simulate/model/decision.js";
import { pairs } from "../simulate/guide-cases.js";
import { load } from "../support/projects.js";

type Lines = readonly string[];

/** Compares two main files given by their lines. */
function compared(before: Lines, after: Lines, reading: Reading = "server"): ConfigComparison {
  return compare(sideOf(before, "2.4", reading), sideOf(after, "2.4", reading));
}

/** Compares one main file, and optionally a `.htaccess` file in its document root, under 2.2 and 2.4. */
function upgraded(lines: Lines, htaccess?: Lines): ConfigComparison {
  return compare(sideOf(lines, "2.2", "server", htaccess), sideOf(lines, "2.4", "server", htaccess));
}

const common = ["authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host", "setenvif", "alias", "dir"];
/** In load order. */
const modules: Readonly<Record<Release, Lines>> = {
  "2.2": common,
  "2.4": [...common, "authn_core", "authz_core", "access_compat"],
};

function sideOf(lines: Lines, release: Release, reading: Reading, htaccess?: Lines, more: Lines = []) {
  const text = `${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const files = htaccess ? { "/srv/www/.htaccess": `${htaccess.join("\n")}\n` } : {};
  const project = load(
    { "/etc/httpd/httpd.conf": text, ...files },
    { release, kind: "server", modules: [...modules[release], ...more] },
  );
  return { project, reading };
}

/** Returns each difference: the request, and its answers on both sides. */
function shown({ verdict, differences }: ConfigComparison): string[] {
  const told = differences.map(({ request, before, after }) => {
    const { method, path, clientIp, user, env = [] } = request;
    const who = [method, path, clientIp, ...(user === undefined ? [] : [user]), ...env].join(" ");
    return `${who}: ${before.class}, ${after.class}`;
  });
  return [verdict, ...told.sort()];
}

const inRoot = (...lines: Lines) => ['<Directory "/srv/www">', ...lines, "</Directory>"];
const at = (path: string, ...lines: Lines) => [`<Location "${path}">`, ...lines, "</Location>"];
const asking = ["AuthType Basic", "AuthName x", "AuthUserFile users"];

test("words with escapes in them are alike on both sides", () => {
  const named = (user: string) => inRoot(...asking, `Require user "${user}"`);
  expect(shown(compared(named("CORP\\\\ann"), named("CORP\\\\ann")))).toEqual(["equivalent"]);
  expect(shown(compared(named("CORP\\\\ann"), named("CORP\\\\bob")))[0]).toBe("different");
});

describe("lines that the server refuses", () => {
  test("are as if they were not there", () => {
    const rules = [...asking, "Require user alice"];
    expect(shown(compared(inRoot(...rules, "Require bogus x"), inRoot(...rules)))).toEqual(["equivalent"]);
    expect(shown(compared(inRoot(...rules, "Require USER bob"), inRoot(...rules)))).toEqual(["equivalent"]);
    const open = compared(inRoot(...rules, "Require user bob"), inRoot(...rules));
    expect(open.verdict).toBe("different");
  });

  const withTls = (...lines: Lines) => sideOf(lines, "2.4", "server", undefined, ["ssl"]);

  test.each([
    ["SSLRequireSSL"],
    ["Order deny,allow", "Deny from all"],
    ["<Location /x>", "<Directory /srv/www>", "Require all denied", "</Directory>", "</Location>"],
  ])("so are those that stand where it takes none: %s", (...lines) => {
    expect(shown(compare(withTls(...lines), withTls()))).toEqual(["equivalent"]);
  });

  test.each([["SSLRequireSSL"], ["Order deny,allow", "Deny from all"]])(
    "twin: where they may stand they count: %s",
    (...lines) => {
      expect(compare(withTls(...at("/x", ...lines)), withTls(...at("/x"))).verdict).toBe("different");
    },
  );
});

describe("methods", () => {
  const rewriting = (lines: Lines) => sideOf(["RewriteEngine on", ...lines], "2.4", "server", undefined, ["rewrite"]);
  const plain = (...lines: Lines) => sideOf(at("/x", ...lines), "2.4", "server");

  test("TRACE is sent if a line mentions it: it bypasses other rules", () => {
    const passing = 'ProxyPass "/x" "nothing://backend.example.org/"';
    const proxied = (...lines: Lines) => sideOf([passing, ...lines], "2.4", "server", undefined, ["proxy"]);
    expect(shown(compare(proxied(), proxied("TraceEnable off")))).toEqual([
      "different",
      "TRACE /x 203.0.113.7: 500, allowed",
    ]);
    expect(shown(compare(proxied("TraceEnable off"), proxied("TraceEnable off")))).toEqual(["equivalent"]);
    expect(shown(compare(proxied(), proxied("TraceEnable on")))).toEqual(["equivalent"]);
  });

  test("HEAD is what GET is, but to those who look at its letters", () => {
    expect(shown(compare(plain("Require method GET"), plain("Require method HEAD")))).toEqual(["equivalent"]);
    const byLetters = plain("Require expr \"%{REQUEST_METHOD} == 'GET'\"");
    expect(shown(compare(byLetters, plain("Require method GET")))).toEqual([
      "different",
      "HEAD /x 203.0.113.7: 403, allowed",
    ]);
    const rule = rewriting(["RewriteCond %{REQUEST_METHOD} !=GET", "RewriteRule ^/x - [F]"]);
    const answers = compare(rule, plain("Require method GET")).differences.map(({ request }) => request.method);
    expect(answers).toContain("HEAD");
  });

  test.each([
    ["a letter", "Require expr %{REQUEST_METHOD} =~ /^M/", "M"],
    ["lower case", "Require expr \"%{REQUEST_METHOD} == 'get'\"", "get"],
    ["one of a list", "Require expr %{REQUEST_METHOD} -in { 'get', 'LOCK' }", "LOCK"],
  ])("that only a test of its letters names: %s", (_, line, method) => {
    const found = compare(plain(line), plain("Require all denied")).differences.flatMap(({ regions }) => regions);
    expect(found.map((region) => region.method)).toContain(method);
  });

  test("a pattern of rewriting", () => {
    const rule = rewriting(["RewriteCond %{REQUEST_METHOD} !^[A-Z]+$", "RewriteRule ^/x - [F]"]);
    const methods = compare(rule, plain("Require all granted")).differences.map(({ request }) => request.method);
    expect([...new Set(methods)]).toEqual([expect.stringMatching(/[^A-Z]/)]);
  });
});

describe("lists parts that are not compared if the sides differ in them", () => {
  const denied = at("/x", "Require all denied");
  const unproved = (before: Lines, after: Lines) => {
    const { verdict, unproved: doubts } = compared(before, after);
    return [verdict, ...doubts.map(({ reason }) => reason)];
  };

  test.each([
    ["mod_remoteip", ["RemoteIPHeader X-Forwarded-For"], /which proxies/],
    ["escaped slashes", ["AllowEncodedSlashes On"], /encoded slashes/],
    [
      "headers that are changed before they are looked at",
      ["RequestHeader unset X-Team early", "SetEnvIf X-Team . team"],
      /early change of request headers/,
    ],
    ["methods that are refused by 405", at("/y", "AllowMethods GET"), /returns 405/],
  ])("%s", (_, lines, reason) => {
    expect(unproved([...lines, ...denied], denied)).toEqual(["unknown", expect.stringMatching(reason)]);
    expect(unproved([...lines, ...denied], [...lines, ...denied])).toEqual(["equivalent"]);
  });

  const hosts = (first: Lines, second: Lines) => [
    ...["<VirtualHost *>", "ServerName a.test", ...first, "</VirtualHost>"],
    ...["<VirtualHost *>", "ServerName b.test", ...second, "</VirtualHost>"],
  ];
  const users = (file: string) =>
    at("/x", "AuthType Basic", "AuthName x", `AuthUserFile ${file}`, "Require valid-user");
  const setEarly = "RequestHeader set X-A 1 early";
  const lookingAtA = at("/x", "Require expr \"req('X-A') == '1'\"");

  test.each<[string, Lines, Lines, RegExp]>([
    ["password files", hosts(users("ua"), users("ub")), hosts(users("ub"), users("ua")), /user and group files/],
    ["methods", hosts(at("/x", "AllowMethods GET"), []), hosts([], at("/x", "AllowMethods GET")), /returns 405/],
    [
      "early headers",
      [...hosts([setEarly], []), ...lookingAtA],
      [...hosts([], [setEarly]), ...lookingAtA],
      /of request headers/,
    ],
    [
      "the order of early headers",
      [setEarly, "RequestHeader unset X-A early", ...lookingAtA],
      ["RequestHeader unset X-A early", setEarly, ...lookingAtA],
      /of request headers/,
    ],
  ])("%s that change places", (_, before, after, reason) => {
    expect(unproved(before, after)).toEqual(["unknown", expect.stringMatching(reason)]);
    expect(unproved(before, before)).toEqual(["equivalent"]);
  });

  test("a variable by the path as it is sent, that access hangs on", () => {
    const guard = [
      'SetEnvIf Request_URI "^/x" guarded',
      ...at("/x", "<RequireAll>", "Require all granted", "Require not env guarded", "</RequireAll>"),
    ];
    expect(unproved(guard, denied)).toEqual(["unknown", expect.stringMatching(/path as sent/)]);
    expect(unproved(['SetEnvIf Request_URI "\\.gif$" quiet', ...denied], denied)).toEqual(["equivalent"]);
  });
});

describe("distinguishes variables of the configuration from client data", () => {
  const asked = (name: string, ...setters: Lines) => [...inRoot(...setters, `Require env ${name}`)];
  const expression = (text: string, ...setters: Lines) => inRoot(...setters, `Require expr "${text}"`);
  const rules = (...lines: Lines) => ["RewriteEngine on", ...lines, "RewriteRule ^/a$ - [F]"];
  const denied = inRoot("Require all denied");

  const pairsOf: readonly (readonly [string, Lines, Lines])[] = [
    [
      "a variable that another one is set by",
      asked("x", "SetEnvIf Remote_Addr ^10\\. a=1", "SetEnvIf a 1 x"),
      asked("x", "SetEnvIf Remote_Addr ^192\\.168\\. a=1", "SetEnvIf a 1 x"),
    ],
    [
      "a variable's value",
      expression("reqenv('a') == '1'", "SetEnvIf Remote_Addr . a=2", "SetEnvIf Remote_Addr ^10\\. a=1"),
      denied,
    ],
    [
      "a header and a variable",
      expression("req('X-Key') == reqenv('a')", "SetEnvIf Remote_Addr . a=1"),
      expression("req('X-Key') == reqenv('a')", "SetEnvIf Remote_Addr . a=2"),
    ],
    [
      "what the server calls itself",
      ["UseCanonicalName On", ...expression("%{SERVER_NAME} == 'x.test'")],
      expression("%{SERVER_NAME} == 'x.test'"),
    ],
    ["the port", expression("%{SERVER_PORT} == '8080'"), denied],
    ["the protocol", expression("%{SERVER_PROTOCOL} == 'HTTP/1.0'"), denied],
    ["the server's address", asked("x", "SetEnvIf Server_Addr ^192\\.168\\. x"), denied],
    ["the server's own address", inRoot("Require local"), inRoot("Require ip 127.0.0.0/8 ::1")],
    ["the address of a proxy", expression("%{CONN_REMOTE_ADDR} == '10.0.0.5'"), inRoot("Require ip 10.0.0.5")],
    [
      "a variable of a module",
      asked("GEOIP_COUNTRY_CODE", "SetEnvIf Remote_Addr ^10\\. GEOIP_COUNTRY_CODE=DE"),
      inRoot("Require ip 10.0.0.0/8"),
    ],
    [
      "a query that is no flag",
      ["RewriteEngine on", "RewriteRule ^/a$ /b?x=1,env=prod", ...asked("prod")],
      ["RewriteEngine on", "RewriteRule ^/a$ /b?x=1,env=prod", ...denied],
    ],
    [
      "a variable in a rule",
      rules("SetEnvIf Remote_Addr ^10\\. a=1", "RewriteCond %{ENV:a} =1"),
      rules("SetEnvIf Remote_Addr ^11\\. a=1", "RewriteCond %{ENV:a} =1"),
    ],
    [
      "a query that a rule has set",
      rules("RewriteRule ^/a$ /a?x=1", "RewriteCond %{QUERY_STRING} ^x=1$"),
      rules("RewriteRule ^/a$ /a?x=2", "RewriteCond %{QUERY_STRING} ^x=1$"),
    ],
    [
      "a file of groups",
      inRoot(...asking, "AuthGroupFile one", "Require group staff"),
      inRoot(...asking, "AuthGroupFile other", "Require group staff"),
    ],
    ["a method in other letters", expression("tolower(%{REQUEST_METHOD}) == 'delete'"), denied],
  ];

  test.each(pairsOf)("%s", (_, before, after) => {
    const [one, other] = [before, after].map((lines) => sideOf(lines, "2.4", "server", undefined, ["rewrite"]));
    if (!one || !other) throw new Error("no sides");
    expect(compare(one, other).verdict).not.toBe("equivalent");
    expect(compare(one, one).verdict).not.toBe("different");
  });

  test("evaluates conditions before authentication", () => {
    const users = (...lines: Lines) => inRoot(...asking, ...lines);
    const bob = "%{REMOTE_USER} =~ /^bob$/";
    expect(
      shown(
        compared(
          users(`Require expr "${bob}"`, `<If "${bob}">`, "Require all denied", "</If>"),
          users(`Require expr "${bob}"`),
        ),
      ),
    ).toEqual(["equivalent"]);
  });
});

test("considers existing files after a rule with the same path", () => {
  const guarded = (access: Lines) =>
    sideOf(
      inRoot(
        "RewriteEngine on",
        "RewriteRule ^zzz$ - [E=!REDIRECT_done]",
        "RewriteRule ^a$ /a [E=done:1,END]",
        ...access,
      ),
      "2.4",
      "server",
      undefined,
      ["rewrite"],
    );
  const not = ["<RequireAll>", "Require all granted", "Require not env REDIRECT_done", "</RequireAll>"];
  expect(compare(guarded(not), guarded(["Require all granted"])).verdict).not.toBe("equivalent");
});

test("a server without a listener does not exist", () => {
  const host = ["<VirtualHost 10.0.0.1:80>", "ServerName a.test", "</VirtualHost>"];
  const rule = ["RewriteEngine on", "RewriteRule ^/x - [F]"];
  const sides = (listen: string) =>
    [[], rule].map((more) => sideOf([listen, ...host, ...more], "2.4", "server", undefined, ["rewrite"]));
  const [one, other] = sides("Listen 10.0.0.1:80");
  const [any, anyOther] = sides("Listen 80");
  if (!one || !other || !any || !anyOther) throw new Error("no sides");
  expect(compare(one, other).verdict).toBe("equivalent");
  expect(compare(any, anyOther).verdict).toBe("different");
});

describe("addresses by how they are written", () => {
  const ten = at("/x", "Require ip 10.0.0.0/8");

  test.each([
    ["a variable", ["SetEnvIf Remote_Addr ^10\\. in", "Require env in"]],
    [
      "a variable with old rules",
      ["SetEnvIf Remote_Addr ^10\\. in", "Order deny,allow", "Deny from all", "Allow from env=in"],
    ],
    [
      "a variable that is taken away",
      ["SetEnvIf Remote_Addr . in", "SetEnvIf Remote_Addr ^(?:[^1]|1[^0]|10[^.]|1$) !in", "Require env in"],
    ],
    ["an expression", ["Require expr %{REMOTE_ADDR} =~ /^10\\./"]],
    ["an expression that says what not", ["Require expr ! %{REMOTE_ADDR} !~ /^10\\./"]],
  ])("%s", (_, lines) => {
    expect(shown(compared(at("/x", ...lines), ten))).toEqual(["equivalent"]);
  });

  test("a pattern that matches more than the network is told apart by an address", () => {
    const lines = at("/x", "SetEnvIf Remote_Addr ^10 in", "Require env in");
    expect(shown(compared(lines, ten))).toEqual(["different", "GET /x 107.0.113.7: allowed, 403"]);
  });

  test("a rule of rewriting", () => {
    const rules = ["RewriteEngine on", "RewriteCond %{REMOTE_ADDR} !^10\\.", "RewriteRule ^/x - [F]"];
    const gone = compare(sideOf(rules, "2.4", "server", undefined, ["rewrite"]), sideOf(ten, "2.4", "server"));
    expect(gone.differences.map(({ request }) => request.path)).not.toContain("/x");
  });

  test("a variable that a line sets does not come from a client", () => {
    const lines = at("/x", "SetEnvIf Referer ^me in", "Require env in");
    expect(shown(compared(lines, at("/x", "Require all denied")))).toEqual([
      "different",
      "GET /x 203.0.113.7: allowed, 403",
    ]);
  });
});

describe("the upgrade guide's pairs", () => {
  const onPath = (lines: Lines) => at("/x", ...lines);

  test.each(pairs.slice(0, 4))("$title: the old words and the new ones say the same", (pair) => {
    expect(shown(compared(onPath(pair.old), onPath(pair.new)))).toEqual(["equivalent"]);
    expect(shown(compared(onPath(pair.old), onPath(pair.new), "guide"))).toEqual(["equivalent"]);
  });

  test.each(pairs.slice(4))("$title: they differ on the server, and the guide has it that they do not", (pair) => {
    const { differences, verdict } = compared(onPath(pair.old), onPath(pair.new));
    expect(verdict).toBe("different");
    // Requests from the machine itself.
    expect(differences.some(({ request }) => request.clientIp === "127.0.0.1")).toBe(true);
    expect(shown(compared(onPath(pair.old), onPath(pair.new), "guide"))).toEqual(["equivalent"]);
    const mended = pair.old.map((line) => (line === "Order allow,deny" ? "Order deny,allow" : line));
    expect(shown(compared(onPath(mended), onPath(pair.new)))).toEqual(["equivalent"]);
    expect(shown(compared(onPath(mended), onPath(pair.new), "guide"))).toEqual(["equivalent"]);
  });
});

describe("two configurations", () => {
  test("are distinguished by a request from one more network", () => {
    const before = inRoot("Require ip 10.0.0.0/8");
    const after = inRoot("Require ip 10.0.0.0/8 192.0.2.0/25");
    expect(shown(compared(before, after))).toEqual(["different", "GET /a 192.0.2.7: 403, allowed"]);
  });

  test("are equal if networks are joined, or a line is repeated", () => {
    const before = inRoot("Require ip 10.0.0.0/9 10.128.0.0/9", "Require ip 10.1");
    expect(shown(compared(before, inRoot("Require ip 10")))).toEqual(["equivalent"]);
  });

  test.each([
    ["users", inRoot(...asking, "Require user alice bob"), inRoot(...asking, "Require user bob alice")],
    ["variables", inRoot("Require env A", "Require env B"), inRoot("Require env B A")],
    ["names", inRoot("Require host example.org", "Require host a.example.org"), inRoot("Require host example.org")],
    [
      "an address in a condition",
      inRoot("<If \"-R '10.0.0.0/8'\">", "Require all denied", "</If>"),
      inRoot("<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>"),
    ],
  ])("are alike: %s", (_, before, after) => {
    expect(shown(compared(before, after))).toEqual(["equivalent"]);
  });

  test.each([
    [
      "a user",
      inRoot(...asking, "Require user alice"),
      inRoot(...asking, "Require valid-user"),
      "GET /a 203.0.113.7 somebody: 401, allowed",
    ],
    [
      "a group",
      inRoot(...asking, "AuthGroupFile g", "Require group a"),
      inRoot(...asking, "AuthGroupFile g", "Require group a b"),
      "GET /a 203.0.113.7 somebody: 401, allowed",
    ],
    [
      "a variable",
      inRoot("Require env A"),
      inRoot("Require env A", "Require env B"),
      "GET /a 203.0.113.7 b: 403, allowed",
    ],
    [
      "a method",
      inRoot("<Limit GET POST>", "Require all denied", "</Limit>"),
      inRoot("Require all denied"),
      "PUT /a 203.0.113.7: allowed, 403",
    ],
    ["a path", at("/a", "Require all denied"), at("/a/b", "Require all denied"), "GET /a 203.0.113.7: 403, allowed"],
    ["names of files", ["<Files *.bak>", "Require all denied", "</Files>"], [], "GET /.bak 203.0.113.7: 403, allowed"],
    [
      "a pattern",
      ["<FilesMatch \\.(bak|old)$>", "Require all denied", "</FilesMatch>"],
      ["<FilesMatch \\.bak$>", "Require all denied", "</FilesMatch>"],
      "GET /.old 203.0.113.7: 403, allowed",
    ],
  ])("are told apart: %s", (_, before, after, difference) => {
    expect(shown(compared(before, after))).toEqual(["different", difference]);
  });

  test("that test a header are equal if they test it in the same way, and otherwise unproved", () => {
    const lines = (pattern: string) => [
      `SetEnvIf User-Agent ${pattern} robot`,
      ...inRoot("Order allow,deny", "Allow from all", "Deny from env=robot"),
    ];
    expect(shown(compared(lines("bot"), lines("bot")))).toEqual(["equivalent"]);
    expect(compared(lines("bot"), lines("crawler")).verdict).not.toBe("equivalent");
  });

  test("of which one has more virtual hosts differ for those", () => {
    const host = (name: string, ...lines: Lines) => [
      "<VirtualHost *:80>",
      `ServerName ${name}`,
      ...lines,
      "</VirtualHost>",
    ];
    const before = host("a.test");
    const after = [...host("a.test"), ...host("b.test", ...at("/", "Require all denied"))];
    const { differences } = compared(before, after);
    expect(differences.map(({ request }) => request.host)).toEqual(["b.test"]);
  });
});

describe("the upgrade", () => {
  test("allows everybody if Satisfy any has no Require", () => {
    expect(shown(upgraded(inRoot("Order deny,allow", "Deny from all", "Satisfy any")))).toEqual([
      "different",
      "GET /a 203.0.113.7: 403, allowed",
    ]);
  });

  test("changes nothing about plain old rules", () => {
    const lines = [
      ...inRoot("Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"),
      ...at("/open", "Order allow,deny", "Allow from all"),
    ];
    expect(shown(upgraded(lines))).toEqual(["equivalent"]);
  });

  test("returns 500 if an old `.htaccess` file has a directive of a third-party module", () => {
    const lines = ['<Directory "/">', "Order allow,deny", "Allow from all", "</Directory>"];
    const sides = (directive: string, ...more: Lines) =>
      compare(sideOf(lines, "2.2", "server", [directive], more), sideOf(lines, "2.4", "server", [directive], more));
    expect(shown(sides("php_value a b", "php5"))).toEqual(["different", "GET /a 203.0.113.7: allowed, 500"]);
    expect(shown(sides("AnyName a b", "elsewhere"))).toEqual(["different", "GET /a 203.0.113.7: allowed, 500"]);
    // Without it, or with an httpd name that the release does not have, 2.2 returns 500 as well.
    expect(shown(sides("php_value a b"))).toEqual(["equivalent"]);
    expect(shown(sides("php_value a b", "perl"))).toEqual(["equivalent"]);
    expect(shown(sides("AllowMethods GET", "elsewhere"))).toEqual(["equivalent"]);
  });

  test("answers 500 where `.htaccess` files are read by default no more", () => {
    const { differences } = upgraded([], ["Order deny,allow", "Deny from all"]);
    expect(differences.map(({ before, after }) => `${before.class} ${after.class}`)).toEqual(["403 500"]);
  });

  test("reports a Require list that was a chain of modules and is now a list of alternatives", () => {
    const lines = at("/x", ...asking, "AuthGroupFile g", "Require user alice", "Require group staff");
    expect(shown(upgraded(lines))).toEqual(["different", "GET /x 203.0.113.7 somebody: 401, allowed"]);
  });
});

describe("targets of AliasMatch with groups", () => {
  const manual = 'AliasMatch ^/manual(?:/(?:de|en))?(/.*)?$ "/srv/man$1"';
  const within = (folder: string, ...lines: Lines) => [`<Directory "${folder}">`, ...lines, "</Directory>"];

  test.each([
    ["heads that may be left out", manual],
    ["a part of the target", "AliasMatch ^/(de|en)/(.*)$ /srv/man/$1/$2"],
    ["one of a few files", "AliasMatch ^/(robots|humans)\\.txt$ /srv/$1.txt"],
    ["all there is", "AliasMatch ^(/.*)$ /srv/man$1"],
    ["a class of letters, and a rest without a slash", "AliasMatch ^/[de]x(.*) /srv/man/x$1"],
  ])("%s: what is there alike on both sides is proved", (_, line) => {
    const lines = [line, ...within("/srv/man/secret", "Require ip 10.0.0.0/8")];
    const old = [line, ...within("/srv/man/secret", "Order deny,allow", "Deny from all", "Allow from 10")];
    expect(shown(compared(old, lines))).toEqual(["equivalent"]);
  });

  test.each([
    ["behind each head", manual, "/srv/man/secret", "/manual/secret"],
    ["behind a head alone", manual, "/srv/man/de", "/manual/de/de"],
    ["by the group of a head", "AliasMatch ^/(de|en)/(.*)$ /srv/man/$1/$2", "/srv/man/en", "/en/a"],
    ["with a name that grows", "AliasMatch ^/x(.*) /srv/man$1", "/srv/manual", "/xual"],
    ["where another pattern of the same line does not lead", "AliasMatch ^/(a|ab)(.*) /srv/x$2", "/srv/xb", "/ab"],
    ["to a fixed place", "AliasMatch ^/(de|en)$ /srv/man/$1", "/srv/man/en", "/en"],
  ])("twin: a directory that is closed no more is told, %s", (_, line, folder, path) => {
    const { verdict, differences } = compared([line, ...within(folder, "Require all denied")], [line]);
    expect([verdict, ...differences.map(({ request }) => request.path)]).toEqual(["different", path]);
  });

  test("a Location for one head is not for the others", () => {
    const closed = [manual, ...within("/srv/man/secret", "Require all denied")];
    const half = [manual, ...at("/manual/secret", "Require all denied")];
    const paths = compared(closed, half).differences.map(({ request: { path }, before, after }) =>
      [path, before.class, after.class].join(" "),
    );
    expect(paths).toContainEqual(expect.stringMatching(/^\/manual\/de\/secret.* 403 allowed$/));
  });

  test.each([
    ["any name", "AliasMatch ^/~([^/]+)/(.*) /home/$1/www/$2"],
    ["two dots may be behind a slash", "AliasMatch ^/x(.*) /srv/man/$1"],
    ["the rest in the middle", "AliasMatch ^/x/(.*) /srv/$1/y"],
    ["the rest twice", "AliasMatch ^/x/(.*) /srv/$1/$1"],
    ["a rest that may be lost", "AliasMatch ^/x(/.*)? /srv$1"],
    ["alternatives of the whole pattern", "AliasMatch ^/x|/y(/.*)?$ /srv$1"],
    ["as little as there may be", "AliasMatch ^/x(?:/y)??(/.*)$ /srv$1"],
  ])("twin: %s is not followed, and said so", (_, line) => {
    const { verdict, unproved } = compared([line, ...inRoot("Require all granted")], [line, ...inRoot()]);
    expect(verdict).toBe("unknown");
    expect(unproved.map(({ reason }) => reason)).toContain(
      "the target of this line depends on the path in a way that is not analyzed",
    );
  });
});

describe("a variable that text of the path is put into", () => {
  const closed = at("/closed", "Require all denied");
  const withItself = (...lines: Lines) => {
    const side = sideOf(lines, "2.4", "server", undefined, ["rewrite"]);
    const { verdict, unproved } = compare(side, side);
    return [verdict, ...unproved.map(({ reason }) => reason)];
  };
  const byLine = "SetEnvIf Request_URI ^/manual/(de|en)/ prefer-language=$1";
  const byRule = ["RewriteEngine on", "RewriteRule ^/manual/(de|en)/ - [E=prefer-language:$1,NC]"];

  test.each([
    ["SetEnvIf", [byLine]],
    ["SetEnvIf in a section", inRoot(byLine)],
    ["two that set it", [byLine, "SetEnvIf Request_URI ^/(fr)/ prefer-language=$1 other=$1", "UnsetEnv other"]],
    ["a rule", byRule],
    ["a rule beside a line", [byLine, ...byRule]],
  ])("%s: nobody reads it", (_, lines) => {
    expect(withItself(...lines)).toEqual(["equivalent"]);
    expect(compared([...inRoot(byLine), ...closed], inRoot(byLine)).verdict).toBe("different");
  });

  test.each([
    ["a condition", [byLine, ...inRoot("Require expr \"reqenv('prefer-language') == 'de'\"")]],
    ["a condition behind a redirect", [byLine, ...inRoot("Require expr %{ENV:REDIRECT_PREFER-LANGUAGE}==de")]],
    ["another variable", [byLine, "SetEnvIf Prefer-Language ^de german"]],
    ["a rule", [byLine, "RewriteEngine on", "RewriteCond %{ENV:prefer-language} de", "RewriteRule ^ - [F]"]],
    ["the value that a rule gives another one", [...byRule, "RewriteRule ^ - [E=copy:%{ENV:prefer-language}]"]],
  ])("twin: %s reads it", (_, lines) => {
    const [verdict, ...reasons] = withItself(...lines);
    expect(verdict).toBe("unknown");
    expect(reasons).toContain("this rule stores a part of the path in a variable");
  });
});

describe("redirects that 2.4 refuses", () => {
  const sides = (line: string) =>
    [...(["2.2", "2.4"] as const)].map((release) =>
      sideOf(["RewriteEngine on", `RewriteRule ${line}`], release, "server", undefined, ["rewrite"]),
    );

  test.each([
    [
      "a question mark out of the path",
      "^/old/(.*)$ /new/$1 [R]",
      ["different", "GET /old/%3f 203.0.113.7: allowed, 403"],
    ],
    ["of the whole path", "(.*) https://x.test%{REQUEST_URI} [R]", ["different", "GET /%3f 203.0.113.7: allowed, 403"]],
    ["a space in the query", "^/q/(.*)$ /new?x=$1 [R,NE]", ["different", "GET /q/%20 203.0.113.7: allowed, 403"]],
    ["twin: a space that is escaped", "^/q/(.*)$ /new?x=$1 [R]", ["equivalent"]],
    ["twin: a group without any", "^/old/(\\d+)$ /new/$1 [R]", ["equivalent"]],
  ])("%s", (_, line, expected) => {
    const [old, now] = sides(line);
    expect(old && now && shown(compare(old, now))).toEqual(expected);
  });
});

describe("a rule that takes text of the path into the query alone", () => {
  const side = (rule: string, ...more: Lines) =>
    sideOf(["RewriteEngine on", rule, ...more], "2.4", "server", undefined, ["rewrite"]);
  const rule = "RewriteRule ^/item/(.*)$ /show?name=$1 [PT]";
  const closed = at("/show", "Require ip 10.0.0.0/8");
  const old10 = ["Order deny,allow", "Deny from all", "Allow from 10"];

  test("leads to one place", () => {
    expect(shown(compare(side(rule, ...closed), side(rule, ...at("/show", ...old10))))).toEqual(["equivalent"]);
    const { differences } = compare(side(rule, ...closed), side(rule));
    const paths = differences.flatMap(({ regions }) => regions.map(({ pathClass: cell }) => cell.path));
    expect(paths).toContainEqual(expect.stringMatching(/^\/item\//));
  });

  test.each([
    [
      "a rule",
      ["RewriteCond %{REQUEST_URI} ^/item/", "RewriteCond %{QUERY_STRING} ^name=secret$", "RewriteRule ^/show - [F]"],
      [],
    ],
    ["a condition", at("/show", "Require expr \"%{QUERY_STRING} != 'name=secret'\""), at("/show")],
  ])("twin: %s that looks at that query is not proved to be without effect", (_, lines, others) => {
    const going = "RewriteRule ^/item/(.*)$ /show?name=$1";
    expect(compare(side(going, ...lines), side(going, ...others)).verdict).not.toBe("equivalent");
  });

  test("rejects an unescaped space", () => {
    const escaping = rule.replace("PT", "PT,B");
    expect(shown(compare(side(rule), side(escaping)))).toEqual([
      "different",
      "GET /item/%20 203.0.113.7: 403, allowed",
    ]);
    expect(shown(compare(side(escaping), side(escaping)))).toEqual(["equivalent"]);
  });

  test("considers another group", () => {
    const more = "RewriteRule ^/(item|thing)/(.*)$ /show/$1?name=$2 [PT]";
    expect(compare(side(more), side(more)).verdict).toBe("unknown");
  });
});

describe("unproved parts", () => {
  test("a pattern outside the regular ones, where it matters", () => {
    const lines = (pattern: string) => [`<LocationMatch "${pattern}">`, "Require all denied", "</LocationMatch>"];
    const { unproved, verdict } = compared(lines("^/(public)\\1"), []);
    expect(verdict).not.toBe("equivalent");
    expect(unproved.map(({ reason }) => reason)).toContainEqual(expect.stringContaining("`^/(public)\\1` matches"));
  });

  test("a pattern with a lookahead is exact", () => {
    const lines = (pattern: string) => [`<LocationMatch "${pattern}">`, "Require all denied", "</LocationMatch>"];
    expect(compared(lines("^/(?!public)"), lines("^/(?!public|news)")).differences.length).toBeGreaterThan(0);
    const same = compared(lines("^/(?!public|news)"), lines("^/(?!news)(?!public)"));
    expect([same.verdict, same.unproved]).toEqual(["equivalent", []]);
  });

  test("more than the budget has room for is never equivalent", () => {
    const networks = Array.from({ length: 50 }, (_, index) => `Require ip 10.${index * 3}.0.0/17`);
    const [before, after] = [inRoot(...networks), inRoot(...networks.toReversed())].map((lines) =>
      sideOf(lines, "2.4", "server"),
    );
    if (before === undefined || after === undefined) throw new Error("two are made");
    expect(compare(before, after).verdict).toBe("equivalent");
    const small = compare(before, after, { ...defaultBudget, nodes: 400 });
    expect([small.verdict, small.differences]).toEqual(["unknown", []]);
    expect(compare(before, after, { ...defaultBudget, states: 3 }).verdict).toBe("unknown");
    expect(compare(before, after, { ...defaultBudget, runs: 3 }).verdict).toBe("unknown");
  });
});

test("reports unknown home directories once, at the UserDir line", () => {
  const lines = [...inRoot("Order allow,deny", "Deny from all"), "UserDir public_html", "UserDir disabled root"];
  const side = (more: Lines) => sideOf([...lines, ...more], "2.4", "server", undefined, ["userdir"]);
  const doubtsOf = (more: Lines) =>
    compare(side(more), side(more)).unproved.map(({ directive, reason }) => `${directive?.argumentText}: ${reason}`);
  const told = "public_html: the home directories of users, which `UserDir public_html` uses";
  expect(doubtsOf([])).toEqual([told]);
  const hosts = ["a", "b"].flatMap((name) => ["<VirtualHost *:80>", `ServerName ${name}`, "</VirtualHost>"]);
  expect(doubtsOf([...hosts, ...at("/~bob", "Deny from all")])).toEqual([told]);
  const own = ["<VirtualHost *:80>", "ServerName a", "UserDir web", "</VirtualHost>"];
  expect(doubtsOf(own)).toEqual([told.replaceAll("public_html", "web")]);
});

test("ServerPath is not part of the file's path", () => {
  const side = (...lines: Lines) => [
    "ServerPath /p",
    '<Directory "/srv/www/a">',
    "Require all denied",
    "</Directory>",
    ...lines,
  ];
  expect(compared(side(), side()).verdict).toBe("equivalent");
  const denied = shown(compared(side(), side(...at("/p/a", "Require all denied"))));
  // If the directory is missing, its section does not apply.
  expect(denied).toEqual(["different", "GET /p/a/ 203.0.113.7: allowed, 403"]);
  expect(shown(compared(side(), side().slice(1)))).toContainEqual(expect.stringContaining("/p/a"));
});

test("the target of VirtualDocumentRoot differs between hosts, so that proofs leave it open", () => {
  const lines = ["VirtualDocumentRoot /v/%0", '<Directory "/v/a.test">', "Require all denied", "</Directory>"];
  const side = (more: Lines) => sideOf([...lines, ...more], "2.4", "server", undefined, ["vhost_alias"]);
  const { verdict, unproved } = compare(side([]), side(at("/x", "Require all granted")));
  expect([verdict, unproved.map(({ reason }) => reason)]).toEqual([
    "unknown",
    ["the target of `VirtualDocumentRoot /v/%0`"],
  ]);
});

describe("a virtual host by many names whose addresses nobody knows", () => {
  const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
  const host = (rule: string) => [
    `<VirtualHost ${[...names, ...names].join(" ")}>`,
    ...at("/a", "Order allow,deny", rule),
    "</VirtualHost>",
  ];

  test("is resolved: the first name with the server's address is enough", () => {
    expect(shown(compared(host("Allow from all"), host("Allow from all")))).toEqual(["equivalent"]);
    const { verdict, unproved } = compared(host("Allow from all"), host("Deny from all"));
    expect([verdict, unproved]).toEqual(["different", []]);
  });
});
