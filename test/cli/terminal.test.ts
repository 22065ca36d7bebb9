import { afterEach, expect, test, vi } from "vitest";
import { ProgressLine, supportsHyperlinks } from "../../src/cli/output/terminal.js";
import { memoryAccess } from "../../src/project/files/file-access.js";

afterEach(() => {
  vi.useRealTimers();
});

test("a long run shows its progress, not too often, and clears it at the end", () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const progress = new ProgressLine((text) => written.push(text));
  const access = progress.watch(memoryAccess({ "/a": "" }));
  for (let i = 0; i < 30; i++) {
    access.read("/a");
    vi.advanceTimersByTime(50);
  }
  progress.end();
  expect(written).toEqual([
    "\r\x1b[Khttpd-lint: 21 files read, 21 per second",
    "\r\x1b[Khttpd-lint: 25 files read, 21 per second",
    "\r\x1b[Khttpd-lint: 29 files read, 21 per second",
    "\r\x1b[K",
  ]);
});

test("work that is shared out is told of in place of what is read, with how much there is", () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const progress = new ProgressLine((text) => written.push(text));
  const access = progress.watch(memoryAccess({ "/a/b": "" }));
  for (let i = 0; i < 12; i++) {
    access.list("/a");
    vi.advanceTimersByTime(100);
  }
  progress.update(0, 100_000);
  for (const done of [1_000, 2_500, 12_300]) {
    vi.advanceTimersByTime(300);
    progress.update(done, 100_000);
    access.read("/a/b");
  }
  progress.update(100_000, 100_000);
  progress.end();
  expect(written).toEqual([
    "\r\x1b[Khttpd-lint: 11 directories searched, 11 per second",
    "\r\x1b[Khttpd-lint: 0 of 100,000 files",
    "\r\x1b[Khttpd-lint: 1,000 of 100,000 files, 3,333 per second",
    "\r\x1b[Khttpd-lint: 2,500 of 100,000 files, 4,167 per second",
    "\r\x1b[Khttpd-lint: 12,300 of 100,000 files, 13,667 per second",
    "\r\x1b[K",
  ]);
});

test("a short run shows nothing", () => {
  const written: string[] = [];
  const progress = new ProgressLine((text) => written.push(text));
  progress.watch(memoryAccess({ "/a": "" })).read("/a");
  progress.end();
  expect(written).toEqual([]);
});

test("hyperlinks are for terminals that are known to show them, or where they are forced", () => {
  const onTerminal = (env: NodeJS.ProcessEnv) => supportsHyperlinks(env, () => true);
  const able = [{ TERM_PROGRAM: "vscode" }, { TERM: "xterm-kitty" }, { VTE_VERSION: "7600" }, { WT_SESSION: "1" }];
  for (const env of able) {
    expect(onTerminal(env), JSON.stringify(env)).toBe(true);
    expect(supportsHyperlinks(env, () => false)).toBe(false);
    for (const no of [{ CI: "true" }, { TERM: "dumb" }, { FORCE_HYPERLINK: "0" }])
      expect(onTerminal({ ...env, ...no }), JSON.stringify({ ...env, ...no })).toBe(false);
  }
  for (const env of [{}, { TERM: "xterm-256color" }, { TERM_PROGRAM: "Apple_Terminal" }, { VTE_VERSION: "4000" }])
    expect(onTerminal(env), JSON.stringify(env)).toBe(false);
  expect(supportsHyperlinks({ FORCE_HYPERLINK: "1", CI: "true", TERM: "dumb" }, () => false)).toBe(true);
});
