import { generateKeyPairSync } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authenticationModules } from "../../src/facts/authentication-modules.js";
import type { Answer } from "../../src/server/model/answer.js";
import { httpd, liveTitle, moduleFolder } from "../support/httpd/httpd.js";
import { asBob, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** Lines of a section, and the answer: a status if it is certain, or `unknown` if another module decides. */
type Section = readonly [lines: string, answer: number | "unknown"];

/** Tests of one module. */
interface ModuleCases {
  /** The name of its file, without `mod_` and `.so`. */
  readonly name: string;
  /** As in LoadModule. */
  readonly identifier?: string;
  /** Other modules that it needs. */
  readonly others?: readonly string[];
  /** Lines of the server, with KEY for the path of a public key. */
  readonly head?: readonly string[];
  readonly sections: readonly Section[];
  /** Whether it waits for seconds for a service that does not run: only one client asks, in one context. */
  readonly isSlow?: boolean;
  /** Lines that are not allowed in `.htaccess` files start with one of these. */
  readonly serverOnly?: RegExp;
}

const basic = "AuthType Basic\nAuthName x\nAuthUserFile users\n";

/** Every module decides about users in the same way. */
function withType(type: string, provider?: string): readonly Section[] {
  return [
    [`AuthType ${type}\nRequire valid-user`, "unknown"],
    [`AuthType ${type}\nRequire user alice`, "unknown"],
    [`AuthType ${type}\nRequire all granted`, 200],
    [`AuthType ${type}\nRequire all denied`, 403],
    [`AuthType ${type}\nRequire method GET\nRequire valid-user`, 200],
    ["AuthType None\nRequire valid-user", 500],
    ...(provider === undefined ? [] : withProvider(`AuthType ${type}\n`, provider)),
  ];
}

function withProvider(type: string, provider: string): readonly Section[] {
  return [
    [`${type}Require ${provider}`, "unknown"],
    [`AuthType None\nRequire ${provider}`, 500],
    [`Require ${provider}`, 500],
  ];
}

const all: readonly ModuleCases[] = [
  {
    name: "auth_mellon",
    sections: [
      ["AuthType Mellon\nMellonEnable auth\nRequire valid-user", "unknown"],
      ["MellonEnable auth\nRequire user alice", "unknown"],
      ["MellonEnable auth\nRequire all granted", "unknown"],
      ["AuthType None\nMellonEnable auth\nRequire all granted", "unknown"],
      ["MellonEnable auth\nRequire all denied", "unknown"],
      ["MellonEnable info\nRequire all granted", 200],
      ["MellonEnable info\nRequire valid-user", "unknown"],
      ["MellonEnable off\nRequire all granted", 200],
      ["AuthType Mellon\nRequire valid-user", 500],
      ["AuthType Mellon\nMellonEnable off\nRequire valid-user", 500],
      ["MellonEnable auth\nSatisfy any\nRequire all granted", 200],
    ],
  },
  {
    name: "auth_openidc",
    head: [
      "OIDCProviderIssuer https://127.0.0.1:1",
      "OIDCProviderAuthorizationEndpoint https://127.0.0.1:1/auth",
      "OIDCProviderTokenEndpoint https://127.0.0.1:1/token",
      "OIDCClientID client",
      "OIDCRedirectURI /callback",
      "OIDCCryptoPassphrase phrase",
      "OIDCOAuthIntrospectionEndpoint https://127.0.0.1:1/introspect",
    ],
    sections: [
      ...withType("openid-connect", "claim sub:1"),
      ...withType("oauth20", "claim sub:1"),
      ["AuthType auth-openidc\nRequire valid-user", "unknown"],
      ["AuthType openid-connect\nOIDCUnAuthAction 410\nRequire valid-user", "unknown"],
      ["AuthType openid-connect\nOIDCUnAuthAction pass\nRequire valid-user", "unknown"],
      ["AuthType openid-connect\nOIDCUnAuthAction pass\nRequire claim sub:1", "unknown"],
    ],
  },
  {
    name: "oauth2",
    serverOnly: /OAuth2/,
    sections: withType("oauth2", "oauth2_claim sub:1").map(
      ([lines, answer]): Section => [`OAuth2TokenVerify plain secret\n${lines}`, answer],
    ),
  },
  {
    name: "auth_cas",
    head: [
      "CASLoginURL https://127.0.0.1:1/login",
      "CASValidateURL https://127.0.0.1:1/check",
      "CASCookiePath DOCROOT/",
    ],
    sections: [...withType("CAS", "cas-attribute a:b"), ["AuthType CAS\nCASScope /\nRequire valid-user", "unknown"]],
  },
  {
    name: "auth_gssapi",
    sections: [
      ...withType("GSSAPI"),
      ["AuthType GSSAPI\nAuthName x\nGssapiBasicAuth On\nRequire valid-user", "unknown"],
      ["AuthType None\nGssapiBasicAuth On\nRequire valid-user", 500],
    ],
  },
  {
    name: "auth_tkt",
    head: ['TKTAuthSecret "phrase"'],
    sections: [
      ["AuthType None\nTKTAuthLoginURL http://login.test/\nRequire valid-user", "unknown"],
      ["TKTAuthLoginURL http://login.test/\nRequire user alice", "unknown"],
      [`${basic}TKTAuthLoginURL http://login.test/\nRequire valid-user`, "unknown"],
      ["TKTAuthGuestLogin on\nRequire valid-user", "unknown"],
      ["TKTAuthGuestLogin on\nRequire user alice", "unknown"],
      ["TKTAuthLoginURL http://login.test/\nRequire all granted", 200],
      ["AuthType None\nRequire valid-user", 500],
    ],
  },
  {
    name: "auth_pubtkt",
    head: ["TKTAuthPublicKey KEY"],
    sections: [
      ...withType("mod_auth_pubtkt"),
      ["AuthType mod_auth_pubtkt\nTKTAuthLoginURL http://login.test/\nRequire valid-user", "unknown"],
      ["AuthType None\nTKTAuthLoginURL http://login.test/\nRequire valid-user", 500],
    ],
  },
  {
    name: "authnz_pam",
    sections: [
      ["AuthType Basic\nAuthName x\nAuthBasicProvider PAM\nAuthPAMService none\nRequire valid-user", "unknown"],
      ["AuthType Basic\nAuthName x\nAuthBasicProvider PAM\nRequire valid-user", 500],
      ["AuthType Basic\nAuthName x\nAuthBasicProvider PAM\nAuthPAMService none\nRequire all granted", 200],
      ...withProvider(basic, "pam-account none"),
    ],
  },
  {
    name: "authnz_external",
    head: ["DefineExternalAuth yes pipe /bin/true", "DefineExternalAuth no pipe /bin/false"],
    sections: [
      ["AuthType Basic\nAuthName x\nAuthBasicProvider external\nAuthExternal yes\nRequire valid-user", "unknown"],
      ["AuthType Basic\nAuthName x\nAuthBasicProvider external\nAuthExternal no\nRequire valid-user", "unknown"],
      ["AuthType Basic\nAuthName x\nAuthBasicProvider external\nAuthExternal unset\nRequire valid-user", "unknown"],
      ["AuthType Basic\nAuthName x\nAuthBasicProvider external\nRequire valid-user", 500],
      ...withProvider(basic, "external-group a"),
      ...withProvider(basic, "external-file-group"),
    ],
  },
  {
    name: "authz_unixgroup",
    others: ["authz_owner"],
    sections: [...withProvider(basic, "unix-group root"), ...withProvider(basic, "unix-file-group")],
  },
  {
    name: "security2",
    others: ["unique_id"],
    serverOnly: /Sec/,
    sections: [
      ["SecRuleEngine On\nRequire all granted", "unknown"],
      ['SecRuleEngine On\nSecAction "id:1,phase:2,deny"', "unknown"],
      ['SecRuleEngine On\nSecAction "id:2,phase:2,deny,status:404"', "unknown"],
      ['SecRuleEngine On\nSecAction "id:3,phase:2,redirect:http://x.test/"', "unknown"],
      ['SecRuleEngine On\nSecAction "id:4,phase:2,deny"\nRequire all denied', "unknown"],
      ['SecRuleEngine DetectionOnly\nSecAction "id:5,phase:2,deny"', 200],
      ['SecRuleEngine Off\nSecAction "id:6,phase:2,deny"', 200],
      [`SecRuleEngine On\nSecAction "id:7,phase:2,deny,status:406"\n${basic}Require valid-user`, "unknown"],
    ],
  },
  {
    name: "intercept_form_submit",
    others: ["authnz_pam"],
    serverOnly: /Intercept/,
    sections: [
      ["InterceptFormPAMService none\nInterceptFormLogin u\nInterceptFormPassword p\nRequire all granted", 200],
      [
        "InterceptFormPAMService none\nInterceptFormLogin u\nInterceptFormPassword p\nAuthType None\nRequire valid-user",
        500,
      ],
    ],
  },
  {
    name: "shib",
    isSlow: true,
    identifier: "mod_shib",
    head: ["ShibConfig /etc/shibboleth/shibboleth2.xml"],
    sections: [
      ["AuthType shibboleth\nShibRequestSetting requireSession 1\nRequire valid-user", "unknown"],
      ["AuthType shibboleth\nRequire shib-session", "unknown"],
      ["AuthType shibboleth\nShibRequestSetting requireSession 1\nRequire all granted", 200],
      ["AuthType None\nRequire shib-attr a b", 500],
      ["AuthType shibboleth\nShibDisable On\nRequire valid-user", 500],
    ],
  },
];

/** Requests of clients without a session: browsers, scripts, and one with a password. */
const clients: readonly Readonly<Record<string, string>>[] = [
  {},
  { Accept: "text/html" },
  { "X-Requested-With": "XMLHttpRequest" },
];

const ownModules = [
  ...["access_compat", "alias", "auth_basic", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user"],
  "dir",
];

/** Where a section's lines are: in a section of either kind, or in a `.htaccess` file. */
const contexts = ["Location", "Directory", "htaccess"] as const;

/** Lines with the path that they apply to. */
interface PlacedLines {
  readonly path: string;
  readonly context: (typeof contexts)[number];
  readonly lines: string;
  readonly answer: Section[1];
}

function placeLines({ sections, serverOnly, isSlow = false }: ModuleCases): readonly PlacedLines[] {
  return sections.flatMap(([lines, answer], index) =>
    (isSlow ? [contexts[0]] : contexts)
      .filter((context) => context !== "htaccess" || !serverOnly?.test(lines))
      .map((context) => ({ path: `/${context}${index}/`, context, lines, answer })),
  );
}

function serverLineOf({ path, context, lines }: PlacedLines): string {
  if (context === "htaccess") return "";
  const target = context === "Location" ? path.slice(0, -1) : `"DOCROOT${path.slice(0, -1)}"`;
  // Rules have unique numbers in a server.
  const own = context === "Directory" ? lines.replaceAll('"id:', '"id:9') : lines;
  return `<${context} ${target}>\n${own}\n</${context}>`;
}

function possibleStatuses({ status, alternatives }: Answer): readonly (number | undefined)[] {
  return alternatives.length > 0 ? [...new Set(alternatives.map((each) => each.status))] : [status];
}

/** Writes a public key to a folder, and returns its path. */
function makeKey(folder: string): string {
  const key = join(folder, "key");
  const made = generateKeyPairSync("rsa", { modulusLength: 1024 });
  writeFileSync(key, made.publicKey.export({ type: "spki", format: "pem" }));
  return key;
}

describe.skipIf(!httpd)(liveTitle("a third-party module that authenticates"), () => {
  for (const cases of all) {
    const { name, identifier = `${name}_module`, others = [], head = [], isSlow = false } = cases;
    const missing = [name, ...others].filter((each) => !existsSync(join(moduleFolder, `mod_${each}.so`)));
    const skipped =
      missing.length > 0 ? ` (skipped: ${missing.map((each) => `mod_${each}`).join(", ")} not installed)` : "";
    test.skipIf(missing.length > 0)(`mod_${name}${skipped}`, { timeout: 180_000 }, async () => {
      expect(authenticationModules.find((each) => each.identifier === identifier)?.facts).toBe("live");
      const placed = placeLines(cases);
      const files = Object.fromEntries(
        placed.flatMap(({ path, context, lines }) => [
          [`${path.slice(1)}index.html`, "x"],
          ...(context === "htaccess" ? [[`${path.slice(1)}.htaccess`, `${lines}\n`]] : []),
        ]),
      );
      await whileInScratchFolder(async (folder) => {
        const server = [
          `LoadModule ${identifier} ${join(moduleFolder, `mod_${name}.so`)}`,
          ...head.map((line) => line.replace("KEY", makeKey(folder))),
          '<Directory "DOCROOT">\nAllowOverride All\nRequire all granted\n</Directory>',
          ...placed.map(serverLineOf),
        ];
        await withRunningHttpd(
          [...ownModules, ...others],
          server,
          (running) => compare(running, placed, isSlow ? clients.slice(0, 1) : [...clients, asBob]),
          files,
        );
      });
    });
  }
});

/** Lines of third-party modules in a `.htaccess` file, with the AllowOverride that applies. */
const inHtaccess: readonly (readonly [allowed: string, module: string, line: string])[] = [
  ["All", "intercept_form_submit", "InterceptFormPAMService none"],
  ["All", "auth_mellon", "MellonEnable info"],
  ["FileInfo", "auth_mellon", "MellonEnable info"],
  ["AuthConfig", "auth_gssapi", "GssapiBasicAuth On"],
  ["Limit Indexes", "auth_gssapi", "GssapiBasicAuth On"],
  ["All", "authnz_external", "DefineExternalAuth yes pipe /bin/true"],
  ["AuthConfig", "authnz_external", "AuthExternal yes"],
  ["Options", "authnz_external", "AuthExternal yes"],
  ["AuthConfig", "authnz_pam", "AuthPAMService none"],
  ["FileInfo Options", "authnz_pam", "AuthPAMService none"],
];

test.skipIf(!httpd)(liveTitle("AllowOverride for lines of third-party modules"), { timeout: 60_000 }, async () => {
  const found = inHtaccess.filter(([, module]) => existsSync(join(moduleFolder, `mod_${module}.so`)));
  const names = [...new Set(["authnz_pam", ...found.map(([, module]) => module)])];
  const server = [
    ...names
      .filter((name) => existsSync(join(moduleFolder, `mod_${name}.so`)))
      .map((name) => `LoadModule ${name}_module ${join(moduleFolder, `mod_${name}.so`)}`),
    ...found.map(
      ([allowed], index) =>
        `<Directory "DOCROOT/${index}">\nAllowOverride ${allowed}\nRequire all granted\n</Directory>`,
    ),
  ];
  const files = Object.fromEntries(
    found.flatMap(([, , line], index) => [
      [`${index}/index.html`, "x"],
      [`${index}/.htaccess`, `${line}\n`],
    ]),
  );
  await withRunningHttpd(
    ownModules,
    server,
    async (running) => {
      const simulatedServer = simulatedServerOn(running);
      for (const [index, each] of found.entries()) {
        const path = `/${index}/index.html`;
        const { status } = simulatedServer.answer({ method: "GET", path, clientIp: "127.0.0.1", host: "127.0.0.1" });
        expect([...each, (await running.ask({ path })).status]).toEqual([...each, status]);
      }
    },
    files,
  );
});

/** Paths at which a module answers itself, with its lines, and paths that it leaves to access control and files. */
const endpoints: readonly {
  readonly name: string;
  readonly lines: readonly string[];
  readonly own: readonly string[];
  readonly others: readonly string[];
}[] = [
  {
    name: "auth_openidc",
    lines: [
      "OIDCProviderIssuer https://127.0.0.1:1",
      "OIDCProviderAuthorizationEndpoint https://127.0.0.1:1/auth",
      "OIDCProviderTokenEndpoint https://127.0.0.1:1/token",
      "OIDCClientID client",
      "OIDCRedirectURI https://www.test/in/return",
      "OIDCCryptoPassphrase phrase",
      "<Location /in>\nAuthType openid-connect\nRequire valid-user\n</Location>",
      "<Location /open/return>\nRequire all granted\n</Location>",
    ],
    own: ["/in/return", "/in/return?jwks=rsa"],
    others: ["/open/return", "/index.html"],
  },
  {
    name: "auth_mellon",
    lines: [
      "<Location />\nMellonEnable info\nMellonEndpointPath /saml\n</Location>",
      "<Location /saml/closed>\nRequire all denied\n</Location>",
    ],
    own: ["/saml/login", "/saml/metadata"],
    others: ["/mellon/login", "/saml/closed", "/index.html", "/samlx"],
  },
  {
    name: "auth_mellon",
    lines: ["<Location /app>\nMellonEnable auth\nRequire valid-user\n</Location>"],
    own: ["/mellon/login"],
    others: ["/index.html"],
  },
];

test.skipIf(!httpd).each(endpoints)(
  liveTitle("a path at which mod_$name answers is unknown"),
  async ({ name, lines, own, others }) => {
    const file = join(moduleFolder, `mod_${name}.so`);
    if (!existsSync(file)) return;
    await withRunningHttpd(
      ownModules,
      [`LoadModule ${name}_module ${file}`, '<Directory "DOCROOT">\nRequire all granted\n</Directory>', ...lines],
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        const decide = (target: string, user?: string) => {
          const [path = "", query] = target.split("?");
          const sent = { method: "GET", path, clientIp: "127.0.0.1", host: "127.0.0.1" };
          return simulatedServer.answer({ ...sent, ...(query ? { query } : {}), ...(user ? { user } : {}) });
        };
        for (const path of own) {
          // The file does not exist, but the module does not always return 404, with or without a session.
          expect([path, (await running.ask({ path })).status]).not.toEqual([path, 404]);
          expect([path, decide(path).status, decide(path, "bob").status]).toEqual([path, undefined, undefined]);
        }
        for (const path of others)
          expect([path, decide(path).status]).toEqual([path, (await running.ask({ path })).status]);
      },
      { "index.html": "x" },
    );
  },
);

/** Compares the answers to clients without a session, and to one with a password. */
async function compare(running: RunningHttpd, placed: readonly PlacedLines[], senders: typeof clients): Promise<void> {
  const simulatedServer = simulatedServerOn(running);
  const wrong: object[] = [];
  for (const { path, context, lines, answer } of placed) {
    const anonymous = simulatedServer.answer({ method: "GET", path, clientIp: "127.0.0.1", host: "127.0.0.1" });
    const known = simulatedServer.answer({
      method: "GET",
      path,
      clientIp: "127.0.0.1",
      host: "127.0.0.1",
      user: "bob",
    });
    const isKnown = [anonymous, known].every(({ status }) => status !== undefined);
    const isWithoutUser = anonymous.status !== undefined && [401, answer].includes(anonymous.status);
    if (isKnown ? answer === "unknown" : answer !== "unknown" && !isWithoutUser)
      wrong.push({ lines, context, answer, anonymous: possibleStatuses(anonymous), known: possibleStatuses(known) });
    for (const headers of senders) {
      const { status } = await running.ask({ path, headers });
      // A password that a module does not read is like none.
      const possible = [...possibleStatuses(anonymous), ...(headers === asBob ? possibleStatuses(known) : [])];
      if (!possible.includes(status)) wrong.push({ lines, context, headers, status, possible });
    }
  }
  expect(wrong).toEqual([]);
}
