import { describe, expect, test } from "vitest";
import { findUnprovedDifferences } from "../../../src/proof/compare/closed-world.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { findUncomparedChanges } from "../../../src/proof/compare/uncompared-changes.js";
import { reasonFor, wordsOfReason } from "../../../src/proof/model/unproved-reasons.js";
import { load, loadText } from "../../support/projects.js";

const reason = "its effect on the answer to a request is not modelled";

/** Returns the reasons why the proof for two versions of a server is incomplete. */
function unprovedReasons(before: string, after: string): readonly string[] {
  return compareTexts(before, after).unproved.map((each) => each.reason);
}

function verdictOf(before: string, after: string): string {
  return compareTexts(before, after).verdict;
}

function compareTexts(before: string, after: string): ReturnType<typeof compare> {
  const side = (lines: string) => ({
    project: loadText(`DocumentRoot /srv\n${lines}\n`, { kind: "server" }),
    semantics: "server" as const,
  });
  return compare(side(before), side(after));
}

test.each([
  ["SecFilterEngine On", "SecFilterEngine Off"],
  ["", "JkMount /app/* w1"],
  ["<Location /svn>\nAuthzSVNAccessFile a\n</Location>", "<Location /svn>\nAuthzSVNAccessFile b\n</Location>"],
])("reports an unmodelled difference between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toContain(reason);
});

test.each([
  ["SecRuleEngine On", "SecRuleEngine Off"],
  ['SecRule ARGS x "id:1,deny"', ""],
  ["OIDCUnAuthAction pass", "OIDCUnAuthAction auth"],
  ["<Location /a>\nMellonCond mail x\n</Location>", "<Location /a>\nMellonCond mail y\n</Location>"],
  ["", "AuthPAMService login"],
  ["TKTAuthToken a", "TKTAuthToken b"],
])("reports a different line of a module that checks access between %j and %j", (before, after) => {
  const expected = "the conditions of a third-party module that checks access are not analyzed";
  expect(unprovedReasons(before, after)).toContain(expected);
});

const balancer = [
  ...["proxy", "proxy_balancer", "slotmem_shm"].map((name) => `LoadModule ${name}_module a.so`),
  "ProxyPass /x balancer://g",
].join("\n");

const argumentReason = "whether httpd accepts its arguments is not checked";

test.each([
  ["", "MDRenewViaARI 1"],
  ["", 'ErrorLogFormat request "%M"'],
  ["", 'ErrorLogFormat "%k"'],
  ["", "<VirtualHost *:80>\nSuexecUserGroup a b\n</VirtualHost>"],
  ["", "ScriptInterpreterSource Registry"],
  ["LoadFile a.so", "LoadFile b.so"],
  ["", 'CustomLog "|cat" common'],
  ["", 'ErrorLog "|bin/rotatelogs logs/e 86400"'],
  ["AddOutputFilterByType DEFLATE text/html", "AddOutputFilterByType NONE text/html"],
])("reports arguments that httpd may refuse between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toContain(argumentReason);
});

test.each([
  ["", "MDRenewViaARI off"],
  ["H2WindowSize 65535", "H2WindowSize 1024"],
  ["", 'ErrorLogFormat request "%k"'],
  ["", 'ErrorLogFormat "[%t] %M"'],
  ["", 'CustomLog "|/bin/cat" common'],
  ["", 'CustomLog "|$cat" common'],
  ["", "CustomLog logs/a common"],
  ["", "SSLCACertificateFile conf/ca.crt"],
  ["MDRenewViaARI 1", "MDRenewViaARI 1\nServerTokens Prod"],
  ["LoadFile a.so", "Define X 1\nLoadFile a.so"],
  ["", "<IfModule mod_none.c>\nLoadFile a.so\n</IfModule>"],
  [
    "LoadModule deflate_module x.so\nLoadModule filter_module x.so\nAddOutputFilterByType DEFLATE text/html",
    "LoadModule deflate_module x.so\nLoadModule filter_module x.so\nAddOutputFilterByType DEFLATE;INFLATE text/css",
  ],
])("twin: does not report arguments between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).not.toContain(argumentReason);
});

test.each([
  ["", "UNCList x.test"],
  ["<Location /a>\nUNCList x.test\n</Location>", "<Location /a>\n</Location>"],
])("compares lines that take effect while they are read: %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toEqual([wordsOfReason(reasonFor("windows-paths"))]);
});

