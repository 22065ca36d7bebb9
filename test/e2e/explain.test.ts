import { describe, expect, test } from "vitest";
import { sampleOf } from "../support/depth.js";
import { expectFailure } from "../support/programs/command-output.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";
import { restrictedSections, writeRestrictedServer } from "../support/restricted-server.js";

const scratch = lintedFolder();
const { lint, textOf, write } = scratch;
const writeServer = (more = "") => writeRestrictedServer(scratch, more);

const mixedAccess = [
  '<Directory "/">\nRequire all denied\n</Directory>',
  '<Location "/status">\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n</Location>\n',
].join("\n");

describe("explain", () => {
  test("shows the response to a request and its reason", () => {
    writeServer();
    const { status, stdout, stderr } = lint(["explain", "httpd.conf", "/x?y"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.replaceAll(scratch.path, "@")).toBe(`403 Forbidden: \`Require\` does not allow this request

access log  192.0.2.1 - - "GET /x?y HTTP/1.0" 403
error log   AH01630: client denied by server configuration: @/www/x

httpd.conf:5:1: denies this request
  |
5 | Require ip 10.0.0.0/8
  | ^^^^^^^^^^^^^^^^^^^^^

steps, in order; each section is merged with those before it
1. DocumentRoot "www"  httpd.conf:2:1
   maps to \`@/www/x\`
2. <Directory />  httpd.conf:3:1
   sets \`Require ip 10.0.0.0/8\`

\`--allow\` shows the smallest change that allows this request
`);
  });

  test("shows the line that allows a client that a flag names", () => {
    writeServer();
    const lines = "`Require ip 10.0.0.0/8`, `Require ip 203.0.113.9`, `</Directory>` after line 6\n";
    const help = `    help: to allow this client, add \`<Directory "${scratch.path}/www">\`, ${lines}`;
    for (const flag of ["--client-ip", "--peer-ip"])
      expect(lint(["explain", "httpd.conf", "/x", flag, "203.0.113.9"]).stdout).toContain(help);
    expect(lint(["explain", "httpd.conf", "/x"]).stdout).not.toContain("to allow this client");
  });

  test("takes the user of a Basic header, and keeps the header of another scheme", () => {
    writeServer('<Location "/in">\nAuthType Basic\nAuthName x\nAuthUserFile users\nRequire user bob\n</Location>\n');
    write({ users: "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n" });
    const answerWith = (header: string) =>
      JSON.parse(
        lint(["explain", "httpd.conf", "/in/a", "--header", `Authorization: ${header}`, "--format", "json"]).stdout,
      );
    const login = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    expect(answerWith(login("bob:secret"))).toMatchObject({ status: 404, request: { user: "bob" } });
    expect(answerWith(login("bob:wrong"))).toMatchObject({ status: 401, request: { user: "bob" } });
    expect(answerWith("Bearer abc")).toMatchObject({
      status: 401,
      request: { headers: { Authorization: "Bearer abc" } },
    });
  });

  test("says that a header is too long, and which limit holds", () => {
    writeServer();
    const text = (length: number) =>
      lint(["explain", "httpd.conf", "/open/x.txt", "--header", `Authorization: Bearer ${"x".repeat(length)}`]).stdout;
    expect(text(9000)).toContain("400 Bad Request: a header is longer than `LimitRequestFieldSize` allows");
    expect(text(9000)).toContain("help: add `LimitRequestFieldSize 16380` before the virtual hosts");
    expect(text(8000)).not.toContain("LimitRequestFieldSize");
  });

  test("looks up targets of AliasMatch, and files that an Alias hides", () => {
    write({
      "site.conf": [
        "<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/www",
        "AliasMatch ^/docs /srv/manuals\nAlias /icons/ /usr/share/icons/",
        "<Directory />\nRequire all granted\n</Directory>\n</VirtualHost>\n",
      ].join("\n"),
      ...{ "srv/www/icons/a.png": "x", "srv/www/b.png": "x", "srv/manuals/guide.html": "x" },
    });
    const first = (path: string) =>
      lint(["explain", "site.conf", `http://a.test${path}`, "--sysroot", "."])
        .stdout.split("\n")
        .slice(0, 2)
        .join("\n");
    expect(first("/docs/guide.html")).toContain("301 → http://a.test/docs/guide.html/");
    expect(first("/icons/a.png")).toContain(
      "404 Not Found: access is granted, but `/usr/share/icons/a.png` does not exist",
    );
    expect(first("/icons/a.png")).toContain(
      "`/srv/www/icons/a.png` exists, but `Alias /icons/ /usr/share/icons/` leads",
    );
    expect(first("/icons/other.png")).toContain("200 from /usr/share/icons/other.png");
    expect(first("/b.png")).toContain("200 from /srv/www/b.png");
  });

  test("accepts all parts of a request", () => {
    writeServer(
      [
        "<VirtualHost *:8443>\nHostnameLookups On\nServerName a.test\n<Location /who>",
        "Require expr \"%{REQUEST_METHOD} == 'PUT' && %{QUERY_STRING} == 'q' && %{HTTP:X-A} == 'b' && %{HTTPS} == 'on'",
      ].join("\n") +
        " && reqenv('E') == 'f' && -R '2001:db8::/32' && %{REMOTE_HOST} == 'c.test'\"\n</Location>\n</VirtualHost>\n",
    );
    const args = [
      ...["explain", "httpd.conf", "https://a.test:8443/who", "--method", "PUT", "--query", "q", "--header", "X-A: b"],
      ...["--env", "E=f", "--client-ip", "2001:db8::7", "--client-host", "c.test", "--format", "json"],
    ];
    expect(JSON.parse(lint(args).stdout)).toMatchObject({
      class: "allowed",
      request: { port: 8443, host: "a.test:8443" },
    });
    expect(JSON.parse(lint([...args, "--method", "GET"]).stdout)).toMatchObject({ class: "403" });
    expect(JSON.parse(lint([...args, "--port", "80"]).stdout)).toMatchObject({ class: "403" });
  });

  test("takes a curl command line after two dashes", () => {
    writeServer(
      '<Location "/who">\nRequire expr "%{HTTP_USER_AGENT} =~ /^curl/ && %{HTTP_COOKIE} == \'a=b\'"\n</Location>\n',
    );
    const line = ["curl", "-skI", "-b", "a=b", "http://a.test/x/../who"];
    const known = lint(["explain", "httpd.conf", "--format", "json", "--", ...line]);
    expect(validJson("explain", known.stdout)).toMatchObject({
      class: "allowed",
      request: { method: "HEAD", host: "a.test", path: "/who" },
    });
    expect(lint(["explain", "httpd.conf", "/who", "--cookie", "a=b"]).stdout).toMatch(/^403 /);
    expectFailure(lint(["explain", "httpd.conf", "--", "curl", "--nope"]), 2, /`--nope` is not supported/);
  });

  test("does not claim a status of a backend, not even in the access log", () => {
    write({ "httpd.conf": 'ServerName a.test\nProxyPass "/app" "http://127.0.0.1:8080/app"\n' });
    const { stdout } = lint(["explain", "httpd.conf", "/app/x"]);
    expect(stdout).toMatch(/^proxied to http:\/\/127\.0\.0\.1:8080\/app\/x\n/);
    expect(stdout).toContain('"GET /app/x HTTP/1.0" -\n');
  });

  test("says who answers with a status of its own, in text and JSON", () => {
    write({
      "httpd.conf": [
        "LoadModule proxy_module m.so\nLoadModule proxy_fcgi_module m.so\nLoadModule proxy_http_module m.so",
        "DocumentRoot /srv/www\nProxyPass /app http://127.0.0.1:8080/app",
        '<FilesMatch "\\.php$">\nSetHandler "proxy:unix:/run/php.sock|fcgi://localhost"\n</FilesMatch>\n',
      ].join("\n"),
      files: "/srv/www/a.php\n/srv/www/a.html\n",
    });
    const ask = (path: string, ...more: string[]) => lint(["explain", "httpd.conf", path, "--files", "files", ...more]);
    const { stdout } = ask("/a.php?x");
    expect(stdout).toMatch(
      /^proxied to unix:\/run\/php\.sock\|fcgi:\/\/localhost\/srv\/www\/a\.php with the query x\n/,
    );
    expect(stdout).toContain("the backend of the handler `proxy:unix:/run/php.sock|fcgi://localhost` answers");
    expect(stdout).toContain('"GET /a.php HTTP/1.0" -\n'.replace("a.php", "a.php?x"));
    const json = (path: string) => validJson("explain", ask(path, "--format", "json").stdout);
    expect(json("/a.php")).toMatchObject({ status: 200, answeredBy: "backend", file: "/srv/www/a.php" });
    expect(json("/app/x")).toMatchObject({ status: 200, answeredBy: "backend", target: "http://127.0.0.1:8080/app/x" });
    // Twin: httpd serves the file.
    expect(ask("/a.html").stdout).toMatch(/^200 from \/srv\/www\/a\.html\n/);
    expect(json("/a.html")).not.toHaveProperty("answeredBy");
  });

  test("says that a backend answers for an error document", () => {
    write({
      "httpd.conf": [
        "LoadModule proxy_module m.so\nLoadModule proxy_http_module m.so\nLoadModule cgid_module m.so",
        "LoadModule alias_module m.so\nLoadModule authz_core_module m.so\nDocumentRoot /srv/www\nProxyPass /errors http://127.0.0.1:8080/errors",
        '<Directory "/">\nRequire all granted\n</Directory>\n<Location "/no">\nRequire all denied\n</Location>',
        "ErrorDocument 404 /errors/404.html\nErrorDocument 403 /errors/403.html\nErrorDocument 400 /errors/400.html",
        'ErrorDocument 410 /cgi/gone.cgi\nScriptAlias "/cgi" "/srv/cgi"\nRedirect gone /gone\n',
      ].join("\n"),
      files: "/srv/www/a.html\n/srv/www/no/a.html\n/srv/cgi/gone.cgi\n",
    });
    const ask = (path: string, ...more: string[]) => lint(["explain", "httpd.conf", path, "--files", "files", ...more]);
    const first = (path: string) => ask(path).stdout.split("\n").slice(0, 2);
    const by = (status: number) =>
      `the backend of \`ErrorDocument ${status} /errors/${status}.html\` answers, with a status of its own`;
    expect(first("/x")).toEqual([
      "proxied to http://127.0.0.1:8080/errors/404.html",
      `    access is granted, but \`/srv/www/x\` does not exist; ${by(404)}`,
    ]);
    expect(first("/no/a.html")).toEqual([
      "proxied to http://127.0.0.1:8080/errors/403.html",
      `    \`Require\` does not allow this request; ${by(403)}`,
    ]);
    expect(first("/%zz")).toEqual([
      "proxied to http://127.0.0.1:8080/errors/400.html",
      `    httpd rejects the URL before it applies any rule; ${by(400)}`,
    ]);
    expect(ask("/x").stdout).not.toContain("responses");
    const denied = validJson("explain", ask("/no/a.html", "--format", "json").stdout);
    expect(denied).toMatchObject({
      ...{ status: null, class: "403", answeredBy: "backend", target: "http://127.0.0.1:8080/errors/403.html" },
      usual: { status: 403, class: "403", answeredBy: "backend" },
    });
    // Twins: a program usually leaves the status, and without an error there is no document.
    expect(first("/gone")).toEqual([
      "410 Gone: a `Redirect` responds before access is checked",
      "    the program of `ErrorDocument 410 /cgi/gone.cgi` may set another status",
    ]);
    expect(ask("/gone").stdout).not.toContain("did not apply");
    expect(first("/a.html")[0]).toBe("200 from /srv/www/a.html");
  });

  test("names in JSON what no longer counts, and the entry points, by the words of the documentation", () => {
    write({
      "httpd.conf": [
        'DocumentRoot "/srv"\n<Directory "/srv">\nOrder allow,deny\nAllow from all\nRequire all denied\n</Directory>',
        '<Location "/x">\nOrder deny,allow\nDeny from all\nRequire all granted\n</Location>\n',
      ].join("\n"),
    });
    const explained = validJson("explain", lint(["explain", "httpd.conf", "/x", "--format", "json"]).stdout);
    expect(JSON.stringify(explained)).toMatch(/"directives":\["Order","Allow","Deny","Satisfy"\],"rules":"old"/);
    expect(JSON.stringify(explained)).toMatch(/"directives":\["Require"\],"rules":"require"/);
    for (const command of ["map", "audit"]) {
      const found = validJson(command, lint([command, "httpd.conf", "--format", "json"]).stdout);
      const { servers } = found as { servers: { entryPoints: unknown; doors: unknown }[] };
      expect(servers).not.toEqual([]);
      for (const { entryPoints, doors } of servers) expect(doors).toEqual(entryPoints);
    }
  });

  test("says under 2.2, too, that only a login grants access under Satisfy any", () => {
    write({
      "httpd.conf": [
        'DocumentRoot "/srv"\nListen 80\n<Directory "/srv">\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8',
        "Require valid-user\nAuthType Basic\nAuthName x\nAuthUserFile Users\nSatisfy Any\n</Directory>",
        '<Location "/all">\nSatisfy all\n</Location>\n',
      ].join("\n"),
      Users: "ann:{SHA}x\n",
    });
    const reason = (...args: string[]) =>
      lint(["explain", "httpd.conf", ...args, "--release", "2.2"]).stdout.split("\n")[0];
    const denied =
      "401 Unauthorized: `Order`, `Allow` and `Deny` deny this client; under `Satisfy any`, only a login grants access";
    expect(reason("/x")).toBe(denied);
    expect(reason("/x", "--user", "bob")).toBe(`${denied}, and httpd does not accept this user`);
    // Twins: without Satisfy any, the lines deny the client themselves, or a login is required of every client.
    expect(reason("/all/x")).toBe("403 Forbidden: `Deny from all` denies this client");
    expect(reason("/all/x", "--client-ip", "10.1.2.3")).toBe(
      "401 Unauthorized: a login is required, but the request has none",
    );
    expect(reason("/x", "--client-ip", "10.1.2.3")).toMatch(/^404 Not Found: access is granted/);
  });

  test("compares a password with the password file, and shows it nowhere", () => {
    write({
      "httpd.conf": [
        'DocumentRoot "www"\n<Location "/">\nRequire valid-user\nAuthType Basic\nAuthName x\nAuthUserFile Users\n</Location>',
        '<Location "/digest">\nAuthType Digest\nAuthName Realm\nAuthUserFile Digests\n</Location>\n',
      ].join("\n"),
      Users: [
        "ann:$apr1$saltsalt$JKHJR5GNp3AmIWaCmq6.f.\n",
        "eve:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC\n",
      ].join(""),
      Digests: "ann:Realm:7a3a2d8b8dd5b6b6a5fd5a2b0c0f7f7c\n",
      "www/index.html": "x",
    });
    const ask = (user: string, ...more: string[]) => lint(["explain", "httpd.conf", "/", "--user", user, ...more]);
    expect(ask("ann").stdout).toMatch(/^200 from /);
    expect(ask("ann:geheim8").stdout).toMatch(/^200 from /);
    expect(ask("ann:Geheim7").stdout).toMatch(/^401 Unauthorized: a provider rejects the password\n/);
    const unknown = ask("eve:Geheim7");
    expect(unknown.status).toBe(5);
    expect(unknown.stdout).toContain(", if the password of `eve` matches its hash (bcrypt) in `");
    expect(lint(["explain", "httpd.conf", "/digest/x", "--user", "ann:Geheim7"]).stdout).toMatch(/^401 /);
    for (const more of [[], ["--format", "json"], ["--all"], ["--curl"], ["--allow"]])
      for (const user of ["ann:Geheim7", "eve:Geheim7"]) expect(ask(user, ...more).stdout).not.toContain("Geheim7");
    // Twin: a user who is not in the file.
    expect(ask("zoe:Geheim7").stdout).toMatch(/^401 Unauthorized: no password file or other provider knows the user\n/);
    const byCurl = lint(["explain", "httpd.conf", "--", "curl", "-u", "ann:Geheim7", "http://a.test/"]);
    expect(byCurl.stdout).toMatch(/^401 Unauthorized: a provider rejects the password\n/);
  });

  test("takes the client of a TLS connection", () => {
    write({
      "httpd.conf": [
        "LoadModule ssl_module m.so\nLoadModule authz_core_module m.so\nLoadModule unixd_module m.so",
        "LoadModule mpm_event_module m.so\nListen 443\n<VirtualHost *:443>\nServerName a.test\nSSLEngine on",
        "SSLCertificateFile c.pem\nSSLCertificateKeyFile c.key\nSSLVerifyClient optional",
        '<Location "/staff">\nRequire ssl-verify-client\n</Location>\n<Location "/new">',
        "Require expr \"%{SSL_PROTOCOL} == 'TLSv1.3'\"\n</Location>\n</VirtualHost>\n",
      ].join("\n"),
      "c.pem": "x",
      "c.key": "x",
    });
    const ask = (path: string, ...parts: string[]) =>
      lint([
        ...["explain", "httpd.conf", `https://a.test${path}`, "--format", "json", "--exit-zero"],
        ...parts.flatMap((part) => ["--tls", part]),
      ]);
    const classOf = (path: string, ...parts: string[]) => {
      const answer = validJson("explain", ask(path, ...parts).stdout);
      return (answer as { class: string }).class;
    };
    expect(classOf("/staff/x")).toBe("unknown");
    expect(classOf("/staff/x", "certificate=none")).toBe("403");
    expect(classOf("/staff/x", "subject=/C=DE/CN=ann")).toBe("allowed");
    expect(classOf("/new/x")).toBe("unknown");
    expect(classOf("/new/x", "version=1.2")).toBe("403");
    expect(classOf("/new/x", "version=1.3", "certificate=none")).toBe("allowed");
    expectFailure(ask("/x", "version=4"), 2, /`version=4` of --tls is invalid/);
    expectFailure(ask("/x", "subject=/CN=a", "certificate=none"), 2, /a subject of --tls requires a certificate/);
    expectFailure(lint(["explain", "httpd.conf", "http://a.test/", "--tls", "version=1.2"]), 2, /requires the scheme/);
  });

  test("keeps the case of names", () => {
    write({
      "httpd.conf": [
        "LoadModule setenvif_module m.so\nLoadModule authz_core_module m.so\nLoadModule alias_module m.so\nDocumentRoot /srv/WWW",
        "<VirtualHost *:80>\nServerName Shop.Example.COM\nSetEnvIf X-Api ^Y$ Is_OK=1 !Other_Name",
        'Redirect /Old http://New.Example.COM/A\n<Location "/Env">\nRequire env Is_OK\n</Location>\n</VirtualHost>\n',
      ].join("\n"),
    });
    const ask = (url: string, ...more: string[]) =>
      lint(["explain", "httpd.conf", url, "--files", "assume", ...more]).stdout;
    expect(ask("http://Shop.Example.com/Old")).toMatch(/^302 → http:\/\/New\.Example\.COM\/A\n/);
    expect(ask("http://Shop.Example.com/Env/X", "--header", "X-Api: Y", "--all")).toContain("sets `Is_OK`");
    expect(ask("http://Other.Example.com/")).toContain("none matches `Other.Example.com`");
    const { request } = JSON.parse(ask("http://Shop.Example.com/Env/X", "--header", "X-Api: Y", "--format", "json"));
    expect(request).toMatchObject({ host: "Shop.Example.com", path: "/Env/X", headers: { "X-Api": "Y" } });
  });

  test("lists no NameVirtualHost line of another port", () => {
    write({
      "httpd.conf": [
        "Listen 80\nListen 8080\nNameVirtualHost *:80\nNameVirtualHost *:8080\nNameVirtualHost 192.0.2.5",
        "<VirtualHost *:80>\nServerName a.test\n</VirtualHost>\n<VirtualHost *:8080>\nServerName b.test\n</VirtualHost>\n",
      ].join("\n"),
    });
    const ask = (port: string) =>
      lint(["explain", "httpd.conf", "/x", "--release", "2.2", "--port", port, "--all"]).stdout;
    expect(ask("80")).toContain("NameVirtualHost *:80 ");
    expect(ask("80")).not.toContain("8080");
    expect(ask("80")).toContain("NameVirtualHost 192.0.2.5");
    expect(ask("8080")).toContain("NameVirtualHost *:8080");
    expect(ask("8080")).not.toContain("*:80 ");
  });

  test("finds the client of a request through a proxy", () => {
    write({
      "httpd.conf": [
        "LoadModule remoteip_module m.so\nRemoteIPHeader X-Forwarded-For\nRemoteIPTrustedProxy 198.51.100.1",
        '<Location "/">\nRequire ip 203.0.113.7\n</Location>\n',
      ].join("\n"),
    });
    const ask = (peer: string) =>
      lint(["explain", "httpd.conf", "/", "--peer-ip", peer, "--header", "X-Forwarded-For: 203.0.113.7"]).stdout;
    expect(ask("198.51.100.1")).toContain('\naccess log  203.0.113.7 - - "GET / ');
    expect(ask("198.51.100.2")).toContain("403 Forbidden");
    const both = ["--peer-ip", "::1", "--client-ip", "::1"];
    expectFailure(lint(["explain", "httpd.conf", "/", ...both]), 2, /cannot be combined with --client-ip/);
  });

  test("shows the headers of a response, and a line that comes close", () => {
    const lines = [`ServerRoot "${scratch.path}"`, 'DocumentRoot "www"', "AddDefaultCharset utf-8"];
    const section = ['<Files "*.css">', "Header set X-A 1", "</Files>"];
    const headers = [1, 2, 3, 4].map((number) => `Header set X-${number} 1`);
    const text = [...lines, ...section, ...headers, ""].join("\n");
    write({ "httpd.conf": text, "www/a.html": "<p>", "www/a.js": "" });
    const ask = (...args: readonly string[]) => lint(["explain", "httpd.conf", ...args]).stdout;
    expect(ask("/a.html")).toContain(`
response headers
  \`Content-Type: text/html; charset=utf-8\`, by \`AddDefaultCharset utf-8\` (httpd.conf:3:1)
  \`Header set X-1 1\` (httpd.conf:7:1)
  \`Header set X-2 1\` (httpd.conf:8:1)
  and 2 more lines
`);
    expect(ask("/a.html", "--all")).toContain("`Header set X-4 1` (httpd.conf:10:1)\n");
    expect(ask("/a.js").split("\n").length).toBeLessThanOrEqual(26);
    expect(ask("/a.js")).toContain('help: use `<FilesMatch "\\.(?:css|js)$">`\n');
    expect(validJson("explain", ask("/a.html", "--format", "json"))).toMatchObject({
      contentType: { value: "text/html; charset=utf-8", lines: [{ line: "AddDefaultCharset utf-8" }] },
      headerLines: [1, 2, 3, 4].map((number) => ({ line: `Header set X-${number} 1` })),
    });
    expect(validJson("explain", ask("/a.js", "--format", "json"))).toMatchObject({
      notApplied: [{ line: '<Files "*.css">', help: ['use `<FilesMatch "\\.(?:css|js)$">`'] }],
    });
  });

  test("writes JSON that matches its schema", () => {
    writeServer(mixedAccess);
    const urls = ["/x", "/open/x.txt", "/open/", "/nowhere/at/all", "/../x", "/status"];
    const flags = [[], ["--files", "assume"], ["--reading", "guide"], ["--release", "2.2"]];
    // The step pairs each URL with other flags.
    const runs = sampleOf(
      urls.flatMap((url) => flags.map((more) => [url, ...more])),
      flags.length + 1,
    );
    for (const args of runs) validJson("explain", lint(["explain", "httpd.conf", ...args, "--format", "json"]).stdout);
  });

  test("reports differences between the upgrade guide and the server", () => {
    write({ "httpd.conf": mixedAccess });
    const args = ["explain", "httpd.conf", "/status", "--client-ip", "127.0.0.1"];
    expect(validJson("explain", lint([...args, "--format", "json"]).stdout)).toMatchObject({
      ...{ reading: "server", status: 403, log: ["AH01630"] },
      guide: { class: "allowed", log: [] },
    });
    expect(lint(args).stdout).toMatch(
      /^httpd does not follow its upgrade guide here, which describes a different result: (?:allowed|404)/m,
    );
    const guide = validJson("explain", lint([...args, "--reading", "guide", "--format", "json"]).stdout);
    expect(guide).toMatchObject({ reading: "guide", class: "allowed", server: { class: "403", log: ["AH01630"] } });
    expect(lint([...args, "--reading", "guide"]).stdout).toContain(
      "httpd returns a different result: 403 Forbidden (AH01630",
    );
  });

  test("finds users and groups in the files that apply", () => {
    writeServer(
      '<Location "/staff">\nAuthType Basic\nAuthName x\nAuthUserFile users\nAuthGroupFile groups\nRequire group staff\n</Location>\n',
    );
    write({
      users: "alice:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\nbob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n",
      groups: "# members\nstaff: alice dora\n",
    });
    const log = (...args: string[]) =>
      lint(["explain", ".", "/staff", ...args])
        .stdout.split("\n")
        .slice(2, 4);
    expect(log()[0]).toBe('access log  192.0.2.1 - - "GET /staff HTTP/1.0" 401');
    expect(log("--user", "alice")[0]).toBe('access log  192.0.2.1 - alice "GET /staff HTTP/1.0" 404');
    expect(log("--user", "bob")[1]).toContain('AH01631: user bob: authorization failure for "/staff": ');
    expect(log("--user", "bob", "--group", "staff,other")[0]).toContain("404");
    expect(log("--user", "carol")[1]).toBe("error log   AH01618: user carol not found: /staff");
  });

  test("reads files from the disk or from a list", () => {
    writeServer();
    const status = (...args: string[]) => {
      const ran = lint(["explain", "httpd.conf", "/open/x.txt", "--format", "json", ...args]);
      const { status: response, class: decided }: { status: number | null; class: string } = JSON.parse(ran.stdout);
      return [response, decided, ran.status];
    };
    expect(status()).toEqual([200, "allowed", 0]);
    expect(status("--files", "disk")).toEqual([200, "allowed", 0]);
    expect(status("--files", "assume")).toEqual([null, "allowed", 0]);
    write({ list: `${scratch.path}/www/other.txt\n`, wrong: "www/x\n" });
    // If the folder does not exist, its `.htaccess` file is not read.
    expect(status("--files", "list")).toEqual([403, "403", 0]);
    expectFailure(lint(["explain", ".", "/x", "--files", "nowhere"]), 3, /`nowhere` of --files cannot be read/);
    expectFailure(lint(["explain", ".", "/x", "--files", "wrong"]), 3, /line 1 of the list `wrong` of --files/);
  });

  test("reads files below --sysroot, and no files outside --confine", () => {
    write({
      "image/etc/httpd/httpd.conf": `DocumentRoot "/srv/www"\n${restrictedSections}`,
      "image/srv/www/a/.htaccess": "Require all granted\n",
      "image/srv/www/a/x.txt": "x\n",
    });
    const explain = (...args: string[]) => {
      const ran = lint(["explain", "image/etc/httpd/httpd.conf", "/a/x.txt", "--format", "json", ...args]);
      const { status, class: decided }: { status: number | null; class: string } = JSON.parse(ran.stdout);
      return [status, decided];
    };
    expect(explain("--sysroot", "image", "--server-root", "image/etc/httpd", "--files", "disk")).toEqual([
      200,
      "allowed",
    ]);
    const confined = ["--sysroot", "image", "--confine", "image/srv/www/a", "--files", "disk"];
    expect(lint(["explain", "image/etc/httpd/httpd.conf", "/a/x.txt", ...confined]).status).toBe(3);
    expect(explain("--sysroot", "image", "--confine", "image", "--files", "disk")).toEqual([200, "allowed"]);
    expect(explain("--sysroot", "image", "--confine", "image/etc", "--files", "disk")[0]).not.toBe(404);
  });

  test("shows the possible responses, and exits with 5, if they depend on unknown facts", () => {
    write({
      "httpd.conf":
        'DocumentRoot "/srv/none"\n<Location />\nRequire ldap-user bob\nAuthType Basic\nAuthName x\nAuthBasicProvider ldap\nAuthLDAPURL ldap://x/o=x\n</Location>\n',
    });
    const modules = "authnz_ldap,authz_core,authn_core,auth_basic";
    const args = ["explain", "httpd.conf", "/x", "--user", "bob", "--modules", modules, "--files", "disk"];
    const ran = lint(args);
    expect(ran.status).toBe(5);
    expect(ran.stdout).toContain("unknown: the response depends on unknown facts");
    const explainWith = (...grants: string[]) => lint([...args, ...grants.flatMap((each) => ["--grants", each])]);
    expect(explainWith("ldap-user bob").stdout).toMatch(/^404 Not Found/);
    expect(explainWith("ldap-user alice").stdout).toMatch(/^401 Unauthorized/);
    expect(ran.stdout).toContain(
      [
        "possible responses\n  404 Not Found, if `Require ldap-user bob` grants access",
        "  401 Unauthorized (AH01631), unless `Require ldap-user bob` grants access\n",
      ].join("\n"),
    );
    expect(lint([...args, "--all"]).stdout).toMatch(
      /possible responses\n(?:.|\n)* {4}`Require ldap-user bob` grants access: (?:yes|no)/,
    );
  });

  test("fits a screen without --all, and says how much is left out", () => {
    const addresses = Array.from({ length: 40 }, (_, index) => `Require ip 198.51.100.${index}\n`).join("");
    write({
      "httpd.conf": [
        'DocumentRoot "/srv/none"\n<Directory "/">\nRequire all denied\n</Directory>',
        '<Directory "/srv">\nRequire ip 198.51.100.1\n</Directory>\n<Directory "/srv/none">\nOptions None\n</Directory>',
        `<Location "/list">\n${addresses}</Location>\n<Location "/a">\nRequire all granted\n</Location>`,
        '<Location "/loop">\nRequire all granted\n</Location>\n<Directory "/srv/none/loop">\nOptions FollowSymLinks',
        "RewriteEngine On\nRewriteRule (.*) /loop/a/$1\n</Directory>\n",
      ].join("\n"),
    });
    const linesOf = (text: string) => text.split("\n").length - 1;
    for (const url of ["/a/b/c", "/a/", "/list/x", "/loop/x"]) {
      const [shown, whole] = [[], ["--all"]].map((more) => lint(["explain", "httpd.conf", url, ...more]).stdout);
      const left = Number(/`--all` shows (\d+) more lines?/.exec(shown ?? "")?.[1] ?? 0);
      expect(linesOf(shown ?? ""), url).toBeLessThanOrEqual(25);
      // The blank line and the line that names the flags are extra.
      expect(linesOf(whole ?? ""), url).toBe(linesOf(shown ?? "") - 2 + left);
      expect(whole).not.toContain("--all");
      // The result is the same.
      expect(whole?.split("\n")[0]).toBe(shown?.split("\n")[0]);
    }
    const { stdout } = lint(["explain", "httpd.conf", "/a/b"]);
    expect(stdout).toContain(
      "other responses\n  301 → /a/b/, if `/srv/none/a/b` is a directory\n  404 Not Found, unless `/srv/none/a` exists\n",
    );
    // A step that is left out is named by its section.
    expect(stdout).toContain('overrides `Require` of `<Directory "/srv">`');
    // Twin: an answer that fits is complete.
    write({ "httpd.conf": 'ServerName a.test\nRedirect /x "http://b.test/"\n' });
    const short = lint(["explain", "httpd.conf", "/x"]).stdout;
    expect(short).not.toContain("--all");
    expect(lint(["explain", "httpd.conf", "/x", "--all"]).stdout).toBe(short);
  });

  test("reports first that the server does not start", () => {
    write({ "httpd.conf": "Optoins None\nRequire ip 10\n" });
    const ran = lint(["explain", "httpd.conf", "/"]);
    expect(ran).toMatchObject({ status: 1, stderr: "" });
    expect(ran.stdout).toMatch(
      /^httpd will not start with this configuration; `httpd-lint check` shows all 2 errors$/m,
    );
    expect(ran.stdout).toContain("httpd.conf:1:1: unknown directive `Optoins`");
    expect(validJson("explain", lint(["explain", "httpd.conf", "/", "--format", "json"]).stdout)).toHaveProperty(
      "startup",
    );
    expect(lint(["explain", "httpd.conf", "/", "--exit-zero"]).status).not.toBe(1);
  });

  test("finds the server that a file belongs to", () => {
    writeServer("Include extra/*.conf\n");
    write({
      "extra/a.conf": "<Location /a>\nRequire all granted\n</Location>\n",
      "other/b.conf": "<Location /b>\n</Location>\n",
      "conf.new": "ServerRoot /\nListen 80\n",
    });
    for (const entry of [".", "httpd.conf", "extra/a.conf", "www/open/.htaccess"])
      expect(lint(["explain", entry, "/x", "--format", "json"]).stdout, entry).toContain('"status": 403');
    const fragment = lint(["explain", "other/b.conf", "/x"]);
    expect(fragment.stderr).toMatch(/`other\/b\.conf` is not included by .*: it is analyzed on its own\n/);
    expect(fragment.status).toBe(5);
    const otherMain = lint(["explain", "conf.new", "/x"]);
    // Its ServerRoot identifies it as a main file.
    expect(otherMain.stderr).toBe("");
    expect(otherMain.status).toBe(0);
    const piped = lint(["explain", "-", "/a", "--stdin-filename", "extra/a.conf", "--format", "json"], {
      input: "<Location /a>\nRequire all denied\n</Location>\n",
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ status: 403, decidedBy: [{ path: "extra/a.conf" }] });
  });

  test("writes colours on request, and writes to a file", () => {
    writeServer();
    expect(lint(["explain", ".", "/x", "--color", "always"]).stdout).toContain("\u001b[");
    expect(lint(["explain", ".", "/x"]).stdout).not.toContain("\u001b[");
    expect(lint(["explain", ".", "/x", "--output", "answer.txt"])).toMatchObject({ status: 0, stdout: "" });
    expect(textOf("answer.txt")).toBe(lint(["explain", ".", "/x"]).stdout);
  });

  test("writes no control characters", () => {
    writeServer('<Location "/\u001b[31m">\nRequire all denied\n</Location>\n');
    const { stdout } = lint(["explain", ".", "/%1b[31m/%07"]);
    expect(stdout).toMatch(/^[^\p{Cc}]*$/mu);
  });

  test.each([
    [["explain"], 2, /ENTRY is missing: expected a main file, a virtual host file/],
    [["explain", "."], 2, /URL-OR-PATH is missing/],
    [["explain", ".", "x"], 2, /`x` of URL-OR-PATH is neither a URL nor a path/],
    [["explain", ".", "http://a b/"], 2, /URL-OR-PATH contains a space/],
    [["explain", ".", "ftp://a/"], 2, /URL-OR-PATH has the scheme `ftp`/],
    [["explain", ".", "/", "--client-ip", "10.1.2.300"], 2, /`10\.1\.2\.300` of --client-ip is not an IP address/],
    [["explain", ".", "/", "--server-ip", "x"], 2, /`x` of --server-ip/],
    [["explain", ".", "/", "--host", "a b"], 2, /`a b` of --host is not a valid host/],
    [["explain", ".", "/", "--port", "x"], 2, /`x` of --port is not a valid port/],
    [["explain", ".", "/", "--scheme", "ftp"], 2, /`ftp` of --scheme/],
    [["explain", ".", "/", "--method", "G T"], 2, /`G T` of --method/],
    [["explain", ".", "/", "--user", ":b"], 2, /of --user is not a valid user name/],
    [["explain", ".", "/", "--group", "a"], 2, /--group requires --user/],
    [["explain", ".", "/", "--header", "x"], 2, /`x` of --header/],
    [["explain", ".", "/", "--env", "=x"], 2, /`=x` of --env/],
    [["explain", ".", "/", "--reading", "book"], 2, /reading/],
    [["explain", ".", "/", "--format", "junit"], 2, /format/],
    [["explain", ".", "/", "--requests", "x"], 2, /cannot be used together/],
    [["explain", "-", "--stdin-filename", "x.conf", "--requests", "-"], 2, /cannot both be standard input/],
    [["explain", ".", "--requests", "nowhere"], 3, /the log `nowhere` of --requests cannot be read/],
    [["explain", ".", "--requests", "."], 3, /the log `\.` of --requests cannot be read: it is a directory/],
    [["explain", ".", "--requests", "x", "--user", "bob"], 2, /--user cannot be used with --requests/],
    [["explain", "nowhere", "/"], 3, /`nowhere` cannot be read/],
    [["explain", "other", "/"], 2, /`other` has no main file; name one of its files/],
  ])("%j fails with one line", (args, status, message) => {
    writeServer();
    write({ "other/b.conf": "Listen 80\n", "other/c.conf": "Listen 80\n" });
    expectFailure(lint(args), status, message);
  });
});

test("shows what a check reports on the lines of the answer", () => {
  write({
    ".htaccess": [
      "RewriteEngine On",
      "ErrorDocument 404 https://www.example.com/missing",
      "RewriteRule ^old\\.html$ new.html [R=301]",
      "",
    ].join("\n"),
  });
  const redirected = lint(["explain", ".htaccess", "http://www.example.com/old.html"]).stdout;
  expect(redirected).toContain("\n    redirect to `new.html` shows the path of a directory on the disk (.htaccess:3:");
  expect(redirected).toContain("help: begin the target with `/`, or add a `RewriteBase`");
  // Twins: lines that do not concern the request, and lines without a finding.
  expect(redirected).not.toContain("status 404 becomes 302");
  write({ ".htaccess": "RewriteEngine On\nRewriteRule ^old\\.html$ /new.html [R=301]\n" });
  expect(lint(["explain", ".htaccess", "http://www.example.com/old.html"]).stdout).not.toContain("`check` reports");
});
