import { afterEach, describe, expect, test, vi } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { MAX_SECTION_DEPTH } from "../../src/config/reader/section-stack.js";
import { loadProject } from "../../src/startup/load-project.js";
import { rangeOf } from "../../src/text/source.js";
import { applyingLines, load, loadText, problemsOf } from "../support/projects.js";

const main = "/etc/httpd/httpd.conf";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("Include", () => {
  test("reads files in byte order, hidden files only if named, and whole directories", () => {
    const project = load({
      [main]: "Include conf.d/*.conf\nInclude all\n",
      "/etc/httpd/conf.d/b.conf": "Listen 2\n",
      "/etc/httpd/conf.d/B.conf": "Listen 1\n",
      "/etc/httpd/conf.d/.c.conf": "Listen 9\n",
      "/etc/httpd/conf.d/d.conf~": "Listen 9\n",
      "/etc/httpd/all/x/y": "Listen 4\n",
      "/etc/httpd/all/.hidden": "Listen 3\n",
    });
    expect(applyingLines(project)).toEqual(["Listen 1", "Listen 2", "Listen 3", "Listen 4"]);
  });

  test("without a match is an error on 2.4, but not on 2.2 or with IncludeOptional", () => {
    const text = "Include conf.d/*.conf\n";
    const files = { [main]: text, "/etc/httpd/conf.d/x": "" };
    expect(problemsOf(load(files))).toEqual([
      `httpd.conf:1: the wildcard \`*.conf\` matches nothing in \`/etc/httpd/conf.d\`, so httpd will not start; correct the path, or use IncludeOptional (httpd: "Include/IncludeOptional: No matches for the wildcard '*.conf' in '/etc/httpd/conf.d', failing")`,
    ]);
    expect(problemsOf(load(files, { release: "2.2" }))).toEqual([]);
    expect(problemsOf(load({ ...files, [main]: text.replace("Include", "IncludeOptional") }))).toEqual([]);
  });

  test("with a wildcard in its directory is an error on 2.2", () => {
    const files = { [main]: "Include sites/*/host.conf\n", "/etc/httpd/sites/a/host.conf": "Listen 1\n" };
    expect(problemsOf(load(files, { release: "2.2" }))).toEqual([
      'httpd.conf:1: 2.2 does not accept a wildcard in the directory of `/etc/httpd/sites/*/host.conf`, so httpd will not start; write an `Include` for each directory (httpd: "Wildcard patterns not allowed in Include /etc/httpd/sites/*/host.conf")',
    ]);
    expect(applyingLines(load(files))).toEqual(["Listen 1"]);
    const last = { ...files, [main]: "Include sites/a/*.conf\n" };
    expect(problemsOf(load(last, { release: "2.2" }))).toEqual([]);
  });

  test("of a missing file is reported, and reading continues", () => {
    const project = loadText("Include nope.conf\nIncludeOptional nope.conf\nListen 80\n");
    expect(problemsOf(project)).toEqual([
      'httpd.conf:1: `/etc/httpd/nope.conf` cannot be included: it does not exist, so httpd will not start; correct the path, or use IncludeOptional (httpd: "Could not open configuration file /etc/httpd/nope.conf: No such file or directory")',
    ]);
    expect(applyingLines(project)).toEqual(["Listen 80"]);
  });

  test("that is circular is reported once", () => {
    const project = load({
      [main]: "Listen 80\nInclude a.conf\nListen 81\n",
      "/etc/httpd/a.conf": "Include a.conf\nInclude a.conf\n",
    });
    expect(problemsOf(project)).toEqual([expect.stringContaining("a.conf:1: Include is nested 128 levels deep")]);
    expect(applyingLines(project)).toEqual(["Listen 80", "Listen 81"]);
  });

  test("is relative to ServerRoot, unless the user sets another one", () => {
    const files = { [main]: "ServerRoot /srv\nInclude a\n", "/srv/a": "Listen 1\n", "/opt/a": "Listen 2\n" };
    expect(applyingLines(load(files))).toEqual(["Listen 1"]);
    expect(applyingLines(load(files, { serverRoot: "/opt" }))).toEqual(["Listen 2"]);
  });
});

