import { drawAccess } from "./access-features.js";
import { drawPerhaps, drawSome, section } from "./drawing.js";
import { type DrawFeature, pages } from "./feature.js";
import { drawRewriting, rewrittenPaths } from "./rewriting-features.js";
import { drawSection, drawSetting } from "./section-features.js";

const drawErrorDocuments: DrawFeature = (random) => ({
  lines: drawSome(random, 0.4, [
    `ErrorDocument 404 ${random.pick(["/errors/404.html", "/index.html", "/none.html", "/private/notes.txt", '"Nothing here"'])}`,
    `ErrorDocument 403 ${random.pick(["/errors/403.html", "http://errors.example.test/", "/private/x", "default"])}`,
    `ErrorDocument 401 ${random.pick(["/errors/401.html", '"Log in"', "/private/"])}`,
    "ErrorDocument 405 /errors/405.html",
    "ErrorDocument 500 /cgi-bin/run.cgi",
    "ErrorDocument 413 /errors/404.html",
    ...section("Location /errors", ...drawAccess(random)),
  ]).filter((line) => !/^<|^Require|^Auth|^Order|^Allow|^Deny|^Satisfy/.test(line)),
  files: pages("@DOCROOT@/errors/404.html", "@DOCROOT@/errors/403.html", "@DOCROOT@/errors/401.html"),
  paths: ["/errors/404.html", "/errors/", "/none", "/none/x", "/private/", "/docs/none.html"],
});

const drawProxies: DrawFeature = (random) => ({
  lines: [
    `RemoteIPHeader ${random.pick(["X-Forwarded-For", "X-Forwarded-For", "X-Real-IP"])}`,
    random.pick([
      "RemoteIPInternalProxy 127.0.0.1",
      "RemoteIPTrustedProxy 127.0.0.0/8",
      "RemoteIPInternalProxy 127.0.0.0/8 10.0.0.0/8",
    ]),
  ],
});

const drawVariables: DrawFeature = (random) => ({
  lines: drawSome(random, 0.35, [
    "SetEnvIf User-Agent bot bad_bot",
    'SetEnvIfNoCase X-Token "^s3cret$" trusted',
    "SetEnvIf Remote_Addr ^127\\.0\\.0\\.[23]$ trusted let_me_in=yes",
    "SetEnvIf Request_URI \\.txt$ !trusted",
    "SetEnvIf X-Forwarded-For ^203 bad_bot",
    "BrowserMatch curl let_me_in",
    "SetEnvIfExpr \"%{REQUEST_METHOD} == 'POST'\" bad_bot",
    "SetEnvIf trusted 1 let_me_in",
    "SetEnv trusted 1",
    "SetEnvIf Request_Method PUT bad_bot",
    "SetEnvIf Host ^www trusted=1",
    "RequestHeader set X-Token s3cret early",
    "RequestHeader unset User-Agent early",
  ]),
});

const drawLimits: DrawFeature = (random) => ({
  lines: drawSome(random, 0.3, [
    `StrictHostCheck ${random.pick(["On", "Off"])}`,
    "LimitRequestBody 20",
    `TraceEnable ${random.pick(["On", "Off", "extended"])}`,
    "AllowEncodedSlashes NoDecode",
    "AllowEncodedSlashes On",
    "MergeSlashes Off",
    "AccessFileName .htaccess .acl",
    "UseCanonicalName On",
    "FileETag None",
    "ServerSignature On",
    "KeepAlive Off",
    "ServerAdmin admin@example.test",
  ]),
});

const drawStatus: DrawFeature = (random) => ({
  lines: section(
    random.pick(["Location /server-status", 'Location "/server-status/"', 'LocationMatch "^/server-(status|info)"']),
    "SetHandler server-status",
    ...drawAccess(random),
  ),
  paths: ["/server-status", "/server-status/", "/server-status?auto", "/server-info"],
});

const drawRules: DrawFeature = (random) => ({ lines: drawRewriting(random, true), paths: rewrittenPaths });

const drawDirectoryRules: DrawFeature = (random) => ({
  lines: section(
    random.pick(['Directory "@DOCROOT@"', 'Directory "@DOCROOT@/app"', 'Directory "@DOCROOT@/docs"']),
    ...drawRewriting(random, false),
    ...drawPerhaps(random, 0.2, "Options MultiViews FollowSymLinks"),
  ),
  paths: rewrittenPaths,
});

const drawSections: DrawFeature = (random) => ({ lines: [...drawSection(random), ...drawSection(random)] });

const drawPlainSetting: DrawFeature = (random) => ({
  lines: [random.pick([drawSetting(random)])].filter((line) => !line.startsWith("AllowMethods")),
});

/** The features that do not map paths. */
export const serverFeatures = [
  ...([drawSections, drawSections, drawSections, drawErrorDocuments, drawProxies, drawVariables, drawLimits] as const),
  ...[drawStatus, drawRules, drawRules, drawDirectoryRules, drawPlainSetting],
] as const;
