import type { RewritingCase } from "./rewriting-cases.js";

const on = "RewriteEngine On";
const requests = ["/x.txt", "/m", "/etc/hostname"];

/**
 * Returns lines of a main server that let its virtual hosts inherit its rules. @param options arguments of
 * RewriteOptions
 */
export function mainRules(options: string): readonly string[] {
  return [
    ...[
      on,
      "RewriteMap m int:toupper",
      "RewriteMap main int:toupper",
      ...(options === "" ? [] : [`RewriteOptions ${options}`]),
    ],
    ...[
      "RewriteRule ^/x /Y",
      "RewriteRule ^/Y - [G]",
      "RewriteRule ^/m$ /${m:Ab}${main:Cd}",
      "RewriteRule ^/AB - [R=402]",
    ],
    ...["RewriteRule ^/ab - [R=405]"],
  ];
}

const gone = "RewriteRule ^/x - [F]";
const own = [
  "RewriteMap m int:tolower",
  "RewriteRule ^/m$ /${m:Ab}${main:Cd}",
  "RewriteRule ^/AB - [R=406]",
  "RewriteRule ^/ab - [R=408]",
];

/** Lines of a virtual host under a main server with rules. */
export const inheritedRuleCases: readonly RewritingCase[] = [
  [],
  [on],
  ["RewriteEngine Off"],
  [gone],
  [on, gone],
  ["RewriteEngine Off", gone],
  ["RewriteCond a b"],
  ["RewriteMap low int:tolower"],
  ["<Location />", on, "</Location>"],
  ["<Location />", "RewriteEngine Off", "</Location>", gone],
  ["<Location />", "<If true>", on, "</If>", "</Location>"],
  ["<Location />", "RewriteRule nothing -", "</Location>"],
  [on, "RewriteRule ^/(.*) /$1"],
  [on, "RewriteOptions AllowNoSlash", "RewriteRule ^/(.*) /$1"],
  [on, "RewriteOptions UnsafePrefixStat", "RewriteRule ^/(.*) /$1"],
  ...["Inherit", "inherit", "InheritBefore", "IgnoreInherit", "AllowNoSlash", "IgnoreInherit Inherit"].flatMap(
    (words) => [
      [`RewriteOptions ${words}`],
      [on, `RewriteOptions ${words}`, gone],
      [`RewriteOptions ${words}`, gone, ...own],
    ],
  ),
  ["RewriteOptions IgnoreInherit", "RewriteOptions InheritBefore", gone],
  own,
].map((lines) => ({ lines, requests }));
