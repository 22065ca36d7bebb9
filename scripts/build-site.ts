/**
 * Builds the documentation site in `build/pages`. It copies the pages of README.md, docs/ and the rules to their
 * addresses and adapts their links. VitePress, which rejects a link to a missing page, does the rest. Links to anchors
 * are checked here.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const sources = "build/site";
const pages = "build/pages";

/** The site address of each page in the repository. */
const addresses = new Map([
  ["README.md", "index.md"],
  ["CHANGELOG.md", "CHANGELOG.md"],
  ["CONTRIBUTING.md", "CONTRIBUTING.md"],
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [[`docs/${name}`, name] as const] : [])),
  ...readdirSync("rules", { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [[`rules/${entry.name}/${entry.name}.md`, `rules/${entry.name}.md`] as const] : [],
  ),
]);

const link = /\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

/** Rewrites the links of a page for the site; a file of the repository that is not a page is named without a link. */
function withLinks(page: string, source: string, address: string): string {
  return page.replace(link, (_, text: string, target: string, place = "") => {
    const linked = posix.normalize(posix.join(posix.dirname(source), target));
    const to = addresses.get(linked);
    if (to === undefined && !existsSync(linked)) throw new Error(`${source} links to ${target}, which is not there`);
    if (to === undefined) return text;
    const path = posix.relative(posix.dirname(address), to);
    return `[${text}](${path.startsWith(".") ? path : `./${path}`}${place})`;
  });
}

/** Returns links of built pages to anchors that do not exist in the target page. */
function deadPlaces(): readonly string[] {
  const built = readdirSync(pages, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const texts = new Map(
    built.map((name) => [`/${name.replace(/(?:^index)?\.html$/, "")}`, readFileSync(join(pages, name), "utf8")]),
  );
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/<a [^>]*href="([^"#:]*)#([^"]+)"/g)].flatMap(([, target = "", place = ""]) => {
      const path = target === "" ? page : posix.resolve(posix.dirname(page), target.replace(/\.html$/, ""));
      const isThere = texts.get(path)?.includes(`id="${decodeURIComponent(place)}"`);
      return isThere ? [] : [`${page} leads to ${target}#${place}, which is not there`];
    }),
  );
}

rmSync(sources, { recursive: true, force: true });
for (const [source, address] of addresses) {
  const path = join(sources, address);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withLinks(readFileSync(source, "utf8"), source, address));
}
execFileSync("npx", ["vitepress", "build", "docs"], { stdio: "inherit" });
const dead = deadPlaces();
for (const each of dead) process.stderr.write(`${each}\n`);
if (dead.length > 0) process.exitCode = 1;
