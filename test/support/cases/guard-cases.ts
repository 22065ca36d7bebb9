import type { RewritingCase } from "./rewriting-cases.js";

const guard = (...inside: readonly string[]) => ["<IfModule alias_module>", ...inside, "</IfModule>"];
const unmet = (...inside: readonly string[]) => ["<IfModule none>", ...inside, "</IfModule>"];
const files = (...inside: readonly string[]) => ["<Files x.txt>", ...inside, "</Files>"];

/** `.htaccess` files with conditional sections, which the server may not allow. */
export const guardCases: readonly RewritingCase[] = [
  guard("Deny from all"),
  unmet("Deny from all"),
  guard(),
  ["<IfModule alias_module>", "Deny from all"],
  ["<IfModule none>", "Deny from all"],
  ["<IfModule none>", "Nope"],
  files("Deny from all"),
  files(...guard("Deny from all")),
  files("<IfModule none>", "Deny from all"),
  files("Deny from all", "</IfModule>"),
  ["<Files x.txt>", "<IfModule none>", "</Files>", "Deny from all"],
  ["<Files x.txt>", "Deny from all", "</files>"],
  ["<Files x.txt>", "Deny from all", "</Files"],
  ["<Files x.txt>", "Deny from all", "</FilesMatch>"],
  ["<Files x.txt>", "Deny from all"],
  ["</Files>"],
  ["</Files>", ...guard()],
  ["</IfModule>"],
  guard(...files("Deny from all")),
  guard("<Files x.txt>", "Deny from all"),
  ["<IfModule alias_module>", "<Files x.txt>", "</IfModule>", "</Files>"],
  [...guard(), ...files("Deny from all")],
  ["<IfModule none>", "<Files y>", ...guard(), "</Files>"],
  unmet("<IfModule alias_module>", "</IfModule>", "Deny from all"),
  unmet("Nope", ...unmet("Nope")),
  ["<IfDefine X>", "Deny from all", "</IfDefine>"],
  ["<IfVersion >= 2>", "Deny from all", "</IfVersion>"],
  ["Define X", "Deny from all"],
  ["Include nothing", "Deny from all"],
  ["# <IfModule none>", "", "Deny from all"],
  ["<IfModule\\", " alias_module>", "Deny from all", "</IfModule>"],
  ["<Limit GET>", "Deny from all", "</Limit>"],
  ["<Limit GET>", ...guard("Deny from all"), "</Limit>"],
].map((lines) => ({ lines, requests: ["/x.txt"] }));
