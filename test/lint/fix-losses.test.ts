import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/lint/finding.js";
import { nameLostLines, withOwnComments } from "../../src/lint/fix-losses.js";
import { findLostLines } from "../../src/lint/stated-access.js";
import { applyEdits, type Edit, removeLines } from "../../src/text/edits.js";
import { sourceFile } from "../../src/text/source.js";

const section = (...lines: readonly string[]) =>
  `<Directory "/srv">\n${lines.map((line) => `    ${line}\n`).join("")}</Directory>\n`;

/** Returns an edit that replaces one text of a file with another. */
function replacing(text: string, from: string, to: string, at = text.indexOf(from)): Edit {
  expect(at).toBeGreaterThanOrEqual(0);
  return { span: { file: sourceFile("/x.conf", text), start: at, end: at + from.length }, text: to };
}

const lost = (text: string, from: string, to = "", at?: number) =>
  findLostLines([replacing(text, from, to, at)]).map((line) => line.text);

describe("a line is lost", () => {
  test.each([
    "Allow from 192.0.2.7",
    "Deny from .example.net",
    "Allow from env=TRUSTED",
    "Require ip 2001:db8::/32",
    "Require not host example.net",
    "Require user dana",
    "Require group staff",
    "Require valid-user",
    "Require expr %{HTTP_HOST} == 'a b'",
    "Require all denied",
    "Require all granted",
    "Allow from all",
    "Deny from all",
    "Satisfy any",
    "Order allow,deny",
    "AuthMerging And",
    "AuthUserFile /etc/users",
  ])("if a fix deletes it: %s", (line) => {
    expect(lost(section("Options None", line), `    ${line}\n`)).toEqual([line]);
  });

  test("if it is commented out, joined to another line or no longer a line", () => {
    const text = section("Options None", "Require ip 192.0.2.7");
    expect(lost(text, "Require ip", "#Require ip")).toEqual(["Require ip 192.0.2.7"]);
    expect(lost(text, "Options None", "Options None \\")).toEqual(["Require ip 192.0.2.7"]);
    expect(lost(text, "Options None", "# none\\")).toEqual(["Require ip 192.0.2.7"]);
  });

  test("also in a section of a large file, whose other sections are not read again", () => {
    const host = (lines: string) =>
      `<VirtualHost *>\n${section("<IfModule mod_dir.c>", lines, "</IfModule>")}</VirtualHost>\n`;
    const text = `${host("Require ip 192.0.2.8")}${host("Require ip 192.0.2.7")}${host("Require ip 192.0.2.7")}`;
    const [found, ...others] = findLostLines([replacing(text, "    Require ip 192.0.2.7\n", "")]);
    expect(others).toEqual([]);
    expect(text.slice(found?.span.start, found?.span.end)).toBe("Require ip 192.0.2.7");
    expect(found?.span.start).toBe(text.indexOf("Require ip 192.0.2.7"));
    // Twin: the same section states the same outside of the conditional section.
    const twice = text.replace("    <IfModule mod_dir.c>\n    Require ip 192.0.2.7", "    Require ip 192.0.2.7\n$&");
    expect(
      lost(
        twice,
        "    Require ip 192.0.2.7\n",
        "",
        twice.lastIndexOf("    Require ip", twice.indexOf("192.0.2.7\n    </IfModule>")),
      ),
    ).toEqual([]);
  });

  test("if only one of its names disappears", () => {
    expect(lost(section("Allow from 192.0.2.7 192.0.2.8"), " 192.0.2.8")).toEqual(["Allow from 192.0.2.7 192.0.2.8"]);
    expect(lost(section("Require user dana kim"), " kim")).toEqual(["Require user dana kim"]);
  });

  test("if an equal line is only in another section, or states the opposite", () => {
    const elsewhere = `${section("Allow from 192.0.2.7")}${section("Allow from 192.0.2.7")}`;
    expect(lost(elsewhere, "    Allow from 192.0.2.7\n")).toEqual(["Allow from 192.0.2.7"]);
    expect(lost(section("Deny from 192.0.2.7", "Allow from 192.0.2.7"), "    Deny from 192.0.2.7\n")).toHaveLength(1);
    const limited = section("<Limit GET>", "Allow from 192.0.2.7", "</Limit>", "Allow from 192.0.2.7");
    expect(lost(limited, "    Allow from 192.0.2.7\n", "", limited.lastIndexOf("    Allow"))).toHaveLength(1);
  });

  test("if its section is deleted", () => {
    const text = `Listen 80\n${section("Options None", "Require ip 192.0.2.7", "Require ip 192.0.2.8")}`;
    expect(lost(text, text.slice(10))).toEqual(["Require ip 192.0.2.7", "Require ip 192.0.2.8"]);
  });

  test("at its place, of a file with other sections", () => {
    const others = section("Require ip 192.0.2.9", "Require ip 192.0.2.9");
    const text = `Listen 80\n${others}${others}${section("Options None", "Require ip 192.0.2.7")}${others}${others}`;
    const [line, ...more] = findLostLines([replacing(text, "    Require ip 192.0.2.7\n", "")]);
    expect(line && text.slice(line.span.start, line.span.end)).toBe("Require ip 192.0.2.7");
    expect(more).toEqual([]);
    expect(lost(text, "    Require ip 192.0.2.9\n", "", text.lastIndexOf("    Require ip 192.0.2.9"))).toEqual([]);
  });

  test("together with an equal line, if both are deleted", () => {
    const text = section("Require ip 192.0.2.7", "Require ip 192.0.2.7");
    const line = "    Require ip 192.0.2.7\n";
    const file = sourceFile("/x.conf", text);
    const edits = [text.indexOf(line), text.lastIndexOf(line)].map((start) => ({
      span: { file, start, end: start + line.length },
      text: "",
    }));
    expect(edits.map((edit) => findLostLines([edit]).length)).toEqual([0, 0]);
    expect(findLostLines(edits)).toHaveLength(2);
  });
});