describe("variables", () => {
  test("are replaced once, before the line is parsed", () => {
    const project = loadText(
      'Define A x\nDefine B "${A} ${A}"\nAddType text/${A} .a .${b}\n<Location /${A}>\n</Location>\n',
    );
    expect(applyingLines(project)).toEqual(["AddType text/x .a .x x", "<Location /x>"]);
  });

  test("remain if they are undefined, and are reported once at their position", () => {
    const project = loadText("ErrorLog ${LOG}/a\nCustomLog ${LOG}/b common\nListen ${ A:b}\n");
    expect(applyingLines(project)).toEqual(["ErrorLog ${LOG}/a", "CustomLog ${LOG}/b common", "Listen ${ A:b}"]);
    expect(project.problems.map(({ span }) => rangeOf(span).start)).toEqual([{ line: 1, column: 10 }]);
  });

  test("have values from the server's environment, never from that of httpd-lint", () => {
    vi.stubEnv("HTTPD_LINT_TEST_VALUE", "leak");
    expect(applyingLines(loadText("Listen ${HTTPD_LINT_TEST_VALUE}\n"))).toEqual(["Listen ${HTTPD_LINT_TEST_VALUE}"]);
    const environment = new Map([["PORT", "8080"]]);
    expect(applyingLines(loadText("Listen ${PORT}\n", { environment }))).toEqual(["Listen 8080"]);
    expect(applyingLines(loadText("Listen ${PORT}\n", { environment, release: "2.2" }))).toEqual(["Listen 8080"]);
  });

  test("keep the original positions in an expanded line", () => {
    const project = loadText('Define NAME "long value"\nAlias "/${NAME}" /last\n');
    const [alias] = project.directives;
    const spans = alias?.arguments.map((argument) => alias.spanOf(argument)) ?? [];
    expect(spans.map(({ file, start, end }) => file.text.slice(start, end))).toEqual(['"/${NAME}"', "/last"]);
  });
});

describe("macros", () => {
  test("replace Use, with their parameters", () => {
    const text = '<Macro Host $name @root>\nAlias /$name @root\n# gone\n</Macro>\nUse host a "/srv/x \\"y\\""\n';
    expect(applyingLines(loadText(text))).toEqual(['Alias /a "/srv/x \\"y\\""']);
  });

  test("may open a section that another closes", () => {
    const text =
      "<Macro open>\n<Directory />\n</Macro>\n<Macro shut>\n</Directory>\n</Macro>\nUse open\nOptions None\nUse shut\n";
    expect(applyingLines(loadText(text))).toEqual(["<Directory />", "  Options None", "</Directory>"]);
  });

  test.each([
    ["Use nope\n", "no macro defined before Use"],
    ["<Macro m>\nListen 80\n</Macro>\nUse n\n", "macro 'n' undefined"],
    ["<Macro m>\nUse m\n</Macro>\nUse m\n", "recursive use of macro 'm' is invalid"],
    [
      "<Macro m $a>\nListen $a\n</Macro>\nUse m\n",
      "macro 'm' (defined on line 1 of \"/etc/httpd/httpd.conf\") used with 0 arguments instead of 1",
    ],
    ["UndefMacro m\n", "no macro defined before UndefMacro"],
  ])("are rejected with the server's message: %j", (text, server) => {
    expect(loadText(text).problems.map((problem) => problem.server)).toEqual([server]);
  });
});

