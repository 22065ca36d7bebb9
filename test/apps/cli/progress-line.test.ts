import { afterEach, expect, test, vi } from "vitest";
import { ProgressLine } from "../../../src/apps/cli/output/progress-line.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { ExplorationProgress, ProgressListener } from "../../../src/proof/model/progress.js";
import { loadText } from "../../support/projects.js";

afterEach(() => {
  vi.useRealTimers();
});

test("a long run shows its progress at intervals, and clears it at the end", () => {
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
    "\r\x1b[Khttpd-lint: 21 files read, 21/s",
    "\r\x1b[Khttpd-lint: 25 files read, 21/s",
    "\r\x1b[Khttpd-lint: 29 files read, 21/s",
    "\r\x1b[K",
  ]);
});

test("checked files replace read files, with their total number and the remaining time", () => {
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
    "\r\x1b[Khttpd-lint: 11 directories searched, 11/s",
    "\r\x1b[Khttpd-lint: 0 of 100,000 files",
    "\r\x1b[Khttpd-lint: 1,000 of 100,000 files, 3,333/s, about 30 s left",
    "\r\x1b[Khttpd-lint: 2,500 of 100,000 files, 4,167/s, about 24 s left",
    "\r\x1b[Khttpd-lint: 12,300 of 100,000 files, 13,667/s, about 7 s left",
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

/** Runs a computation that reports its progress, with a fake clock. @returns the output */
function outputOf(compute: (report: ProgressListener) => void, width?: number): readonly string[] {
  vi.useFakeTimers();
  const written: string[] = [];
  new ProgressLine((text) => written.push(text), width).run((onProgress = () => {}) => compute(onProgress));
  return written;
}

test("an exploration of hosts shows its rate and the remaining time", () => {
  const written = outputOf((report) => {
    for (let hosts = 0; hosts < 1_000; hosts += 104) {
      report({ hosts, allHosts: 1_000, classes: 0, allClasses: 0 });
      vi.advanceTimersByTime(600);
    }
  });
  expect(written.slice(0, 2)).toEqual([
    "\r\x1b[Khttpd-lint: exploring requests: 208 of 1,000 hosts, 173/s, about 5 s left",
    "\r\x1b[Khttpd-lint: exploring requests: 312 of 1,000 hosts, 173/s, about 4 s left",
  ]);
  expect(written.at(-2)).toContain("936 of 1,000 hosts, 173/s, about 1 s left");
  expect(written.at(-1)).toBe("\r\x1b[K");
});

test("an exploration of one host shows its groups of paths, and the remaining minutes", () => {
  const written = outputOf((report) => {
    report({ hosts: 0, allHosts: 1, classes: 0, allClasses: 0 });
    vi.advanceTimersByTime(20_000);
    report({ hosts: 0, allHosts: 1, classes: 10, allClasses: 100 });
  });
  expect(written).toEqual([
    "\r\x1b[Khttpd-lint: exploring requests: 10 of 100 groups, 0.5/s, about 3 min left",
    "\r\x1b[K",
  ]);
});

test("a second exploration is shown as another pass with its own rate", () => {
  const written = outputOf((report) => {
    report({ hosts: 0, allHosts: 2, classes: 0, allClasses: 0 });
    vi.advanceTimersByTime(60_000);
    report({ hosts: 0, allHosts: 2, classes: 0, allClasses: 0 });
    vi.advanceTimersByTime(4_000);
    report({ hosts: 1, allHosts: 2, classes: 0, allClasses: 0 });
  });
  expect(written).toEqual([
    "\r\x1b[Khttpd-lint: exploring requests, pass 2: 0 of 2 hosts",
    "\r\x1b[Khttpd-lint: exploring requests, pass 2: 1 of 2 hosts, 0.3/s, about 4 s left",
    "\r\x1b[K",
  ]);
});

test("updates are at least 200 ms apart", () => {
  const written = outputOf((report) => {
    vi.advanceTimersByTime(1_000);
    for (let classes = 1; classes <= 1_000; classes++) {
      report({ hosts: 0, allHosts: 1, classes, allClasses: 1_000 });
      vi.advanceTimersByTime(1);
    }
  });
  expect(written).toHaveLength(6);
});

test("a line that is too long for the terminal is truncated, because only one line is erased", () => {
  const written = outputOf((report) => {
    vi.advanceTimersByTime(2_000);
    report({ hosts: 5, allHosts: 9, classes: 1, allClasses: 2 });
  }, 30);
  expect(written[0]).toBe("\r\x1b[Khttpd-lint: exploring request");
});

test("the line is erased if the computation fails", () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const progress = new ProgressLine((text) => written.push(text));
  const fail = () =>
    progress.run((onProgress) => {
      vi.advanceTimersByTime(2_000);
      onProgress?.({ hosts: 0, allHosts: 9, classes: 0, allClasses: 0 });
      throw new RangeError("too deep");
    });
  expect(fail).toThrow(new RangeError("too deep"));
  expect(written.at(-1)).toBe("\r\x1b[K");
});

test("a computation does not report its progress without a terminal", () => {
  expect(new ProgressLine(undefined).run((onProgress) => onProgress)).toBe(undefined);
});

test("a real comparison reports each host and group of paths", () => {
  const hosts = [1, 2].map((n) => `<VirtualHost *:80>\nServerName h${n}.example.org\n</VirtualHost>\n`);
  const project = loadText(`Listen 80\n${hosts.join("")}<Location /a>\nRequire all denied\n</Location>\n`);
  const side = { project, semantics: "server" } as const;
  const reports: ExplorationProgress[] = [];
  compare(side, side, defaultBudget, { onProgress: (progress) => reports.push(progress) });
  expect(reports[0]).toEqual({ hosts: 0, allHosts: 2, classes: 0, allClasses: 0 });
  const ofFirst = reports.filter(({ hosts, allClasses }) => hosts === 0 && allClasses > 0);
  expect(ofFirst.map(({ classes }) => classes)).toEqual(ofFirst.map((_, index) => index + 1));
  expect(ofFirst.at(-1)?.classes).toBe(ofFirst[0]?.allClasses);
  expect(reports.at(-1)?.hosts).toBe(1);
});