describe("a line is not lost", () => {
  test.each([
    [
      "an equal line of the section remains",
      section("Allow from 192.0.2.7", "Allow from 192.0.2.7"),
      "    Allow from 192.0.2.7\n",
      "",
    ],
    [
      "its names remain in other lines",
      section("Deny from 192.0.2.7", "Deny from 192.0.2.7 192.0.2.8"),
      "    Deny from 192.0.2.7\n",
      "",
    ],
    ["only its case changes", section("Require IP 192.0.2.7"), "IP", "ip"],
    ["only its spaces change", section("Allow  from\t192.0.2.7"), "  from\t", " from "],
    ["the other form names the same address", section("Allow from 192.0.2.7"), "Allow from", "Require ip"],
    ["a comment after it moves", section("Allow from 192.0.2.7 # office"), " # office", ""],
    ["the section around it changes", section("Require ip 192.0.2.7"), '"/srv"', '"/srv/www"'],
    ["another line changes", section("Options None", "Require ip 192.0.2.7"), "    Options None\n", ""],
    ["a line before it is inserted", section("Require ip 192.0.2.7"), "    Require", "    Options None\n    Require"],
    [
      "it is in a conditional section",
      section("<IfModule a>", "Allow from 192.0.2.7", "</IfModule>", "Allow from 192.0.2.7"),
      "    Allow from 192.0.2.7\n",
      "",
    ],
  ])("if %s", (_, text, from, to) => {
    expect(lost(text, from, to)).toEqual([]);
  });

  test("if it allows every host, beside lines that require a user", () => {
    const hosts = "    Order deny,allow\n    Allow from all\n";
    const withRequire = (line: string) => `<Directory "/srv">\n${hosts}    ${line}\n</Directory>\n`;
    expect(lost(withRequire("Require valid-user"), hosts)).toEqual([]);
    expect(lost(withRequire("Require ldap-group cn=a"), hosts)).toEqual([]);
    expect(lost(withRequire("Require ip 192.0.2.7"), hosts)).toHaveLength(2);
    expect(lost(withRequire("Options None"), hosts)).toHaveLength(2);
    expect(lost(withRequire("Deny from 192.0.2.7\nRequire valid-user"), hosts)).toHaveLength(2);
  });
});

