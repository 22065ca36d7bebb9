import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { formatStatus } from "../../src/report/answers/answer-words.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { isDeep, sampleOf } from "../support/depth.js";
import { hostileFolder, secret } from "../support/hostile-configuration.js";
import {
  browserPath,
  browserTitle,
  desk,
  findAccessibilityProblems,
  openPage,
  phone,
  startBrowser,
  tabTo,
  viewsOf,
} from "../support/programs/browser.js";
import { ensureBuilt, httpdLint } from "../support/programs/command.js";
import { scratchFolder, whileInScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

const pages = scratchFolder();
const hostile = hostileFolder();
const page = (name: string) => join(pages.path, `${name}.html`);

/** Writes the access map of a server with users and groups as a page. */
function membersPage(folder: string): string {
  const [main, file] = [join(folder, "httpd.conf"), join(folder, "map.html")];
  const access = "AuthType Basic\nAuthName x\nAuthUserFile users\nAuthGroupFile groups\nRequire group staff\n";
  writeFiles(folder, {
    "www/staff.html": "",
    users: `alice:$apr1$salt$${secret}\nbob:$apr1$salt$${secret}\n`,
    groups: "staff: alice\n",
    "httpd.conf": `ServerRoot "${folder}"\nDocumentRoot www\n<Location "/">\n${access}</Location>\n`,
  });
  expect(httpdLint(["map", main, "--release", "2.4", "--format", "html", "--output", file]).stderr).toBe("");
  return file;
}

beforeAll(() => {
  ensureBuilt();
  const write = (name: string, ...args: string[]) => {
    const { stderr } = httpdLint([...args, "--format", "html", "--exit-zero", "--output", page(name)]);
    expect(stderr).toMatch(/^(?:httpd-lint: assuming that .* are loaded\n)?$/);
  };
  write("check", "check", "docs/examples/intranet", "--from", "2.2");
  write("map", "map", "docs/examples/intranet");
  write("hostile-check", "check", hostile.main, "--from", "2.2");
  write("hostile-map", "map", hostile.main);
  write("audit", "audit", "docs/examples/intranet");
  write("hostile-audit", "audit", hostile.main);
});

afterAll(() => {
  pages.dispose();
  hostile.remove();
});

test("no page contains a secret or a foreign script", () => {
  for (const [name, scripts] of [
    ["hostile-check", 1],
    ["hostile-map", 2],
    ["hostile-audit", 0],
  ] as const) {
    const text = readFileSync(page(name), "utf8");
    // Whole pages in a failure message are not useful.
    expect(text.includes("********"), name).toBe(true);
    expect(text.includes(secret), name).toBe(false);
    expect(text.match(/<script/gi) ?? [], name).toHaveLength(scripts);
    for (const character of ["\u2028", "\u001b", "\u202e", "\u0000"])
      expect(text.includes(character), `${name}: ${JSON.stringify(character)}`).toBe(false);
  }
});

describe.skipIf(browserPath === undefined)(browserTitle("pages in a browser"), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  const files = { check: page("check"), map: page("map"), audit: page("audit") };
  const hostilePages = { "hostile check": page("hostile-check"), "hostile map": page("hostile-map") };
  const all = Object.entries({ ...files, ...hostilePages, "hostile audit": page("hostile-audit") });
  const cases = all.flatMap(([name, file], index) => viewsOf(index).map((view) => ({ name, file, ...view })));

  test.each(cases)(
    "$name at $width×$height, $colorScheme: loads no resources, and has no errors or accessibility problems",
    async (each) => {
      const { page: at, faults } = await openPage(browser, each.file, each);
      await at.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
      // Contrast differs in dark mode, and the layout differs on a phone; axe is slow. Hostile pages have the same markup.
      const isChecked =
        each.width < 500 === (each.colorScheme === "light") && (isDeep || !each.name.startsWith("hostile"));
      if (isChecked) expect(await findAccessibilityProblems(at)).toEqual([]);
      expect(await at.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await at.evaluate("window.ran")).toBeUndefined();
      expect(faults).toEqual([]);
      await at.context().close();
    },
  );

  test("show the whole report without scripts", async () => {
    const { page: at } = await openPage(browser, page("check"), phone, false);
    expect(await at.locator("article.finding").count()).toBeGreaterThan(5);
    expect(await at.locator("#filters").isVisible()).toBe(false);
    const { page: map } = await openPage(browser, page("map"), phone, false);
    expect(await map.locator("#ask").isVisible()).toBe(false);
    await map.getByText("/press", { exact: true }).click();
    expect(await map.getByText("no client (403 or 500)").isVisible()).toBe(true);
    const { page: audit } = await openPage(browser, page("audit"), phone, false);
    await audit.locator("#servers summary").first().click();
    expect(
      await audit
        .getByText(/^GET .* from 203\.0\.113\.7 returns 200$/)
        .first()
        .isVisible(),
    ).toBe(true);
  });

  test("filter findings with the keyboard only", async () => {
    const { page: at } = await openPage(browser, page("check"), desk);
    const countShown = () => at.locator("article.finding:visible").count();
    const all = await countShown();
    await tabTo(at, "input[value=error]");
    await at.keyboard.press("Space");
    expect(await countShown()).toBe(all - (await at.locator("article.finding.error").count()));
    await at.keyboard.press("Space");
    await tabTo(at, "#rule");
    await at.keyboard.press("ArrowDown");
    const rule = await at.locator("#rule").inputValue();
    expect(rule).not.toBe("");
    expect(await countShown()).toBe(await at.locator(`article.finding[data-rule="${rule}"]`).count());
    await at.keyboard.press("Home");
    await tabTo(at, "#text");
    await at.keyboard.type("wiki");
    const count = await countShown();
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(all);
    expect(await at.locator("#shown").textContent()).toBe(`${count} of ${all} findings are shown`);
  });

  test("link a finding to the page of its rule", async () => {
    const { page: at } = await openPage(browser, page("check"), phone);
    const link = at.locator("article.finding .top a").first();
    const rule = (await link.getAttribute("href")) ?? "";
    await link.focus();
    await at.keyboard.press("Enter");
    await expect.poll(() => at.locator(`details:has(${rule})`).evaluate((it) => it.hasAttribute("open"))).toBe(true);
  });

  test("open and query the map with the keyboard only", async () => {
    const { page: at } = await openPage(browser, page("map"), phone);
    await tabTo(at, ".scope summary");
    await at.keyboard.press("Enter");
    expect(await at.getByText("10.0.0.0/8; others: 403").first().isVisible()).toBe(true);
    await tabTo(at, ".ask button");
    await at.keyboard.press("Enter");
    await at.locator(".answer").first().waitFor();
    expect(await at.locator("#ask-url").inputValue()).toBe("/a");
    expect(await at.locator(".answer h3").allTextContents()).toEqual(["2.2403 Forbidden", "2.4403 Forbidden"]);
    await at.locator("#differing").focus();
    await at.keyboard.press("Space");
    expect(await at.locator(".scope:visible").count()).toBe(2);
  });

  test("return the decisions of the simulator in the form", async () => {
    const { page: at } = await openPage(browser, page("map"), desk);
    const entry = resolve("docs/examples/intranet/httpd.conf");
    const simulatedServers = (["2.2", "2.4"] as const).map((release) => {
      const loaded = loadProject(entry, { release, kind: "server" });
      if (!loaded.ok) throw new Error(loaded.error);
      const files = createFileTree({ by: "existing disk" }, loaded.value, diskAccess());
      return { release, simulatedServer: new SimulatedServer(loaded.value, files) };
    });
    const urls = ["/", "/press", "/press/x.html?a=b", "/wiki/", "/wiki/%2e%2e/press"];
    const clients = ["10.1.2.3", "203.0.113.7", "2001:db8::1"].flatMap((clientIp) =>
      ["", "alice"].map((user) => ({ clientIp, user })),
    );
    // A sample of one in five contains each path and each client.
    for (const { url, clientIp, user } of sampleOf(
      urls.flatMap((url) => clients.map((client) => ({ url, ...client }))),
      5,
    )) {
      await at.locator("#ask-url").fill(url);
      await at.locator("#ask-clientIp").fill(clientIp);
      await at.locator("#ask-user").fill(user);
      await at.locator("#ask-user").press("Enter");
      const request = { method: "GET", path: url.split("?")[0] ?? "", clientIp, ...(user === "" ? {} : { user }) };
      const expected = simulatedServers.map(({ release, simulatedServer }) => {
        const { status, class: decided } = simulatedServer.answer(request);
        return release + (status === undefined ? decided : formatStatus(status));
      });
      expect(await at.locator(".answer h3").allTextContents(), `${url} ${clientIp} ${user}`).toEqual(expected);
    }
    await at.locator("#ask-clientIp").fill("10.1.2");
    await at.locator("#ask-clientIp").press("Enter");
    expect(await at.locator("#answer").textContent()).toBe("10.1.2 of Client address is not an IP address");
  });

  test("know the users of the password and group files, without their passwords", async () => {
    await whileInScratchFolder(async (folder) => {
      const file = membersPage(folder);
      expect(readFileSync(file, "utf8").includes(secret)).toBe(false);
      const { page: at } = await openPage(browser, file, phone);
      for (const [user, expected] of [
        ["alice", "2.4200 OK"],
        ["bob", "2.4401 Unauthorized"],
        ["nobody", "2.4401 Unauthorized"],
      ] as const) {
        await at.locator("#ask-url").fill("/staff.html");
        await at.locator("#ask-user").fill(user);
        await at.locator("#ask-user").press("Enter");
        expect(await at.locator(".answer h3").allTextContents()).toEqual([expected]);
      }
    });
  });
});
