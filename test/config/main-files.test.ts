import { describe, expect, test } from "vitest";
import { sortPartsLast } from "../../src/config/main-files.js";
import { sharedFolder } from "../support/programs/test-folder.js";

const { at, write } = sharedFolder();

/** Sorts two main files, of which the second has the Include lines. */
function orderOf(part: string, includes: string): readonly string[] {
  write({ [part]: "Listen 80\n", "web/main.conf": includes });
  return sortPartsLast([at(part), at("web/main.conf")]);
}

describe("sorts a main file last if another one includes it", () => {
  test.each([
    ["by its path", "web/parts/a.conf", "Include /etc/web/parts/a.conf\n"],
    ["by a wildcard", "web/parts/a.conf", "IncludeOptional parts/*.conf\n"],
    ["by a bracket", "web/parts/b.conf", "Include parts/[a-c].conf\n"],
    ["in a parent directory", "a.conf", 'Include "../a.conf"\n'],
  ])("%s", (_, part, includes) => {
    expect(orderOf(part, includes)).toEqual([at("web/main.conf"), at(part)]);
  });

  test.each([
    ["in another directory", "web/others/a.conf", "Include parts/*.conf\n"],
    ["with another name", "web/parts/a.vhost", "Include parts/*.conf\n"],
  ])("twin: %s", (_, part, includes) => {
    expect(orderOf(part, includes)).toEqual([at(part), at("web/main.conf")]);
  });
});

test("matches a pattern with many wildcards in linear time", { timeout: 5_000 }, () => {
  const part = `${"a".repeat(200)}.conf`;
  expect(orderOf(part, `Include ${"*a".repeat(50)}*b\n`)).toEqual([at(part), at("web/main.conf")]);
});
