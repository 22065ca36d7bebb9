import { describe, expect, test } from "vitest";
import { findRuleUrl, findSettingsSchemaUrl } from "../../src/apps/package-files.js";

const page = "rules/old-access-control/old-access-control.md";
const urlBy = (env: NodeJS.ProcessEnv, addresses: Parameters<typeof findRuleUrl>[2] = { version: "1.2.3" }) =>
  findRuleUrl("old-access-control", env, addresses);

describe("the address of a rule's page", () => {
  test("is in the repository of the running action", () => {
    const action = { GITHUB_ACTION_REPOSITORY: "someone/httpd-lint", GITHUB_ACTION_REF: "v1" };
    expect(urlBy(action)).toBe(`https://github.com/someone/httpd-lint/blob/v1/${page}`);
    expect(urlBy({ ...action, GITHUB_ACTION_PATH: process.cwd() })).toBe(urlBy(action));
    expect(urlBy({ ...action, GITHUB_SERVER_URL: "https://git.example" })).toMatch(/^https:\/\/git\.example\/someone/);
    expect(urlBy({ ...action, GITHUB_ACTION_REF: "a b/c" })).toContain("/blob/a%20b/c/rules/");
  });

  test("is undefined for another action, and for none", () => {
    const other = {
      GITHUB_ACTION_REPOSITORY: "someone/all-linters",
      GITHUB_ACTION_REF: "v1",
      GITHUB_ACTION_PATH: "/x",
    };
    for (const env of [other, {}, { GITHUB_ACTION_REPOSITORY: "", GITHUB_ACTION_REF: "" }])
      expect(urlBy(env)).toBeUndefined();
    expect(urlBy({ GITHUB_ACTION_REPOSITORY: "a/b c", GITHUB_ACTION_REF: "v1" })).toBeUndefined();
  });

  test.each([
    { repository: "https://github.com/o/r" },
    { repository: { url: "git+https://github.com/o/r.git" } },
    { repository: "github:o/r" },
    { homepage: "https://github.com/o/r#readme" },
  ])("is in the repository of the manifest: %j", (addresses) => {
    expect(urlBy({}, { version: "1.2.3", ...addresses })).toBe(`https://github.com/o/r/blob/v1.2.3/${page}`);
  });

  test("is not guessed for another host", () => {
    expect(urlBy({}, { version: "1.2.3", repository: "https://git.example/o/r" })).toBeUndefined();
  });
});

describe("the address of the configuration file's schema", () => {
  test("is that of this version in the repository of the manifest", () => {
    expect(findSettingsSchemaUrl({ version: "1.2.3", repository: "github:o/r" })).toBe(
      "https://raw.githubusercontent.com/o/r/v1.2.3/src/apps/settings/schema/settings.schema.json",
    );
  });

  test("is undefined without a manifest, and for another host", () => {
    expect(findSettingsSchemaUrl({ version: "1.2.3" })).toBeUndefined();
    expect(findSettingsSchemaUrl({ version: "1.2.3", repository: "https://git.example/o/r" })).toBeUndefined();
  });
});
