import { expect, test } from "vitest";
import { fitBlocks, joinBlocks } from "../../src/report/text/fitted-blocks.js";

const blocks = [
  { parts: [{ text: "result\n", rank: 0 }] },
  {
    head: "list\n",
    parts: [
      { text: "a\n", rank: 1 },
      { text: "b\nb\n", rank: 3 },
      { text: "c\n", rank: 2 },
    ],
  },
  { head: "more\n", parts: [{ text: "d\n", rank: 3 }] },
];
const joinFitted = (lines: number) => joinBlocks(fitBlocks(blocks, lines));

test("leaves out the least important parts, the last ones first, with their heading", () => {
  const whole = "result\n\nlist\na\nb\nb\nc\n\nmore\nd\n";
  expect(joinFitted(10)).toBe(whole);
  expect(joinFitted(9)).toBe("result\n\nlist\na\nb\nb\nc\n");
  expect(joinFitted(6)).toBe("result\n\nlist\na\nc\n");
  expect(joinFitted(4)).toBe("result\n\nlist\na\n");
  expect(joinFitted(3)).toBe("result\n");
});

test("keeps what is always shown, whatever the limit", () => {
  expect(joinFitted(0)).toBe("result\n");
});
