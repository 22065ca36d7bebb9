import { describe, expect, test } from "vitest";
import { isContextSection } from "../../src/config/entry.js";

describe("accepts as a context the opening line of a section", () => {
  test.each(["<VirtualHost *:443>", '<directory "/srv/app">', "<LocationMatch ~ x>", "<Files\t  a b >"])(
    "%s",
    (text) => {
      expect(isContextSection(text)).toBe(true);
    },
  );

  test.each(["<Directory>", "<Directory  >", "<Foo bar>", "<Directory /srv", "<Directory /srv> x", "Directory /srv"])(
    "twin: not %s",
    (text) => {
      expect(isContextSection(text)).toBe(false);
    },
  );
});

test("rejects a long line without `>` in linear time", { timeout: 5_000 }, () => {
  expect(isContextSection(`<Directory ${" ".repeat(20_000)}${"a".repeat(20_000)}`)).toBe(false);
});
