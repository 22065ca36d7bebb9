import { describe, expect, test } from "vitest";
import { isForAsked, limitsText, type MethodLimit, methodIn } from "../../src/access/limits.js";

const only = (...methods: readonly string[]): MethodLimit => ({ except: false, methods });
const except = (...methods: readonly string[]): MethodLimit => ({ except: true, methods });

describe("a method that limits are for", () => {
  test.each<[readonly MethodLimit[], string]>([
    [[], "GET"],
    [[only("PUT", "POST")], "PUT"],
    [[except("GET")], "POST"],
    [[except("POST", "GET")], "PUT"],
    [[except("GET", "POST"), except("PUT")], "DELETE"],
    [[only("GET", "POST"), except("GET")], "POST"],
    [[only("GET", "POST"), only("POST")], "POST"],
  ])("%j: %s", (limits, method) => {
    expect(methodIn(limits)).toBe(method);
    expect(isForAsked(limits, method)).toBe(true);
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
])("%j are for %s: %s", (limits, method, isFor) => {
  expect(isForAsked(limits, method)).toBe(isFor);
});

test("limits in words, for those that are written alike", () => {
  expect(limitsText([])).toBe("");
  expect(limitsText([only("GET", "PUT"), except("GET")])).toBe("Limit GET PUT / LimitExcept GET");
});
