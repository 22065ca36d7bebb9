import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { accessCompatNotLoaded } from "./access-compat-not-loaded.js";

const without: Given = { withoutModules: ["access_compat_module"] };
const seen = (text: string, given: Given = without) => findingsOf([accessCompatNotLoaded], text, given);

describe("old access control without its module", () => {
  test("one finding for all sections", () => {
    const text = inDirectory("order deny,allow", "Deny from all", "<Files x>", "Satisfy any", "</Files>");
    expect(seen(text).map(({ at, severity }) => [at, severity])).toEqual([["2:1-2:17", "error"]]);
    expect(seen(text)).toMatchObject([
      {
        message: "`order` needs mod_access_compat, which is not loaded (here and in 1 more section)",
        help: ["use `Require` instead", "to keep the directives, load mod_access_compat"],
        related: ["httpd.conf:5:1: also uses mod_access_compat directives"],
      },
    ]);
    expect(seen(text)[0]?.notes).toContain("httpd reports: Invalid command 'order'");
  });

  test("by LoadModule lines, and by a list", () => {
    const text = inDirectory("Deny from all");
    expect(seen(`LoadModule authz_core_module m/mod_authz_core.so\n${text}`, {})).toHaveLength(1);
    expect(seen(text, { modules: ["authz_core_module"] })).toHaveLength(1);
  });

  test("inside the wrong guard, which is named", () => {
    const [finding] = seen(inDirectory("<IfModule mod_authz_host.c>", "Deny from all", "</IfModule>"));
    expect(finding?.notes).toContain(
      "`<IfModule mod_authz_host.c>` also applies in 2.4, but `mod_authz_host.c` no longer provides `Deny`",
    );
    expect(finding?.help?.[0]).toBe("use `<IfModule mod_access_compat.c>` around these lines");
    expect(finding?.related).toEqual(["httpd.conf:2:1: this condition is also true in 2.4"]);
  });

  test("in a `.htaccess` file, every request returns 500", () => {
    expect(seen("Deny from all\n", { ...without, kind: "htaccess" })[0]?.notes).toContain(
      "requests below this directory return 500",
    );
  });

  test("the advice about old and mixed rules stays away", () => {
    const rules = [accessCompatNotLoaded, mixedAccessControl, oldAccessControl];
    const found = findingsOf(rules, inDirectory("Deny from all", "Require all granted"), without);
    expect(found.map((each) => each.rule)).toEqual(["access-compat-not-loaded"]);
  });
});

test.each([
  ["the module is loaded", inDirectory("Deny from all"), {}],
  ["a guard keeps it out", inDirectory("<IfModule mod_access_compat.c>", "Deny from all", "</IfModule>"), without],
  ["2.2", inDirectory("Deny from all"), { ...without, release: "2.2" }],
  ["new rules", inDirectory("Require all denied"), without],
  [
    "a fragment that loads another module",
    `LoadModule x_module m/x.so\n${inDirectory("Deny from all")}`,
    { kind: "fragment" },
  ],
] as const)("does not report %s", (_, text, given) => {
  expect(seen(text, given)).toEqual([]);
});