const moduleReason = "only one side loads a module without another that it needs, so that httpd may not start";
const modules = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module x.so`).join("\n");

test.each([
  [modules("proxy", "proxy_http"), modules("proxy_http")],
  [modules("proxy", "proxy_http"), modules("proxy_http", "proxy")],
  [modules("alias"), modules("alias", "heartmonitor")],
])("reports a module that lacks another between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toContain(moduleReason);
});

test.each([
  [modules("proxy", "proxy_http"), modules("alias", "proxy", "proxy_http")],
  [modules("proxy_http"), modules("proxy_http", "alias")],
  [modules("session", "request", "auth_form"), modules("auth_form", "session", "request")],
])("twin: does not report modules between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).not.toContain(moduleReason);
});

const proxyReason = "requests to a forward proxy are not analyzed";
const allowed = '<Proxy "*">\nRequire ip 10.0.0.0/8\n</Proxy>';
const byVariable = '<Proxy "*">\nRequire env A\n</Proxy>';
const denied = '<Proxy "*">\nRequire all denied\n</Proxy>';

test.each([
  ["ProxyRequests Off", "ProxyRequests On"],
  [`ProxyRequests On\n${allowed}`, `ProxyRequests On\n${denied}`],
  [`ProxyRequests On\nSetEnvIf Host x A\n${byVariable}`, `ProxyRequests On\n${byVariable}`],
  ["ProxyRequests On", 'ProxyRequests On\n<Location "*">\nRequire all denied\n</Location>'],
])("reports different requests to a forward proxy between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toContain(proxyReason);
});

test.each([
  ["", "ProxyRequests Off"],
  ["ProxyRequests On\nSetEnvIf Host x A", "ProxyRequests On"],
  [allowed, denied],
  [`ProxyRequests On\n${denied}`, `ProxyRequests On\n${denied}`],
  ["ProxyRequests On", 'ProxyRequests On\n<Location "/x">\nRequire all denied\n</Location>'],
])("twin: does not report requests to a forward proxy between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).not.toContain(proxyReason);
});

describe("requests to a forward proxy", () => {
  const modules = [
    "authz_core",
    "authz_host",
    "access_compat",
    "authn_core",
    "alias",
    "dir",
    "proxy",
    "proxy_http",
    "rewrite",
  ];
  const everywhere = ['<Location "/">', "Require all granted", "</Location>"];
  const proxy = (...own: readonly string[]) => ['<Proxy "*">', ...own, "</Proxy>"];
  const compared = (before: readonly string[], after: readonly string[], on = "ProxyRequests On") => {
    const side = (lines: readonly string[]) => {
      const text = `DocumentRoot /srv\n${[on, ...everywhere, ...lines].join("\n")}\n`;
      const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4", modules });
      return { project, semantics: "server" as const };
    };
    return compare(side(before), side(after));
  };
  const old = ["Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8", "Require all granted"];
  const named = ["<VirtualHost *:80>", "ServerName a.test", "ProxyRequests On", ...proxy(...old), "</VirtualHost>"];

  test.each([
    ["the same clients", proxy(...old), proxy("Require ip 10.0.0.0/8")],
    ["all clients", proxy("Order deny,allow", "Allow from all"), proxy("Require all granted")],
    ["a virtual host", named, named.map((line) => (old.includes(line) ? "Require ip 10.0.0.0/8" : line))],
  ])("are proved if `<Proxy *>` allows %s on both sides", (_, before, after) => {
    expect(compared(before, after)).toMatchObject({ verdict: "equivalent", unproved: [] });
  });

  const limited = (method: string) =>
    proxy(
      ...[`<Limit ${method}>`, "Require all granted", "</Limit>"],
      ...[`<LimitExcept ${method}>`, "Require all denied", "</LimitExcept>"],
    );
  const part = (rule: string) => ['<Proxy "http://a.test/">', rule, "</Proxy>"];
  const matching = (rule: string) => ['<LocationMatch "a.test">', rule, "</LocationMatch>"];
  const variable = (rule: string) => proxy("Require env x", rule);
  test.each([
    ["clients", proxy(...old), proxy("Require ip 10.0.0.0/7")],
    ["methods", limited("CONNECT"), limited("GET")],
    ["the URLs of a Proxy section", part("Require ip 10.1"), part("Require ip 10.2")],
    ["the URLs of a Location section", matching("Require ip 10.1"), matching("Require ip 10.2")],
    [
      "the URLs beside a Proxy section",
      [...part("Require ip 10.1"), ...proxy(...old)],
      [...part("Require ip 10.1"), ...proxy("Require ip 10.0.0.0/8")],
    ],
    [
      "what rules lead to",
      ["RewriteOptions AllowAnyURI", ...proxy(...old)],
      ["RewriteOptions AllowAnyURI", ...proxy("Require ip 10.0.0.0/8")],
    ],
    ["a variable", variable("Require ip 10.1"), variable("Require ip 10.2")],
    ["another line", ["DirectoryIndex a", ...proxy(...old)], proxy("Require ip 10.0.0.0/8")],
  ])("twin: are not if %s may differ", (_, before, after) => {
    expect(compared(before, after).unproved.map((each) => each.reason)).toContain(proxyReason);
    expect(compared(before, after, "ProxyRequests Off").unproved.map((each) => each.reason)).not.toContain(proxyReason);
  });

  test("twin: are not if clients of one virtual host may differ", () => {
    const other = named.map((line) => line.replace("10.0.0.0/8", "11.0.0.0/8"));
    const on = compared(named, other, "ProxyRequests Off");
    expect(on.unproved.map((each) => each.reason)).toContain(proxyReason);
    expect(compared([...named, ...proxy(...old)], [...named, ...proxy(...old)])).toMatchObject({ unproved: [] });
  });
});

test.each(["SecRuleEngine On", "OIDCUnAuthAction pass", "JkMount /app/* w1"])(
  "twin: does not report %s on both sides",
  (line) => {
    expect(unprovedReasons(line, line)).toEqual([]);
  },
);

const folder = (...lines: readonly string[]) => `<Directory /srv>\n${lines.join("\n")}\n</Directory>`;
const host = (...lines: readonly string[]) =>
  `<VirtualHost *:80>\nServerName x.test\n${lines.join("\n")}\n</VirtualHost>`;
const login = (...lines: readonly string[]) => folder("AuthType Basic", "AuthName x", ...lines, "Require valid-user");
const digest = (realm: string, ...lines: readonly string[]) =>
  folder("AuthType Digest", `AuthName ${realm}`, "AuthUserFile /u", ...lines, "Require valid-user");
const cgi = "Options ExecCGI";

describe("a line whose effect no proof analyzes is named if the sides differ in it", () => {
  test.each<readonly [string, string, RegExp]>([
    ["Frobnicate On", "", /effect of this directive is not known/],
    ["DOSPageCount 2", "DOSPageCount 3", /directive of a third-party module/],
    [
      `SetEnvIfExpr "%{REQUEST_URI} =~ m#^/a%62#" x\n${folder("Require env x")}`,
      folder("Require env x"),
      /path as sent/,
    ],
    ["JkUnMount /a w", "", /directive of a third-party module/],
    [login("AuthUserFile u"), login("AuthUserFile /v/../etc/u"), /user and group files/],
    [digest("a"), digest("b"), /depends on the realm/],
    [host(digest("a")), host(digest("b")), /depends on the realm/],
    [digest("a", "AuthDigestNonceLifetime 1"), digest("a"), /digests of passwords/],
    [login("AuthBasicProvider dbm", "AuthUserFile /u"), login("AuthUserFile /u"), /user and group files/],
    [login("AuthUserFile /u"), login("AuthUserFile /v"), /user and group files/],
    [`ServerRoot /a\n${login("AuthUserFile u")}`, `ServerRoot /b\n${login("AuthUserFile u")}`, /user and group files/],
    ["ServerRoot /a\nTypesConfig mime.types", "ServerRoot /b\nTypesConfig mime.types", /media type that it gives/],
    [
      "ServerRoot /a\nRewriteMap m txt:maps/a",
      "ServerRoot /b\nRewriteMap m txt:maps/a\nRewriteEngine On",
      /below the ServerRoot/,
    ],
    [login("AuthnzFcgiCheckAuthnProvider F"), login("AuthUserFile /u"), /effect on the answer/],
    ["CacheEnable disk /", "", /cached answer/],
    ["CacheEnable disk /\nCacheIgnoreQueryString On", "CacheEnable disk /", /cached answer/],
    ["DavDepthInfinity On", "", /depths of WebDAV/],
    ["<Location /d>\nDav On\nDirectoryIndex a.html\n</Location>", "<Location /d>\nDav On\n</Location>", /WebDAV/],
    ["AddHandler imap-file map\nImapDefault error", "AddHandler imap-file map", /image maps/],
    [
      "SSLCACertificateFile /a\nSSLVerifyClient require",
      "SSLCACertificateFile /b\nSSLVerifyClient require",
      /certificates of clients/,
    ],
    [
      `SSLProtocol TLSv1.2\n${folder("Require expr \"%{SSL_PROTOCOL} == 'TLSv1.2'\"")}`,
      folder("Require expr \"%{SSL_PROTOCOL} == 'TLSv1.2'\""),
      /a line reads what it sets/,
    ],
    [
      folder("AuthType Form", "AuthName x", "SessionMaxAge 1", "Require valid-user"),
      folder("AuthType Form", "AuthName x", "Require valid-user"),
      /sessions/,
    ],
    [`<If "true">\nFrobnicate On\n</If>`, `<If "false">\nFrobnicate On\n</If>`, /effect of this directive/],
    [
      `<If "true">\n${cgi}\n</If>\n<Else>\nFrobnicate On\n</Else>`,
      `<If "false">\n${cgi}\n</If>\n<Else>\nFrobnicate On\n</Else>`,
      /effect of this directive/,
    ],
    ["Frobnicate On\nFrobnicate Off", "Frobnicate Off\nFrobnicate On", /effect of this directive/],
    [`Frobnicate On\n${folder(cgi)}`, folder("Frobnicate On", cgi), /effect of this directive/],
    ["Define a b\nFrobnicate ${a}", "Define a c\nFrobnicate ${a}", /effect of this directive/],
    ["LoadModule evasive20_module a.so", "LoadModule alias_module a.so", /third-party module `evasive20_module`/],
    ["LoadModule frobnicate_module a.so", "LoadModule alias_module a.so", /third-party module `frobnicate_module`/],
    [balancer, `${balancer}\nLoadModule lbmethod_byrequests_module a.so`, /need/],
  ])("%j, %j", (before, after, reason) => {
    expect(unprovedReasons(before, after)).toContainEqual(expect.stringMatching(reason));
    expect(unprovedReasons(before, before)).toEqual([]);
  });

  test("in a .htaccess file", () => {
    const side = (lines: string) => ({
      project: load({ "/etc/httpd/httpd.conf": "DocumentRoot /srv\n", "/srv/a/.htaccess": lines }, { kind: "server" }),
      semantics: "server" as const,
    });
    const reasons = (before: string, after: string) =>
      findUnprovedDifferences(side(before).project, side(after).project).map(({ reason }) => wordsOfReason(reason));
    const both = "AuthType Digest\nAuthDigestProvider file\nRequire valid-user\n";
    expect(reasons(`${both}AuthName a`, `${both}AuthName b`)).toEqual([expect.stringMatching(/the realm/)]);
    expect(reasons("AuthType Basic\nAuthName a", "AuthType Basic\nAuthName b")).toEqual([]);
  });
});

test("a part that is not proved says what to do", () => {
  const side = (lines: string) =>
    ({ project: loadText(`DocumentRoot /srv\n${lines}\n`, { kind: "server" }), semantics: "server" }) as const;
  const help = (before: string, after: string) =>
    compare(side(before), side(after)).unproved.map(({ help: advice }) => advice);
  expect(help("Frobnicate On", "")).toEqual([
    ["write this line in the same section and with the same arguments on both sides"],
  ]);
  expect(help("LoadModule frobnicate_module a.so", "LoadModule alias_module a.so")).toEqual([
    ["load the module on both sides"],
  ]);
  const rule = "RewriteEngine On\nRewriteRule ^/u/(.*) /home/$1 [PT]\nLoadModule rewrite_module a.so";
  expect(help(rule, `${rule}\nDirectoryIndex a`)).toEqual([["analyze a copy of the configuration without this line"]]);
});

describe("twin: no line is named for", () => {
  test.each<readonly [string, string, string]>([
    ["logs", 'CustomLog a b\nSetEnvIf Remote_Addr "^127\\." dontlog', "CustomLog c d env=!dontlog"],
    ["a realm of Basic", login("AuthUserFile /u"), login("AuthUserFile /u").replace("AuthName x", "AuthName y")],
    ["image maps without files of them", "ImapDefault error", ""],
    ["digests without such a login", login("AuthDigestAlgorithm MD5"), login()],
    ["sessions without a login by form", "Session On", ""],
    ["certificates that are not checked", "SSLCACertificateFile /a", "SSLCACertificateFile /b"],
    ["certificates of the server", "SSLCertificateFile /a\nSSLProtocol TLSv1.2", "SSLCertificateFile /b"],
    ["an explicit default", login("AuthBasicProvider file", "AuthUserFile /u"), login("AuthUserFile /u")],
    ["a file that is the same", `ServerRoot /a\n${login("AuthUserFile u")}`, login("AuthUserFile /a/u")],
    ["a file in two spellings", `ServerRoot /a\n${login("AuthUserFile b/u")}`, login("AuthUserFile /a/x/..//b/./u")],
    ["a file of groups in two spellings", login("AuthGroupFile /a/g"), login('AuthGroupFile "/a//g"')],
    [
      "certificates in two spellings",
      "ServerRoot /a\nSSLCACertificateFile ca.pem\nSSLVerifyClient require",
      "ServerRoot /a\nSSLCACertificateFile /a/ca.pem\nSSLVerifyClient require",
    ],
    [
      "programs that respond to requests",
      "WSGISocketPrefix a\nFCGIWrapper /a .php\nPassengerMaxPoolSize 5",
      "LogSQLDatabase a",
    ],
    ["passed variables that nothing reads", "PassEnv A", "PassEnv B"],
    ["request headers that nothing reads", "RequestHeader unset Proxy", ""],
    ["a variable of mod_proxy without proxies", "SetEnvIf Host a no-proxy", ""],
    ["bodies and headers", "AddDefaultCharset utf-8\nHeader set X y", "ExpiresActive On"],
    ["processes", "Timeout 10\nKeepAlive Off\nUser a", "Timeout 20\nUser b"],
    ["settings of a cache without CacheEnable", "CacheRoot /a\nCacheQuickHandler Off", "CacheRoot /b"],
    ["PHP", "php_value a b\nphp_admin_flag c off", "LoadModule php_module a.so"],
    ["a default type", "DefaultType none", "DefaultType text/plain"],
    ["a module of httpd", "LoadModule status_module a.so", "LoadModule alias_module a.so"],
    ["modules that later releases renamed", "LoadModule access_module a.so\nLoadModule imap_module b.so", ""],
  ])("%s", (_, before, after) => {
    expect(unprovedReasons(before, after)).toEqual([]);
  });
});

test("lines for the cache of 2.2, whose modules 2.4 does not have, are listed as not compared", () => {
  const caching = "CacheEnable disk /\nCacheRoot /var/cache";
  const [before, after] = (["2.2", "2.4"] as const).map((release) =>
    loadText(`DocumentRoot /srv\n<IfModule mod_disk_cache.c>\n${caching}\n</IfModule>\n`, {
      kind: "server",
      release,
      modules: release === "2.2" ? ["cache", "disk_cache"] : ["authz_core"],
    }),
  );
  if (before === undefined || after === undefined) throw new Error("no sides");
  expect(findUnprovedDifferences(before, after)).toEqual([]);
  expect(findUncomparedChanges(before.read, after.read).map(({ name }) => name)).toEqual(["CacheEnable", "CacheRoot"]);
});

/** Compares lines of 2.2 with others of 2.4. */
function reasonsInUpgrade(before: string, after: string): readonly string[] {
  const modules = "negotiation autoindex proxy proxy_balancer slotmem_shm".split(" ");
  const text = (release: string, lines: string) =>
    [
      ...modules.filter((name) => release === "2.4" || name !== "slotmem_shm"),
      ...(release === "2.4" ? ["mpm_event", "authz_core"] : []),
    ]
      .map((name) => `LoadModule ${name}_module ${name}.so\n`)
      .join("") + lines;
  const [one, other] = (["2.2", "2.4"] as const).map((release) => ({
    project: loadText(text(release, release === "2.2" ? before : after), { kind: "server", release }),
    semantics: "server" as const,
  }));
  if (one === undefined || other === undefined) throw new Error("two sides");
  return compare(one, other).unproved.map(({ reason }) => wordsOfReason(reason));
}

describe("symbolic links, which Options let httpd follow or not", () => {
  const linkReason = wordsOfReason(reasonFor("symbolic-links"));
  const inside = (words: string) =>
    words === "" ? "" : `<Directory /srv>\nRequire all granted\nOptions ${words}\n</Directory>\n`;

  test.each([
    ["FollowSymLinks", "None"],
    ["FollowSymLinks", "Indexes"],
    ["", "-FollowSymLinks"],
    ["FollowSymLinks", "SymLinksIfOwnerMatch"],
    ["FollowSymLinks", "FollowSymLinks SymLinksIfOwnerMatch"],
    ["Indexes FollowSymLinks", "+Indexes +SymLinksIfOwnerMatch"],
    ["All", "None"],
  ])("are not analyzed, so that %j and %j are not proved alike", (before, after) => {
    expect(unprovedReasons(inside(before), inside(after))).toEqual([linkReason]);
    expect(unprovedReasons(inside(after), inside(before))).toEqual([linkReason]);
  });

  test.each([
    ["FollowSymLinks", "Indexes FollowSymLinks"],
    ["", "FollowSymLinks"],
    ["", "+FollowSymLinks -Indexes"],
    ["All", "FollowSymLinks"],
    ["None", "Indexes"],
    ["None", "none"],
    ["-FollowSymLinks", "-FollowSymLinks +Indexes"],
    ["SymLinksIfOwnerMatch", "ExecCGI SymLinksIfOwnerMatch"],
  ])("twin: %j and %j say the same of them", (before, after) => {
    expect(unprovedReasons(inside(before), inside(after))).toEqual([]);
  });

  test("the order of two lines counts", () => {
    const both = (...words: readonly string[]) => words.map((each) => inside(each)).join("");
    expect(unprovedReasons(both("None", "FollowSymLinks"), both("FollowSymLinks", "None"))).toEqual([linkReason]);
  });
});

const at = (path: string, lines: string) => `<Location "${path}">\n${lines}\n</Location>\n`;

describe("filters that may fail", () => {
  const reason = wordsOfReason(reasonFor("body-filter"));

  test.each([
    ["", "SetInputFilter DEFLATE"],
    ["", "AddInputFilter DEFLATE .html"],
    ["", "SetOutputFilter INFLATE"],
    ["SetOutputFilter DEFLATE", "SetOutputFilter INFLATE;DEFLATE"],
    ["", "AddOutputFilterByType SUBSTITUTE text/html"],
    ["Substitute s/a/b/", "Substitute s/a/c/"],
    ["", "SubstituteMaxLineLength 10k"],
    ["SetInputFilter DEFLATE", "SetInputFilter DEFLATE\nDeflateInflateLimitRequestBody 10"],
  ])("are not analyzed, so that %j and %j are not proved alike", (before, after) => {
    expect(new Set(unprovedReasons(at("/x", before), at("/x", after)))).toEqual(new Set([reason]));
    expect(new Set(unprovedReasons(at("/x", after), at("/x", before)))).toEqual(new Set([reason]));
  });

  test.each([
    ["", "SetOutputFilter DEFLATE"],
    ["", "AddOutputFilter DEFLATE .html"],
    ["SetOutputFilter DEFLATE", "SetOutputFilter BROTLI_COMPRESS;DEFLATE"],
    ["", "AddOutputFilter INCLUDES .shtml"],
    ["", "SetInputFilter none"],
  ])("twin: %j and %j have filters that accept any body", (before, after) => {
    expect(unprovedReasons(at("/x", before), at("/x", after))).toEqual([]);
  });
});

describe("names that several wildcards match", () => {
  const hosts = (alias: string) =>
    [
      "<VirtualHost *:80>\nServerName c.test\n</VirtualHost>",
      `<VirtualHost *:80>\nServerName a.test\nServerAlias ${alias}\n${at("/", "Require all denied")}</VirtualHost>`,
    ].join("\n");
  const namesOf = (before: string, after: string) => {
    const side = (lines: string) => ({ project: loadText(lines, { kind: "server" }), semantics: "server" as const });
    return compare(side(hosts(before)), side(hosts(after))).differences.map(({ request }) => request.host);
  };

  test.each([
    ["w*.test", "w?*.test", "w.test"],
    ["*.b.test", "?*.b.test", ".b.test"],
    ["w?.test", "w??.test", "wx.test"],
  ])("%s and %s differ in %s", (before, after, name) => {
    expect(namesOf(before, after)).toContain(name);
  });

  test.each([
    ["w*.test", "w**.test"],
    ["*.b.test", "*.b.test www.b.test"],
  ])("twin: %s and %s match the same names", (before, after) => {
    expect(namesOf(before, after)).toEqual([]);
  });
});

test("a client that gets no redirect to a directory is not analyzed", () => {
  const variable = "BrowserMatch x redirect-carefully";
  expect(unprovedReasons("", variable)).toEqual([wordsOfReason(reasonFor("file-lookup"))]);
  expect(unprovedReasons("", "BrowserMatch x other")).toEqual([]);
});

describe("an error document that may replace the status", () => {
  const reason = wordsOfReason(reasonFor("error-document"));
  const withDocument = (lines: string) =>
    `ErrorDocument 403 /b/x.html\nRewriteEngine On\n<Location /b>\nRewriteEngine On\n${lines}\n</Location>\n`;

  test("is not analyzed if the sides differ in what its conditions find", () => {
    const rule = (flags: string) => `RewriteCond %{ENV:REDIRECT_STATUS} =403\nRewriteRule ^ - [${flags}]`;
    expect(unprovedReasons(withDocument(rule("R=410")), withDocument(rule("E=x:1")))).toContain(reason);
  });

  test("twin: does not keep other lines from a proof", () => {
    const rule = "RewriteCond %{ENV:REDIRECT_STATUS} =403\nRewriteRule ^ - [R=410]";
    const denied = at("/c", "Require all denied");
    expect(unprovedReasons(withDocument(rule), withDocument(rule) + denied)).not.toContain(reason);
  });
});

describe("TLS of a host", () => {
  const reason = wordsOfReason(reasonFor("client-certificates"));
  const inHost = (...lines: readonly string[]) =>
    `<VirtualHost *:443>\nServerName x.test\nSSLEngine on\n${lines.join("\n")}\n</VirtualHost>\n`;

  test.each([
    ["", "SSLVerifyClient require"],
    ["SSLVerifyClient optional", "SSLVerifyClient require"],
    ["SSLVerifyClient none", "SSLVerifyClient optional_no_ca"],
  ])("%j and %j: whether the handshake fails is not analyzed", (before, after) => {
    expect(unprovedReasons(inHost(before), inHost(after))).toEqual([reason]);
    expect(unprovedReasons(inHost(after), inHost(before))).toEqual([reason]);
  });

  test.each([
    ["SSLVerifyClient optional", "SSLVerifyClient optional_no_ca"],
    ["", "SSLVerifyClient optional_no_ca"],
  ])("%j and %j in a section accept other certificates", (before, after) => {
    expect(unprovedReasons(inHost(at("/x", before)), inHost(at("/x", after)))).toEqual([reason]);
  });

  test("a test of the certificate's owner has another result if its name is written otherwise", () => {
    const lines = (option: string) => inHost(option, at("/x", "Require expr \"%{SSL_CLIENT_S_DN} == 'CN=a'\""));
    const tested = wordsOfReason(reasonFor("value-in-condition"));
    expect(unprovedReasons(lines(""), lines("SSLOptions +LegacyDNStringFormat"))).toEqual([tested]);
  });

  test("twin: such an option does not matter without a test", () => {
    expect(unprovedReasons(inHost(""), inHost("SSLOptions +LegacyDNStringFormat"))).toEqual([]);
  });
});

describe("files that a handler reads", () => {
  const reason = wordsOfReason(reasonFor("file-of-handler"));

  test.each([
    ["", "Alias /m /srv/m.var\n"],
    ["", "RewriteEngine On\nRewriteRule ^/m /m.var\n"],
    ["", "DirectoryIndex m.var\n"],
  ])("%j and %j lead to another file", (before, after) => {
    const maps = "AddHandler type-map .var\n";
    expect(unprovedReasons(maps + before, maps + after)).toContain(reason);
    expect(unprovedReasons(before, after)).not.toContain(reason);
  });
});

// 2.4.71 answers PUT with 405 for a file, and a backend answers it.
test("files of an extension that a backend answers are compared for methods that files refuse", () => {
  const modules = ["authz_core", "mime", "mpm_event", "proxy", "proxy_http"].map(
    (name) => `LoadModule ${name}_module m.so`,
  );
  const handler = (extension: string) => `AddHandler proxy:http://127.0.0.1:81 ${extension}`;
  const verdict = (before: string, after: string) =>
    verdictOf([...modules, before].join("\n"), [...modules, after].join("\n"));
  expect(verdict("", handler(".txt"))).toBe("different");
  expect(verdict(handler(".txt"), handler(".html"))).toBe("different");
  expect(verdict(handler(".txt"), handler("txt"))).toBe("equivalent");
});

