import { describe, expect, test } from "vitest";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

const commands = ["upgrade", "compare", "migrate"] as const;
const documents = ["html", "markdown"] as const;

const small = `Listen 80
DocumentRoot "/srv/www"
RewriteLog logs/rewrite.log
<Directory "/srv/www">
Order allow,deny
Allow from all
</Directory>
<Location "/private">
Deny from all
Satisfy any
</Location>
`;

/** Runs a command on `httpd.conf`, without colors. */
function report(command: (typeof commands)[number], format?: string, ...args: readonly string[]) {
  const from = command === "migrate" ? ["--from", "2.2"] : [];
  const chosen = format === undefined ? [] : ["--format", format];
  return lint([command, "httpd.conf", ...from, ...chosen, ...args], { env: { NO_COLOR: "1" } });
}

/** Returns a page without its style, whose hash is in the policy. */
function bodyOf(page: string): string {
  return page.replace(/<style>.*<\/style>/s, "<style></style>").replace(/sha256-[\w+/=]+/, "sha256");
}

describe.each(commands)("a document of %s", (command) => {
  test.each(documents)("in %s is as recorded", (format) => {
    write({ "httpd.conf": small });
    expect(bodyOf(report(command, format).stdout)).toMatchSnapshot();
  });

  test.each(documents)("in %s has the exit code and the notes of text", (format) => {
    const files = { findings: small, none: "Listen 80\n", unreadable: "<Directory /srv>\n" };
    for (const [name, text] of Object.entries(files)) {
      write({ "httpd.conf": text });
      const [plain, made] = [report(command), report(command, format)];
      expect([name, made.status, made.stderr]).toEqual([name, plain.status, plain.stderr]);
      expect(made.stdout).not.toBe("");
    }
    expect(lint([command, "none.conf", "--format", format])).toMatchObject({ status: 3, stdout: "" });
  });

  test("loads nothing and runs no script", () => {
    write({ "httpd.conf": small });
    const { stdout } = report(command, "html");
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain("prefers-color-scheme: dark");
    expect(stdout).toContain("@media print");
    expect(stdout).toContain("default-src &#39;none&#39;");
    expect(stdout).not.toMatch(/<script|<link|<img|@import|url\(|\son\w+=/);
    expect(stdout.match(/href="[^#]/g)).toBeNull();
  });
});

test("names in a document are text, whatever they contain", () => {
  const path = "/<script>alert(1)|`x`[a](b)@all";
  write({
    "httpd.conf": `${small}<Location "${path}">\nDeny from all\nSatisfy any\n</Location>\n`,
  });
  for (const command of commands) {
    const page = report(command, "html").stdout;
    expect(page.includes("&lt;script&gt;alert(1)")).toBe(true);
    expect(page.match(/<script/g)).toBeNull();
    const markdown = report(command, "markdown").stdout;
    expect(markdown.includes("<script>alert(1)")).toBe(true);
    // Outside of code, nothing is left that Markdown or HTML interprets.
    const words = markdown
      .replace(/^(`{3,})\w+\n[\s\S]*?^\1$/gm, "")
      .replace(/^ {2}(`{3,})\w+\n[\s\S]*?^ {2}\1$/gm, "")
      .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "");
    expect(words).not.toMatch(/<script|\]\(b|@all/);
  }
});

test("a bar in a path does not end a cell of a table", () => {
  write({ "httpd.conf": `${small}<Location "/a|b">\nDeny from all\nSatisfy any\n</Location>\n` });
  const { stdout } = report("upgrade", "markdown");
  const rows = stdout.split("\n").filter((line) => line.startsWith("| ") && line.includes("/a"));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect(row).toContain("/a\\|b");
    expect(row.match(/(?<!\\)\|/g)).toHaveLength(5);
  }
});

test("secrets are masked in documents, also in the changes of files", () => {
  const secret = "AuthLDAPBindPassword Hunter2";
  write({ "httpd.conf": `${small}<Location "/s">\n${secret}\nOrder deny,allow\nDeny from all\n</Location>\n` });
  for (const command of commands)
    for (const format of documents) expect(report(command, format).stdout).not.toContain("Hunter2");
});

test("the comparison of logged requests is a document, too", () => {
  const logged = (path: string) => `203.0.113.7 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`;
  write({ "httpd.conf": small, "access.log": `${logged("/private")}${logged("/<b>|")}nonsense\n` });
  const args = ["--requests", "access.log"];
  const plain = report("compare", undefined, ...args);
  const page = report("compare", "html", ...args);
  const markdown = report("compare", "markdown", ...args);
  for (const each of [page, markdown]) expect(each.status).toBe(plain.status);
  const [last = ""] = plain.stdout.trimEnd().split("\n").slice(-1);
  expect(last).toMatch(/1 with a different access decision/);
  expect(page.stdout).toContain(last);
  expect(page.stdout).not.toContain("<b>");
  expect(markdown.stdout).toContain(last);
});

test("a page about a server of 1,000 lines has at most 300 kB", { timeout: 300_000 }, () => {
  const host = (n: number) => `<VirtualHost *:80>
ServerName host${n}.example.com
DocumentRoot "/srv/host${n}"
ErrorLog logs/host${n}.log
<Directory "/srv/host${n}">
Options Indexes FollowSymLinks
AllowOverride None
Order deny,allow
Deny from all
Allow from 10.${n}.0.0/16
</Directory>
<Location "/status-${n % 7}">
Order allow,deny
Allow from 192.0.2.${n}
Satisfy any
</Location>
<Files "*.${n % 5}.inc">
Order allow,deny
Deny from all
</Files>
</VirtualHost>
`;
  const text = `Listen 80\nNameVirtualHost *:80\n${Array.from({ length: 50 }, (_, n) => host(n)).join("")}`;
  expect(text.split("\n").length).toBeGreaterThan(1_000);
  write({ "httpd.conf": text });
  for (const command of commands) {
    const { stdout, status } = report(command, "html");
    expect(Buffer.byteLength(stdout)).toBeLessThan(300_000);
    expect([0, 1, 5]).toContain(status);
    // The migration shows changed lines with their context, the others name hosts.
    expect((command === "migrate" ? /10\.49\.0\.0\/16/ : /host\d+\.example\.com/).test(stdout)).toBe(true);
  }
});
