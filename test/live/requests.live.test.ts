import { describe, expect, test } from "vitest";
import { implicitRequireAny } from "../../rules/implicit-require-any/implicit-require-any.js";
import { misplacedDirective } from "../../rules/misplaced-directive/misplaced-directive.js";
import { syntaxError } from "../../rules/syntax-error/syntax-error.js";
import { unreadExpression } from "../../rules/unread-expression/unread-expression.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { bobAuthentication, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf } from "../support/rules.js";

const modules = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_host", "access_compat"],
  ...["setenvif", "headers"],
];
const rulesOf = (rules: Parameters<typeof findingsOf>[0], text: string) =>
  findingsOf(rules, text, { kind: "htaccess" }).map((each) => each.rule);

describe.skipIf(!httpd)(liveTitle("what the running server answers"), () => {
  test("reports a Require that allows requests beside one for a user", async () => {
    const all = ["Require all granted"];
    const user = ["Require valid-user"];
    const needsUser = ["<RequireAll>", "Require ip 10", ...user, "</RequireAll>"];
    /** The lines, and whether a request without a password is allowed by GET and by POST. */
    const cases: readonly (readonly [lines: readonly string[], get: boolean, post: boolean, told: boolean])[] = [
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
      [user, false, false, false],
    ];
    const sections = cases.flatMap(([lines], index) => [
      `<Location /${index}>`,
      ...bobAuthentication,
      ...lines,
      "</Location>",
    ]);
    await withRunningHttpd(modules, ["SetEnvIf Host . ok", ...sections], async ({ ask }) => {
      for (const [index, [lines, get, post, told]] of cases.entries()) {
        const isLetIn = async (method: string) => (await ask({ path: `/${index}`, method })).status === 404;
        expect({ lines, get: await isLetIn("GET"), post: await isLetIn("POST") }).toEqual({ lines, get, post });
        const rules = rulesOf([implicitRequireAny], `${lines.join("\n")}\n`);
        expect({ lines, rules }).toEqual({ lines, rules: told ? ["implicit-require-any"] : [] });
      }
    });
  });

  test("of a `.htaccess` with a section that may not stand there and is not closed either", async () => {
    const files = {
      "open/.htaccess": "<Directory /srv>\n",
      "closed/.htaccess": "<Directory /srv>\n</Directory>\n",
      "taken/.htaccess": "<Files x>\n",
    };
    const given = ['<Directory "/">', "AllowOverride All", "</Directory>"];
    await withRunningHttpd(
      modules,
      given,
      async ({ ask, errors }) => {
        for (const name of ["open", "closed", "taken"])
          expect((await ask({ path: `/${name}/` })).status, name).toBe(500);
        const said = (name: string) => new RegExp(`/${name}/\\.htaccess: (.*)`).exec(errors())?.[1];
        // The first complaint is about the missing tag, but adding that would not help.
        expect(said("open")).toMatch(/: <Directory> was not closed\.$/);
        expect(said("closed")).toContain("<Directory not allowed here");
        expect(said("taken")).toMatch(/: <Files> was not closed\.$/);
      },
      files,
    );
    const told = Object.values(files).map((text) => rulesOf([misplacedDirective, syntaxError], text));
    expect(told).toEqual([["misplaced-directive"], ["misplaced-directive"], ["syntax-error"]]);
  });

  test("ignores the rest after an unclosed pattern", async () => {
    const section = '<If "true /x && false">\nHeader always set X-If yes\n</If>';
    await withRunningHttpd(modules, section.split("\n"), async ({ ask }) => {
      expect((await ask({ path: "/" })).headers["x-if"]).toBe("yes");
    });
    expect(rulesOf([unreadExpression], `${section}\n`)).toEqual(["unread-expression"]);
  });
});
