import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDeep, sampleOf } from "../support/depth.js";
import { hostileConfiguration, secret } from "../support/hostile-configuration.js";
import {
  browserPath,
  browserTitle,
  desk,
  findAccessibilityProblems,
  type OpenPage,
  openPage,
  phone,
  startBrowser,
  tabTo,
} from "../support/programs/browser.js";

const playground = resolve("build/playground/index.html");

beforeAll(() => {
  execFileSync(process.execPath, ["--import", "tsx", "scripts/build-playground.ts"], { stdio: "ignore" });
});

/** Machines in CI may be slow. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 30_000 });

const contentsOf = (page: Page): Locator => page.getByRole("textbox", { name: "Contents" });

/** Replaces the contents of the file shown, as pasting does. */
async function paste(page: Page, text: string): Promise<void> {
  await contentsOf(page).focus();
  await page.keyboard.press("Control+a");
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.getElementById("editor").shadowRoot.querySelector(".cm-content").dispatchEvent(event);
  }`);
}

/** Selects a tab, and returns its text as soon as it is up to date. */
async function resultOf(page: Page, tab: string): Promise<string> {
  await page.getByRole("tab", { name: tab }).click();
  await upToDate(page);
  return (await page.getByRole("tabpanel").textContent()) ?? "";
}

/** Waits until the selected tab, with its proofs, is up to date. */
async function upToDate(page: Page): Promise<void> {
  await eventually(() => page.locator("#state").textContent()).not.toMatch(/…/);
}

test("the playground contains the licenses of its packages", () => {
  const text = readFileSync(playground, "utf8");
  for (const name of ["@codemirror/view", "chevrotain", "style-mod"]) expect(text).toMatch(new RegExp(`${name} \\d`));
});

describe.skipIf(browserPath === undefined)(browserTitle("the playground in a browser"), () => {
  let browser: Browser;
  /** A page on the desktop for several tests, which starts with the first example in each. */
  let shared: OpenPage;
  beforeAll(async () => {
    browser = await startBrowser();
    shared = await openPage(browser, playground, desk);
  });
  afterAll(() => browser?.close());

  /** Returns the shared page with the first example. */
  async function openExample(): Promise<Page> {
    const { page: at } = shared;
    await at.locator("#example").selectOption("0");
    await at.getByRole("tab", { name: "Findings" }).click();
    await at.mouse.move(0, 0);
    return at;
  }

  const tabs = ["Findings", "Explain", "Access map", "Compare", "Migrate"] as const;
  // axe is slow, and the tabs have the same elements in both sizes.
  const views = [
    { ...phone, checked: isDeep ? tabs : ["Findings", "Explain"] },
    { ...desk, checked: isDeep ? tabs : ["Access map", "Compare", "Migrate"] },
  ];
  test.each(views)(
    "at $width×$height, $colorScheme: loads no resources, and has no errors or accessibility problems",
    async (view) => {
      const { page: at, faults } = await openPage(browser, playground, view);
      for (const tab of ["Findings", "Explain", "Access map", "Compare", "Migrate"]) {
        expect(await resultOf(at, tab)).not.toBe("");
        expect(await findAccessibilityProblems(at)).toEqual([]);
        expect(await at.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab).toBe(true);
      }
      expect(faults).toEqual([]);
      await at.context().close();
    },
  );

  test("shows a marker, a finding and a fix after a keystroke", async () => {
    const at = await openExample();
    await paste(at, 'ServerRoot "/etc/httpd"\nListen 80\nKeepAlive ');
    await at.keyboard.press("5");
    const marker = at.locator(".cm-lintRange-error");
    await eventually(() => marker.allTextContents()).toEqual(["5"]);
    await eventually(() => at.locator("#state").textContent()).toContain("1 error");
    await marker.hover();
    await expect
      .poll(() => at.locator(".cm-tooltip .hover").first().textContent())
      .toContain("Note: httpd will not start");
    await at.mouse.move(0, 0);
    // The colors are those of the reports.
    expect(await at.locator(".cm-line .hl-name").allTextContents()).toEqual(["ServerRoot", "Listen", "KeepAlive"]);
    await contentsOf(at).focus();
    await at.keyboard.press("Control+Home");
    const notes = at.locator(".cm-tooltip .hover");
    await at.keyboard.press("F8");
    await eventually(() => notes.count()).toBe(1);
    await at.keyboard.press("Escape");
    await eventually(() => notes.count()).toBe(0);
    await at.keyboard.press("Shift+F8");
    await at.locator("#name").focus();
    await eventually(() => notes.count()).toBe(0);
    await contentsOf(at).focus();
    await at.keyboard.press("Alt+Enter");
    await eventually(() => contentsOf(at).textContent()).toContain("KeepAlive On");
    await eventually(() => marker.count()).toBe(0);
    await at.keyboard.press("Control+z");
    await eventually(() => marker.count()).toBe(1);
    await at.getByRole("button", { name: "Apply the fix" }).click();
    await eventually(() => marker.count()).toBe(0);
    expect(shared.faults).toEqual([]);
  });

  test("places markers correctly after non-ASCII characters and with carriage returns", async () => {
    const at = await openExample();
    await paste(at, "# “quotes” 🦊 ü\r\nListen 80\r\nServerName é🦊.example\r\nKeepAlive 5\r\n");
    const marker = at.locator(".cm-lintRange-error");
    await eventually(() => marker.allTextContents()).toContain("5");
    await at.getByRole("button", { name: "Apply the fix" }).first().click();
    await eventually(() => contentsOf(at).textContent()).toContain("é🦊.exampleKeepAlive On");
  });

  test("describes a directive if the mouse is over its name", async () => {
    const at = await openExample();
    await paste(at, "Listen 80\nDocumentRoot /srv\n");
    await at.locator(".cm-line .hl-name").last().hover();
    await eventually(() => at.locator(".cm-tooltip .directive").textContent()).toContain("allowed in: server level");
  });

  test("can be used with the keyboard only", async () => {
    const { page: at } = await openPage(browser, playground, desk);
    await upToDate(at);
    await tabTo(at, ".cm-content");
    await at.keyboard.press("Tab");
    expect(await at.locator(".cm-content:focus").count()).toBe(0);
    await tabTo(at, "[role=tab][aria-selected=true]");
    await at.keyboard.press("ArrowRight");
    await tabTo(at, "#ask-url");
    await at.keyboard.type("/press/");
    await upToDate(at);
    expect(await at.locator(".answer h3").allTextContents()).toEqual(["2.4403 Forbidden", "2.2403 Forbidden"]);
    // A screen reader reads the state after a pause.
    await eventually(() => at.locator("[role=status]#announcement").textContent()).toBe("Explain: up to date");
  });

  test("shows a result in each tab", async () => {
    const at = await openExample();
    expect(await resultOf(at, "Findings")).toContain("old-access-control");
    expect(await resultOf(at, "Access map")).toContain("10.0.0.0/8; others: 403");
    expect(await resultOf(at, "Compare")).toContain("different: ");
    await at.locator("#side").selectOption("the earlier files with the current files");
    expect(await resultOf(at, "Compare")).toContain("equivalent");
    await paste(at, "Listen 80\nServerName x.example\nDocumentRoot /srv/intranet\n");
    await upToDate(at);
    expect(await resultOf(at, "Compare")).toContain("403 → allowed");
    await paste(at, 'ServerRoot "/usr/local/apache2"\n<Location /a>\nOrder allow,deny\nAllow from all\n</Location>\n');
    expect(await resultOf(at, "Migrate")).toContain("+Require all granted");
    await at.getByRole("button", { name: "Apply to the files" }).click();
    await eventually(() => contentsOf(at).textContent()).toContain("Require all granted");
    // A fragment is checked on its own, and answers only requests that it decides.
    await at.getByLabel("Path on the server").fill("/etc/httpd/sites/site.conf");
    await paste(
      at,
      "<Location /status>\nDeny from all\n</Location>\n<Location /status/x>\nRequire local\n</Location>\n",
    );
    expect(await resultOf(at, "Findings")).toContain("assuming that no other file sets access for");
    expect(await resultOf(at, "Access map")).toContain("Assuming that no other file of the server sets access");
    await resultOf(at, "Explain");
    await at.locator("#ask-url").fill("/elsewhere");
    await upToDate(at);
    expect(await at.locator("#answer").textContent()).toContain("the access rules of other files");
    expect(shared.faults).toEqual([]);
  });

  test("hides outdated answers", async () => {
    const at = await openExample();
    await resultOf(at, "Access map");
    expect(await at.locator("#content-map").isVisible()).toBe(true);
    // The change itself makes all results outdated, before any answer can arrive.
    const change = `document.getElementById("release").dispatchEvent(new Event("input"));
      [...document.querySelectorAll("[role=tabpanel] > [data-outdated]")].map(({ id, inert }) => id + inert)`;
    const contents = ["findings", "map", "compare", "migrate"].map((name) => `content-${name}true`);
    expect(await at.evaluate(change)).toEqual(["content-findingstrue", "answertrue", ...contents.slice(1)]);
    await upToDate(at);
    expect(await at.locator("#content-map[data-outdated]").count()).toBe(0);
    expect(await at.locator("#content-map > *").first().isVisible()).toBe(true);
    await at.evaluate("document.getElementById('content-map').dataset.outdated = ''; undefined");
    await eventually(() => at.locator("#content-map > *").first().isVisible()).toBe(false);
    await resultOf(at, "Explain");
    // Each letter sends a request; only the answer to the last one appears.
    await at.locator("#ask-url").pressSequentially("/press/../wiki/x", { delay: 20 });
    await upToDate(at);
    const answer = at.locator("#answer .answer").first();
    const text = await answer.textContent();
    await at.locator("#ask-method").fill("POST");
    await at.locator("#ask-method").fill("");
    await upToDate(at);
    expect(await answer.textContent()).toBe(text);
  });

  test("checks each example", async () => {
    const { page: at, faults } = await openPage(browser, playground, phone);
    const options = await at.locator("#example option").allTextContents();
    expect(options.length).toBeGreaterThan(5);
    for (const label of sampleOf(options.slice(1), 3)) {
      await at.locator("#example").selectOption({ label });
      await eventually(() => at.locator("#content-findings:not([data-outdated])").textContent()).toMatch(/line \d/);
    }
    expect(faults).toEqual([]);
  });

  test("restores edited files after an example", async () => {
    const at = await openExample();
    await paste(at, "Listen 8080\n");
    expect(await at.locator("#example option:checked").textContent()).toBe("your files");
    await at.locator("#example").selectOption({ label: "Everyday mistakes" });
    expect(await contentsOf(at).textContent()).toContain("Quotes from a word processor");
    await at.locator("#example").selectOption({ label: "your files" });
    expect(await contentsOf(at).textContent()).toBe("Listen 8080");
  });

  test("does not execute pasted text, and shows no secret", async () => {
    const { page: at, faults } = await openPage(browser, playground, phone);
    await paste(at, hostileConfiguration("/srv/intranet"));
    await at.getByLabel("Version").selectOption("httpd 2.4, upgraded from 2.2");
    await at.getByLabel("Path on the server").fill("/etc/<img src=x onerror=window.ran=1>.conf");
    for (const tab of ["Findings", "Access map", "Compare", "Migrate", "Explain"])
      expect(await resultOf(at, tab)).not.toContain(secret);
    await at.locator("#ask-url").fill("/b");
    expect(await resultOf(at, "Explain")).not.toContain(secret);
    for (const marker of (await at.locator(".cm-lintRange").all()).slice(0, isDeep ? 10 : 1)) {
      await marker.hover();
      await at.locator(".cm-tooltip .hover").first().waitFor();
    }
    expect(await at.evaluate("window.ran")).toBeUndefined();
    expect(faults).toEqual([]);
  });

  test("creates a link that contains the files without secrets", async () => {
    const { page: at } = await openPage(browser, playground, phone);
    await at.getByRole("button", { name: "Add a file" }).click();
    await paste(at, `# <script>window.ran=1</script>\nAuthLDAPBindPassword ${secret}\n`);
    await at.getByRole("button", { name: "Create a link" }).click();
    await at.getByText("The address of this page now contains the files").waitFor();
    await at.reload();
    await at.getByRole("button", { name: "/srv/www/site-2/.htaccess" }).click();
    expect(await contentsOf(at).textContent()).toContain("AuthLDAPBindPassword ********");
    expect(await at.evaluate("window.ran")).toBeUndefined();
  });
});
