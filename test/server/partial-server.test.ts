import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Release } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";

const files = createListedFiles([
  "/srv/www/x.txt",
  "/srv/www/in/index.html",
  "/srv/www/empty/",
  "/srv/app/x.txt",
  "/u",
  "/srv/www/in/.htaccess",
]);

interface Part {
  readonly release?: Release;
  readonly path?: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly kind?: "fragment" | "server";
}

function deciderFor(
  text: string,
  { release = "2.4", path = "/etc/site.conf", more = {}, kind }: Part = {},
): SimulatedServer {
  const access = memoryAccess({ [path]: text, ...more });
  const loaded = loadProject(path, { access, release, htaccess: true, ...(kind ? { kind } : {}) });
  if (!loaded.ok) throw new Error(loaded.error);
  return new SimulatedServer(loaded.value, files);
}

function answer(text: string, path: string, request: Partial<Request> = {}, part: Part = {}) {
  const decision = deciderFor(text, part).answer({ method: "GET", path, clientIp: "192.0.2.7", ...request });
  return decision.class === "unknown" ? decision.unknown.join() : (decision.status ?? decision.class);
}

const host = (lines: string) =>
  `<VirtualHost *:80>\nServerName app.test\nServerAlias *.app.test\nDocumentRoot /srv/www\n${lines}</VirtualHost>\n`;
const inSection = (section: string, lines: string) => `<${section}>\n${lines}\n</${section.replace(/ .*/, "")}>\n`;
const denied = inSection("Location /admin", "Require all denied");
const granted = inSection("Directory /srv/www", "Require all granted");
const nothingDecides = (path: string) => `the access rules of other files: this file has none for \`${path}\``;

// The main files that Debian and Red Hat ship deny the whole disk by Require.
test("a fragment does not decide what only Order, Allow and Deny allow on 2.4", () => {
  const text = host(inSection("Location /", "Order allow,deny\nAllow from all"));
  expect(answer(text, "/x.txt")).toBe("the `Require` lines of other files: this file has none for `/x.txt`");
  expect(answer(text, "/x.txt", {}, { release: "2.2" })).toBe(200);
});

test("the modules that a fragment uses are assumed, so that the rest of the server decides access to a backend", () => {
  const text = host("RewriteEngine On\nRewriteRule ^/p http://backend/ [P]\n");
  expect(answer(text, "/p")).toBe(nothingDecides("/p"));
  expect(answer(text + inSection('Proxy "*"', "Require all denied"), "/p")).toBe(403);
});

test("an AuthType is available in a fragment, whichever module implements it", () => {
  const login = inSection("Location /", "AuthType Digest\nAuthName x\nAuthUserFile /u\nRequire valid-user");
  expect(answer(host(login), "/x.txt")).toBe(401);
});

