import { expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const modules = ["authn_core", "authz_core", "dir", "proxy", "rewrite"];
const lines = [
  ...['DocumentRoot "/srv"', '<Directory "/srv/down">', "AllowOverride All", "</Directory>", "<Location /secret>"],
  ...["Require all denied", "</Location>", "RewriteEngine On", "RewriteRule ^/odd odd://o.test/ [P]", ""],
];

/** Returns the beginnings of the messages for three requests, and whether the server may log others. */
function logSummary(...level: readonly string[]): string {
  const text = [...level, ...lines].join("\n");
  const files = { "/etc/httpd/httpd.conf": text, "/srv/down/.htaccess": "Nonsense\n" };
  const simulatedServer = new SimulatedServer(
    load(files, { kind: "server", modules }),
    createListedFiles(["/srv/down/x"]),
  );
  const decisions = ["/secret/x", "/down/x", "/odd"].map((path) =>
    simulatedServer.answer({ method: "GET", path, clientIp: "192.0.2.7", host: "a.test" }),
  );
  const codes = decisions.flatMap(({ errorLog }) => errorLog.map((line) => line.split(":")[0]));
  return [...codes, ...(decisions.some(({ logsMayDiffer }) => logsMayDiffer) ? ["perhaps others"] : [])].join(" ");
}

const all = "AH01630 /srv/down/.htaccess AH01144";

// The live server logs the same (test/live/log-level.live.test.ts).
test.each<[level: readonly string[], messages: string]>([
  [[], all],
  [["LogLevel notice"], all],
  [["LogLevel warn"], all],
  [["LogLevel error"], "AH01630 /srv/down/.htaccess"],
  [["LogLevel Crit"], "/srv/down/.htaccess"],
  [["LogLevel alert"], "/srv/down/.htaccess"],
  [["LogLevel emerg"], ""],
  [["LogLevel debug", "LogLevel error"], "AH01630 /srv/down/.htaccess"],
  [["LogLevel debug error"], "AH01630 /srv/down/.htaccess"],
  [["LogLevel info"], `${all} perhaps others`],
  [["LogLevel crit rewrite:trace3"], `${all} perhaps others`],
  [["<Location /secret>", "LogLevel crit", "</Location>"], "/srv/down/.htaccess AH01144"],
])("%j", (level, messages) => {
  expect(logSummary(...level)).toBe(messages);
});
