import { expect, test } from "vitest";
import { accessMap } from "../../../src/proof/compare/access-map.js";
import { renderMapText } from "../../../src/report/comparisons/map-report.js";
import { loadText } from "../../support/projects.js";

function mapOf(text: string, isVerbose: boolean): string {
  const project = loadText(text, { kind: "server" });
  const map = accessMap({ project, semantics: "server" });
  const mapped = { map, releases: ["2.4"], startup: [] } as const;
  return [...renderMapText(mapped, { isVerbose })].join("");
}

const section = (path: string, rule: string) => `<Location "${path}">\nRequire ${rule}\n</Location>\n`;
const names = Array.from({ length: 60 }, (_, n) => `person${100 + n}`);
const login = "AuthType Basic\nAuthName x\nAuthUserFile /etc/users\n";

test("a long list of clients is cut with the number of the others, and what all others get stays", () => {
  const mapped = (count: number, isVerbose: boolean) =>
    mapOf(section("/x", `user ${names.slice(0, count).join(" ")}\n${login}`), isVerbose);
  const text = mapped(60, false);
  const row = text.split("\n").find((line) => line.includes("person100")) ?? text;
  expect(row).toMatch(/ and \d+ more \(all with --verbose\); others: 401$/);
  const shown = row.match(/person\d+/g) ?? [];
  const [, left] = / and (\d+) more /.exec(row) ?? [];
  expect(shown.length + Number(left)).toBe(60);
  expect(row.length).toBeLessThan(260);
  // Twins: a short list is whole, and every list with --verbose.
  expect(mapped(9, false)).not.toContain(" more");
  expect(mapped(60, true)).toContain("person159");
});

test("a long path is cut with the number of the other characters, and its quote is closed", () => {
  const path = `/${"long".repeat(60)}`;
  const text = mapOf(section(path, "ip 10.0.0.1"), false);
  expect(text).toMatch(/`\/(?:long)+(?:l|lo|lon)?\u2026` \(\d+ more characters: all with --verbose\)/);
  expect(mapOf(section(path, "ip 10.0.0.1"), true)).toContain(`\`${path}\``);
});
