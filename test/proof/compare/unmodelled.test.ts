import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { loadText } from "../../support/projects.js";

const reason = "its effect on the answer to a request is not modelled";

/** Returns the reasons why the proof for two versions of a server is incomplete. */
function unprovedReasons(before: string, after: string): readonly string[] {
  const side = (lines: string) => ({
    project: loadText(`DocumentRoot /srv\n${lines}\n`, { kind: "server" }),
    semantics: "server" as const,
  });
  return compare(side(before), side(after)).unproved.map((each) => each.reason);
}

test.each([
  ["SecFilterEngine On", "SecFilterEngine Off"],
  ["", "JkMount /app/* w1"],
  ["<Location /svn>\nAuthzSVNAccessFile a\n</Location>", "<Location /svn>\nAuthzSVNAccessFile b\n</Location>"],
])("reports an unmodelled difference between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toContain(reason);
});

test.each([
  ["SecRuleEngine On", "SecRuleEngine Off"],
  ['SecRule ARGS x "id:1,deny"', ""],
  ["OIDCUnAuthAction pass", "OIDCUnAuthAction auth"],
  ["<Location /a>\nMellonCond mail x\n</Location>", "<Location /a>\nMellonCond mail y\n</Location>"],
  ["", "AuthPAMService login"],
  ["TKTAuthToken a", "TKTAuthToken b"],
])("reports a different line of a module that checks access between %j and %j", (before, after) => {
  const expected = "the conditions of a third-party module that checks access are not analyzed";
  expect(unprovedReasons(before, after)).toContain(expected);
});

const proxyReason = "requests to a forward proxy are not analyzed";
const allowed = '<Proxy "*">\nRequire ip 10.0.0.0/8\n</Proxy>';
const denied = '<Proxy "*">\nRequire all denied\n</Proxy>';

test.each([
  ["ProxyRequests Off", "ProxyRequests On"],
  [`ProxyRequests On\n${allowed}`, `ProxyRequests On\n${denied}`],
  ["ProxyRequests On\nSetEnvIf Host x A", "ProxyRequests On"],
  ["ProxyRequests On", 'ProxyRequests On\n<Location "*">\nRequire all denied\n</Location>'],
])("reports different requests to a forward proxy between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).toContain(proxyReason);
});

test.each([
  ["", "ProxyRequests Off"],
  [allowed, denied],
  [`ProxyRequests On\n${denied}`, `ProxyRequests On\n${denied}`],
  ["ProxyRequests On", 'ProxyRequests On\n<Location "/x">\nRequire all denied\n</Location>'],
])("twin: does not report requests to a forward proxy between %j and %j", (before, after) => {
  expect(unprovedReasons(before, after)).not.toContain(proxyReason);
});

test.each(["SecRuleEngine On", "OIDCUnAuthAction pass", "JkMount /app/* w1"])(
  "twin: does not report %s on both sides",
  (line) => {
    expect(unprovedReasons(line, line)).toEqual([]);
  },
);

describe("a difference beside a part that is not read", () => {
  const section = (rule: string) => `<Location "/a">\nRequire all ${rule}\n</Location>`;
  const verdictOf = (before: string, after: string) => {
    const side = (lines: string) => ({
      project: loadText(`DocumentRoot /srv\n${lines}\n`, { kind: "server" }),
      semantics: "server" as const,
    });
    return compare(side(before), side(after)).verdict;
  };

  test.each(["{% include 'sites.conf' %}", "Include ${SITES}/*.conf"])("is not certain with %s", (unread) => {
    expect(verdictOf(`${section("granted")}\n${unread}`, `${section("denied")}\n${unread}`)).toBe("unknown");
  });

  test("twin: is certain if all was read", () => {
    expect(verdictOf(section("granted"), section("denied"))).toBe("different");
  });
});
