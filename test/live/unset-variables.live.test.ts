import { describe, expect, test } from "vitest";
import { httpd, liveTitle, runHttpdOn } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "authz_host", "alias"];
const section = ["<Directory DOCROOT/a>", "Require ip ${HTTPD_LINT_OFFICE}", "</Directory>"];
const htaccess = ["<Directory DOCROOT/b>", "AllowOverride All", "</Directory>"];
const files = { "a/x.txt": "x\n", "b/.htaccess": "Require all ${HTTPD_LINT_ALL}\n", "b/x.txt": "x\n" };

describe.skipIf(!httpd)(liveTitle("a variable that is only in the server's environment"), () => {
  test.each([
    ["127.0.0.1", "granted", 200, 200],
    ["10.0.0.0/8", "denied", 403, 403],
    ["127.0.0.1", "", 200, 500],
  ])("makes decisions unknown, with the values %s and %s", async (HTTPD_LINT_OFFICE, all, inSection, inFile) => {
    const environment = { HTTPD_LINT_OFFICE, ...(all === "" ? {} : { HTTPD_LINT_ALL: all }) };
    const compare = async (running: Parameters<Parameters<typeof withRunningHttpd>[2]>[0]) => {
      const simulatedServer = simulatedServerOn(running);
      for (const [path, status, line] of [
        ["/a/x.txt", inSection, "Require ip ${HTTPD_LINT_OFFICE}"],
        ["/b/x.txt", inFile, "Require all ${HTTPD_LINT_ALL}"],
      ] as const) {
        expect({ path, status: (await running.ask({ path })).status }).toEqual({ path, status });
        const { status: decided, unknown } = simulatedServer.answer({ method: "GET", path, clientIp: "127.0.0.1" });
        expect({ decided, unknown }).toEqual({ decided: undefined, unknown: [expect.stringContaining(`\`${line}\``)] });
      }
    };
    await withRunningHttpd(modules, [...section, ...htaccess], compare, files, environment);
  });

  test("can prevent the start of the server if it is not set", () => {
    const { status, stderr } = runHttpdOn(modules, '<Location "/">\nRequire ip ${HTTPD_LINT_OFFICE}\n</Location>\n');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("AH00111") });
  });
});
