/**
 * Builds the documentation site in `build/pages`. It copies the home page, the pages of docs/ and the pages of the rules
 * to their addresses, adapts their links, and runs VitePress. Then it checks the built pages: links lead to existing
 * pages and anchors, and each page is in the sidebar.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const sources = "build/site";
const pages = "build/pages";
const home = "index.md";

/** The site address of each page in the repository. */
const addresses = new Map([
  ["docs/.vitepress/home.md", home],
  ["docs/README.md", "overview.md"],
  ["CHANGELOG.md", "CHANGELOG.md"],
  ["CONTRIBUTING.md", "CONTRIBUTING.md"],
  ["SECURITY.md", "SECURITY.md"],
  ...readdirSync("docs").flatMap((name) =>
    name.endsWith(".md") && name !== "README.md" ? [[`docs/${name}`, name] as const] : [],
  ),
  ...readdirSync("rules", { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [[`rules/${entry.name}/${entry.name}.md`, `rules/${entry.name}.md`] as const] : [],
  ),
]);

const link = /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

/**
 * Rewrites the links of a page for the site. README.md becomes the home page, and pictures are copied. Other files of
 * the repository are named without a link.
 */
function withLinks(page: string, source: string, address: string): string {
  return page.replace(link, (_, picture: string, text: string, target: string, place = "") => {
    const linked = posix.normalize(posix.join(posix.dirname(source), target));
    if (!existsSync(linked)) throw new Error(`${source} links to ${target}, which does not exist`);
    const to = linked === "README.md" ? home : (addresses.get(linked) ?? (picture && copyPicture(linked)));
    if (!to) return text;
    const path = posix.relative(posix.dirname(address), to);
    return `${picture}[${text}](${path.startsWith(".") ? path : `./${path}`}${place})`;
  });
}

/** Copies a picture to the site, and returns its address. */
function copyPicture(path: string): string {
  const address = `pictures/${posix.basename(path)}`;
  cpSync(path, join(sources, address));
  return address;
}

/** Returns the content of the built pages by their address on the site. */
function readBuiltPages(): ReadonlyMap<string, string> {
  const built = readdirSync(pages, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  return new Map(
    built.map((name) => [`/${name.replace(/(?:^index)?\.html$/, "")}`, readFileSync(join(pages, name), "utf8")]),
  );
}

/** Returns links of built pages to pages or anchors that do not exist. */
function deadLinks(built: ReadonlyMap<string, string>): readonly string[] {
  return [...built].flatMap(([page, text]) =>
    [...text.matchAll(/<a [^>]*href="([^"#:]*)(?:#([^"]+))?"/g)].flatMap(([, target = "", place]) => {
      const path = target === "" ? page : posix.resolve(posix.dirname(page), target.replace(/\.html$/, ""));
      const linked = built.get(path);
      const exists = linked !== undefined && (!place || linked.includes(`id="${decodeURIComponent(place)}"`));
      return exists ? [] : [`${page} links to ${target}${place ? `#${place}` : ""}, which does not exist`];
    }),
  );
}

/** Returns pages that the sidebar does not list. */
function unlistedPages(built: ReadonlyMap<string, string>): readonly string[] {
  const withSidebar = built.get("/overview") ?? "";
  return [...built.keys()]
    .filter((page) => page !== "/" && page !== "/404" && !withSidebar.includes(`href="${page}"`))
    .map((page) => `${page} is not in the sidebar of docs/.vitepress/config.ts`);
}

rmSync(sources, { recursive: true, force: true });
for (const [source, address] of addresses) {
  const path = join(sources, address);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withLinks(readFileSync(source, "utf8"), source, address));
}
execFileSync("npx", ["vitepress", "build", "docs"], { stdio: "inherit" });
const built = readBuiltPages();
const mistakes = [...deadLinks(built), ...unlistedPages(built)];
for (const each of mistakes) process.stderr.write(`${each}\n`);
if (mistakes.length > 0) process.exitCode = 1;
