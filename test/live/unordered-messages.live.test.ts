import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, errorsAfter, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Servers that log messages which depend on more than the request, with the status and message numbers of the server. */
const servers: readonly {
  readonly title: string;
  readonly modules: readonly string[];
  readonly lines: readonly string[];
  readonly requestLine: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In any order. */
  readonly numbers: readonly string[];
}[] = [
  {
    title: "sessions without a module that stores them",
    modules: ["session", "session_cookie"],
    lines: ["Session On"],
    ...{ requestLine: "GET /a.txt", status: 200, numbers: ["AH01815", "AH01815"] },
  },
  {
    title: "several denied files, in the order of the file system",
    modules: ["negotiation"],
    lines: [
      ...["Options MultiViews", "<Files *.html>", "AuthType Basic", "AuthName x", "AuthUserFile none"],
      ...["Require valid-user", "</Files>", "<Files *.txt>", "Require all denied", "</Files>"],
    ],
    ...{ requestLine: "GET /a", status: 404, numbers: ["AH00687", "AH01630"] },
  },
  {
    title: "the login for an error document with another AuthType",
    modules: ["auth_digest"],
    lines: [
      ...["<Files a.txt>", "AuthType Basic", "AuthName x", "AuthUserFile users", "Require all denied", "</Files>"],
      ...["<Files a.html>", "AuthType Digest", "AuthName x", "AuthUserFile users", "Require valid-user", "</Files>"],
      "ErrorDocument 403 /a.html",
    ],
    ...{ requestLine: "GET /a.txt", status: 403, numbers: ["AH01630", "AH01781"] },
    headers: asBob,
  },
  {
    title: "PROPFIND, which looks up the file again",
    modules: ["access_compat", "dav", "dav_fs", "dav_lock", "negotiation"],
    lines: [
      ...["DavLockDB lk", "<Location />", "Dav On", "</Location>", '<Directory "DOCROOT">', "Options MultiViews"],
      ...["Order mutual-failure", "Satisfy any", "</Directory>"],
    ],
    ...{ requestLine: "PROPFIND /a", status: 207, numbers: ["AH01797", "AH01797", "AH01797", "AH01797"] },
  },
  ...[`SetEnvIfExpr "-A '/no/'" closed`, 'SetEnvIfExpr "! -U %{REQUEST_URI}" closed'].map((own) => ({
    title: `the subrequest of \`${own}\``,
    modules: ["setenvif"],
    lines: ["<Location /no>", "Require all denied", "</Location>", own],
    ...{ requestLine: "GET /no", status: 403, numbers: ["AH01630", "AH01630"] },
  })),
  ...[
    [`Header set X y "expr=-A '/no/'"`],
    ["RewriteEngine On", "RewriteCond /no -U", "RewriteRule ^/a\\.txt$ /a.html"],
    ["RewriteEngine On", `RewriteCond expr "-A '/no/'"`, "RewriteRule ^/a\\.txt$ /a.html"],
  ].map((own) => ({
    title: `the subrequest of \`${own.at(-2) ?? own[0]}\``,
    modules: ["headers", "rewrite"],
    lines: ["<Location /no>", "Require all denied", "</Location>", ...own],
    ...{ requestLine: "GET /a.txt", status: 200, numbers: ["AH01630"] },
  })),
];

const modules = ["authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "dir", "mime"];

describe.skipIf(!httpd)(liveTitle("messages with an unknown order or number"), () => {
  test.each(servers)("$title", async ({ modules: more, lines, requestLine, status, numbers, headers = {} }) => {
    const [method = "", path = ""] = requestLine.split(" ");
    await withRunningHttpd(
      [...modules, ...more],
      ["TypesConfig /dev/null", "AddType text/html .html", "AddType text/plain .txt", ...lines],
      async (running) => {
        const before = running.errors().length;
        const live = await running.ask({ method, path, headers });
        const logged = errorsAfter(running, before).flatMap((line) => /^AH\d+/.exec(line)?.[0] ?? []);
        expect([live.status, ...logged.sort()]).toEqual([status, ...numbers]);
        const decided = simulatedServerOn(running).answer({ method, path, clientIp: "127.0.0.1" });
        expect(decided).toMatchObject({ status, unknown: [], logsMayDiffer: true });
      },
      { "a.txt": "a", "a.html": "a" },
    );
  });
});
