import { expect, test } from "vitest";
import { isUnknown } from "../../src/server/model/unknown-value.js";
import { readHeader, withCredentials } from "../../src/server/request/credentials.js";
import { loadText } from "../support/projects.js";

/** Returns the pattern for the header of a user. */
function valuesFor(user: string, lines: readonly string[], kind: "server" | "fragment" = "server"): string | undefined {
  const project = loadText([...lines, "SetEnvIf Authorization . in"].join("\n"), { kind });
  const header = readHeader(
    withCredentials({ method: "GET", path: "/", clientIp: "::1", user }, project),
    "AUTHORIZATION",
  );
  if (!isUnknown(header)) throw new Error("no header");
  return header.values;
}

test.each(["", ":", "x", "pass word", "\xe4\xff"])(
  "the pattern matches the header of each user with the password %j",
  (password) => {
    for (const user of ["", "a", "al", "bob", "a-longer.name@example.org", "\xe4", "b\xe4"]) {
      const header = `Basic ${btoa(`${user}:${password}`)}`;
      expect(header).toMatch(new RegExp(`^(?:${valuesFor(user, ["AuthType Basic"])})$`));
    }
  },
);

test("the pattern does not match the header of another user", () => {
  const values = valuesFor("bob", ["AuthType Basic"]);
  expect(`Basic ${btoa("alice:x")}`).not.toMatch(new RegExp(`^(?:${values})$`));
});

test.each<[lines: readonly string[], schemes: readonly string[] | undefined]>([
  [["AuthType Basic"], ["Basic"]],
  [["AuthType digest", "AuthType None"], ["Digest"]],
  [
    ["AuthType Digest", "AuthType basic"],
    ["Basic", "Digest"],
  ],
  [[], ["Basic", "Digest"]],
  [["AuthType Basic", "AuthType Form"], undefined],
  [["AuthType Negotiate"], undefined],
])("a user of a server with %j sends %j", (lines, schemes) => {
  expect(
    valuesFor("bob", lines)
      ?.split("|")
      .map((each) => each.split(" ")[0]),
  ).toEqual(schemes);
});

test("a user of a fragment without AuthType may send any header", () => {
  expect(valuesFor("bob", [], "fragment")).toBeUndefined();
});

test("a request has no header without a user, or if no condition reads it", () => {
  const request = { method: "GET", path: "/", clientIp: "::1" };
  const bob = { ...request, user: "bob" };
  expect(withCredentials(bob, loadText("AuthType Basic"))).toBe(bob);
  expect(withCredentials(request, loadText("AuthType Basic"))).toBe(request);
  expect(readHeader(request, "Authorization")).toBeUndefined();
  expect(readHeader({ ...request, headers: { "X-A": "b" } }, "x-a")).toBe("b");
});
