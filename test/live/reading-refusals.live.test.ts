import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle, loadModules, runHttpd } from "../support/httpd/httpd.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";

/** For each of these, the server's first message must equal ours. If the server accepts the text, we must report none. */
const texts: Readonly<Record<string, readonly string[]>> = {
  ServerRoot: ["/nope", "AT/httpd.conf", "AT", "AT/../nope", "", '""', "AT AT"].map((words) => `ServerRoot ${words}\n`),
  Include: [
    ...["", '""', "a b", "nope", "nope/*.conf", "conf", "conf/", "conf/*.conf", "conf/*.nope", "empty", "empty/*"],
    ...["httpd.conf/x", "httpd.conf/*.conf", "dangling", "dangling/*", "circle", "circle/*", "/dev/zero", "/dev/null"],
  ].flatMap((words) => [`Include ${words}\n`, `IncludeOptional ${words}\n`]),
  IncludeOptional: [
    ...["nope/deep/x.conf", "nope/deep/*.conf", "nope/*/x.conf", "nope*/deep/x.conf", "httpd.conf/x", "dang*"],
  ].map((words) => `IncludeOptional ${words}\n`),
  Define: ["", "A", 'A ""', "A b", "A b c", 'A b ""', '"" b', "a:b", "a:b c"].map((words) => `Define ${words}\n`),
  UnDefine: ["", "NEVER", '""', "A b", "a:b"].map((words) => `UnDefine ${words}\n`),
  LoadModule: [
    ...["", "x_module", '"" x.so', 'x_module ""', "x_module x.so more"].map((words) => `LoadModule ${words}\n`),
    ...[loadModules(["none"]), loadModules(["env", "dir"]), loadModules(["none"]).replace("none_", "env_")],
  ],
  LoadFile: ["LoadFile\n", 'LoadFile ""\n', 'LoadFile "" x.so\n'],
  Macro: [
    ..."<Macro>|<Macro m|<Macro >|<Macro m $a $a>|<Macro m $a $b $a>".split("|").map((tag) => `${tag}\n</Macro>\n`),
    ...[
      '<Macro "">\n</Macro>\n',
      '<Macro m "">\n</Macro>\n',
      "<Macro m>\nListen 1\n",
      "<Macro M>\nListen 1\n</Macro >\n",
    ],
    `<Macro m>\nSetEnv A ${"x".repeat(8192)}\n</Macro>\n`,
    `<Macro m $a>\nSetEnv A $a${"x".repeat(8000)}\n</Macro>\nUse m ${"y".repeat(300)}\n`,
  ],
  Use: [
    ...["Use\n", 'Use ""\n', "Use m\n", "UndefMacro m\n", "UndefMacro\n", 'UndefMacro ""\n'],
    ...["Use", "Use n", "Use m a", "Use M", "UndefMacro n", "UndefMacro m\nUse m", "UndefMacro M\nUndefMacro m"].map(
      (line) => `<Macro m>\nSetEnv A b\n</Macro>\n${line}\n`,
    ),
    "<Macro m>\nUse m\n</Macro>\nUse m\n",
    "<Macro m>\nUse n\n</Macro>\n<Macro n>\nUse m\n</Macro>\nUse m\n",
  ],
  "conditional sections": [
    ...["<IfModule>", "<IfModule >", '<IfModule "">', "<IfModule core.c", "<IfDefine>", "<IfFile>", "<IfDirective>"],
    ...["<IfSection >", "<IfVersion>", '<IfVersion "">', '<IfVersion "" 2>', '<IfVersion = "" >', "<IfVersion 2.4"],
    ...["<IfVersion x>", "<IfVersion 2.4.1.2>", "<IfVersion 2..4>", "<IfVersion ! 2>", "<IfVersion ~= 2>"],
    ...["<IfVersion = />", "<IfVersion = /x>", "<IfVersion = //>", "<IfVersion ~ (>", "<IfVersion >= 2 > x>"],
  ].map((tag) => `${tag}\n${tag.slice(0, tag.search(/[ >]|$/)).replace("<", "</")}>\n`),
  "patterns of versions": [
    ...[
      "^(?!2\\.2)",
      "^(?!2\\.4)",
      "(?=2)2",
      "(\\d)\\.\\1",
      "(\\d)\\.(?!\\1)",
      "^2++\\.4",
      "(?<!2)\\.4",
      "(?>2|24)4",
      "2\\.[4",
    ],
  ].map((pattern) => `<IfVersion ~ ${pattern}>\nInclude AT/none.conf\n</IfVersion>\n`),
  sections: [
    ...["<IfModule core.c>\n</IfModule >\n", "<IfModule core.c>\n</Files >\n</IfModule>\n", "</Files >\n", "</>\n"],
    ...["<Files a>\n<IfModule core.c>\n</Files>\n", "<IfModule core.c>\n<Files a>\n</IfModule >\n"],
    ...["<IfModule no.c>\n</IfModule >\n", "<IfModule no.c>\n</IfModule\n", "<IfModule no.c>\n</IfModule> x\n"],
    ...["<Files a>\n</>\n</Files>\n", "<Files a>\n</Files> x\n", "<Files a>\n</Files\n", "<IfModule no.c>\n"],
  ],
};

const long = `SetEnv A ${"x".repeat(16 * 1024 * 1024)}\n`;

function compareFirstError(text: string): void {
  inScratchFolder((folder) => {
    for (const name of ["conf", "empty"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "conf/a.conf"), "SetEnv A b\n");
    symlinkSync("/nowhere/at/all", join(folder, "dangling"));
    symlinkSync("circle", join(folder, "circle"));
    const entry = join(folder, "httpd.conf");
    const head = `ServerRoot "${folder}"\nListen 127.0.0.1:8097\nServerName x.test\nErrorLog /dev/null\n${loadModules(["mpm_event", "authz_core", "env", "macro"])}`;
    writeFileSync(entry, head + text.replaceAll("AT", folder));
    const server = runHttpd(entry);
    const loaded = loadProject(entry);
    if (!loaded.ok) throw new Error(loaded.error);
    const [first] = loaded.value.problems.filter((problem) => problem.server !== undefined);
    const expected = first?.server ?? "nothing";
    // The message of the system may follow the server's own.
    const isReported = server.status !== 0 && server.stderr.includes(`: ${expected}`);
    expect(isReported ? expected : server.status === 0 ? "nothing" : server.stderr).toBe(expected);
  });
}

describe.skipIf(!httpd)(liveTitle("errors while reading a configuration are those of the live server"), () => {
  describe.each(Object.entries(texts))("%s", (_, examples) => {
    test.each(examples.map((text) => [text.slice(0, 80), text]))("%j", (_title, text) => compareFirstError(text));
  });

  test("directives and comments that are too long, also in sections", () => {
    for (const text of [long, `# ${long}`, `<Files a>\n${long}</Files>\n`]) compareFirstError(text);
  });
});
