import { describe, expect, test } from "vitest";
import { headlineOf } from "../../src/report/answers/answer-words.js";
import { type Asked, answerFor, causesOf, closeMissesOf } from "./explained.js";

const deny = (...lines: readonly string[]) => ["<Directory /srv/www/docs>", ...lines, "</Directory>"];

describe("a request that a `Require not` line names", () => {
  const url = "/docs/a.html";
  const blocked = ["<RequireAll>", "Require all granted", "Require not ip 192.0.2.0/24", "</RequireAll>"];
  const denies = "`Require not ip 192.0.2.0/24` denies this request, but one line";

  test("is granted by another line of the section", () => {
    expect(causesOf(deny(...blocked, "Require all granted"), url)).toEqual([
      200,
      `${denies} of this section is enough, and \`Require all granted\` grants it`,
      "help: to deny it, delete `Require all granted`",
    ]);
  });

  test("is granted by another line of a container, because of a variable", () => {
    const lines = ["<RequireAny>", "Require env friend", ...blocked, "</RequireAny>"];
    const setter = "BrowserMatch Bot friend";
    const agent = { headers: { "user-agent": "ABot/1" } } satisfies Partial<Asked>;
    expect(causesOf([setter, ...deny(...lines)], url, agent)).toEqual([
      200,
      `${denies} in \`<RequireAny>\` is enough, and \`Require env friend\` grants it`,
      `help: to deny it, delete \`${setter}\`, which sets \`friend\``,
    ]);
  });

  test.each([
    ["is denied", deny(...blocked), 403],
    ["is granted by all lines", deny("<RequireAll>", ...blocked, "Require ip 192", "</RequireAll>"), 403],
    ["is not named", deny(...blocked.map((line) => line.replace("192.0.2.0", "198.51.100.0")), "Require ip 192"), 200],
  ])("has no such cause: it %s", (_, lines, status) => {
    expect(causesOf(lines, url)).toEqual([status]);
  });
});

describe("a line that sets a variable of an access rule", () => {
  const rules = deny("<RequireAll>", "Require all granted", "Require not env bot", "</RequireAll>");
  const missesFor = (setter: string, agent: string) =>
    closeMissesOf([setter, ...rules], "/docs/a.html", { headers: { "user-agent": agent } });

  test("differs in the case of letters", () => {
    expect(missesFor("SetEnvIf User-Agent SneakyBot bot", "sneakyBot/2")).toEqual([
      "SetEnvIf User-Agent SneakyBot bot: its pattern `SneakyBot` does not match `sneakyBot/2`: letters differ in case",
      "help: use `SetEnvIfNoCase User-Agent SneakyBot bot`",
    ]);
    expect(missesFor('BrowserMatch "Sneaky Bot" bot', "sneaky bot")[1]).toBe(
      'help: use `BrowserMatchNoCase "Sneaky Bot" bot`',
    );
  });

  test("matches only at the beginning", () => {
    expect(missesFor("BrowserMatchNoCase ^mj12bot bot=1", "Mozilla/5.0 (MJ12bot)")).toEqual([
      "BrowserMatchNoCase ^mj12bot bot=1: its pattern `^mj12bot` does not match `Mozilla/5.0 (MJ12bot)`: with `^`, it matches only at the beginning",
      "help: use `BrowserMatchNoCase mj12bot bot=1`",
    ]);
  });

  test.each([
    ["matches", "BrowserMatch Sneaky bot", "Sneaky"],
    ["is for another client", "BrowserMatch Sneaky bot", "curl"],
    ["sets a variable that no rule reads", "BrowserMatch Sneaky other", "sneaky"],
    ["has a sibling that sets the variable", "BrowserMatch Sneaky bot\nBrowserMatchNoCase sneaky bot", "sneaky"],
  ])("is not named: it %s", (_, setter, agent) => {
    expect(missesFor(setter, agent)).toEqual([]);
  });
});

describe("a virtual host", () => {
  const host = (name: string, ...lines: readonly string[]) => ["<VirtualHost *:80>", name, ...lines, "</VirtualHost>"];
  const first = host("ServerName mail.test");
  const missesFor = (lines: readonly string[], asked: Partial<Asked> = {}) =>
    closeMissesOf([...first, ...lines], "/index.html", { host: "site.test", ...asked });

  test("has no name of its own", () => {
    expect(missesFor(host("ServerAdmin a@site.test"))).toEqual([
      "<VirtualHost *:80>: it has no `ServerName`, so httpd does not choose it for `site.test`",
      "help: add `ServerName site.test` to this virtual host",
    ]);
  });

  test("has the name without `www.`, and another port has the whole name", () => {
    const encrypted = ["<VirtualHost *:443>", "ServerName site.test", "</VirtualHost>"];
    const named = host("ServerName site.test", "ServerAlias www.site.test");
    const other = ["<VirtualHost *:443>", "ServerName mail.test", "</VirtualHost>"];
    const asked = { host: "www.site.test", port: 443 };
    expect(missesFor([...other, ...named, ...encrypted], asked)).toContain(
      "<VirtualHost *:443>: it has `ServerName site.test`, but no name for `www.site.test`",
    );
    expect(missesFor([...other, ...named, ...encrypted], asked).join()).not.toContain(
      "VirtualHost *:80>: it has `ServerName site.test`",
    );
  });

  test.each<[why: string, lines: readonly string[], asked: Partial<Asked>]>([
    ["the first host has the name", host("ServerAdmin a@site.test"), { host: "mail.test" }],
    ["the client asks for an address", host("ServerAdmin a@site.test"), { host: "192.0.2.1" }],
    ["the host is for another port", ["<VirtualHost *:81>", "</VirtualHost>"], {}],
    ["it has an alias", host("ServerAlias other.test"), {}],
  ])("is not named: %s", (_, lines, asked) => {
    expect(missesFor(lines, asked)).toEqual([]);
  });
});