describe("a fragment decides", () => {
  test.each<[why: string, text: string, path: string, expected: number | string, request?: Partial<Request>]>([
    ["what its Require lines deny", denied, "/admin", 403],
    ["what its Require lines allow", granted + host(""), "/x.txt", 200],
    ["what its mod_access_compat directives deny", inSection("Location /a", "Deny from all"), "/a", 403],
    [
      "what its mod_access_compat and Require directives allow",
      host(inSection("Location /", "Allow from all\nRequire all granted")),
      "/x.txt",
      200,
    ],
    [
      "what requires a login that it configures",
      inSection("Location /a", "AuthType Basic\nAuthName x\nRequire valid-user"),
      "/a",
      401,
    ],
    ["a Redirect", host("Redirect permanent /old http://x.test/\n"), "/old", 301],
    ["a rewritten URL", host("RewriteEngine On\nRewriteRule ^/old - [F]\n"), "/old", 403],
    [
      "that a Redirect returns 403, even if access may be denied before",
      inSection("Location /a", "Redirect 403"),
      "/a",
      403,
    ],
    ["a missing file", granted + host(""), "/none", 404],
    ["a malformed URL", host(""), "/%zz", 400],
    ["requests for its ServerName", host(denied), "/admin", 403, { host: "app.test" }],
    ["requests for its ServerAlias", host(denied), "/admin", 403, { host: "www.app.test" }],
    ["requests without a host name in its first virtual host", host(denied), "/admin", 403, {}],
    [
      "requests to the address of its virtual host",
      host(denied).replace("*:80", "10.1.1.1:80"),
      "/admin",
      403,
      { serverIp: "10.1.1.1" },
    ],
    [
      "a file that an Alias maps",
      `Alias /app /srv/app\n${inSection("Directory /srv/app", "Require all granted")}`,
      "/app/x.txt",
      200,
    ],
    ["what fails on its side of And", inSection("Location /a", "AuthMerging And\nRequire all denied"), "/a", 403],
    [
      "what passes on its side of Or",
      host(inSection("Location /", "AuthMerging Or\nRequire all granted")),
      "/x.txt",
      200,
    ],
    ["what AllowMethods denies", inSection("Location /a", "AllowMethods POST\nRequire all granted"), "/a", 405],
  ])("%s", (_, text, path, expected, request) => {
    expect(answer(text, path, request)).toBe(expected);
  });

  test("requests for any host name in a virtual host that a context comment names", () => {
    const text = `# httpd-lint-context <VirtualHost *:80>\n${denied}`;
    expect(answer(text, "/admin", { host: "any.test" })).toBe(403);
    expect(answer(text, "/other", { host: "any.test" })).toBe(nothingDecides("/other"));
  });

  // A virtual host inherits no AllowEncodedSlashes.
  test("an encoded slash in a virtual host", () => {
    expect(answer(host(denied), "/admin/a%2fb")).toBe(404);
  });

  test("access, if it does not map the URL to a file", () => {
    for (const path of ["/a/b", "/a/"])
      expect(answer(inSection("Location /a", "Require ip 192.0.2.0/24"), path), path).toBe("allowed");
  });

  test("like a server with the same lines", () => {
    const text = granted + host(denied);
    for (const path of ["/admin", "/x.txt", "/none"])
      expect(answer(text, path)).toBe(answer(text, path, {}, { kind: "server" }));
  });
});

