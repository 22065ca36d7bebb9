import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { exploreSource } from "../../../src/proof/migrate/conversion.js";
import { type DividedComparison, separateHarmlessDifferences } from "../../../src/proof/migrate/set-aside.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { load } from "../../support/projects.js";
import { migrateFiles } from "./migrate-lines.js";

/** A page of mod_status for local clients, and files that no client may read. */
const page = ["SetHandler server-status", "Order deny,allow", "Deny from all", "Allow from 127.0.0.1"];
const hidden = ['<FilesMatch "\\.bak$">', "Require all denied", "</FilesMatch>"];

function pathsOfSamePage(sections: readonly string[], without: readonly string[] = []): readonly string[] {
  const text = ['DocumentRoot "/srv"', ...sections, ...hidden, ""].join("\n");
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": text }, { without, with: ["speling"] });
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

  test("have the access of the page if mod_speling is off there", () => {
    const off = ["CheckSpelling On", "<Location /status>", "CheckSpelling Off", ...page, "</Location>"];
    expect(pathsOfSamePage(off)).toEqual(["/status/.bak"]);
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
    [
      "the handler is set around the section",
      ["SetHandler server-status", "<Location /status>", ...page.slice(1), "</Location>"],
    ],
    [
      "a section below decides access",
      ["<Location /status>", ...page, "</Location>", "<Location /status/a>", "Deny from all", "</Location>"],
    ],
    ["methods may change files", ["<Location /status>", "Dav On", ...page, "</Location>"]],
    // A client learns the names of files next to the page (checked on 2.4.71).
    ["mod_speling redirects to other names", ["CheckSpelling On", "<Location /status>", ...page, "</Location>"]],
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

describe("a comparison without the differences at paths below a generated page", () => {
  const modules = ["authn_core", "authz_core", "authz_host", "access_compat", "dir", "mime", "status"];
  const read = (lines: readonly string[]) => {
    const text = `DocumentRoot /srv\n${lines.join("\n")}\n`;
    return load({ "/etc/httpd/httpd.conf": text }, { release: "2.4", kind: "server", modules });
  };

  /** Divides the comparison of two servers. @param change of the comparison before that */
  function divide(
    [before, after]: readonly [readonly string[], readonly string[]],
    change: (comparison: ConfigComparison) => ConfigComparison = (comparison) => comparison,
  ): DividedComparison {
    const project = read(before);
    const source = { before: project, again: () => project, after: () => project };
    const explored = exploreSource(source, "server", {});
    if (!explored.ok) throw new Error("the server cannot be explored");
    const { goals, budget, steps } = explored.value;
    const sides = [project, read(after)].map((side) => ({ project: side, semantics: "server" }) as const);
    const [one, other] = sides;
    if (one === undefined || other === undefined) throw new Error("a side is missing");
    return separateHarmlessDifferences(change(compare(one, other, budget, { steps })), goals.pages);
  }

  const location = (...lines: readonly string[]) => [
    "<Location /status>",
    "SetHandler server-status",
    ...lines,
    "</Location>",
  ];
  const denied = ['<FilesMatch "\\.bak$">', "Order allow,deny", "Deny from all", "</FilesMatch>"];
  const pathsOf = ({ samePage }: DividedComparison) => samePage.map(({ request }) => request.path);

  test("is equivalent if all are, and the rest is proved", () => {
    const divided = divide([[...denied, ...location("Require local")], location("Require local")]);
    expect(pathsOf(divided)).toContain("/status/.bak");
    const same = divided.samePage;
    const both = [...denied, ...location("Require local")];
    const only = (unproved: ConfigComparison["unproved"]) =>
      divide([both, both], (comparison) => ({ ...comparison, differences: same, unproved })).comparison.verdict;
    expect(only([])).toBe("equivalent");
    expect(only([{ reason: "this part is too large", directive: undefined, example: undefined }])).toBe("unknown");
  });

  test("twin: has those below a section that is merged with others, which may differ at the path of the page", () => {
    const office = (...lines: readonly string[]) => ['<LocationMatch "^/status$">', ...lines, "</LocationMatch>"];
    const before = [...office("Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"), ...denied];
    const after = office("Require ip 10.0.0.0/8");
    const merged = location("AuthMerging And", "Require local");
    const divided = divide([
      [...before, ...location("Require local")],
      [...after, ...merged],
    ]);
    expect(pathsOf(divided)).toEqual([]);
    expect(divided.comparison.differences.map(({ request }) => request.path)).toContain("/status/.bak");
  });
});