describe("names that begin with a dot", () => {
  const files = ["/srv/www/.well-known/security.txt"];
  const url = "/.well-known/security.txt";
  test.each([
    ["RedirectMatch 404 /\\..*$", "RedirectMatch 404 /\\.(?!well-known/).*$"],
    ["RewriteEngine on\nRewriteRule (^|/)\\. - [F]", "RewriteRule (^|/)\\.(?!well-known/) - [F]"],
    ["<LocationMatch /\\.>\nRequire all denied\n</LocationMatch>", "<LocationMatch /\\.(?!well-known/)>"],
    ['<DirectoryMatch "/\\.">\nRequire all denied\n</DirectoryMatch>', '<DirectoryMatch "/\\.(?!well-known/)">'],
  ])("are denied, with those for clients: %s", (lines, corrected) => {
    const causes = causesOf(lines.split("\n"), url, { files });
    expect(causes.at(-1)).toBe(`help: to leave them out, use \`${corrected}\``);
    expect(causesOf(lines.split("\n"), "/.git/config", { files }).join()).not.toContain("well-known");
  });

  test.each(["RedirectMatch 404 /\\.(?!well-known/)", "RedirectMatch 404 ^/.well-known/security"])(
    "are denied on purpose: %s",
    (line) => {
      expect(causesOf([line], url, { files }).join()).not.toContain("to leave them out");
    },
  );
});

describe("names with a dot", () => {
  const files = ["/srv/www/.well-known/security.txt"];
  const within = (tag: string, ...lines: readonly string[]) => [`<${tag}>`, ...lines, `</${tag.split(" ")[0]}>`];
  const rule = (...lines: readonly string[]) => ["RewriteEngine on", ...lines];
  const denied = (...lines: readonly string[]) =>
    causesOf(lines, "/.well-known/security.txt", { files, release: "2.4" });

  test.each([
    [within("LocationMatch \\.", "Require all denied")],
    [within('LocationMatch "^/(\\.|private/\\.)"', "Require all denied")],
    [within("LocationMatch /\\.", "Require ip 10.0.0.0/8")],
    [within("LocationMatch /\\.", "Require all denied", "Require user root")],
    [within("LocationMatch /\\.", "Order deny,allow", "Deny from all", "Allow from 10")],
    [["RedirectMatch 404 \\.well"]],
    [rule("RewriteRule \\. - [F]")],
    [rule("RewriteCond %{REMOTE_ADDR} !^10\\.", "RewriteRule ^/\\. - [F]")],
    [rule("RewriteCond %{REMOTE_ADDR} ^10\\.", "RewriteRule ^ - [L]", "RewriteRule ^/\\. - [F]")],
    [within("If \"! -R '10.0.0.0/8'\"", "RedirectMatch 404 /\\.")],
  ])("are denied to some clients, or everywhere in a name: %j", (lines) => {
    const causes = denied(...lines);
    expect(causes[0]).toBeGreaterThanOrEqual(400);
    expect(causes.join()).not.toContain("to leave them out");
  });

  test.each([
    [within("LocationMatch /\\.", "Order allow,deny", "Deny from all", "Satisfy All")],
    [rule("RewriteCond %{REQUEST_URI} !^/x", "RewriteRule (?:^|/)\\. - [F]")],
  ])("are denied to all clients: %j", (lines) => {
    expect(denied(...lines).at(-1)).toContain("to leave them out");
  });
});

describe("a rule with its flags in the target", () => {
  const query = "id=1";
  const rule = (target: string) => [
    "RewriteEngine on",
    "RewriteCond %{QUERY_STRING} ^id=1$",
    `RewriteRule ^/old$ ${target}`,
  ];
  test("has no advice about its query, which the flags would decide", () => {
    expect(causesOf(rule("https://b.test/new[R=302,L,QSD]"), "/old", { query })).toEqual([302]);
    expect(causesOf(rule("https://b.test/new [R=302,L]"), "/old", { query })[1]).toContain("its target has no query");
    expect(causesOf(rule("https://b.test/[a] [R=302,L]"), "/old", { query })[1]).toContain("its target has no query");
  });
});

describe("the redirect of a URL that a rule led to", () => {
  const front = "RewriteRule !\\.php$ index.php [L]";
  const redirect = (condition = "%{HTTP_HOST} ^www\\.") =>
    `RewriteEngine on\n${front}\nRewriteCond ${condition}\nRewriteRule ^(.*)$ https://a.test/app/$1 [R=301,L]`;
  test("comes before the rule, to be for the URL of the client", () => {
    expect(causesOf([], "/app/p", { htaccess: redirect(), host: "www.a.test" })).toEqual([
      301,
      `\`${front}\` comes first and leads to \`/app/index.php\`; the rules run again, and this one redirects that path`,
      `help: to redirect \`/app/p\` in place of \`/app/index.php\`, move \`RewriteRule ^(.*)$ https://a.test/app/$1 [R=301,L]\` and its conditions before \`${front}\` and its conditions`,
      "help: to redirect neither, use `RewriteRule !\\.php$ index.php [END]`",
    ]);
  });

  test("is for this URL only", () => {
    const htaccess = redirect("%{REQUEST_URI} index");
    expect(causesOf([], "/app/p", { htaccess })[2]).toBe("help: use `RewriteRule !\\.php$ index.php [END]`");
    expect(causesOf([], "/app/index.php", { htaccess: redirect(), host: "www.a.test" })).toEqual([301]);
  });
});

