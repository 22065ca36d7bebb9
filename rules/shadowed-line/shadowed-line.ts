import { defineRule } from "../../src/lint/api/rule.js";
import { hiddenDirectory } from "./hidden-directory.js";
import { refusedRedirect } from "./refused-redirect.js";
import { shadowedAlias } from "./shadowed-alias.js";
import { shadowedHandler } from "./shadowed-handler.js";
import { shadowedProxyPass } from "./shadowed-proxy-pass.js";
import { unreachableRewriteRule } from "./unreachable-rewrite-rule.js";

export const shadowedLine = defineRule({
  id: "shadowed-line",
  title: "Another line always answers first",
  group: "correctness",
  severity: "warning",
  description:
    "An Alias, Redirect, ProxyPass, RewriteRule or SetHandler whose requests another line always answers first, a directory of the document root that an Alias hides, and a redirect to https of requests that SSLRequireSSL refuses.",
  help: "Of several lines for the same requests, httpd uses one, often without a message in the log: the first Alias, Redirect or ProxyPass that matches, and the first RewriteRule that ends the rules. It checks each ProxyPass before each Redirect, and each Redirect before each Alias. Put the line for fewer requests first, or exclude its requests from the other line.",
  references: { cwe: [288] },
  tags: ["correctness", "security"],
  variants: [
    shadowedAlias,
    shadowedProxyPass,
    unreachableRewriteRule,
    shadowedHandler,
    hiddenDirectory,
    refusedRedirect,
  ],
});
