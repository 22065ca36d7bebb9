import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { thirdPartyModule } from "./third-party-module.js";

const check = (text: string, given?: Given) => findingsOf([thirdPartyModule], text, { from: "2.2", ...given });
const advice = "many modules only need to be compiled again; some need changes to their source";
const help = ["install a build for 2.4"];

describe("a LoadModule line", () => {
  test("is reported for a third-party module", () => {
    expect(check("LoadModule wsgi_module modules/mod_wsgi.so\nLoadModule company_module x.so\n")).toEqual([
      {
        rule: "third-party-module",
        severity: "info",
        at: "1:1-1:43",
        text: "LoadModule wsgi_module modules/mod_wsgi.so",
        message: "third-party module `wsgi_module` must be compiled again for 2.4",
        notes: ["`wsgi_module` is not a module of httpd", advice],
        help,
        related: [],
      },
      {
        rule: "third-party-module",
        severity: "info",
        at: "2:1-2:31",
        text: "LoadModule company_module x.so",
        message: "third-party module `company_module` must be compiled again for 2.4",
        notes: ["`company_module` is not a module of httpd or a known module", advice],
        help,
        related: [],
      },
    ]);
  });

  test("is reported once for a missing module file, as a start-up error", () => {
    const text = "LoadModule wsgi_module modules/mod_wsgi.so\n";
    const moduleFiles = (name: string) => ({
      "/etc/httpd/modules/mod_alias.so": "",
      [`/etc/httpd/modules/${name}`]: "",
    });
    const checkWithFile = (name: string) =>
      findingsOf([refusedAtStart, thirdPartyModule], text, { from: "2.2", files: moduleFiles(name) });
    expect(checkWithFile("mod_dir.so")).toMatchObject([
      {
        rule: "third-party-module",
        severity: "error",
        message: "the file of third-party module `wsgi_module` is missing",
        notes: [
          "httpd will not start",
          "`wsgi_module` is not a module of httpd",
          "the file is not in the directory of the other modules",
          "the module must be compiled again for 2.4",
          advice,
        ],
        help,
      },
    ]);
    expect(checkWithFile("mod_wsgi.so")).toMatchObject([{ rule: "third-party-module", severity: "info" }]);
    expect(findingsOf([refusedAtStart, thirdPartyModule], text, { files: moduleFiles("mod_dir.so") })).toMatchObject([
      { rule: "refused-at-start" },
    ]);
  });

  test("replaces the findings for the module's directives", () => {
    expect(check("LoadModule wsgi_module x.so\nWSGIPythonHome /x\n").map((each) => each.at)).toEqual(["1:1-1:28"]);
    expect(check("LoadModule evasive20_module x.so\nDOSHashTableSize 5\n")).toHaveLength(1);
    expect(check("LoadModule mod_shib x.so\nShibConfig /x\n")).toHaveLength(1);
  });

  test("may name a module with a version", () => {
    const isKnown = (name: string) =>
      check(`LoadModule ${name} x.so\n`)[0]?.notes?.includes(`\`${name}\` is not a module of httpd`);
    expect(["php5_module", "evasive20_module", "security2_module", "mod_shib"].filter(isKnown)).toHaveLength(4);
  });
});

test("reports a directive of a module that is not loaded, once for each module", () => {
  const findings = check("WSGIPythonHome /x\nWSGIPythonPath /y\nPassengerEnabled on\n");
  expect(findings.map((each) => `${each.at} ${each.text}`)).toEqual([
    "1:1-1:15 WSGIPythonHome",
    "3:1-3:17 PassengerEnabled",
  ]);
  expect(findings[1]).toMatchObject({
    message: "`PassengerEnabled` needs third-party module `passenger_module`, compiled again for 2.4",
    notes: [advice],
    help: ["install a build for 2.4, such as Debian's package libapache2-mod-passenger"],
  });
});

describe("does not report", () => {
  test.each([
    ["a module of both releases", "LoadModule alias_module x.so\nAlias /a /b\n"],
    ["a module of 2.2 only", "LoadModule disk_cache_module x.so\nLoadModule authz_default_module x.so\n"],
    ["a module of 2.0 only", "LoadModule access_module x.so\n"],
    ["a module of 2.4 only", "LoadModule authz_core_module x.so\n"],
    ["an unknown directive", "Frobnicate on\n"],
    [
      "a conditional section that applies on no server",
      "<IfVersion < 1.3>\nLoadModule wsgi_module x.so\nWSGIPythonHome /x\n</IfVersion>\n",
    ],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("modules without --from 2.2", () => {
    expect(findingsOf([thirdPartyModule], "LoadModule wsgi_module x.so\nPassengerEnabled on\n")).toEqual([]);
  });
});
