import { describe, expect, test } from "vitest";
import { authenticationModules } from "../../../src/facts/authentication-modules.js";
import { findThirdPartyDirective } from "../../../src/facts/directives.js";
import { identifiesElsewhere, nameModuleOf } from "../../../src/server/access/other-modules.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadText } from "../../support/projects.js";

const granted = "<Directory /srv>\nAllowOverride All\nRequire all granted\n</Directory>";
const own = ["authn_core", "authz_core", "auth_basic", "authn_file", "authz_user", "authz_host", "access_compat"];

/** Returns the possible statuses of a request with its reasons. */
function answerOf(lines: string, modules: readonly string[], request: Partial<Request> = {}) {
  const loads = [...own.map((name) => `${name}_module`), ...modules].map((name) => `LoadModule ${name} m.so`);
  const text = `${loads.join("\n")}\nServerName x.test\nDocumentRoot /srv\n${granted}\n${lines}\n`;
  const simulatedServer = new SimulatedServer(loadText(text, { kind: "server" }), createListedFiles(["/srv/a/b.txt"]));
  const decision = simulatedServer.answer({ method: "GET", path: "/a/b.txt", clientIp: "192.0.2.7", ...request });
  const { status, alternatives, unknown, log } = decision;
  const statuses = alternatives.length > 0 ? [...new Set(alternatives.map((each) => each.status))] : [status];
  return { statuses: statuses.toSorted(), unknown, log };
}

const statusesOf = (...given: Parameters<typeof answerOf>) => answerOf(...given).statuses;

/** Returns the lines in each context: a section, a virtual host, and the main server. */
function everywhere(lines: string): readonly string[] {
  return [
    `<Location /a>\n${lines}\n</Location>`,
    `<Directory /srv/a>\n${lines}\n</Directory>`,
    `<Files b.txt>\n${lines}\n</Files>`,
    `<VirtualHost *>\n<LocationMatch ^/a>\n${lines}\n</LocationMatch>\n</VirtualHost>`,
    `<If "true">\n${lines}\n</If>`,
  ];
}

describe("an AuthType of a third-party module", () => {
  const typed = authenticationModules.flatMap(({ identifier, checks = [] }) =>
    checks.flatMap(({ directive, on = [], statuses }) =>
      directive === "AuthType" ? on.map((type) => [type, identifier, statuses] as const) : [],
    ),
  );

  test("is known for the usual modules", () => {
    const types = typed.map(([type]) => type);
    expect(types).toEqual(
      expect.arrayContaining(["openid-connect", "shibboleth", "CAS", "GSSAPI", "Kerberos", "Cosign"]),
    );
  });

  test.each(typed)("makes the answer unknown with its statuses: %s", (type, module, statuses) => {
    for (const lines of everywhere(`AuthType ${type.toUpperCase()}\nRequire valid-user`))
      expect(statusesOf(lines, [module])).toEqual([200, ...statuses].toSorted());
    expect(statusesOf(`<Location /a>\nAuthType ${type}\nRequire user x\n</Location>`, [module])).toEqual(
      [...new Set([200, 401, ...statuses])].toSorted(),
    );
  });

  test.each(typed)("twin: has no effect without a Require that needs a user: %s", (type, module) => {
    for (const [line, status] of [
      ["Require all granted", 200],
      ["Require all denied", 403],
      ["Require ip 192.0.2.0/24\nRequire valid-user", 200],
    ] as const)
      expect(statusesOf(`<Location /a>\nAuthType ${type}\n${line}\n</Location>`, [module])).toEqual([status]);
  });

  test.each(typed)("twin: without its module, every request returns 500: %s", (type) => {
    const lines = `<Location /a>\nAuthType ${type}\nRequire valid-user\n</Location>`;
    expect(answerOf(lines, [])).toEqual({ statuses: [500], unknown: [], log: ["AH01796"] });
  });

  test("names the module and the line as the reason", () => {
    const { unknown } = answerOf("<Location /a>\nAuthType shibboleth\nRequire shib-session\n</Location>", ["mod_shib"]);
    expect(unknown[0]).toBe("whether mod_shib identifies the client (`AuthType shibboleth`)");
    expect(unknown).toContain("whether `Require shib-session` grants access");
  });

  test("accepts a user that is given with the request", () => {
    const lines = "<Location /a>\nAuthType CAS\nRequire user bob\n</Location>";
    expect(statusesOf(lines, ["auth_cas_module"], { user: "bob" })).toEqual([200]);
    expect(statusesOf(lines, ["auth_cas_module"], { user: "eve" })).toEqual([401]);
  });

  test("returns the status that another line sets", () => {
    const statuses = (line: string) =>
      statusesOf(`<Location /a>\nAuthType openid-connect\n${line}\nRequire valid-user\n</Location>`, [
        "auth_openidc_module",
      ]);
    expect(statuses("OIDCUnAuthAction 410")).toEqual([200, 302, 401, 410, 500]);
    expect(statuses("OIDCUnAutzAction 403")).toEqual([200, 302, 401, 403, 500]);
    expect(statuses("OIDCUnAuthAction auth")).toEqual([200, 302, 401, 500]);
  });
});

