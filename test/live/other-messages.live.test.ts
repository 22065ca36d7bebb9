import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { bobAuthentication, errorsAfter, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

const modules = [
  ...["authn_core", "authz_core", "authz_host", "authn_file", "auth_basic", "authz_user", "access_compat", "autoindex"],
  "dir",
];

const levels = ["emerg", "error", "warn", "notice", "info", "authz_core:crit", "crit authz_core:warn", "crit warn"];

/** Contents of `.htaccess` files that are rejected. */
const rejected = [
  ...["\ufeffRequire all denied", "Ümläut on", '<Files "ü">\nNöpe é\n</Files>', "<Ü x>\n</Ü>", "Options Ü"],
  ...["Require ü", "Order ü"],
];

const lines = [
  ...['<Directory "DOCROOT">', "AllowOverride All", "Options Indexes", "</Directory>"],
  ...levels.flatMap((level, index) => [
    `<Location "/level${index}">`,
    ...[`LogLevel ${level}`, "Require all denied", "</Location>"],
  ]),
  ...['<Files "denied.txt">', "Require all denied", "</Files>", '<Files "old.txt">', "Deny from all", "</Files>"],
];

const files = {
  ...Object.fromEntries(rejected.flatMap((text, index) => [[`r${index}/.htaccess`, `${text}\n`]])),
  "ü/.htaccess": "Nöpe\n",
  ...{ "denied/a.txt": "", "denied/denied.txt": "", "compat/old.txt": "", "compat/sub/x": "", "plain/a.txt": "" },
  ...{ "inner/sub/.htaccess": "Require all denied\n", "broken/sub/.htaccess": "Nope\n" },
};

describe.skipIf(!httpd)(liveTitle("messages about requests"), () => {
  test("equal those of the decision, or are marked as possibly different", async () => {
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        const requestPaths = [
          ...levels.map((_, index) => `/level${index}`),
          ...rejected.map((_, index) => `/r${index}/`),
          ...["/%C3%BC/x", "/denied/", "/compat/", "/inner/", "/broken/", "/plain/"],
        ];
        const differing: string[] = [];
        for (const path of requestPaths)
          for (const method of ["GET", "HEAD"]) {
            const before = running.errors().length;
            const { status } = await running.ask({ path, method });
            const live = errorsAfter(running, before);
            const decided = simulatedServer.answer({ method, path, host: "127.0.0.1", clientIp: "127.0.0.1" });
            expect([method, path, decided.status]).toEqual([method, path, status]);
            if (decided.logsMayDiffer) differing.push(`${method} ${path}`);
            else expect([method, path, ...decided.errorLog]).toEqual([method, path, ...live]);
          }
        const ofLevels = [4, 5, 6].flatMap((index) => [`GET /level${index}`, `HEAD /level${index}`]);
        expect(differing).toEqual([...ofLevels, ...["GET /denied/", "GET /compat/", "GET /inner/", "GET /broken/"]]);
      },
      files,
    );
  });
});

describe.skipIf(!httpd)(liveTitle("AuthBasicFake"), () => {
  test("makes an answer unknown only if a subrequest with its user can decide it", async () => {
    const directories = [
      ...['<Directory "DOCROOT">', "AuthBasicFake bob secret", "</Directory>"],
      ...['<Files "index.html">', ...bobAuthentication, "Require valid-user", "</Files>"],
      ...['<Directory "DOCROOT/off">', "AuthBasicFake off", "</Directory>"],
    ];
    await withRunningHttpd(
      modules,
      directories,
      async (running) => {
        const fakePaths = ["/fake/", "/fake/x.txt", "/fake/index.html", "/fake/none", "/off/", "/off/x.txt"];
        const requests = fakePaths.flatMap((path) => [{ path }, { path, user: "bob" }, { path, user: "eve" }]);
        expect(await findDifferingAnswers(running, requests, { open: ["/fake/"] })).toEqual([]);
        // For the index file, the user is bob, although the client sends no credentials.
        expect((await running.ask({ path: "/fake/" })).status).toBe(200);
      },
      { "fake/index.html": "x\n", "fake/x.txt": "x\n", "off/index.html": "x\n", "off/x.txt": "x\n" },
    );
  });
});
