import { describe, expect, test } from "vitest";
import {
  formatLimits,
  limitsInclude,
  type MethodLimit,
  sampleMethodOf,
} from "../../../src/server/access/clients-and-methods.js";

const only = (...methods: readonly string[]): MethodLimit => ({ except: false, methods });
const except = (...methods: readonly string[]): MethodLimit => ({ except: true, methods });

describe("returns a method that limits include", () => {
  test.each<[readonly MethodLimit[], string]>([
    [[], "GET"],
    [[only("PUT", "POST")], "PUT"],
    [[except("GET")], "POST"],
    [[except("POST", "GET")], "PUT"],
    [[except("GET", "POST"), except("PUT")], "DELETE"],
    [[only("GET", "POST"), except("GET")], "POST"],
    [[only("GET", "POST"), only("POST")], "POST"],
  ])("%j: %s", (limits, method) => {
    expect(sampleMethodOf(limits)).toBe(method);
    expect(limitsInclude(limits, method)).toBe(true);
  });
});

test.each<[readonly MethodLimit[], string, boolean]>([
  [[only("GET")], "HEAD", true],
  [[only("HEAD")], "GET", true],
  [[only("GET")], "get", false],
  [[only("GET", "PUT")], "PUT", true],
  [[except("GET")], "HEAD", false],
  [[except("GET")], "PUT", true],
  [[only("GET"), except("GET")], "GET", false],
])("%j include %s: %s", (limits, method, isIncluded) => {
  expect(limitsInclude(limits, method)).toBe(isIncluded);
});

test("formats limits", () => {
  expect(formatLimits([])).toBe("");
  expect(formatLimits([only("GET", "PUT"), except("GET")])).toBe("Limit GET PUT / LimitExcept GET");
});
