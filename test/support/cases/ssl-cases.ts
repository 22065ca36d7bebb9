import { bobAuthentication } from "../httpd/running-httpd.js";

/** Lines of a section that require TLS, among others. */
export const sslCases: readonly (readonly string[])[] = [
  ["SSLRequireSSL"],
  ["SSLRequireSSL", "Deny from all"],
  ["SSLRequireSSL", "Satisfy any"],
  ["SSLRequireSSL", "Satisfy any", "Deny from all"],
  ["SSLRequireSSL", "Satisfy any", "Require all granted"],
  ["SSLRequireSSL", "Satisfy any", "Require all granted", "SSLOptions StrictRequire"],
  ["SSLRequireSSL", "Satisfy any", "Require valid-user", ...bobAuthentication],
  ["SSLRequireSSL", "Satisfy any", "Require valid-user", ...bobAuthentication, "SSLOptions StrictRequire"],
  [
    "SSLRequireSSL",
    "Satisfy any",
    "Deny from all",
    "Require valid-user",
    ...bobAuthentication,
    "SSLOptions +StrictRequire",
  ],
  [
    "SSLRequireSSL",
    "Satisfy any",
    "Order allow,deny",
    "Require valid-user",
    ...bobAuthentication,
    "SSLOptions +StrictRequire",
  ],
  ["SSLRequireSSL", "Satisfy any", "Require valid-user", ...bobAuthentication, "SSLOptions strictrequire"],
  ["SSLRequireSSL", "Require all denied"],
  ["SSLRequireSSL", "Require valid-user", ...bobAuthentication],
  ["SSLRequire true"],
  ["SSLRequire false"],
  ["SSLRequire %{REMOTE_ADDR} =~ m/^127/"],
  ['SSLRequire %{REMOTE_ADDR} eq "10.0.0.1"'],
  ['SSLRequire %{REMOTE_ADDR} ne "10.0.0.1" and %{REMOTE_ADDR} in {"127.0.0.1", "127.0.0.2"}'],
  ["SSLRequire true", "SSLRequire false"],
  ['SSLRequire %{HTTPS} eq "on"', "Satisfy any", "Require all granted"],
  ["SSLRequire false", "Satisfy any", "Require all granted"],
  ["Require ssl"],
  ["Require not ssl", "Require all granted"].map((line, index) =>
    index === 0 ? `<RequireAll>\n${line}` : `${line}\n</RequireAll>`,
  ),
];

/** The modules of a server for these cases, in addition to mod_ssl and mod_access_compat, whose order matters. */
export const modulesBesideSsl = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_host", "alias", "dir"],
];

export const sslOrders = [
  ["mod_access_compat ahead of it", ["access_compat", "ssl"]],
  ["it ahead of mod_access_compat", ["ssl", "access_compat"]],
] as const;

/** The sections, one path each: `/0/x.txt` requests the first. DOCROOT is the DocumentRoot. */
export const sslSections = sslCases.flatMap((own, index) => [
  ...[`Alias /${index} DOCROOT`, `<Location /${index}>`, ...own, "</Location>"],
]);

/** The requests to each, with client and scheme. */
export const sslRequests = (["http", "https"] as const).flatMap((scheme) =>
  [false, true].map((isUser) => ({ scheme, isUser, title: `${scheme}${isUser ? " as bob" : ""}` })),
);
