import type { MethodTest } from "./dependency-tracker.js";
import { Oracle } from "./oracle.js";
import type { Pattern } from "./patterns.js";

/** Returns the test whether a pattern matches the method. If the matcher does not support it, it distinguishes all methods. */
export function createMethodTest(pattern: Pattern): MethodTest {
  const { text, ignoreCase } = pattern;
  const resultFor = (method: string): string => {
    const oracle = new Oracle(new Map(), true);
    const matches = pattern.matches(method, oracle);
    return oracle.answered.size > 0 ? method : String(matches);
  };
  return { key: `matches ${ignoreCase} ${text}`, resultFor };
}
