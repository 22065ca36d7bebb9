import { expect, test } from "vitest";
import { supportsHyperlinks } from "../../../src/apps/cli/output/terminal.js";

test("hyperlinks are enabled for terminals that support them, or if they are forced", () => {
  const onTerminal = (env: NodeJS.ProcessEnv) => supportsHyperlinks(env, () => true);
  const supporting = [
    { TERM_PROGRAM: "vscode" },
    { TERM: "xterm-kitty" },
    { VTE_VERSION: "7600" },
    { WT_SESSION: "1" },
  ];
  for (const env of supporting) {
    expect(onTerminal(env), JSON.stringify(env)).toBe(true);
    expect(supportsHyperlinks(env, () => false)).toBe(false);
    for (const no of [{ CI: "true" }, { TERM: "dumb" }, { FORCE_HYPERLINK: "0" }])
      expect(onTerminal({ ...env, ...no }), JSON.stringify({ ...env, ...no })).toBe(false);
  }
  for (const env of [{}, { TERM: "xterm-256color" }, { TERM_PROGRAM: "Apple_Terminal" }, { VTE_VERSION: "4000" }])
    expect(onTerminal(env), JSON.stringify(env)).toBe(false);
  expect(supportsHyperlinks({ FORCE_HYPERLINK: "1", CI: "true", TERM: "dumb" }, () => false)).toBe(true);
});