describe("the lookup of an index file", () => {
  const looksUp = "for `/app/`, httpd looks up `/app/index.php` (`DirectoryIndex`), to which this line applies as well";
  const index = ["DirectoryIndex index.php"];
  test("is redirected by a line of a `.htaccess` file", () => {
    const htaccess = "Redirect 301 /app/index.php https://a.test/app/";
    expect(causesOf(index, "/app/", { htaccess })).toEqual([
      301,
      looksUp,
      "help: to redirect only clients that ask for it, replace it with `RewriteEngine On`, `RewriteCond %{THE_REQUEST} \\s/app/index\\.php[?\\s]` and `RewriteRule ^index\\.php$ https://a.test/app/ [R=301,L]`",
    ]);
    expect(causesOf(index, "/app/index.php", { htaccess })).toEqual([301]);
  });

  test("is redirected by a line of the server", () => {
    const line = "RedirectMatch ^/app/index\\.php$ /app/";
    expect(causesOf([...index, line], "/app/").at(-1)).toContain("`RewriteRule ^/app/index\\.php$ /app/ [R=302,L]`");
    expect(causesOf([...index, "RedirectMatch ^(.*)/index\\.php$ $1/"], "/app/")).toEqual([302, looksUp]);
  });

  test("is redirected to a URL with characters that a rule encodes", () => {
    const line = "Redirect 302 /app/index.php /start%20page#top";
    expect(causesOf([...index, line], "/app/").at(-1)).toContain(
      "replace it with `RewriteEngine On`, `RewriteCond %{THE_REQUEST} \\s/app/index\\.php[?\\s]` and `RewriteRule ^/app/index\\.php$ /start\\%20page#top [R=302,NE,L]`",
    );
    const rule = "RewriteEngine On\nRewriteRule ^/app/index\\.php$ /start\\%20page#top [R=302,NE,L]";
    for (const each of [line, rule])
      expect(answerFor([each], "/app/index.php").cases[0]?.destination.location).toBe("http://a.test/start%20page#top");
  });

  test("is redirected by a line of the main server, for a virtual host", () => {
    const host = (...lines: readonly string[]) => [
      "<VirtualHost *:80>",
      "ServerName a.test",
      ...lines,
      "</VirtualHost>",
    ];
    const line = "Redirect 302 /app/index.php /app/";
    const written = "`RewriteRule ^/app/index\\.php$ /app/ [R=302,L]`";
    expect(causesOf([...index, line, ...host()], "/app/").at(-1)).toMatch(
      /, delete it, and add .* to `<VirtualHost \*:80>`$/,
    );
    const own = causesOf([...index, ...host(line)], "/app/").at(-1);
    expect(own).toContain(written);
    expect(own).toContain("replace it with");
  });

  test("is redirected by a line of a section, whose rules compare another path", () => {
    const line = ["<Directory /srv/www/app>", "Redirect 302 /app/index.php /app/", "</Directory>"];
    expect(causesOf([...index, ...line], "/app/")).toEqual([302, looksUp]);
  });

  test("is not redirected by a rule", () => {
    const htaccess = "RewriteEngine on\nRewriteRule ^index\\.php$ /app/ [R=301,L]";
    expect(causesOf(index, "/app/", { htaccess })).toEqual([200]);
    expect(causesOf(index, "/app/index.php", { htaccess })).toEqual([301]);
  });
});

describe("a directory without an index file", () => {
  const lines = ["IndexOptions FancyIndexing", "DirectoryIndex index.html"];
  const disabled = "no `Options` line sets `Indexes`, and it is off by default";
  test("has one of another name, which comes before a listing", () => {
    expect(causesOf(lines, "/app/")).toEqual([
      403,
      "`DirectoryIndex index.html` names no file in `/srv/www/app`, but `index.php` is there",
      "help: use `DirectoryIndex index.html index.php`",
      disabled,
      'help: add `Options +Indexes` to `<Directory "/srv/www/app">`',
    ]);
    expect(causesOf(lines, "/docs/")[1]).toBe(disabled);
  });

  test("has a list that ends at an empty name", () => {
    expect(causesOf(['DirectoryIndex "" index.php'], "/app/")[1]).toBe(
      'the empty name ends the list of `DirectoryIndex "" index.php`',
    );
  });
});

describe("a document of an error", () => {
  const document = (text: string) => ({ htaccess: `ErrorDocument 404 ${text}` });
  test("is sent as a text", () => {
    const files = ["/srv/www/app/.htaccess", "/srv/www/app/404.html"];
    expect(causesOf([], "/app/x", { ...document("404.html"), files })).toEqual([
      404,
      "`ErrorDocument 404 404.html` sends the text `404.html`: only a path that begins with `/` leads to a file",
      "help: use `ErrorDocument 404 /app/404.html`",
    ]);
    expect(causesOf(["ErrorDocument 404 errors/404.php"], "/x").at(-1)).toBe(
      "help: use `ErrorDocument 404 /errors/404.php`",
    );
  });

  test("names no file that does not exist", () => {
    const files = ["/srv/www/app/.htaccess"];
    expect(causesOf([], "/app/x", { ...document("404.html"), files }).at(-1)).toBe(
      "help: to send a file, write its URL, beginning with `/`",
    );
  });

  test.each(['"Sorry, see a.html"', '"Sorry.not.found"', "/404.html", "default", "missing", "https://b.test/404.html"])(
    "is not such a text: %s",
    (text) => {
      expect(causesOf([], "/app/x", document(text)).join()).not.toContain("sends the text");
    },
  );
});

describe("a backend of web sockets", () => {
  const causesFor = (line: string, path = "/stream") => causesOf(line.split("\n"), path).slice(1);
  test("gets no path", () => {
    expect(causesFor("ProxyPass /stream ws://127.0.0.1:8080/")).toEqual([
      "the target has no path, so the backend gets `/` in place of `/stream`",
      "help: if it expects `/stream`, use `ProxyPass /stream ws://127.0.0.1:8080/stream`",
    ]);
    expect(causesFor("<Location /ws>\nProxyPass ws://127.0.0.1:8080\n</Location>", "/ws/a").at(-1)).toBe(
      "help: if it expects `/ws/a`, use `ProxyPass ws://127.0.0.1:8080/ws`",
    );
  });

  test.each([
    "ProxyPass /stream ws://127.0.0.1:8080/stream",
    "ProxyPass / ws://127.0.0.1:8080/",
    "ProxyPass /stream http://127.0.0.1:8080/",
  ])("gets a path, or is none: %s", (line) => {
    expect(causesFor(line).join()).not.toContain("the target has no path");
  });
});