describe("syntax", () => {
  // The text, the first message of httpd 2.4.71, and the position of the cause.
  test.each([
    ["</Directory>\n", "</Directory> without matching <Directory> section", "1:1"],
    ["<Directory />\n", "/etc/httpd/httpd.conf:1: <Directory> was not closed.", "1:1"],
    ["<Directory />\n</Files>\n</Directory>\n", "Expected </Directory> but saw </Files>", "2:1"],
    [
      "<IfModule core.c>\n<Directory />\n</IfModule>\n</Directory>\n",
      "Expected </Directory> but saw </IfModule>",
      "3:1",
    ],
    [
      "<Directory />\n<IfModule core.c>\n</Directory>\n</IfModule>\n",
      "</Directory> without matching <Directory> section",
      "3:1",
    ],
    ["<Directory />\n</Directory >\n", "</Directory> directive missing closing '>'", "2:1"],
    ["<IfModule core.c>\n</IfModule> # x\n", "</IfModule> without matching <IfModule> section", "2:1"],
    ["<IfModule nope.c>\n", "Expected </IfModule> before end of configuration", "1:1"],
    ["<IfModule nope.c>\n<Files a>\n</IfModule>\n", "Expected </Files> but saw </IfModule>", "3:1"],
    [
      "<Macro m>\n",
      "macro 'm' (defined on line 1 of \"/etc/httpd/httpd.conf\")\\n\\tcontents error: expected token not found: </Macro>",
      "1:1",
    ],
  ])("reports %j once, at its cause", (text, server, at) => {
    const { problems } = loadText(`${text}`);
    expect(problems.map((problem) => problem.server)).toEqual([server]);
    const start = problems[0] && rangeOf(problems[0].span).start;
    expect(`${start?.line}:${start?.column}`).toBe(at);
  });

  test("reads lines after an error", () => {
    const project = loadText("</Files>\n<Directory />\nOptions None\n</Location>\n</Directory>\nListen 80\n");
    expect(project.problems).toHaveLength(2);
    expect(applyingLines(project)).toEqual(["<Directory />", "  Options None", "</Directory>", "Listen 80"]);
  });

  test("accepts a true conditional section that is closed by the end of the file", () => {
    const project = loadText("<IfModule core.c>\n<Directory />\nOptions None\n");
    expect(project.problems.map((problem) => problem.kind)).toEqual(["fragile", "fragile"]);
    expect(applyingLines(project)).toEqual(["<Directory />", "  Options None", "</Directory>"]);
  });

  test("does not parse the body of a Lua hook", () => {
    const text =
      "LoadModule lua_module x.so\n<LuaHookAuthChecker>\nfunction handle(r)\n  <if> x\nend\n</LuaHookAuthChecker>\nListen 80\n";
    expect(applyingLines(loadText(text))).toEqual(["<LuaHookAuthChecker >", "Listen 80"]);
    expect(loadText(text).problems).toEqual([]);
    expect(problemsOf(loadText(text.replace("</Lua", "</")))).toEqual([
      expect.stringContaining("unclosed section `<LuaHookAuthChecker>`"),
    ]);
  });

  test("requires sections to end in the file that opened them", () => {
    const project = load({ [main]: "<Directory />\nInclude a\n", "/etc/httpd/a": "</Directory>\n" });
    expect(problemsOf(project)).toEqual([
      expect.stringContaining("a:1: `</Directory>` closes a section that is not open"),
      expect.stringContaining("httpd.conf:1: section `<Directory>` is not closed in this file"),
    ]);
  });

  test("reports 100,000 nested sections once", () => {
    const depth = 100_000;
    const project = loadText(`${"<If true>\n".repeat(depth)}${"</If>\n".repeat(depth)}Listen 80\n`);
    expect(problemsOf(project)).toEqual([expect.stringContaining(`nested more than ${MAX_SECTION_DEPTH} levels deep`)]);
    expect(applyingLines(project)).toContain("Listen 80");
  });

  test("terminates for 100,000 nested sections with wrong closing tags", () => {
    const depth = 100_000;
    for (const open of ["<Directory /i>\n", "<IfDefine X>\n<FooI>\n"]) {
      const project = loadText(`${open.repeat(depth)}${"</Location>\n".repeat(depth)}Listen 80\n`);
      expect(project.problems.length).toBeGreaterThan(0);
    }
  });

  test("reports status 500 for errors in `.htaccess` files", () => {
    for (const text of ["</Files>\n", "<Files a>\n", "<IfModule>\n</IfModule>\n", "Use nope\n"]) {
      expect(problemsOf(loadText(text, { kind: "htaccess" }))).toEqual([
        expect.stringContaining("requests below this directory return 500"),
      ]);
    }
  });

  test("limits expansions of variables and macros", () => {
    const defines = Array.from({ length: 40 }, (_, n) => `Define a${n + 1} "\${a${n}}\${a${n}}"\n`).join("");
    expect(problemsOf(loadText(`Define a0 xxxxxxxxxx\n${defines}ServerAdmin "\${a40}"\n`))).toContainEqual(
      expect.stringContaining("exceed the limit of"),
    );
    const macros = Array.from({ length: 30 }, (_, n) => `<Macro m${n + 1}>\nUse m${n}\nUse m${n}\n</Macro>\n`).join("");
    expect(problemsOf(loadText(`<Macro m0>\nListen 80\n</Macro>\n${macros}Use m30\n`))).toEqual([
      expect.stringContaining("macros expand to more than 500,000 lines"),
    ]);
  });

  test("limits the length of lines in `.htaccess` files and on 2.2", () => {
    const text = `SetEnv A ${"x".repeat(9000)}\n`;
    expect(problemsOf(loadText(text))).toEqual([]);
    expect(problemsOf(loadText(text, { release: "2.2" }))).toEqual([expect.stringContaining("9,010 bytes")]);
    expect(problemsOf(loadText(text, { kind: "htaccess" }))).toEqual([expect.stringContaining("9,010 bytes")]);
  });
});