// 2.4.71 with mod_php 8.2: PUT is 405 for a file, and PHP answers it.
describe("the handler of a module that is not part of httpd, which may answer methods that files refuse", () => {
  const modules = ["authz_core", "mime", "mpm_prefork", "php", "lua"].map((name) => `LoadModule ${name}_module m.so`);
  const php = "AddHandler application/x-httpd-php .php";
  const type = "AddType application/x-httpd-php .php";
  const reasons = (before: string, after: string) =>
    unprovedReasons([...modules, before].join("\n"), [...modules, after].join("\n"));

  test.each([
    ["", php],
    ["", type],
    [php, `${php} .phtml`],
    [php, "AddHandler lua-script .php"],
    ["", "AddHandler lua-script .lua"],
    [php, `${php}\n<Location /a>\nRemoveHandler .php\n</Location>`],
    [php, `${php}\n<Location /a>\nSetHandler default-handler\n</Location>`],
    ["", folder(php)],
  ])("is not analyzed for an extension: %j, %j", (before, after) => {
    expect(reasons(before, after)).toContain(reason);
    expect(reasons(after, before)).toContain(reason);
  });

  test("does not hide that it may need ExecCGI", () => {
    const fastcgi = [...modules, "LoadModule fastcgi_module m.so", "AddHandler fastcgi-script .f"];
    const options = (words: string) => [...fastcgi, folder(`Options ${words}`)].join("\n");
    expect(unprovedReasons(options("ExecCGI"), options("None"))).toContain(reason);
    expect(unprovedReasons(options("ExecCGI Indexes"), options("ExecCGI"))).not.toContain(reason);
    for (const program of ["wsgi", "fcgid"]) {
      const lines = [...modules, `LoadModule ${program}_module m.so`, `AddHandler ${program}-script .x`];
      const side = (words: string) => [...lines, folder("Require all granted", `Options ${words}`)].join("\n");
      expect(verdictOf(side("ExecCGI"), side("None"))).toBe("different");
      expect(verdictOf(side("ExecCGI"), side("ExecCGI Indexes"))).toBe("equivalent");
    }
  });

  test.each([
    [php, php],
    [type, type],
    ["", "AddHandler frobnicate .x"],
    ["", "AddType text/x-php .php"],
    ["", "AddHandler cgi-script .cgi"],
    ["<Files *.php>\nSetHandler application/x-httpd-php\n</Files>", ""],
    [`${php}\nDirectoryIndex a.html`, `${php}\nDirectoryIndex b.html`],
  ])("twin: %j, %j", (before, after) => {
    expect(reasons(before, after)).not.toContain(reason);
  });
});

