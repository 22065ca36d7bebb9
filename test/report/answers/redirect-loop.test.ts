import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { headlineOf } from "../../../src/report/answers/answer-words.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

const files = createListedFiles(["/srv/www/.htaccess", "/srv/www/docs/index.html", "/srv/www/page.html"]);

/** Returns the first words of the answer to a request, and the loop, with the part of its text after the last `: `. */
function loopOf(lines: readonly string[], request: Partial<Request>, entry = "/srv/www/.htaccess") {
  const access = memoryAccess({ [entry]: `${lines.join("\n")}\n` });
  const kind = entry.endsWith("httpd.conf") ? ({ kind: "server" } as const) : {};
  const loaded = loadProject(entry, { access, release: "2.4", htaccess: true, ...kind });
  if (!loaded.ok) throw new Error(loaded.error);
  const asked = { method: "GET", path: "/", clientIp: "192.0.2.7", ...request };
  const found = answer(loaded.value, asked, { files });
  return { title: headlineOf(found).title, loop: found.loop };
}

const canonical = (pattern: string) => [
  "RewriteEngine On",
  `RewriteCond %{HTTP_HOST} ${pattern}`,
  "RewriteRule ^(.*)$ https://www.a.test/$1 [R=301,L]",
];

test("a redirect to the requested URL is a loop", () => {
  const asked = { scheme: "https", host: "www.a.test", path: "/x", query: "y" } as const;
  const { title, loop } = loopOf(canonical("!^a\\.test$"), asked);
  expect(title).toBe("redirect loop: 301 → https://www.a.test/x?y");
  expect(loop?.text).toMatch(/^a client that follows it requests `https:\/\/www\.a\.test\/x\?y` again, for ever; /);
  expect(loop?.line?.key).toBe("rewritecond");
  // Twins: the condition excludes the target; the request has another scheme, and the target ends there.
  expect(loopOf(canonical("!^www\\."), asked).loop).toBeUndefined();
  expect(loopOf(canonical("^a\\.test$"), { ...asked, host: "a.test" })).toEqual({
    title: "301 → https://www.a.test/x?y",
    loop: undefined,
  });
  // A client that has the cookie sends another request.
  const withCookie = canonical("!^a\\.test$").map((line) => line.replace(",L]", ",L,CO=seen:1:a.test]"));
  expect(loopOf(withCookie, asked).loop).toBeUndefined();
  expect(loopOf(canonical("!^a\\.test$"), { ...asked, method: "POST" }).loop).toBeUndefined();
});

test("a rule that removes the slash of a directory is a loop with mod_dir", () => {
  const lines = ["RewriteEngine On", "RewriteRule ^(.+)/$ /$1 [R=301,L]"];
  const { title, loop } = loopOf(lines, { scheme: "http", host: "a.test", path: "/docs/" });
  expect(title).toBe("redirect loop: 301 → http://a.test/docs");
  expect(loop?.text).toMatch(/`http:\/\/a\.test\/docs\/` → `http:\/\/a\.test\/docs` → `http:\/\/a\.test\/docs\/`$/);
  // Twins: a file, and a condition for directories.
  expect(loopOf(lines, { scheme: "http", host: "a.test", path: "/page.html/" }).loop).toBeUndefined();
  const guarded = [lines[0] ?? "", "RewriteCond %{REQUEST_FILENAME} !-d", lines[1] ?? ""];
  expect(loopOf(guarded, { scheme: "http", host: "a.test", path: "/docs/" }).loop).toBeUndefined();
});

test("names with and without `www` that lead to each other are a loop", () => {
  const lines = [
    ...canonical("^a\\.test$"),
    "RewriteCond %{HTTP_HOST} ^www\\.",
    "RewriteRule ^(.*)$ https://a.test/$1 [R=301,L]",
  ];
  const { loop } = loopOf(lines, { scheme: "https", host: "a.test", path: "/x" });
  expect(loop?.text).toMatch(/; this assumes that this server also answers for `www\.a\.test`$/);
  // Twin: a name that may be that of another server.
  const moved = ["Redirect 301 / https://new.test/"];
  expect(loopOf(moved, { scheme: "https", host: "a.test", path: "/x" }).loop).toBeUndefined();
});

