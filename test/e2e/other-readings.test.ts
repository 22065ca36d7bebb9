import { describe, expect, test } from "vitest";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

const granted = ["<Directory /srv/www>", "Require all granted", "</Directory>"];
const site = (...lines: readonly string[]) =>
  `${["<VirtualHost *:80>", "ServerName a.test", "DocumentRoot /srv/www", ...lines, ...granted, "</VirtualHost>"].join("\n")}\n`;

/** Returns the lines about skipped sections that `explain` prints. */
function explain(text: string, url: string): readonly string[] {
  write({ "site.conf": text });
  const lines = lint(["explain", "site.conf", url]).stdout.split("\n");
  const start = lines.indexOf("if skipped sections apply");
  return start < 0 ? [] : lines.slice(start + 1, lines.indexOf("", start));
}

describe("explain shows the answer if a skipped section applies", () => {
  test.each<[what: string, section: readonly string[], url: string, expected: string]>([
    [
      "with a redirect",
      ["<IfDefine REDIRECT>", "Redirect permanent / https://a.test/", "</IfDefine>"],
      "http://a.test/x",
      "  301 → https://a.test/x (site.conf:5:1), with `<IfDefine REDIRECT>` (site.conf:4:1)",
    ],
    [
      "for a file that does not exist",
      ['<IfFile "/etc/none">', "Redirect gone /x", "</IfFile>"],
      "http://a.test/x",
      '  410 Gone (site.conf:5:1), with `<IfFile "/etc/none">` (site.conf:4:1)',
    ],
    [
      "that denies access",
      ["<IfDefine CLOSED>", "<Location /x>", "Require all denied", "</Location>", "</IfDefine>"],
      "http://a.test/x",
      "  403 Forbidden (AH01630, site.conf:6:1), with `<IfDefine CLOSED>` (site.conf:4:1)",
    ],
    [
      "inside another one",
      ["<IfDefine A>", "<IfDefine B>", "Redirect gone /x", "</IfDefine>", "</IfDefine>"],
      "http://a.test/x",
      "  410 Gone (site.conf:6:1), with `<IfDefine B>` (site.conf:5:1)",
    ],
  ])("%s", (_, section, url, expected) => {
    expect(explain(site(...section), url)).toEqual([expected]);
  });

  test("as JSON", () => {
    write({ "site.conf": site("<IfDefine REDIRECT>", "Redirect gone /x", "</IfDefine>") });
    const { otherReadings } = JSON.parse(lint(["explain", "site.conf", "/x", "--format", "json"]).stdout);
    expect(otherReadings).toMatchObject([{ status: 410, sections: [{ tag: "<IfDefine REDIRECT>" }] }]);
  });
});

describe("twin: explain does not show", () => {
  test.each<[what: string, section: readonly string[]]>([
    ["a section for another path", ["<IfDefine REDIRECT>", "Redirect gone /other", "</IfDefine>"]],
    ["a section with the same answer", ["<IfDefine OPEN>", ...granted, "</IfDefine>"]],
    ["a section that applies", ["Define OPEN", "<IfDefine OPEN>", "Redirect gone /x", "</IfDefine>"]],
    ["a section for another version", ["<IfVersion < 2.4>", "Redirect gone /x", "</IfVersion>"]],
  ])("%s", (_, section) => {
    expect(explain(site(...section), "/x")).toEqual([]);
  });

  test("a section for a module that a known server does not load", () => {
    const modules = ["authz_core", "alias"].map((name) => `LoadModule ${name}_module ${name}.so\n`).join("");
    const server = `${modules}Listen 80\nServerName a.test\nDocumentRoot /srv/www\n<IfModule mod_proxy.c>\nRedirect gone /x\n</IfModule>\n`;
    expect(explain(server, "/x")).toEqual([]);
  });
});

describe("explain shows the answer with a module that a known server lacks, if nothing is found", () => {
  const explainServer = (modules: readonly string[], more: readonly string[], url: string) => {
    const loads = ["authz_core", "alias", "mpm_event", ...modules].map(
      (name) => `LoadModule ${name}_module ${name}.so`,
    );
    const lines = ["ServerRoot /etc/httpd", ...loads, "Listen 80", "ServerName a.test", "DocumentRoot /srv/www"];
    write({
      "root/etc/httpd/httpd.conf": `${[...lines, "<Directory /srv>", "Require all granted", "</Directory>", ...more].join("\n")}\n`,
      "root/srv/www/index.html": "",
      "root/srv/cgi/a": "",
    });
    const { stdout } = lint(["explain", "root/etc/httpd/httpd.conf", url, "--sysroot", "root"]);
    const output = stdout.split("\n");
    const start = output.indexOf("if skipped sections apply");
    return start < 0 ? "" : output.slice(start + 1, output.indexOf("", start)).join("\n");
  };
  const inModule = (name: string, ...lines: readonly string[]) => [`<IfModule ${name}>`, ...lines, "</IfModule>"];
  const alias = "ScriptAlias /cgi-bin/ /srv/cgi/";

  test.each<[string, readonly string[], readonly string[], string, readonly string[]]>([
    [
      "of the other MPM",
      ["cgid"],
      inModule("mod_cgi.c", "Redirect /cgi-bin/a /b"),
      "/cgi-bin/a",
      ["`mod_cgi.c` is not loaded, but `mod_cgid.c` is", "help: use `<IfModule mod_cgid.c>`"],
    ],
    [
      "that a comment loads",
      [],
      [
        "#LoadModule rewrite_module m.so",
        ...inModule("mod_rewrite.c", "RewriteEngine On", "RewriteRule ^/old$ /new [R]"),
      ],
      "/old",
      [
        "`rewrite_module` is not loaded",
        "help: delete the `#` before `LoadModule rewrite_module m.so` in `httpd.conf`",
      ],
    ],
    [
      "for a backend",
      [],
      inModule("proxy_module", "ProxyPass /app http://127.0.0.1:3000"),
      "/app",
      ["add a `LoadModule` line for `proxy_module`", "add a `LoadModule` line for `proxy_http_module`"],
    ],
  ])("%s", (_, modules, more, url, expected) => {
    const shown = explainServer(modules, more, url).replace(/\s+/g, " ");
    for (const each of expected) expect(shown).toContain(each);
  });

  test.each<[string, readonly string[], string]>([
    ["a section for another path", inModule("mod_cgi.c", alias), "/other"],
    ["a file that is found", inModule("mod_proxy.c", "ProxyPass / http://127.0.0.1:3000/"), "/index.html"],
    ["the section without the module", inModule("!mod_alias.c", "ErrorDocument 404 /x"), "/other"],
  ])("twin: not for %s", (_, more, url) => {
    expect(explainServer([], more, url)).toBe("");
  });
});

