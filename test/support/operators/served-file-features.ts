import { drawPerhaps, drawSome, section } from "./drawing.js";
import { type DrawFeature, pages } from "./feature.js";

const drawNegotiation: DrawFeature = (random) => ({
  lines: [
    ...section(
      `Directory "@DOCROOT@${random.pick(["/docs", "", "/news"])}"`,
      `Options ${random.pick(["MultiViews", "+MultiViews", "Indexes MultiViews FollowSymLinks"])}`,
      ...drawSome(random, 0.3, [
        "LanguagePriority de en fr",
        "ForceLanguagePriority Prefer Fallback",
        "MultiviewsMatch Handlers Filters",
        "DirectoryIndex index",
      ]),
    ),
    ...drawPerhaps(random, 0.5, "AddHandler type-map .var"),
    ...drawPerhaps(random, 0.7, "AddLanguage en .en", "AddLanguage de .de", "AddLanguage fr .fr"),
  ],
  files: {
    ...pages(
      "@DOCROOT@/news.html.en",
      "@DOCROOT@/news.html.de",
      "@DOCROOT@/docs/manual.html.fr",
      "@DOCROOT@/docs/manual.html.en",
      "@DOCROOT@/docs/manual.txt",
      "@DOCROOT@/news/index.html.en",
    ),
    "@DOCROOT@/docs/map.var":
      "URI: map\n\nURI: readme.txt\nContent-Type: text/plain\nContent-Language: en\n\nURI: manual.html.fr\nContent-Type: text/html\nContent-Language: fr\n",
  },
  paths: [
    "/news",
    "/news/",
    "/news.html",
    "/docs/manual",
    "/docs/manual.html",
    "/docs/map",
    "/docs/map.var",
    "/docs/readme",
    "/index",
    "/about",
    "/news/index",
    "/docs/manual/more",
    "/page",
  ],
});

const drawLinks: DrawFeature = (random) => ({
  lines: section(
    'Directory "@DOCROOT@"',
    `Options ${random.pick(["SymLinksIfOwnerMatch", "None", "FollowSymLinks", "Indexes SymLinksIfOwnerMatch", "-FollowSymLinks +SymLinksIfOwnerMatch"])}`,
    ...drawPerhaps(random, 0.3, "AllowOverride All"),
  ),
  files: pages("other/o.txt", "other/index.html"),
  links: {
    "@DOCROOT@/linked.txt": "@ROOT@/other/o.txt",
    "@DOCROOT@/shared": "@ROOT@/other",
    "@DOCROOT@/broken": "@ROOT@/nowhere",
    ...(random.chance(0.5) ? { "@DOCROOT@/docs/self.txt": "readme.txt", "@DOCROOT@/docs/latest": "." } : {}),
  },
  paths: [
    "/linked.txt",
    "/shared",
    "/shared/",
    "/shared/o.txt",
    "/broken",
    "/broken/x",
    "/docs/self.txt",
    "/docs/latest/readme.txt",
  ],
});

const drawFallback: DrawFeature = (random) => ({
  lines: section(
    `Directory "@DOCROOT@${random.pick(["", "/app", "/docs"])}"`,
    `FallbackResource ${random.pick(["/index.php", "/app/index.php", "/none.php", "/index.html"])}`,
    ...drawPerhaps(random, 0.3, "DirectoryIndex index.php"),
    ...drawPerhaps(random, 0.2, "Options +MultiViews"),
  ),
  paths: ["/app/none/at/all", "/app/", "/app/index.php/x", "/none", "/docs/none", "/index.php/a/b", "/img/"],
});

const drawSpelling: DrawFeature = (random) => ({
  lines: section(
    `Directory "@DOCROOT@${random.pick(["", "/docs"])}"`,
    "CheckSpelling On",
    ...drawPerhaps(random, 0.3, "CheckCaseOnly On"),
    ...drawPerhaps(random, 0.2, "CheckBasenameMatch Off"),
  ),
  files: pages("@DOCROOT@/docs/readme.html", "@DOCROOT@/docs/redme.txt"),
  paths: [
    "/docs/Readme.txt",
    "/docs/raedme.txt",
    "/docs/readm.txt",
    "/abuot.html",
    "/ABOUT.HTML",
    "/docs/readme",
    "/Docs/readme.txt",
    "/dcos/readme.txt",
    "/docs/REDME.txt/x",
    "/docs/",
  ],
});

/** The features that choose the file for a path. */
export const servedFileFeatures = [drawNegotiation, drawNegotiation, drawLinks, drawFallback, drawSpelling] as const;
