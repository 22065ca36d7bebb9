import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

/** Pages to look things up in: they may be of any length. */
const references = new Set(["coverage", "development", "directives", "messages", "versions"]);

const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
const texts = new Map(
  [
    ...pages.map((name) => `docs/${name}`),
    ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
    ...readdirSync("rules", { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`rules/${entry.name}/${entry.name}.md`] : [],
    ),
  ].map((path) => [path, readFileSync(path, "utf8")] as const),
);

/** Removes blocks and spans of code. */
function withoutCode(text: string): string {
  return text
    .replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ""));
}

/** Returns the anchors that GitHub and the site give to the headings of a page. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );
}

/** Lists the links of a page that lead to no file, or to no heading of a page. */
function deadLinks(path: string, text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
    ([link, file = "", anchor]) => {
      const target = file === "" ? path : posix.join(posix.dirname(path), file);
      const page = texts.get(target);
      if (page === undefined) return existsSync(target) ? [] : [link];
      return anchor === undefined || anchorsOf(page).has(anchor) ? [] : [link];
    },
  );
}

/** Returns the addresses of the sidebar under "Tasks". */
function listTasks(): readonly string[] {
  const config = readFileSync("docs/.vitepress/config.ts", "utf8");
  const tasks = /text: "Tasks"[\s\S]*?text: "Reference"/.exec(config)?.[0] ?? "";
  return [...tasks.matchAll(/link: "\/([\w-]+)"/g)].map(([, page = ""]) => page);
}

describe("pages", () => {
  test.each([...texts])("%s has no dead link", (path, text) => {
    expect(deadLinks(path, text)).toEqual([]);
  });

  test("the check of links notices a missing page, and a missing heading", () => {
    const text = "# A\n[a](#a) [b](#b) [c](check.md) [d](gone.md) [e](check.md#gone) `[f](gone.md)`\n";
    expect(deadLinks("docs/new.md", text)).toEqual(["](#a)", "](#b)", "](gone.md)", "](check.md#gone)"]);
  });

  test.each(pages.map((name) => name.slice(0, -".md".length)))(
    "%s has at most 300 lines, or is a reference",
    (name) => {
      const lines = (texts.get(`docs/${name}.md`) ?? "").trimEnd().split("\n").length;
      if (references.has(name)) expect(lines).toBeGreaterThan(300);
      else expect(lines).toBeLessThanOrEqual(300);
    },
  );

  test.each(listTasks())("the page of a task, %s, begins with its command", (name) => {
    const [start = ""] = (texts.get(`docs/${name}.md`) ?? "").split(/^## /m);
    expect(start).toMatch(/```\w+\n|`httpd-lint /);
  });

  test("each page is in the sidebar and on the page of all pages", () => {
    const config = readFileSync("docs/.vitepress/config.ts", "utf8");
    const overview = texts.get("docs/README.md") ?? "";
    const others = pages.map((name) => name.slice(0, -".md".length)).filter((name) => name !== "README");
    expect(others.filter((name) => !config.includes(`link: "/${name}"`))).toEqual([]);
    expect(others.filter((name) => !overview.includes(`](${name}.md`))).toEqual([]);
  });
});
