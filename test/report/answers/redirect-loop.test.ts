import { expect, test } from "vitest";
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
  expect(loop?.text).toBe("a client that follows it requests `https://www.a.test/x?y` again, for ever");
  expect(loop?.line?.key).toBe("rewriterule");
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
  // Twins: with its own conditions, the rule excludes its target; conditions above that do not exclude it are no remedy.
  expect(loopOf([...lines.slice(0, 4), ...conditions, ...lines.slice(4)], asked).loop).toBeUndefined();
  expect(loopOf(lines.toSpliced(2, 1), asked).loop?.help).toEqual([
    "to exclude the target, add `RewriteCond %{REQUEST_URI} !^/later\\.html$` right before the rule",
  ]);
});
