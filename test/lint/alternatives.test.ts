import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { runRulesWithProofs } from "../../src/lint/runner/lint.js";
import type { LintResult } from "../../src/lint/runner/run-rules.js";
import { loadProject } from "../../src/startup/load-project.js";
import { lineAt } from "../../src/text/source.js";
import { accessPitfalls } from "../support/access-pitfalls.js";

/** The first lines of a server whose modules are known. */
const main = "ServerRoot /r\nLoadModule mpm_event_module modules/mod_mpm_event.so\nListen 80\n";

/** Conditional sections, each of which applies on some server whose release is 2.4. */
const guards = [
  "IfModule mod_ssl.c",
  "IfModule ssl_module",
  "IfModule !mod_dav.c",
  "IfModule mod_php5.c",
  "IfModule mod_foo.c",
  "IfModule !mod_foo.c",
  "IfModule mpm_prefork_module",
  "IfDefine DEBUG",
  "IfDefine !DEBUG",
  "IfVersion >= 2.4",
  "IfVersion < 2.4.10",
  "IfVersion >= 2.4.99",
  "IfVersion !~ ^2\\.2",
  "IfFile /etc/app.conf",
  "IfFile !/etc/app.conf",
  "IfDirective SSLEngine",
  "IfDirective !DavLockDB",
  "IfSection Macro",
];

function guarded(guard: string, text: string): string {
  return `<${guard}>\n${text}</${guard.split(" ")[0]}>\n`;
}

