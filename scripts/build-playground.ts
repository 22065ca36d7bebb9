/** Writes the playground: a page in one file, `build/playground/index.html`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buildSync } from "esbuild";
import type { PlaygroundExample, PlaygroundVersion } from "../src/apps/browser/messages.js";
import { renderPlaygroundPage } from "../src/report/html/playground-page.js";
import { forBrowsers } from "./browsers.mjs";
import { bundledPackages, noticesOf } from "./bundled.mjs";

/** The output folder and its contents. */
const FOLDER = join("build", "playground");

/** An example of docs/examples, with the place of its folders on the server. */
interface ExamplePlaces {
  readonly folder: string;
  readonly title: string;
  readonly version: PlaygroundVersion;
  readonly main: string;
  /** Paths on the server by the start of the path in the folder; the first that applies counts. */
  readonly places: Readonly<Record<string, string>>;
}

const inEtc = { main: "/etc/httpd/httpd.conf", places: { "": "/etc/httpd/" } } as const;

const listedExamples: readonly ExamplePlaces[] = [
  { folder: "intranet", title: "An intranet, partly converted to 2.4", version: "2.4", ...inEtc },
  {
    ...{ folder: "mistakes", title: "Everyday mistakes", version: "2.4", main: inEtc.main },
    places: { "blog/": "/srv/www/blog/", "": "/etc/httpd/" },
  },
  {
    ...{ folder: "exposed", title: "Files that outside clients can read", version: "2.4" },
    ...{ main: "/usr/local/apache2/httpd.conf", places: { "": "/usr/local/apache2/" } },
  },
  { folder: "tls", title: "A server with TLS", version: "2.4", ...inEtc },
  {
    ...{ folder: "migrating", title: "A server to migrate from 2.2", version: "from 2.2", main: inEtc.main },
    places: { "": "/" },
  },
  { folder: "not-migrated", title: "A server that cannot be migrated unchanged", version: "from 2.2", ...inEtc },
  {
    ...{ folder: "httpd-2.2", title: "A large server from 2.2", version: "from 2.2" },
    ...{ main: "/etc/httpd/conf/httpd.conf", places: { "": "/etc/httpd/" } },
  },
];

/** Configuration files; others of an example are documents. */
const configurationFile = /(?:\.conf|\.htaccess)$/;

function readExample({ folder, title, version, main, places }: ExamplePlaces): PlaygroundExample {
  const top = join("docs/examples", folder);
  const files = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && configurationFile.test(entry.name))
    .map((entry) => relative(top, join(entry.parentPath, entry.name)))
    .sort();
  const placed = files.map((file) => {
    const [start = "", place = ""] = Object.entries(places).find(([prefix]) => file.startsWith(prefix)) ?? [];
    return [place + file.slice(start.length), readFileSync(join(top, file), "utf8")] as const;
  });
  const ofMain = ([path]: readonly [string, string]) => (path === main ? 0 : 1);
  const sorted = [...placed].sort((a, b) => ofMain(a) - ofMain(b));
  return { title, version, configuration: { main, files: Object.fromEntries(sorted) } };
}

const { outputFiles = [], metafile } = buildSync({
  ...forBrowsers,
  ...{ entryPoints: ["src/apps/browser/playground.ts", "src/apps/browser/playground-worker.ts"] },
  ...{ outdir: FOLDER, write: false, metafile: true },
});
const [script = "", worker = ""] = outputFiles.map(({ text }) => text);
const examples = listedExamples.map(readExample);
const page = renderPlaygroundPage({
  ...{ script, worker, data: { examples } },
  titles: examples.map(({ title }) => title),
  licences: noticesOf(bundledPackages([metafile])).join("\n"),
});
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, "index.html"), page);
process.stdout.write(`wrote ${join(FOLDER, "index.html")}\n`);
