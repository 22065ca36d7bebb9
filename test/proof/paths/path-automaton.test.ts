import { expect, test } from "vitest";
import { isPathEnd, nextPathState, PATH_START } from "../../../src/proof/paths/path-automaton.js";

/** Reports whether a text is a path as the server normalizes it. */
const isNormalized = (text: string) =>
  isPathEnd([...text].reduce((place, letter) => nextPathState(place, letter.charCodeAt(0)), PATH_START));

test.each(["/", "/a", "/a/", "/a/b", "/a.", "/a..", "/.a", "/..a", "/...", "/a/.b."])(
  "%s is a normalized path",
  (path) => {
    expect(isNormalized(path)).toBe(true);
  },
);

test.each(["", "a", "//", "/a//", "/.", "/..", "/./a", "/../a", "/a/.", "/a/..", "/a\0"])(
  "twin: %j is not, because the server changes or refuses it",
  (path) => {
    expect(isNormalized(path)).toBe(false);
  },
);
