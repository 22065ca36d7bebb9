import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { z } from "zod";
import { desk, openPage, phone, startBrowser } from "../support/programs/browser.js";
import { virtualHosts } from "./hosts.js";

/** The latency of the playground, in milliseconds, and the size of its page in bytes. */
export const playgroundResults = z.object({
  bytes: z.number(),
  gzipped: z.number(),
  lines: z.number(),
  views: z.array(
    z.object({ width: z.number(), height: z.number(), keys: z.number(), median: z.number(), p90: z.number() }),
  ),
});
export type PlaygroundResults = z.infer<typeof playgroundResults>;

/** Limit of the time from a keystroke to its marker. */
const TARGET_MS = 150;
const KEYS = 40;
const LINES = 300;
/** Time between keys, and between questions whether the marker is there. */
const PAUSE_MS = 100;

const paste = (text: string) => `{
  const content = document.getElementById("editor").shadowRoot.querySelector(".cm-content");
  content.focus();
  getSelection().selectAllChildren(content);
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", ${JSON.stringify(text)});
  content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}`;

/** Records the time from each key to the next frame in which the number of error markers has changed. */
const recordKeys = `{
  const root = document.getElementById("editor").shadowRoot;
  const count = () => root.querySelectorAll(".cm-lintRange-error").length;
  window.times = [];
  let pressed, before;
  root.addEventListener("keydown", () => { pressed = performance.now(); before = count(); }, { capture: true });
  new MutationObserver(() => {
    if (pressed === undefined || count() === before) return;
    const start = pressed;
    pressed = undefined;
    requestAnimationFrame(() => window.times.push(performance.now() - start));
  }).observe(root, { childList: true, subtree: true, attributes: true });
}`;

/** Types into a file of 300 lines: each key makes a value invalid, or valid again. */
async function measureKeys(page: Page): Promise<readonly number[]> {
  const hosts = virtualHosts(20, "/srv")
    .split("\n")
    .slice(0, LINES - 1);
  await page.evaluate(paste(["KeepAlive On", ...hosts].join("\n")));
  await page.waitForTimeout(3000);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await page.evaluate(recordKeys);
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press(key % 2 === 0 ? "x" : "Backspace");
    do await page.waitForTimeout(PAUSE_MS);
    while ((await page.evaluate("window.times.length")) !== key + 1);
  }
  const times = await page.evaluate("window.times");
  return z.array(z.number()).parse(times);
}

/** Measures the built playground in chromium. */
export async function measurePlayground(): Promise<PlaygroundResults> {
  execFileSync(process.execPath, ["--import", "tsx", "scripts/build-playground.ts"], { stdio: "ignore" });
  const file = resolve("build/playground/index.html");
  const text = readFileSync(file);
  const browser = await startBrowser();
  try {
    const views = [];
    for (const view of [phone, desk]) {
      const { page } = await openPage(browser, file, view);
      const times = [...(await measureKeys(page))].sort((a, b) => a - b);
      const at = (part: number) => Math.round(times[Math.floor(times.length * part)] ?? Number.NaN);
      const { width, height } = view;
      views.push({ width, height, keys: times.length, median: at(0.5), p90: at(0.9) });
      await page.context().close();
    }
    return { bytes: text.length, gzipped: gzipSync(text).length, lines: LINES, views };
  } finally {
    await browser.close();
  }
}

/** Returns the part of docs/performance.md about the playground. */
export function playgroundSection({ bytes, gzipped, lines, views }: PlaygroundResults): string {
  const row = ({ width, height, keys, median, p90 }: PlaygroundResults["views"][number]) =>
    `| ${width}×${height} | ${keys} | ${median} ms | ${p90} ms | ${TARGET_MS} ms | ${p90 <= TARGET_MS ? "reached" : "not reached"} |`;
  return `## Playground

\`npm run bench -- --playground\` measures the time from a keystroke to the marker of its finding in a file of ${lines} lines, in chromium.
The size of the page is ${(bytes / 1e6).toFixed(1)} MB, or ${(gzipped / 1e6).toFixed(2)} MB compressed with gzip.

| size of the window | keys | median | 90th percentile | target | |
|---|---|---|---|---|---|
${views.map(row).join("\n")}`;
}