// 2.4.71 answers each pair differently: the modules that read the lines do more than the manual says.
describe("lines of modules with an effect on the answer", () => {
  const load = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module m.so\n`).join("");
  const all = "<Directory /srv>\nRequire all granted\n</Directory>\n";
  const inTest = (test: string) => `<Location /a.txt>\nRequire expr "${test}"\n</Location>\n`;
  const wordsOf = (code: Parameters<typeof reasonFor>[0]) => wordsOfReason(reasonFor(code));
  const variants = `${load("mime", "negotiation")}<Directory /srv/d>\nOptions +MultiViews\n</Directory>\n`;
  const program = `${load("alias", "cgi")}ScriptAlias /cgi-bin/ /srv/cgi/\n`;
  const ofVariable = (name: string) =>
    `${program}<Directory /srv/secret>\nRequire env REDIRECT_${name}\n</Directory>\n`;
  const requestLine = `${load("rewrite", "http2")}RewriteEngine On\nRewriteCond %{THE_REQUEST} "^[A-Z]+ /secret"\nRewriteRule ^ - [F]\n`;

  test.each([
    ["a type of a variant", variants, "AddType image/x .html", "variant"],
    ["a type of variants in a section", variants, "<Files *.html>\nForceType image/x\n</Files>", "variant"],
    ["no type of a variant", variants, "<Directory /srv/d>\nRemoveType .html\n</Directory>", "variant"],
    ["a cached file", load("file_cache", "alias"), "CacheFile /srv/a.txt", "effect-on-answer"],
    ["a mapped file", load("file_cache", "vhost_alias"), "MMapFile /srv/a.txt", "effect-on-answer"],
    ["a character set", load("charset_lite"), "CharsetSourceEnc BOGUS\nCharsetDefault UTF-8", "effect-on-answer"],
    ["a redirect of a backend", load("proxy", "proxy_scgi"), "ProxySCGIInternalRedirect Off", "effect-on-answer"],
    [
      "a variable of programs",
      ofVariable("HTTP_AUTHORIZATION"),
      "<Directory /srv/cgi>\nCGIPassAuth On\n</Directory>",
      "passed-on-request",
    ],
    ["the signature for programs", ofVariable("SERVER_SIGNATURE"), "ServerSignature On", "passed-on-request"],
    ["the URL for programs", ofVariable("REDIRECT_URL"), "QualifyRedirectURL On", "passed-on-request"],
    ["the request line of HTTP/2", requestLine, "H2ProxyRequests On", "protocol-of-connection"],
    [
      "a note of a module",
      load("log_forensic") + inTest("note('forensic-id') != ''"),
      "ForensicLog l",
      "value-in-condition",
    ],
    ["a number of a message", inTest("%{REQUEST_LOG_ID} == ''"), "LogLevel trace8", "value-in-condition"],
    ["a number of the connection", inTest("%{CONN_LOG_ID} == ''"), "ErrorLogFormat %M", "value-in-condition"],
  ] as const)("%s", (_, both, line, code) => {
    expect(unprovedReasons(`${all}${both}`, `${all}${both}${line}`)).toContain(wordsOf(code));
  });

  const login = "AuthType Basic\nAuthUserFile u\nRequire valid-user\n";
  const inP = (lines: string) => `<Location /p>\n${lines}\n</Location>\n`;

  // 2.4.71 checks all headers of a response, and returns 500 if one has a control character.
  test.each([
    ["a realm", load("auth_basic", "authn_file"), inP(`${login}AuthName x`), inP(`${login}AuthName "x\u0001y"`)],
    ["a computed realm", "", inP(`${login}AuthName x`), inP(`${login}AuthName "%{unescape:%{QUERY_STRING}}"`)],
    ["a type", load("mime"), "", 'AddType "text/ht\u0001ml" .html'],
    ["a redirect", load("alias"), "Redirect /x http://a/b", 'Redirect /x "http://a/\u0001b"'],
    ["a cookie", load("rewrite"), "", "RewriteEngine On\nRewriteRule ^/(.*) - [CO=n:$1:.x.com]"],
    ["a redirect without escapes", load("rewrite"), "", "RewriteEngine On\nRewriteRule ^/x(.*) http://a/$1 [R,NE]"],
    ["a path in a header", load("headers"), "", 'Header always set X-P "expr=%{REQUEST_URI}"'],
    [
      "a variable with the path in a header",
      `${load("headers", "rewrite")}RewriteEngine On\nHeader always set X-P "%{X}e"\n`,
      "RewriteRule (.*) - [E=X:a]",
      "RewriteRule (.*) - [E=X:$1]",
    ],
    ["an encoding of the message", load("headers"), "", "Header set Transfer-Encoding gzip"],
  ])("%s may be an invalid header", (_, both, before, after) => {
    const found = unprovedReasons(`${all}${both}${before}`, `${all}${both}${after}`);
    expect(found.some((each) => each === wordsOf("invalid-header") || each === wordsOf("effect-on-answer"))).toBe(true);
  });

  test.each([
    ["a redirect with escapes", load("rewrite"), "RewriteEngine On\nRewriteRule ^/x(.*) http://a/$1 [R]\n"],
    ["a constant header", load("headers"), 'Header always set X-P "abc"'],
    ["a variable without the path", load("headers"), 'SetEnvIf Origin (.*) O=$1\nHeader set X "%{O}e"'],
    ["a complete encoding", load("headers"), "Header set Transfer-Encoding chunked"],
    [
      "a redirect to one of a few words",
      load("rewrite"),
      "RewriteEngine On\nRewriteRule ^/(blog|news) http://a/$1 [R,NE]\n",
    ],
    [
      "an Alias beside a redirect without escapes",
      `${load("rewrite", "alias")}RewriteEngine On\nRewriteRule ^/x(.*) http://a/$1 [R,NE]\n`,
      "Alias /y /srv/y",
    ],
  ])("twin: %s is valid", (_, both, line) => {
    const found = unprovedReasons(`${all}${both}`, `${all}${both}${line}`);
    expect(found).not.toContain(wordsOf("invalid-header"));
  });

  test.each([
    [
      "the name in a certificate",
      "<Location /p>\nSSLUserName SSL_CLIENT_S_DN\nRequire user a\n</Location>\n",
      "SSLOptions +LegacyDNStringFormat",
    ],
    [
      "variables that an index file tests",
      "<Files index.html>\nRequire env SSL_PROTOCOL\n</Files>\n",
      "SSLOptions +StdEnvVars",
    ],
    ["sessions", inTest("%{SSL_SESSION_RESUMED} == 'Resumed'"), "SSLSessionCache shmcb:/x(512000)"],
  ])("TLS: %s", (_, both, line) => {
    expect(unprovedReasons(load("ssl") + all + both, load("ssl") + all + both + line)).not.toEqual([]);
    // Twin: nothing tests it.
    expect(unprovedReasons(load("ssl") + all, load("ssl") + all + line)).toEqual([]);
  });

  test("the login and a certificate have another value at another time", () => {
    const inIf = `<Location /p>\n${login}<If "%{AUTH_TYPE} == 'Basic'">\nRequire all granted\n</If>\n</Location>\n`;
    const inRequire = `<Location /p>\n${login}Require expr "%{AUTH_TYPE} == 'Basic'"\n</Location>\n`;
    expect(unprovedReasons(all + inIf, all + inRequire)).toContain(wordsOf("effect-on-answer"));
    expect(unprovedReasons(all + inIf, all + inIf)).toEqual([]);
  });

  const acts = (name: string) => wordsOfReason(reasonFor("module-acts", `${name}_module`));
  test.each([
    ["dir", ""],
    ["ssl", inP(login)],
    ["dav", "HttpProtocolOptions RegisteredMethods\n"],
    ["proxy_connect", `${load("proxy")}ProxyRequests On\n`],
    ["proxy_ftp", `${load("proxy")}ProxyRequests On\n`],
    ["cgid", '<Location /p>\nSetHandler "%{req:X}"\n</Location>\n'],
  ])("mod_%s of one side", (name, both) => {
    expect(unprovedReasons(all + both, all + load(name) + both)).toContain(acts(name));
  });

  test("mod_auth_mellon answers below a path of its own", () => {
    const reason = wordsOfReason(reasonFor("module-of-one-side", "auth_mellon_module"));
    expect(unprovedReasons(all, all + load("auth_mellon"))).toContain(reason);
  });

  test.each([
    ["ssl", ""],
    ["dav", ""],
    ["proxy_connect", load("proxy")],
    ["ssl", inP("AuthType None\nRequire all granted")],
    ["expires", '<Location /p>\nSetHandler "%{req:X}"\n</Location>\n'],
  ])("twin: mod_%s of one side without such lines", (name, both) => {
    expect(unprovedReasons(all + both, all + load(name) + both)).not.toContain(acts(name));
  });

  test.each([
    ["unique_id", "setenvif", `SetEnvIf UNIQUE_ID . ok\n${inP("Require env ok")}`],
    ["headers", "remoteip", `RemoteIPHeader X-F\nRequestHeader unset X-F early\n${inP("Require ip 10")}`],
    ["rewrite", "dir", "RewriteEngine On\nRewriteRule ^/a/ - [H=foo]\n"],
    ["auth_basic", "dir", inP(`${login}AuthBasicFake a b`)],
    ["file_cache", "userdir", "UserDir /srv/u/*\nCacheFile /srv/a.txt\n"],
    ["rewrite", "dav_fs", `${load("dav")}RewriteEngine On\nRewriteRule ^/a - [F]\n${inP("Dav On")}`],
  ])("the order of mod_%s and mod_%s", (one, other, both) => {
    const reason = wordsOfReason(reasonFor("order-of-modules", `${one}_module`, `${other}_module`));
    expect(unprovedReasons(load(one, other) + all + both, load(other, one) + all + both)).toContain(reason);
    // APR moves functions before which those of another module come.
    const withOther = load(one, other, "log_forensic") + all + both;
    expect(unprovedReasons(load(one, other) + all + both, withOther)).toContain(reason);
    // Twins: a module without an order of its own, and no such lines.
    const withIdle = load(one, other, "expires") + all + both;
    expect(unprovedReasons(load(one, other) + all + both, withIdle)).not.toContain(reason);
    expect(unprovedReasons(load(one, other) + all, load(other, one) + all)).toEqual([]);
  });

  test.each([
    [
      "FcgidPassHeader",
      `${program}<Directory /srv/secret>\nRequire env REDIRECT_X\n</Directory>\n`,
      "FcgidPassHeader X",
    ],
    ["NoProxy", `${load("proxy")}ProxyRequests On\n`, "NoProxy .example.com"],
    ["ProxyErrorOverride", `${load("proxy")}ErrorDocument 404 /x\n`, "ProxyErrorOverride On"],
    ["a backend that is off", load("proxy", "proxy_http"), "ProxyPass /p http://a/ status=D"],
    ["PHP's own page", load("php7"), "php_value auto_prepend_file a.php"],
    ["the group of a WSGI program", load("wsgi"), "WSGIProcessGroup x"],
    ["trailers", inTest("%{HTTP:X-A} == '1'"), "MergeTrailers On"],
  ])("%s", (_, both, line) => {
    expect(unprovedReasons(all + both, all + both + line)).not.toEqual([]);
  });

  describe("members of a balancer", () => {
    const pool = `${load("proxy", "proxy_http", "proxy_balancer", "slotmem_shm", "lbmethod_byrequests")}ProxyPass /x balancer://c/\n`;
    const member = (...words: readonly string[]) => `BalancerMember balancer://c ${words.join(" ")}\n`;
    const reasons = (before: string, after: string) => unprovedReasons(all + pool + before, all + pool + after);

    test.each([
      ["", member("http://10.0.0.1:80")],
      [member("http://10.0.0.1:80"), member("http://10.0.0.1:80", "status=+D")],
      [member("http://10.0.0.1:80"), member("https://10.0.0.1:80")],
      [member("http://10.0.0.1:80"), member("ws://10.0.0.1:80")],
      [member("http://a:80 route=a status=+D"), member("http://a:80 route=b status=+D")],
    ])("%j, %j", (before, after) => {
      expect(reasons(before, after)).not.toEqual([]);
    });

    test.each([
      ["another address", member("http://10.0.0.1:80"), member("http://10.0.0.2:81")],
      ["one more", member("http://10.0.0.1:80"), member("http://10.0.0.1:80") + member("http://10.0.0.2:80")],
      ["another time", member("http://10.0.0.1:80", "timeout=60"), member("http://10.0.0.1:80", "timeout=300 ping=5")],
      [
        "a spare",
        member("http://10.0.0.1:80"),
        member("http://10.0.0.1:80") + member("http://10.0.0.2:80", "status=+H"),
      ],
      ["another weight", member("http://10.0.0.1:80"), member("http://10.0.0.1:80", "loadfactor=2")],
    ])("twin: %s", (_, before, after) => {
      expect(reasons(before, after)).toEqual([]);
    });
  });

  test("a module that adds its name to that of the server", () => {
    const test = inTest("%{SERVER_SOFTWARE} =~ /OpenSSL/");
    expect(unprovedReasons(all + test, all + load("ssl") + test)).toContain(wordsOf("value-in-condition"));
  });

  test.each([
    ["types without variants", load("mime", "negotiation"), "AddType image/x .html"],
    ["types where variants are off", `${load("mime", "negotiation")}Options -MultiViews\n`, "AddType image/x .html"],
    ["processes of a WSGI program", `${load("wsgi")}WSGIDaemonProcess a processes=2\n`, ""],
    [
      "variables of programs that no line tests",
      program,
      "<Directory /srv/cgi>\nCGIPassAuth On\n</Directory>\nServerSignature On\nQualifyRedirectURL On",
    ],
    ["the request line of HTTP/2 that no line tests", load("http2"), "H2Direct On"],
    ["messages whose number no line tests", inTest("%{REQUEST_URI} == '/'"), "LogLevel trace8"],
    ["notes that no line tests", load("log_forensic"), "ForensicLog l"],
    ["another server's name", load("ssl"), ""],
  ])("twin: %s", (_, both, line) => {
    expect(unprovedReasons(`${all}${both}`, `${all}${both}${line}`)).toEqual([]);
  });
});