describe("the rest of the server decides", () => {
  test.each<[why: string, text: string, path: string, expected: string | RegExp, request?: Partial<Request>]>([
    ["access that nothing restricts", host(""), "/x.txt", nothingDecides("/x.txt")],
    ["requests that only a sibling section does not match", host(denied), "/other", nothingDecides("/other")],
    ["access to a backend", host("ProxyPass /api http://127.0.0.1:9000/\n"), "/api", nothingDecides("/api")],
    [
      "access before a redirect of a directory",
      host(inSection("Directory /srv/www", "RedirectMatch /x http://x.test/")),
      "/x.txt",
      nothingDecides("/x.txt"),
    ],
    [
      "methods that a Limit does not name",
      inSection("Location /a", "<Limit POST>\nRequire all denied\n</Limit>"),
      "/a",
      nothingDecides("/a"),
    ],
    [
      "requests for another host name",
      host(denied),
      "/admin",
      "whether another file defines a virtual host for `other.test`",
      { host: "other.test" },
    ],
    ["requests to another port", host(denied), "/admin", /virtual host for port 443/, { scheme: "https" }],
    [
      "the mapping of a URL to a file",
      inSection("Directory /srv/app", "Require all granted"),
      "/srv/app/x.txt",
      nothingDecides("/srv/app/x.txt"),
    ],
    [
      "the mapping to the root directory",
      inSection("Directory />", "Require all denied").replace("/>>", "/>"),
      "/x",
      /^where `\/x` is on the disk/,
    ],
    ["the login", inSection("Location /a", "Require valid-user"), "/a", /does not set one up for `\/a`$/],
    [
      "the group file",
      inSection("Location /a", "AuthType Basic\nAuthName x\nAuthUserFile /u\nRequire group staff"),
      "/a",
      /^the `AuthGroupFile` that applies/,
      { user: "bob", groups: [] },
    ],
    [
      "the other side of And",
      inSection("Location /a", "AuthMerging And\nRequire all granted"),
      "/a",
      /^the `Require` lines of other files: `AuthMerging And`/,
    ],
    [
      "the other side of Or",
      inSection("Location /a", "AuthMerging Or\nRequire all denied"),
      "/a",
      /`AuthMerging Or` merges them$/,
    ],
    [
      "listings and index files",
      granted + host(""),
      "/empty/",
      "whether the rest of the server lists `/empty/` or names another index file",
    ],
    [
      "an encoded slash outside a virtual host",
      denied,
      "/admin/a%2fb",
      "the `AllowEncodedSlashes` that applies: no line of this file sets it",
    ],
    ["a TRACE request", host(""), "/x.txt", nothingDecides("/x.txt"), { method: "TRACE" }],
  ])("%s", (_, text, path, expected, request) => {
    const found = answer(text, path, request);
    if (typeof expected === "string") expect(found).toBe(expected);
    else expect(found).toMatch(expected);
  });

  test("whether the `.htaccess` files below its document root are read", () => {
    const more = { "/srv/www/.htaccess": "Require all denied\n" };
    expect(answer(granted + host(""), "/x.txt", {}, { more })).toMatch(
      /^the `AllowOverride` that applies to `\/srv\/www`/,
    );
    const set = (word: string) => granted.replace("Require", `AllowOverride ${word}\nRequire`) + host("");
    expect(answer(set("None"), "/x.txt", {}, { more })).toBe(200);
    expect(answer(set("All"), "/x.txt", {}, { more })).toBe(403);
  });

  test("also under 2.2", () => {
    expect(answer(host(""), "/x.txt", {}, { release: "2.2" })).toBe(nothingDecides("/x.txt"));
    expect(answer(host(denied), "/admin", { host: "other.test" }, { release: "2.2" })).toMatch(
      /virtual host for `other/,
    );
    expect(answer(inSection("Location /a", "Order deny,allow\nDeny from all"), "/a", {}, { release: "2.2" })).toBe(403);
  });

  test("and the decision has no lines, no status and no alternatives", () => {
    const decision = deciderFor(host("")).answer({ method: "GET", path: "/x.txt", clientIp: "192.0.2.7" });
    expect(decision).toMatchObject({
      status: undefined,
      class: "unknown",
      decidedBy: [],
      alternatives: [],
      places: [],
    });
    expect(decision.trace.length).toBeGreaterThan(0);
  });
});

describe("a `.htaccess` file on its own", () => {
  const path = "/srv/www/in/.htaccess";

  test("has its directory as the document root", () => {
    expect(answer("Require all denied\n", "/index.html", {}, { path })).toBe(403);
    expect(answer("Options -Indexes\n", "/index.html", {}, { path })).toBe(nothingDecides("/index.html"));
  });

  test("makes requests unknown that an unread file below it may decide", () => {
    const below = "the directives of `/srv/www/in/.htaccess`, which is not read";
    expect(answer("Require all granted\n", "/in/index.html", {}, { path: "/srv/www/.htaccess" })).toBe(below);
    expect(answer("Require all granted\n", "/x.txt", {}, { path: "/srv/www/.htaccess" })).toBe(200);
  });

  test("leaves a directory without an index file to the server", () => {
    expect(answer("Require all granted\n", "/", {}, { path: "/srv/www/empty/.htaccess" })).toMatch(
      /^whether the rest of/,
    );
  });

  test("is merged with the files above it, and the top directory is the document root", () => {
    const more = { "/srv/www/.htaccess": "Order allow,deny\n" };
    expect(answer("Options -Indexes\n", "/in/index.html", {}, { path, more })).toBe(403);
    expect(answer("Allow from all\nRequire all granted\n", "/in/index.html", {}, { path, more })).toBe(200);
  });
});

test("a directive of a third-party module is rejected if the user says that the module is not loaded", () => {
  const statusOf = (text: string, ...withoutModules: readonly string[]) => {
    const path = "/srv/www/.htaccess";
    const access = memoryAccess({ [path]: text, "/srv/www/x.txt": "" });
    const loaded = loadProject(path, { access, release: "2.4", kind: "htaccess", withoutModules });
    if (!loaded.ok) throw new Error(loaded.error);
    const asked = { method: "GET", path: "/x.txt", clientIp: "192.0.2.7" };
    return new SimulatedServer(loaded.value, files).answer(asked).cases[0]?.status;
  };
  expect(statusOf("php_value a 1\n")).toBe(200);
  expect(statusOf("php_value a 1\n", "php_module")).toBe(500);
  expect(statusOf("php_value a 1\n", "php")).toBe(500);
  expect(statusOf("php_value a 1\n", "expires")).toBe(200);
  expect(statusOf("<IfModule mod_php.c>\nphp_value a 1\n</IfModule>\n", "php")).toBe(200);
  expect(statusOf("ExpiresActive On\n", "expires")).toBe(500);
});
