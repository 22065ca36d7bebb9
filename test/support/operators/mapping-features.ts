import type { Random } from "../random/random.js";
import { drawAccess } from "./access-features.js";
import { drawPerhaps, drawSome, section } from "./drawing.js";
import { type DrawFeature, pages } from "./feature.js";
import { drawOptions, drawOverride } from "./section-features.js";
import { servedFileFeatures } from "./served-file-features.js";

const otherFiles = pages(
  "other/index.html",
  "other/o.txt",
  "other/in/p.html",
  "other/readme.html.de",
  "other/.ht-secret",
);
const otherPaths = ["/other", "/other/", "/other/o.txt", "/other/in/p.html", "/other/readme", "/other/in", "/otherx"];

const drawAlias: DrawFeature = (random) => ({
  lines: [
    random.pick(["Alias /other @ROOT@/other", "Alias /other/ @ROOT@/other/", 'Alias "/other" "@ROOT@/other/"']),
    ...drawPerhaps(random, 0.3, 'AliasMatch "^/o/(.*)\\.htm$" "@ROOT@/other/$1.txt"'),
    ...drawPerhaps(random, 0.2, "Alias /second @DOCROOT@/docs"),
    ...(random.chance(0.7)
      ? section("Directory @ROOT@/other", ...drawAccess(random), ...drawOverride(random), drawOptions(random))
      : []),
  ],
  files: otherFiles,
  paths: [...otherPaths, "/o/o.htm", "/second/readme.txt", "/second/"],
});

const drawPrograms: DrawFeature = (random) => ({
  lines: [
    random.pick([
      "ScriptAlias /cgi-bin/ @ROOT@/cgi-bin/",
      "ScriptAlias /cgi-bin @ROOT@/cgi-bin",
      'ScriptAliasMatch "^/cgi-bin/(.*)" "@ROOT@/cgi-bin/$1"',
    ]),
    ...section(
      "Directory @ROOT@/cgi-bin",
      random.pick(["Require all granted", ...drawAccess(random).slice(0, 1)]),
      ...drawPerhaps(random, 0.3, "AcceptPathInfo Off"),
      ...drawPerhaps(random, 0.3, "Options +ExecCGI"),
    ),
  ],
  files: pages("cgi-bin/run.cgi", "cgi-bin/status", "cgi-bin/in/deep.cgi"),
  paths: [
    "/cgi-bin/run.cgi",
    "/cgi-bin/run.cgi/more/x",
    "/cgi-bin/",
    "/cgi-bin/none.cgi",
    "/cgi-bin/status",
    "/cgi-bin/in/deep.cgi/y",
    "/cgi-bin",
  ],
});

const drawRedirects: DrawFeature = (random) => ({
  lines: drawSome(random, 0.4, [
    "Redirect permanent /moved http://www.example.test/docs",
    "Redirect /docs/old.txt /docs/readme.txt",
    'RedirectMatch 404 "/\\.git"',
    'RedirectMatch "^/u/([^/]+)$" "http://%{HTTP_HOST}/~$1/"',
    "Redirect gone /gone",
    "RedirectPermanent /app/v1 /app/v2",
    'RedirectMatch 301 "(.*)\\.gif$" "$1.png"',
    "Redirect 403 /private/never",
    "RedirectTemp /temp https://secure.example.test/",
  ]),
  paths: [
    "/moved",
    "/moved/x?y=1",
    "/docs/old.txt",
    "/.git/config",
    "/u/alice",
    "/gone",
    "/gone/x",
    "/app/v1/x",
    "/img/logo.gif",
    "/private/never",
    "/temp/a",
    "/movedx",
  ],
});

