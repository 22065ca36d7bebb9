import { asBob, bobAuthentication } from "../httpd/running-httpd.js";
import type { RewritingCase } from "./rewriting-cases.js";

const byBob = `Authorization: ${asBob.Authorization}`;

/** Below `/a`, the variable `a` is set. */
const requests = [
  "/x.txt",
  `/x.txt GET ${byBob}`,
  "/a/x.txt",
  `/a/x.txt GET ${byBob}`,
  "/x.txt POST",
  `/a/x.txt POST ${byBob}`,
];

const around = ["SetEnvIf Request_URI ^/a/ a", "SetEnvIf Request_URI . always"];

function inLocation(...lines: readonly string[]): RewritingCase {
  return { lines: [...around, "<Location />", ...bobAuthentication, ...lines, "</Location>"], requests };
}

/** Parses the rules of a section, separated by `; `. */
function rules(text: string): RewritingCase {
  return inLocation(...text.split("; "));
}

/** Returns two sections that are merged. */
function mergedSections(outer: string, inner: string): RewritingCase {
  return {
    lines: [
      ...[...around, "<Location />", ...bobAuthentication, ...outer.split("; "), "</Location>"],
      ...["<Location /a>", ...inner.split("; "), "</Location>"],
    ],
    requests,
  };
}

const words = [
  ...[
    "all granted",
    "all denied",
    "all GRANTED",
    "env a",
    "env b",
    "env b A",
    "method GET",
    "method POST",
    "method HEAD",
  ],
  ...["method GET POST", "local", "ip 127.0.0.1", "ip 10 127", "ip ::1", "valid-user", "user bob"],
  ...["user eve", "user eve bob", "user Bob", "group staff", "ssl", "expr true", "expr false"],
  // Strings with escapes and with values computed for each request.
  ...["user %{REMOTE_USER}", "user %{reqenv:a}bob eve", "user $0bob", "user \\bob", "user \\xbob", "user b\\157b"],
  ...["user 'b\\ob'", "user %{req:X-A}eve bob"],
  ...[
    "expr %{AUTH_TYPE} == 'Basic'",
    "expr %{REMOTE_USER} == 'bob'",
    "expr reqenv('a') == '1'",
    "expr -n %{REMOTE_USER} || -n reqenv('a')",
  ],
];

const trees = [
  // One that allows is sufficient, and one that asks for a user takes precedence over one that denies.
  ...["Require env a; Require valid-user", "Require valid-user; Require env a", "Require env b; Require user eve"],
  ...["Require user eve; Require env a; Require user bob", "Require all denied; Require valid-user"],
  ...["Require valid-user; Require all denied", "Require env b; Require all denied"],
  // All must allow, and one that denies is sufficient.
  ...[
    "<RequireAll>; Require env a; Require valid-user; </RequireAll>",
    "<RequireAll>; Require valid-user; Require env a; </RequireAll>",
    "<RequireAll>; Require all granted; Require not env a; </RequireAll>",
    "<RequireAll>; Require not env a; Require all granted; </RequireAll>",
    "<RequireAll>; Require all granted; Require not valid-user; </RequireAll>",
    "<RequireAll>; Require valid-user; Require not user bob; </RequireAll>",
    "<RequireAll>; Require valid-user; Require not user eve; </RequireAll>",
    "<RequireAll>; Require all denied; Require valid-user; </RequireAll>",
    "<RequireAll>; Require valid-user; Require all denied; </RequireAll>",
    "<RequireAll>; Require not env b; Require not user eve; Require env a; </RequireAll>",
  ],
  // RequireNone cannot allow anybody; it only denies.
  ...[
    "<RequireAll>; Require all granted; <RequireNone>; Require env a; </RequireNone>; </RequireAll>",
    "<RequireAll>; Require all granted; <RequireNone>; Require env b; Require user bob; </RequireNone>; </RequireAll>",
    "<RequireAll>; Require all granted; <RequireNone>; Require user eve; Require env a; </RequireNone>; </RequireAll>",
    "<RequireAll>; Require valid-user; <RequireNone>; <RequireAll>; Require env a; Require method GET; </RequireAll>; </RequireNone>; </RequireAll>",
    "<RequireAll>; Require env a; <RequireNone>; Require user bob; </RequireNone>; <RequireNone>; Require method POST; </RequireNone>; </RequireAll>",
  ],
  // Nested containers.
  ...[
    "Require env b; <RequireAll>; Require env a; Require user bob; </RequireAll>",
    "<RequireAll>; Require env a; Require method GET; </RequireAll>; <RequireAll>; Require method POST; Require user bob; </RequireAll>",
    "<RequireAll>; <RequireAny>; Require env a; Require valid-user; </RequireAny>; Require method GET; </RequireAll>",
    "<RequireAll>; <RequireAny>; Require env a; Require env b; </RequireAny>; <RequireAny>; Require user bob; Require method POST; </RequireAny>; </RequireAll>",
    "<RequireAny>; <RequireAll>; Require valid-user; Require env b; </RequireAll>; Require env a; </RequireAny>",
    "<RequireAll>; <RequireAll>; Require not env a; </RequireAll>; Require valid-user; </RequireAll>",
    "<RequireAll>; <RequireAll>; Require env a; </RequireAll>; <RequireAny>; Require user bob; </RequireAny>; </RequireAll>",
  ],
  // A rule for some methods does not affect the others.
  ...[
    "<Limit POST>; Require all denied; </Limit>",
    "<Limit GET>; Require valid-user; </Limit>",
    "<LimitExcept GET>; Require valid-user; </LimitExcept>",
    "<Limit GET>; Require env a; </Limit>; <Limit POST>; Require user bob; </Limit>",
    "<Limit GET>; Require env a; </Limit>; Require user bob",
    "<RequireAll>; Require env a; <Limit POST>; Require user bob; </Limit>; </RequireAll>",
    "<RequireAll>; Require env always; <RequireNone>; <Limit POST>; Require valid-user; </Limit>; </RequireNone>; </RequireAll>",
    "<RequireAll>; <Limit POST>; Require env a; </Limit>; <LimitExcept POST>; Require valid-user; </LimitExcept>; </RequireAll>",
  ],
  ...["AuthType %{req:X-A}; Require user bob", "AuthType %{req:X-A}Basic; Require user bob"],
  ...["AuthType None; Require env a", "AuthType None; Require valid-user", "AuthType None; Require all granted"],
  "AuthzSendForbiddenOnFailure On; Require user eve",
  "AuthzSendForbiddenOnFailure Off; Require user eve",
];

