import { describe, expect, test } from "vitest";
import {
  findingsOf,
  type Given,
  inDirectory,
  lintText,
  onServer,
  section,
  wholeServer,
} from "../../test/support/rules.js";
import { neverMatchingName } from "./never-matching-name.js";

const check = (line: string, given?: Given) =>
  findingsOf([neverMatchingName], inDirectory(line), given).map(({ severity, text }) => [severity, text]);

describe("a word that never matches", () => {
  test.each([
    ["Allow from 10.0.0.1,10.0.0.2", "warning", "10.0.0.1,10.0.0.2"],
    ["Allow from 10.0.0.1, 10.0.0.2", "warning", "10.0.0.1,"],
    ["Deny from a.example, b.example", "error", "a.example,"],
    ["Deny from 127.0.0.1-127.0.0.9", "error", "127.0.0.1-127.0.0.9"],
    ["Require host 10.0.0.0-10.0.0.9", "warning", "10.0.0.0-10.0.0.9"],
    ['Deny from "127.0.0.1 127.0.0.2"', "error", '"127.0.0.1 127.0.0.2"'],
    ["Deny from 127.0.0.1;127.0.0.2", "error", "127.0.0.1;127.0.0.2"],
    ["Require user alice;bob", "warning", "alice;bob"],
    ["Require user *", "warning", "*"],
    ["Require group *", "warning", "*"],
    ["Allow from none", "info", "none"],
    ["Deny from env", "error", "env"],
    ["Allow from @lan", "warning", "@lan"],
    ["Deny from all,", "error", "all,"],
    ["Allow from *.example.org", "warning", "*.example.org"],
    ["Deny from *", "error", "*"],
    ["Require host 127.0.0.1", "warning", "127.0.0.1"],
    ["Require host 10.0.0.0/8", "warning", "10.0.0.0/8"],
    ["Require host ::1", "warning", "::1"],
    ["Require host a.example,b.example", "warning", "a.example,b.example"],
    ["Require host *.example.org", "warning", "*.example.org"],
    ["Require host http://example.org/", "warning", "http://example.org/"],
    ["Require host all", "warning", "all"],
    ["Require forward-dns a.example,b.example", "warning", "a.example,b.example"],
    ["Require user alice, bob", "warning", "alice,"],
    ["Require group staff,admins", "warning", "staff,admins"],
    ["Require valid-user alice", "error", "alice"],
    ["Require env !bot", "warning", "!bot"],
    ["<RequireAll>\nRequire all granted\nRequire not host 10.1.2.3\n</RequireAll>", "error", "10.1.2.3"],
  ])("reports %s", (line, severity, text) => {
    expect(check(line)).toEqual([[severity, text]]);
  });

  test.each([
    "Allow from 10.0.0.1 10.0.0.2",
    "Deny from none",
    "Deny from env=bad",
    "Allow from a-1.example-2.org",
    'Allow from "10.0.0.1"',
    'Require user "Doe; John" "John Doe" a*',
    "Require user @lan",
    "Require host none.example",
    "Deny from env=a,b",
    "Require host example.org .example.net localhost",
    "Require forward-dns 10.0.0.1",
    'Require user "Doe, John"',
    "Require ldap-group cn=a,dc=b",
    "Require ip 10.0.0.1,10.0.0.2",
    "Require env a,b",
    "<RequireAll>\nRequire all granted\nRequire not env bot\n</RequireAll>",
    "Require valid-user",
    "Require valid-user # all of them",
    "Require host {{ host }} @HOST@ %HOST%",
    "Order allow,deny",
  ])("does not report %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test.each([
    ["Allow from 10.*", "use `10`"],
    ["Allow from 10.1.*.*", "use `10.1`"],
    ["Require host 10.1.2.*", "use `Require ip 10.1.2`"],
    ["Allow from 300.*", "use a domain, or `all`"],
    ["Allow from 10.*.1", "use a domain, or `all`"],
    ["Allow from *.example.org", "use `.example.org` for the whole domain"],
  ])("suggests a replacement for %s", (line, remedy) => {
    const [finding] = findingsOf([neverMatchingName], inDirectory(line));
    expect(finding?.help).toEqual([remedy]);
  });

  test.each(["intranet", "LAN", "corp", "home", "internal"])("Require host %s may be meant as a domain", (word) => {
    for (const line of [`Require host ${word}`, `Order deny,allow\nDeny from all\nAllow from ${word}`])
      expect(findingsOf([neverMatchingName], inDirectory(line))).toMatchObject([
        {
          severity: "info",
          text: word,
          message: expect.stringContaining(`\`${word}\` matches only a host of this name`),
        },
      ]);
    expect(findingsOf([neverMatchingName], inDirectory(`Require host .${word} www.${word}`))).toEqual([]);
  });

  test("reports the effect and the reason", () => {
    expect(findingsOf([neverMatchingName], inDirectory("Deny from a,b"))).toMatchObject([
      {
        message: "`a,b` never matches and denies nobody",
        notes: ["commas do not separate arguments"],
        help: ["use spaces instead"],
      },
    ]);
    expect(findingsOf([neverMatchingName], inDirectory("Require host 127.0.0.1"))).toMatchObject([
      {
        message: "`127.0.0.1` never matches and allows nobody",
        notes: ["`Require host` compares host names, not addresses"],
        help: ["use `Require ip 127.0.0.1`"],
      },
    ]);
    expect(findingsOf([neverMatchingName], inDirectory("Require valid-user alice"))).toMatchObject([
      {
        message: "`Require valid-user` ignores `alice`",
        notes: ["every user with a password is allowed, not only `alice`"],
        help: ["use `Require user` with the names"],
      },
    ]);
  });

  test("reports only providers of 2.2 for 2.2", () => {
    expect(check("Allow from a,b\nRequire user a, b\nRequire host 127.0.0.1", { release: "2.2" })).toEqual([
      ["warning", "a,b"],
      ["warning", "a,"],
    ]);
  });
});

