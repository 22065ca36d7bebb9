import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expressionFiles, expressionLinks, fileConditions } from "../support/cases/expression-file-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

const modules = ["authz_core", "rewrite", "setenvif", "alias"];

describe.skipIf(!httpd)(liveTitle("conditions about files"), () => {
  test("have the server's results in Require, RewriteCond, If and SetEnvIfExpr", async () => {
    const lines = [
      ...["Options FollowSymLinks", "ServerAdmin me@x.test", "SetEnvIf Host . SET=1", "RewriteEngine On"],
      'Alias /al "DOCROOT/d"',
      ...fileConditions.flatMap((condition, index) => [
        ...[`<LocationMatch "/r${index}\\.">`, `Require expr "${condition}"`, "</LocationMatch>"],
        ...[`RewriteCond expr "${condition}"`, `RewriteRule /w${index}$ - [F]`],
        ...[`<LocationMatch "/i${index}\\.">`, `<If "${condition}">`, `Redirect 410`, "</If>", "</LocationMatch>"],
        `SetEnvIfExpr "${condition}" e${index}`,
        ...[`<LocationMatch "/e${index}\\.">`, `Require env e${index}`, "</LocationMatch>"],
      ]),
    ];
    const requests = fileConditions.flatMap((condition, index) => {
      const others = condition.includes("%{")
        ? [`/e${index}.`, `/al/r${index}.`, `/al/x.txt/e${index}.`, `/a.txt/more/i${index}.`]
        : [];
      return [`/r${index}.`, `/w${index}`, `/i${index}.`, ...others].map((path) => ({ path, condition }));
    });
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        for (const [name, target] of Object.entries(expressionLinks))
          symlinkSync(target, join(running.folder, "htdocs", name));
        expect(await findDifferingAnswers(running, requests)).toEqual([]);
      },
      expressionFiles,
    );
  }, 120_000);

  test("have the server's results as tests of RewriteCond", async () => {
    const tests = ["-d", "-f", "-s", "-l", "-L", "-h"];
    const names = ["a.txt", "empty", "d", "d/", "none", "link", "d-link", "d-link/", "broken", "a.txt/x", ""];
    const conditions = tests.flatMap((each) => names.map((name) => `DOCROOT/${name} ${each}`));
    conditions.push("DOCROOT/none -x", "DOCROOT/link -x", "%{DOCUMENT_ROOT} =DOCROOT", "%{SERVER_ADMIN} =me@x.test");
    const lines = [
      ...["RewriteEngine On", "ServerAdmin me@x.test"],
      ...conditions.flatMap((condition, index) => [`RewriteCond ${condition}`, `RewriteRule ^/w${index}$ - [F]`]),
    ];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        for (const [name, target] of Object.entries(expressionLinks))
          symlinkSync(target, join(running.folder, "htdocs", name));
        const requests = conditions.map((condition, index) => ({ path: `/w${index}`, condition }));
        const open = [`/w${conditions.indexOf("DOCROOT/link -x")}`];
        expect(await findDifferingAnswers(running, requests, { open })).toEqual([]);
      },
      expressionFiles,
    );
  }, 60_000);
});
