import { describe, expect, test } from "vitest";
import { compatPrecedence } from "../../../rules/compat-precedence/compat-precedence.js";
import { findingsOf } from "../../support/rules.js";

const outer = '<Directory "/">\nOrder deny,allow\nDeny from all\n</Directory>\n';

function host(number: number, line = "Require local"): string {
  return `<VirtualHost *:80>\nServerName host${number}.test\nDocumentRoot "/srv/${number}"\n<Location "/status">\n${line}\n</Location>\n</VirtualHost>\n`;
}

const findingsIn = (text: string) => findingsOf([compatPrecedence], outer + text);
const hosts = (count: number) => Array.from({ length: count }, (_, index) => host(index));

describe("virtual hosts that differ only in numbers", () => {
  test("are each probed if they are few", () => {
    const found = findingsIn(hosts(5).join(""));
    expect(found).toHaveLength(5);
    for (const [index, { notes }] of found.entries()) expect(`${notes}`).toContain(`http://host${index}.test/status`);
  });

  test("share a finding if they are many", () => {
    const found = findingsIn(hosts(9).join(""));
    expect(found).toHaveLength(6);
    expect(found[5]).toMatchObject({ at: "44:1-44:14", severity: "warning" });
    expect(found[5]?.message).toBe("`Require local` cannot override the inherited `Deny from all` (same as line 9)");
    expect(found[5]?.notes?.[0]).toBe(
      "a request shows the problem at line 9; this virtual host differs only in numbers and was not probed",
    );
    expect(found[5]?.notes?.at(-1)).toBe("the same applies to 3 more lines");
    expect(found[5]?.related.slice(0, 2)).toEqual([
      "httpd.conf:9:1: found here with a request",
      "httpd.conf:51:1: same problem",
    ]);
  });

  test("are probed if their lines differ", () => {
    const all = [...hosts(7), host(7, "Require all granted"), host(8, "Require all denied")];
    const found = findingsIn(all.join(""));
    expect(found.map(({ text }) => text)).toEqual([...Array(6).fill("Require local"), "Require all granted"]);
    expect(`${found[6]?.notes}`).toContain("http://host7.test/status");
  });

  test("are all probed if the first of them differ", () => {
    const allowed = '<Directory "/srv/2">\nOrder deny,allow\nAllow from all\n</Directory>\n';
    const found = findingsIn(allowed + hosts(9).join(""));
    expect(found).toHaveLength(8);
    for (const { message } of found) expect(message).not.toContain("same as");
  });
});