describe("explain fills in a template", () => {
  const template = (...lines: readonly string[]) =>
    `${["<VirtualHost *:{{ port }}>", "ServerName {{ name }}", ...lines, "</VirtualHost>"].join("\n")}\n`;
  const run = (text: string, url: string) => {
    write({ "site.conf.j2": text });
    const { stdout, stderr } = lint(["explain", "site.conf.j2", url]);
    return { head: stdout.split("\n")[0], stdout, stderr };
  };

  test("with the lines of its conditions, which it states, and shows the answer of other branches", () => {
    const text = template("{% if moved %}", "Redirect /old /new", "{% else %}", "Redirect gone /old", "{% endif %}");
    const { head, stdout, stderr } = run(text, "/old/x");
    expect(head).toBe("302 → http://{{ name }}/new/x");
    expect(stderr).toContain(
      "that requests reach `<VirtualHost *:{{ port }}>`, and that the lines under `{% if moved %}` apply, and no other tag of the template stands for lines",
    );
    expect(stdout).toContain("  410 Gone (site.conf.j2:6:1), with `{% else %}` (site.conf.j2:5:1)");
  });

  test("with the usual port of each host", () => {
    const host = (address: string, ...lines: readonly string[]) =>
      `${[`<VirtualHost ${address}>`, "ServerName a.test", ...lines, "</VirtualHost>"].join("\n")}\n`;
    const tls = host("{{ ip }}:{{ tls_port }}", "SSLEngine on", "Redirect gone /x");
    const both = `${host("*:{{ port }}", "Redirect /x /plain")}${tls}`;
    expect(run(both, "http://a.test/x").head).toBe("302 → http://a.test/plain");
    expect(run(both, "https://a.test/x").head).toContain("410 Gone");
    expect(run(tls, "/x").head).toContain("410 Gone");
  });

  test("but what depends on a value stays unknown", () => {
    const { head, stderr } = run(template("DocumentRoot {{ root }}", ...granted), "/x");
    expect(head).toBe(
      "unknown: the response depends on the value of `{{ root }}` in `DocumentRoot {{ root }}`, a placeholder of a template",
    );
    expect(stderr).not.toContain("stands for lines");
  });

  test("and a host with a known port is not taken for another one", () => {
    const { head } = run("<VirtualHost {{ ip }}:8080>\nRedirect gone /x\n</VirtualHost>\n", "http://a.test/x");
    expect(head).toContain("unknown: the response depends on whether another file defines a virtual host for port 80");
  });

  test("but not if a tag stands for other lines", () => {
    for (const line of ['{% include "more.j2" %}', "{{ extra }}", "{% if tls %}{{ tls_lines }}{% endif %}"])
      expect([line, run(template("{% if moved %}", "Redirect /old /new", "{% endif %}", line), "/old/x").head]).toEqual(
        [line, expect.stringContaining("unknown: the response depends on lines that were not read")],
      );
  });

  test("but not if several hosts may be meant", () => {
    const denied = ["<VirtualHost *:80>", "ServerName a.test", "Redirect gone /x", "</VirtualHost>"];
    for (const address of ["*:{{ port }}", "{{ ip }}:80", "*:${PORT}"]) {
      const open = [`<VirtualHost ${address}>`, "ServerName a.test", "Redirect /x /y", "</VirtualHost>"];
      const { stdout, stderr } = run(`${[...denied, ...open].join("\n")}\n`, "http://a.test/x");
      expect(stdout.split("\n")[0]).not.toMatch(/^(?:302|410)/);
      expect(stderr).not.toContain("reach");
    }
  });

  test("and a whole server stays unknown", () => {
    const server = ["ServerRoot /etc/httpd", "Listen 80", "{% if a %}", "Redirect /x /y", "{% endif %}"];
    expect(run(`${server.join("\n")}\n`, "/x").head).toMatch(/^unknown/);
  });
});

test("other commands do not fill in the addresses of a part", () => {
  const host = (address: string, line: string) =>
    `<VirtualHost ${address}>\nServerName a.test\n<Location />\n${line}\n</Location>\n</VirtualHost>\n`;
  const [open, closed] = ["Require all granted", "Require all denied"];
  write({
    "before.conf": host("*:80", open) + host("*:${PORT}", closed),
    "after.conf": host("*:80", open),
    log: '192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET http://a.test/ HTTP/1.1" 200 5\n',
  });
  expect(lint(["compare", "before.conf", "after.conf"]).stdout).not.toContain("equivalent");
  expect(lint(["map", "before.conf"]).stderr).not.toContain("requests reach");
  expect(lint(["explain", "before.conf", "--requests", "log"]).stderr).not.toContain("requests reach");
});
