import { describe, expect, test } from "vitest";
import { findLineAdvice } from "../../../src/apps/line-advice.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { isDeniedByAccess } from "../../../src/report/answers/answer-text.js";
import { explainAnswer } from "../../../src/report/answers/answer-words.js";
import { roleOfLine } from "../../../src/report/answers/line-roles.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

const grants = {
  "2.2": { granted: "Order allow,deny\nAllow from all", denied: "Order allow,deny\nDeny from all" },
  "2.4": { granted: "Require all granted", denied: "Require all denied" },
} as const;
type Release = keyof typeof grants;

const served = ["/srv/www/a.html", "/srv/www/docs/b.html", "/srv/www/in/x.html", "/srv/www/err/403.html"];

function ask(release: Release, path: string, lines: readonly string[], sent: Partial<Request> = {}) {
  const { granted, denied } = grants[release];
  const text = [
    ...["ServerName a.test", "DocumentRoot /srv/www", "<Directory />", granted, "AllowOverride All", "</Directory>"],
    ...["<Directory /srv/www/err>", denied, "</Directory>", ...lines],
  ].join("\n");
  const access = memoryAccess({ "/etc/httpd.conf": `${text}\n` });
  const loaded = loadProject("/etc/httpd.conf", { access, release, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...sent };
  const found = answer(loaded.value, request, { files: createListedFiles(served) });
  const roles = found.decidedBy.map(({ span }) => roleOfLine(span, found));
  return { found, words: `${found.status}: ${explainAnswer(found)}`, roles };
}

const loaded = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`);
const inWww = (...lines: readonly string[]) => ["<Directory /srv/www>", ...lines, "</Directory>"];

describe("an error that access control does not cause has its own words, also without a message number", () => {
  test.each<[string, readonly string[], string]>([
    [
      "/docs/",
      [...loaded("authz_core", "authz_host", "dir", "autoindex"), ...inWww("Options None")],
      "403: httpd finds no index file, and `Options` does not allow it to list the directory",
    ],
    [
      "/a.html",
      inWww("Options FollowSymLinks", "SetHandler cgi-script"),
      "403: access is granted, but `Options` does not allow httpd to run programs here",
    ],
    [
      "/docs/",
      inWww("Options +ExecCGI", "SetHandler cgi-script", "DirectoryIndex disabled"),
      "403: access is granted, but the program to run is a directory",
    ],
    [
      "/a.html",
      inWww("Options None", "RewriteEngine On", "RewriteRule x y"),
      "403: rewriting is on in this section, but `Options` does not allow httpd to follow links",
    ],
    [`/${"a".repeat(300)}`, [], "403: the file name is too long"],
    [
      "/a.html",
      inWww("RewriteEngine On", "RewriteRule ^(.*)$ $1x"),
      "500: rewriting causes an endless loop of internal redirects",
    ],
    [
      "/none",
      inWww("FallbackResource /no"),
      "500: index files or `FallbackResource` cause an endless loop of subrequests",
    ],
    ["/q/x", ["ProxyPass /q /r"], "400: access is granted, but the URL of the backend is invalid"],
  ])("%s with %j", (path, lines, words) => {
    const isLoop = words.includes("FallbackResource");
    for (const release of ["2.2", "2.4"] as const) {
      // 2.4 does not look for a missing FallbackResource again.
      if (isLoop && release === "2.4") continue;
      const asked = ask(release, path, lines);
      expect(asked.words, release).toBe(words);
      expect(asked.roles, release).not.toContain("denies this request");
      if (words.includes("granted")) expect(isDeniedByAccess(asked.found)).toBe(false);
    }
  });
});

describe("a denial keeps the words of access control", () => {
  test.each<[Release, readonly string[], string]>([
    ["2.2", inWww("Deny from all"), "403: `Deny from all` denies this client"],
    ["2.4", inWww("Require all denied"), "403: `Require` does not allow this request"],
    ["2.2", inWww("SSLRequireSSL"), "403: `SSLRequireSSL` requires TLS, but the request does not use it"],
    ["2.2", inWww("DirectoryIndex /err/403.html"), "403: `Deny from all` denies this client"],
    ["2.4", inWww("DirectoryIndex /err/403.html"), "403: `Require` does not allow this request"],
  ])("%s: %j", (release, lines, words) => {
    const asked = ask(release, "/docs/", lines);
    expect(asked.words).toBe(words);
    expect(asked.roles).toContain("denies this request");
    expect(isDeniedByAccess(asked.found)).toBe(true);
  });
});

test("a body that is longer than the default limit", () => {
  const sent = { method: "POST", headers: { "Content-Length": "2000000000" } };
  expect(ask("2.4", "/a.html", [], sent).words).toBe(
    "413: the body of the request is longer than `LimitRequestBody` allows",
  );
});

test("an error document that is denied is not the reason for the error", () => {
  const lines = ["ErrorDocument 403 /err/403.html", ...inWww("Options None", "SetHandler cgi-script")];
  const asked = ask("2.4", "/a.html", lines);
  expect(asked.words).toBe("403: access is granted, but `Options` does not allow httpd to run programs here");
  expect(asked.found.log).toEqual(["AH02809", "AH01630"]);
  const missing = ask("2.4", "/none", ["ErrorDocument 404 /err/403.html"]);
  expect(missing.words).toBe("404: access is granted, but `/srv/www/none` does not exist");
});

describe("a directory that exists is not said to be missing", () => {
  test.each([["/in"], ["/in/"]])("%s", (path) => {
    const lines = ["LoadModule dir_module modules/mod_dir.so", ...inWww("DirectorySlash Off")];
    const without = ask("2.4", path, [...loaded("authz_core", "authz_host"), ...lines]);
    expect(without.words).toBe(
      `404: access is granted, but \`/srv/www${path}\` is a directory, and no module responds for it`,
    );
  });

  test("but a missing one is", () => {
    expect(ask("2.4", "/out/", []).words).toContain("does not exist, or has no index file");
    expect(ask("2.4", "/out", []).words).toContain("`/srv/www/out` does not exist");
  });
});

