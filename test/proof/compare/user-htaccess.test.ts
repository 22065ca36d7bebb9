import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { compare } from "../../../src/proof/compare/compare.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { load } from "../../support/projects.js";

type Lines = readonly string[];

const modules = [
  ...["authn_file", "auth_basic", "authz_user", "authz_host", "authz_core", "authn_core", "access_compat"],
  ...["alias", "userdir", "setenvif", "log_config"],
];

interface SideOptions {
  readonly release?: Release;
  readonly without?: Lines;
  readonly isAssumed?: boolean;
  /** Further files of the server. */
  readonly files?: Readonly<Record<string, string>>;
}

function sideOf(lines: Lines, { release = "2.4", without = [], isAssumed = false, files = {} }: SideOptions = {}) {
  const text = `${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const project = load(
    { "/etc/httpd/httpd.conf": text, "/srv/www/index.html": "", ...files },
    {
      ...{ release, kind: "server", assumesNoUserHtaccess: isAssumed },
      modules: modules.filter((name) => !without.includes(name)),
    },
  );
  return { project, semantics: "server" } as const;
}

function compareLines(before: Lines, after: Lines, options: SideOptions = {}): ConfigComparison {
  return compare(sideOf(before, options), sideOf(after, options));
}

const within = (folder: string, ...lines: Lines) => [`<Directory "${folder}">`, ...lines, "</Directory>"];
const homes = (override: string, ...lines: Lines) => within("/home/*/public_html", override, ...lines);
const root = (...lines: Lines) => within("/", "AllowOverride None", ...lines);
const old = ["Order deny,allow", "Deny from all", "Allow from 10.1"];
const stock = "AllowOverride FileInfo AuthConfig Limit Indexes";

/** Compares a server with UserDir lines before and after the conversion of its sections. */
const convert = (override: string, userDir: Lines = ["UserDir public_html"], options: SideOptions = {}) =>
  compareLines(
    [...userDir, ...root(...old), ...homes(override, ...old)],
    [...userDir, ...root("Require ip 10.1"), ...homes(override, "Require ip 10.1")],
    options,
  );

describe("`.htaccess` files in home directories", () => {
  test.each([
    stock,
    "AllowOverride All",
    "AllowOverride AuthConfig",
    "AllowOverride Limit",
    "AllowOverrideList Require",
  ])("prevent a proof with %s", (override) => {
    const { verdict, unproved } = convert(override);
    expect(verdict).toBe("unknown");
    expect(unproved).toMatchObject([
      {
        reason: `\`.htaccess\` files in the directories of users were not read, and \`${override}\` in \`<Directory "/home/*/public_html">\` lets them control access`,
        directive: { name: "UserDir" },
        help: [expect.stringContaining("--assume-no-userdir-htaccess"), expect.stringContaining("AllowOverride None")],
      },
    ]);
  });

  test.each(["AllowOverride None", "AllowOverride FileInfo Indexes Options", "AllowOverrideList Redirect"])(
    "twin: do not prevent a proof with %s",
    (override) => {
      expect(convert(override)).toMatchObject({ verdict: "equivalent", unproved: [] });
    },
  );

  test("do not prevent a proof that assumes that they do not control access", () => {
    expect(convert(stock, undefined, { isAssumed: true })).toMatchObject({ verdict: "equivalent", unproved: [] });
    const { project } = sideOf(["UserDir public_html", ...homes(stock)], { isAssumed: true });
    expect(project.assumptions).toMatchObject([{ code: "no-userdir-htaccess", lines: [{ name: "UserDir" }] }]);
  });

  test("twin: nothing is assumed if they cannot control access", () => {
    const { project } = sideOf(["UserDir public_html", ...homes("AllowOverride None")], { isAssumed: true });
    expect(project.assumptions).toEqual([]);
  });

  test("prevent a proof by the default of 2.2, but not by that of 2.4", () => {
    const compareUnder = (release: Release, ...more: Lines) =>
      compareLines(
        ["UserDir web", ...more, ...within("/home", ...old)],
        ["UserDir web", ...more, ...within("/home", "Order allow,deny", "Allow from 10.1")],
        { release },
      );
    expect(compareUnder("2.4").verdict).toBe("equivalent");
    expect(compareUnder("2.2")).toMatchObject({
      verdict: "unknown",
      unproved: [{ reason: expect.stringContaining("the default `AllowOverride All` of 2.2") }],
    });
    expect(compareUnder("2.2", ...root()).verdict).toBe("equivalent");
    expect(compareUnder("2.2", ...within("/home", "AllowOverride None")).verdict).toBe("unknown");
  });

  test("prevent a proof also in a directory above, because a home directory may be anywhere", () => {
    const lines = (...own: Lines) => ["UserDir www", ...root(...own), ...within("/export", "AllowOverride All")];
    expect(compareLines(lines(...old), lines("Require ip 10.1")).verdict).toBe("unknown");
  });

  test("twin: a folder of documents is not a home directory", () => {
    const lines = (...own: Lines) => ["UserDir www", ...root(...own), ...within("/srv/www/app", "AllowOverride All")];
    expect(compareLines(lines(...old), lines("Require ip 10.1")).verdict).toBe("equivalent");
  });

  test("the last section for a directory counts", () => {
    const lines = (...own: Lines) => ["UserDir www", ...within("/", "AllowOverride All"), ...root(...own)];
    expect(compareLines(lines(...old), lines("Require ip 10.1")).verdict).toBe("equivalent");
  });

  test("do not prevent a proof if the lines that apply there are the same on both sides", () => {
    const same = ["UserDir public_html", ...root("Require all denied"), ...homes(stock, "Require all granted")];
    const inDocuments = (...lines: Lines) => [...same, ...within("/srv/www/app", ...lines)];
    const log = [...same, "CustomLog logs/a common"];
    expect(compareLines(same, same).verdict).toBe("equivalent");
    expect(compareLines(same, log).verdict).toBe("equivalent");
    expect(compareLines(inDocuments(...old, "Require all granted"), inDocuments("Require ip 10.1")).verdict).toBe(
      "equivalent",
    );
    expect(compareLines(same, [...same, "<Location /app>", "Require all granted", "</Location>"]).verdict).not.toBe(
      "unknown",
    );
  });

  test("twin: prevent a proof if a module that they may need is loaded on one side only", () => {
    const lines = ["UserDir public_html", ...root("Require all denied"), ...homes(stock, "Require all granted")];
    const { verdict } = compare(sideOf(lines), sideOf(lines, { without: ["access_compat"] }));
    expect(verdict).toBe("unknown");
  });

  test("twin: prevent a proof if a variable that they may read is set on one side only", () => {
    const lines = ["UserDir public_html", ...root("Require all denied"), ...homes(stock, "Require all granted")];
    expect(compareLines(lines, ["SetEnvIf Remote_Addr ^10\\. inner", ...lines]).verdict).toBe("unknown");
  });
});