describe("a Proxy section for all backends", () => {
  const pass = "ProxyPass /app http://127.0.0.1:8080";
  const proxy = (...lines: readonly string[]) => [...lines, pass];
  test("denies those of ProxyPass", () => {
    const added = (grant: string) =>
      `help: to allow only this backend, add \`<Proxy "http://127.0.0.1:8080/*">\`, ${grant} and \`</Proxy>\` after it`;
    const why = `\`<Proxy *>\` is for all requests that httpd proxies, also for those of \`${pass}\``;
    const lines = proxy("<Proxy *>", "Require all denied", "</Proxy>");
    expect(causesOf(lines, "/app/x")).toEqual([403, why, added("`Require all granted`")]);
    const old = proxy("<Proxy *>", "Order deny,allow", "Deny from all", "</Proxy>");
    const grant = "`Order allow,deny`, `Allow from all`";
    expect(causesOf(old, "/app/x", { release: "2.2" })).toEqual([403, why, added(grant)]);
  });

  test("is for this backend, or another section denies", () => {
    const own = proxy('<Proxy "http://127.0.0.1:8080/">', "Require all denied", "</Proxy>");
    const location = proxy("<Location /app>", "Require all denied", "</Location>");
    const part = proxy('<Proxy "http://127.0.0.1:8080/x*">', "Require ip 10.0.0.0/8", "</Proxy>");
    for (const lines of [own, location, part]) expect(causesOf(lines, "/app/x")).toEqual([403]);
  });

  test.each([
    ["allows some clients", ["<Proxy *>", "Require ip 10.0.0.0/8", "</Proxy>", pass]],
    [
      "allows some clients by Allow",
      ["<Proxy *>", "Order deny,allow", "Deny from all", "Allow from 10", "</Proxy>", pass],
    ],
    ["is for a forward proxy as well", ["ProxyRequests On", "<Proxy *>", "Require all denied", "</Proxy>", pass]],
    [
      "is for backends that clients choose",
      ["<Proxy *>", "Require all denied", "</Proxy>", "RewriteEngine on", "RewriteRule ^/app/(.*) http://$1/ [P]"],
    ],
  ])("is named without a grant: it %s", (_, lines) => {
    const causes = causesOf(lines, "/app/x");
    expect(causes[1]).toContain("`<Proxy *>` is for all requests that httpd proxies");
    expect(causes.slice(2).every((each) => String(each).startsWith("help: "))).toBe(true);
  });

  test("denies the requests of a forward proxy on purpose", () => {
    const lines = ["ProxyRequests On", "<Proxy *>", "Require all denied", "</Proxy>"];
    expect(causesOf(lines, "/x", { host: "b.test", origin: "http://b.test" })).toEqual([403]);
  });
});

describe("a requirement of TLS", () => {
  const lines = ["<Location /docs>", "SSLRequireSSL", "</Location>"];
  const forwarded = (scheme: string) => ({ headers: { "x-forwarded-proto": scheme } }) satisfies Partial<Asked>;
  test("refuses what a proxy with TLS sends", () => {
    expect(causesOf(lines, "/docs/a.html", forwarded("https"))).toEqual([
      403,
      "the proxy ends TLS and connects without it, so `SSLRequireSSL` refuses all of its requests",
      "help: if only your proxy can connect, replace it with `Require expr \"%{HTTP:X-Forwarded-Proto} == 'https'\"`",
    ]);
    expect(causesOf(lines, "/docs/a.html", { ...forwarded("https"), release: "2.2" }).at(-1)).toContain("delete it");
    const replaced = lines.map((line) =>
      line.replace("SSLRequireSSL", "Require expr \"%{HTTP:X-Forwarded-Proto} == 'https'\""),
    );
    expect(causesOf(replaced, "/docs/a.html", forwarded("https"))).toEqual([200]);
  });

  const expression = "Require expr \"%{HTTP:X-Forwarded-Proto} == 'https'\"";
  const section = (...more: readonly string[]) => ["<Location /docs>", "SSLRequireSSL", ...more, "</Location>"];
  const helpFor = (...more: readonly string[]) =>
    causesOf(section(...more), "/docs/a.html", forwarded("https")).slice(2);
  const login = ["AuthType Basic", "AuthName x", "AuthUserFile /none"];

  test("keeps the other requirement of its section, or of the section before", () => {
    const all = (line: string) => `\`<RequireAll>\`, \`${expression}\`, \`${line}\` and \`</RequireAll>\``;
    const before = "help: if only your proxy can connect, replace it";
    expect(helpFor(...login, "Require valid-user")).toEqual([
      `${before} and \`Require valid-user\` with ${all("Require valid-user")}`,
    ]);
    expect(helpFor("Require all granted")).toEqual([`${before} and \`Require all granted\` with \`${expression}\``]);
    const outer = ["<Location />", ...login, "Require valid-user", "</Location>", ...section()];
    expect(causesOf(outer, "/docs/a.html", forwarded("https")).slice(2)).toEqual([
      `${before} with ${all("Require valid-user")}`,
    ]);
    const corrected = ["<RequireAll>", expression, "Require valid-user", "</RequireAll>"];
    const replaced = ["<Location /docs>", ...login, ...corrected, "</Location>"];
    expect(causesOf(replaced, "/docs/a.html", forwarded("https"))[0]).toBe(401);
  });

  test.each([
    [["Require ip 192.0.2.0/24", "Require valid-user", ...login]],
    [["<RequireAny>", "Require all granted", "</RequireAny>"]],
    [["Order allow,deny", "Allow from all"]],
    [["AuthMerging And", "Require all granted"]],
    [["</Location>", "<Location /docs/a.html>", "Require all granted"]],
    [["</Location>", "<Location /docs/a.html>", "SSLRequireSSL"]],
  ])("decides together with other lines, so no line is written: %j", (more) => {
    expect(helpFor(...more)).toEqual([]);
  });

  test("is in a part of a server, whose other files may have lines that it inherits", () => {
    const part = { ...forwarded("https"), isPart: true } as const;
    expect(causesOf(lines, "/docs/a.html", part)).toEqual([403, expect.stringContaining("the proxy ends TLS")]);
    expect(causesOf(section("Require valid-user", ...login), "/docs/a.html", part)[2]).toContain("<RequireAll>");
  });

  test("refuses what a client sends", () => {
    expect(causesOf(lines, "/docs/a.html", forwarded("http"))).toEqual([403]);
  });
});

describe("a requirement of a certificate", () => {
  const host = (line: string, ...more: readonly string[]) => [
    "<VirtualHost *:443>",
    "ServerName a.test",
    "SSLEngine on",
    line,
    ...more,
    "</VirtualHost>",
  ];
  const asked = { scheme: "https", port: 443, tls: { certificate: "none" } } satisfies Partial<Asked>;
  const why = "httpd asks for the certificate in the handshake, before it knows the URL, so the line is for all paths";
  test("is for all paths of a virtual host", () => {
    const section = ["<Location /admin>", "Require ssl-verify-client", "</Location>"];
    expect(causesOf(host("SSLVerifyClient require", ...section), "/index.html", asked)).toEqual([
      403,
      why,
      "help: to require it only in `<Location /admin>`, use `SSLVerifyClient optional`",
    ]);
    expect(causesOf(host("SSLVerifyClient require"), "/index.html", asked).at(-1)).toBe(
      "help: to require it only for some paths, use `SSLVerifyClient optional`, and add `Require ssl-verify-client` to their sections",
    );
  });

  test("is for a section, or there is none", () => {
    const section = ["<Location /docs>", "SSLVerifyClient require", "</Location>"];
    expect(causesOf(host("", ...section), "/docs/a.html", asked)).toEqual([403]);
    expect(causesOf(host("SSLVerifyClient optional"), "/index.html", asked)).toEqual([200]);
  });

  test("is for a `.htaccess` file", () => {
    const older = { ...asked, tls: { certificate: "none", version: "1.2" } } satisfies Partial<Asked>;
    const htaccess = "SSLVerifyClient require";
    expect(causesOf(host(""), "/app/index.php", { ...older, htaccess })).toEqual([403]);
  });

  test("gets no answer only in the first handshake", () => {
    const section = ["<Location /docs>", "SSLVerifyClient require", "</Location>"];
    const titleOf = (lines: readonly string[], more: Partial<Asked> = {}) =>
      headlineOf(answerFor(host("", ...lines), "/docs/a.html", { ...asked, ...more })).title;
    expect(titleOf(["SSLVerifyClient require"])).toBe("no answer");
    expect(titleOf(["</VirtualHost>", "SSLVerifyClient require", "<VirtualHost *:80>"])).toBe("no answer");
    for (const version of ["1.2", "1.3"] as const)
      expect(titleOf(section, { tls: { certificate: "none", version } })).not.toContain("no answer");
    expect(titleOf(section)).not.toContain("no answer");
  });
});

