import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** AllowOverride lines of an outer and an inner directory. */
const cases: readonly (readonly [outer: readonly string[], inner: readonly string[]])[] = [
  [["AllowOverride Options=Indexes"], []],
  [["AllowOverride Options=Indexes"], ["AllowOverride All"]],
  [["AllowOverride Options=Indexes"], ["AllowOverride Limit"]],
  [["AllowOverride Options=Indexes"], ["AllowOverride Options"]],
  [["AllowOverride Options=Indexes"], ["AllowOverride Options=ExecCGI"]],
  [["AllowOverride Options=Indexes"], ["AllowOverride Options="]],
  [["AllowOverride Options=Indexes"], ["AllowOverrideList Options"]],
  [["AllowOverride Options=Indexes"], ["AllowOverride None", "AllowOverrideList Options"]],
  [["AllowOverride Options=Indexes", "AllowOverride All"], []],
  [["AllowOverride All", "AllowOverride Options=Indexes"], []],
  [["AllowOverride Options=Indexes", "AllowOverride All"], ["AllowOverride All"]],
  [["AllowOverride Options=Indexes All"], []],
  [["AllowOverride Options=Indexes Options=ExecCGI"], []],
  [["AllowOverride All"], ["AllowOverride Options=Indexes"]],
  [["AllowOverride Options"], ["AllowOverride All"]],
  [[], ["AllowOverride All"]],
];

const options = ["Indexes", "ExecCGI", "MultiViews", "SymLinksIfOwnerMatch", "All", "None"];

describe.skipIf(!httpd)(liveTitle("options that AllowOverride allows"), () => {
  test("are those of the live server", async () => {
    const lines = cases.flatMap(([outer, inner], index) => [
      ...[`<Directory DOCROOT/${index}>`, ...outer, "</Directory>"],
      ...[`<Directory DOCROOT/${index}/in>`, ...inner, "</Directory>"],
    ]);
    const files = Object.fromEntries(
      cases.flatMap((_, index) =>
        options.flatMap((option) => [
          [`${index}/in/${option}/.htaccess`, `Options +${option}\n`.replace(/\+(All|None)/, "$1")],
          [`${index}/in/${option}/x.txt`, "x\n"],
        ]),
      ),
    );
    await withRunningHttpd(
      ["authz_core"],
      lines,
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        for (const [index, each] of cases.entries())
          for (const option of options) {
            const path = `/${index}/in/${option}/x.txt`;
            const { status } = await running.ask({ path });
            const decided = simulatedServer.answer({ method: "GET", path, clientIp: "127.0.0.1" }).status;
            expect({ each, option, status: decided }).toEqual({ each, option, status });
          }
      },
      files,
    );
  }, 60_000);
});
