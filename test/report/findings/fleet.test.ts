import { expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { render } from "../../../src/report/index.js";
import { limitLines } from "../../../src/report/text/limited-list.js";
import { formatMore, formatNames } from "../../../src/report/text/text-printer.js";
import { lintText } from "../../support/rules.js";

const host = (number: number, lines: string) =>
  `<VirtualHost *:80>\nServerName host${number}.example.org\n${lines}</VirtualHost>\n`;
const fleet = (count: number, lines: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => host(number, lines(number))).join("");

const unknownDirective = defaultRules.filter(({ id }) => id === "unknown-directive");
const check = (text: string, files: Readonly<Record<string, string>> = {}) =>
  lintText(unknownDirective, text, { files });

const report = (findings: ReturnType<typeof check>, isVerbose: boolean) =>
  [
    ...render("text", {
      findings,
      ignored: [],
      files: 1,
      lines: 1,
      rules: [],
      version: "1",
      base: "/etc/httpd",
      isVerbose,
    }),
  ].join("");

const legacy = "<Location />\nOrder allow,deny\nAllow from all\n</Location>\n";
const checkLegacy = (text: string) =>
  lintText(
    defaultRules.filter(({ id }) => id === "old-access-control"),
    text,
  );

test("a finding names all virtual hosts that it is in", () => {
  const [same, ...others] = checkLegacy(fleet(1_200, () => legacy));
  expect(others).toEqual([]);
  expect(same?.hosts).toHaveLength(1_200);
  expect(same?.hosts?.[1_199]).toBe("host1199.example.org");
  // Twin: outside of virtual hosts.
  const [outside] = checkLegacy(legacy);
  expect(outside?.rule).toBe("old-access-control");
  expect(outside?.hosts).toBeUndefined();
});

test("a file is in all virtual hosts that include it, and a host without a name has its address", () => {
  const text = `${host(1, "Include common.conf\n")}<VirtualHost *:81>\nInclude common.conf\n</VirtualHost>\n`;
  const [finding] = check(text, { "/etc/httpd/common.conf": "Optoins None\n" });
  expect(finding?.hosts).toEqual(["host1.example.org", "*:81"]);
});

test("text shows the first of many hosts, and all with --verbose", () => {
  const findings = checkLegacy(fleet(30, () => legacy));
  expect(report(findings, false)).toContain(
    "= note: in 30 hosts: host0.example.org and 29 more (all with --verbose)\n",
  );
  const full = report(findings, true);
  expect(full).toContain("host28.example.org, host29.example.org\n");
  expect(full).toContain("httpd.conf:207:1\n");
});

test("text shows the same advice for six hosts once with the other lines, and for five hosts each time", () => {
  // A name that is similar to none gets only notes, and they are the same.
  const differing = (count: number) => check(fleet(count, (number) => `Zq${"x".repeat(number + 9)} a\n`));
  const text = report(differing(6), false);
  expect(text.match(/^ *--> /gm)).toHaveLength(1);
  expect(text.match(/^ {2}httpd\.conf:\d+:1: /gm)).toHaveLength(5);
  expect(text).toContain("Same advice for (details with --verbose):\n");
  for (const full of [report(differing(6), true), report(differing(5), false)])
    expect(full).not.toContain("Same advice");
});

test("advice with other addresses, users and paths is the same, and with another directive is not", () => {
  const shadowed = (lines: (number: number) => string) =>
    report(
      lintText(
        defaultRules.filter(({ id }) => id === "shadowed-rule"),
        fleet(14, (number) => `<Location /a${number}>\n${lines(number)}</Location>\n`),
      ),
      false,
    );
  const frames = (text: string) => text.match(/^ *--> /gm)?.length;
  const closed = "Order allow,deny\nDeny from all\n";
  const lists = shadowed((number) => `${closed}Allow from 192.0.2.${number + 1}\n`);
  expect(frames(lists)).toBe(1);
  expect(lists).toContain("use `Require ip 192.0.2.1`");
  expect(frames(shadowed((number) => `Require valid-user\nRequire user u${number}\n`))).toBe(1);
  expect(
    frames(shadowed((number) => `${closed}Allow from ${number % 2 ? "192.0.2.1" : "192.0.2.1 .example.org"}\n`)),
  ).toBe(2);
});

test("a list of names is complete up to twenty", () => {
  const names = Array.from({ length: 21 }, (_, number) => `host${number}`);
  expect(formatNames(names, false)).toBe("host0 and 20 more (all with --verbose)");
  expect(formatNames(names.slice(1), false)).toMatch(/host20$/);
  expect(formatMore("host", names, true)).toMatch(/^21 more hosts: host0, .*host20$/);
});

test("a list ends at the limit of lines, but not before its first text", () => {
  const limited = (max: number | undefined) =>
    [
      ...limitLines(
        ["a\nb\n", "c\n", "d\n"],
        max,
        (text) => text,
        (left) => `${left.length} left\n`,
      ),
    ].join("");
  expect(limited(1)).toBe("a\nb\n2 left\n");
  expect(limited(3)).toBe("a\nb\nc\n1 left\n");
  expect(limited(undefined)).toBe("a\nb\nc\nd\n");
});
