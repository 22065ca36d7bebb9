import { expect, test } from "vitest";
import { readHeader, withCredentials } from "../../src/httpd/environment/credentials.js";
import { isUnknown } from "../../src/httpd/model/unknown-value.js";
import { loadText } from "../support/projects.js";

/** Returns the pattern for the header of a user. */
function valuesFor(user: string, lines: readonly string[], kind: "server" | "fragment" = "server"): string | undefined {
  const project = loadText([...lines, "SetEnvIf Authorization . in"].join("\n"), { kind });
  const header = readHeader(
    withCredentials({ method: "GET", path: "/", clientIp: "::1", user }, project),
    "AUTHORIZATION",
  );
  if (!isUnknown(header)) throw new Error("the header is not there");
  return header.values;
}

test.each(["", ":", "x", "pass word", "\xe4\xff"])(
  "every user sends what is expected, with the password %j",
  (password) => {
    for (const user of ["", "a", "al", "bob", "a-longer.name@example.org", "\xe4", "b\xe4"]) {
      const header = `Basic ${btoa(`${user}:${password}`)}`;
      expect(header).toMatch(new RegExp(`^(?:${valuesFor(user, ["AuthType Basic"])})$`));
    }
  },
);

test("the name of the user is in the header", () => {
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
])("users of a server with %j send %j", (lines, schemes) => {
  expect(
    valuesFor("bob", lines)
      ?.split("|")
      .map((each) => each.split(" ")[0]),
  ).toEqual(schemes);
});

test("users of a part of a server without AuthType may send anything", () => {
  expect(valuesFor("bob", [], "fragment")).toBeUndefined();
});

test("a request without a user has no header, nor one whose header no condition reads", () => {
  const request = { method: "GET", path: "/", clientIp: "::1" };
  const bob = { ...request, user: "bob" };
  expect(withCredentials(bob, loadText("AuthType Basic"))).toBe(bob);
  expect(withCredentials(request, loadText("AuthType Basic"))).toBe(request);
  expect(readHeader(request, "Authorization")).toBeUndefined();
  expect(readHeader({ ...request, headers: { "X-A": "b" } }, "x-a")).toBe("b");
});
