import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leavesOf, type PatternNode } from "../../../src/regex/pcre/ast.js";
import { parsePcre } from "../../../src/regex/pcre/parser.js";
import { sampleOf } from "../../support/depth.js";

/** Describes a tree in brackets, with the text of each node. */
function describeNodes(text: string, nodes: readonly PatternNode[]): readonly string[] {
  return nodes.map((node) => {
    const source = text.slice(node.start, node.end);
    if (node.kind === "repeat") return `${describeNodes(text, [node.of])[0]} ${node.mode} ${node.min}-${node.max}`;
    if (node.kind !== "group") return `${node.kind} ${source}`;
    const branches = node.branches.map((branch) => describeNodes(text, branch).join(", "));
    return `${node.name ?? node.number ?? node.construct ?? "group"}(${branches.join(" | ")})`;
  });
}

test.each([
  ["^a.$", ["assertion ^", "literal a", "dot .", "assertion $"]],
  ["\\x41\\d[^]a]\\Z", ["literal \\x41", "set \\d", "class [^]a]", "assertion \\Z"]],
  [
    "a*b+?c{2}+d{1,}",
    [
      "literal a greedy 0-Infinity",
      "literal b lazy 1-Infinity",
      "literal c possessive 2-2",
      "literal d greedy 1-Infinity",
    ],
  ],
  [
    "(a|b)(?:c)(?<n>d)(?=(e))",
    ["1(literal a | literal b)", "group(literal c)", "n(literal d)", "a lookahead(3(literal e))"],
  ],
  ["\\Qa*\\E+b(?#c)?", ["literal a", "literal * greedy 1-Infinity", "literal b greedy 0-1"]],
  ["(?i)\\ba{,2}", ["options (?i)", "irregular \\b", "literal a", "literal {", "literal ,", "literal 2", "literal }"]],
  ["(a", ["1(literal a)"]],
  ["a)*[b", ["literal a", "irregular ) greedy 0-Infinity", "class [b"]],
] as const)("parses %s", (pattern, nodes) => {
  const [branch = []] = parsePcre(pattern).branches;
  expect(describeNodes(pattern, branch)).toEqual(nodes);
});

test("options apply to the nodes after them, to the end of their group", () => {
  const { branches } = parsePcre("a((?i)b|c(?-s:.))d.");
  const flags = [...leavesOf(branches)].map((node) =>
    node.kind === "literal" ? node.ignoreCase : node.kind === "dot" ? node.dotAll : node.kind,
  );
  expect(flags).toEqual([false, "options", true, true, false, false, true]);
});

test("groups have depths, and numbers in the order of their opening parentheses", () => {
  const { groups } = parsePcre("(a(?:(?'x'b))(\\Q(\\E[[:^alpha:](]))(*ACCEPT)(?#()(c)");
  expect(groups.map(({ number, name, depth }) => [number, name, depth])).toEqual([
    [1, undefined, 0],
    [2, "x", 2],
    [3, undefined, 1],
    [4, undefined, 0],
  ]);
});

describe("the nodes and the ignored parts", () => {
  const piece = fc.constantFrom(
    ..."()[]{}*+?|^$.\\-:,=!<>#'PQEx1a",
    ...["[:", ":]", "(?", "\\E", "\\Q", "(?:", "(?<n>", "(?#", "(?(", "(*", "\\x{", "\\g{", "[[:", "(?i)", "{1,2}"],
  );

  test("cover the whole text, which may have errors", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
        (text) => {
          const { branches, ignored } = parsePcre(text);
          const times = new Array<number>(text.length).fill(0);
          const cover = (start: number, end: number) => {
            for (let at = start; at < end; at++) times[at] = (times[at] ?? 0) + 1;
          };
          const coverNode = (node: PatternNode): void => {
            if (node.kind === "repeat") {
              coverNode(node.of);
              const between = ignored.findLast(({ start, end }) => start >= node.of.end && end <= node.end);
              cover(between?.end ?? node.of.end, node.end);
            } else if (node.kind === "group") {
              cover(node.start, node.bodyStart);
              for (const inner of node.branches.flat()) coverNode(inner);
              if (node.isClosed) cover(node.end - 1, node.end);
            } else cover(node.start, node.end);
          };
          for (const node of branches.flat()) coverNode(node);
          for (const { start, end } of ignored) cover(start, end);
          const others = Array.from(text).filter((char, at) => times[at] !== 1 && !(char === "|" && times[at] === 0));
          expect([text, others]).toEqual([text, []]);
        },
      ),
      { seed: 24, numRuns: 3_000 },
    );
  });
});

const parts = ["(", "(?:", "(?=", "(?(", "[", "[:", "\\g{", "(?#", "\\Q", "(*", "(?i", "a|", "()", "(a)\\1"];

test.each(sampleOf(parts, 3))("parses many repetitions of %j in linear time", (part) => {
  // With a quadratic algorithm, this exceeds the time limit of tests.
  for (const text of [part.repeat(150_000), part.repeat(150_000) + ")".repeat(150_000)]) {
    const leaves = [...leavesOf(parsePcre(text).branches)];
    expect(leaves.length).toBeLessThanOrEqual(text.length);
  }
});
