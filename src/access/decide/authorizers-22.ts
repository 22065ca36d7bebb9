import { type ConfigLayer, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";

/** The modules of 2.2 that look at Require lines. */
export type AuthorizerName = "ldap" | "user" | "owner" | "groupfile" | "dbm";

/** One that is set up to do so. */
export interface Authorizer {
  readonly name: AuthorizerName;
  /** Whether it is the last word on lines of its own: nobody behind it is asked then. */
  readonly isAuthoritative: boolean;
}

interface AuthorizerFacts {
  readonly module: string;
  /** The directives of its record: these modules do not merge, and a section with any of them replaces all. */
  readonly record: readonly string[];
  readonly authoritative: string;
  /** Without this one it looks at nothing. */
  readonly source?: string;
  /** Whom APR puts right ahead of it. */
  readonly behind?: AuthorizerName;
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
    behind: "ldap",
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
    behind: "owner",
  },
  dbm: {
    module: "authz_dbm_module",
    record: ["authdbmgroupfile", "authzdbmtype", "authzdbmauthoritative"],
    authoritative: "authzdbmauthoritative",
    source: "authdbmgroupfile",
    behind: "owner",
  },
};

const names: readonly AuthorizerName[] = ["ldap", "user", "owner", "groupfile", "dbm"];

/** What says how lines are looked at. */
interface AuthorizerContext {
  readonly project: Project;
  readonly layers: readonly ConfigLayer[];
}

/**
 * The modules that look at Require lines, each at its own words, in the order in which they are asked: as APR sorts hooks, in
 * the order of loading, but whom a module goes behind is put right ahead of it.
 */
export function authorizersOf(settings: AuthorizerContext): readonly Authorizer[] {
  const loaded = settings.project.modules.listIdentifiers();
  const order = new Set<AuthorizerName>();
  const put = (name: AuthorizerName | undefined) => {
    if (name === undefined || !loaded.includes(authorizerFacts[name].module)) return;
    put(authorizerFacts[name].behind);
    order.add(name);
  };
  for (const identifier of loaded) put(names.find((name) => authorizerFacts[name].module === identifier));
  return [...order].flatMap((name) => {
    const { record, authoritative, source } = authorizerFacts[name];
    if (source !== undefined && inRecord(settings, record, source) === undefined) return [];
    return [{ name, isAuthoritative: isOn(settings, record, authoritative) }];
  });
}

/** Whether mod_authz_default, which is the last, turns down what no module has looked at; else the server fails. */
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