test("a redirect to https is a loop for requests that a balancer decrypted", () => {
  const host = ["<VirtualHost *:80>", "ServerName a.test", "Redirect / https://a.test/", "</VirtualHost>"];
  const asked = { scheme: "http", host: "a.test", path: "/x" } as const;
  const headers = { "x-forwarded-proto": "https" };
  expect(loopOf(host, { ...asked, headers }, "/etc/httpd/httpd.conf").title).toBe(
    "redirect loop: 302 → https://a.test/x",
  );
  const { loop: plain } = loopOf(host, { ...asked, headers: { "x-forwarded-proto": "http" } }, "/etc/httpd/httpd.conf");
  expect(plain?.text).toMatch(/`http:\/\/a\.test\/x` → `https:\/\/a\.test\/x` → `https:\/\/a\.test\/x`$/);
  // Twin: a client without a balancer.
  expect(loopOf(host, asked, "/etc/httpd/httpd.conf").loop).toBeUndefined();
});

test("a loop that only a balancer causes is named as such", () => {
  const force = (condition: string) => [
    "RewriteEngine On",
    `RewriteCond ${condition}`,
    "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
  ];
  const asked = { scheme: "https", host: "a.test", path: "/page.html" } as const;
  const { title, loop } = loopOf(force("%{HTTPS} !=on"), asked);
  expect(title).toBe("200 from /srv/www/page.html");
  expect(loop).toMatchObject({ isConditional: true });
  expect(loop?.text).toMatch(/301 → `https:\/\/a\.test\/page\.html`$/);
  // The condition is about the header of the balancer, which a direct client does not send.
  const direct = loopOf(force("%{HTTP:X-Forwarded-Proto} !=https"), asked).loop;
  expect(direct).toMatchObject({ isConditional: false });
  expect(direct?.text).toMatch(/a balancer that ends TLS and sends `X-Forwarded-Proto: https` prevents the loop$/);
  // Twins: that client sends it; the request is plain.
  const headers = { "X-Forwarded-Proto": "https" };
  expect(
    loopOf(force("%{HTTP:X-Forwarded-Proto} !=https"), { ...asked, scheme: "http", headers }).loop,
  ).toBeUndefined();
  expect(loopOf(force("%{HTTPS} !=on"), { ...asked, scheme: "http" }).loop).toBeUndefined();
});

test("a header of a balancer is named only if it ends the loop", () => {
  const lines = (...conditions: readonly string[]) => [
    "RewriteEngine On",
    ...conditions,
    "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
  ];
  const asked = { scheme: "https", host: "a.test", path: "/page.html" } as const;
  const textOf = (...conditions: readonly string[]) => loopOf(lines(...conditions), asked).loop?.text ?? "";
  expect(textOf("RewriteCond %{HTTP:X-Forwarded-Proto} =http [OR]", "RewriteCond %{HTTPS} =on")).not.toMatch(
    /balancer/,
  );
  expect(textOf("RewriteCond %{HTTPS} =on")).not.toMatch(/balancer/);
  expect(textOf("RewriteCond %{HTTP:X-Forwarded-Proto} !=https")).toMatch(/balancer/);
});