describe("a provider of a third-party module", () => {
  const providers = authenticationModules.flatMap(({ identifier, requireProviders = [] }) =>
    requireProviders.map((name) => [name, identifier] as const),
  );

  test.each(providers)("needs a user: `Require %s`", (name, module) => {
    for (const type of ["", "AuthType None\n"]) {
      const lines = `<Location /a>\n${type}Require ${name} x\n</Location>`;
      expect(answerOf(lines, [module])).toEqual({ statuses: [500], unknown: [], log: ["AH00027"] });
    }
    const inherited = `<Location />\nAuthType Basic\nAuthName x\nRequire ${name} x\n</Location>\n<Location /a>\nAuthType None\n</Location>`;
    expect(answerOf(inherited, [module]).log).toEqual(["AH00027"]);
    expect(statusesOf(inherited.replace(/None/, "None\nRequire all granted"), [module])).toEqual([200]);
  });

  test.each([
    ["PAM", "AuthPAMService login", "authnz_pam_module"],
    ["external", "AuthExternal check", "authnz_external_module"],
  ])("may reject a password: %s", (name, line, module) => {
    const lines = (more: string) =>
      `<Location /a>\nAuthType Basic\nAuthName x\nAuthBasicProvider ${name}\n${more}\nRequire valid-user\n</Location>`;
    expect(statusesOf(lines(line), [module], { user: "bob" })).toEqual([200, 401, 500]);
    expect(statusesOf(lines(line), [module])).toEqual([401]);
    expect(statusesOf(lines(""), [module], { user: "bob" })).toEqual([500]);
  });

  test("may redirect users with an expired password", () => {
    const lines = "AuthType Basic\nAuthName x\nAuthBasicProvider PAM\nAuthPAMService login\nRequire valid-user";
    const section = `<Location /a>\n${lines}\nAuthPAMExpiredRedirect https://x.test/ 307\n</Location>`;
    expect(statusesOf(section, ["authnz_pam_module"], { user: "bob" })).toEqual([200, 307, 401, 500]);
  });
});

describe("a module that checks access before Require", () => {
  const mellon = ["auth_mellon_module"];
  const open = [200, 303, 403, 500];

  test("makes answers unknown even with `Require all granted`", () => {
    for (const lines of everywhere("MellonEnable auth\nRequire all granted"))
      expect(statusesOf(lines, mellon)).toEqual(open);
    expect(statusesOf("MellonEnable auth", mellon)).toEqual(open);
    expect(statusesOf("<Location /a>\nMellonEnable auth\nRequire all denied\n</Location>", mellon)).toEqual([
      303, 403, 500,
    ]);
    expect(statusesOf("<Location /a>\nCosignProtected On\n</Location>", ["cosign_module"])).toEqual([200, 302, 503]);
  });

  test("gives Require a user", () => {
    expect(statusesOf("<Location /a>\nMellonEnable auth\nRequire valid-user\n</Location>", mellon)).toEqual(open);
    expect(statusesOf("<Location /a>\nMellonEnable auth\nRequire user x\n</Location>", mellon)).toEqual(open);
  });

  test("cannot override a denial by mod_access_compat, and `Satisfy any` overrides it", () => {
    expect(statusesOf("<Location /a>\nMellonEnable auth\nDeny from all\n</Location>", mellon)).toEqual([403]);
    const any = "<Location /a>\nMellonEnable auth\nSatisfy any\nRequire all granted\n</Location>";
    expect(statusesOf(any, mellon)).toEqual([200]);
  });

  test.each([
    ["MellonEnable off\nRequire all granted", 200],
    ["MellonEnable info\nRequire all granted", 200],
    ["AuthType Mellon\nMellonEnable off\nRequire valid-user", 500],
    ["AuthType Mellon\nRequire valid-user", 500],
  ])("twin: does nothing: %j", (lines, status) => {
    expect(statusesOf(`<Location /a>\n${lines}\n</Location>`, mellon)).toEqual([status]);
  });

  test("twin: is turned off in an inner section", () => {
    const lines = "<Location />\nMellonEnable auth\n</Location>\n<Location /a>\nMellonEnable off\n</Location>";
    expect(statusesOf(lines, mellon)).toEqual([200]);
  });
});

describe("a module with tickets", () => {
  test("decides whatever the AuthType is", () => {
    for (const type of ["", "AuthType None\n", "AuthType Basic\nAuthName x\nAuthUserFile /u\n"]) {
      const lines = `<Location /a>\n${type}TKTAuthLoginURL https://x.test/\nRequire valid-user\n</Location>`;
      expect(statusesOf(lines, ["auth_tkt_module"])).toEqual([200, 302, 307, 500]);
    }
  });

  test("twin: decides only with its AuthType if the module is mod_auth_pubtkt", () => {
    const lines = "<Location /a>\nTKTAuthLoginURL https://x.test/\nRequire valid-user\n</Location>";
    expect(statusesOf(lines, ["auth_pubtkt_module"])).toEqual([500]);
  });
});