describe("advice about a request", () => {
  const adviceFor = (htaccess: string, main: string) => {
    const access = memoryAccess({
      "/etc/httpd.conf": `ServerName a.test\nDocumentRoot /srv/www\n<Directory /srv/www>\nAllowOverride All\n${main}\n</Directory>\n`,
      "/srv/www/.htaccess": htaccess,
    });
    const loaded = loadProject("/etc/httpd.conf", { access, release: "2.4", htaccess: true, kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    const files = createListedFiles(["/srv/www/a.html", "/srv/www/.htaccess"]);
    const request = { method: "GET", path: "/a.html", host: "a.test", clientIp: "192.0.2.7" };
    const found = answer(loaded.value, request, { files });
    return [found.status, ...findLineAdvice(loaded.value, files, found).map(({ rule }) => rule)];
  };
  const lists = (first: string) =>
    `RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} ${first}\nRewriteCond %{HTTP_USER_AGENT} ^WebZIP [NC]\nRewriteRule ^ - [F]\n`;

  test("is only about the refusal of a line that httpd refuses", () => {
    expect(adviceFor(lists("^Mass Downloader.* [NC,OR]"), "Require all granted")).toEqual([500, "refused-at-start"]);
    // The twin is accepted.
    expect(adviceFor(lists("^Mass [NC]"), "Require all granted")).toEqual([200, "constant-condition"]);
  });

  test("has no line that allows more than meant, if access is denied", () => {
    const login = "AuthType Basic\nAuthName a\nAuthUserFile /u\nRequire valid-user";
    expect(adviceFor("", `${login}\nRequire ip 10`)).toEqual([401]);
    expect(adviceFor("", `${login}\nRequire ip 192.0.2`)).toEqual([200, "implicit-require-any"]);
  });
});
