import { expect, test } from "vitest";
import { isLegacyDirectiveName } from "../../../src/server/access/lines-of-24.js";

test.each(["Order", "allow", "DENY", "Satisfy", "AuthzUserAuthoritative", "authzgroupfileauthoritative"])(
  "%s does not exist in 2.4 without mod_access_compat",
  (name) => {
    expect(isLegacyDirectiveName(name)).toBe(true);
  },
);

test.each(["Require", "AuthName", "AuthBasicAuthoritative", "Options"])("%s exists in 2.4", (name) => {
  expect(isLegacyDirectiveName(name)).toBe(false);
});
