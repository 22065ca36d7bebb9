import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { earlyGuard } from "./early-guard.js";

const check = (text: string, given?: Given) => findingsOf([earlyGuard], text, given);
const load = "LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n";
const guard = (argument: string) => `<IfModule ${argument}>\nStartServers 8\n</IfModule>\n`;

test("reports the later line and the skipped contents", () => {
  expect(check(guard("prefork.c") + load)).toEqual([
    {
      rule: "early-guard",
      severity: "warning",
      at: "1:1-1:21",
      text: "<IfModule prefork.c>",
      message: "`prefork.c` is loaded only after this `<IfModule>`",
      notes: ["httpd silently skips the contents of this section"],
      help: ["move the section after the `LoadModule` line"],
      related: ["httpd.conf:4:1: loaded here"],
    },
  ]);
});

test.each([
  ["a module by its identifier", guard("mpm_prefork_module") + load],
  ["a third-party module", `${guard("php5_module")}LoadModule php5_module modules/libphp5.so\n`],
  ["a module that is loaded if a name is defined", `Define X\n${guard("prefork.c")}<IfDefine X>\n${load}</IfDefine>\n`],
  ["a section in a file that is read first", `Include /etc/httpd/mpm.conf\n${load}`],
])("reports %s", (_, text) => {
  expect(check(text, { files: { "/etc/httpd/mpm.conf": guard("prefork.c") } })).toHaveLength(1);
});

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    ["a section after the LoadModule line", load + guard("prefork.c")],
    ["a module that nothing loads", guard("worker.c") + load],
    ["a module that the options list as loaded", guard("prefork.c") + load, { modules: ["mpm_prefork"] }],
    ["a LoadModule line in its own conditional section", `<IfModule !mpm_prefork_module>\n${load}</IfModule>\n`],
    [
      "a module that the command line loads if a name is defined",
      `${guard("prefork.c")}<IfDefine !SYSCONFIG>\n${load}</IfDefine>\n`,
    ],
    [
      "a module of such a file",
      `${guard("prefork.c")}<IfDefine !SYSCONFIG>\nInclude /etc/httpd/loadmodule.conf\n</IfDefine>\n`,
      { files: { "/etc/httpd/loadmodule.conf": load } },
    ],
    [
      "a section that no server reads",
      `<IfModule nothing.c>\n<IfModule !nothing.c>\n${guard("prefork.c")}</IfModule>\n</IfModule>\n${load}`,
    ],
  ])("%s", (_, text, given) => {
    expect(check(text, given)).toEqual([]);
  });
});
