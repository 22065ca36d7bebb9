import { describe, expect, test } from "vitest";
import { findStartupErrors } from "../../src/apps/server-failure.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { LoadOptions } from "../../src/config/read-entry.js";
import type { Release } from "../../src/facts/release.js";
import { compare } from "../../src/proof/compare/compare.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { remedyOfFact, unknownFact } from "../../src/server/model/unknown-facts.js";
import { loadProject } from "../../src/startup/load-project.js";

const files = { "/srv/a/x.txt": "", "/srv/b/x.txt": "" };

interface ServerOptions extends Pick<LoadOptions, "environment"> {
  readonly release?: Release;
  readonly files?: Readonly<Record<string, string>>;
}

/** Returns a server on `/srv` that allows all clients, except as restricted by further lines. */
function server(lines: readonly string[], { release = "2.4", files: more = {}, ...options }: ServerOptions = {}) {
  const open = release === "2.4" ? "Require all granted" : "Allow from all";
  const directory = ['<Directory "/srv">', "AllowOverride All", "Options FollowSymLinks", open, "</Directory>"];
  const main = ["ServerName x.test", 'DocumentRoot "/srv"', ...directory, ...lines, ""].join("\n");
  const access = memoryAccess({ ...files, ...more, "/etc/httpd/httpd.conf": main });
  const loaded = loadProject("/etc/httpd/httpd.conf", { kind: "server", release, access, ...options });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = loaded.value;
  const simulatedServer = new SimulatedServer(project, createFileTree({ by: "disk" }, project, access));
  const answer = (path: string, host = "x.test") => {
    const { status, unknown } = simulatedServer.answer({ method: "GET", path, host, clientIp: "192.0.2.1" });
    return status ?? unknown.join("; ");
  };
  return { project, answer };
}

const inA = (...lines: readonly string[]) => ['<Directory "/srv/a">', ...lines, "</Directory>"];
const unsetIn = (line: string) => `the value of \`\${X}\` in \`${line}\`, which is not set`;

test("the help for an unset variable names where to set it", () => {
  const factAbout = (variable: string) => unknownFact("undefined-variable", variable, "`DocumentRoot x`");
  expect(remedyOfFact(factAbout("`${X}`"))).toBe(
    "set `X` where httpd starts (`export X=…` in `envvars`, `ENV X …` of an image), or add `Define X …` before this line; without a value, httpd takes `${X}` as it is",
  );
  // Templates have another way.
  expect(remedyOfFact(factAbout("`{{ x }}`"))).toBeUndefined();
  expect(remedyOfFact(unknownFact("exists", "/srv/x"))).toBeUndefined();
});

