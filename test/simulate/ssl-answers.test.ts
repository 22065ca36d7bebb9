import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/project/files.js";
import { loadProject } from "../../src/project/load.js";
import { listedFiles } from "../../src/scope/files.js";
import { Decider } from "../../src/simulate/decide.js";
import { CASE_ROOT } from "../support/cases.js";
import { modulesBesideSsl, sslAsked, sslCases, sslOrders, sslSections } from "../support/ssl-cases.js";

/** What 2.4 answered, recorded and held to the running server by test/live/ssl.live.test.ts. */
const recorded: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "ssl-answers.json"), "utf8"),
);

describe.each(sslOrders)("the checks of mod_ssl, with %s", (title, first) => {
  const docroot = `${CASE_ROOT}/htdocs`;
  const lines = [`ServerRoot ${CASE_ROOT}`, `DocumentRoot ${docroot}`, ...sslSections];
  const access = memoryAccess({ [`${CASE_ROOT}/httpd.conf`]: `${lines.join("\n").replaceAll("DOCROOT", docroot)}\n` });
  const modules = [...first, ...modulesBesideSsl];
  const loaded = loadProject(`${CASE_ROOT}/httpd.conf`, { access, kind: "server", modules });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const decider = new Decider(loaded.project, listedFiles([`${docroot}/x.txt`, `${CASE_ROOT}/users`]));

  test.each(sslCases.map((own, index) => [own.join(" / "), index] as const))("%s", (_, index) => {
    const here = sslAsked.map(({ scheme, isUser, title }) => {
      const asked = { method: "GET", path: `/${index}/x.txt`, scheme, host: "127.0.0.1", clientIp: "127.0.0.1" };
      const { status, errorLog } = decider.decide(isUser ? { ...asked, user: "bob" } : asked);
      return [title, [status, ...errorLog].join(" ")];
    });
    expect(Object.fromEntries(here)).toEqual(recorded[title]?.[index]);
  });
});
