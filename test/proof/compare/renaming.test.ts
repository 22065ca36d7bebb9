import { describe, expect, test } from "vitest";
import { startExploration } from "../../../src/proof/compare/exploration.js";
import { findExpressionConstants } from "../../../src/proof/compare/expression-constants.js";
import { readHostShape } from "../../../src/proof/compare/host-constants.js";
import { Renaming } from "../../../src/proof/compare/renaming.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import { loadText } from "../../support/projects.js";

describe("a renaming", () => {
  const renaming = Renaming.between({ words: ["a.test"], subnets: [] }, { words: ["b.test"], subnets: [] });

  test("affects texts with a constant that differs", () => {
    expect(renaming?.affects("/srv/a.test/x")).toBe(true);
    expect(renaming?.affects("/srv/b.test/x")).toBe(false);
  });
});

describe("a constant of an expression", () => {
  test("is the text that a header is compared with", () => {
    expect(findExpressionConstants("\"%{HTTP_HOST} == 'a.test'\"")).toEqual({
      text: "\"%{HTTP_HOST} == '\0'\"",
      words: ["a.test"],
    });
  });

  test("twin: is not a text with the form of such a test", () => {
    const quoted = "\"'%{HTTP_HOST} == ' == 'a.test'\"";
    expect(findExpressionConstants(quoted)).toEqual({ text: quoted, words: [] });
  });
});

describe("the shape of a host", () => {
  /** Returns the text of the shape of a virtual host with a line, and its constants. */
  function shapeOf(line: string) {
    const project = loadText(`<VirtualHost *:80>\nServerName a.test\n${line}\n</VirtualHost>\n`, {
      kind: "server",
      release: "2.4",
    });
    const side = { project, semantics: "server" } as const;
    const [pair] = startExploration(side, side, defaultBudget).serverPairs;
    const entryPoint = pair?.entryPoints[0];
    if (pair === undefined || entryPoint === undefined) throw new Error("no host");
    return readHostShape(pair.servers[0], entryPoint, project, []);
  }

  const inPattern = (pattern: string) => `SetEnvIf User-Agent "${pattern}" x\nDeny from env=x`;

  test("contains the words of a pattern that are a part of its syntax", () => {
    expect(shapeOf(inPattern("^x\\d")).text).not.toBe(shapeOf(inPattern("^x\\w")).text);
    expect(shapeOf(inPattern("[a-f]")).text).not.toBe(shapeOf(inPattern("[a-g]")).text);
    // An escaped backslash, and any character.
    expect(shapeOf(inPattern("x\\\\\\\\.b")).text).not.toBe(shapeOf(inPattern("x\\\\\\\\-b")).text);
  });

  test("contains a line with a path that the server resolves", () => {
    expect(shapeOf("Alias /x /www/b/../c").text).not.toBe(shapeOf("Alias /x /www/d/../c").text);
    expect(shapeOf("Alias /x /www/b/c").text).toBe(shapeOf("Alias /x /www/d/c").text);
  });

  test("twin: leaves out the other words", () => {
    const [shape, other] = [shapeOf(inPattern("^one\\.test")), shapeOf(inPattern("^two\\.test"))];
    expect(shape.text).toBe(other.text);
    expect([shape.words, other.words].map((words) => words.slice(-2))).toEqual([
      ["one", ".test"],
      ["two", ".test"],
    ]);
  });
});