test.each([
  ["Allow from a,b", "a b"],
  ["Require user alice, bob", "alice"],
  ["Require host 127.0.0.1", undefined],
  ["Deny from ,", undefined],
])("fixes %s", (line, text) => {
  expect(lintText([neverMatchingName], inDirectory(line))[0]?.fix?.edits[0]?.text).toBe(text);
});

describe("reports a trusted proxy that is not believed about clients in private networks", () => {
  const home = section("Location /admin", "Require ip 192.168.1.0/24");
  const behind = (proxies: readonly string[], content = home) =>
    onServer(`${["RemoteIPHeader X-Forwarded-For", ...proxies].join("\n")}\n${content}`);
  const find = (text: string) => findingsOf([neverMatchingName], text);

  test("with the answer to its clients", () => {
    expect(find(behind(["RemoteIPTrustedProxy 10.0.0.0/8"]))).toMatchObject([
      {
        severity: "warning",
        text: "RemoteIPTrustedProxy 10.0.0.0/8",
        message: "`RemoteIPTrustedProxy 10.0.0.0/8` ignores private addresses of clients",
        notes: [
          "a client of the proxy keeps the address of the proxy if its own address is private",
          "`Require ip 192.168.1.0/24` does not match such a client",
          "GET `/admin` from 10.0.0.1 returns 403 (AH01630)",
        ],
        help: ["use `RemoteIPInternalProxy` for proxies with clients in private networks"],
        related: [expect.stringContaining("clients of the proxy do not have such an address")],
      },
    ]);
  });

  const compat = section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10.1.0.0/16");
  const ban = section("Location /a", "Order allow,deny", "Allow from all", "Deny from 10.1.2.3");
  const notIp = section(
    "Location /a",
    "<RequireAll>",
    "Require all granted",
    "Require not ip 10.1.2.3",
    "</RequireAll>",
  );
  test.each([
    ["on the same machine", ["RemoteIPTrustedProxy 127.0.0.1"], home],
    ["in the same network", ["RemoteIPTrustedProxy 192.168.1.2"], section("Location /a", "Require ip 192.168.1.20")],
    ["several networks", ["RemoteIPTrustedProxy 192.168.0.0/16 172.16.0.0/12"], home],
    ["beside public proxies", ["RemoteIPTrustedProxy 203.0.113.0/24", "RemoteIPTrustedProxy 10.0.0.7"], home],
    ["Allow from", ["RemoteIPTrustedProxy 127.0.0.1"], compat],
    ["Deny from", ["RemoteIPTrustedProxy 127.0.0.1"], ban],
    ["Require not ip", ["RemoteIPTrustedProxy 127.0.0.1"], notIp],
    ["an IPv6 network", ["RemoteIPTrustedProxy fd00::1"], section("Location /a", "Require ip fd00:1::/64")],
    ["two sections", ["RemoteIPTrustedProxy 127.0.0.1"], home + section("Location /b", "Require ip 10.1.0.0/16")],
    [
      "a virtual host with the lines of the main server",
      ["RemoteIPTrustedProxy 127.0.0.1"],
      section("VirtualHost *:80", "ServerName a.test", home.trimEnd()),
    ],
  ])("%s", (_, proxies, content) => {
    expect(find(behind(proxies, content))).toHaveLength(1);
  });

  test.each([
    ["RemoteIPInternalProxy", behind(["RemoteIPInternalProxy 10.0.0.0/8"])],
    ["both lists", behind(["RemoteIPTrustedProxy 203.0.113.7", "RemoteIPInternalProxy 10.0.0.0/8"])],
    ["public proxies, beside which clients of the network connect", behind(["RemoteIPTrustedProxy 203.0.113.0/24"])],
    ["public clients", behind(["RemoteIPTrustedProxy 10.0.0.1"], section("Location /a", "Require ip 198.51.100.0/24"))],
    ["the own machine", behind(["RemoteIPTrustedProxy 10.0.0.1"], section("Location /a", "Require ip 127.0.0.1"))],
    [
      "requests of the proxy",
      behind(["RemoteIPTrustedProxy 10.0.0.5 10.0.0.6"], section("Location /a", "Require ip 10.0.0.5")),
    ],
    [
      "a network with all proxies",
      behind(["RemoteIPTrustedProxy 10.0.0.5"], section("Location /a", "Require ip 10.0.0.0/8")),
    ],
    [
      "a line that another overrides",
      behind(["RemoteIPTrustedProxy 127.0.0.1"], home + section("LocationMatch ^/admin", "Require all granted")),
    ],
    ["no header", onServer(`RemoteIPTrustedProxy 10.0.0.1\n${home}`)],
    [
      "the list of another host",
      onServer(
        section("VirtualHost *:80", "ServerName a.test", "RemoteIPHeader X-F", "RemoteIPTrustedProxy 10.0.0.1") +
          section("VirtualHost *:80", "ServerName b.test", home.trimEnd()),
      ),
    ],
    [
      "a host with its own list",
      behind(
        ["RemoteIPTrustedProxy 10.0.0.1"],
        section("VirtualHost *:80", "ServerName a.test", "RemoteIPInternalProxy 10.0.0.1", home.trimEnd()),
      ),
    ],
  ])("but not with %s", (_, text) => {
    expect(find(text)).toEqual([]);
  });
});

