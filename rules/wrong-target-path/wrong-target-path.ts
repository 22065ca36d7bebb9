import { defineRule } from "../../src/lint/api/rule.js";
import { continuedRedirect } from "./continued-redirect.js";
import { encodedSlashes } from "./encoded-slashes.js";
import { misplacedRewriteBase } from "./misplaced-rewrite-base.js";
import { missingScheme } from "./missing-scheme.js";
import { missingSlash } from "./missing-slash.js";
import { proxiedPath } from "./proxied-path.js";
import { relativeRedirect } from "./relative-redirect.js";
import { restOfPath } from "./rest-of-path.js";
import { retakenTarget } from "./retaken-target.js";
import { rewrittenFiles } from "./rewritten-files.js";
import { slashedFiles } from "./slashed-files.js";

export const wrongTargetPath = defineRule({
  id: "wrong-target-path",
  title: "Target leads to an unexpected path",
  group: "correctness",
  severity: "warning",
  description:
    "A target to which httpd adds the rest of a path without a slash, or to which it adds the path of a directory on the disk or of a wrong RewriteBase. Encoded slashes or paths that do not reach a backend, redirects to a host without a scheme or that a later rule changes, targets that another rule takes, rules of an application that take the files of a site, and redirects that add a slash to files.",
  help: "httpd appends the rest of the path to the target of Alias, Redirect and ProxyPass as it is: both need a slash at the end, or neither. In a directory, it adds RewriteBase, or else the path of the directory on the disk, to a relative target. Add the slash, or begin the target with a slash.",
  tags: ["correctness"],
  variants: [
    missingSlash,
    missingScheme,
    relativeRedirect,
    misplacedRewriteBase,
    encodedSlashes,
    proxiedPath,
    continuedRedirect,
    restOfPath,
    rewrittenFiles,
    slashedFiles,
    retakenTarget,
  ],
});
