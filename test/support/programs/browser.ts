import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { isDeep, seedOr } from "../depth.js";

/** Path of Debian's chromium; undefined if it is not installed. */
export const browserPath = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find((path) => existsSync(path));

/** Appends the reason for skipping to a test's name, so that a skipped test is visible. */
export function browserTitle(title: string): string {
  return browserPath === undefined ? `${title} (skipped: no chromium on this machine)` : title;
}

/** Starts the browser. Its sandbox is not available in a container; the pages are our own. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
}

/** The display settings of a page. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

export const phone: View = { width: 390, height: 844, colorScheme: "light" };
export const desk: View = { width: 1280, height: 900, colorScheme: "dark" };
const views: readonly View[] = [phone, { ...phone, colorScheme: "dark" }, { ...desk, colorScheme: "light" }, desk];

/** Returns the views in which a page is tested; in a sample, phone and desktop take turns. */
export function viewsOf(index: number): readonly View[] {
  if (isDeep) return views;
  return [(index + seedOr(0)) % 2 === 0 ? phone : desk];
}

/** Presses Tab until an element has the focus. */
export async function tabTo(at: Page, selector: string): Promise<void> {
  for (let count = 0; count < 200; count++) {
    await at.keyboard.press("Tab");
    if (await at.locator(`${selector}:focus`).count()) return;
  }
  throw new Error(`no Tab leads to ${selector}`);
}

/** An open page with its errors. */
export interface OpenPage {
  readonly page: Page;
  /** Console errors and network requests. */
  readonly faults: string[];
}

/** Opens a file as a page. */
export async function openPage(
  browser: Browser,
  file: string,
  view: View,
  javaScriptEnabled = true,
): Promise<OpenPage> {
  const { width, height, colorScheme } = view;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    // Text of the page itself, which a worker runs, is not fetched.
    if (request.url() !== pathToFileURL(file).href && !request.url().startsWith("blob:"))
      faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return { page, faults };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns accessibility problems found by axe. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations }: AxeResults = await page.evaluate("axe.run()");
  return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
