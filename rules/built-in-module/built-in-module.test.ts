import { expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { builtInModule } from "./built-in-module.js";

const load = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so\n`;
const check = (text: string, given: Given = { from: "2.2" }) => findingsOf([builtInModule], text, given);

test("reports all modules in one finding, with a fix for either build", () => {
  const text = `${load("alias")}  ${load("log_config")}${load("version")}`;
  expect(check(text)).toMatchObject([
    { severity: "info", at: "2:3-2:57", related: ["httpd.conf:3:1: may be built in, too"] },
  ]);
  const [finding] = lintText([builtInModule], text, { from: "2.2" });
  expect(finding?.fix?.safety).toBe("safe");
  const after = applyFixes(finding ? [finding] : [], () => true).texts.get("/etc/httpd/httpd.conf") ?? "";
  expect(after).toBe(
    `${load("alias")}  <IfModule !log_config_module>\n      ${load("log_config")}  </IfModule>\n<IfModule !version_module>\n    ${load("version")}</IfModule>\n`,
  );
  expect(check(after)).toEqual([]);
});

test("lists each line once if a file is included twice", () => {
  const files = { "/etc/httpd/modules.conf": load("logio") };
  const text = "Include modules.conf\nInclude modules.conf\n";
  const [finding, ...more] = lintText([builtInModule], text, { from: "2.2", files });
  expect(more).toEqual([]);
  expect(finding?.related).toEqual([]);
  expect(finding?.fix?.edits).toHaveLength(1);
});

test("reports a single module", () => {
  expect(check(load("unixd"))).toMatchObject([
    {
      message: "`unixd_module` is built into some builds of 2.4",
      notes: [
        "such builds, for example Debian's, do not start with this line",
        "for a built-in module, httpd reports: module unixd_module is built-in and can't be loaded",
      ],
      help: ["if `httpd -l` lists it, wrap this line in `<IfModule !unixd_module>`"],
    },
  ]);
});

test("reports modules without a file in the module directory of 2.4 as errors", () => {
  const folder = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`/etc/httpd/modules/mod_${name}.so`, ""]));
  const text = load("log_config") + load("version");
  const on24 = { from: "2.2", files: folder("authz_core", "alias") } as const;
  expect(check(text, on24)).toMatchObject([
    {
      severity: "error",
      at: "1:1-1:55",
      message: "`log_config_module` and 1 more module are loaded, but their files do not exist",
      notes: [
        "the modules are `log_config_module` and `version_module`",
        "the files of other modules exist, as in a server that has them built in",
        "httpd will not start with these lines",
        "for a built-in module, httpd reports: module log_config_module is built-in and can't be loaded",
      ],
      help: [
        "if `httpd -l` lists them, delete these lines",
        "if `httpd -l` lists them, wrap each line in a section such as `<IfModule !log_config_module>`",
      ],
    },
  ]);
  const one = { from: "2.2", files: folder("authz_core", "log_config") } as const;
  expect(check(text, one)[0]?.message).toBe("`version_module` is loaded, but its file does not exist");
  expect(check(text, { from: "2.2", files: folder("authz_core", "log_config", "version") })).toEqual([]);
  const on22 = { from: "2.2", files: folder("authz_default", "alias") } as const;
  expect(check(text, on22)).toMatchObject([{ severity: "info" }]);
});

test.each([
  ["modules that no build includes", load("alias") + load("so"), { from: "2.2" }],
  ["modules without --from", load("log_config"), {}],
  [
    "modules in an outer conditional section",
    `<IfModule !logio_module>\n<IfDefine !X>\n${load("logio")}</IfDefine>\n</IfModule>\n`,
    { from: "2.2" },
  ],
] as const)("does not report %s", (_, text, given) => {
  expect(check(text, given)).toEqual([]);
});
