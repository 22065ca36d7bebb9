import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Release } from "../../../src/facts/release.js";
import { upgrade } from "../../../src/lint/runner/upgrade.js";
import { renderUpgradeJson } from "../../../src/report/comparisons/upgrade-json.js";
import { renderUpgradeText } from "../../../src/report/comparisons/upgrade-report.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { section } from "../../support/rules.js";

const main = "/etc/httpd/httpd.conf";

function upgradeReportOf(text: string, files: Readonly<Record<string, string>> = {}) {
  const access = memoryAccess({ ...files, [main]: text });
  const load = (release: Release) => {
    const loaded = loadProject(main, { access, kind: "server", release });
    if (!loaded.ok) throw new Error(loaded.error);
    return loaded.value;
  };
  const after = load("2.4");
  const target = { project: after, withModules: () => after };
  return {
    upgrade: upgrade(load("2.2"), target, defaultRules),
    releases: ["2.2", "2.4"] as const,
    startupBefore: [],
  };
}

const render = (args: Parameters<typeof upgradeReportOf>, isVerbose: boolean) =>
  [...renderUpgradeText(upgradeReportOf(...args), { width: 1000, isVerbose })].join("");
const textOf = (...args: Parameters<typeof upgradeReportOf>) => render(args, true);

const allowingDirectory = (index: number) => section(`Directory /srv/${index}`, "Order allow,deny", "Allow from all");
const officeSection = section(
  "Location /admin",
  "Order deny,allow",
  "Deny from all",
  "Allow from 10.0.0.0/8",
  "Satisfy any",
);
const host = (index: number, ...lines: readonly string[]) =>
  section(
    "VirtualHost *:80",
    `ServerName s${index}.test`,
    `DocumentRoot /srv/${index}`,
    allowingDirectory(index),
    ...lines,
  );
const hosts = (count: number) => Array.from({ length: count }, (_, index) => host(index + 1, officeSection)).join("");
const nameVirtualHost = "NameVirtualHost *:80\n";

describe("hosts with the same results", () => {
  test("are reported at the first, with the names of the others", () => {
    const text = textOf(nameVirtualHost + hosts(4));
    expect(text).toContain("1 difference in access decisions (4 servers");
    expect(text.match(/^\d+\. .*/gm)).toEqual(["1. 403 → allowed: GET `http://s1.test/admin` from 203.0.113.7"]);
    expect(text).toContain("\n   Same for 3 more hosts: s2.test, s3.test, s4.test\n");
    expect(text.match(/^ {2}`\/admin`.*/gm)).toHaveLength(1);
    expect(text).toContain("\n  same for 3 more hosts: s2.test, s3.test, s4.test\n");
  });

  test("are shown by the first name if they are many", () => {
    const text = render([nameVirtualHost + hosts(24)], false);
    expect(text).toContain("Same for 23 more hosts: s2.test and 22 more (all with --verbose)\n");
    // Twin: verbose text lists all.
    expect(textOf(nameVirtualHost + hosts(24))).toContain(", s23.test, s24.test\n");
  });

  test("are not joined if a section allows other clients", () => {
    const text = textOf(nameVirtualHost + hosts(2) + host(3, officeSection.replace("10.0.0.0/8", "192.0.2.0/24")));
    expect(text.match(/^\d+\. .*/gm)).toHaveLength(2);
    expect(text.match(/^ {2}`\/admin`.*/gm)).toHaveLength(2);
    expect(text.match(/same for 1 more host: s2\.test\n/gi)).toHaveLength(2);
  });

  test("are reported once for a shared section", () => {
    const many = [1, 2, 3].map((index) => host(index)).join("");
    const text = textOf(officeSection + nameVirtualHost + many);
    expect(text).toContain("\n   Hosts: s1.test, any other name\n");
    expect(text).toContain("\n   Same for 2 more hosts: s2.test, s3.test\n");
  });

  test("are all named in JSON", () => {
    const json: unknown = JSON.parse(
      [...renderUpgradeJson(upgradeReportOf(nameVirtualHost + hosts(4)), undefined)].join(""),
    );
    expect(json).toMatchObject({
      answers: { differences: [{ hosts: ["s1.test", "s2.test", "s3.test", "s4.test"] }] },
      review: { servers: [{ hosts: ["s1.test", "s2.test", "s3.test", "s4.test"] }] },
    });
  });
});

describe("`.htaccess` files with the same contents", () => {
  const server = `DocumentRoot /srv\n${section("Directory /srv", "AllowOverride All", "Order allow,deny", "Allow from all")}`;
  const copies = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`/srv/d${index + 1}/.htaccess`, text]));

  test("are reported at the first, with the paths of the others", () => {
    const text = textOf(server, copies(4, "Order deny,allow\nDeny from all\n"));
    expect(text).toContain("    same for 3 more paths: `/d2/a`, `/d3/a`, `/d4/a`\n");
    expect(text.match(/no client \(403\)/g)).toHaveLength(1);
  });

  test("are not joined if their rules differ", () => {
    const others = { "/srv/x/.htaccess": "Order deny,allow\nDeny from 10\n" };
    const text = textOf(server, { ...copies(2, "Order deny,allow\nDeny from all\n"), ...others });
    expect(text).toContain("    same for 1 more path: `/d2/a`\n");
    expect(text).toMatch(/^ {2}e\.g\. `\/x\/a` /m);
  });

  test("have one finding for the same error", () => {
    const text = textOf(server, copies(30, "Order deny, allow\n"));
    expect(text).toContain("     1  Problems at start, or status 500\n");
    expect(text).toContain("= note: the same applies to 29 more lines\n");
  });
});

describe("without --verbose", () => {
  const briefOf = (text: string) => [...renderUpgradeText(upgradeReportOf(text), { width: 1000 })].join("");
  const restricted = (name: string, ...more: readonly string[]) =>
    section(`Location /${name}`, "Order deny,allow", "Deny from all", ...more);

  test("shows repeated advice on one line, and only counts unchanged access", () => {
    const text = restricted("x") + restricted("y", "Allow from 10.0.0.0/8");
    const brief = briefOf(text);
    expect(brief.match(/^info\[old-access-control\]/gm)).toHaveLength(1);
    expect(brief).toMatch(/\nSame advice for \(details with --verbose\):\n {2}\S+: info\[old-access-control\] .*\n\n/);
    expect(brief).toContain("Only groups of paths with a difference are shown (all with --verbose).\n");
    expect(brief).not.toContain("no client (403)");
    const verbose = textOf(text);
    expect(verbose.match(/^info\[old-access-control\]/gm)).toHaveLength(2);
    expect(verbose).toContain("no client (403)");
    expect(verbose).not.toContain("--verbose");
  });

  test("shows the changes", () => {
    expect(briefOf(nameVirtualHost + hosts(1))).toContain("    2.4: every client\n");
  });
});
