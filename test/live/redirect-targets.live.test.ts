import { describe, expect, test } from "vitest";
import { undefinedReference } from "../../rules/undefined-reference/undefined-reference.js";
import { wrongTargetPath } from "../../rules/wrong-target-path/wrong-target-path.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf, onlyVariant } from "../support/rules.js";

const unknownRewriteVariable = onlyVariant(undefinedReference, "unknown-rewrite-variable");

const missingSlash = onlyVariant(wrongTargetPath, "missing-slash");

/** Lines, a path, the Location of the response, and the number of findings. */
const cases: readonly (readonly [lines: string, path: string, location: string, findings: number])[] = [
  ["RedirectMatch ^/old(.*)$ https://b.test/$1", "/old/y", "https://b.test//y", 1],
  ["RedirectMatch ^/old/(.*)$ https://b.test/$1", "/old/y", "https://b.test/y", 0],
  ["RewriteEngine On\nRewriteRule ^(.*)$ https://b.test/$1 [R]", "/y", "https://b.test//y", 1],
  ["RewriteEngine On\nRewriteRule ^/(.*)$ https://b.test/$1 [R]", "/y", "https://b.test/y", 0],
  ["Redirect /old https://%{SERVER_NAME}/", "/old/y", "https://%{SERVER_NAME}//y", 1],
  ["<Location /old>\nRedirect https://%{SERVER_NAME}/\n</Location>", "/old", "https://x.test/", 0],
];

describe.skipIf(!httpd)(liveTitle("redirects to another URL than it seems"), () => {
  test.each(cases)("%s", async (lines, path, location, findings) => {
    const named = ["ServerName x.test", "UseCanonicalName On", ...lines.split("\n")];
    await withRunningHttpd(["authz_core", "alias", "rewrite"], named, async (running) => {
      expect((await running.ask({ path })).headers.location).toBe(location);
    });
    expect(findingsOf([missingSlash, unknownRewriteVariable], `${lines}\n`)).toHaveLength(findings);
  });
});
