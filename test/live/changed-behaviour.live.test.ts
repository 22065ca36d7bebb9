import { describe, expect, test } from "vitest";
import { changedBehaviour } from "../../rules/changed-behaviour/changed-behaviour.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf } from "../support/rules.js";

const modules = ["authz_core", "alias", "rewrite", "headers"];
const toFile = (pattern: string, query: string, flags: string) => `RewriteRule ${pattern} /x.txt${query} ${flags}`;

/** Rules for the paths below a separate folder, and the resulting query string for `/N/a b-c`; 403 if there is none. */
const rules: readonly (readonly [rule: (path: string) => string, query?: string])[] = [
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[L]")],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[BCTLS,L]"), "q=a+b-c"],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[B,L]"), "q=a+b%2dc"],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[B,BNP,L]"), "q=a%20b%2dc"],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", '"[B= ?,L]"'), "q=a+b-c"],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[B=/,L]")],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", '"[B,BNE=- ?,L]"')],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[BNP,L]")],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[NE,L]")],
  [(path) => toFile(`^${path}(.*)`, "?q=$1", "[UnsafeAllow3F,L]")],
  [(path) => toFile(`^${path}(.*)`, "?q=${esc:$1}", "[L]"), "q=a%20b-c"],
  [(path) => toFile(`^${path}`, "?q=%{REQUEST_URI}", "[B,L]")],
  [(path) => toFile(`^${path}(.*)-([a-z])$`, "?q=$2", "[L]"), "q=c"],
  [(path) => `RewriteCond %{REQUEST_URI} ^${path}(.*)\n${toFile(`^${path}`, "?q=%1", "[L]")}`],
  [(path) => `RewriteCond %{REQUEST_URI} ^${path}(.*)\n${toFile(`^${path}`, "?q=%1", "[BCTLS,L]")}`, "q=a+b-c"],
];

describe.skipIf(!httpd)(liveTitle("behaviour that changed in 2.4, on the live server"), () => {
  test("a rule with a blank in the query string returns 403", async () => {
    const written = rules.map(([rule], index) => rule(`/${index}/`));
    const lines = [
      ...["RewriteEngine on", "RewriteMap esc int:escape", "RewriteRule ^/r/(.*) http://y.test/?q=$1 [R]"],
      ...written,
      'Header set Q "expr=%{QUERY_STRING}"',
      ...['<Directory "DOCROOT/in">', "RewriteEngine on", "RewriteRule ^x/(.*) x.txt?q=$1", "</Directory>"],
    ];
    const files = { "x.txt": "x\n", "in/x.txt": "x\n" };
    await withRunningHttpd(
      modules,
      lines,
      async ({ ask, errors }) => {
        for (const [index, [, query]] of rules.entries()) {
          const { status, headers } = await ask({ path: `/${index}/a%20b-c` });
          const isReported = findingsOf([changedBehaviour], `${written[index]}\n`, { from: "2.2" }).length > 0;
          const live = { status, query: status === 200 ? headers["q"] : undefined, isReported };
          const expected = { status: query === undefined ? 403 : 200, query, isReported: query === undefined };
          expect({ rule: written[index], ...live }).toEqual({ rule: written[index], ...expected });
        }
        expect(errors()).toContain("AH10410");
        expect((await ask({ path: "/r/a%20b" })).headers.location).toBe("http://y.test/?q=a%20b");
        expect(errors()).not.toContain("AH10411");
        expect((await ask({ path: "/in/x/a%20b" })).status).toBe(403);
        expect(errors()).toContain("AH10411");
      },
      files,
    );
  });

  test("a header with an underscore does not become a variable of scripts and SSI pages", async () => {
    const linesOfHosts = [
      ["RequestHeader set X_One one"],
      ["RequestHeader set X-One one"],
      ["RequestHeader set X_One one", 'SetEnvIf ^X_One$ "(.*)" HTTP_X_ONE=$1'],
      ["RequestHeader set X_One one early", 'SetEnvIf ^X_One$ "(.*)" HTTP_X_ONE=$1'],
      ["RequestHeader set X_One one", "SetEnv HTTP_X_ONE one"],
    ];
    // Without and with the header from a client. The server also ignores a header from a client if its name has an
    // underscore.
    const expected = [
      ["", "client"],
      ["one", "one"],
      ["", "client"],
      ["one", "client"],
      ["one", "client"],
    ];
    const hosts = linesOfHosts.flatMap((each, index) => [
      ...["<VirtualHost *>", `ServerName host${index}.test`, ...each, "</VirtualHost>"],
    ]);
    const ssi = ["Options +Includes", "SetOutputFilter INCLUDES", 'Header set One "expr=%{reqenv:HTTP_X_ONE}"'];
    const lines = [
      '<Directory "DOCROOT">',
      ...ssi,
      'Header set Two "expr=%{reqenv:HTTP_X_TWO}"',
      "</Directory>",
      ...hosts,
    ];
    await withRunningHttpd(
      [...modules, "include", "setenvif", "env"],
      lines,
      async ({ ask }) => {
        for (const index of linesOfHosts.keys()) {
          const answers = [];
          for (const headers of [{ X_Two: "two" }, { "X-One": "client" }]) {
            const answer = await ask({ path: "/x.txt", headers: { Host: `host${index}.test`, ...headers } });
            answers.push(answer.headers["one"]);
            expect(answer.headers["two"]).toBe("");
          }
          expect({ lines: linesOfHosts[index], answers }).toEqual({
            lines: linesOfHosts[index],
            answers: expected[index],
          });
        }
      },
      { "x.txt": "x\n" },
    );
  });

  test("`SSLEngine optional` does not enable TLS", async () => {
    const lines = ["<VirtualHost *>", "SSLEngine optional", "</VirtualHost>"];
    await withRunningHttpd(
      [...modules, "ssl"],
      lines,
      async ({ ask, errors }) => {
        const { status, headers } = await ask({
          path: "/x.txt",
          headers: { Upgrade: "TLS/1.0", Connection: "Upgrade" },
        });
        expect({ status, upgrade: headers.upgrade }).toEqual({ status: 200, upgrade: undefined });
        expect(errors()).not.toMatch(/ssl:(?:error|emerg)/);
      },
      { "x.txt": "x\n" },
    );
  });
});
