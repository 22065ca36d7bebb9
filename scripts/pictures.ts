/** Takes the screenshots in docs/pictures: chromium must be on the PATH. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { browserPath, openPage, startBrowser, type View } from "../test/support/programs/browser.js";
import { ensureBuilt, httpdLint } from "../test/support/programs/command.js";

const view: View = { width: 1000, height: 760, colorScheme: "light" };

/** The screenshots, with the actions on the page before each. */
const pictures = [
  { name: "check", args: ["check", "docs/examples/intranet", "--sort", "severity"], before: "" },
  {
    name: "map",
    args: ["map", "docs/examples/intranet"],
    before:
      "document.querySelectorAll('.scope details')[1].open = true; document.getElementById('map').scrollIntoView();",
  },
  {
    name: "audit",
    args: ["audit", "docs/examples/intranet"],
    before: "document.querySelectorAll('details')[1].open = true;",
  },
] as const;

/** Shows a finding in the playground, as if the mouse was on it. */
async function takePlayground(browser: Browser): Promise<void> {
  execFileSync(process.execPath, ["--import", "tsx", "scripts/build-playground.ts"], { stdio: "ignore" });
  const { page } = await openPage(browser, resolve("build/playground/index.html"), { ...view, width: 1200 });
  await page.getByText(/^\d error/).waitFor();
  await page.locator(".cm-lintRange-warning").hover();
  await page.locator(".cm-tooltip .hover").first().waitFor();
  await page.screenshot({ path: "docs/pictures/playground.png" });
}

if (browserPath === undefined) throw new Error("no chromium is on the PATH");
ensureBuilt();
mkdirSync("docs/pictures", { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "httpd-lint-pictures-"));
const browser = await startBrowser();
try {
  for (const { name, args, before } of pictures) {
    const file = join(folder, `${name}.html`);
    httpdLint([...args, "--format", "html", "--exit-zero", "--output", file]);
    const { page } = await openPage(browser, file, view);
    await page.evaluate(before);
    await page.screenshot({ path: `docs/pictures/${name}.png` });
  }
  await takePlayground(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