describe("entry files", () => {
  test.each([
    ["/etc/httpd/conf/httpd.conf", "Listen 80\n", "server"],
    ["/etc/apache2/apache2.conf", "", "server"],
    ["/srv/main", "ServerRoot /srv\n", "server"],
    ["/etc/httpd/conf.d/ssl.conf", "LoadModule ssl_module modules/mod_ssl.so\nListen 443\n", "fragment"],
    ["/srv/.htaccess", "Options None\n", "htaccess"],
    ["/srv/htaccess.txt", "Options None\n", "htaccess"],
  ])("have a kind by name and content: %s", (path, text, kind) => {
    const loaded = loadProject(path, { access: memoryAccess({ [path]: text }) });
    expect(loaded.ok && loaded.value.kind).toBe(kind);
  });

  const base = "LoadModule mime_module x.so\n";

  test("have the modules of the LoadModule lines of a server, or else the default ones", () => {
    expect(loadText("Listen 80\n").modules.has("alias_module")).toBe(true);
    expect(loadText(`${base}LoadModule env_module x.so\n`).modules.has("alias_module")).toBe(false);
    expect(loadText(`${base}LoadModule env_module x.so\n`).modulesAreKnown).toBe(true);
    const included = load({
      [main]: "Include a\nAlias /a /b\n",
      "/etc/httpd/a": `${base}LoadModule env_module x.so\n`,
    });
    expect(included.modules.has("alias_module")).toBe(false);
    expect(loadText("LoadModule env_module x.so\n", { kind: "fragment" }).modules.has("alias_module")).toBe(true);
    expect(loadText("", { modules: ["mod_env"], withoutModules: [] }).modules.has("env_module")).toBe(true);
    expect(loadText("", { withoutModules: ["mod_access_compat"] }).modules.has("access_compat_module")).toBe(false);
  });

  test("have incomplete modules for 2.4 if unread files may load more", () => {
    const core = "LoadModule authz_core_module x.so\n";
    const known = (text: string) => loadText(text, { kind: "server" }).modulesAreKnown;
    const unreadInclude = "ServerRoot /nowhere\nInclude conf.d/*.conf\n";
    expect(known(`${base}${core}${unreadInclude}`)).toBe(false);
    expect(known(`${base}${core}IncludeOptional conf.d/*.conf\n`)).toBe(true);
    expect(known(`${base}${core}Include conf.d/ssl.conf\n`)).toBe(true);
    // The modules of 2.2 lack those that 2.4 needs, even if other modules are loaded.
    expect(known(`${base}${unreadInclude}`)).toBe(true);
  });

  test("have the specified modules instead of LoadModule lines, without removed ones", () => {
    const lines = "LoadModule env_module x.so\nLoadModule alias_module x.so\n";
    const specified = loadText(lines, { modules: ["mod_dir"] });
    expect(["env_module", "dir_module", "so_module"].map((name) => specified.modules.has(name))).toEqual([
      false,
      true,
      true,
    ]);
    const without = loadText(lines, { withoutModules: ["env"] });
    expect(["env_module", "alias_module"].map((name) => without.modules.has(name))).toEqual([false, true]);
    const guarded =
      "LoadModule mime_module x.so\nLoadModule env_module x.so\n<IfModule env_module>\nOptoins None\n</IfModule>\n";
    const none = loadText(guarded, { withoutModules: ["env_module"] });
    expect([none.modules.has("alias_module"), none.modulesAreKnown, none.directives]).toEqual([false, true, []]);
    expect(loadText("LoadModule foo_module x.so\n", { withoutModules: ["foo"] }).modules.unknown).toEqual([]);
  });

  test("include `.htaccess` files below the document roots, by AccessFileName", () => {
    const project = load({
      [main]:
        "DocumentRoot /srv\nAccessFileName .acl .htaccess\n<VirtualHost *>\nDocumentRoot /other\n</VirtualHost>\n",
      "/srv/.htaccess": "Options None\n",
      "/srv/a/b/.acl": "Options All\n",
      "/srv/a/b/.htaccess": "Options None\n",
      "/other/.htaccess": "# nothing\n",
      "/elsewhere/.htaccess": "Options None\n",
    });
    expect(project.htaccess.map((file) => [file.directory, file.directives.length])).toEqual([
      ["/srv", 1],
      ["/srv/a/b", 1],
      ["/other", 0],
    ]);
  });
});