describe("a host name without a domain", () => {
  const messagesOf = (line: string) => findingsOf([neverMatchingName], inDirectory(line)).map(({ message }) => message);

  test("is reported with what it matches", () => {
    expect(findingsOf([neverMatchingName], inDirectory("Require host office"))).toMatchObject([
      {
        severity: "warning",
        text: "office",
        message: "`office` matches only a host of this name, and the domain `.office`",
        notes: [
          "httpd compares the whole name that the DNS or the hosts file of the server has for the address",
          "such a name usually has a domain: `office` does not match `office.example.org`",
        ],
        help: ["use the whole name, a domain such as `.example.org`, or the address"],
      },
    ]);
  });

  test.each([
    "Require host a.example.org printer",
    "Require not host web-01",
    "Allow from workstation",
    "Deny from spammer",
  ])("%s", (line) => {
    expect(messagesOf(line)).toHaveLength(1);
  });

  test.each([
    "Require host office.example.org",
    "Require host .office",
    "Require host localhost",
    "Require host de",
    "Require host edu local",
    "Require host %{HTTP_HOST}",
    "Require host @NAME@",
    "Require forward-dns office",
    "Require user office",
    "Allow from 10",
    "Allow from all",
    "Deny from none",
  ])("but not in %s", (line) => {
    expect(messagesOf(line)).toEqual([]);
  });
});