// 2.4.71: the limits of the first host apply, before the name is known.
describe("limits that count only in the first virtual host of an address", () => {
  const size = wordsOfReason(reasonFor("request-size"));
  const hostOf = (address: string, name: string, ...own: readonly string[]) =>
    [`<VirtualHost ${address}>`, ...(name === "" ? [] : [`ServerName ${name}`]), ...own, "</VirtualHost>"].join("\n");
  const [limited, other, third] = ["a.test", "b.test", "c.test"].map((name, index) =>
    hostOf("*:80", name, ...(index === 0 ? ["LimitRequestFields 3"] : [])),
  );

  test.each([
    ["with names", [limited, other]],
    ["without names", [hostOf("*:80", "", "LimitRequestFields 3"), hostOf("*:80", "")]],
    ["with a default address", [limited, hostOf("_default_:80", "b.test")]],
    ["with one address in common", [limited, hostOf("192.0.2.1 *:80", "b.test")]],
    [
      "with one address in common, and another one of the limited host",
      [hostOf("192.0.2.1 *:80", "a.test", "LimitRequestFields 3"), other],
    ],
    ["with a limit of the request line", [hostOf("*:80", "a.test", "LimitRequestLine 20"), other]],
  ])("are not analyzed if the hosts change places: %s", (_, hosts) => {
    expect(unprovedReasons(hosts.join("\n"), hosts.toReversed().join("\n"))).toContain(size);
    expect(unprovedReasons(hosts.join("\n"), hosts.join("\n"))).toEqual([]);
  });

  test.each([
    ["none of the hosts is the first", [third, limited, other], [third, other, limited]],
    ["each host is the first of its address", [limited, hostOf("*:81", "b.test")], [hostOf("*:81", "b.test"), limited]],
    ["the first one stays", [limited, other, third], [limited, third, other]],
  ])("twin: %s", (_, before, after) => {
    expect(unprovedReasons(before.join("\n"), after.join("\n"))).not.toContain(size);
  });
});