function check(text: string, path = "/r/site.conf", files: Readonly<Record<string, string>> = {}): LintResult {
  const loaded = loadProject(path, { access: memoryAccess({ ...files, [path]: text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  return runRulesWithProofs(loaded.value, { rules: allRules });
}

const linesOf = ({ findings }: LintResult, by = 0) =>
  findings.map(({ rule, span }) => `${rule} ${lineAt(span.file, span.start) - by}`);

describe("the findings of a pitfall do not depend on the conditional section around it", () => {
  test.each(guards)("<%s>", (guard) => {
    for (const { name, text } of accessPitfalls) {
      const inside = check(guarded(guard, text));
      expect({ name, lines: linesOf(inside, 1) }).toEqual({
        name,
        lines: expect.arrayContaining([...new Set(linesOf(check(text)))]),
      });
      expect(inside.unchecked).toEqual([]);
    }
  });
});

/** Template statements around lines, and those that make the lines an alternative. */
const statements = [
  ["{% if a %}", "{% endif %}"],
  ["{% if a %}\n{% else %}", "{% endif %}"],
  ["{% for x in xs %}", "{% endfor %}"],
  ["<% if @a -%>", "<% end -%>"],
  ["<% unless @a -%>\n<% else -%>", "<% end -%>"],
  ["<% @xs.each do |x| -%>", "<% end -%>"],
  ["<% if $a { -%>", "<% } -%>"],
  ["<% if $a { -%>\n<% } else { -%>", "<% } -%>"],
  ["{{- if .Values.a }}", "{{- end }}"],
  ["{{- if .Values.a }}\n{{- else if .Values.b }}", "{{- end }}"],
  ["{{ range .Values.xs }}", "{{ end }}"],
  ["{{#if a}}", "{{/if}}"],
  ["{{#a}}", "{{/a}}"],
  ["{{^a}}", "{{/a}}"],
  ["<?php if ($a): ?>", "<?php endif; ?>"],
  ["@@IF a@@\n@@ELSE@@", "@@ENDIF@@"],
] as const;

describe("the findings of a pitfall do not depend on the statement of a template around it", () => {
  test.each(statements)("%s", (start, end) => {
    const before = start.split("\n").length;
    for (const { name, text } of accessPitfalls) {
      const inside = check(`${start}\n${text}${end}\n`);
      expect({ name, lines: linesOf(inside, before) }).toEqual({
        name,
        lines: expect.arrayContaining([...new Set(linesOf(check(text)))]),
      });
      expect(inside.unchecked).toEqual([]);
    }
  });
});

describe("templates", () => {
  test("alternatives are not mixed with each other", () => {
    const old = "Order allow,deny\nAllow from all\n";
    const both = (start: string, between: string, end: string) =>
      check(`<Directory /srv>\n${start}\n${old}${between}\nRequire all granted\n${end}\n</Directory>\n`);
    for (const found of [
      both("{% if a %}", "{% else %}", "{% endif %}"),
      both("{% if v == '2.2' %}", "{% endif %}\n{% if v == '2.4' %}", "{% endif %}"),
      both("<% if @a %>", "<% end %>\n<% unless @a %>", "<% end %>"),
      both("{{#a}}", "{{/a}}\n{{^a}}", "{{/a}}"),
    ])
      expect(linesOf(found).filter((each) => !each.startsWith("template-placeholder"))).toEqual([
        "old-access-control 3",
      ]);
  });

  test("a note names the alternative", () => {
    const { findings } = check("{% if a %}\n{% else %}\nFoo on\n{% endif %}\n");
    expect(findings.find(({ rule }) => rule === "unknown-directive")?.notes?.at(-1)).toBe(
      "this applies if the template takes the lines after `{% else %}` on line 2",
    );
  });

  test("an expression is one word, which is not known", () => {
    const section = (line: string) => `<Location /a>\nOrder deny,allow\n${line}\n</Location>\n`;
    for (const value of ["<%= @allow %>", "{{ item.ip }}", "{{ 'a b' }}", "<?= $ip ?>"]) {
      const rules = linesOf(check(section(`Deny from ${value}`)));
      expect(rules).toEqual(expect.arrayContaining(["old-access-control 2"]));
      expect(rules.filter((each) => !/^(?:old-access-control|template-placeholder)/.test(each))).toEqual([]);
    }
  });

  test("a line with an expression has no fix", () => {
    const fixed = (line: string) =>
      check(`<VirtualHost *:80>\n${line}\n</VirtualHost>\n`).findings.filter(
        ({ rule, fix }) => rule === "inactive-rewrite-rule" && fix,
      );
    expect(fixed("RewriteRule ^a /b")).toHaveLength(1);
    expect(fixed("RewriteRule ^a {{ b }}")).toHaveLength(0);
    expect(fixed("{% if a %}RewriteRule ^a /b{% endif %}")).toHaveLength(0);
  });
});

describe("in a template", () => {
  const rulesOf = (text: string, path?: string) =>
    linesOf(check(text, path)).filter((each) => !each.startsWith("template-placeholder"));

  test.each([
    ["<<%= @section %> /a>", "</<%= @section %>>"],
    ["<Require<%= mode %>>", "</Require<%= mode %>>"],
    ["{{ directive }} on", ""],
    ["SetEnv <%= setenv %>", ""],
    ["<Directory /a>\nAllowOverride None\nAllowOverrideList <%= list.join(' ') %>", "</Directory>"],
    ["<Directory /a>\nRequire all {{ access }}", "</Directory>"],
    ["Options {{ options }}", ""],
    ["Include {{ folder }}/*.conf", ""],
  ])("what depends on an expression has no finding: %s", (start, end) => {
    expect(rulesOf(`${start}\n${end}\n`)).toEqual([]);
  });

  test.each([
    ["{{ a }}Bogus on", []],
    ["{% if a %}Bogus {{ a }}{% endif %}", ["unknown-directive 1"]],
    ["Bogus {{ a }}", ["unknown-directive 1"]],
    ["<Bogus {{ a }}>\n</Bogus>", ["unknown-directive 1"]],
  ])("other words have: %s", (line, found) => {
    expect(rulesOf(`${line}\n`)).toEqual(found);
  });

  test.each([
    ["envsubst", (name: string) => `\${${name}}`, "x.conf.template"],
    ["autoconf", (name: string) => `@${name}@`, "x.conf.in"],
    ["sed", (name: string) => `__${name}__`, "x.conf.tmpl"],
    ["Mustache", (name: string) => `{{${name}}}`, "x.mustache"],
    ["Helm", (name: string) => `{{ .Values.${name} | quote }}`, "x.gotmpl"],
    ["ERB", (name: string) => `<%= @${name}.join(" ") %>`, "x.erb"],
  ])("values of %s are not known", (_, value, name) => {
    const lines = [
      `<VirtualHost *:${value("PORT")}>`,
      `ServerName ${value("NAME")}`,
      `ServerAlias www.${value("NAME")}`,
      `DocumentRoot "${value("ROOT")}"`,
      `<Directory "${value("ROOT")}/a">`,
      `Require ip ${value("ADDRESSES")}`,
      `Options ${value("OPTIONS")}`,
      `AllowOverride ${value("OVERRIDE")}`,
      "</Directory>",
      `Timeout ${value("TIMEOUT")}`,
      `ProxyPass /api/ http://${value("BACKEND")}:${value("BACKEND_PORT")}/`,
      `RewriteEngine ${value("REWRITE")}`,
      `RewriteRule ^/a$ https://${value("NAME")}/b [R=${value("CODE")},L]`,
      `SSLProtocol ${value("PROTOCOLS")}`,
      `LogLevel ${value("LEVEL")}`,
      `Redirect ${value("STATUS")} / https://${value("NAME")}/`,
      value("EXTRA"),
      `Include ${value("FOLDER")}/*.conf`,
      "Options Foo",
      "</VirtualHost>",
      "",
    ];
    expect(rulesOf(lines.join("\n"), `/r/${name}`)).toEqual(["refused-at-start 19"]);
  });

  test.each(["{{ name }}", "<%= @name %>", "${NAME}", "@NAME@"])(
    "what clients of a virtual host reach does not depend on its name: %s",
    (name) => {
      const host = (...lines: readonly string[]) =>
        [
          ...["<VirtualHost *:80>", `ServerName ${name}`, "Redirect / https://a.example/", "</VirtualHost>"],
          ...["<VirtualHost *:443>", `ServerName ${name}`, `ServerAlias www.${name}`, "DocumentRoot /srv/a"],
          ...["{% if status %}", "<Location /server-status>", "SetHandler server-status", ...lines, "</Location>"],
          ...["{% endif %}", "<Directory /srv/a>", "Require all granted", "</Directory>", "</VirtualHost>", ""],
        ].join("\n");
      expect(rulesOf(host())).toContain("unprotected-handler 11");
      expect(rulesOf(host("Require local"))).not.toContain("unprotected-handler 11");
    },
  );

  test("a section may begin or end in another one", () => {
    const severities = (text: string, path: string) =>
      check(text, path)
        .findings.filter(({ rule }) => rule !== "template-placeholder")
        .map(({ rule, severity }) => `${rule} ${severity}`);
    expect(severities("<VirtualHost *:{{ port }}>\nServerName a\n", "/r/_header.conf.j2")).toEqual([
      "syntax-error info",
    ]);
    expect(severities("</VirtualHost>\n", "/r/_footer.conf.j2")).toEqual(["syntax-error info"]);
    expect(severities("</VirtualHost>\n", "/r/footer.conf.j2")).toEqual(["syntax-error warning"]);
    expect(severities("</VirtualHost>\n", "/r/footer.conf")).toEqual(["syntax-error error"]);
    expect(severities("{{ a }}\n<VirtualHost *:80>\n</Directory>\n", "/r/_a.j2")).toContain("syntax-error error");
  });

  test("files of a ServerRoot that is not known are not missing", () => {
    const main = (root: string) =>
      `ServerRoot ${root}\nListen 80\nInclude conf.d/*.conf\nInclude a.conf\nServerName a\n`;
    const missing = "refused-at-start 4";
    expect(rulesOf(main("{{ root }}"), "/r/httpd.conf")).not.toContain(missing);
    expect(rulesOf(main("<%= root['a'] %>"), "/r/httpd.conf")).not.toContain(missing);
    expect(rulesOf(main("/r"), "/r/httpd.conf")).toContain(missing);
  });

  test("sections for a module that an expression names are checked", () => {
    const text = `LoadModule {{ mpm }} modules/{{ mpm }}.so\n<IfModule mpm_worker_module>\nOptions Foo\n</IfModule>\n`;
    expect(rulesOf(text)).toEqual(["refused-at-start 3"]);
  });

  test("variables may be filled in", () => {
    const main = "Listen 80\nServerName ${NAME}\n";
    expect(rulesOf(main, "/r/httpd.conf")).toContain("undefined-variable 2");
    expect(rulesOf(`{{ a }}\n${main}`, "/r/httpd.conf")).not.toContain("undefined-variable 3");
  });

  const access = "<Location /a>\nOrder deny,allow\nDeny from all\n</Location>\n";

  test.each([
    ['{% if apache_version == "2.2" %}', "{% endif %}"],
    ['{% if apache_version != "2.4" %}', "{% endif %}"],
    ["{% if apache.version == '2.4' %}\n{% else %}", "{% endif %}"],
    ["<% if @apache_version < 2.4 -%>", "<% end -%>"],
    ["<% if versioncmp($apache_version, '2.4') >= 0 { -%>\n<% } else { -%>", "<% } -%>"],
    ["{% if httpd_version is version('2.4.1', '<') %}", "{% endif %}"],
  ])("lines for 2.2 are checked as those of 2.2: %s", (start, end) => {
    const before = start.split("\n").length;
    expect(rulesOf(`${start}\n${access}${end}\n`)).toEqual([]);
    const found = check(`${start}\nBogus on\n${end}\n`);
    expect(linesOf(found, before)).toContain("unknown-directive 1");
    expect(found.unchecked).toEqual([]);
  });

  test("lines for 2.4 and for other versions are checked as those of 2.4", () => {
    for (const condition of ["apache_version == '2.4'", "app_version >= 3", "apache_version > 2.2", "name == '2.2'"])
      expect(rulesOf(`{% if ${condition} %}\n${access}{% endif %}\n`)).toEqual(["old-access-control 3"]);
  });
});

describe("opposite conditions", () => {
  const unknown = "Foo on\n";

  test.each([
    ["IfModule mod_ssl.c", "IfModule !mod_ssl.c"],
    ["IfModule !mod_ssl.c", "IfModule mod_ssl.c"],
    ["IfDefine A", "IfDefine !A"],
    ["IfVersion >= 2.4", "IfVersion < 2.4"],
    ["IfModule mod_authz_core.c", "IfModule !mod_authz_core.c"],
    ["IfFile /a", "IfFile !/a"],
  ])("<%s> and <%s> are both checked", (one, other) => {
    const found = check(guarded(one, unknown) + guarded(other, unknown));
    expect(linesOf(found)).toEqual(["unknown-directive 2", "unknown-directive 5"]);
  });

  test.each([
    ["IfDefine A", "IfDefine B"],
    ["IfDefine A", "IfModule mod_ssl.c", "IfDefine !B", "IfDefine C"],
    ["IfModule !mod_ssl.c", "IfDefine A"],
    ["IfVersion < 2.4", "IfDefine A"],
  ])("in each other are checked: <%s> <%s>", (...guards) => {
    const found = check(guards.reduceRight((text, guard) => guarded(guard, text), unknown));
    expect(linesOf(found)).toEqual([`unknown-directive ${guards.length + 1}`]);
    expect(found.unchecked).toEqual([]);
  });

  test("a note names the condition of a section that does not apply by default", () => {
    const { findings } = check(guarded("IfModule !mod_ssl.c", guarded("IfDefine A", unknown)));
    expect(findings.map(({ notes }) => notes?.at(-1))).toEqual([
      "this applies to servers on which `<IfDefine A>` on line 2 holds",
    ]);
  });

  test("lines for 2.2 are checked as those of 2.2", () => {
    const access = "<Location /a>\nOrder deny,allow\nDeny from all\n</Location>\n";
    // The location is open on 2.4, which never-matching-guard reports.
    expect(linesOf(check(guarded("IfModule !mod_authz_core.c", access)))).toEqual(["never-matching-guard 1"]);
    expect(linesOf(check(guarded("IfVersion < 2.4", "Mutex default\n")))).toEqual(["unknown-directive 2"]);
  });

  test("lines outside of the section have no findings of its reading", () => {
    const text = `SSLEngine on\n${guarded("IfModule !mod_ssl.c", "# nothing\n")}`;
    expect(linesOf(check(text))).not.toContain("modules-to-load 1");
    expect(linesOf(check(`${text}${guarded("IfModule mod_foo.c", unknown)}Bar on\n`))).toEqual(["unknown-directive 8"]);
  });
});

test.each(["IfModule ${MODULE}", "IfDefine {{ name }}", "IfModule @MODULE@"])(
  "a section whose condition is not known is checked: <%s>",
  (guard) => {
    const found = check(guarded(guard, "Foo on\n"));
    expect(linesOf(found)).toContain("unknown-directive 2");
    expect(found.unchecked).toEqual([]);
  },
);

describe("lines that no reading applies are counted", () => {
  test("those for a release that is not known yet", () => {
    expect(check(guarded("IfVersion >= 2.5.1", "Foo on\n")).unchecked).toHaveLength(1);
  });

  test("those for a release that is not known", () => {
    const { unchecked } = check(main + guarded("IfVersion >= 2.5", "Foo on\nBar on\n"), "/r/httpd.conf");
    expect(unchecked).toEqual([
      {
        tag: "<IfVersion >= 2.5>",
        path: "/r/httpd.conf",
        line: 4,
        lines: 2,
        isSkippedByServer: true,
        isCheckedForStart: false,
      },
    ]);
  });

  test("not those of a define that a start may set", () => {
    const found = check(main + guarded("IfDefine SSL", "Foo on\n"), "/r/httpd.conf");
    expect(found.unchecked).toEqual([]);
    expect(linesOf(found)).toContain("unknown-directive 5");
  });

  test("those of a define that a line sets", () => {
    const { unchecked } = check(`Define A\n${guarded("IfDefine !A", "Foo on\n")}`);
    expect(unchecked).toEqual([
      {
        tag: "<IfDefine !A>",
        path: "/r/site.conf",
        line: 2,
        lines: 1,
        isSkippedByServer: false,
        isCheckedForStart: false,
      },
    ]);
  });

  test("those in a macro that is used, once", () => {
    const text = `<Macro Site $name>\n${guarded("IfVersion >= 2.5.1", "Foo on\n")}</Macro>\nUse Site a\nUse Site b\n`;
    expect(check(text).unchecked).toEqual([
      {
        tag: "<IfVersion >= 2.5.1>",
        path: "/r/site.conf",
        line: 2,
        lines: 1,
        isSkippedByServer: false,
        isCheckedForStart: false,
      },
    ]);
  });

  test("not a section without lines", () => {
    expect(check(`Define A\n${guarded("IfDefine !A", "")}`).unchecked).toEqual([]);
  });
});

describe("on a server whose modules are known", () => {
  const modules = ["mpm_event", "unixd", "authz_core", "log_config"];
  const load = modules.map((each) => `LoadModule ${each}_module modules/mod_${each}.so\n`).join("");
  const main = `ServerRoot /r\n${load}Listen 80\n`;
  const inServer = (text: string) =>
    check(main + text, "/r/httpd.conf").findings.filter(({ severity }) => severity !== "info");

  test.each([
    "IfModule mod_ssl.c",
    "IfModule !mod_log_config.c",
    "IfModule mpm_prefork_module",
    "IfFile /etc/app.conf",
    "IfDirective SSLEngine",
  ])("a line that httpd would refuse is reported in a skipped section: <%s>", (guard) => {
    const findings = inServer(guarded(guard, "Optoins None\nKeepAlive Maybe\n"));
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      "unknown-directive warning",
      "refused-at-start warning",
    ]);
    for (const { notes } of findings)
      expect(notes?.at(-1)).toBe(`this applies to servers on which \`<${guard}>\` on line 7 holds`);
  });

  const mistake = "<Location /x>\nRequire all granted\nRequire ip 10.0.0.1\n</Location>\n";

  test.each([
    "IfModule mod_ssl.c",
    "IfModule !mod_log_config.c",
    "IfModule mpm_prefork_module",
    "IfFile /etc/app.conf",
  ])("a mistake in a skipped section is at most a warning: <%s>", (guard) => {
    const findings = inServer(guarded(guard, mistake));
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(["implicit-require-any warning"]);
    expect(inServer(mistake).map(({ severity }) => severity)).toContain("error");
  });

  const otherModules = [
    "IfModule mod_ssl.c",
    "IfModule !mod_log_config.c",
    "IfModule mod_foo.c",
    "IfFile /etc/app.conf",
  ];

  test.each(otherModules)("the modules that the lines of a skipped section need are loaded with it: <%s>", (guard) => {
    const rewriting = "RewriteEngine On\nRewriteRule ^(a$ /x\n";
    const groups = [
      ...["<Location /a>", "AuthType Basic", "AuthName x", "AuthBasicProvider dbm", "AuthDBMUserFile /u"],
      ...["AuthDBMGroupFile /g", "Require group staff", "</Location>", ""],
    ].join("\n");
    const override = "<Location /b>\nAllowOverride None\n</Location>\n";
    const found = inServer(guarded(guard, rewriting + groups + override));
    expect(found.map(({ rule, span }) => `${rule} ${lineAt(span.file, span.start) - 7}`)).toEqual([
      "refused-at-start 2",
      "dbm-group 9",
      "ignored-directive 12",
    ]);
    expect(found.map(({ severity }) => severity)).toEqual(["warning", "warning", "warning"]);
  });

  test.each(otherModules)("the lines of modules that only another server has are not reported: <%s>", (guard) => {
    const text = "RewriteEngine On\nRewriteRule ^/a$ /b\nHeader set A b\nProxyPass /c http://127.0.0.1:8080/c\n";
    expect(inServer(guarded(guard, text))).toEqual([]);
  });

  test("a section for the absence of a module may have lines of that module only by mistake", () => {
    const rules = "RewriteEngine On\nRewriteRule ^(a$ /x\n";
    const load = "LoadModule rewrite_module modules/mod_rewrite.so\n";
    expect(inServer(load + guarded("IfModule !mod_rewrite.c", rules))).toEqual([]);
    const unrelated = guarded("IfModule !mod_rewrite.c", "Header set A\n");
    expect(inServer(load + unrelated).map(({ rule }) => rule)).toEqual(["refused-at-start"]);
  });

  test("a conditional section in a skipped one needs its own modules", () => {
    const inner = guarded("IfModule !mod_headers.c", "ExpiresActive Maybe\n");
    const found = inServer(guarded("IfModule mod_ssl.c", `Header set A b\n${inner}`));
    expect(found.map(({ rule }) => rule)).toEqual(["refused-at-start"]);
  });

  test("a line that loads a module if it is absent does not load it twice", () => {
    const load = "LoadModule ssl_module modules/mod_ssl.so\n";
    expect(inServer(load + guarded("IfModule !ssl_module", load))).toEqual([]);
    expect(inServer(load + load).map(({ rule }) => rule)).toEqual(["warned-at-start"]);
  });

  test("a section that a large server skips is only checked for errors at start, and counted", () => {
    const text = main + guarded("IfModule mod_ssl.c", `${mistake}KeepAlive Maybe\n`) + "# a comment\n".repeat(5000);
    const found = check(text, "/r/httpd.conf");
    expect(found.findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule)).toEqual([
      "refused-at-start",
    ]);
    const section = { tag: "<IfModule mod_ssl.c>", path: "/r/httpd.conf", line: 7, lines: 5 };
    expect(found.unchecked).toEqual([{ ...section, isSkippedByServer: true, isCheckedForStart: true }]);
  });

  test("a misspelling is reported even if an unknown module may define it", () => {
    const text = `LoadModule foo_module modules/foo.so\n${guarded("IfModule mod_ssl.c", "DirectoryIdnex a\n")}`;
    expect(inServer(text).map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(["unknown-directive warning"]);
  });

  test.each([
    ["a line that another server accepts", "IfModule mod_ssl.c", "SSLProtocol all\nSSLCipherSuite ALL\n"],
    ["a missing file that a module brings", "IfModule mod_php.c", "Include conf/php.conf\n"],
    ["a module that the section loads", "IfModule !mod_ssl.c", "LoadModule ssl_module modules/mod_ssl.so\n"],
    [
      "a module that another section lacks",
      "IfModule !mod_log_config.c",
      '# none\n</IfModule>\n<IfModule mod_ssl.c>\nCustomLog log "%h"\n',
    ],
    [
      "lines of different servers",
      "IfModule mod_ssl.c",
      "Listen 443\n</IfModule>\n<IfModule mod_gnutls.c>\nListen 443\n",
    ],
  ])("%s is not reported", (_, guard, lines) => {
    expect(inServer(guarded(guard, lines))).toEqual([]);
  });

  test("lines that it reads keep their findings, and those for a start with -D are checked as such", () => {
    const wrong = "Optoins None\n";
    const findings = inServer(wrong + guarded("IfDefine A", wrong) + guarded("IfModule mod_ssl.c", wrong) + wrong);
    expect(findings.map(({ severity, span }) => `${severity} ${lineAt(span.file, span.start)}`)).toEqual([
      ...["error 7", "error 9", "warning 12", "error 14"],
    ]);
  });
});

test("the LoadModule lines of a part do not list the modules of its server", () => {
  const load = "LoadModule cgid_module modules/mod_cgid.so\n";
  const access = "<Location /a>\nOrder allow,deny\nDeny from all\nRequire all denied\n</Location>\n";
  const text = guarded("IfModule mpm_worker_module", access + load) + guarded("IfModule mpm_event_module", load);
  expect(linesOf(check(text, "/r/conf.modules.d/01-cgi.conf"))).toEqual(["mixed-access-control 3"]);
});

test("the modules that a part needs are listed, without the usual ones, and without those that it loads", () => {
  const text = `SSLEngine on\n${guarded("IfModule mod_dav.c", "# none\n")}${guarded("IfModule mod_php5.c", "# none\n")}`;
  expect(check(text).assumedModules).toEqual(["ssl_module", "dav_module", "php5_module"]);
  expect(check(`LoadModule ssl_module modules/mod_ssl.so\n${text}`).assumedModules).toEqual([
    ...["dav_module", "php5_module"],
  ]);
  expect(check("DirectoryIndex a.html\n").assumedModules).toEqual([]);
  expect(check("", "/r/httpd.conf").assumedModules).toEqual([]);
});

describe("in a macro that is used", () => {
  const macro = (guard: string) =>
    `<Macro Site $name>\n${guarded(guard, "Foo $name\n")}</Macro>\nUse Site a\nUse Site b\n`;

  test.each(["IfDefine A", "IfModule mod_ssl.c", "IfModule !mod_ssl.c", "IfDefine $name"])(
    "a section is checked: <%s>",
    (guard) => {
      const found = check(macro(guard));
      expect(new Set(linesOf(found))).toEqual(new Set(["unknown-directive 3"]));
      expect(found.unchecked).toEqual([]);
    },
  );

  test("a note names the condition", () => {
    expect(check(macro("IfDefine A")).findings[0]?.notes?.at(-1)).toBe(
      "this applies to servers on which `<IfDefine A>` on line 2 holds",
    );
  });
});

describe("on a server whose modules are known, a section for another version", () => {
  const load = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so\n`;
  const server = main + ["authz_core", "authz_host", "version", "alias"].map(load).join("");
  const first = server.split("\n").length;
  const others = [
    ...["IfVersion < 2.4", "IfVersion < 2.4.10", "IfVersion >= 2.4.99", "IfModule !mod_authz_core.c"],
    ...["IfModule !mod_version.c", "IfModule mod_authn_default.c"],
  ];

  test.each(others)("is checked for lines that httpd would refuse: <%s>", (guard) => {
    const { findings, unchecked } = check(server + guarded(guard, "Foo on\n"), "/r/httpd.conf");
    const found = findings.filter(({ rule }) => rule === "unknown-directive");
    expect(found.map(({ severity, span, notes }) => [severity, lineAt(span.file, span.start), notes?.at(-1)])).toEqual([
      ["warning", first + 1, `this applies to servers on which \`<${guard}>\` on line ${first} holds`],
    ]);
    expect(unchecked).toEqual([]);
  });

  test.each(others)("may have lines that only that version accepts: <%s>", (guard) => {
    const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\nSatisfy Any\n</Directory>\n";
    const found = check(server + guarded(guard, old), "/r/httpd.conf");
    const more = linesOf(found).filter((each) => !each.startsWith("never-matching-guard"));
    expect(more).toEqual(linesOf(check(server, "/r/httpd.conf")));
    expect(found.unchecked).toEqual([]);
  });
});