describe("a variable that no request has", () => {
  const server = (...lines: readonly string[]) =>
    wholeServer(
      "Listen 80",
      ...["authz_host", "setenvif", "env", "rewrite", "access_compat", "headers"].map(
        (name) => `LoadModule ${name}_module modules/mod_${name}.so`,
      ),
      'DocumentRoot "/srv"',
      ...lines,
    );
  const messagesFor = (text: string, given?: Given) =>
    findingsOf([neverMatchingName], text, given).map(({ severity, message, notes = [], help = [] }) =>
      [severity, message, ...notes, ...help].join("; "),
    );
  const set = "set it with `SetEnvIf`";
  const sets = (line: string) => `\`${line}\` sets this variable only after access is checked`;

  test.each([
    [
      "in Require",
      inDirectory("Require env office"),
      `warning; \`office\` never matches and allows nobody; no line sets this variable; ${set}`,
    ],
    [
      "after Allow",
      inDirectory("Order deny,allow", "Deny from all", "Allow from env=office"),
      `warning; \`env=office\` never matches and allows nobody; no line sets this variable; ${set}`,
    ],
    [
      "after Deny",
      inDirectory("Order allow,deny", "Allow from all", "Deny from env=bot"),
      `error; \`env=bot\` never matches and denies nobody; no line sets this variable; ${set}`,
    ],
    [
      "with a name that is nearly that of another",
      `BrowserMatch Bot bad_bot\n${inDirectory("<RequireAll>", "Require all granted", "Require not env badbot", "</RequireAll>")}`,
      "error; `badbot` never matches and denies nobody; no line sets this variable; use the variable `bad_bot`, or set this one with `SetEnvIf`",
    ],
    [
      "that SetEnv sets",
      `SetEnv office 1\n${inDirectory("Require env office")}`,
      `warning; \`office\` never matches and allows nobody; ${sets("SetEnv office 1")}; ${set}, which httpd evaluates before`,
    ],
    [
      "that is only the value of another",
      `SetEnv place office\n${inDirectory("Require env office")}`,
      "warning; `office` never matches and allows nobody; no line sets this variable; set it with `SetEnvIf`",
    ],
    [
      "that PassEnv passes",
      inDirectory("PassEnv OFFICE", "Require env office"),
      `warning; \`office\` never matches and allows nobody; ${sets("PassEnv OFFICE")}; ${set}, which httpd evaluates before`,
    ],
    [
      "that a rewrite rule of the directory sets",
      inDirectory("RewriteEngine On", "RewriteRule ^ - [E=office:1]", "Require env office"),
      `warning; \`office\` never matches and allows nobody; ${sets("RewriteRule ^ - [E=office:1]")}; ${set}, which httpd evaluates before`,
    ],
  ])("is reported %s", (_, text, expected) => {
    expect(messagesFor(server(text))).toEqual([expected]);
  });

  test("is reported in a `.htaccess` file that sets it too late", () => {
    expect(messagesFor("SetEnv office 1\nRequire env office\n", { kind: "htaccess" })).toHaveLength(1);
  });

  test.each([
    ["SetEnvIf", "SetEnvIf Remote_Addr ^10\\. office"],
    ["SetEnvIf in another case", "SetEnvIf Remote_Addr ^10\\. OFFICE"],
    ["SetEnvIfNoCase", "SetEnvIfNoCase Host ^intern office=1"],
    ["SetEnvIfExpr", "SetEnvIfExpr \"-R '10.0.0.0/8'\" office"],
    ["BrowserMatch", "BrowserMatch Monitor office"],
    ["a rewrite rule of the server", "RewriteEngine On\nRewriteRule ^ - [E=office:1]"],
    ["a rewrite rule with a name that it captures", "RewriteEngine On\nRewriteRule ^/(\\w+) - [E=$1:1]"],
    ["SetEnv and SetEnvIf", "SetEnv office 0\nSetEnvIf Remote_Addr ^10\\. office=1"],
    ["a module that is not part of httpd", "LoadModule geoip_module modules/mod_geoip.so"],
    ["mod_lua", "LoadModule lua_module modules/mod_lua.so"],
  ])("is not reported with %s", (_, line) => {
    expect(messagesFor(server(line, inDirectory("Require env office")))).toEqual([]);
  });

  test.each([
    ["a variable of a request that was redirected", "REDIRECT_office"],
    ["a variable of mod_ssl", "SSL_CLIENT_VERIFY"],
    ["a variable of mod_authnz_ldap", "AUTHENTICATE_mail"],
  ])("is not reported for %s", (_, name) => {
    expect(messagesFor(server(inDirectory(`Require env ${name}`)))).toEqual([]);
  });

  test("is not reported for a file that is looked up for another request, or in a part of a server", () => {
    expect(messagesFor(server("SetEnv office 1", section("Files x.html", "Require env office")))).toEqual([]);
    expect(messagesFor(inDirectory("Require env office"))).toEqual([]);
    expect(messagesFor("Require env office\n", { kind: "htaccess" })).toEqual([]);
  });
});