// 2.4.71: a program of mod_cgi that answers `Location: /private/` leads to 200 if a line sets `x`, and to 403 otherwise.
describe("requests that a program passes on to another URL", () => {
  const reason = wordsOfReason(reasonFor("passed-on-request"));
  const modules = [
    "authz_core",
    "alias",
    "cgi",
    "mime",
    "mpm_prefork",
    "proxy",
    "proxy_fcgi",
    "proxy_scgi",
    "setenvif",
  ];
  const loaded = modules.map((name) => `LoadModule ${name}_module m.so\n`).join("");
  const tested = "<Location /private>\nRequire env REDIRECT_x\n</Location>\n";
  const setting = "SetEnvIf Request_Method GET x\n";
  const reasons = (both: string) => unprovedReasons(loaded + both + tested, loaded + setting + both + tested);

  test.each([
    "ScriptAlias /cgi-bin/ /srv/cgi/\n",
    "AddHandler cgi-script .cgi\n",
    "<Location /app>\nSetHandler cgi-script\n</Location>\n",
    "ProxyPass /app scgi://127.0.0.1:4000/\n",
    "AddHandler fcgid-script .fcgi\nLoadModule fcgid_module m.so\n",
  ])("%j", (program) => {
    expect(reasons(program)).toContain(reason);
  });

  test.each([
    "",
    "ProxyPass /app http://127.0.0.1:4000/\n",
    // mod_proxy_fcgi sends the header to the client.
    "ProxyPass /app fcgi://127.0.0.1:9000/\n",
    "AddHandler send-plain .cgi\n",
  ])("twin: %j passes none on", (handler) => {
    expect(reasons(handler)).not.toContain(reason);
  });
});

// 2.4.71: `POST` to a program that answers `Location: /app/p.txt` leads to 200 if the same sections apply to both URLs, and to 403
// if one more applies, because only then access is checked again for `GET /app/p.txt`.
describe("sections that apply to a URL to which a program passes requests on", () => {
  const reason = wordsOfReason(reasonFor("passed-on-request"));
  const modules = ["authz_core", "authz_host", "allowmethods", "access_compat", "mime", "cgi", "setenvif"];
  const loaded = modules.map((name) => `LoadModule ${name}_module m.so\n`).join("");
  const program = "AddHandler cgi-script .x\n";
  const inApp = (lines: string) => `<Directory /srv/app>\nOptions +ExecCGI\n${lines}\n</Directory>\n`;

  const sections = [
    "<Files p.txt>\n</Files>",
    "<Files p.txt>\nRequire method POST\n</Files>",
    '<If "%{REQUEST_URI} =~ /p/">\nRequire method POST\n</If>',
  ];
  const checks = [
    "Require method POST",
    "Require env x",
    "Require expr \"%{REQUEST_URI} == '/app/go.x'\"",
    "AllowMethods POST",
    "<LimitExcept POST>\nRequire all denied\n</LimitExcept>",
    "<Limit GET>\nOrder deny,allow\nDeny from all\n</Limit>",
    "Order deny,allow\nDeny from all\nAllow from env=x",
  ];

  test.each(sections.flatMap((section) => checks.map((check) => [section, check])))("%j, %j", (section, check) => {
    const [before, after] = [check, `${check}\n${section}`].map(inApp);
    expect(unprovedReasons(loaded + program + before, loaded + program + after)).toContain(reason);
    // Twin: without a program, no request is passed on.
    expect(unprovedReasons(loaded + before, loaded + after)).not.toContain(reason);
  });

  test("AllowOverride decides which `.htaccess` files apply", () => {
    const [before, after] = ["None", "All"].map((classes) => inApp(`Require method POST\nAllowOverride ${classes}`));
    expect(unprovedReasons(loaded + program + before, loaded + program + after)).toContain(reason);
  });

  const ofClients = ["Require all granted", "Require ip 10", "Require not ip 10", "Require valid-user", "Deny from 10"];
  test.each(ofClients)("twin: %j has one result for both URLs", (check) => {
    const [before, after] = [check, `${check}\n<Files p.txt>\n</Files>`].map(inApp);
    expect(unprovedReasons(loaded + program + before, loaded + program + after)).not.toContain(reason);
  });

  test("twin: lines in sections of both sides do not matter", () => {
    const [before, after] = ["Require method POST", "Require method GET"].map(inApp);
    expect(unprovedReasons(loaded + program + before, loaded + program + after)).not.toContain(reason);
  });
});

describe("requests that a type map passes on to another URL", () => {
  const reason = wordsOfReason(reasonFor("passed-on-request"));
  const maps = "AddHandler type-map .var\n";
  const ifHeader = "<If \"%{HTTP:X-A} == '1'\">\nRequire valid-user\n</If>\n";
  const ifRedirected = (line: string) => `<If "-n reqenv('REDIRECT_STATUS')">\n${line}\n</If>\n`;

  test.each([
    // 2.4.71 asks for a login at the URL of the variant.
    ["RequestHeader append X-A 1\n", "RequestHeader unset Cookie\n", ifHeader],
    ["", '<Location "/">\nRequestHeader set X-A 1\n</Location>\n', ifHeader],
    // The variable has another name at the URL of the variant.
    ["SetEnvIf Remote_Addr ^10\\. a\nRequire env a\n", "SetEnvIf Remote_Addr ^10 b\nRequire env b\n", ""],
    [ifRedirected("Require all denied"), ifRedirected("Require ip 10"), ""],
    ["Require env REDIRECT_a\n", "Require all denied\n", ""],
  ])("%j and %j change what such a request has", (before, after, both) => {
    const inRoot = (lines: string) =>
      /^(?:SetEnvIf|Require)/.test(lines) ? `<Location />\n${lines}</Location>\n` : lines;
    expect(unprovedReasons(maps + inRoot(before) + both, maps + inRoot(after) + both)).toContain(reason);
    // Twin: without a type map, no handler passes on requests.
    expect(unprovedReasons(inRoot(before) + both, inRoot(after) + both)).not.toContain(reason);
  });

  test.each([
    ["a header that no line reads", "", "RequestHeader set X-A 1\n"],
    ["a variable that no line reads", "SetEnvIf User-Agent a b\n", "SetEnvIf User-Agent c b\n"],
    [
      "lines that test what both sides have",
      "SetEnvIf User-Agent a b\n<Location />\nOrder deny,allow\nDeny from all\nAllow from env=b\n</Location>\n",
      "SetEnvIf User-Agent a b\n<Location />\nRequire env b\n</Location>\n",
    ],
  ])("twin: %s does not matter", (_, before, after) => {
    expect(unprovedReasons(maps + before, maps + after)).not.toContain(reason);
  });

  // The lines that test variables of a redirect are on both sides: only requests that were passed on meet the others.
  test.each([
    [
      "a variable that a Require line reads",
      "<Location />\n<RequireAll>\nRequire env REDIRECT_x\nRequire ip 10\n</RequireAll>\n</Location>\n",
    ],
    [
      "the status of a redirect in a condition",
      "RewriteEngine On\nRewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^ - [F]\n<Location />\nRequire ip 10\n</Location>\n",
    ],
    [
      "a variable in an expression",
      "<If \"-z reqenv('REDIRECT_x')\">\nRequire all denied\n</If>\n<Else>\nRequire ip 10\n</Else>\n",
    ],
  ])("are counted: %s", (_, lines) => {
    const changed = lines.replace("ip 10", "ip 11");
    expect(verdictOf(maps + lines, maps + changed)).not.toBe("equivalent");
    // Twins: the same access for the same addresses, and no requests that were passed on.
    expect(verdictOf(maps + lines, maps + lines.replace("ip 10", "ip 10.0.0.0/8"))).toBe("equivalent");
    expect(verdictOf(lines, changed)).toBe("equivalent");
  });
});