const old = [
  ...["Order allow,deny; Allow from env=a", "Order deny,allow; Deny from env=a", "Order deny,allow; Deny from env=!a"],
  ...["Order deny,allow; Deny from all; Allow from env=A", "Order allow,deny; Allow from all; Deny from env=!A"],
  ...["Order mutual-failure; Allow from 127", "Order mutual-failure; Allow from 127; Deny from env=a"],
  ...["Order mutual-failure", "Order allow,deny", "Order deny,allow", "Allow from 10", "Deny from 127.0.0.1/32"],
  ...["Deny from 10; Require valid-user", "Deny from env=a; Require valid-user", "Deny from env=a; Require all denied"],
  ...["Deny from env=a; Require valid-user; Satisfy any", "Order allow,deny; Require user eve; Satisfy any"],
  ...["Order allow,deny; Allow from env=a; Require valid-user; Satisfy any", "Deny from env=a; Satisfy any"],
  ...["Order allow,deny; Satisfy any; Require all denied", "Order allow,deny; Satisfy any; Require all granted"],
  ...[
    "Deny from all; Satisfy any; Satisfy all; Require valid-user",
    "AuthType None; Deny from all; Satisfy any; Require valid-user",
  ],
  "Deny from all; <Limit POST>; Satisfy any; </Limit>; Require valid-user",
  "<Limit POST>; Deny from all; </Limit>; Require env a",
  "<Limit GET>; Order allow,deny; </Limit>; Allow from env=a",
  "<LimitExcept GET>; Deny from all; </LimitExcept>; <Limit GET>; Deny from env=a; </Limit>",
  ...[
    "AllowMethods GET",
    "AllowMethods POST",
    "AllowMethods GET; Require valid-user",
    "AllowMethods GET; AllowMethods reset",
  ],
];

const mergedPairs = [
  ["Require all denied", "Require valid-user"],
  ["Require valid-user", "Require env a"],
  ["Require user bob", "AuthMerging And; Require method GET"],
  ["Require user eve", "AuthMerging Or; Require method GET"],
  ["Require user eve", "AuthMerging And; Require env a"],
  ["Require valid-user", "AuthMerging Off; Require method GET"],
  ["Require valid-user", "AuthMerging And"],
  ["AuthMerging And", "Require valid-user"],
  ["Require all denied", "AuthzSendForbiddenOnFailure On"],
  ["Require user eve; AuthzSendForbiddenOnFailure On", "AuthzSendForbiddenOnFailure Off"],
  ["Deny from all", "Allow from all"],
  ["Deny from all", "Satisfy any; Require env a"],
  ["Deny from all; Satisfy any; Require valid-user", "Order deny,allow"],
  ["Require valid-user", "Satisfy any"],
  ["Require valid-user", "Deny from all; Satisfy any"],
  ["AllowMethods GET", "AllowMethods POST"],
  ["AllowMethods POST", "AllowMethods reset"],
] as const;

const aliases = [
  ...[
    "env has-a a",
    "env has-b-only b a",
    'ip here "10 127"',
    "ip elsewhere 10",
    "user is-bob bob",
    'user either "eve bob"',
  ],
  ...["user is-eve eve", "valid-user anybody", "all nobody denied", "all everybody granted", "method posting POST"],
  `expr posted "%{REQUEST_METHOD} == 'POST'"`,
  `expr as-bob "%{REMOTE_USER} == 'bob'"`,
];

/** Aliases. */
export const aliasLines: readonly string[] = aliases.flatMap((words) => [
  `<AuthzProviderAlias ${words}>`,
  "</AuthzProviderAlias>",
]);

/** Access-control rules, with requests with and without a user. */
export const accessCases: readonly RewritingCase[] = [
  ...[...words, ...aliases.map((each) => each.split(" ")[1] ?? "")].flatMap((word) => [
    rules(`Require ${word}`),
    rules(`<RequireAll>; Require env always; Require not ${word}; </RequireAll>`),
  ]),
  ...[...trees, ...old].map(rules),
  ...mergedPairs.map(([outer, inner]) => mergedSections(outer, inner)),
];