describe("a file of programs", () => {
  const programs = ["/srv/www/cgi/logo.png", "/srv/www/cgi/run.cgi", "/srv/www/cgi/talk.py"];
  const cgi = (...lines: readonly string[]) => [
    "<Directory /srv/www/cgi>",
    "Options ExecCGI",
    ...lines,
    "</Directory>",
  ];
  const causesFor = (lines: readonly string[], path: string) => causesOf(lines, path, { files: programs });

  test("is run although it is none", () => {
    const runs = "is for all files below it: httpd runs `logo.png` as a program as well, and returns 500 if it is none";
    expect(causesFor(["ScriptAlias /p/ /srv/www/cgi/"], "/p/logo.png")).toEqual([
      200,
      `\`ScriptAlias /p/ /srv/www/cgi/\` ${runs}`,
      "help: move the file to a directory whose files are sent",
    ]);
    expect(causesFor(cgi("SetHandler cgi-script"), "/cgi/logo.png")).toEqual([
      200,
      `\`SetHandler cgi-script\` ${runs}`,
      "help: move the file to a directory whose files are sent",
    ]);
  });

  test("is sent although it is one", () => {
    expect(causesFor(cgi("AddHandler cgi-script .cgi .pl"), "/cgi/talk.py")).toEqual([
      200,
      "`AddHandler cgi-script .cgi .pl` does not name `.py`, so httpd sends the file and does not run it",
      "help: to run it, use `AddHandler cgi-script .cgi .pl .py`",
    ]);
  });

  test.each<[lines: readonly string[], path: string]>([
    [["ScriptAlias /p/ /srv/www/cgi/"], "/p/run.cgi"],
    [cgi("AddHandler cgi-script .cgi"), "/cgi/run.cgi"],
    [cgi("AddHandler cgi-script .cgi"), "/cgi/logo.png"],
    [cgi("AddHandler cgi-script .png"), "/cgi/logo.png"],
    [cgi(), "/cgi/talk.py"],
    [cgi("AddHandler cgi-script .cgi", "<Files *.py>", "SetHandler cgi-script", "</Files>"), "/cgi/talk.py"],
  ])("is run or sent as its name says: %j %s", (lines, path) => {
    expect(causesFor(lines, path)).toEqual([200]);
  });
});

describe("a file of PHP", () => {
  const loaded = (...names: readonly string[]) =>
    ["mpm_event", "authz_core", "dir", "mime", "alias", ...names].map(
      (name) => `LoadModule ${name}_module mod_${name}.so`,
    );
  const handler = (name: string) => ["<FilesMatch \\.php$>", `SetHandler ${name}`, "</FilesMatch>"];
  const path = "/app/index.php";

  const types = "AddType application/x-gzip .gz .tgz";
  test.each([[loaded()], [[...loaded("php7"), types]], [loaded("proxy", "proxy_fcgi")]])(
    "is sent without a handler: %j",
    (lines) => {
      expect(causesOf(lines, path)).toEqual([
        200,
        "no line sets a handler for `.php`, so httpd sends the source of this file",
        "help: add the `SetHandler` of PHP-FPM, or the module of PHP with its handler",
      ]);
    },
  );

  test.each<[lines: readonly string[], path: string]>([
    [[...loaded("php7"), ...handler("application/x-httpd-php")], path],
    [[...loaded("php7"), "AddType application/x-httpd-php .php"], path],
    [[...loaded("proxy", "proxy_fcgi"), ...handler('"proxy:fcgi://127.0.0.1:9000"')], path],
    // A module that is not known may have its own way.
    [loaded("own_php"), path],
    // Its author sends the file.
    [[...loaded(), "AddType text/plain .PHP"], path],
    [[...loaded(), "<Location /app>", "ForceType text/plain", "</Location>"], path],
    [loaded(), "/index.html"],
    [[], path],
  ])("is not said to be sent: %j %s", (lines, asked) => {
    expect(JSON.stringify(causesOf(lines, asked))).not.toContain("sends the source");
  });
});

