import { describe, expect, test } from "vitest";
import { migrateFiles } from "./migrate-lines.js";

/** A page of mod_status for local clients, and files that no client may read. */
const page = ["SetHandler server-status", "Order deny,allow", "Deny from all", "Allow from 127.0.0.1"];
const hidden = ['<FilesMatch "\\.bak$">', "Require all denied", "</FilesMatch>"];

function pathsOfSamePage(sections: readonly string[], without: readonly string[] = []): readonly string[] {
  const text = ['DocumentRoot "/srv"', ...sections, ...hidden, ""].join("\n");
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { without });
  if (migration.verdict === "proved") return migration.exceptions.samePage.map(({ request }) => request.path);
  return ["refused", ...(migration.proposal?.differences ?? []).map(({ difference }) => difference.request.path)];
}

describe("paths below a generated page", () => {
  test("have the access of the page", () => {
    expect(pathsOfSamePage(["<Location /status>", ...page, "</Location>"])).toEqual(["/status/.bak"]);
  });

  test("have the access of the page with a later section that does not decide", () => {
    const later = ["<Location />", "SetOutputFilter DEFLATE", "</Location>"];
    expect(pathsOfSamePage(["<Location /status>", ...page, "</Location>", ...later])).toEqual(["/status/.bak"]);
  });

  test("require the login of the page instead of denying access", () => {
    const login = ["AuthType Basic", "AuthName x", 'AuthUserFile "/etc/users"', "Require user admin"];
    const old = ['<FilesMatch "\\.old$">', "Order allow,deny", "Deny from all", "</FilesMatch>"];
    const sections = [...old, "<Location /status>", "SetHandler server-status", ...login, "</Location>"];
    const paths = pathsOfSamePage(sections);
    expect(new Set(paths)).toEqual(new Set(["/status/.old"]));
  });

  test.each<[string, readonly string[], (readonly string[])?]>([
    ["its module is not loaded", ["<Location /status>", ...page, "</Location>"], ["status"]],
    ["the handler reads the file", ["<Location /status>", "SetHandler cgi-script", ...page.slice(1), "</Location>"]],
    [
      "a section below sets another handler",
      [
        "<Location /status>",
        ...page,
        "</Location>",
        "<Location /status/x>",
        "SetHandler None",
        "Require local",
        "</Location>",
      ],
    ],
    ["methods may change files", ["<Location /status>", "Dav On", ...page, "</Location>"]],
    [
      "a rule may set another handler",
      ["RewriteEngine on", "RewriteRule \\.bak$ - [H=text/plain]", "<Location /status>", ...page, "</Location>"],
    ],
  ])("twin: not if %s", (_, sections, without) => {
    expect(pathsOfSamePage(sections, without)).not.toContain("/status/.bak");
  });

  const host = (name: string, sections: readonly string[]) => [
    ...[
      "<VirtualHost *:80>",
      `ServerName ${name}.example`,
      `DocumentRoot "/srv/${name}"`,
      ...sections,
      "</VirtualHost>",
    ],
  ];
  const ownPage = (path: string) => [`<Location ${path}>`, ...page, "</Location>"];

  test("have the access of the page at each virtual host that inherits it", () => {
    const hosts = ["one", "two", "three"].flatMap((name) => host(name, []));
    expect(pathsOfSamePage([...ownPage("/status"), ...hosts])).toEqual(["/status/.bak"]);
  });

  test("twin: not if similar hosts have their own sections", () => {
    const hosts = ["one", "two", "three"].flatMap((name) => host(name, ownPage(`/status-${name}`)));
    expect(pathsOfSamePage(hosts)[0]).toBe("refused");
  });
});