describe("an address that is meant as a network", () => {
  test.each([
    ["Require ip 10.0.0.0", "warning", "`10.0.0.0` is one address, not a network", "use `10.0.0.0/8`"],
    ["Require ip 192.168.1.0", "warning", "`192.168.1.0` is one address, not a network", "use `192.168.1.0/24`"],
    ["Allow from 172.16.0.0", "warning", "`172.16.0.0` is one address, not a network", "use `172.16.0.0/16`"],
    ["Deny from 203.0.113.0", "info", "`203.0.113.0` is one address, not a network", "use `203.0.113.0/24`"],
    ["Require ip 2001:db8::", "warning", "`2001:db8::` is one address, not a network", "use `2001:db8::/32`"],
    ["Require ip 0.0.0.0", "warning", "`0.0.0.0` is one address, not a network", "to match every client, use `all`"],
  ])("is reported in %s", (line, severity, message, help) => {
    expect(findingsOf([neverMatchingName], inDirectory(line))).toMatchObject([{ severity, message, help: [help] }]);
  });

  test.each([
    ...[
      "Require ip 10",
      "Require ip 10.0",
      "Require ip 10.1.0",
      "Require ip 10.0.0.0/8",
      "Require ip 10.0.0.0/255.0.0.0",
    ],
    ...["Require ip 10.0.0.10", "Require ip 10.0.0.100", "Require ip ::1 2001:db8::7 2001:db8::/32", "Allow from 0/0"],
    ...["Require host 10.0.0.0.example.org", "Require ip 2001:db8:1:2:3::"],
  ])("is not reported in %s", (line) => {
    expect(check(line).filter(([, text]) => !`${text}`.includes("example"))).toEqual([]);
  });
});

