import { readdirSync } from "node:fs";
import { defineConfig } from "vitepress";

const rules = readdirSync(new URL("../../rules", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The site is built from the pages that `scripts/site-pages.ts` lays out, each at its address. A dead link fails the build. */
export default defineConfig({
  title: "httpd-lint",
  description: "A linter and static analyzer for Apache httpd configuration",
  srcDir: "../build/site",
  outDir: "../build/pages",
  cacheDir: "../build/cache",
  cleanUrls: true,
  lastUpdated: false,
  markdown: { theme: { light: "github-light", dark: "github-dark" } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/" },
      { text: "Rules", link: "/rules" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: [
      {
        text: "Use",
        items: [
          { text: "Start", link: "/" },
          { text: "What would be loaded: resolve", link: "/resolve" },
          { text: "What a request gets: explain, test", link: "/explain" },
          { text: "Two configurations: compare", link: "/compare" },
          { text: "Who gets in where: map", link: "/map" },
          { text: "From 2.2 to 2.4: upgrade", link: "/upgrade" },
          { text: "Without mod_access_compat: migrate", link: "/migrating" },
          { text: "Fixing: check --fix", link: "/fixing" },
          { text: "Settings and baselines", link: "/settings" },
          { text: "Many files, many hosts", link: "/scale" },
          { text: "In an editor: lsp", link: "/editors" },
          { text: "Pages and the playground", link: "/pages" },
          { text: "What the upgrade covers", link: "/coverage" },
        ],
      },
      {
        text: "Rules",
        items: [{ text: "All rules", link: "/rules" }, ...rules.map((id) => ({ text: id, link: `/rules/${id}` }))],
      },
      {
        text: "Make",
        items: [
          { text: "Development", link: "/development" },
          { text: "Dependencies", link: "/dependencies" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Changes", link: "/CHANGELOG" },
        ],
      },
    ],
  },
});
