import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { accessCompatNotLoaded } from "./access-compat-not-loaded.js";

const without: Given = { withoutModules: ["access_compat_module"] };
const check = (text: string, given: Given = without) => findingsOf([accessCompatNotLoaded], text, given);

describe("reports mod_access_compat directives without their module", () => {
  test("once for all sections", () => {
    const text = inDirectory("order deny,allow", "Deny from all", "<Files x>", "Satisfy any", "</Files>");
    expect(check(text).map(({ at, severity }) => [at, severity])).toEqual([["2:1-2:17", "error"]]);
    expect(check(text)).toMatchObject([
      {
        message: "`order` needs mod_access_compat, which is not loaded (here and in 1 more section)",
        help: ["use `Require` instead", "to keep the directives, load mod_access_compat"],
        related: ["httpd.conf:5:1: also uses mod_access_compat directives"],
      },
    ]);
    expect(check(text)[0]?.notes).toContain("httpd reports: Invalid command 'order'");
  });

  test("for LoadModule lines and for a list of modules", () => {
    const text = inDirectory("Deny from all");
    expect(check(`LoadModule authz_core_module m/mod_authz_core.so\n${text}`, {})).toHaveLength(1);
    expect(check(text, { modules: ["authz_core_module"] })).toHaveLength(1);
  });

  test("in the wrong conditional section, and names it", () => {
    const [finding] = check(inDirectory("<IfModule mod_authz_host.c>", "Deny from all", "</IfModule>"));
    expect(finding?.notes).toContain(
      "`<IfModule mod_authz_host.c>` also applies in 2.4, but `mod_authz_host.c` no longer provides `Deny`",
    );
    expect(finding?.help?.[0]).toBe("use `<IfModule mod_access_compat.c>` around these lines");
    expect(finding?.related).toEqual(["httpd.conf:2:1: this condition is also true in 2.4"]);
  });

  test("in a `.htaccess` file, where every request returns 500", () => {
    expect(check("Deny from all\n", { ...without, kind: "htaccess" })[0]?.notes).toContain(
      "requests below this directory return 500",
    );
  });

  test("without findings of old-access-control and mixed-access-control", () => {
    const rules = [accessCompatNotLoaded, mixedAccessControl, oldAccessControl];
    const findings = findingsOf(rules, inDirectory("Deny from all", "Require all granted"), without);
    expect(findings.map((each) => each.rule)).toEqual(["access-compat-not-loaded"]);
  });
});

test.each([
  ["directives whose module is loaded", inDirectory("Deny from all"), {}],
  [
    "directives in a conditional section that does not apply",
    inDirectory("<IfModule mod_access_compat.c>", "Deny from all", "</IfModule>"),
    without,
  ],
  ["directives of 2.2", inDirectory("Deny from all"), { ...without, release: "2.2" }],
  ["Require directives", inDirectory("Require all denied"), without],
  [
    "a fragment that loads another module",
    `LoadModule x_module m/x.so\n${inDirectory("Deny from all")}`,
    { kind: "fragment" },
  ],
] as const)("does not report %s", (_, text, given) => {
  expect(check(text, given)).toEqual([]);
});