describe("a line with an undefined variable", () => {
  test.each([
    ["Require ip ${X}"],
    ["Require all ${X}"],
    ["Require ${X}"],
    ["Require expr ${X}"],
    ["Allow from ${X}"],
    ["AuthType ${X}"],
    ["RewriteRule ^ ${X}"],
    ["Redirect ${X} /b"],
  ])("%s makes the result unknown only in its section", (line) => {
    const { answer } = server(inA(line));
    expect(answer("/a/x.txt")).toBe(unsetIn(line));
    expect(answer("/b/x.txt")).toBe(200);
  });

  test.each([
    ["Order ${X}", "2.2"],
    ["Deny from ${X}", "2.2"],
    ["Satisfy ${X}", "2.2"],
  ] as const)("%s makes the result unknown on %s too", (line, release) => {
    const { answer } = server(inA(line), { release });
    expect(answer("/a/x.txt")).toBe(unsetIn(line));
    expect(answer("/b/x.txt")).toBe(200);
  });

  test("has a known result if the environment defines the variable", () => {
    const of = (value: string) => server(inA("Require ip ${X}"), { environment: new Map([["X", value]]) });
    expect(of("192.0.2.0/24").answer("/a/x.txt")).toBe(200);
    expect(of("10.0.0.0/8").answer("/a/x.txt")).toBe(403);
  });

  test.each([
    ["ErrorLog ${X}/error.log"],
    ["ServerAdmin ${X}"],
    ['Redirect "/c" "https://${X}/"'],
    ["RewriteEngine on\nRewriteRule ^/c https://${X}/ [R]"],
    ['Alias "/c" "${X}/c"'],
    ["RequestHeader set X-Forwarded-Proto ${X}"],
    ['SetHandler "proxy:fcgi://${X}:9000"'],
    ['SetHandler "proxy:unix:${X}/php.sock|fcgi://localhost"'],
  ])("%s does not affect access to other paths", (line) => {
    expect(server([line]).answer("/a/x.txt")).toBe(200);
  });

  test.each([
    ["RequestHeader set X-Real-IP ${X} early", "Deny from env=flag", 'SetEnvIf X-Real-IP "^1" flag'],
    ["SetEnv flag ${X}", "Require expr \"reqenv('flag') == '1'\"", ""],
    ["ServerAdmin ${X}", 'RewriteEngine on\nRewriteCond "%{SERVER_ADMIN}" x\nRewriteRule ^ - [F]', ""],
  ])("%s decides only if a line reads what it sets", (line, reader, between) => {
    expect(server([line]).answer("/a/x.txt")).toBe(200);
    expect(server([line, between, ...inA(reader)]).answer("/a/x.txt")).toBe(unsetIn(line));
  });

  test("in a condition counts only with a rule that changes something", () => {
    const line = "RewriteCond ${X} on";
    const answerOf = (rule: string) => server(inA("RewriteEngine on", line, rule)).answer("/a/x.txt");
    expect(answerOf("RewriteRule ^ - [F]")).toBe(unsetIn(line));
    expect(answerOf("RewriteRule ^ - [E=flag:1]")).toBe(200);
  });

  test("may be the document of an error", () => {
    const answerOf = (line: string) => server([...inA("Require all denied"), line]).answer("/a/x.txt");
    expect(answerOf("ErrorDocument 403 ${X}")).toBe(unsetIn("ErrorDocument 403 ${X}"));
    expect(answerOf("ErrorDocument 404 ${X}")).toBe(403);
    expect(answerOf("ErrorDocument 403 https://${X}/")).toBe(302);
    expect(answerOf('ErrorDocument 403 "no ${X} here"')).toBe(403);
  });

  test("may limit the length of a body", () => {
    const { project } = server(["LimitRequestBody ${X}"]);
    const simulatedServer = new SimulatedServer(project, createListedFiles(["/srv/a/x.txt"]));
    const request = { method: "POST", path: "/a/x.txt", host: "x.test", clientIp: "192.0.2.1" };
    const unknownWith = (headers: Record<string, string>) => simulatedServer.answer({ ...request, headers }).unknown;
    expect(unknownWith({ "Content-Length": "1" })).toEqual([unsetIn("LimitRequestBody ${X}")]);
    expect(simulatedServer.answer({ ...request, method: "GET" }).unknown).toEqual([]);
  });

  test("may be an alias of an authorization provider", () => {
    const alias = "<AuthzProviderAlias ip office ${X}>";
    const { answer } = server([alias, "</AuthzProviderAlias>", ...inA("Require office")]);
    expect(answer("/a/x.txt")).toBe(unsetIn(alias));
    expect(answer("/b/x.txt")).toBe(200);
  });

  test.each([
    ["DirectoryIndexRedirect ${X}"],
    ["SetHandler ${X}"],
    ["SSLEngine ${X}"],
    ["AddType ${X} .txt"],
    ["CheckSpelling ${X}"],
    ["AuthzUserAuthoritative ${X}"],
  ])("%s makes all results unknown", (line) => expect(server([line]).answer("/a/")).toBe(unsetIn(line)));

  describe("names a backend", () => {
    const modules = ["authz_core", "proxy", "proxy_http", "rewrite"];
    const loaded = modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`);
    const lines = [...loaded, "RewriteEngine on", "RewriteRule ^/r http://${X}/ [P]"];
    const proxied = [...lines, "ProxyPass /p http://${X}/", "ProxyPass /q http://y/"];
    const of = (section: string, line: string) => {
      const { answer } = server([...proxied, section, line, section.replace(/<(\w+).*/, "</$1>")]);
      return ["/r", "/p", "/q"].map((path) => answer(path));
    };
    const rule = unsetIn("RewriteRule ^/r http://${X}/ [P]");
    const pass = unsetIn("ProxyPass /p http://${X}/");

    test.each([
      ["<Proxy http://intern/>", rule, pass, 200],
      ["<Proxy ftp://intern/>", 200, 200, 200],
      ["<Proxy *>", 403, 403, 403],
      ["<ProxyMatch intern>", rule, pass, 200],
      ["<Proxy http://y/${X}>", ...Array(3).fill(unsetIn("<Proxy http://y/${X}>"))],
      ["<Proxy http://z/${X}>", ...Array(2).fill(unsetIn("<Proxy http://z/${X}>")), 200],
    ])("that %s may match", (section, ...answers) => expect(of(section, "Require all denied")).toEqual(answers));

    test("ignores a section without access control", () =>
      expect(of("<Proxy http://${X}/>", "ProxySet timeout=5")).toEqual([200, 200, 200]));
  });

  test("may be the name of a user", () => {
    const modules = ["authz_core", "userdir"].map((name) => `LoadModule ${name}_module modules/mod_${name}.so`);
    for (const word of ["disabled", "enabled"]) {
      const { answer } = server([...modules, "UserDir /srv", `UserDir ${word} \${X}`]);
      expect(answer("/~a/x.txt")).toBe(unsetIn(`UserDir ${word} \${X}`));
      expect(answer("/a/x.txt")).toBe(200);
    }
  });

  test("makes the result unknown as the target of a mapping, but not of an absolute redirect", () => {
    const whole = server(["<Location /c>", "Redirect ${X}", "</Location>"]);
    expect(whole.answer("/c")).toBe(unsetIn("Redirect ${X}"));
    expect(whole.answer("/a/x.txt")).toBe(200);
    expect(server(['Alias "/c" "${X}/c"']).answer("/c/x.txt")).toBe(unsetIn('Alias "/c" "${X}/c"'));
    expect(server(['Redirect "/c" "https://${X}/"']).answer("/c/x.txt")).toBe(302);
    expect(server(['DocumentRoot "${X}/htdocs"']).answer("/a/x.txt")).toBe(unsetIn('DocumentRoot "${X}/htdocs"'));
  });

  test.each([["<Directory ${X}>"], ['<Location "${X}">'], ["<Files ${X}>"], ["<LocationMatch ${X}>"], ["<If ${X}>"]])(
    "%s makes unknown which requests the section matches",
    (opening) => {
      const closing = `</${/\w+/.exec(opening)?.[0]}>`;
      const { project, answer } = server([opening, "Require all denied", closing]);
      expect(answer("/a/x.txt")).toBe(unsetIn(opening));
      expect(findStartupErrors(project)).toEqual([]);
    },
  );

  test.each([
    ["<Directory ${X}>", 302],
    ["<Files ${X}>", 302],
    ["<Location ${X}>", unsetIn("<Location ${X}>")],
  ])("%s does not affect a Redirect that is checked before it", (opening, answered) => {
    const section = [opening, "Redirect /c /b", `</${/\w+/.exec(opening)?.[0]}>`];
    expect(server([...section, "Redirect /c https://y/"]).answer("/c/x.txt")).toBe(answered);
  });

  test.each([
    ["<IfDefine ${X}>\nRedirect /a /b\n</IfDefine>", "`<IfDefine ${X}>`"],
    ["<IfVersion >= ${X}>\nRedirect /a /b\n</IfVersion>", "`<IfVersion >= ${X}>`"],
    ["Include ${X}/a.conf", "`${X}/a.conf`"],
    ["IncludeOptional conf/${X}/*.conf", "`conf/${X}/*.conf`"],
    ["<Macro m>\n</Macro>\nUse ${X}", "`Use ${X}`"],
    ["Define ${X}\n<IfDefine prod>\nRedirect /a /b\n</IfDefine>", "`<IfDefine prod>`"],
    ["Define is.${X}\n<IfDefine !is.prod>\nRedirect /a /b\n</IfDefine>", "`<IfDefine !is.prod>`"],
    ["Define prod\nUnDefine ${X}\n<IfDefine prod>\nRedirect /a /b\n</IfDefine>", "`<IfDefine prod>`"],
  ])("%s makes all results unknown because lines are not read", (lines, what) => {
    const { project, answer } = server([lines]);
    expect(answer("/a/x.txt")).toBe(`lines that were not read (${what} depends on \`\${X}\`, which has no value here)`);
    expect(findStartupErrors(project)).toEqual([]);
  });

  test.each([
    ["Define is_${X}\n<IfDefine prod>\nRedirect /a /b\n</IfDefine>"],
    ["UnDefine ${X}\n<IfDefine prod>\nRedirect /a /b\n</IfDefine>"],
    ["Define prod\nDefine ${X}\n<IfDefine !prod>\nRedirect /a /b\n</IfDefine>"],
  ])("%s has a known result", (lines) => expect(server([lines]).answer("/a/x.txt")).toBe(200));

  test.each([["alias_module"], ["mod_alias.c"], ["!alias_module"]])(
    "in LoadModule may load the module of <IfModule %s>",
    (module) => {
      const load = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so`;
      const guarded = [`<IfModule ${module}>`, "Redirect /a https://y.test/", "</IfModule>"];
      const answerOf = (name: string) => server([load("authz_core"), load(name), ...guarded]).answer("/a/x.txt");
      expect(answerOf("${X}")).toBe(
        `lines that were not read (\`<IfModule ${module}>\` depends on \`\${X}\`, which has no value here)`,
      );
      expect([answerOf("alias"), answerOf("mpm_${X}")]).toEqual(module.startsWith("!") ? [200, 302] : [302, 200]);
    },
  );

  test("in a `.htaccess` file makes results unknown only in its directory", () => {
    const { answer } = server([], { files: { "/srv/a/.htaccess": "<IfDefine ${X}>\nRedirect /a /b\n</IfDefine>\n" } });
    expect(answer("/a/x.txt")).toMatch(
      /^`\.htaccess` files that were not read \(`<IfDefine \$\{X\}>` depends on `\$\{X\}`/,
    );
    expect(answer("/b/x.txt")).toBe(200);
  });

  // No variable has a colon in its name, so the server takes the text as it is. Other tests have the placeholders of Buildout.
  test.each(["Order ${a:b}", "Require ${a:b}", "Satisfy ${a-b:c}", "ErrorDocument ${a:b} x"])(
    "with a colon in the name is none: a `.htaccess` file with %s is rejected",
    (line) => {
      const { answer } = server([], { files: { "/srv/a/.htaccess": `${line}\n` } });
      expect(answer("/a/x.txt")).toBe(500);
      expect(answer("/b/x.txt")).toBe(200);
    },
  );

  // If the variable is undefined on the server too, the whole directory returns 500.
  test.each([
    ["<Files y.txt>\nRequire ip ${X}\n</Files>", "Require ip ${X}"],
    ["EnableSendfile ${X}", "EnableSendfile ${X}"],
    // A value with spaces is several arguments.
    ["Header set A ${X}", "Header set A ${X}"],
    ["ErrorDocument 404 ${X}", "ErrorDocument 404 ${X}"],
    ["AuthName ${X}", "AuthName ${X}"],
    ["php_value include_path ${X}", "php_value include_path ${X}"],
    ["${X} a", "${X} a"],
  ])("may cause a `.htaccess` file with %s to be rejected", (lines, line) => {
    const { answer } = server([], { files: { "/srv/a/.htaccess": `${lines}\n` } });
    expect(answer("/a/x.txt")).toBe(unsetIn(line));
    expect(answer("/b/x.txt")).toBe(200);
  });

  test("may be the name of a virtual host", () => {
    const host = (name: string, ...lines: string[]) => [
      "<VirtualHost *:80>",
      `ServerName ${name}`,
      ...lines,
      "</VirtualHost>",
    ];
    const { answer } = server([...host("x.test"), ...host("${X}", "Redirect / https://y.test/")]);
    expect(answer("/a/x.txt", "x.test")).toBe(200);
    expect(answer("/a/x.txt", "y.test")).toBe("whether `${X}` is `y.test`");
    expect(server(host("${X}")).answer("/a/x.txt", "y.test")).toBe(200);
  });

  test("cannot be proved equivalent to itself", () => {
    const { project } = server(inA("Require ip ${X}"));
    const side = { project, semantics: "server" } as const;
    const { verdict, unproved } = compare(side, side);
    expect([verdict, ...new Set(unproved.map(({ reason }) => reason))]).toEqual([
      "unknown",
      unsetIn("Require ip ${X}"),
    ]);
  });
});
