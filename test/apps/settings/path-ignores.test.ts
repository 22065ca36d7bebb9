import { describe, expect, test } from "vitest";
import { createIgnoreMatcher } from "../../../src/apps/settings/path-ignores.js";

/** Returns the glob that suppresses a rule's finding in a file of /srv/web. */
function globFor(path: string, globs: readonly string[], rules?: string[]): string | undefined {
  const ignores = [{ paths: [...globs], rules, file: "/srv/web/.httpd-lint.json", directory: "/srv/web" }];
  return createIgnoreMatcher(ignores)("shadowed-rule", path)?.glob;
}

describe("a glob of `ignores`", () => {
  test.each([
    ["vendor/**", "/srv/web/vendor/a/b.conf"],
    ["./vendor/**", "/srv/web/vendor/b.conf"],
    ["**/.htaccess", "/srv/web/htdocs/.htaccess"],
    ["sites/{a,b}.conf", "/srv/web/sites/b.conf"],
    ["/etc/httpd/**", "/etc/httpd/conf.d/x.conf"],
  ])("%s matches %s", (glob, path) => {
    expect(globFor(path, ["zzz", glob])).toBe(glob);
  });

  test.each([
    ["vendor/**", "/srv/web/sites/vendor/b.conf"],
    ["*.conf", "/srv/web/sites/b.conf"],
    ["**", "/srv/other/b.conf"],
  ])("%s does not match %s", (glob, path) => {
    expect(globFor(path, [glob])).toBeUndefined();
  });

  test("applies only to its rules", () => {
    expect(globFor("/srv/web/a.conf", ["**"], ["shadowed-rule"])).toBe("**");
    expect(globFor("/srv/web/a.conf", ["**"], ["early-guard"])).toBeUndefined();
  });
});
