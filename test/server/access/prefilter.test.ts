import { describe, expect, test } from "vitest";
import { mayHaveShadowedCompatLines, mayHaveShadowedRequireLines } from "../../../src/proof/clients/prefilter.js";
import { scopeOf } from "../../support/scopes.js";

const inScope = (text: string) => scopeOf(text.split("; ")).scope.directives;

describe("mod_access_compat directives that cannot be shadowed", () => {
  test.each([
    // Under `Order deny,allow` a Deny denies, and an Allow is an exception to it.
    "Deny from all",
    "Deny from 10.1",
    "Order deny,allow",
    "Order Deny,Allow; Deny from all",
    "Order deny,allow; Deny from all; Allow from 10",
    "Order deny,allow; Deny from ALL; Allow from 10 .example.org",
    "Deny from all; Allow from 10",
    "Deny from all; Allow from 2001:db8::/32",
    "Deny from all; Allow from 10; Allow from 11",
    "Deny from all; Satisfy any",
    // Under `Order allow,deny` an Allow allows, and a Deny is an exception to it.
    "Order allow,deny",
    "Order allow,deny; Allow from all",
    "Order allow,deny; Allow from 10 11",
    "Order allow,deny; Deny from all",
    "Order allow,deny; Allow from all; Deny from 10",
    "Order allow,deny; Allow from all; Deny from example.org",
    "Order mutual-failure",
    "Order mutual-failure; Satisfy any",
  ])("%s", (lines) => {
    expect(mayHaveShadowedCompatLines(inScope(lines))).toBe(false);
  });

  test.each([
    ["an Allow without a Deny", "Allow from 10"],
    ["an Allow with a Deny for some clients", "Deny from 10; Allow from 10.1"],
    ["an Allow for all clients", "Deny from all; Allow from all"],
    ["an Allow for all and other clients", "Deny from all; Allow from 10 all"],
    ["an Allow by any variable", "Deny from all; Allow from env=a"],
    ["an Allow by a variable and a network", "Deny from all; Allow from 10 env=a"],
    ["several IPv6 networks", "Deny from all; Allow from 2001:db8:: 2001:db9::"],
    ["quoted arguments", 'Deny from all; Allow from "10"'],
    ["Allow lines that may overlap", "Deny from all; Allow from 10; Allow from 10.1"],
    ["identical Allow lines", "Deny from all; Allow from 10; Allow from 10"],
    ["Allow lines with several arguments", "Deny from all; Allow from 10 11; Allow from 12"],
    ["Allow lines by name", "Deny from all; Allow from a.test; Allow from b.test"],
    ["Allow lines with gaps in their masks", "Deny from all; Allow from 10.0.0.0/255.0.255.0; Allow from 11"],
    ["Allow lines without a Deny", "Allow from 10; Allow from 11"],
    ["Allow lines with a Deny for some clients", "Deny from 10; Allow from 10.1; Allow from 10.2"],
    ["Allow lines with another Order and a Deny", "Order allow,deny; Deny from all; Allow from 10; Allow from 11"],
    ["Allow lines with another Order", "Order allow,deny; Allow from 10; Allow from 11"],
    ["two Deny lines", "Deny from 10; Deny from 11"],
    ["two Order lines", "Order deny,allow; Order allow,deny"],
    ["two Satisfy lines", "Satisfy any; Satisfy all"],
    ["a Deny for some clients if none is allowed", "Order allow,deny; Deny from 10"],
    ["a Deny for all clients if some are allowed", "Order allow,deny; Allow from 10; Deny from all"],
    ["a Deny for some clients if some are allowed", "Order allow,deny; Allow from 10; Deny from 10.1"],
    ["a Deny for some clients if all are allowed twice", "Order allow,deny; Allow from all all; Deny from 10"],
    ["an Allow only by a variable", "Order allow,deny; Allow from env=a"],
    ["an Allow under mutual-failure", "Order mutual-failure; Allow from 10"],
    ["a Deny under mutual-failure", "Order mutual-failure; Deny from 10"],
    ["lines for some methods", "<Limit GET>; Deny from all; </Limit>"],
    ["lines for all except some methods", "<LimitExcept GET>; Deny from all; </LimitExcept>"],
    ["lines for some methods in nested sections", "<RequireAny>; <Limit GET>; Deny from all; </Limit>; </RequireAny>"],
  ])("do not include %s", (_, lines) => {
    expect(mayHaveShadowedCompatLines(inScope(lines))).toBe(true);
  });
});

describe("Require lines that cannot be shadowed", () => {
  test.each([
    "Require ip 10",
    "Require all granted",
    "Require ip 10; Require valid-user",
    "Require local; Require host example.org",
    "Require env a; Require user bob; Require ip 10; Require host a.test",
    "<RequireAll>; Require ip 10; Require group staff; </RequireAll>",
    "<RequireAny>; Require ip 10; Require valid-user; </RequireAny>",
    "<Limit GET>; Require ip 10; </Limit>",
  ])("%s", (lines) => {
    expect(mayHaveShadowedRequireLines(inScope(lines))).toBe(false);
  });

  test.each([
    ["a line that allows all clients", "Require all granted; Require ip 10"],
    ["an unsupported provider", "Require ip 10; Require expr true"],
    ["two networks", "Require ip 10; Require ip 11"],
    ["a network and the server itself", "Require ip 127.0.0.1; Require local"],
    ["two names", "Require host a.test; Require host b.test"],
    ["two variables", "Require env a; Require env b"],
    ["a user and any user", "Require user bob; Require valid-user"],
    ["a user and a group", "Require user bob; Require group staff"],
    ["a line that allows no client", "Require user; Require ip 10"],
    ["quoted arguments", 'Require user "bob"; Require ip 10'],
    ["arguments in single quotes", "Require user 'bob'; Require ip 10"],
    ["negated lines", "<RequireAll>; Require not ip 10; Require valid-user; </RequireAll>"],
    ["lines in RequireNone", "Require valid-user; <RequireNone>; Require ip 10; </RequireNone>"],
    ["lines for some methods", "<Limit GET>; Require ip 10; Require valid-user; </Limit>"],
    ["lines for all except some methods", "Require ip 10; <LimitExcept GET>; Require valid-user; </LimitExcept>"],
    ["providers in the wrong case", "Require IP 10; Require valid-user"],
  ])("do not include %s", (_, lines) => {
    expect(mayHaveShadowedRequireLines(inScope(lines))).toBe(true);
  });
});