describe("mod_security2", () => {
  const security = ["security2_module"];

  test("may reject requests with the statuses of its rules", () => {
    expect(statusesOf("SecRuleEngine On", security)).toEqual([200, 403]);
    expect(statusesOf('SecRuleEngine On\nSecRule ARGS a "id:1,deny,status:404"', security)).toEqual([200, 403, 404]);
    expect(statusesOf('SecRuleEngine On\nSecAction "id:2,redirect:https://x.test/"', security)).toEqual([
      200, 302, 403,
    ]);
    const { unknown } = answerOf("SecRuleEngine On", security);
    expect(unknown).toEqual(["whether mod_security2 rejects the request (`SecRuleEngine On`)"]);
  });

  test.each(["SecRuleEngine Off", "SecRuleEngine DetectionOnly"])("twin: allows every request with %s", (line) => {
    expect(statusesOf(`${line}\nSecAction "id:1,deny"`, security)).toEqual([200]);
  });
});

test("mod_intercept_form_submit denies nobody, but may redirect after a POST", () => {
  const modules = ["authnz_pam_module", "intercept_form_submit_module"];
  const lines = (more: string) => `<Location /a>\nInterceptFormPAMService login\n${more}\n</Location>`;
  const post: Partial<Request> = { method: "POST", path: "/a/c" };
  expect(statusesOf(lines(""), modules, post)).toEqual([404]);
  expect(statusesOf(lines("AuthPAMExpiredRedirect https://x.test/"), modules, post)).toEqual([303, 404]);
  expect(statusesOf(lines("AuthPAMExpiredRedirect https://x.test/"), modules, { path: "/a/c" })).toEqual([404]);
});

test("every directive of the table is one of its module, or of httpd", () => {
  for (const {
    identifier,
    checks = [],
    statusLines = [],
    disabledBy,
    passwordProviders = [],
  } of authenticationModules) {
    const named = [
      ...checks.flatMap(({ directive, rules = [] }) => [directive, ...rules]),
      ...statusLines.map(({ directive }) => directive),
      ...passwordProviders.map(({ needs }) => needs),
      ...(disabledBy === undefined ? [] : [disabledBy]),
    ].filter((name) => name !== "AuthType" && name !== "AuthPAMExpiredRedirect");
    for (const name of named)
      expect([name, findThirdPartyDirective(name)?.modules]).toEqual([name, expect.arrayContaining([identifier])]);
  }
});

describe("a line that has a module identify clients", () => {
  const lineOf = (text: string) => {
    const line = loadText(`<Location /a>\n${text}\n</Location>\n`).directives[0]?.children?.[0];
    if (line === undefined) throw new Error(text);
    return line;
  };

  test.each([
    ["AuthType CAS", "mod_auth_cas"],
    ["AuthType shibboleth", "mod_shib"],
    ["MellonEnable auth", "mod_auth_mellon"],
    ["AuthType NoSuchType", "another module"],
  ])("names its module: %s", (text, module) => {
    expect(identifiesElsewhere(lineOf(text))).toBe(true);
    expect(nameModuleOf(lineOf(text))).toBe(module);
  });

  test.each(["AuthType Basic", "AuthType None", "AuthType digest", "Require valid-user", "SecRuleEngine On"])(
    "is not one of httpd, or one that only rejects requests: %s",
    (text) => {
      expect(identifiesElsewhere(lineOf(text))).toBe(false);
    },
  );
});

test("2.2 with a third-party module: the user, or what the module returns instead", () => {
  const modules = ["authz_host", "authz_user", "auth_basic", "authn_file", "auth_cas"];
  const loads = modules.map((name) => `LoadModule ${name}_module m.so\n`).join("");
  const statusesFor = (rule: string, user?: string) => {
    const text = `${loads}ServerName x.test\nDocumentRoot /srv\n<Location /a>\nAuthType CAS\nAuthName x\n${rule}\n</Location>\n`;
    const simulatedServer = new SimulatedServer(
      loadText(text, { kind: "server", release: "2.2" }),
      createListedFiles(["/srv/a/b.txt"]),
    );
    const request = { method: "GET", path: "/a/b.txt", clientIp: "192.0.2.7", ...(user ? { user } : {}) };
    const { status, alternatives } = simulatedServer.answer(request);
    return [...new Set(alternatives.length > 0 ? alternatives.map((each) => each.status) : [status])].toSorted();
  };
  expect(statusesFor("Require valid-user")).toEqual(expect.arrayContaining([200, 302]));
  expect(statusesFor("Require user bob")).toEqual(expect.arrayContaining([200, 302, 401]));
  expect(statusesFor("Require user bob", "bob")).toEqual([200]);
});
