import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type ConfigLayer, keywordArgumentOf } from "../model/config-layer.js";

/** The 2.2 modules that evaluate Require lines. */
export type AuthorizerName = "ldap" | "user" | "owner" | "groupfile" | "dbm";

/** An authorization module that is configured. */
export interface Authorizer {
  readonly name: AuthorizerName;
  /** Whether it is authoritative for its own lines: later modules are not run then. */
  readonly isAuthoritative: boolean;
}

interface AuthorizerFacts {
  readonly module: string;
  /**
   * The directives of its configuration record: these modules do not merge, and a section with any of them replaces
   * all.
   */
  readonly record: readonly string[];
  readonly authoritative: string;
  /** The directive without which it is inactive. */
  readonly source?: string;
  /** The module that APR places directly before it. */
  readonly predecessor?: AuthorizerName;
}

const ldapRecord = [
  ...[
    "authldapauthzenabled",
    "authldapbinddn",
    "authldapbindpassword",
    "authldapbindauthoritative",
    "authldapcomparednonserver",
  ],
  ...["authldapdereferencealiases", "authldapgroupattribute", "authldapgroupattributeisdn"],
  ...["authldapremoteuserattribute", "authldapremoteuserisdn", "authldapurl", "authzldapauthoritative"],
];

/** Modules/aaa of 2.2.34. */
const authorizerFacts: Readonly<Record<AuthorizerName, AuthorizerFacts>> = {
  ldap: {
    module: "authnz_ldap_module",
    record: ldapRecord,
    authoritative: "authzldapauthoritative",
    source: "authldapurl",
  },
  user: {
    module: "authz_user_module",
    record: ["authzuserauthoritative"],
    authoritative: "authzuserauthoritative",
    predecessor: "ldap",
  },
  owner: {
    module: "authz_owner_module",
    record: ["authzownerauthoritative"],
    authoritative: "authzownerauthoritative",
  },
  groupfile: {
    module: "authz_groupfile_module",
    record: ["authgroupfile", "authzgroupfileauthoritative"],
    authoritative: "authzgroupfileauthoritative",
    source: "authgroupfile",
    predecessor: "owner",
  },
  dbm: {
    module: "authz_dbm_module",
    record: ["authdbmgroupfile", "authzdbmtype", "authzdbmauthoritative"],
    authoritative: "authzdbmauthoritative",
    source: "authdbmgroupfile",
    predecessor: "owner",
  },
};

const names: readonly AuthorizerName[] = ["ldap", "user", "owner", "groupfile", "dbm"];

/** The configuration that controls how Require lines are evaluated. */
interface AuthorizerContext {
  readonly project: Project;
  readonly layers: readonly ConfigLayer[];
}

/**
 * Returns the modules that evaluate Require lines, each its own providers, in hook order. APR sorts hooks by load
 * order, but places a module's declared predecessor directly before it.
 */
export function authorizersOf(settings: AuthorizerContext): readonly Authorizer[] {
  const loaded = settings.project.modules.listIdentifiers();
  const order = new Set<AuthorizerName>();
  const put = (name: AuthorizerName | undefined) => {
    if (name === undefined || !loaded.includes(authorizerFacts[name].module)) return;
    put(authorizerFacts[name].predecessor);
    order.add(name);
  };
  for (const identifier of loaded) put(names.find((name) => authorizerFacts[name].module === identifier));
  return [...order].flatMap((name) => {
    const { record, authoritative, source } = authorizerFacts[name];
    if (source !== undefined && inRecord(settings, record, source) === undefined) return [];
    return [{ name, isAuthoritative: isOn(settings, record, authoritative) }];
  });
}

/**
 * Reports whether mod_authz_default, the last module, rejects requests that no module has decided; otherwise the server
 * fails.
 */
export function isDefaultAuthoritative(settings: AuthorizerContext): boolean {
  const key = "authzdefaultauthoritative";
  return settings.project.modules.has("authz_default_module") && isOn(settings, [key], key);
}

function inRecord({ layers }: AuthorizerContext, record: readonly string[], key: string): Directive | undefined {
  return layers.findLast((layer) => record.some((each) => layer.has(each)))?.setting(key);
}

function isOn(settings: AuthorizerContext, record: readonly string[], key: string): boolean {
  return keywordArgumentOf(inRecord(settings, record, key)) !== "off";
}