const drawUserDirectories: DrawFeature = (random) => ({
  lines: [
    random.pick([
      "UserDir @ROOT@/home/*/public_html",
      "UserDir @ROOT@/home",
      "UserDir disabled\nUserDir enabled alice\nUserDir @ROOT@/home/*/public_html",
      "UserDir @ROOT@/home/*/public_html\nUserDir disabled root bob",
      "UserDir http://users.example.test/",
    ]),
    ...section("Directory @ROOT@/home/*/public_html", ...drawAccess(random), ...drawOverride(random)),
  ].flatMap((line) => line.split("\n")),
  files: pages(
    "home/alice/public_html/index.html",
    "home/alice/public_html/p.txt",
    "home/bob/public_html/p.txt",
    "home/alice/direct.txt",
  ),
  paths: [
    "/~alice",
    "/~alice/",
    "/~alice/p.txt",
    "/~bob/p.txt",
    "/~carol/",
    "/~bob/",
    "/~alice/none",
    "/~root/",
    "/~alice/direct.txt",
    "/~",
  ],
});

const drawMassHosting: DrawFeature = (random) => ({
  lines: [
    random.pick([
      "VirtualDocumentRoot @ROOT@/mass/%0",
      "VirtualDocumentRoot @ROOT@/mass/%-2.0.%-1.0",
      "VirtualDocumentRoot @ROOT@/mass/%2+",
      "VirtualDocumentRoot @ROOT@/mass/%1",
      "VirtualDocumentRoot @ROOT@/mass/%-3",
    ]),
    "UseCanonicalName Off",
    ...drawPerhaps(random, 0.3, "VirtualScriptAlias @ROOT@/mass/%0/cgi-bin"),
    ...(random.chance(0.6) ? section("Directory @ROOT@/mass", ...drawAccess(random), ...drawOverride(random)) : []),
  ],
  files: pages(
    "mass/one.mass.test/index.html",
    "mass/one.mass.test/docs/readme.txt",
    "mass/one/index.html",
    "mass/mass.test/index.html",
    "mass/mass.test/about.html",
    "mass/one.mass.test/cgi-bin/run.cgi",
    "mass/test/index.html",
  ),
  paths: ["/cgi-bin/run.cgi"],
  hosts: [
    "one.mass.test",
    "two.mass.test",
    "One.Mass.Test.",
    "mass.test",
    "a.b.one.mass.test",
    "one.mass.test:81",
    "..mass.test",
  ],
});

const drawProxy: DrawFeature = (random) => ({
  lines: [
    random.pick([
      "ProxyPass /api http://127.0.0.1:@BACKEND@/",
      "ProxyPass /api/ http://127.0.0.1:@BACKEND@/base/",
      'ProxyPassMatch "^/api/(.*)$" "http://127.0.0.1:@BACKEND@/$1"',
      "ProxyPass /api/static !\nProxyPass /api http://127.0.0.1:@BACKEND@",
      "ProxyPass /api http://127.0.0.1:@CLOSED@/",
    ]),
    ...drawPerhaps(random, 0.3, "ProxyPassReverse /api http://127.0.0.1:@BACKEND@/"),
    ...(random.chance(0.4)
      ? section(
          random.pick(['Proxy "*"', 'Proxy "http://127.0.0.1*"', 'ProxyMatch "^http://127"']),
          ...drawAccess(random),
        )
      : []),
    ...(random.chance(0.3) ? section("Location /api", ...drawAccess(random)) : []),
  ].flatMap((line) => line.split("\n")),
  paths: ["/api", "/api/", "/api/x/y?z", "/api/static/a", "/apix", "/api/%2e%2e/docs", "/api/../docs/readme.txt"],
});

const drawDav: DrawFeature = (random) => ({
  lines: [
    "DavLockDB @ROOT@/conf/davlock",
    ...section(
      random.pick(['Directory "@DOCROOT@/docs"', "Location /docs", "Location /dav"]),
      "Dav On",
      ...drawPerhaps(random, 0.5, "DirectoryIndex disabled"),
      ...(random.chance(0.4) ? section("LimitExcept GET OPTIONS", ...drawAccess(random)) : []),
      ...drawPerhaps(random, 0.2, "DavDepthInfinity On"),
    ),
    "Alias /dav @ROOT@/other",
  ],
  files: otherFiles,
  paths: [
    "/docs/readme.txt",
    "/docs/new.txt",
    "/docs/none/new.txt",
    "/dav/o.txt",
    "/dav/",
    "/dav/in/",
    "/docs",
    "/dav/in/p.html",
    "/docs/readme.txt/x",
  ],
});

