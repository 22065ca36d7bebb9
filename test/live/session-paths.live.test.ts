import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = [
  ...["authn_core", "authn_file", "authz_core", "authz_user", "auth_form", "session", "session_cookie", "request"],
];
const login = ["AuthType Form", "AuthName x", "AuthFormProvider file", "AuthUserFile users", "Require valid-user"];
const session = ["Session On", "SessionCookieName login path=/"];
const files = { "a/x.txt": "", "a/b/x.txt": "", "c/x.txt": "" };
const paths = Object.keys(files).map((name) => `/${name}`);

/** Returns the statuses of the paths for a client with a session, from a running server and as predicted. */
async function statusesOf(lines: readonly string[]) {
  const all = ['<Location "/">', ...login, ...session, "</Location>", ...lines];
  let statuses: readonly (readonly [path: string, live: number, predicted: unknown])[] = [];
  await withRunningHttpd(
    modules,
    all,
    async (running) => {
      const body = "httpd_username=bob&httpd_password=secret";
      const form = { "Content-Type": "application/x-www-form-urlencoded" };
      const asked = await Promise.all(paths.map((path) => running.ask({ path, method: "POST", headers: form, body })));
      const cookie = asked.flatMap(({ headers }) => headers["set-cookie"] ?? [])[0]?.replace(/;.*/, "") ?? "";
      const server = simulatedServerOn(running);
      statuses = await Promise.all(
        paths.map(async (path) => {
          const live = await running.ask({ path, headers: { Cookie: cookie } });
          const request = { method: "GET", path, clientIp: "127.0.0.1", user: "bob" };
          const { status, unknown } = server.answer(request);
          return [path, live.status, status ?? unknown.join("; ")] as const;
        }),
      );
    },
    files,
  );
  return statuses;
}

describe.skipIf(!httpd)(liveTitle("sessions of mod_auth_form"), () => {
  test.each([
    ["at all paths without such lines", [], [200, 200, 200]],
    ["at the beginnings of SessionInclude", ["SessionInclude /a"], [200, 200, 401]],
    ["not at those of SessionExclude", ["SessionExclude /a/b"], [200, 401, 200]],
    ["at what both leave", ["SessionInclude /a", "SessionInclude /c", "SessionExclude /a/b"], [200, 401, 200]],
    [
      "at what the lines of all sections leave",
      [
        '<Location "/a">',
        "SessionInclude /a/x",
        "</Location>",
        '<Location "/a/b">',
        "SessionInclude /a/b/",
        "</Location>",
      ],
      [200, 200, 200],
    ],
    ["by the beginning of a name", ['<Location "/">', "SessionExclude /a/b/x.t", "</Location>"], [200, 401, 200]],
  ])("apply %s", async (_, lines, expected) => {
    const found = await statusesOf(lines);
    expect(found.map(([path, live]) => [path, live])).toEqual(paths.map((path, index) => [path, expected[index]]));
    expect(found.map(([path, , predicted]) => [path, predicted])).toEqual(found.map(([path, live]) => [path, live]));
  });
});
