import { readFileSync, writeFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExpectations } from "../../../src/apps/cli/inputs/expectations.js";
import { type ExitCode, exitCodes } from "../../../src/apps/cli/output/command-result.js";
import { readNamedFile } from "../../../src/config/files/file-content.js";
import { testFolder } from "../../support/programs/test-folder.js";

const isValid = new Ajv2020({ allErrors: true, strictTypes: false }).compile(
  JSON.parse(readFileSync("src/report/schema/expectations.schema.json", "utf8")),
);
const folder = testFolder();

function read(content: unknown) {
  const path = folder.at("e.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return parseExpectations(path, readNamedFile(path));
}

function failure(exitCode: ExitCode, message: RegExp) {
  return { output: [], notes: [expect.stringMatching(message)], exitCode };
}

describe("a file of expectations", () => {
  test("requests each path from each client", () => {
    const content = {
      $schema: "x",
      defaults: { host: "a.test", expect: 403 },
      expectations: [
        { path: ["/a", "/b?c"], clientIp: ["192.0.2.1", "10.0.0.1"] },
        {
          name: "staff",
          path: "/",
          user: "bob",
          groups: ["staff"],
          port: 8080,
          headers: { "X-A": "b" },
          expect: "allowed",
        },
      ],
    };
    expect(isValid(content), JSON.stringify(isValid.errors)).toBe(true);
    const found = read(content);
    const expectations = found.ok ? found.value : [];
    expect(
      expectations.map(({ request: { path, query, clientIp }, expected }) => [path, query, clientIp, expected]),
    ).toEqual([
      ["/a", undefined, "192.0.2.1", 403],
      ["/a", undefined, "10.0.0.1", 403],
      ["/b", "c", "192.0.2.1", 403],
      ["/b", "c", "10.0.0.1", 403],
      ["/", undefined, "192.0.2.1", "allowed"],
    ]);
    expect(expectations.at(-1)).toMatchObject({
      name: "staff",
      request: { host: "a.test", user: "bob", groups: ["staff"], port: 8080, headers: { "X-A": "b" } },
    });
  });

  test("is valid in the example", () => {
    const path = "docs/examples/intranet/httpd-lint.expectations.json";
    expect(isValid(JSON.parse(readFileSync(path, "utf8"))), JSON.stringify(isValid.errors)).toBe(true);
    expect(parseExpectations(path, readNamedFile(path))).toHaveProperty("ok", true);
  });

  test.each<[unknown, RegExp]>([
    ["{", /it is not a JSON object/],
    ["[]", /it is not a JSON object/],
    [{}, /`expectations` is missing/],
    [{ expectations: {} }, /`expectations` is missing/],
    [{ expectations: [] }, /has no expectations/],
    [{ expectations: [], more: 1 }, /unknown key `more`/],
    [{ expectations: [1] }, /expectation 1 is not an object/],
    [{ defaults: 1, expectations: [] }, /`defaults` is not an object/],
    [{ expectations: [{ path: "/" }] }, /expectation 1: `expect` is neither/],
    [{ expectations: [{ path: "/", expect: "yes" }] }, /`expect` is neither/],
    [{ expectations: [{ path: "/", expect: 99 }] }, /`expect` is neither/],
    [{ expectations: [{ expect: 200 }] }, /`path` is missing/],
    [{ expectations: [{ path: 1, expect: 200 }] }, /`path` is not a list of texts/],
    [{ expectations: [{ path: "x", expect: 200 }] }, /expectation 1: `x` of `path` is neither/],
    [
      { expectations: [{ path: "/", clientIP: "::1", expect: 200 }] },
      /unknown key `clientIP`; did you mean `clientIp`/,
    ],
    [{ expectations: [{ path: "/", clientIp: "x", expect: 200 }] }, /`x` of `clientIp` is not an IP address/],
    [{ expectations: [{ path: "/", groups: ["a"], expect: 200 }] }, /`groups` requires `user`/],
    [{ expectations: [{ path: "/", user: 1, expect: 200 }] }, /`user` is not a text/],
    [{ expectations: [{ path: "/", env: "A", expect: 200 }] }, /`env` is not a list of texts/],
    [{ expectations: [{ path: "/", port: "80", expect: 200 }] }, /`port` is not a number/],
    [{ expectations: [{ path: "/", headers: ["A: b"], expect: 200 }] }, /`headers` is not an object/],
  ])("reports the error in %j", (content, why) => {
    expect(read(content)).toEqual({ ok: false, error: failure(exitCodes.usage, why) });
  });

  test("is reported if it is missing", () => {
    expect(parseExpectations(folder.at("nowhere"), readNamedFile(folder.at("nowhere")))).toEqual({
      ok: false,
      error: failure(exitCodes.unreadable, /cannot be read/),
    });
  });

  test("is read or rejected with any contents", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const expectation = fc.dictionary(
      fc.constantFrom("path", "expect", "clientIp", "user", "port", "headers", "env"),
      value,
    );
    fc.assert(
      fc.property(fc.record({ expectations: fc.array(expectation, { maxLength: 3 }) }), (content) => {
        const found = read(content);
        if (found.ok) expect(isValid(content), JSON.stringify(isValid.errors)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

test("a file with many errors is rejected at the first error", () => {
  const start = process.cpuUsage();
  const expectations = Array.from({ length: 200_000 }, (_, index) => ({ [`pathh${index}`]: 1 }));
  expect(read({ expectations })).toEqual({
    ok: false,
    error: failure(exitCodes.usage, /: expectation 1: unknown key `pathh0`/),
  });
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