describe("a section of a module for response headers that is not loaded", () => {
  const modules = ["mpm_event", "authz_core", "dir"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
  const guard = (name: string, ...lines: readonly string[]) => [`<IfModule ${name}>`, ...lines, "</IfModule>"];
  const headers = guard("mod_headers.c", "Header set A b");
  const within = (section: string, name: string) => [`<${section}>`, ...headers, `</${name}>`];
  const found = (lines: readonly string[], htaccess?: string) =>
    closeMissesOf(lines, "/app/index.php", htaccess === undefined ? {} : { htaccess });
  const named = [
    "<IfModule mod_headers.c>: httpd skips this section: `headers_module` is not loaded",
    "help: add a `LoadModule` line for `headers_module`",
  ];

  test.each([
    [[...modules, ...headers], undefined],
    [[...modules, ...within("Directory /srv/www", "Directory")], undefined],
    [modules, headers.join("\n")],
  ])("is named: %j %s", (lines, htaccess) => {
    expect(found(lines, htaccess)).toEqual(named);
  });

  test("is named for expiry and compression", () => {
    const lines = [
      ...guard("expires_module", "ExpiresActive On"),
      ...guard("mod_deflate.c", "SetOutputFilter DEFLATE"),
    ];
    expect(found([...modules, ...lines])).toHaveLength(4);
  });

  test.each([
    // The section is for other files, is empty, has the module, or is for its absence; or no module is known.
    [...modules, ...within("Directory /srv/other", "Directory")],
    [...modules, ...within("Files x.txt", "Files")],
    [...modules, ...within("VirtualHost *:81", "VirtualHost")],
    [...modules, ...guard("mod_headers.c", "# Header set A b")],
    [...modules, "LoadModule headers_module mod_headers.so", ...headers],
    [...modules, ...guard("!mod_headers.c", "# none")],
    [...modules, ...guard("mod_dav_fs.c", "DAVLockDB x")],
    headers,
  ])("is not named: %j %j %j %j %j", (...lines) => {
    expect(found(lines)).toEqual([]);
  });
});

describe("a section of a module that the server does not have", () => {
  const guard = (module: string, ...lines: readonly string[]) =>
    `<IfModule ${module}>\n${lines.join("\n")}\n</IfModule>`;
  const of24 = "mod_authz_core.c";
  test("would deny access in the other release", () => {
    expect(
      closeMissesOf([], "/app/index.php", { htaccess: guard(of24, "Require all denied"), release: "2.2" }),
    ).toEqual([
      `<IfModule ${of24}>: httpd skips this section, which would deny access: the server does not have \`${of24}\``,
      `help: next to it, add \`<IfModule !${of24}>\`, \`Order deny,allow\`, \`Deny from all\` and \`</IfModule>\``,
    ]);
    expect(closeMissesOf([], "/app/index.php", { htaccess: guard(`!${of24}`, "Deny from all") })).toEqual([
      `<IfModule !${of24}>: httpd skips this section, which would deny access: the server has \`${of24}\``,
      `help: next to it, add \`<IfModule ${of24}>\`, \`Require all denied\` and \`</IfModule>\``,
    ]);
  });

  test.each<[htaccess: string, release: "2.2" | "2.4"]>([
    [`${guard(of24, "Require all denied")}\n${guard(`!${of24}`, "Deny from all")}`, "2.2"],
    [guard(of24, "Require all granted"), "2.2"],
    [guard(`!${of24}`, "Deny from all", "Allow from 192.0.2"), "2.4"],
    [guard(`!${of24}`, "<Files x>", "Deny from all", "</Files>"), "2.4"],
    [guard("mod_headers.c", "Header set A b"), "2.4"],
    // The section around it is for other files or methods, or the other kind of lines is there.
    [`<FilesMatch "\\.env$">\n${guard(`!${of24}`, "Deny from all")}\n</FilesMatch>`, "2.4"],
    [`<Limit PUT DELETE>\n${guard(`!${of24}`, "Deny from all")}\n</Limit>`, "2.4"],
    [`${guard(`!${of24}`, "Deny from all")}\n${guard(of24, "Require ip 192.0.2.0/24")}`, "2.4"],
    [`${guard("!mod_authz_core", "Deny from all")}\n${guard(of24, "Require ip 192.0.2.0/24")}`, "2.4"],
  ])("is not named: %s", (htaccess, release) => {
    expect(closeMissesOf([], "/app/index.php", { htaccess, release })).toEqual([]);
  });
});

describe("a section of a module that does not exist", () => {
  const guard = (module: string, ...lines: readonly string[]) => ({
    htaccess: `<IfModule ${module}>\n${lines.join("\n")}\n</IfModule>`,
  });
  const redirect = "RedirectMatch 404 /index";
  test("has a line of another one", () => {
    expect(
      closeMissesOf(["DirectoryIndex x", "Alias /y /srv"], "/app/index.php", guard("mod_redirect.c", redirect)),
    ).toEqual([
      "<IfModule mod_redirect.c>: httpd skips this section: it knows no module `mod_redirect.c`; `RedirectMatch` is one of `mod_alias`",
      "help: use `<IfModule alias_module>`",
    ]);
  });

  test.each([
    ["mod_headers.c", redirect],
    ["mod_php7.c", "php_flag engine off"],
    ["mod_own.c", "OwnLine on"],
    ["mod_r.c", redirect],
    ["mod_.c", redirect],
    ["mod_red.c", redirect],
    ["mod_log.c", "LogLevel debug"],
    ["mod_server.c", "ServerSignature Off"],
  ])("is not named: %s", (module, line) => {
    expect(closeMissesOf(["Alias /y /srv"], "/app/index.php", guard(module, line))).toEqual([]);
  });
});

describe("a line that AllowOverride does not allow", () => {
  const override = (words: string) => ["<Directory /srv/www/app>", `AllowOverride ${words}`, "</Directory>"];
  const helpFor = (words: string, htaccess: string) =>
    causesOf(override(words), "/app/index.php", { htaccess }).filter((each) => String(each).startsWith("help: "));

  test("names the words with which it is allowed", () => {
    expect(helpFor("FileInfo", "Options -MultiViews")).toEqual([
      "help: to allow it, use `AllowOverride FileInfo Options=All,MultiViews`",
      "help: or delete the lines that are not allowed: `Options -MultiViews` is the first",
    ]);
    expect(helpFor("Options", "Options +MultiViews -Indexes")[0]).toContain("`AllowOverride Options=All,MultiViews`");
    expect(helpFor("Options=Indexes", "Options ExecCGI")[0]).toContain("`AllowOverride Options=Indexes,ExecCGI`");
    expect(helpFor("FileInfo", "AuthName a")[0]).toBe("help: to allow it, use `AllowOverride FileInfo AuthConfig`");
  });

  test.each([
    ["FileInfo Options=All,MultiViews", "Options -MultiViews"],
    ["Options", "Options -Indexes"],
    ["FileInfo AuthConfig", "AuthName a"],
  ])("is allowed: %s", (words, htaccess) => {
    expect(causesOf(override(words), "/app/index.php", { htaccess })).toEqual([200]);
  });
});

describe("a password file that does not exist", () => {
  const login = (file: string) => ({
    htaccess: `AuthType Basic\nAuthName a\nAuthUserFile ${file}\nRequire valid-user`,
    user: "anna",
    files: ["/srv/www/app/.htaccess", "/srv/www/app/index.php", "/srv/www/app/.htpasswd", "/srv/keys/users"],
  });
  test.each([
    ["srv/keys/users", "/etc/srv/keys/users", "/srv/keys/users"],
    ['".htpasswd"', "/etc/.htpasswd", "/srv/www/app/.htpasswd"],
    ["/home/a/.htpasswd", "/home/a/.htpasswd", "/srv/www/app/.htpasswd"],
  ])("is elsewhere: %s", (file, asked, found) => {
    const written = file.startsWith('"') ? `"${found}"` : found;
    expect(causesOf([], "/app/index.php", login(file))).toEqual([
      500,
      `\`${asked}\` does not exist, but \`${found}\` does`,
      `help: use \`AuthUserFile ${written}\``,
    ]);
  });

  test("is nowhere", () => {
    expect(causesOf([], "/app/index.php", login("keys/none"))).toEqual([500]);
  });
});

describe("a FallbackResource without a slash", () => {
  test("is looked up beside each part of the URL", () => {
    const htaccess = "FallbackResource index.php";
    expect(causesOf([], "/app/a/b", { htaccess })).toEqual([
      500,
      "`FallbackResource index.php` is relative to the URL: for `/app/a/b`, httpd looks up `/app/a/index.php`, and so on",
      "help: use `FallbackResource /app/index.php`",
    ]);
    expect(causesOf([], "/app/a", { htaccess })).toEqual([200]);
    expect(causesOf([], "/app/a/b", { htaccess: "FallbackResource /app/index.php" })).toEqual([200]);
  });
});

describe("a loop of a rule whose target does not exist", () => {
  const tests = ["RewriteCond %{REQUEST_FILENAME} !-f", "RewriteCond %{REQUEST_FILENAME} !-d"];
  const files = ["/srv/www/app/.htaccess", "/srv/www/app/index.php", "/srv/www/app/public/main.php"];
  const causesFor = (lines: readonly string[], path = "/app/about", more: Partial<Asked> = {}) =>
    causesOf([], path, { files, htaccess: ["RewriteEngine On", ...lines].join("\n"), ...more });

  test.each<[string, readonly string[], string, string]>([
    [
      "with another RewriteBase",
      ["RewriteBase /app/blog/", "RewriteRule ^index\\.php$ - [L]", ...tests, "RewriteRule . /app/blog/index.php [L]"],
      "`/srv/www/app/blog/index.php` does not exist, but `/srv/www/app/index.php` does",
      "use `RewriteBase /app/` and `RewriteRule . /app/index.php [L]`",
    ],
    [
      "with a relative target",
      ["RewriteBase /app/blog", ...tests, "RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]"],
      "`/srv/www/app/blog/index.php` does not exist, but `/srv/www/app/index.php` does",
      "use `RewriteBase /app/`",
    ],
    [
      "without RewriteBase",
      [...tests, "RewriteRule ^ /app/old/index.php [L]"],
      "`/srv/www/app/old/index.php` does not exist, but `/srv/www/app/index.php` does",
      "use `RewriteRule ^ /app/index.php [L]`",
    ],
    [
      "with the RewriteBase of the directory",
      ["RewriteBase /app/", ...tests, "RewriteRule ^ /app/old/public/main.php [L]"],
      "`/srv/www/app/old/public/main.php` does not exist, but `/srv/www/app/public/main.php` does",
      "use `RewriteRule ^ /app/public/main.php [L]`",
    ],
    [
      "with no file of that name",
      [...tests, "RewriteRule ^ /app/old/front.php [L]"],
      "`/srv/www/app/old/front.php` does not exist",
      "create it, or correct the target of the rule",
    ],
  ])("names the target: %s", (_, lines, text, help) => {
    const causes = causesFor(lines);
    expect(causes).toEqual([
      500,
      expect.stringMatching(/^the URL returns to one before: .*; httpd stops/),
      `help: ${help}`,
    ]);
    expect(causes[1]).toContain(`; ${text}`);
  });

  test("is answered after the change", () => {
    expect(causesFor(["RewriteBase /app/", ...tests, "RewriteRule ^ /app/index.php [L]"])).toEqual([200]);
  });

  test.each<[string, readonly string[]]>([
    ["tests no file", ["RewriteRule ^ /app/old/index.php [L]"]],
    ["tests another file", ["RewriteCond %{DOCUMENT_ROOT}/off.html !-f", "RewriteRule ^ /app/old/index.php [L]"]],
    ["tests that the file exists", ["RewriteCond %{REQUEST_FILENAME} !-d", "RewriteRule ^ /app/old/index.php [L]"]],
    ["has a target that depends on the URL", [...tests, "RewriteRule ^(.*)$ /app/old/$1 [L]"]],
    ["has a variable in its target", [...tests, "RewriteRule ^ %{ENV:BASE}/app/old/index.php [L]"]],
  ])("gets the flag END: the rule %s", (_, lines) => {
    const [status, text, help] = causesFor(lines);
    expect(status).toBe(500);
    expect(text).not.toContain("exist");
    expect(help).toContain("help: to run the rules only once, use `RewriteRule ");
  });

  test("gets the flag END if the file exists, and another rule has the conditions", () => {
    const rules = [...tests, "RewriteRule ^index\\.php$ - [END]", "RewriteRule . /app/old/index.php [L]"];
    const causes = causesFor(rules, "/app/about", { files: [...files, "/srv/www/app/old/index.php"] });
    expect(causes[1]).not.toContain("exist");
    expect(causes[2]).toBe("help: to run the rules only once, use `RewriteRule . /app/old/index.php [END]`");
  });
});

describe("a body that is longer than LimitRequestBody allows", () => {
  const files = [
    "/srv/www/cgi/up.cgi",
    "/srv/www/up.php",
    "/srv/www/up.fcgi",
    "/srv/www/app/.htaccess",
    "/srv/www/app/x.cgi",
  ];
  const program = [
    "ScriptAlias /cgi/ /srv/www/cgi/",
    "<Files *.php>",
    "SetHandler application/x-httpd-php",
    "</Files>",
  ];
  const handlers = [
    "<Files *.fcgi>",
    'SetHandler "proxy:fcgi://127.0.0.1:9000"',
    "</Files>",
    "ProxyPass /b http://b.test",
  ];
  const post = (lines: readonly string[], path: string, length: string, more: Partial<Asked> = {}) =>
    [
      [...program, ...handlers, ...lines],
      path,
      { files, method: "POST", headers: { "Content-Length": length }, ...more },
    ] as const;
  const limit = "LimitRequestBody 1048576";
  const text = "the body has 5000000 bytes (`Content-Length`), and `LimitRequestBody 1048576` allows fewer";
  const help = "help: to allow a body of this length, use `LimitRequestBody 5000000`";
  const deletion = "help: or delete the line: the default limit is 1 GiB since 2.4.54, and none before";

  test("is 413 for a CGI program, whether it reads the body or not", () => {
    const asked = post([limit], "/cgi/up.cgi", "5000000");
    expect(causesOf(...asked)).toEqual([413, text, help, deletion]);
    expect(answerFor(...asked).unknown).toEqual([]);
  });

  test("is in a `.htaccess` file", () => {
    const lines = ["<Directory /srv/www/app>", "Options +ExecCGI", "AddHandler cgi-script .cgi", "</Directory>"];
    expect(causesOf(...post(lines, "/app/x.cgi", "5000000", { htaccess: limit }))).toEqual([413, text, help, deletion]);
  });

  test("is usually 413 for another program", () => {
    const answer = answerFor(...post([limit], "/up.php", "5000000"));
    expect(answer.unknown).toEqual(["whether the program leaves the body of more than 1048576 bytes unread"]);
    expect(headlineOf(answer)).toMatchObject({
      title: "413 Content Too Large",
      remarks: [
        "this is the usual case; it depends on whether the program leaves the body of more than 1048576 bytes unread",
      ],
    });
    expect(answer.causes.map((each) => each.text)).toEqual([text]);
  });

  test("has another line that applies without this one, so that deleting it does not help", () => {
    const inner = ["<Location /cgi>", limit, "</Location>"];
    expect(causesOf(...post(["LimitRequestBody 1000", ...inner], "/cgi/up.cgi", "5000000"))).toEqual([413, text, help]);
    expect(causesOf(...post([limit], "/cgi/up.cgi", "2000000000"))).toHaveLength(3);
    expect(causesOf(...post([limit], "/cgi/up.cgi", "5000000", { release: "2.2" }))[3]).toBe(
      "help: or delete the line: by default, 2.2 accepts any length",
    );
  });

  test.each<[string, ReturnType<typeof post>, number]>([
    ["a shorter body", post([limit], "/cgi/up.cgi", "1048576"), 200],
    ["no limit", post(["LimitRequestBody 0"], "/cgi/up.cgi", "5000000"), 200],
    [
      "a higher limit of the path",
      post([limit, "<Location /cgi>", "LimitRequestBody 5000000", "</Location>"], "/cgi/up.cgi", "5000000"),
      200,
    ],
    ["a backend", post([limit], "/b/x", "5000000"), 200],
    ["a backend that SetHandler names", post([limit], "/up.fcgi", "5000000"), 200],
    ["the default", post([], "/cgi/up.cgi", "5000000"), 200],
  ])("is not named: %s", (_, asked, status) => {
    expect(causesOf(...asked)).toEqual([status]);
  });
});

describe("an internal redirect of a part to a program", () => {
  const files = ["/srv/www/app/.htaccess", "/srv/www/app/index.php", "/srv/www/app/index.html"];
  const login = ["AuthType Basic", "AuthName a", "AuthUserFile /etc/users", "Require valid-user"];
  const setter = 'SetEnvIf Request_URI "^/app/hook" open';
  const rules = ["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule ^ index.php [L]"];
  const causesFor = (lines: readonly string[], more: Partial<Asked> = {}) =>
    causesOf([], "/app/hook", { files, isPart: true, htaccess: lines.join("\n"), ...more });
  const again = (status: number) =>
    `if another file has a section such as \`<FilesMatch "\\.php$">\`, httpd checks access again for \`/app/index.php\`, and returns ${status}`;

  test.each<[string, readonly string[], string, string | undefined]>([
    [
      "a login",
      [setter, ...login, "Require env open", ...rules],
      `${again(401)}: \`${setter}\` sets \`open\``,
      "use `Require env open REDIRECT_open`",
    ],
    [
      "no login",
      [setter, "Require env open", ...rules],
      `${again(403)}: \`${setter}\` sets \`open\``,
      "use `Require env open REDIRECT_open`",
    ],
    [
      "a container",
      [
        setter,
        ...login.slice(0, 3),
        "<RequireAny>",
        "Require valid-user",
        "Require env open",
        "</RequireAny>",
        ...rules,
      ],
      `${again(401)}: \`${setter}\` sets \`open\``,
      "use `Require env open REDIRECT_open`",
    ],
    [
      "mod_access_compat",
      [setter, "Order deny,allow", "Deny from all", "Allow from env=open", ...rules],
      `${again(403)}: \`${setter}\` sets \`open\``,
      "use `Allow from env=open env=REDIRECT_open`",
    ],
    [
      "an expression on the URL",
      ["Require expr %{REQUEST_URI} =~ m#^/app/hook#", ...rules],
      `${again(403)}: \`Require expr %{REQUEST_URI} =~ m#^/app/hook#\` applies to it`,
      undefined,
    ],
  ])("is denied if another file has a section for programs, with %s", (_, lines, text, help) => {
    const causes = causesFor(lines);
    expect(causes[0]).toBe(200);
    expect(causes[1]).toContain(text);
    expect(causes[2]).toBe(help && `help: ${help}`);
  });

  test("is denied if this file has the section", () => {
    const causes = causesFor([setter, "Require env open", ...rules, '<FilesMatch "\\.php$">', "</FilesMatch>"]);
    expect(causes[0]).toBe(403);
    expect(causes[1]).toMatch(/^`SetEnvIf .*` sets `open` for/);
  });

  test.each<[string, readonly string[], Partial<Asked>?]>([
    ["names the variable after it", [setter, "Require env open REDIRECT_open", ...rules]],
    ["grants access to all", [setter, "Require all granted", ...rules]],
    ["leads to a page", [setter, "Require env open", ...rules.slice(0, 2), "RewriteRule ^ index.html [L]"]],
    ["tests the request line", ["Require expr %{THE_REQUEST} =~ m#^GET /app/hook#", ...rules]],
    ["has no redirect", [setter, "Require env open"], { files: [...files, "/srv/www/app/hook"] }],
  ])("has no such cause: it %s", (_, lines, more = {}) => {
    expect(causesFor(lines, more)).toEqual([200]);
  });

  test("has no such cause on a whole server", () => {
    expect(causesOf([], "/app/hook", { files, htaccess: [setter, "Require env open", ...rules].join("\n") })).toEqual([
      200,
    ]);
  });
});