describe("addresses of clients on a server that listens only on a loopback address", () => {
  const loads = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module mod_${name}.so`);
  const server = (...lines: readonly string[]) =>
    wholeServer(
      ...loads("authz_core", "authz_host", "access_compat"),
      'DocumentRoot "/srv"',
      ...lines.map((line) => line.trimEnd()),
    );
  const find = (text: string) =>
    findingsOf([neverMatchingName], text).map(({ severity, message, text: line }) => [severity, message, line]);
  const at = (...lines: readonly string[]) => section('Location "/a"', ...lines);
  const ban = at("<RequireAll>", "Require all granted", "Require not ip 203.0.113.9", "</RequireAll>");

  test("are reported", () => {
    expect(
      findingsOf([neverMatchingName], server("Listen 127.0.0.1:8080", at("Require ip 203.0.113.0/24"))),
    ).toMatchObject([
      {
        severity: "warning",
        text: "Require ip 203.0.113.0/24",
        message: "`203.0.113.0/24` never matches and allows nobody",
        notes: [
          "the server listens only on a loopback address: each client is a program of this machine, such as a proxy",
          "GET `/a` from 127.0.0.1 returns 403 (AH01630)",
        ],
        help: ["to use the address that the proxy sends, add `RemoteIPHeader` and `RemoteIPInternalProxy`"],
      },
    ]);
  });

  test.each([
    ["a ban", server("Listen 127.0.0.1:8080", ban), "`203.0.113.9` never matches and denies nobody"],
    [
      "IPv6",
      server("Listen [::1]:8080", at("Require ip 2001:db8::/32")),
      "`2001:db8::/32` never matches and allows nobody",
    ],
    [
      "Order",
      server("Listen 127.0.0.1:8080", at("Order deny,allow", "Deny from all", "Allow from 10.1")),
      "`10.1` never matches and allows nobody",
    ],
    [
      "a host of a server that listens elsewhere, too",
      server(
        "Listen 80",
        "Listen 127.0.0.1:8080",
        section("VirtualHost 127.0.0.1:8080", "ServerName b.test", at("Require ip 10.1").trimEnd()),
      ),
      "`10.1` never matches and allows nobody",
    ],
  ])("are reported with %s", (_, text, message) => {
    expect(find(text).map((each) => each[1])).toEqual([message]);
  });

  test.each([
    ["a public address", server("Listen 8080", at("Require ip 10.1"))],
    ["the own machine", server("Listen 127.0.0.1:8080", at("Require ip 127.0.0.1 ::1"))],
    ["the own machine as well", server("Listen 127.0.0.1:8080", at("Require local", "Require ip 10.1"))],
    [
      "mod_remoteip",
      server(
        ...loads("remoteip"),
        "RemoteIPHeader X-Forwarded-For",
        "RemoteIPInternalProxy 127.0.0.1",
        "Listen 127.0.0.1:8080",
        at("Require ip 10.1"),
      ),
    ],
    ["a module that may set the address", server(...loads("rpaf"), "Listen 127.0.0.1:8080", at("Require ip 10.1"))],
    ["a part", `Listen 127.0.0.1:8080\n${at("Require ip 10.1")}`],
  ])("but not with %s", (_, text) => {
    expect(find(text)).toEqual([]);
  });
});

describe("a variable of the path that rules lose", () => {
  const setter = "SetEnvIf Request_URI ^/api noauth=1";
  const front = "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ index.php [L]";
  const login = "AuthType Basic\nAuthName a\nAuthUserFile /etc/users";
  const any = (...lines: readonly string[]) => `<RequireAny>\n${lines.join("\n")}\nRequire valid-user\n</RequireAny>`;
  const php = '<FilesMatch "\\.php$">\nSetHandler application/x-httpd-php\n</FilesMatch>';
  const lost = (...lines: readonly string[]) =>
    findingsOf([neverMatchingName], `${lines.join("\n")}\n`, { kind: "htaccess" }).filter(({ message }) =>
      message.includes("is lost"),
    );

  test("is reported, with the name that it has then", () => {
    expect(lost(setter, php, login, any("Require env noauth"), front)).toMatchObject([
      {
        text: "Require env noauth",
        message: "`noauth` is lost when a rule leads to `/index.php`",
        help: ["add `Require env REDIRECT_noauth`"],
        related: [".htaccess:14:1: leads to the other path"],
      },
    ]);
  });

  test.each([
    [[setter, php, "Require env noauth", front]],
    [['SetEnvIfNoCase Request_URI "^/(api|feed)/" noauth', php, "Require env noauth", front]],
    [[setter, php, "RewriteEngine On\nRewriteRule ^api/(.*)$ index.php?q=$1 [L]\nRequire env noauth"]],
    [[setter, php, "Order deny,allow\nDeny from all\nAllow from env=noauth", front]],
  ])("is reported: %j", (lines) => {
    expect(lost(...lines)).toHaveLength(1);
  });

  test.each([
    ["the result has the same sections", [setter, login, any("Require env noauth"), front]],
    ["the remedy", [setter, php, login, any("Require env noauth", "Require env REDIRECT_noauth"), front]],
    ["a variable of the client", ["SetEnvIf Remote_Addr ^10\\. noauth", php, any("Require env noauth"), front]],
    ["a rule that redirects", [setter, php, "Require env noauth\nRewriteEngine On\nRewriteRule ^api /x.php [R,L]"]],
    ["no rule", [setter, php, login, any("Require env noauth")]],
    ["another line that sets it", [setter, "SetEnvIf Host a noauth", php, any("Require env noauth"), front]],
    ["the result has it as well", ["SetEnvIf Request_URI ^/(api|index) noauth", php, "Require env noauth", front]],
  ])("is not reported: %s", (_, lines) => {
    expect(lost(...lines)).toEqual([]);
  });
});

describe("a line for a proxy whose address httpd replaces", () => {
  const site = (proxy: string, ...lines: readonly string[]) =>
    `LoadModule remoteip_module mod_remoteip.so\nDocumentRoot "/srv"\n${section(
      "VirtualHost *:80",
      "ServerName a.test",
      'DocumentRoot "/srv"',
      "RemoteIPHeader X-Forwarded-For",
      proxy,
      ...lines,
    )}`;
  const inSite = (proxy: string, tag: string, ...lines: readonly string[]) =>
    findingsOf([neverMatchingName], site(proxy, section(tag, ...lines).trim())).map(({ help }) => help?.[0]);
  const expr = (condition: string) => `to allow each request through the proxy, use \`Require expr "${condition}"\``;

  test.each([
    ["RemoteIPInternalProxy 127.0.0.1", "Location /", "Require ip 127.0.0.1", "%{CONN_REMOTE_ADDR} == '127.0.0.1'"],
    ["RemoteIPTrustedProxy 10.0.0.5", "Location /", "Require ip 10.0.0.5", "%{CONN_REMOTE_ADDR} == '10.0.0.5'"],
    [
      "RemoteIPInternalProxy 10.0.0.0/8",
      "Location /",
      "Require ip 10.0.0.0/8",
      "%{CONN_REMOTE_ADDR} -ipmatch '10.0.0.0/8'",
    ],
    [
      "RemoteIPInternalProxy 10.0.0.5 10.0.0.6",
      "Location /",
      "Require ip 10.0.0.5 10.0.0.6",
      "%{CONN_REMOTE_ADDR} == '10.0.0.5' || %{CONN_REMOTE_ADDR} == '10.0.0.6'",
    ],
    ["RemoteIPInternalProxy 10.0.0.5", 'Directory "/srv"', "Require ip 10.0.0.5", "%{CONN_REMOTE_ADDR} == '10.0.0.5'"],
    [
      "RemoteIPTrustedProxy 203.0.113.0/24",
      "Location /",
      "Require ip 203.0.113.0/24",
      "%{CONN_REMOTE_ADDR} -ipmatch '203.0.113.0/24'",
    ],
    [
      "RemoteIPTrustedProxy 192.0.2.0/24",
      "Location /",
      "Require ip 192.0.2.0/24",
      "%{CONN_REMOTE_ADDR} -ipmatch '192.0.2.0/24'",
    ],
  ])("is reported: %s, <%s>, %s", (proxy, tag, line, condition) => {
    expect(inSite(proxy, tag, line)).toEqual([expr(condition)]);
  });

  test.each([
    ["another path", "RemoteIPInternalProxy 10.0.0.5", "Location /server-status", "Require ip 10.0.0.5"],
    ["another address", "RemoteIPInternalProxy 10.0.0.5", "Location /", "Require ip 203.0.113.7"],
    ["another address beside it", "RemoteIPInternalProxy 10.0.0.5", "Location /", "Require ip 10.0.0.5 203.0.113.7"],
    [
      "a condition on the connection",
      "RemoteIPInternalProxy 10.0.0.5",
      "Location /",
      "Require expr \"%{CONN_REMOTE_ADDR} == '10.0.0.5'\"",
    ],
    ["all clients", "RemoteIPInternalProxy 10.0.0.5", "Location /", "Require all granted"],
    ["no proxy", "LogLevel warn", "Location /", "Require ip 10.0.0.5"],
  ])("is not reported with %s", (_, proxy, tag, line) => {
    expect(inSite(proxy, tag, line)).toEqual([]);
  });
});
