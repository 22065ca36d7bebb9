import { describe, expect, test } from "vitest";
import { lineOf, type Release, type ReleaseLine } from "../../../src/facts/release.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import type { Semantics } from "../../../src/server/model/answer.js";
import { pairs } from "../../server/guide-cases.js";
import { load } from "../../support/projects.js";

type Lines = readonly string[];

/** Compares two main files given by their lines. */
function compareLines(before: Lines, after: Lines, semantics: Semantics = "server"): ConfigComparison {
  return compare(sideOf(before, "2.4", semantics), sideOf(after, "2.4", semantics));
}

/** Compares one main file, and optionally a `.htaccess` file in its document root, under 2.2 and 2.4. */
function compareReleases(lines: Lines, htaccess?: Lines): ConfigComparison {
  return compare(sideOf(lines, "2.2", "server", htaccess), sideOf(lines, "2.4", "server", htaccess));
}

const common = ["authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host", "setenvif", "alias", "dir"];
/** Modules of each release, in load order. */
const modules: Readonly<Record<ReleaseLine, Lines>> = {
  "2.2": common,
  "2.4": [...common, "authn_core", "authz_core", "access_compat"],
};

function sideOf(lines: Lines, release: Release, semantics: Semantics, htaccess?: Lines, more: Lines = []) {
  const text = `${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const files = htaccess ? { "/srv/www/.htaccess": `${htaccess.join("\n")}\n` } : {};
  const project = load(
    { "/etc/httpd/httpd.conf": text, ...files },
    { release, kind: "server", modules: [...modules[lineOf(release)], ...more] },
  );
  return { project, semantics };
}

/** Returns each difference: the request, and its answers on both sides. */
function summaryOf({ verdict, differences }: ConfigComparison): string[] {
  const lines = differences.map(({ request, before, after }) => {
    const { method, path, clientIp, user, env = [] } = request;
    const who = [method, path, clientIp, ...(user === undefined ? [] : [user]), ...env].join(" ");
    return `${who}: ${before.class}, ${after.class}`;
  });
  return [verdict, ...lines.sort()];
}

const inRoot = (...lines: Lines) => ['<Directory "/srv/www">', ...lines, "</Directory>"];
const at = (path: string, ...lines: Lines) => [`<Location "${path}">`, ...lines, "</Location>"];
const ofFiles = (name: string) => [`<Files "${name}">`, "Require all denied", "</Files>"];
const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile users"];

test("arguments with escapes are equal on both sides", () => {
  const named = (user: string) => inRoot(...authLines, `Require user "${user}"`);
  expect(summaryOf(compareLines(named("CORP\\\\ann"), named("CORP\\\\ann")))).toEqual(["equivalent"]);
  expect(summaryOf(compareLines(named("CORP\\\\ann"), named("CORP\\\\bob")))[0]).toBe("different");
});

describe("lines that the server rejects", () => {
  test("are ignored", () => {
    const rules = [...authLines, "Require user alice"];
    expect(summaryOf(compareLines(inRoot(...rules, "Require bogus x"), inRoot(...rules)))).toEqual(["equivalent"]);
    expect(summaryOf(compareLines(inRoot(...rules, "Require USER bob"), inRoot(...rules)))).toEqual(["equivalent"]);
    const withBob = compareLines(inRoot(...rules, "Require user bob"), inRoot(...rules));
    expect(withBob.verdict).toBe("different");
  });

  const withTls = (...lines: Lines) => sideOf(lines, "2.4", "server", undefined, ["ssl"]);

  test.each([
    ["SSLRequireSSL"],
    ["Order deny,allow", "Deny from all"],
    ["<Location /x>", "<Directory /srv/www>", "Require all denied", "</Directory>", "</Location>"],
  ])("are ignored outside their context: %s", (...lines) => {
    expect(summaryOf(compare(withTls(...lines), withTls()))).toEqual(["equivalent"]);
  });

  test.each([["SSLRequireSSL"], ["Order deny,allow", "Deny from all"]])(
    "twin: have an effect in their context: %s",
    (...lines) => {
      expect(compare(withTls(...at("/x", ...lines)), withTls(...at("/x"))).verdict).toBe("different");
    },
  );
});

describe("comparing methods", () => {
  const rewriting = (lines: Lines) => sideOf(["RewriteEngine on", ...lines], "2.4", "server", undefined, ["rewrite"]);
  const plain = (...lines: Lines) => sideOf(at("/x", ...lines), "2.4", "server");

  test("tries TRACE if a line mentions it, because it bypasses other rules", () => {
    const passing = 'ProxyPass "/x" "nothing://backend.example.org/"';
    const proxied = (...lines: Lines) => sideOf([passing, ...lines], "2.4", "server", undefined, ["proxy"]);
    expect(summaryOf(compare(proxied(), proxied("TraceEnable off")))).toEqual([
      "different",
      "TRACE /a 203.0.113.7: allowed, rejected",
      "TRACE /x 203.0.113.7: 500, rejected",
    ]);
    expect(summaryOf(compare(proxied("TraceEnable off"), proxied("TraceEnable off")))).toEqual(["equivalent"]);
    expect(summaryOf(compare(proxied(), proxied("TraceEnable on")))).toEqual(["equivalent"]);
  });

  test("treats HEAD as GET, except in tests of the method's text", () => {
    expect(summaryOf(compare(plain("Require method GET"), plain("Require method HEAD")))).toEqual(["equivalent"]);
    const byLetters = plain("Require expr \"%{REQUEST_METHOD} == 'GET'\"");
    expect(summaryOf(compare(byLetters, plain("Require method GET")))).toEqual([
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
  ])("finds a method that only a test of the method's text names: %s", (_, line, method) => {
    const found = compare(plain(line), plain("Require all denied")).differences.flatMap(({ regions }) => regions);
    expect(found.map((region) => region.method)).toContain(method);
  });

  const differingMethods = (before: Lines, after: Lines) => {
    const answers = compare(rewriting(before), rewriting(after)).differences.flatMap(({ regions }) => regions);
    return [...new Set(answers.map(({ method }) => method))].sort();
  };
  const forbidding = (test: string) => [`RewriteCond %{REQUEST_METHOD} ${test}`, "RewriteRule ^/x - [F]"];
  const reading = (line: string) => [line, ...at("/x", "Order allow,deny", "Allow from all", "Deny from env=marked")];

  test.each([
    ["a pattern", forbidding("^(POST|PUT)$"), forbidding("^POST$"), ["PUT"]],
    ["a pattern without its negation", forbidding("!^POST$"), forbidding("!^(POST|PUT)$"), ["PUT"]],
    ["a pattern in any case", forbidding("^p(ost|ut)$ [NC]"), forbidding("^POST$ [NC]"), ["PUT"]],
    ["a text", forbidding("=POST"), forbidding("=PUT"), ["POST", "PUT"]],
    ["SetEnvIf", reading("SetEnvIf Request_Method ^P marked"), reading("SetEnvIf Request_Method ^PU marked"), ["POST"]],
  ])("finds the methods that a test distinguishes: %s", (_, before, after, methods) => {
    expect(differingMethods(before, after)).toEqual(expect.arrayContaining(methods));
    expect(differingMethods(before, before)).toEqual([]);
    expect(differingMethods(before, after)).not.toContain("GET");
  });

  test.each([
    ["the target of its rule", ["RewriteCond %{REQUEST_METHOD} (.+)", "RewriteRule ^/x$ /of/%1 [PT]"]],
    [
      "another condition",
      ["RewriteCond %{REQUEST_METHOD} (.+)", "RewriteCond %1 !^GET$", "RewriteRule ^/x$ /of/POST [PT]"],
    ],
  ])("treats methods differently if a part of the method is used in %s", (_, lines) => {
    const closed = [...lines, ...at("/of/POST", "Require all denied")];
    expect(differingMethods(closed, [...lines, ...at("/of/POST", "Require all granted")])).toContain("POST");
  });

  test("finds a method that the pattern of a rule excludes", () => {
    const rule = rewriting(["RewriteCond %{REQUEST_METHOD} !^[A-Z]+$", "RewriteRule ^/x - [F]"]);
    const methods = compare(rule, plain("Require all granted")).differences.map(({ request }) => request.method);
    expect([...new Set(methods)]).toEqual([expect.stringMatching(/[^A-Z]/)]);
  });
});

describe("an unmodelled part makes the comparison unknown only if the sides differ in it", () => {
  const denied = at("/x", "Require all denied");
  const unproved = (before: Lines, after: Lines) => {
    const { verdict, unproved: doubts } = compareLines(before, after);
    return [verdict, ...doubts.map(({ reason }) => reason)];
  };

  test.each([
    ["mod_remoteip", ["RemoteIPHeader X-Forwarded-For"], /which proxies/],
    ["escaped slashes", ["AllowEncodedSlashes On"], /encoded slashes/],
    [
      "headers that are changed before they are read",
      ["RequestHeader unset X-Team early", "SetEnvIf X-Team . team", ...at("/y", "Require env team")],
      /early change of request headers/,
    ],
  ])("%s", (_, lines, reason) => {
    const others = lines.filter((line) => !line.startsWith("RequestHeader") && lines.length > 1);
    expect(unproved([...lines, ...denied], [...others, ...denied])).toEqual(["unknown", expect.stringMatching(reason)]);
    expect(unproved([...lines, ...denied], [...lines, ...denied])).toEqual(["equivalent"]);
  });

  const hosts = (first: Lines, second: Lines) => [
    ...["<VirtualHost *>", "ServerName a.test", ...first, "</VirtualHost>"],
    ...["<VirtualHost *>", "ServerName b.test", ...second, "</VirtualHost>"],
  ];
  const users = (file: string) =>
    at("/x", "AuthType Basic", "AuthName x", `AuthUserFile ${file}`, "Require valid-user");
  const setEarly = "RequestHeader set X-A 1 early";
  const requireA = at("/x", "Require expr \"req('X-A') == '1'\"");

  test.each<[string, Lines, Lines, RegExp]>([
    ["password files", hosts(users("ua"), users("ub")), hosts(users("ub"), users("ua")), /user and group files/],
    [
      "early headers",
      [...hosts([setEarly], []), ...requireA],
      [...hosts([], [setEarly]), ...requireA],
      /of request headers/,
    ],
    [
      "lines with early headers",
      [setEarly, "RequestHeader unset X-A early", ...requireA],
      ["RequestHeader unset X-A early", setEarly, ...requireA],
      /of request headers/,
    ],
  ])("swapped %s", (_, before, after, reason) => {
    expect(unproved(before, after)).toEqual(["unknown", expect.stringMatching(reason)]);
    expect(unproved(before, before)).toEqual(["equivalent"]);
  });

  test("a variable set by the raw path, if access depends on it", () => {
    const setByPath = [
      'SetEnvIf Request_URI "^/x" guarded',
      ...at("/x", "<RequireAll>", "Require all granted", "Require not env guarded", "</RequireAll>"),
    ];
    // `/%78` evades the line.
    expect(unproved(setByPath, denied)).toEqual(["different", expect.stringMatching(/path as sent/)]);
    expect(unproved(['SetEnvIf Request_URI "\\.gif$" quiet', ...denied], denied)).toEqual(["equivalent"]);
  });
});

describe("configurations are distinguished by", () => {
  const requireEnv = (name: string, ...setters: Lines) => [...inRoot(...setters, `Require env ${name}`)];
  const expression = (text: string, ...setters: Lines) => inRoot(...setters, `Require expr "${text}"`);
  const rules = (...lines: Lines) => ["RewriteEngine on", ...lines, "RewriteRule ^/a$ - [F]"];
  const denied = inRoot("Require all denied");

  const pairsOf: readonly (readonly [string, Lines, Lines])[] = [
    [
      "a variable that sets another one",
      requireEnv("x", "SetEnvIf Remote_Addr ^10\\. a=1", "SetEnvIf a 1 x"),
      requireEnv("x", "SetEnvIf Remote_Addr ^192\\.168\\. a=1", "SetEnvIf a 1 x"),
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
      "the canonical name of the server",
      ["UseCanonicalName On", ...expression("%{SERVER_NAME} == 'x.test'")],
      expression("%{SERVER_NAME} == 'x.test'"),
    ],
    ["the port", expression("%{SERVER_PORT} == '8080'"), denied],
    ["the protocol", expression("%{SERVER_PROTOCOL} == 'HTTP/1.0'"), denied],
    ["the server's address", requireEnv("x", "SetEnvIf Server_Addr ^192\\.168\\. x"), denied],
    ["requests from the server itself", inRoot("Require local"), inRoot("Require ip 127.0.0.0/8 ::1")],
    ["the address of a proxy", expression("%{CONN_REMOTE_ADDR} == '10.0.0.5'"), inRoot("Require ip 10.0.0.5")],
    [
      "a variable of a module",
      requireEnv("GEOIP_COUNTRY_CODE", "SetEnvIf Remote_Addr ^10\\. GEOIP_COUNTRY_CODE=DE"),
      inRoot("Require ip 10.0.0.0/8"),
    ],
    [
      "a query that looks like a flag",
      ["RewriteEngine on", "RewriteRule ^/a$ /b?x=1,env=prod", ...requireEnv("prod")],
      ["RewriteEngine on", "RewriteRule ^/a$ /b?x=1,env=prod", ...denied],
    ],
    [
      "a variable in a rule",
      rules("SetEnvIf Remote_Addr ^10\\. a=1", "RewriteCond %{ENV:a} =1"),
      rules("SetEnvIf Remote_Addr ^11\\. a=1", "RewriteCond %{ENV:a} =1"),
    ],
    [
      "a query that a rule sets",
      rules("RewriteRule ^/a$ /a?x=1", "RewriteCond %{QUERY_STRING} ^x=1$"),
      rules("RewriteRule ^/a$ /a?x=2", "RewriteCond %{QUERY_STRING} ^x=1$"),
    ],
    [
      "a group file",
      inRoot(...authLines, "AuthGroupFile one", "Require group staff"),
      inRoot(...authLines, "AuthGroupFile other", "Require group staff"),
    ],
    ["a method in lower case", expression("tolower(%{REQUEST_METHOD}) == 'delete'"), denied],
  ];

  test.each(pairsOf)("%s", (_, before, after) => {
    const [one, other] = [before, after].map((lines) => sideOf(lines, "2.4", "server", undefined, ["rewrite"]));
    if (!one || !other) throw new Error("no sides");
    expect(compare(one, other).verdict).not.toBe("equivalent");
    expect(compare(one, one).verdict).not.toBe("different");
  });

  test("no condition on the user, which is evaluated before authentication", () => {
    const users = (...lines: Lines) => inRoot(...authLines, ...lines);
    const bob = "%{REMOTE_USER} =~ /^bob$/";
    expect(
      summaryOf(
        compareLines(
          users(`Require expr "${bob}"`, `<If "${bob}">`, "Require all denied", "</If>"),
          users(`Require expr "${bob}"`),
        ),
      ),
    ).toEqual(["equivalent"]);
  });
});

test("an internal redirect to the same sections does not check access again", () => {
  const guarded = (target: string, access: Lines) =>
    sideOf(
      inRoot(
        "RewriteEngine on",
        "RewriteRule ^zzz$ - [E=!REDIRECT_done]",
        `RewriteRule ^a$ ${target} [E=done:1,END]`,
        ...access,
      ),
      "2.4",
      "server",
      undefined,
      ["rewrite"],
    );
  const not = ["<RequireAll>", "Require all granted", "Require not env REDIRECT_done", "</RequireAll>"];
  const verdictFor = (target: string) =>
    compare(guarded(target, not), guarded(target, ["Require all granted"])).verdict;
  // httpd 2.4.71: GET /a returns 200 on all sides. It ignores a rule that leads to the same URL.
  expect(verdictFor("/b")).toBe("equivalent");
  expect(verdictFor("/a")).toBe("equivalent");
});

test("a comparison ignores a virtual host without a listener", () => {
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

describe("a test of an address as text is equivalent to a network", () => {
  const ten = at("/x", "Require ip 10.0.0.0/8");

  test.each([
    ["a variable", ["SetEnvIf Remote_Addr ^10\\. in", "Require env in"]],
    [
      "a variable with mod_access_compat directives",
      ["SetEnvIf Remote_Addr ^10\\. in", "Order deny,allow", "Deny from all", "Allow from env=in"],
    ],
    [
      "a variable that is removed",
      ["SetEnvIf Remote_Addr . in", "SetEnvIf Remote_Addr ^(?:[^1]|1[^0]|10[^.]|1$) !in", "Require env in"],
    ],
    ["an expression", ["Require expr %{REMOTE_ADDR} =~ /^10\\./"]],
    ["a negated expression", ["Require expr ! %{REMOTE_ADDR} !~ /^10\\./"]],
  ])("%s", (_, lines) => {
    expect(summaryOf(compareLines(at("/x", ...lines), ten))).toEqual(["equivalent"]);
  });

  test("except a pattern that also matches other addresses", () => {
    const lines = at("/x", "SetEnvIf Remote_Addr ^10 in", "Require env in");
    expect(summaryOf(compareLines(lines, ten))).toEqual(["different", "GET /x 107.0.113.7: allowed, 403"]);
  });

  test("as a rewrite rule", () => {
    const rules = ["RewriteEngine on", "RewriteCond %{REMOTE_ADDR} !^10\\.", "RewriteRule ^/x - [F]"];
    const comparison = compare(sideOf(rules, "2.4", "server", undefined, ["rewrite"]), sideOf(ten, "2.4", "server"));
    expect(comparison.differences.map(({ request }) => request.path)).not.toContain("/x");
  });

  test("except a variable that a request header sets", () => {
    const lines = at("/x", "SetEnvIf Referer ^me in", "Require env in");
    expect(summaryOf(compareLines(lines, at("/x", "Require all denied")))).toEqual([
      "different",
      "GET /x 203.0.113.7: allowed, 403",
    ]);
  });
});

describe("the pairs of the upgrade guide", () => {
  const onPath = (lines: Lines) => at("/x", ...lines);

  test.each(pairs.slice(0, 4))("are equivalent: $title", (pair) => {
    expect(summaryOf(compareLines(onPath(pair.old), onPath(pair.new)))).toEqual(["equivalent"]);
    expect(summaryOf(compareLines(onPath(pair.old), onPath(pair.new), "guide"))).toEqual(["equivalent"]);
  });

  test.each(pairs.slice(4))("differ on the server, but not by the guide: $title", (pair) => {
    const { differences, verdict } = compareLines(onPath(pair.old), onPath(pair.new));
    expect(verdict).toBe("different");
    // Requests from the machine itself.
    expect(differences.some(({ request }) => request.clientIp === "127.0.0.1")).toBe(true);
    expect(summaryOf(compareLines(onPath(pair.old), onPath(pair.new), "guide"))).toEqual(["equivalent"]);
    const corrected = pair.old.map((line) => (line === "Order allow,deny" ? "Order deny,allow" : line));
    expect(summaryOf(compareLines(onPath(corrected), onPath(pair.new)))).toEqual(["equivalent"]);
    expect(summaryOf(compareLines(onPath(corrected), onPath(pair.new), "guide"))).toEqual(["equivalent"]);
  });
});

describe("two configurations", () => {
  test("are distinguished by a request from one more network", () => {
    const before = inRoot("Require ip 10.0.0.0/8");
    const after = inRoot("Require ip 10.0.0.0/8 192.0.2.0/25");
    expect(summaryOf(compareLines(before, after))).toEqual(["different", "GET /a 192.0.2.7: 403, allowed"]);
  });

  test("are distinguished by a request with the files that it needs", () => {
    const [difference] = compareLines(inRoot("Require all granted"), inRoot("Require all denied")).differences;
    expect([...(difference?.files ?? [])]).toEqual([[expect.stringMatching(/\/a$/), "file"]]);
  });

  test("are equal if networks are joined, or a line is repeated", () => {
    const before = inRoot("Require ip 10.0.0.0/9 10.128.0.0/9", "Require ip 10.1");
    expect(summaryOf(compareLines(before, inRoot("Require ip 10")))).toEqual(["equivalent"]);
  });

  test.each([
    ["users", inRoot(...authLines, "Require user alice bob"), inRoot(...authLines, "Require user bob alice")],
    ["variables", inRoot("Require env A", "Require env B"), inRoot("Require env B A")],
    ["names", inRoot("Require host example.org", "Require host a.example.org"), inRoot("Require host example.org")],
    [
      "an address in a condition",
      inRoot("<If \"-R '10.0.0.0/8'\">", "Require all denied", "</If>"),
      inRoot("<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>"),
    ],
    ["names of files", ofFiles("./x"), ofFiles("x")],
    ["names of files above", ofFiles("a/../*.bak"), ofFiles("*.bak")],
    ["names of directories", ofFiles("."), ofFiles("")],
    ["names with slashes", ofFiles("../x"), ofFiles("x/.")],
  ])("are equivalent: %s", (_, before, after) => {
    expect(summaryOf(compareLines(before, after))).toEqual(["equivalent"]);
  });

  test.each([
    [
      "a user",
      inRoot(...authLines, "Require user alice"),
      inRoot(...authLines, "Require valid-user"),
      "GET /a 203.0.113.7 somebody: 401, allowed",
    ],
    [
      "a group",
      inRoot(...authLines, "AuthGroupFile g", "Require group a"),
      inRoot(...authLines, "AuthGroupFile g", "Require group a b"),
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
      "PUT /a 203.0.113.7: rejected, 403",
    ],
    ["a path", at("/a", "Require all denied"), at("/a/b", "Require all denied"), "GET /a 203.0.113.7: 403, allowed"],
    ["names of files", ["<Files *.bak>", "Require all denied", "</Files>"], [], "GET /.bak 203.0.113.7: 403, allowed"],
    ["names of files with a dot", ofFiles("./x"), [], "GET /x 203.0.113.7: 403, allowed"],
    ["names of files above", ofFiles("../x"), ofFiles("b/../x"), "GET /x 203.0.113.7: allowed, 403"],
    [
      "a pattern",
      ["<FilesMatch \\.(bak|old)$>", "Require all denied", "</FilesMatch>"],
      ["<FilesMatch \\.bak$>", "Require all denied", "</FilesMatch>"],
      "GET /.old 203.0.113.7: 403, allowed",
    ],
  ])("are different: %s", (_, before, after, difference) => {
    expect(summaryOf(compareLines(before, after))).toEqual(["different", difference]);
  });

  test("that test a header are equivalent only if they test it in the same way", () => {
    const lines = (pattern: string) => [
      `SetEnvIf User-Agent ${pattern} robot`,
      ...inRoot("Order allow,deny", "Allow from all", "Deny from env=robot"),
    ];
    expect(summaryOf(compareLines(lines("bot"), lines("bot")))).toEqual(["equivalent"]);
    expect(compareLines(lines("bot"), lines("crawler")).verdict).not.toBe("equivalent");
  });

  test("differ only for the virtual hosts that one of them lacks", () => {
    const host = (name: string, ...lines: Lines) => [
      "<VirtualHost *:80>",
      `ServerName ${name}`,
      ...lines,
      "</VirtualHost>",
    ];
    const before = host("a.test");
    const after = [...host("a.test"), ...host("b.test", ...at("/", "Require all denied"))];
    const { differences } = compareLines(before, after);
    expect(differences.map(({ request }) => request.host)).toEqual(["b.test"]);
  });
});

describe("the upgrade", () => {
  test("allows all clients if Satisfy any has no Require", () => {
    expect(summaryOf(compareReleases(inRoot("Order deny,allow", "Deny from all", "Satisfy any")))).toEqual([
      "different",
      "GET /a 203.0.113.7: 403, allowed",
    ]);
  });

  test("does not change plain mod_access_compat directives", () => {
    const lines = [
      ...inRoot("Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"),
      ...at("/open", "Order allow,deny", "Allow from all"),
    ];
    expect(summaryOf(compareReleases(lines))).toEqual(["equivalent"]);
  });

  test("returns 500 if a `.htaccess` file has a directive of a third-party module", () => {
    const lines = ['<Directory "/">', "Order allow,deny", "Allow from all", "</Directory>"];
    const sides = (directive: string, ...more: Lines) =>
      compare(sideOf(lines, "2.2", "server", [directive], more), sideOf(lines, "2.4", "server", [directive], more));
    expect(summaryOf(sides("php_value a b", "php5"))).toEqual(["different", "GET /a 203.0.113.7: allowed, 500"]);
    expect(summaryOf(sides("AnyName a b", "third_party"))).toEqual(["different", "GET /a 203.0.113.7: allowed, 500"]);
    // Without the module, or with an httpd module that the release does not have, 2.2 returns 500 as well.
    expect(summaryOf(sides("php_value a b"))).toEqual(["equivalent"]);
    expect(summaryOf(sides("php_value a b", "perl"))).toEqual(["equivalent"]);
    expect(summaryOf(sides("AllowMethods GET", "third_party"))).toEqual(["equivalent"]);
  });

  test("returns 500 if a `.htaccess` file is no longer allowed by default", () => {
    const { differences } = compareReleases([], ["Order deny,allow", "Deny from all"]);
    expect(differences.map(({ before, after }) => `${before.class} ${after.class}`)).toEqual(["403 500"]);
  });

  test("reports a Require list that was a chain of modules and is now a list of alternatives", () => {
    const lines = at("/x", ...authLines, "AuthGroupFile g", "Require user alice", "Require group staff");
    expect(summaryOf(compareReleases(lines))).toEqual(["different", "GET /x 203.0.113.7 somebody: 401, allowed"]);
  });
});

describe("targets of WSGIScriptAlias", () => {
  const files = (line: string) => ["<Directory /srv/app>", "<Files wsgi.py>", line, "</Files>", "</Directory>"];
  const login = ["AuthType Basic", "AuthName a", "AuthUserFile /u"];
  const admin = (...lines: Lines) => [
    '<LocationMatch "^/admin$">',
    ...login,
    "Require valid-user",
    ...lines,
    "</LocationMatch>",
  ];
  const compareWith = (alias: string, before: Lines, after: Lines) => {
    const side = (lines: Lines) => sideOf([alias, ...lines], "2.4", "server", undefined, ["wsgi"]);
    return compare(side(before), side(after));
  };

  // mod_wsgi 4.9.4 on 2.4.71 returns 403 for `/admin` with the first lines, and 200 with a password with the second ones.
  test.each([
    "WSGIScriptAlias / /srv/app/wsgi.py",
    "WSGIScriptAliasMatch ^/ /srv/app/wsgi.py",
    "WSGIScriptAliasMatch ^/adm(.*)$ /srv/app/wsgi.py",
    "WSGIScriptAliasMatch ^/[^/]+$ /srv/app/wsgi.py",
    "WSGIScriptAlias /admin /srv/app/wsgi.py",
  ])("%s: lines for its script apply to each path", (alias) => {
    const { verdict, differences } = compareWith(
      alias,
      [...files("Deny from 198.51.100.0/24"), ...admin()],
      [...files("<RequireAll>\nRequire all granted\nRequire not ip 198.51.100.0/24\n</RequireAll>"), ...admin()],
    );
    expect([verdict, differences.length > 0]).toEqual(["different", true]);
  });

  test.each([
    "WSGIScriptAlias / /srv/app/wsgi.py",
    "WSGIScriptAlias /app /srv/app/wsgi.py",
    "WSGIScriptAliasMatch ^/a/ /srv/app/wsgi.py",
    "WSGIScriptAliasMatch ^/[^/]+$ /srv/app/wsgi.py",
  ])("%s: proves lines that decide the same", (alias) => {
    expect(compareWith(alias, files("Deny from all"), files("Require all denied")).verdict).toBe("equivalent");
  });

  test.each(["WSGIScriptAliasMatch ^/([a-z]+) /srv/app/$1.py", "WSGIScriptAliasMatch /a|b /srv/app/wsgi.py"])(
    "%s: the text after the match may lead to any file",
    (alias) => {
      expect(compareWith(alias, files("Require all denied"), files("Require all granted")).verdict).not.toBe(
        "equivalent",
      );
      expect(compareWith(alias, files("Deny from all"), files("Require all denied")).verdict).toBe("equivalent");
    },
  );
});

describe("targets of AliasMatch with groups", () => {
  const manual = 'AliasMatch ^/manual(?:/(?:de|en))?(/.*)?$ "/srv/man$1"';
  const within = (folder: string, ...lines: Lines) => [`<Directory "${folder}">`, ...lines, "</Directory>"];

  test.each([
    ["optional prefixes", manual],
    ["a group as a part of the target", "AliasMatch ^/(de|en)/(.*)$ /srv/man/$1/$2"],
    ["one of a few files", "AliasMatch ^/(robots|humans)\\.txt$ /srv/$1.txt"],
    ["the whole path", "AliasMatch ^(/.*)$ /srv/man$1"],
    ["a character class, and a rest without a slash", "AliasMatch ^/[de]x(.*) /srv/man/x$1"],
  ])("are proved equivalent: %s", (_, line) => {
    const lines = [line, ...within("/srv/man/secret", "Require ip 10.0.0.0/8")];
    const old = [line, ...within("/srv/man/secret", "Order deny,allow", "Deny from all", "Allow from 10")];
    expect(summaryOf(compareLines(old, lines))).toEqual(["equivalent"]);
  });

  test.each([
    ["after each prefix", manual, "/srv/man/secret", "/manual/secret"],
    ["after one prefix only", manual, "/srv/man/de", "/manual/de/de"],
    ["by the group of a prefix", "AliasMatch ^/(de|en)/(.*)$ /srv/man/$1/$2", "/srv/man/en", "/en/a"],
    ["with a longer name", "AliasMatch ^/x(.*) /srv/man$1", "/srv/manual", "/xual"],
    ["that another alternative of the pattern does not map to", "AliasMatch ^/(a|ab)(.*) /srv/x$2", "/srv/xb", "/ab"],
    ["with a fixed target", "AliasMatch ^/(de|en)$ /srv/man/$1", "/srv/man/en", "/en"],
  ])("twin: show the difference in a directory, %s", (_, line, folder, path) => {
    const { verdict, differences } = compareLines([line, ...within(folder, "Require all denied")], [line]);
    expect([verdict, ...differences.map(({ request }) => request.path)]).toEqual(["different", path]);
  });

  test("are not all covered by a Location for one prefix", () => {
    const denyingLines = [manual, ...within("/srv/man/secret", "Require all denied")];
    const half = [manual, ...at("/manual/secret", "Require all denied")];
    const paths = compareLines(denyingLines, half).differences.map(({ request: { path }, before, after }) =>
      [path, before.class, after.class].join(" "),
    );
    expect(paths).toContainEqual(expect.stringMatching(/^\/manual\/de\/secret.* 403 allowed$/));
  });

  test.each([
    ["any name", "AliasMatch ^/~([^/]+)/(.*) /home/$1/www/$2"],
    ["a rest that may begin with two dots", "AliasMatch ^/x(.*) /srv/man/$1"],
    ["the rest of the path in the middle", "AliasMatch ^/x/(.*) /srv/$1/y"],
    ["the rest of the path twice", "AliasMatch ^/x/(.*) /srv/$1/$1"],
    ["an optional rest", "AliasMatch ^/x(/.*)? /srv$1"],
    ["alternatives of the whole pattern", "AliasMatch ^/x|/y(/.*)?$ /srv$1"],
    ["a lazy quantifier", "AliasMatch ^/x(?:/y)??(/.*)$ /srv$1"],
  ])("twin: are reported as not analyzed with %s", (_, line) => {
    const changed = [line, "DirectoryIndex index.php", ...inRoot()];
    const { verdict, unproved } = compareLines([line, ...inRoot("Require all granted")], changed);
    expect(verdict).toBe("unknown");
    expect(unproved.map(({ reason }) => reason)).toContain(
      "the target of this line depends on the path in a way that is not analyzed",
    );
  });
});

describe("a variable that contains a part of the path", () => {
  const denyingLines = at("/closed", "Require all denied");
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
    ["two lines that set it", [byLine, "SetEnvIf Request_URI ^/(fr)/ prefer-language=$1 other=$1", "UnsetEnv other"]],
    ["a rule", byRule],
    ["a rule and a line", [byLine, ...byRule]],
    ["a rule whose variable another rule copies", [...byRule, "RewriteRule ^ - [E=copy:%{ENV:prefer-language}]"]],
  ])("does not prevent a proof if it is only set, by %s", (_, lines) => {
    expect(withItself(...lines)).toEqual(["equivalent"]);
    expect(compareLines([...inRoot(byLine), ...denyingLines], inRoot(byLine)).verdict).toBe("different");
  });

  test.each([
    ["a condition", [byLine, ...inRoot("Require expr \"reqenv('prefer-language') == 'de'\"")]],
    ["a condition after a redirect", [byLine, ...inRoot("Require expr %{ENV:REDIRECT_PREFER-LANGUAGE}==de")]],
    ["another variable", [byLine, "SetEnvIf Prefer-Language ^de german"]],
    ["a rule", [byLine, "RewriteEngine on", "RewriteCond %{ENV:prefer-language} de", "RewriteRule ^ - [F]"]],
    [
      "the value of another variable",
      [...byRule, "RewriteRule ^ - [E=copy:%{ENV:prefer-language}]", ...inRoot("Require env copy")],
    ],
  ])("twin: prevents a proof if it is read by %s", (_, lines) => {
    const [verdict, ...reasons] = withItself(...lines);
    expect(verdict).toBe("unknown");
    expect(reasons).toContain("this rule stores a part of the path in a variable");
  });
});

describe("redirects that 2.4 rejects", () => {
  const sides = (line: string) =>
    [...(["2.2", "2.4"] as const)].map((release) =>
      sideOf(["RewriteEngine on", `RewriteRule ${line}`], release, "server", undefined, ["rewrite"]),
    );

  test.each([
    [
      "a question mark from the path",
      "^/old/(.*)$ /new/$1 [R]",
      ["different", "GET /old/%3f 203.0.113.7: redirected, 403"],
    ],
    [
      "a question mark from the whole path",
      "(.*) https://x.test%{REQUEST_URI} [R]",
      ["different", "GET /%3f 203.0.113.7: redirected, 403"],
    ],
    ["a space in the query", "^/q/(.*)$ /new?x=$1 [R,NE]", ["different", "GET /q/%20 203.0.113.7: redirected, 403"]],
    ["twin: an escaped space", "^/q/(.*)$ /new?x=$1 [R]", ["equivalent"]],
    ["twin: a group that matches only digits", "^/old/(\\d+)$ /new/$1 [R]", ["equivalent"]],
  ])("%s", (_, line, expected) => {
    const [old, now] = sides(line);
    expect(old && now && summaryOf(compare(old, now))).toEqual(expected);
  });
});

describe("a rule that copies a part of the path only to the query", () => {
  const side = (rule: string, ...more: Lines) =>
    sideOf(["RewriteEngine on", rule, ...more], "2.4", "server", undefined, ["rewrite"]);
  const rule = "RewriteRule ^/item/(.*)$ /show?name=$1 [PT]";
  const denyingLines = at("/show", "Require ip 10.0.0.0/8");
  const old10 = ["Order deny,allow", "Deny from all", "Allow from 10"];

  test("has one target", () => {
    expect(summaryOf(compare(side(rule, ...denyingLines), side(rule, ...at("/show", ...old10))))).toEqual([
      "equivalent",
    ]);
    const { differences } = compare(side(rule, ...denyingLines), side(rule));
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
  ])("twin: prevents a proof if %s reads the query", (_, lines, others) => {
    const rewriting = "RewriteRule ^/item/(.*)$ /show?name=$1";
    expect(compare(side(rewriting, ...lines), side(rewriting, ...others)).verdict).not.toBe("equivalent");
  });

  test("rejects an unescaped space", () => {
    const escaping = rule.replace("PT", "PT,B");
    expect(summaryOf(compare(side(rule), side(escaping)))).toEqual([
      "different",
      "GET /item/%20 203.0.113.7: 403, allowed",
    ]);
    expect(summaryOf(compare(side(escaping), side(escaping)))).toEqual(["equivalent"]);
  });

  test("prevents a proof if another group is in the path", () => {
    const more = "RewriteRule ^/(item|thing)/(.*)$ /show/$1?name=$2 [PT]";
    expect(compare(side(more), side(more)).verdict).toBe("unknown");
  });
});

describe("unproved parts", () => {
  test("include a pattern that is not regular", () => {
    const lines = (pattern: string) => [`<LocationMatch "${pattern}">`, "Require all denied", "</LocationMatch>"];
    const { unproved, verdict } = compareLines(lines("^/(public)\\1"), []);
    expect(verdict).not.toBe("equivalent");
    expect(unproved.map(({ reason }) => reason)).toContainEqual(expect.stringContaining("`^/(public)\\1` matches"));
  });

  test("do not include a pattern with a lookahead", () => {
    const lines = (pattern: string) => [`<LocationMatch "${pattern}">`, "Require all denied", "</LocationMatch>"];
    expect(compareLines(lines("^/(?!public)"), lines("^/(?!public|news)")).differences.length).toBeGreaterThan(0);
    const same = compareLines(lines("^/(?!public|news)"), lines("^/(?!news)(?!public)"));
    expect([same.verdict, same.unproved]).toEqual(["equivalent", []]);
  });

  test("include requests beyond the budget", () => {
    const networks = Array.from({ length: 50 }, (_, index) => `Require ip 10.${index * 3}.0.0/17`);
    const [before, after] = [inRoot(...networks), inRoot(...networks.toReversed())].map((lines) =>
      sideOf(lines, "2.4", "server"),
    );
    if (before === undefined || after === undefined) throw new Error("no sides");
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
    compare(side(more), side([...more, "DirectoryIndex a"])).unproved.map(
      ({ directive, reason }) => `${directive?.argumentText}: ${reason}`,
    );
  const doubt = "public_html: the home directories of users, which `UserDir public_html` uses";
  expect(doubtsOf([])).toEqual([doubt]);
  const hosts = ["a", "b"].flatMap((name) => ["<VirtualHost *:80>", `ServerName ${name}`, "</VirtualHost>"]);
  expect(doubtsOf([...hosts, ...at("/~bob", "Deny from all")])).toEqual([doubt]);
  const own = ["<VirtualHost *:80>", "ServerName a", "UserDir web", "</VirtualHost>"];
  expect(doubtsOf(own)).toEqual([doubt.replaceAll("public_html", "web")]);
});

test("ServerPath is not part of the file's path", () => {
  const side = (...lines: Lines) => [
    "ServerPath /p",
    '<Directory "/srv/www/a">',
    "Require all denied",
    "</Directory>",
    ...lines,
  ];
  expect(compareLines(side(), side()).verdict).toBe("equivalent");
  const denied = summaryOf(compareLines(side(), side(...at("/p/a", "Require all denied"))));
  // If the directory is missing, its section does not apply.
  expect(denied).toEqual(["different", "GET /p/a/ 203.0.113.7: not found, 403"]);
  expect(summaryOf(compareLines(side(), side().slice(1)))).toContainEqual(expect.stringContaining("/p/a"));
});

test("the target of VirtualDocumentRoot is unproved because it differs between hosts", () => {
  const lines = ["VirtualDocumentRoot /v/%0", '<Directory "/v/a.test">', "Require all denied", "</Directory>"];
  const side = (more: Lines) => sideOf([...lines, ...more], "2.4", "server", undefined, ["vhost_alias"]);
  const { verdict, unproved } = compare(side([]), side(at("/x", "Require all granted")));
  expect([verdict, unproved.map(({ reason }) => reason)]).toEqual([
    "unknown",
    ["the target of `VirtualDocumentRoot /v/%0`"],
  ]);
});

describe("a virtual host with many names of unknown addresses", () => {
  const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
  const host = (rule: string) => [
    `<VirtualHost ${[...names, ...names].join(" ")}>`,
    ...at("/a", "Order allow,deny", rule),
    "</VirtualHost>",
  ];

  test("is compared as if the first name had the server's address", () => {
    expect(summaryOf(compareLines(host("Allow from all"), host("Allow from all")))).toEqual(["equivalent"]);
    const { verdict, unproved } = compareLines(host("Allow from all"), host("Deny from all"));
    expect([verdict, unproved]).toEqual(["different", []]);
  });
});

describe("two configurations of 2.2", () => {
  const closed = ["<Location /a>", "Order deny,allow", "Deny from all", "</Location>"];
  const host = (addresses: string, name: string | undefined, lines: Lines = []) => [
    `<VirtualHost ${addresses}>`,
    ...(name === undefined ? [] : [`ServerName ${name}`]),
    ...lines,
    "</VirtualHost>",
  ];
  const inA = ["Order deny,allow", "Deny from all", "</LocationMatch>"];
  const action = ['<Directory "/srv/www/other">', "Action x-run /run", "</Directory>"];

  // httpd 2.2.34 answers a request differently, except for the twins.
  test.each<[what: string, before: Lines, after: Lines, verdict: ConfigComparison["verdict"]]>([
    [
      "a pattern that matches repeated slashes",
      ['<LocationMatch "^/a/x">', ...inA],
      ['<LocationMatch "^/+a/+x">', ...inA],
      "unknown",
    ],
    [
      "twin: a path, which matches them, too",
      closed,
      [...closed.slice(0, 1), "Order allow,deny", "</Location>"],
      "equivalent",
    ],
    [
      "a host for all ports beside a NameVirtualHost with a port",
      ["NameVirtualHost *:80", ...host("*", "a.test"), ...host("*:80", "b.test", closed)],
      ["NameVirtualHost *:80", ...host("*:80", "a.test"), ...host("*:80", "b.test", closed)],
      "different",
    ],
    [
      "a host that has the name of the main server",
      ["ServerName x.test", "NameVirtualHost *:80", ...host("*:80", "a.test"), ...host("*:80", undefined)],
      ["ServerName x.test", "NameVirtualHost *:80", ...host("*:80", "a.test"), ...host("*:80", undefined, closed)],
      "different",
    ],
    [
      "twin: that name written",
      ["ServerName x.test", "NameVirtualHost *:80", ...host("*:80", "a.test"), ...host("*:80", undefined, closed)],
      ["ServerName x.test", "NameVirtualHost *:80", ...host("*:80", "a.test"), ...host("*:80", "x.test", closed)],
      "equivalent",
    ],
    [
      "the port that a ServerName gives to a host",
      ["Listen 80", "Listen 81", "ServerName x.test:81", ...host("192.0.2.1", "a.test", closed)],
      ["Listen 80", "Listen 81", ...host("192.0.2.1", "a.test", closed), "ServerName x.test:81"],
      "different",
    ],
    [
      "a handler whose Action is of another directory, in place of a program",
      [...action, ...inRoot("Options ExecCGI", "SetHandler x-run")],
      [...action, ...inRoot("Options ExecCGI", "SetHandler cgi-script")],
      "different",
    ],
    [
      "twin: a handler whose Action is of another directory, in place of no handler",
      [...action, ...inRoot("AddHandler x-run .html")],
      [...action, ...inRoot("AddHandler x-other .html")],
      "equivalent",
    ],
    [
      "a fallback beside `DirectoryIndex disabled`, which is the name of a file",
      [...inRoot("DirectoryIndex disabled", "FallbackResource /x.html"), ...at("/x.html", "Order deny,allow")],
      [...inRoot("DirectoryIndex disabled"), ...at("/x.html", "Order deny,allow")],
      "different",
    ],
    [
      "a type for an extension beside a DefaultType that names programs",
      inRoot("DefaultType application/x-httpd-cgi", "AddType text/plain .x"),
      inRoot("DefaultType application/x-httpd-cgi"),
      "different",
    ],
    [
      "a type in place of a DefaultType without a slash that has an Action",
      [...inRoot("DefaultType x-run", "Action x-run /run", "ForceType text/plain"), ...at("/run", "Order allow,deny")],
      [...inRoot("DefaultType x-run", "Action x-run /run"), ...at("/run", "Order allow,deny")],
      "different",
    ],
    [
      "twin: a type beside a DefaultType that names no handler",
      inRoot("DefaultType text/html", "AddType text/plain .x"),
      inRoot("DefaultType text/html"),
      "equivalent",
    ],
    [
      "DirectoryIndex without a name, which sets nothing",
      [...inRoot("DirectoryIndex x.html"), ...at("/d", "DirectoryIndex")],
      [
        ...inRoot("DirectoryIndex x.html"),
        ...at("/d", "DirectoryIndex index.html"),
        ...at("/d/x.html", "Order allow,deny"),
      ],
      "different",
    ],
    ["twin: no DirectoryIndex in its place", inRoot("DirectoryIndex"), inRoot(), "equivalent"],
    [
      "a status that 2.2 does not know in a Redirect",
      ["Redirect 308 /a http://b.test/"],
      ["Redirect 303 /a http://b.test/"],
      "different",
    ],
    ["statuses that only 2.2 knows", ["Redirect 418 /a"], ["Redirect 429 /a"], "different"],
    ["twin: 500 in their place", ["Redirect 308 /a http://b.test/"], ["Redirect 500 /a"], "equivalent"],
    ["an empty name of a file for access", ['AccessFileName ""'], [], "unknown"],
    [
      "twin: that name twice",
      inRoot("DirectoryIndex disabled", "FallbackResource /x.html"),
      inRoot("DirectoryIndex disabled disabled", "FallbackResource /x.html"),
      "equivalent",
    ],
  ])("%s", (_, before, after, verdict) => {
    const sides = [before, after].map((lines) => sideOf(lines, "2.2", "server", undefined, ["actions", "cgi", "mime"]));
    const [one, other] = sides;
    expect(one && other && compare(one, other).verdict).toBe(verdict);
  });

  test.each([
    ["DirectoryIndex without a name", inRoot("DirectoryIndex"), "different"],
    ["twin: with a name", inRoot("DirectoryIndex x.html"), "equivalent"],
    ["a redirect with a status that 2.2 does not know", ["Redirect 308 /a http://b.test/"], "different"],
    ["twin: with one that both know", ["Redirect 307 /a http://b.test/"], "equivalent"],
  ] satisfies readonly [string, Lines, string][])("%s under 2.2 and 2.4", (_, lines, verdict) => {
    const [before, after] = (["2.2", "2.4"] as const).map((release) =>
      sideOf(
        ["<Directory />", "AllowOverride None", "Options FollowSymLinks", "</Directory>", ...lines],
        release,
        "server",
        undefined,
        ["autoindex"],
      ),
    );
    expect(before && after && compare(before, after).verdict).toBe(verdict);
  });

  test("AllowOverride lists options that a file may set", () => {
    const sideFor = (options: string) =>
      sideOf(['<Directory "/srv/www">', `AllowOverride ${options}`, "</Directory>"], "2.2", "server", [
        "Options +ExecCGI",
      ]);
    expect(compare(sideFor("Options=Indexes"), sideFor("Options")).verdict).toBe("different");
    expect(compare(sideFor("Options=ExecCGI"), sideFor("Options")).verdict).toBe("equivalent");
  });
});

describe("names of DirectoryIndex and FallbackResource", () => {
  const denied = at("/b", "Require all denied");
  const inFolder = (...lines: Lines) => ['<Directory "/srv/www/a">', ...lines, "</Directory>"];
  const verdictOf = (before: string, after: string) =>
    compareLines([...denied, ...inFolder(before)], [...denied, ...inFolder(after)]).verdict;

  test.each([
    ["DirectoryIndex %78", "DirectoryIndex x"],
    ["DirectoryIndex ./x", "DirectoryIndex x"],
    ["DirectoryIndex /%62/y", "DirectoryIndex /b/y"],
    ['DirectoryIndex ""', "DirectoryIndex disabled"],
    ['DirectoryIndex x ""', "DirectoryIndex x"],
    ["FallbackResource /%62/y", "FallbackResource /b/y"],
    ["FallbackResource /c/../b/y", "FallbackResource //b/y"],
  ])("%s and %s are equivalent", (before, after) => {
    expect(verdictOf(before, after)).toBe("equivalent");
  });

  test.each([
    ["DirectoryIndex disabled", "DirectoryIndex /%62/y"],
    ["DirectoryIndex disabled", "DirectoryIndex ../b/y"],
    ["DirectoryIndex disabled", "DirectoryIndex .."],
    ["DirectoryIndex disabled", "DirectoryIndex ."],
    ["DirectoryIndex disabled", "DirectoryIndex /../b/y"],
    ["DirectoryIndex /b/y", "DirectoryIndex /%63/y"],
    ["FallbackResource disabled", "FallbackResource /%62/y"],
    ["FallbackResource disabled", "FallbackResource ../b/y"],
  ])("%s and %s are not", (before, after) => {
    expect(verdictOf(before, after)).not.toBe("equivalent");
  });
});

describe("a rule with PT", () => {
  const denied = at("/b", "Require all denied");
  const side = (...written: Lines) =>
    sideOf([...denied, "RewriteEngine on", ...written], "2.4.71", "server", undefined, ["rewrite"]);
  const verdictOf = (one: Lines, other: Lines) => compare(side(...one), side(...other)).verdict;
  const to = (target: string, pattern = "^/a/nope$") => [`RewriteRule ${pattern} ${target} [PT]`];

  test.each([
    [to("//b/y"), to("///b/y")],
    [to("/b//y"), to("/b/y")],
    [to("../b/y"), to("-").map((line) => line.replace("PT", "F"))],
  ])("%s and %s are equivalent", (one, other) => {
    expect(verdictOf(one, other)).toBe("equivalent");
  });

  test.each([
    [to("//b/y"), to("/b/y")],
    [to("../b/y"), []],
    [to("../$1", "^/a/n/(.*)$"), []],
    [to("//$1", "^/a/n/(.*)$"), to("/$1", "^/a/n/(.*)$")],
    [to("/$1./b/y", "^/a/n(.)x$"), to("/b/y", "^/a/n(.)x$")],
    [to("/$1./b/y", "^/a/n(.)x$"), to("/c/b/y", "^/a/n(.)x$")],
  ])("%s and %s are not", (one, other) => {
    expect(verdictOf(one, other)).not.toBe("equivalent");
  });
});
