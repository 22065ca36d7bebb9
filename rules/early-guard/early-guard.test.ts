import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { earlyGuard } from "./early-guard.js";

const seen = (text: string, given?: Given) => findingsOf([earlyGuard], text, given);
const load = "LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n";
const guard = (argument: string) => `<IfModule ${argument}>\nStartServers 8\n</IfModule>\n`;

test("names the later line and the skipped content", () => {
  expect(seen(guard("prefork.c") + load)).toEqual([
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
  ["by its identifier", guard("mpm_prefork_module") + load],
  ["of a module from elsewhere", `${guard("php5_module")}LoadModule php5_module modules/libphp5.so\n`],
  ["in a file that is read first", `Include /etc/httpd/mpm.conf\n${load}`],
])("%s", (_, text) => {
  expect(seen(text, { files: { "/etc/httpd/mpm.conf": guard("prefork.c") } })).toHaveLength(1);
});

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    ["behind the line", load + guard("prefork.c")],
    ["a module that nothing loads", guard("worker.c") + load],
    ["a module that is told to be loaded", guard("prefork.c") + load, { modules: ["mpm_prefork"] }],
    ["the LoadModule line in a guard of its own", `<IfModule !mpm_prefork_module>\n${load}</IfModule>\n`],
    ["a guard that never comes to be read", `<IfModule nothing.c>\n${guard("prefork.c")}</IfModule>\n${load}`],
  ])("%s", (_, text, given) => {
    expect(seen(text, given)).toEqual([]);
  });
});
