import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../support/programs/browser.js";
import { sharedFolder } from "../support/programs/test-folder.js";

/** The words that start code-server 4.139.1, such as `/path/to/node24 /path/to/code-server/out/node/entry.js`. */
const [program = "", ...words] = (process.env["HTTPD_LINT_CODE_SERVER"] ?? "").split(" ");
const PORT = 18_930;

const title = `a session of VS Code${program === "" ? " (skipped: HTTPD_LINT_CODE_SERVER is not set)" : ""}`;

/** Needs `npm run build:vscode`. It leaves the pictures of the extension's README in `build/vscode/pictures`. */
describe.skipIf(program === "")(title, () => {
  const folder = sharedFolder();
  let server: ChildProcess | undefined;
  let browser: Browser | undefined;
  let page: Page;

  beforeAll(async () => {
    const settings = {
      "chat.disableAIFeatures": true,
      "workbench.secondarySideBar.defaultVisibility": "hidden",
      "editor.minimap.enabled": false,
      "workbench.startupEditor": "none",
      "workbench.activityBar.location": "hidden",
      "security.workspace.trust.enabled": false,
    };
    folder.write({ "data/User/settings.json": settings });
    cpSync("docs/examples/intranet", folder.at("intranet"), { recursive: true });
    mkdirSync("build/vscode/pictures", { recursive: true });
    const folders = ["--user-data-dir", folder.at("data"), "--extensions-dir", folder.at("extensions")];
    const install = [...folders, "--install-extension", resolve("build/vscode/httpd-lint.vsix")];
    const installed = spawnSync(program, [...words, ...install], { encoding: "utf8" });
    if (installed.status !== 0) throw new Error(`${installed.stdout}${installed.stderr}`);
    const options = ["--auth", "none", "--bind-addr", `127.0.0.1:${PORT}`, "--disable-telemetry"];
    const run = [...words, ...folders, ...options, "--disable-update-check", folder.at("intranet")];
    server = spawn(program, run, { stdio: ["ignore", "pipe", "ignore"] });
    await new Promise<void>((done) =>
      server?.stdout?.on("data", (text) => {
        if (String(text).includes("HTTP server listening")) done();
      }),
    );
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    await page.goto(`http://127.0.0.1:${PORT}/?folder=${folder.at("intranet")}`);
    await page.getByRole("treeitem", { name: "httpd.conf" }).dblclick({ timeout: 60_000 });
    await page.locator(".codelens-decoration").first().waitFor({ timeout: 60_000 });
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    server?.kill();
  });

  /** Saves a picture of the window. */
  const takePicture = (name: string) => page.screenshot({ path: `build/vscode/pictures/${name}.png` });

  /** Runs a command of the extension by its title. */
  async function runCommand(name: string): Promise<void> {
    await page.keyboard.press("F1");
    await page.keyboard.type(`httpd-lint: ${name}`);
    await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
  }

  /** Returns the text of the editor with a result, once it contains a text. */
  async function waitForResult(tab: string, text: string): Promise<void> {
    await page.getByRole("tab", { name: tab }).first().waitFor();
    await page.locator(".view-lines", { hasText: text }).first().waitFor();
  }

  test("shows findings, the access of sections, and the hover of a finding", async () => {
    await page.locator(".squiggly-warning").first().waitFor();
    await page.locator(".squiggly-error").first().waitFor();
    expect(await page.locator(".codelens-decoration").allTextContents()).toEqual([
      "10.0.0.0/8; others: 403",
      "10.0.0.0/8; others: 403",
      "every client",
    ]);
    await page.locator(".view-line", { hasText: "Satisfy" }).locator("span", { hasText: "Satisfy" }).last().hover();
    await page.locator(".monaco-hover", { hasText: "discards the inherited" }).first().waitFor();
    await page.waitForTimeout(500);
    await takePicture("findings");
  });

  test("shows the whole access map after a click on the access of a section", async () => {
    await page.locator(".codelens-decoration a").first().click();
    await page.getByRole("tab", { name: "Preview Access map.md" }).waitFor();
    const shown = page.frameLocator("iframe.webview").frameLocator("iframe");
    await shown.getByText("Access to these paths").waitFor();
    const items = await shown.getByRole("listitem").allTextContents();
    expect(items.join("\n")).toMatch(/^\/wiki: every client \(<Location "\/wiki"> httpd\.conf:20\)$/m);
    await takePicture("access");
  });

  test("explains a request", async () => {
    await page.locator(".view-line", { hasText: "AuthName" }).first().click();
    await runCommand("Explain a Request");
    const input = page.locator(".quick-input-box input");
    await expect.poll(() => input.inputValue()).toBe("/wiki");
    await page.keyboard.press("Enter");
    await waitForResult("Request  wiki.txt", "steps, in order");
    await takePicture("explain");
  });

  test("shows the upgrade report", async () => {
    await page.locator(".view-line", { hasText: "AuthName" }).first().click();
    await runCommand("Show the Upgrade Report");
    await waitForResult("Upgrade report.txt", "Upgrade from 2.2 to 2.4");
    await takePicture("upgrade");
  });

  test("offers to ignore a finding", async () => {
    await page.keyboard.press("Escape");
    await page.locator(".view-line", { hasText: "deny,allow" }).first().click();
    await page.keyboard.press("Control+.");
    await page.locator(".action-widget", { hasText: "ld-access-control" }).first().waitFor();
    await takePicture("fixes");
    await page.keyboard.press("Escape");
  });

  test("previews a migration, and writes it", async () => {
    await page.keyboard.press("F1");
    await page.keyboard.type("View: Close Editors in Other Groups");
    await page.keyboard.press("Enter");
    await page.locator(".view-line", { hasText: "AuthName" }).first().click();
    await runCommand("Migrate to Require, with Preview");
    await page.getByRole("tab", { name: "httpd.conf (migration)" }).waitFor();
    await page.locator(".view-line", { hasText: "Require ip 10.0.0.0/8" }).first().waitFor();
    const message = page.locator(".notification-toast", { hasText: "every access decision stays the same" });
    await message.getByRole("button", { name: "Write" }).waitFor();
    await page.waitForTimeout(1000);
    await takePicture("migration");
    await message.getByRole("button", { name: "Write" }).click();
    await page.locator(".notification-toast", { hasText: "1 file changed" }).waitFor();
    expect(folder.textOf("intranet/httpd.conf")).not.toContain("Order");
  });
});