describe("the condition of a rule that is true for its target", () => {
  const www = "http://www.a.test";
  const [toTls, toName] = ["https://%{HTTP_HOST}/$1", `${www}%{REQUEST_URI}`];

  test.each<[condition: string, target: string, request: Partial<Request>, written: string, why: string]>([
    ["%{HTTPS} =on", toTls, { scheme: "https" }, "%{HTTPS} !=on", "`%{HTTPS}` is `on` there"],
    ["%{HTTPS} !=ON [NV]", toTls, { scheme: "https" }, "%{HTTPS} !=on [NV]", "`%{HTTPS}` is `on` there"],
    ["%{SERVER_PORT} ^443$", toTls, { scheme: "https" }, "%{SERVER_PORT} !=443", "`%{SERVER_PORT}` is `443` there"],
    [
      "%{REQUEST_SCHEME} !HTTPS",
      "https://%{SERVER_NAME}%{REQUEST_URI}",
      { scheme: "https" },
      "%{REQUEST_SCHEME} !=https",
      "`%{REQUEST_SCHEME}` is `https` there",
    ],
    [
      "%{HTTP_HOST} !^a\\.test$",
      "http://a.test:8080%{REQUEST_URI}",
      { host: "a.test:8080", port: 8080 },
      "%{HTTP_HOST} !^a\\.test(?::\\d+)?$",
      "`%{HTTP_HOST}` has the port, `:8080`",
    ],
    [
      "%{HTTP_HOST} !=a.test",
      "http://a.test:8080/$1",
      { host: "a.test:8080", port: 8080 },
      "%{HTTP_HOST} !=a.test:8080",
      "the host is `a.test:8080`, with the port",
    ],
    [
      "%{HTTP_HOST} !^a\\.test$",
      toName,
      { host: "www.a.test" },
      "%{HTTP_HOST} !=www.a.test",
      "the host is `www.a.test`",
    ],
    [
      "%{HTTP_HOST} !^http://www\\.a\\.test",
      toName,
      { host: "www.a.test" },
      "%{HTTP_HOST} !^www\\.a\\.test",
      "the name has no scheme and no path",
    ],
    [
      "%{HTTP_HOST} !^WWW\\.A",
      toName,
      { host: "www.a.test" },
      "%{HTTP_HOST} !^WWW\\.A [NC]",
      "letters differ in case, and it has no `NC`",
    ],
  ])("%s with %s", (condition, target, request, written, why) => {
    const lines = (text: string) => [
      "RewriteEngine On",
      `RewriteCond ${text}`,
      `RewriteRule ^(.*)$ ${target} [R=301,L]`,
    ];
    const asked = { scheme: "http", host: "a.test", path: "/page.html", ...request } as const;
    const { loop } = loopOf(lines(condition), asked);
    expect(loop?.text).toMatch(/ again, for ever; `RewriteCond /);
    expect(loop?.text.endsWith(`is true for the target as well: ${why}`)).toBe(true);
    expect(loop?.line?.key).toBe("rewritecond");
    expect(loop?.help).toEqual([`use \`RewriteCond ${written}\``]);
    expect(loopOf(lines(written), asked).title).toBe("200 from /srv/www/page.html");
  });

  test("has a twin for requests with TLS to other names", () => {
    const rule = "RewriteRule ^ https://www.a.test%{REQUEST_URI} [R=301,L]";
    const asked = { scheme: "https", host: "www.a.test", path: "/page.html" } as const;
    const { loop } = loopOf(["RewriteEngine On", "RewriteCond %{HTTPS} on", rule], asked);
    expect(loop?.help).toEqual([
      "use `RewriteCond %{HTTPS} !=on`",
      "or add `RewriteCond %{HTTP_HOST} !=www.a.test` right before the rule",
    ]);
  });

  test.each<[condition: string, target: string, request: Partial<Request>, added: string]>([
    ["%{HTTP_HOST} !^b\\.test$", toName, { host: "www.a.test" }, "`RewriteCond %{HTTP_HOST} !=www.a.test`"],
    ["%{REMOTE_ADDR} !^10\\.", toName, { host: "www.a.test" }, "`RewriteCond %{HTTP_HOST} !=www.a.test`"],
    ["%{REMOTE_ADDR} !^10\\.", toTls, { scheme: "https" }, "`RewriteCond %{HTTPS} !=on`"],
    [
      "%{HTTPS} =on [OR]\nRewriteCond %{REMOTE_ADDR} !^10\\.",
      toTls,
      { scheme: "https" },
      "`RewriteCond %{HTTPS} !=on`",
    ],
  ])("is not one for something else: %s with %s", (condition, target, request, added) => {
    const lines = (...more: readonly string[]) => [
      "RewriteEngine On",
      ...`RewriteCond ${condition}`.split("\n"),
      ...more,
      `RewriteRule ^(.*)$ ${target} [R=301,L]`,
    ];
    const asked = { scheme: "http", host: "a.test", path: "/page.html", ...request } as const;
    const { loop } = loopOf(lines(), asked);
    expect(loop?.line?.key).toBe("rewriterule");
    expect(loop?.help).toEqual([`to exclude the target, add ${added} right before the rule`]);
    expect(loopOf(lines(added.replaceAll("`", "")), asked).title).toBe("200 from /srv/www/page.html");
  });
});

