import { expect, test, vi } from "vitest";
import { Progress } from "../../src/cli/progress.js";
import { memoryAccess } from "../../src/project/files.js";

test("a long run tells how far it has come, not too often, and leaves nothing behind", () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const progress = new Progress((text) => written.push(text));
  const access = progress.watch(memoryAccess({ "/a": "" }));
  for (let i = 0; i < 30; i++) {
    access.read("/a");
    vi.advanceTimersByTime(50);
  }
  progress.end();
  vi.useRealTimers();
  expect(written).toEqual([
    "\r\x1b[Khttpd-lint: 21 files read, 21 a second",
    "\r\x1b[Khttpd-lint: 25 files read, 21 a second",
    "\r\x1b[Khttpd-lint: 29 files read, 21 a second",
    "\r\x1b[K",
  ]);
});

test("a short run shows nothing", () => {
  const written: string[] = [];
  const progress = new Progress((text) => written.push(text));
  progress.watch(memoryAccess({ "/a": "" })).read("/a");
  progress.end();
  expect(written).toEqual([]);
});