describe("UserDir", () => {
  test.each([
    ["disabled", ["UserDir public_html", "UserDir disabled"]],
    ["absent", []],
    ["a URL", ["UserDir http://other.example/*/"]],
  ])("does not prevent a proof if it is %s", (_, lines) => {
    expect(convert(stock, lines)).toMatchObject({ verdict: "equivalent", unproved: [] });
  });

  test("twin: prevents a proof if it is enabled for one user", () => {
    expect(convert(stock, ["UserDir public_html", "UserDir disabled", "UserDir enabled ann"]).verdict).toBe("unknown");
  });

  test("prevents a proof with absolute paths only if the directories are not here", () => {
    const lines = ["UserDir /home/*/public_html"];
    const { verdict, unproved } = convert(stock, lines);
    expect([verdict, unproved.map(({ directive }) => directive?.name)]).toEqual(["unknown", ["UserDir"]]);
    const files = { "/home/ann/public_html/index.html": "" };
    expect(convert(stock, lines, { files })).toMatchObject({ verdict: "equivalent", unproved: [] });
    const htaccess = { "/home/ann/public_html/.htaccess": "Require all granted\n" };
    expect(convert(stock, lines, { files: htaccess }).verdict).not.toBe("equivalent");
  });

  test("leaves other virtual hosts proved", () => {
    const host = (name: string, ...lines: Lines) => [
      "<VirtualHost *:80>",
      `ServerName ${name}`,
      ...lines,
      "</VirtualHost>",
    ];
    const side = (...lines: Lines) => [
      ...[...root(...lines), ...homes(stock, ...lines)],
      ...[...host("a.example"), ...host("b.example", "UserDir public_html"), ...host("c.example")],
    ];
    const { verdict, byServer } = compareLines(side(...old), side("Require ip 10.1"));
    expect(verdict).toBe("unknown");
    expect([byServer?.proved.length, byServer?.open.length]).toEqual([2, 1]);
    expect(byServer?.open[0]?.servers[0].section?.children?.[0]?.argumentText).toBe("b.example");
  });
});