test("the conditions of a loop may be those of another rule", () => {
  const conditions = [
    "RewriteCond %{REMOTE_ADDR} !^198\\.51\\.100\\.7$",
    "RewriteCond %{REQUEST_URI} !^/later\\.html$",
  ];
  const lines = ["RewriteEngine On", ...conditions, "RewriteRule \\.css$ - [L]", "RewriteRule ^ /later.html [R=302,L]"];
  const asked = { host: "a.test", path: "/" };
  const { loop } = loopOf(lines, asked);
  expect(loop?.text).toMatch(/the `RewriteCond` lines above apply only to the rule right below them$/);
  expect(loop?.help).toEqual([`write \`${conditions[0]}\` and \`${conditions[1]}\` again right before this rule`]);
  // Twins: with its own conditions, the rule excludes its target; the conditions above may not exclude it.
  expect(loopOf([...lines.slice(0, 4), ...conditions, ...lines.slice(4)], asked).loop).toBeUndefined();
  expect(loopOf(lines.toSpliced(2, 1), asked).loop?.help).toEqual([
    "to exclude the target, add `RewriteCond %{REQUEST_URI} !^/later\\.html$` right before the rule",
  ]);
});

describe("a Redirect to the same path", () => {
  const host = (...lines: readonly string[]) => [
    "<VirtualHost *:80>",
    ...lines,
    "DocumentRoot /srv/www",
    "</VirtualHost>",
  ];
  const entry = "/etc/httpd.conf";
  const www = { scheme: "http", host: "www.a.test" } as const;

  test.each<[about: string, lines: readonly string[], request: Partial<Request>, test: string, text: string]>([
    [
      "of a host with the target as an alias",
      host("ServerName a.test", "ServerAlias www.a.test", "Redirect permanent / http://www.a.test/"),
      ...([www, "%{HTTP_HOST} != 'www.a.test'"] as const),
      "`<VirtualHost *:80>` is also for `www.a.test` (`ServerAlias www.a.test`), and a `Redirect` has no conditions",
    ],
    [
      "of a host with another alias",
      host("ServerName www.a.test", "ServerAlias a.test", "RedirectMatch ^/(.*) http://www.a.test/$1"),
      ...([www, "%{HTTP_HOST} != 'www.a.test'"] as const),
      "(`ServerName www.a.test`), and a `RedirectMatch` has no conditions",
    ],
    [
      "to https, of the main server",
      ["ServerName a.test", "SSLEngine On", "Redirect / https://www.a.test/"],
      ...([{ scheme: "https", host: "www.a.test" }, "%{HTTPS} != 'on' || %{HTTP_HOST} != 'www.a.test'"] as const),
      "a `Redirect` has no conditions, so that it applies to its target as well",
    ],
  ])("%s is limited to other requests", (_, lines, request, condition, text) => {
    const { loop } = loopOf(lines, request, entry);
    expect(loop?.text).toContain(text);
    expect(loop?.help).toEqual([`put this line into \`<If "${condition}">\` and \`</If>\``]);
    const at = lines.findIndex((line) => line.startsWith("Redirect"));
    const fixed = [...lines.slice(0, at), `<If "${condition}">`, lines[at] ?? "", "</If>", ...lines.slice(at + 1)];
    expect(loopOf(fixed, request, entry).loop).toBeUndefined();
  });

  test("of a host with only this name has no such remedy", () => {
    const { loop } = loopOf(host("ServerName www.a.test", "Redirect / http://www.a.test/"), www, entry);
    expect(loop?.help).toBeUndefined();
    const tls = ["ServerName a.test", "Redirect / https://www.a.test/"];
    expect(loopOf(tls, { scheme: "https", host: "www.a.test" }, entry).loop?.help).toBeUndefined();
    const below = host("ServerName a.test", "ServerAlias www.a.test", "Redirect /x http://www.a.test/x/y");
    expect(loopOf(below, { ...www, path: "/x" }, entry).loop?.help?.join()).not.toContain("<If");
  });
});
