import { readdirSync } from "node:fs";
import { defineConfig } from "vitepress";

const rules = readdirSync(new URL("../../rules", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Returns the anchor that GitHub gives to a heading, so that links work there and on the site. */
function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** Configures the site. `scripts/build-site.ts` copies the pages to `build/site`, and checks their links afterwards. */
export default defineConfig({
  title: "httpd-lint",
  description: "A linter and static analyzer for Apache httpd configuration",
  srcDir: "../build/site",
  outDir: "../build/pages",
  cacheDir: "../build/cache",
  cleanUrls: true,
  lastUpdated: false,
  markdown: { theme: { light: "github-light", dark: "github-dark" }, anchor: { slugify: githubAnchor } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Documentation", link: "/overview" },
      { text: "Command line", link: "/cli" },
      { text: "Rules", link: "/rules" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: [
      {
        text: "Tasks",
        items: [
          { text: "Install", link: "/install" },
          { text: "Check a server", link: "/check" },
          { text: "Come from configtest", link: "/configtest" },
          { text: "Adopt it in a team", link: "/team" },
          { text: "Understand a decision", link: "/explain" },
          { text: "Test requests", link: "/test" },
          { text: "Show the access map", link: "/map" },
          { text: "See the server from outside", link: "/audit" },
          { text: "Compare configurations", link: "/compare" },
          { text: "Upgrade from 2.2", link: "/upgrade" },
          { text: "From Ubuntu 14.04 to 24.04", link: "/tutorial-ubuntu" },
          {
            text: "Migrate to Require",
            link: "/migrating",
            items: [
              { text: "Decide about intent", link: "/migrate-intent" },
              { text: "Keep the answers of 2.2", link: "/migrate-answers" },
              { text: "Write a migration", link: "/migrate-write" },
              { text: "Resolve a refused migration", link: "/migrate-refused" },
            ],
          },
          { text: "Fix findings", link: "/fixing" },
          { text: "Suppress findings", link: "/suppress" },
          { text: "Use in CI", link: "/ci" },
          { text: "Use in an editor", link: "/editors" },
          { text: "Configure", link: "/settings" },
          { text: "Check fragments", link: "/fragments" },
          { text: "Check many files or hosts", link: "/scale" },
          { text: "Write HTML pages", link: "/pages" },
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "All pages", link: "/overview" },
          { text: "Output formats", link: "/formats" },
          { text: "Command line", link: "/cli" },
          { text: "What is modelled", link: "/simulator" },
          { text: "Which files are checked", link: "/files" },
          { text: "Directives and answers", link: "/directives" },
          { text: "Messages of rules", link: "/messages" },
          { text: "CIS benchmark", link: "/cis" },
          { text: "Upgrade coverage", link: "/coverage" },
          { text: "Versions of httpd", link: "/versions" },
          { text: "Effective configuration", link: "/resolve" },
          { text: "Library", link: "/library" },
          { text: "Stability", link: "/stability" },
          { text: "Changes", link: "/CHANGELOG" },
        ],
      },
      {
        text: "Rules",
        collapsed: true,
        items: [{ text: "All rules", link: "/rules" }, ...rules.map((id) => ({ text: id, link: `/rules/${id}` }))],
      },
      {
        text: "Background",
        items: [
          { text: "How it is proved", link: "/proof" },
          { text: "Hardening", link: "/hardening" },
          { text: "Fuzzing and mutation tests", link: "/fuzzing" },
          { text: "Performance", link: "/performance" },
          { text: "Dependencies", link: "/dependencies" },
          { text: "Development", link: "/development" },
          { text: "Conventions of other linters", link: "/conventions" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Security", link: "/SECURITY" },
        ],
      },
    ],
  },
});