describe("the report of a fix", () => {
  const text = section("Require all denied", "Require ip 192.0.2.7");
  const findingOf = (message: string, edit: Edit): Finding => ({
    ...{ rule: "r", severity: "warning", message, related: [], span: { ...edit.span, start: 0, end: 1 } },
    fix: { title: "Change it", safety: "safe", edits: [edit] },
  });

  test("names each line that the fix deletes, and calls it unsafe", () => {
    const edit = replacing(text, "    Require ip 192.0.2.7\n", "");
    expect(nameLostLines(findingOf("m", edit))).toMatchObject({
      notes: ["the fix deletes `Require ip 192.0.2.7`"],
      fix: { safety: "unsafe" },
    });
    const named = nameLostLines(findingOf("`Require ip 192.0.2.7` has no effect", edit));
    expect([named.notes, named.fix?.safety]).toEqual([undefined, "unsafe"]);
  });

  test("names a line that the fix replaces, unless the finding is on it", () => {
    const edit = replacing(text, "192.0.2.7", "192.0.2.8");
    expect(nameLostLines(findingOf("m", edit)).notes).toEqual(["the fix replaces `Require ip 192.0.2.7`"]);
    const onLine = nameLostLines({ ...findingOf("m", edit), span: edit.span });
    expect([onLine.notes, onLine.fix?.safety]).toEqual([undefined, "unsafe"]);
  });

  test("stays the same if nothing is lost", () => {
    const finding = findingOf("m", replacing(section("Options None"), "None", "All"));
    expect(nameLostLines(finding)).toBe(finding);
  });
});

describe("the comment of a deleted line", () => {
  const without = (text: string, ...lines: readonly string[]) => {
    const file = sourceFile("/x.conf", text);
    const edits = lines.flatMap((line) => {
      const start = text.indexOf(line);
      const edit = removeLines({ file, start, end: start + line.length });
      return edit ? [edit] : [];
    });
    return applyEdits(text, withOwnComments(edits));
  };

  test.each([
    ["Listen 80\n# No longer used.\nMaxClients 5\n", "Listen 80\n"],
    ["Listen 80\n\n# One.\n# Two.\nMaxClients 5\n\nUser a\n", "Listen 80\n\n\nUser a\n"],
    ["<Directory /a>\n  # Why.\n  MaxClients 5\n</Directory>\n", "<Directory /a>\n</Directory>\n"],
    ["Listen 80\n# One.\nMaxClients 5\n# Two.\nUser a\n", "Listen 80\n# Two.\nUser a\n"],
    ["Listen 80\r\n# Why.\r\nMaxClients 5\r\n", "Listen 80\r\n"],
    ["Listen 80\n# httpd-lint-ignore-next-line x\nMaxClients 5\n", "Listen 80\n"],
    ["Listen 80\n# httpd-lint-ignore-next-section x\nMaxClients 5\n", "Listen 80\n"],
  ])("goes with it: %j", (text, after) => {
    expect(without(text, "MaxClients 5")).toBe(after);
  });

  test.each([
    ["another line of its paragraph follows", "Listen 80\n# Limits.\nMaxClients 5\nUser a\n"],
    ["it has another indentation", "Listen 80\n  # Limits.\nMaxClients 5\n"],
    ["a blank line is between", "Listen 80\n# Limits.\n\nMaxClients 5\n"],
    ["it is a heading", "Listen 80\n# -------\n# Limits\n# -------\nMaxClients 5\n"],
    ["it is a heading with more signs", "Listen 80\n### Limits\nMaxClients 5\n"],
    ["it is the first of the file", "# The shop.\nMaxClients 5\n"],
    ["it is a line that is switched off", "Listen 80\n#MaxClients 9\nMaxClients 5\n"],
    ["it is about the whole file", "Listen 80\n# httpd-lint-ignore-file x\nMaxClients 5\n"],
    ["it continues on the next line", "Listen 80\n# Limits \\\nMaxClients 5\n"],
  ])("stays if %s", (_, text) => {
    expect(without(text, "MaxClients 5")).toBe(text.replace("MaxClients 5\n", ""));
  });

  test("goes with several lines, if all of its paragraph are deleted", () => {
    const text = "Listen 80\n# Limits.\nMaxClients 5\nMinSpare 2\n\nUser a\n";
    expect(without(text, "MaxClients 5", "MinSpare 2")).toBe("Listen 80\n\nUser a\n");
    expect(without(text, "MaxClients 5")).toContain("# Limits.\n");
  });
});