const drawSectionMapping: DrawFeature = (random) => ({
  lines: [
    ...drawSome(random, 0.4, [
      '<Location "/away">\nRedirect 302 "http://www.example.test/"\n</Location>',
      '<LocationMatch "^/team/(?<NAME>[a-z]+)$">\nAlias "@ROOT@/other/%{env:MATCH_NAME}.txt"\nRequire expr "%{env:MATCH_NAME} != \'x\'"\n</LocationMatch>',
      '<Location "/inner">\nAlias "@ROOT@/other"\n</Location>',
      '<Location "/backend">\nProxyPass "http://127.0.0.1:@BACKEND@/"\n</Location>',
      "<Location /docs/never>\nRedirect gone\n</Location>",
      "Action special /cgi-bin/run.cgi\nAddHandler special .xyz",
      "Action virtual-special /cgi-bin/run.cgi virtual\n<Location /special>\nSetHandler virtual-special\n</Location>",
      "Script PATCH /cgi-bin/run.cgi",
      "ScriptAlias /cgi-bin/ @ROOT@/cgi-bin/",
      '<Directory "@DOCROOT@/docs">\nRedirect /docs/readme.txt /about.html\n</Directory>',
      "<Directory @ROOT@/cgi-bin>\nRequire all granted\n</Directory>",
    ]),
  ].flatMap((line) => line.split("\n")),
  files: { ...otherFiles, ...pages("cgi-bin/run.cgi") },
  paths: [
    "/away",
    "/away/x",
    "/team/o",
    "/team/x",
    "/inner/o.txt",
    "/inner",
    "/backend/x",
    "/docs/never",
    "/page.xyz",
    "/special/x",
    "/special",
    "/docs/readme.txt",
    "/notes.txt",
  ],
});

/** A directory with several names, and `.htaccess` files in it. */
const drawLinks: DrawFeature = (random) => ({
  lines: [
    ...drawPerhaps(random, 0.5, "Alias /linked @ROOT@/other"),
    ...(random.chance(0.7)
      ? section("Directory @DOCROOT@", "Options FollowSymLinks Indexes", ...drawOverride(random))
      : []),
    ...(random.chance(0.4) ? section("Directory @DOCROOT@/a-link", ...drawAccess(random)) : []),
  ],
  files: {
    ...otherFiles,
    ...drawAccessFile(random, "@ROOT@/other"),
    ...drawAccessFile(random, "@ROOT@/other/in"),
    ...drawAccessFile(random, "@DOCROOT@/docs"),
  },
  links: {
    "@DOCROOT@/a-link": "@ROOT@/other",
    "@DOCROOT@/app/z-link": "../docs",
    ...(random.chance(0.3) ? { "@DOCROOT@/docs/loop": "." } : {}),
    ...(random.chance(0.3) ? { "@ROOT@/other/in/back": "@DOCROOT@/docs" } : {}),
  },
  paths: [
    ...["/a-link/o.txt", "/a-link/", "/a-link/in/p.html", "/linked/in/p.html", "/app/z-link/readme.txt", "/docs/loop/"],
    ...["/docs/loop/loop/readme.txt", "/a-link/in/back/readme.txt", "/app/z-link/loop/index.html", "/docs/readme.txt"],
  ],
});

function drawAccessFile(random: Random, folder: string): Readonly<Record<string, string>> {
  const lines = random.pick([drawAccess(random), ["RewriteEngine On", "RewriteRule ^o\\.txt$ in/p.html"]]);
  return random.chance(0.6) ? { [`${folder}/.htaccess`]: `${lines.join("\n")}\n` } : {};
}

/** The features that map URL paths to files, backends and programs. */
export const mappingFeatures = [
  ...([drawAlias, drawAlias, drawPrograms, drawRedirects, drawUserDirectories, drawMassHosting, drawProxy] as const),
  ...[drawDav, drawLinks, drawSectionMapping, ...servedFileFeatures],
] as const;
