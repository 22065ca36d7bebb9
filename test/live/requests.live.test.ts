import { describe, expect, test } from "vitest";
import { implicitRequireAny } from "../../rules/implicit-require-any/implicit-require-any.js";
import { misplacedDirective } from "../../rules/misplaced-directive/misplaced-directive.js";
import { misreadLine } from "../../rules/misread-line/misread-line.js";
import { syntaxError } from "../../rules/syntax-error/syntax-error.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, bobAuthentication, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf, onlyVariant } from "../support/rules.js";

const unreadExpression = onlyVariant(misreadLine, "unread-expression");

const modules = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_host", "access_compat"],
  ...["setenvif", "headers"],
];
const rulesOf = (rules: Parameters<typeof findingsOf>[0], text: string) =>
  findingsOf(rules, text, { kind: "htaccess" }).map((each) => each.rule);

describe.skipIf(!httpd)(liveTitle("findings about requests, compared with the running server"), () => {
  test("report a `Require` that allows requests next to one for a user", async () => {
    const all = ["Require all granted"];
    const user = ["Require valid-user"];
    const needsUser = ["<RequireAll>", "Require ip 10", ...user, "</RequireAll>"];
    /** The lines, and whether a request without a password is allowed by GET and by POST. */
    const cases: readonly (readonly [lines: readonly string[], get: boolean, post: boolean, isReported: boolean])[] = [
      [[...all, ...user], true, true, true],
      [[...user, ...all], true, true, true],
      [[...all, "<Limit POST>", ...user, "</Limit>"], true, true, true],
      [[...all, ...needsUser], true, true, true],
      [["Require all denied", ...all], true, true, true],
      [["<Limit GET>", ...all, "</Limit>", ...user], true, false, false],
      [["Require method GET", ...user], true, false, true],
      [["Require method OPTIONS", ...user], false, false, false],
      [["Require expr true", ...user], true, true, true],
      [["Require expr %{REMOTE_USER} == 'bob'", ...user], false, false, false],
      [["Require env ok", ...user], true, true, true],
      [["Require local", ...user], true, true, true],
      [["Require all denied", ...user], false, false, false],
      [[...user, "<RequireAny>", "Require ip 192.0.2.7", "Require local", "</RequireAny>"], true, true, true],
      [[...user, "<RequireAll>", ...all, "Require not ip 192.0.2.7", "</RequireAll>"], true, true, true],
      [["Require local", "<RequireAny>", ...user, "Require user alice", "</RequireAny>"], true, true, true],
      [
        ["<RequireAll>", ...user, "<RequireAny>", "Require local", "</RequireAny>", "</RequireAll>"],
        false,
        false,
        false,
      ],
      [["Require user alice", "<RequireAny>", ...user, "Require local", "</RequireAny>"], true, true, false],
      [user, false, false, false],
    ];
    const sections = cases.flatMap(([lines], index) => [
      `<Location /${index}>`,
      ...bobAuthentication,
      ...lines,
      "</Location>",
    ]);
    await withRunningHttpd(modules, ["SetEnvIf Host . ok", ...sections], async ({ ask }) => {
      for (const [index, [lines, get, post, isReported]] of cases.entries()) {
        const isAllowed = async (method: string) => (await ask({ path: `/${index}`, method })).status === 404;
        expect({ lines, get: await isAllowed("GET"), post: await isAllowed("POST") }).toEqual({ lines, get, post });
        const rules = rulesOf([implicitRequireAny], `${lines.join("\n")}\n`);
        expect({ lines, rules }).toEqual({ lines, rules: isReported ? ["implicit-require-any"] : [] });
      }
    });
  });

  test("report a login of any user for writing beside some users", async () => {
    const [any, alice] = ["Require valid-user", "Require user alice"];
    const limit = (start: string, line: string) => [`<${start}>`, line, `</${start.split(" ")[0]}>`];
    /** The lines, and whether bob may read and write with his password. */
    const cases: readonly (readonly [lines: readonly string[], get: boolean, post: boolean, isReported: boolean])[] = [
      [[...limit("LimitExcept GET", any), alice], false, true, true],
      [[alice, ...limit("Limit POST PUT", any)], false, true, true],
      [[...limit("Limit GET", any), alice], true, false, false],
      [limit("LimitExcept GET", alice), true, false, false],
    ];
    const sections = cases.flatMap(([lines], index) => [
      ...[`<Location /${index}>`, ...bobAuthentication, ...lines, "</Location>"],
    ]);
    await withRunningHttpd(modules, sections, async ({ ask }) => {
      for (const [index, [lines, get, post, isReported]] of cases.entries()) {
        const isAllowed = async (method: string) =>
          (await ask({ path: `/${index}`, method, headers: asBob })).status === 404;
        expect({ lines, get: await isAllowed("GET"), post: await isAllowed("POST") }).toEqual({ lines, get, post });
        const rules = rulesOf([implicitRequireAny], `${lines.join("\n")}\n`);
        expect({ lines, rules }).toEqual({ lines, rules: isReported ? ["implicit-require-any"] : [] });
      }
    });
  });

  test("report a section that `.htaccess` does not allow, even if it is not closed", async () => {
    const files = {
      "open/.htaccess": "<Directory /srv>\n",
      "closed/.htaccess": "<Directory /srv>\n</Directory>\n",
      "allowed/.htaccess": "<Files x>\n",
    };
    const lines = ['<Directory "/">', "AllowOverride All", "</Directory>"];
    await withRunningHttpd(
      modules,
      lines,
      async ({ ask, errors }) => {
        for (const name of ["open", "closed", "allowed"])
          expect((await ask({ path: `/${name}/` })).status, name).toBe(500);
        const errorOf = (name: string) => new RegExp(`/${name}/\\.htaccess: (.*)`).exec(errors())?.[1];
        // The server reports the missing tag first, but adding the tag would not help.
        expect(errorOf("open")).toMatch(/: <Directory> was not closed\.$/);
        expect(errorOf("closed")).toContain("<Directory not allowed here");
        expect(errorOf("allowed")).toMatch(/: <Files> was not closed\.$/);
      },
      files,
    );
    const reported = Object.values(files).map((text) => rulesOf([misplacedDirective, syntaxError], text));
    expect(reported).toEqual([["misplaced-directive"], ["misplaced-directive"], ["syntax-error"]]);
  });

  test("report the part of an expression that the server ignores after an unclosed pattern", async () => {
    const section = '<If "true /x && false">\nHeader always set X-If yes\n</If>';
    await withRunningHttpd(modules, section.split("\n"), async ({ ask }) => {
      expect((await ask({ path: "/" })).headers["x-if"]).toBe("yes");
    });
    expect(rulesOf([unreadExpression], `${section}\n`)).toEqual(["misread-line"]);
  });
});