describe("an upgrade is not kept from a proof", () => {
  const options = (words: string) => `<Directory /srv>\nOptions ${words}\n</Directory>\n`;

  test.each([
    ["by a line that 2.4 refuses, and that both sides have", options("-Indexes FollowSymLinks MultiViews"), undefined],
    [
      "by the correction of that line",
      options("-Indexes FollowSymLinks MultiViews"),
      options("FollowSymLinks MultiViews"),
    ],
    ["by modules that 2.2 does not have", "", undefined],
  ])("%s", (_, before, after) => {
    expect(reasonsInUpgrade(before, after ?? before)).toEqual([]);
  });

  test("by a line of the whole server that has an effect on the answer only in a section", () => {
    const [before, after] = ["SSLCipherSuite HIGH", "SSLCipherSuite MEDIUM"];
    const inSection = (line: string) => `<Directory /srv>\n${line}\n</Directory>\n`;
    expect(reasonsInUpgrade(before, after)).toEqual([]);
    expect(reasonsInUpgrade(inSection(before), inSection(after))).not.toEqual([]);
  });

  test.each([
    ["Indexes MultiViews", "Indexes"],
    ["+MultiViews", "-MultiViews"],
    ["MultiViews", "+MultiViews"],
  ])("twin: but by MultiViews on one side: %s, %s", (before, after) => {
    expect(reasonsInUpgrade(options(before), options(after))).toContainEqual(
      expect.stringMatching(/variant of a file/),
    );
  });
});

test("a line with a relative file has one reason, and the folder of the server is one only without another", () => {
  const reasonsOf = (line: string) => {
    const [before, after] = ["/a", "/b"].map((root) =>
      loadText(`ServerRoot ${root}\nDocumentRoot /srv\n${line}\n`, { kind: "server", release: "2.4" }),
    );
    if (before === undefined || after === undefined) throw new Error("no sides");
    return findUnprovedDifferences(before, after).map(({ reason }) => reason);
  };
  expect(reasonsOf("RemoteIPTrustedProxyList conf/list")).toEqual([reasonFor("client-address")]);
  expect(reasonsOf("SSLCACertificateFile conf/ca.crt")).toEqual([reasonFor("relative-file")]);
  expect(reasonsOf("SSLCACertificateFile /a/conf/ca.crt")).toEqual([]);
});

test("equal lines do not differ, whatever they do in a release", () => {
  const text = `DocumentRoot /srv\nDefaultType application/x-httpd-cgi\nAuthDefaultAuthoritative Off\nFrobnicate On\n`;
  const sides = (["2.2", "2.4"] as const).map((release) => loadText(text, { kind: "server", release }));
  const [before, after] = sides;
  expect(before && after && findUnprovedDifferences(before, after)).toEqual([]);
});

describe("a difference beside a part that is not read", () => {
  const section = (rule: string) => `<Location "/a">\nRequire all ${rule}\n</Location>`;
  const verdictOf = (before: string, after: string) => {
    const side = (lines: string) => ({
      project: loadText(`DocumentRoot /srv\n${lines}\n`, { kind: "server" }),
      semantics: "server" as const,
    });
    return compare(side(before), side(after)).verdict;
  };

  test.each(["{% include 'sites.conf' %}", "Include ${SITES}/*.conf"])("is not certain with %s", (unread) => {
    expect(verdictOf(`${section("granted")}\n${unread}`, `${section("denied")}\n${unread}`)).toBe("unknown");
  });

  test("twin: is certain if all was read", () => {
    expect(verdictOf(section("granted"), section("denied"))).toBe("different");
  });
});

describe("a line of a .htaccess file that the server rejects is a difference, whatever it would do", () => {
  const withLine = (line: string) => {
    const files = {
      "/etc/httpd/httpd.conf": 'DocumentRoot /srv\n<Directory "/srv">\nAllowOverride All\n</Directory>\n',
      "/srv/a/.htaccess": `SetEnv A 1\n${line}\n`,
    };
    const modules = ["authz_core", "authz_host", "setenvif", "env", "mime", "autoindex", "headers", "expires", "dir"];
    return { project: load(files, { release: "2.4", kind: "server", modules }), semantics: "server" } as const;
  };

  test.each([
    "SetEnv",
    "SetEnvIf X ( dontlog",
    "BrowserMatch ( dontlog",
    "Header set",
    "AddEncoding",
    "AddDescription x",
    "IndexOptions Bogus",
    "ErrorDocument 999 x",
    "ExpiresActive maybe",
    "FileETag Bogus",
    "ServerSignature x",
    "ErrorLog x",
    "KeepAlive On",
    "LogLevel bogus",
  ])("%s", (line) => {
    const { verdict, differences } = compare(withLine(""), withLine(line));
    const [first] = differences;
    expect([verdict, first?.request.path, first?.after.status]).toEqual(["different", "/a/a", 500]);
  });

  test.each(["SetEnv B 1", "SetEnvIf X 1 dontlog", "Header set X-A 1", "ExpiresActive On", "# KeepAlive On"])(
    "twin: %s is accepted",
    (line) => expect(compare(withLine(""), withLine(line)).verdict).toBe("equivalent"),
  );
});

describe("a line whose effect depends on where its side is", () => {
  const inFolder = (folder: string, ...lines: readonly string[]) =>
    `<Directory "${folder}">\n${lines.join("\n")}\n</Directory>\n`;
  const login = inFolder(
    "/srv/x",
    ...["AuthType Basic", "AuthName x", "AuthBasicProvider file", "AuthUserFile conf/users", "Require valid-user"],
  );
  const resultOf = (before: string, after: string, files: readonly Readonly<Record<string, string>>[] = [{}, {}]) => {
    const [one, other] = [before, after].map((text, index) => ({
      project: load({ "/etc/httpd/httpd.conf": text, ...files[index] }, { kind: "server" }),
      semantics: "server" as const,
    }));
    if (one === undefined || other === undefined) throw new Error("no sides");
    return compare(one, other);
  };

  test("is open for a relative file if only one side names its ServerRoot", () => {
    expect(resultOf(`ServerRoot /etc/httpd\n${login}`, login).verdict).toBe("unknown");
    expect(resultOf(login, login).verdict).toBe("equivalent");
  });

  test("twin: does not differ in a `.htaccess` file of two copies of a server", () => {
    const copy = (root: string) =>
      `ServerRoot ${root}\nDocumentRoot ${root}/htdocs\n${inFolder(`${root}/htdocs`, "AllowOverride All", "Require all granted")}`;
    const fileOf = (root: string) => ({ [`${root}/htdocs/.htaccess`]: "SecFilterEngine On\n" });
    const { verdict } = resultOf(copy("/opt/a"), copy("/opt/b"), [fileOf("/opt/a"), fileOf("/opt/b")]);
    expect(verdict).toBe("equivalent");
  });

  test("is named if another folder gets another file of users", () => {
    const folder = (name: string) =>
      inFolder(
        `/srv/${name}`,
        ...["AuthType Basic", "AuthName x", "AuthBasicProvider file", `AuthUserFile /${name}`, "Require valid-user"],
      );
    const folders = folder("a") + folder("b");
    const { unproved } = resultOf(`DocumentRoot /srv/a\n${folders}`, `DocumentRoot /srv/b\n${folders}`);
    expect(unproved.map(({ directive }) => directive?.argumentText)).toEqual(["/b"]);
  });
});

test("a proof for all but home directories is one only if nothing else is open", () => {
  const exceptOf = (before: string, after: string) => {
    const side = (lines: string) => ({
      project: loadText(`DocumentRoot /srv\n${lines}\n`, { kind: "server" }),
      semantics: "server" as const,
    });
    return compare(side(before), side(after)).provedExcept;
  };
  expect(exceptOf("UserDir w\nDirectoryIndex a", "UserDir w")).toBe("user-directories");
  expect(exceptOf("SecFilterEngine On", "SecFilterEngine Off")).toBeUndefined();
  expect(exceptOf("UserDir w\nDirectoryIndex a\nSecFilterEngine On", "UserDir w\nSecFilterEngine Off")).toBeUndefined();
});

test("Options of 2.2 with signs and without one replace MultiViews", () => {
  const side = (options: string) => ({
    project: loadText(
      `DocumentRoot /srv\n<Directory /srv>\nOptions MultiViews\n</Directory>\n<Directory /srv/a>\n${options}\n</Directory>\n`,
      { kind: "server", release: "2.2" },
    ),
    semantics: "server" as const,
  });
  const { unproved } = compare(side("Options Indexes +ExecCGI"), side("Options +Indexes"));
  expect(unproved.map((each) => each.reason)).toContain("which variant of a file the server chooses is not analyzed");
});