test.each(["IfFile /away/x", "IfFile !/away/x"])(
  "a section for a file that is not known to exist is checked: <%s>",
  (guard) => {
    const text = guarded(guard, "Foo on\n");
    const away = { message: "permission to read it is denied" };
    const all = memoryAccess({ "/r/site.conf": text });
    const access = {
      ...all,
      list: (path: string) => (path.startsWith("/away") ? { ok: false as const, error: away } : all.list(path)),
    };
    const loaded = loadProject("/r/site.conf", { access });
    if (!loaded.ok) throw new Error(loaded.error);
    const found = runRulesWithProofs(loaded.value, { rules: allRules });
    expect(linesOf(found)).toEqual(["syntax-error 1", "unknown-directive 2"]);
    expect(found.unchecked).toEqual([]);
  },
);

test("a section for 2.2 is also checked in files that only 2.4 includes", () => {
  const load = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so\n`;
  const server = `${main}${load("authz_core")}${load("authz_host")}IncludeOptional conf.d/*.conf\n`;
  const text = guarded("IfModule !mod_authz_core.c", "<Directory /a>\nOrder allow,deny\nFoo on\n</Directory>\n");
  const found = check(server, "/r/httpd.conf", { "/r/conf.d/a.conf": text });
  const inFile = found.findings.filter(({ span }) => span.file.path === "/r/conf.d/a.conf");
  expect(inFile.map(({ rule, span }) => `${rule} ${lineAt(span.file, span.start)}`)).toEqual(["unknown-directive 4"]);
  expect(found.unchecked).toEqual([]);
});

describe("sections in sections that contradict later ones are checked", () => {
  test.each([
    ["IfModule mod_version.c", "IfVersion < 2.4", "IfModule !mod_version.c"],
    ["IfModule mod_ssl.c", "IfDefine A", "IfModule !mod_ssl.c"],
    ["IfFile /a", "IfDefine A", "IfFile !/a"],
    ["IfFile !/a", "IfModule !mod_dav.c", "IfFile /a"],
  ])("<%s> around <%s>, then <%s>", (outer, inner, other) => {
    const found = check(guarded(outer, guarded(inner, "Foo on\n")) + guarded(other, "Bar on\n"));
    expect(linesOf(found)).toEqual(["unknown-directive 3", "unknown-directive 7"]);
    expect(found.unchecked).toEqual([]);
  });

  test("2.4 and 2.2 without mod_version", () => {
    const text = guarded("IfModule !mod_authz_core.c", "Foo on\n") + guarded("IfModule mod_authz_core.c", "Bar on\n");
    const found = check(guarded("IfModule !mod_version.c", text));
    expect(linesOf(found)).toEqual(["unknown-directive 3", "unknown-directive 6"]);
    expect(found.unchecked).toEqual([]);
  });
});

describe("in a macro that nothing uses", () => {
  const macro = (text: string) => `<Macro Site $a @b>\n${text}</Macro>\n`;

  test("the findings of a pitfall are those of a macro that is used", () => {
    for (const { name, text } of accessPitfalls) {
      const found = check(macro(text));
      expect({ name, lines: linesOf(found) }).toEqual({
        name,
        lines: expect.arrayContaining([...new Set(linesOf(check(`${macro(text)}Use Site a b\n`)))]),
      });
      expect(found.unchecked).toEqual([]);
    }
  });

  test.each([
    ["at the top of the server", "<VirtualHost *:80>\nServerName $a\nFoo on\n</VirtualHost>\n", 4],
    ["in a directory", "Require ip $a\nFoo on\n", 3],
    ["in a location", "ProxyPass @b\nFoo on\n", 3],
    ["in a conditional section", "<IfModule mod_auth_basic.c>\nAuthType Basic\nFoo on\n</IfModule>\n", 4],
    [
      "in a directory, for a macro that it uses",
      "Use Inner $a\n</Macro>\n<Macro Inner $x>\nSSLRequireSSL\nFoo on\n",
      6,
    ],
  ])("a line is checked %s, and nothing else is reported", (_, text, line) => {
    const found = check(macro(text));
    expect(linesOf(found)).toEqual([`unknown-directive ${line}`]);
    const uses = [...text.matchAll(/Use (\w+)/g)].map(
      ([, name]) => `the macro \`${name?.toLowerCase()}\` is used here`,
    );
    expect(found.findings[0]?.related.map(({ message }) => message)).toEqual(uses);
    expect(found.unchecked).toEqual([]);
  });

  test("a note tells it, also on a server whose modules are known", () => {
    for (const [before, path, line] of [
      ["", "/r/site.conf", 1],
      [`${main}LoadModule macro_module modules/mod_macro.so\n`, "/r/httpd.conf", 5],
    ] as const) {
      const { findings } = check(before + macro("ServerAdmin $a\nFoo @b\n"), path);
      const found = findings.filter(({ rule }) => rule === "unknown-directive");
      expect(found.map(({ notes }) => notes?.at(-1))).toEqual([
        `no \`Use\` line in effect uses \`<Macro Site $a @b>\` on line ${line}; this applies if one does`,
      ]);
    }
  });

  test("what depends on a parameter is not known", () => {
    const text = "<VirtualHost *:$a>\nServerName @b\nDocumentRoot /srv/$a\nRedirect $a @b\n</VirtualHost>\n";
    expect(linesOf(check(macro(text)))).toEqual([]);
  });

  test("another macro of its name is not checked for it", () => {
    const found = check(`${macro("Foo on\n")}${macro("Bar on\n")}Use Site a b\n`);
    expect(linesOf(found)).toEqual(["unknown-directive 2", "unknown-directive 5"]);
  });
});

test("files that only a skipped section includes are checked", () => {
  const found = check(guarded("IfDefine A", "Include /r/more.conf\n"), "/r/site.conf", { "/r/more.conf": "Foo on\n" });
  expect(found.findings.map(({ rule, span }) => `${span.file.path} ${rule}`)).toEqual([
    "/r/more.conf unknown-directive",
  ]);
});

test("a comment ignores findings in a skipped section, and is used", () => {
  const { findings, ignored } = check(
    guarded("IfDefine A", "# httpd-lint-ignore-next-line unknown-directive known to us\nFoo on\n"),
  );
  expect(findings).toEqual([]);
  expect(ignored).toHaveLength(1);
});

describe("sections for different modules may be meant for different servers", () => {
  const both = (one: string, other: string) => check(guarded(one, "Listen 443\n") + guarded(other, "Listen 443\n"));
  const duplicates = (found: LintResult) => linesOf(found).filter((each) => each.startsWith("refused-at-start"));

  test("their lines are not compared with each other", () => {
    expect(duplicates(both("IfModule ssl_module", "IfModule mod_gnutls.c"))).toEqual([]);
    expect(duplicates(both("IfModule mod_ssl.c", "IfModule !mod_ssl.c"))).toEqual([]);
  });

  test("those of sections with one condition are", () => {
    expect(duplicates(both("IfModule mod_ssl.c", "IfModule mod_ssl.c"))).toEqual(["refused-at-start 5"]);
  });

  test("lines of one section are, and lines outside of sections", () => {
    expect(duplicates(check(guarded("IfModule mod_ssl.c", "Listen 443\nListen 443\n")))).toEqual([
      "refused-at-start 3",
    ]);
    expect(duplicates(check(`Listen 443\n${guarded("IfModule mod_ssl.c", "Listen 443\n")}`))).toEqual([
      "refused-at-start 3",
    ]);
  });
});
