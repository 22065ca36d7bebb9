import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { findOverlappingLines } from "../../../src/proof/clients/prefilter.js";
import { findShadowedLines, ShadowFinder } from "../../../src/proof/clients/shadow-finder.js";
import { scopeOf, textOf } from "../../support/scopes.js";

const finder = new ShadowFinder();

/** Returns the redundant lines, each with the lines that decide instead. */
function shadowedLines(text: string, release: Release): readonly string[] {
  const { project, scope } = scopeOf(text.split("; "), release);
  return findShadowedLines(scope, project, finder).map(
    ({ directive, by }) => `${textOf(directive)} <- ${by.map(textOf).join(", ")}`,
  );
}

describe.each(["2.4", "2.2"] as const)(
  "finds shadowed mod_access_compat directives on %s, and the lines that decide instead",
  (release) => {
    test.each<[string, readonly string[]]>([
      ["Order allow,deny; Deny from all; Allow from 10", ["Allow from 10 <- Deny from all"]],
      ["Order allow,deny; Allow from 192.168; Deny from 10", ["Deny from 10 <- Order allow,deny"]],
      ["Order allow,deny; Deny from 10", ["Deny from 10 <- Order allow,deny"]],
      ["Order allow,deny; Allow from all; Allow from 10", ["Allow from 10 <- Allow from all"]],
      ["Order deny,allow; Allow from 10", ["Allow from 10 <- Order deny,allow"]],
      ["Order deny,allow; Allow from all; Deny from 10", ["Deny from 10 <- Allow from all"]],
      ["Order mutual-failure; Deny from all; Allow from 10", ["Allow from 10 <- Order mutual-failure"]],
      ["Order mutual-failure; Deny from 10", ["Deny from 10 <- Order mutual-failure"]],
      ["Order deny,allow; Order allow,deny; Allow from 10", ["Order deny,allow <- Order allow,deny"]],
      ["Allow from 10; Deny from all; Satisfy all; Satisfy any", ["Satisfy all <- Satisfy any"]],
      ["<Limit GET>; Satisfy any; </Limit>; Satisfy all; Deny from 10", ["Satisfy any <- Satisfy all"]],
      ["Deny from all; Allow from env=A env=b; Allow from env=a", ["Allow from env=a <- Allow from env=A env=b"]],
      ["Deny from all; Allow from env=b; Allow from env=!b", ["Deny from all <- Allow from env=!b"]],
      ["Deny from 10; Deny from 11; Deny from all", ["Deny from 10 <- Deny from all", "Deny from 11 <- Deny from all"]],
      [
        "<Limit GET POST>; Order deny,allow; </Limit>; <Limit POST>; Order allow,deny; </Limit>; <Limit GET>; Order allow,deny; </Limit>; Allow from 10",
        ["Order deny,allow <- Order allow,deny, Order allow,deny"],
      ],
    ])("%s", (lines, expected) => {
      expect(shadowedLines(lines, release)).toEqual(expected);
    });

    test.each([
      "Order allow,deny; Deny from 127/8; Allow from 10",
      "Order allow; Deny from 10; Deny from 10",
      "Order allow,deny; Deny like 11; Deny from 10",
      "Order allow,deny; Deny from; Deny from 10",
    ])("none if the server rejects a line: %s", (lines) => {
      expect(shadowedLines(lines, release)).toEqual([]);
    });
  },
);

test("a long list is limited to overlapping lines and one other line", () => {
  const { directives } = scopeOf(["Deny from 9", "Deny from 10.1", "Deny from 10", "Deny from 11"]).scope;
  expect([...findOverlappingLines(directives)].map(textOf)).toEqual(["Deny from 9", "Deny from 10.1", "Deny from 10"]);
});

describe("finds shadowed Require lines, and the lines that decide instead", () => {
  test.each<[string, readonly string[]]>([
    ["Require ip 10; Require all granted", ["Require ip 10 <- Require all granted"]],
    ["Require all denied; Require ip 10", ["Require all denied <- Require ip 10"]],
    ["<RequireAll>; Require all denied; Require ip 10; </RequireAll>", ["Require ip 10 <- Require all denied"]],
    ["<RequireAll>; Require all granted; Require ip 10; </RequireAll>", ["Require all granted <- Require ip 10"]],
    [
      "Require ip 10; <RequireAll>; Require ip 10.1; Require valid-user; </RequireAll>",
      ["<RequireAll> <- Require ip 10"],
    ],
    [
      "<RequireAll>; Require ip 10; <RequireAny>; Require ip 10; Require ip 11; </RequireAny>; </RequireAll>",
      ["<RequireAny> <- Require ip 10"],
    ],
    [
      "<RequireAll>; Require all granted; <RequireNone>; Require ip 10; Require ip 10.1; </RequireNone>; </RequireAll>",
      ["Require ip 10.1 <- Require ip 10"],
    ],
    [
      "<RequireAll>; Require all granted; Require not ip 10; <RequireNone>; Require ip 10.1; </RequireNone>; </RequireAll>",
      ["<RequireNone> <- Require not ip 10"],
    ],
    ["<Limit GET>; Require ip 10; Require ip 10.1; </Limit>", ["Require ip 10.1 <- Require ip 10"]],
    ["Require dbm-group a b; Require dbm-group b", ["Require dbm-group b <- Require dbm-group a b"]],
    ["Require group a b; Require group b", ["Require group b <- Require group a b"]],
    ["Require file-owner; Require file-owner", ["Require file-owner <- Require file-owner"]],
    ["Require method GET; Require method HEAD", ["Require method HEAD <- Require method GET"]],
    ["Require valid-user; Require ldap-user bob", ["Require ldap-user bob <- Require valid-user"]],
  ])("%s", (lines, expected) => {
    expect(shadowedLines(lines, "2.4")).toEqual(expected);
  });

  test.each([
    "Require group b; Require dbm-group b",
    "Require method GET; Require method get",
    "Require host %{HTTP_HOST}; Require host example.org",
    "Require user %{HTTP_HOST}; Require user bob",
    "<Limit GET>; Require ip 10; </Limit>; Require ip 10.1",
    "<Limit GET>; Require ip 10; </Limit>; <Limit POST>; Require ip 10.1; </Limit>",
  ])("twin: %s", (lines) => {
    expect(shadowedLines(lines, "2.4")).toEqual([]);
  });

  test.each<[string, readonly string[]]>([
    ["Require valid-user; Require user alice", ["Require user alice <- Require valid-user"]],
    ["Require user alice; Require user bob alice", ["Require user alice <- Require user bob alice"]],
    ["Require user; Require user bob", ["Require user <- Require user bob"]],
    ["Require valid-user; <Limit GET>; Require valid-user; </Limit>", ["Require valid-user <- Require valid-user"]],
    // A check by mod_authz_owner reaches the others in the order of the lines.
    ["Require file-group; Require group staff; Require group staff", []],
    ["Require file-owner; Require file-group; Require file-owner", []],
    // Every remaining line asks an anonymous client for a password.
    [
      "Require file-owner; Require user bob alice; Require user bob",
      ["Require user bob <- Require file-owner, Require user bob alice"],
    ],
    ["Require group staff; Require valid-user", []],
  ])("on 2.2: %s", (lines, expected) => {
    expect(shadowedLines(lines, "2.2")).toEqual(expected);
  });
});