test.each([
  ["Alias /p/d /srv/d", ""],
  ["Redirect /p/d http://x.test/", ""],
  ["", "ProxyPass /q http://127.0.0.1:9/"],
])("reports a line beside a path that is mapped as sent between %j and %j", (before, after) => {
  const expected = "it matches the path as sent, and paths with unnecessary escapes are not analyzed";
  const early = "ProxyPass /p http://127.0.0.1:9/ mapping=encoded\n";
  expect(unprovedReasons(early + before, early + after)).toContain(expected);
  expect(unprovedReasons(before, after)).not.toContain(expected);
});

describe("a difference that needs another file on each side", () => {
  const alias = (target: string) => `Alias /z ${target}\n<Directory /srv/priv>\nRequire all denied\n</Directory>`;

  test("is not proved", () => {
    expect(unprovedReasons(alias("/srv/priv"), alias("/srv/priv/"))).toEqual([
      "the two sides reach the same files by different paths, and which of these files exist is not analyzed",
    ]);
  });

  test("is shown if one file is enough", () => {
    expect(unprovedReasons(alias("/srv/priv"), alias("/srv/other"))).toEqual([]);
  });
});

test.each([
  ["LoadModule unique_id_module m.so", "<Location /a>\nRequire env UNIQUE_ID\n</Location>", "value-in-condition"],
  ["LoadModule deflate_module m.so", "SetInputFilter DEFLATE", "body-filter"],
] as const)("reports %j of one side if %j uses it", (load, line, code) => {
  expect(unprovedReasons(`${load}\n${line}`, line)).toContain(wordsOfReason(reasonFor(code)));
  // Twin: nothing uses it.
  expect(unprovedReasons(load, "")).toEqual([]);
});

test("reports mod_speling before and after mod_dir if it corrects URLs", () => {
  const [speling, dir] = ["LoadModule speling_module s.so", "LoadModule dir_module d.so"];
  const reasons = (more: string) => unprovedReasons(`${speling}\n${dir}\n${more}`, `${dir}\n${speling}\n${more}`);
  const reason = reasonFor("order-of-modules", "speling_module", "dir_module");
  expect(reasons("CheckSpelling On")).toContain(wordsOfReason(reason));
  expect(reasons("CheckSpelling Off")).toEqual([]);
});

test.each([
  ["SetInputFilter DEFLATE", "RequestHeader unset Content-Encoding"],
  ["SetOutputFilter INFLATE", "AddEncoding x-gzip .gz"],
  ["AddOutputFilterByType INFLATE text/plain", "<Location /a>\nForceType text/plain\n</Location>"],
  ["FilterDeclare f\nFilterProvider f INFLATE \"reqenv('v') == '1'\"\nFilterChain f", "SetEnvIf X-A 1 v"],
])("reports what the filter of %j reads: %j", (filter, line) => {
  const expected = wordsOfReason(reasonFor("body-filter"));
  expect(unprovedReasons(`${filter}\n${line}`, filter)).toContain(expected);
  expect(unprovedReasons(line, "")).not.toContain(expected);
});
describe("Options of 2.2 with and without signs", () => {
  const linkReason = wordsOfReason(reasonFor("symbolic-links"));
  const both = (before: string, after: string) => {
    const inside = (words: string) => `<Directory /srv>\nOptions ${words}\n</Directory>\n`;
    return reasonsInUpgrade(inside(before), inside(after)).filter((each) => each === linkReason);
  };

  test.each([
    ["-Indexes FollowSymLinks", "FollowSymLinks"],
    ["-Indexes ExecCGI", "ExecCGI"],
    ["-FollowSymLinks SymLinksIfOwnerMatch", "SymLinksIfOwnerMatch"],
  ])("`%s` says of symbolic links what `%s` says in 2.4", (before, after) => {
    expect(both(before, after)).toEqual([]);
  });

  test.each([
    ["-Indexes ExecCGI", "+ExecCGI"],
    ["-FollowSymLinks ExecCGI", "FollowSymLinks"],
    ["+FollowSymLinks ExecCGI", "FollowSymLinks"],
  ])("`%s` says of them something else than `%s`", (before, after) => {
    expect(both(before, after)).toEqual([linkReason]);
  });
});

test("advises to turn off a forward proxy that keeps access lines from a proof", () => {
  const side = (rule: string) => ({
    project: loadText(`ProxyRequests On\n<Proxy *>\n${rule}\n</Proxy>\n`, { kind: "server" }),
    semantics: "server" as const,
  });
  const { unproved } = compare(side("Require all denied"), side("Require all granted"));
  expect(unproved.flatMap(({ help }) => help ?? [])).toEqual([
    "set `ProxyRequests Off` if clients do not use the server as their proxy; a reverse proxy works without it",
  ]);
});

describe("a variable that no line sets", () => {
  const verdictFor = (name: string, lines: string) => {
    const side = (access: string) =>
      ({
        project: loadText(`DocumentRoot /srv\n${lines}\n<Location /a>\n${access}\n</Location>\n`, {
          kind: "server",
          modules: ["authz_core", "alias", ...(lines === "" ? [] : ["lua", "auth_mellon"])],
        }),
        semantics: "server",
      }) as const;
    return compare(side(`Require env ${name}`), side("Require all denied")).verdict;
  };

  test.each([
    ["REDIRECT_x", "LuaScope once"],
    ["MELLON_urn:oid:1.3", "LoadModule auth_mellon_module a.so"],
    ["REDIRECT_x", "LoadModule auth_mellon_module a.so"],
    ["x", ""],
  ])("may be set by a module: %s with %j", (name, lines) => {
    expect(verdictFor(name, lines)).not.toBe("equivalent");
  });

  test.each(["REDIRECT_x", "%{HTTP:X-A}"])("twin: is not set for a new request: %s", (name) => {
    expect(verdictFor(name, "")).toBe("equivalent");
  });
});

// 2.4.71 with mod_cgi, mod_proxy_scgi, mod_fcgid and mod_php: each pair has another answer to some request.
describe("programs that pass requests on, and scripts of other modules", () => {
  const names = ["authz_core", "alias", "cgi", "env", "fcgid", "mime", "mpm_prefork", "php", "proxy", "proxy_scgi"];
  const loaded = [...names, "rewrite", "setenvif"].map((name) => `LoadModule ${name}_module m.so\n`).join("");
  const passing = "ScriptAlias /cgi-bin/ /srv/cgi/\n";
  const tested = "<Location /private>\nRequire env REDIRECT_x\n</Location>\n";
  const setting = "SetEnvIf Request_Method GET x\n";
  const rule = "RewriteEngine On\nRewriteRule ^/cgi - [E=x:1]\n";
  const verdict = (before: string, after: string) => verdictOf(loaded + before, loaded + after);

  test.each<[about: string, before: string, after: string]>([
    [
      "an earlier rule that ends",
      passing + tested + rule,
      passing + tested + rule.replace("On\n", "On\nRewriteRule ^/cgi - [L]\n"),
    ],
    ["the engine", passing + tested + rule, passing + tested + rule.replace("On", "Off")],
    [
      "a flag for the handler",
      `RewriteEngine On\nRewriteRule ^/c - [H=cgi-script]\n${tested}`,
      `RewriteEngine On\nRewriteRule ^/c - [H=cgi-script]\n${tested}${setting}`,
    ],
    [
      "SCGI without a host",
      `<Location /c>\nSetHandler "proxy:unix:/run/s.sock|scgi:"\n</Location>\n${tested}`,
      `<Location /c>\nSetHandler "proxy:unix:/run/s.sock|scgi:"\n</Location>\n${tested}${setting}`,
    ],
    [
      "an alias of a provider",
      `${passing}<AuthzProviderAlias env foo REDIRECT_x>\n</AuthzProviderAlias>\n<Location /p>\nRequire foo\n</Location>\n`,
      `${passing}<AuthzProviderAlias env foo REDIRECT_x>\n</AuthzProviderAlias>\n<Location /p>\nRequire foo\n</Location>\n${setting}`,
    ],
    [
      "the engine of PHP",
      "AddHandler application/x-httpd-php .php\n",
      "AddHandler application/x-httpd-php .php\nphp_flag engine off\n",
    ],
    [
      "files that do not exist",
      "AddHandler fcgid-script .f\nFcgidWrapper /bin/x .f\n",
      "AddHandler fcgid-script .f\nFcgidWrapper /bin/x .f virtual\n",
    ],
  ])("are not proved alike with another %s", (_, before, after) => {
    expect(verdict(before, after)).not.toBe("equivalent");
  });

  test.each<[about: string, before: string, after: string]>([
    [
      "access lines",
      `${passing}${tested}<Location /a>\nOrder deny,allow\nDeny from all\n</Location>\n`,
      `${passing}${tested}<Location /a>\nRequire all denied\n</Location>\n`,
    ],
    [
      "a setting of PHP",
      "AddHandler application/x-httpd-php .php\n",
      "AddHandler application/x-httpd-php .php\nphp_value memory_limit 64M\n",
    ],
    [
      "the command of a wrapper",
      "AddHandler fcgid-script .f\nFcgidWrapper /bin/x .f\n",
      "AddHandler fcgid-script .f\nFcgidWrapper /bin/y .f\n",
    ],
  ])("twin: %s", (_, before, after) => {
    expect(verdict(before, after)).toBe("equivalent");
  });
});
