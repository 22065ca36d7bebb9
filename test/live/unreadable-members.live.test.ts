import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authn_core", "authn_file", "authz_core", "authz_user", "authz_groupfile", "auth_basic"];
const basic = ["AuthType Basic", "AuthName x"];

/** Lines of a section, whether the request has a password, and its status. `d` is a directory. */
const cases: readonly (readonly [lines: readonly string[], isBob: boolean, status: number])[] = [
  [["AuthUserFile DOCROOT/d", "Require valid-user"], true, 500],
  [["AuthUserFile DOCROOT/d", "Require user bob"], true, 500],
  [["AuthUserFile DOCROOT/d", "Require valid-user"], false, 401],
  [["AuthUserFile DOCROOT/d", "Require all granted"], true, 200],
  [["AuthUserFile DOCROOT/none", "Require valid-user"], true, 500],
  [["AuthUserFile DOCROOT/x.txt/users", "Require valid-user"], true, 500],
  [["AuthUserFile DOCROOT/empty", "Require valid-user"], true, 401],
  [["AuthUserFile users", "Require valid-user"], true, 200],
  [["AuthUserFile users", "AuthGroupFile DOCROOT/d", "Require group staff"], true, 401],
  [["AuthUserFile users", "AuthGroupFile DOCROOT/none", "Require group staff"], true, 401],
  [["AuthUserFile users", "AuthGroupFile DOCROOT/staff", "Require group staff"], true, 200],
];

describe.skipIf(!httpd)(liveTitle("password and group files that cannot be read"), () => {
  test.each(cases)("%j, with a password: %s, returns %i", async (lines, isBob, status) => {
    await withRunningHttpd(
      modules,
      ["<Directory DOCROOT>", ...basic, ...lines, "</Directory>"],
      async (running) => {
        const headers = isBob ? asBob : {};
        expect((await running.ask({ path: "/x.txt", headers })).status).toBe(status);
        const request = { method: "GET", path: "/x.txt", clientIp: "127.0.0.1", ...(isBob ? { user: "bob" } : {}) };
        expect(simulatedServerOn(running).answer(request).status).toBe(status);
      },
      { "x.txt": "x\n", "d/x": "", empty: "", staff: "staff: bob\n" },
    );
  });
});
