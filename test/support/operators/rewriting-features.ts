import type { Random } from "../random/random.js";
import { drawMany, drawPerhaps, type Lines } from "./drawing.js";

const conditions = [
  ...["%{REQUEST_FILENAME} !-f", "%{REQUEST_FILENAME} !-d", "%{REQUEST_FILENAME} -f", "%{REQUEST_FILENAME} -d"],
  ...["%{HTTP_HOST} ^www\\.(.+)$ [NC]", "%{HTTP_HOST} !^www\\. [NC]", "%{QUERY_STRING} (^|&)debug=1", "%{HTTPS} off"],
  ...["%{REQUEST_METHOD} ^(TRACE|PUT)$", "%{HTTP_USER_AGENT} bot [NC,OR]", "%{REMOTE_ADDR} ^127\\.0\\.0\\.[12]$"],
  ...[
    "%{REQUEST_URI} !^/(docs|img)/",
    "%{HTTP:X-Token} =s3cret",
    "%{REQUEST_URI} \\.(html|txt)$",
    "%{HTTP_REFERER} !^$",
  ],
  ...[
    "%{DOCUMENT_ROOT}%{REQUEST_URI} -f",
    "%{REQUEST_FILENAME}.html -f",
    "%{ENV:trusted} =1",
    "%{REQUEST_FILENAME} -l",
  ],
  ...["%{THE_REQUEST} \\s/app/", "%{SERVER_PORT} !=80", "%{REQUEST_URI} ^/(.*)\\.html$", "expr \"-n req('X-Token')\""],
  ...["%{HTTP:X-Forwarded-For} ^203\\.", "%{REMOTE_USER} ^alice$", "%{PATH_INFO} ^/", "%{SCRIPT_FILENAME} lib"],
] as const;

/** Rules as they are in a directory; those of a server begin with a slash. */
const rules = [
  ...["^ index.php [L]", "^(.*)$ index.php?q=$1 [L,QSA]", "^index\\.php$ - [L]", "(^|/)\\.(?!well-known) - [F]"],
  ...["^old/(.*)$ docs/$1 [R=301,L]", "^old/(.*)$ docs/$1 [PT]", "^blog/([0-9]+)/?$ app/index.php?id=$1 [L,QSA]"],
  ...["^private/ - [F]", "^gone - [G]", "\\.(inc|sql)$ - [F,NC]", "^(.+)\\.htm$ $1.html", "^(.*[^/])$ $1.html [L]"],
  ...["^docs/(.*) /other/$1 [L]", "^api/(.*) /app/index.php/$1 [L]", "^loop/(.*) loop/x$1 [L]", "^teapot - [R=410,L]"],
  ...[
    "^up$ http://elsewhere.example.test/x [R]",
    "^here$ http://%{HTTP_HOST}/docs/ [R=302,L]",
    "^env$ - [E=trusted:1]",
  ],
  ...["^p/(.*) http://127.0.0.1:@BACKEND@/$1 [P]", "^(.*)\\.xyz$ $1 [T=text/html]", "^handler/ - [H=server-status]"],
  ...["^img/(.*)\\.(png|gif)$ img/logo.$2 [L]", "!^(docs|img|app)/ - [S=1]", "^c/(.*) docs/$1 [C]", "^n(n*)$ m$1 [N]"],
  ...[
    "^end/(.*) docs/$1 [END]",
    "^(?!docs)([a-z]+)/([a-z]+)$ $1/$2.html [L,NC]",
    "^q$ docs/?a=b [L,QSD]",
    "^b%20 - [B]",
  ],
  ...[
    "^space\\ name$ docs/a\\ b.txt [L]",
    "^abs$ @DOCROOT@/docs/readme.txt [L]",
    "^$ docs/ [L]",
    "^(.*)/$ /$1 [R=301,L]",
  ],
] as const;

function drawRule(random: Random, isInServer: boolean): Lines {
  const [pattern = "", target = "", ...flags] = random.pick(rules).split(/(?<!\\) /);
  const inServer = (text: string) => text.replace(/^(!?\^)(?![/(]|$)/, "$1/").replace(/^(!?\^)\((?!\?)/, "$1/(");
  const rooted = /^(-$|http|\/|@|%)/.test(target) ? target : `/${target}`;
  const rule = isInServer ? [inServer(pattern), rooted, ...flags] : [pattern, target, ...flags];
  return [
    ...drawMany(random, 0, 2, (each) => `RewriteCond ${each.pick(conditions)}`),
    `RewriteRule ${rule.map((word) => (word.includes("\\ ") ? `"${word.replaceAll("\\ ", " ")}"` : word)).join(" ")}`,
  ];
}

/** Draws the front controller that most applications have. */
function drawFrontController(random: Random, isInServer: boolean): Lines {
  return [
    ...(isInServer ? [] : drawPerhaps(random, 0.4, `RewriteBase ${random.pick(["/", "/app/", "/app"])}`)),
    ...drawPerhaps(random, 0.5, `RewriteRule ^${isInServer ? "/" : ""}index\\.php$ - [L]`),
    `RewriteCond ${isInServer ? "@DOCROOT@%{REQUEST_URI}" : "%{REQUEST_FILENAME}"} !-f`,
    ...drawPerhaps(random, 0.8, `RewriteCond ${isInServer ? "@DOCROOT@%{REQUEST_URI}" : "%{REQUEST_FILENAME}"} !-d`),
    `RewriteRule ${random.pick([". index.php [L]", "^(.*)$ index.php/$1 [L]", "^ index.php [L]"]).replace(/ (?=index)/, isInServer ? " /" : " ")}`,
  ];
}

/** Draws the rules of a server, or of a directory. */
export function drawRewriting(random: Random, isInServer: boolean): Lines {
  return [
    "RewriteEngine On",
    ...drawPerhaps(
      random,
      0.1,
      `RewriteOptions ${random.pick(["Inherit", "InheritBefore", "AllowNoSlash", "IgnoreInherit"])}`,
    ),
    ...(random.chance(0.4)
      ? drawFrontController(random, isInServer)
      : drawMany(random, 1, 3, (each) => drawRule(each, isInServer)).flat()),
  ];
}

/** URL paths that the rules affect. */
export const rewrittenPaths = [
  ...[
    "/old/readme.txt",
    "/old/",
    "/blog/12",
    "/blog/12/",
    "/gone",
    "/about.htm",
    "/about",
    "/api/x/y",
    "/loop/a",
    "/teapot",
  ],
  ...[
    "/up",
    "/here",
    "/env",
    "/p/x",
    "/page.xyz",
    "/handler/x",
    "/img/any.png",
    "/c/readme.txt",
    "/nnn",
    "/end/readme.txt",
  ],
  ...[
    "/docs/readme",
    "/q",
    "/space%20name",
    "/abs",
    "/none/at/all",
    "/.git/config",
    "/.well-known/x",
    "/app/lib/secret.inc",
  ],
] as const;
