import type { RewritingCase } from "./rewriting-cases.js";

/** AllowOverride lines of a Directory section. */
const allowed: readonly (readonly string[])[] = [
  [],
  ...[
    ...[
      "None",
      "All",
      "AuthConfig",
      "Limit",
      "FileInfo",
      "Indexes",
      "Options",
      "None Limit",
      "Limit None",
      "all authconfig",
    ],
    ...[
      "Options=None",
      "Options=Indexes,FollowSymLinks",
      "Options=All,MultiViews",
      "Options=IncludesNOEXEC",
      "Options=",
    ],
    ...["AuthConfig Nonfatal=Override", "Nonfatal=All", "Limit Nonfatal=Unknown", "AuthConfig Options=Indexes"],
  ].map((words) => [`AllowOverride ${words}`]),
  ["AllowOverride None", "AllowOverrideList Require order"],
  ["AllowOverride Limit", "AllowOverrideList <Files Require"],
  ["AllowOverride None", "AllowOverrideList None"],
  ["AllowOverride None Nonfatal=Override", "AllowOverrideList Deny"],
  ["AllowOverrideList RewriteEngine RewriteRule"],
  ["AllowOverride All", "AllowOverride None", "AllowOverrideList Require", "AllowOverrideList Order Deny"],
];

/** Contents of a `.htaccess` file below it. */
const files: readonly (readonly string[])[] = [
  ["Require all denied"],
  ["Order allow,deny", "Deny from all"],
  ["RewriteEngine on", "RewriteRule ^ - [F]"],
  ["DirectoryIndex x.txt"],
  ["Options +Indexes"],
  ["Options FollowSymLinks MultiViews"],
  ["Options -ExecCGI -Includes"],
  ["Options None"],
  ["Options +SymLinksIfOwnerMatch +Sideways"],
  ["Unknown thing", "Require all denied"],
  ["<Files x.txt>", "Require all denied", "</Files>"],
  ["<IfModule mod_authz_core.c>", "Require all denied", "</IfModule>"],
  ["<Sideways>", "Require all granted", "</Sideways>"],
  ["DocumentRoot /srv"],
  ["# nothing"],
];

/** Each file with each of those; the lines before the empty one are the section's, those after it the file's. */
export const overrideCases: readonly (RewritingCase & { readonly file: readonly string[] })[] = allowed.flatMap(
  (lines) => files.map((file) => ({ lines, file, requests: ["/x.txt"] })),
);
