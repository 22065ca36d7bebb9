import { describe, expect, test } from "vitest";
import { type AnswerClass, accessChangeOf, answerClassOf, shownClassOf } from "../../src/server/model/answer-class.js";

describe("the class of a status", () => {
  test.each<[status: number, answer: AnswerClass, shown: string]>([
    [200, "allowed", "allowed"],
    [206, "allowed", "allowed"],
    [207, "allowed", "allowed"],
    [304, "allowed", "allowed"],
    [301, "redirected", "redirected"],
    [302, "redirected", "redirected"],
    [308, "redirected", "redirected"],
    [401, "login", "401"],
    [407, "login", "401"],
    [403, "denied", "403"],
    [404, "not found", "not found"],
    [410, "not found", "not found"],
    [400, "rejected", "rejected"],
    [405, "rejected", "rejected"],
    [413, "rejected", "rejected"],
    [429, "rejected", "rejected"],
    [500, "error", "500"],
    [501, "rejected", "rejected"],
    [503, "error", "error"],
  ])("%i is %s, shown as %s", (status, answer, shown) => {
    expect([answerClassOf(status), shownClassOf(status)]).toEqual([answer, shown]);
  });
});

describe("the change of access", () => {
  const classes = ["allowed", "redirected", "login", "denied", "not found", "rejected", "error"] as const;
  const pairs = classes.flatMap((before) => classes.map((after) => [before, after] as const));

  test.each(pairs)("from %s to %s", (before, after) => {
    const [had, has] = [before === "allowed", after === "allowed"];
    const expected = had === has ? "neither" : has ? "gain" : "loss";
    expect(accessChangeOf(before, after)).toBe(expected);
  });
});
