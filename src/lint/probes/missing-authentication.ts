import { type Directive, isOfUnknownModule, suggestIntendedName } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import type { AccessState } from "../../server/access/access-state.js";
import { authenticate, authModuleOf, authTypeOf, setsUser } from "../../server/access/authentication.js";
import { findMissingSwitch } from "../../server/access/other-modules.js";
import { authnProvidersOf } from "../../server/access/password-providers.js";
import { hasOwnAuthModule } from "../../server/access/providers.js";
import { formatLineTitle } from "./scope-probes.js";

/** A missing part of an authentication setup. */
export interface MissingAuth {
  /** The message numbers that may report it. */
  readonly codes: readonly string[];
  /** A clause. */
  readonly wrong: string;
  /** Facts, one sentence each. */
  readonly notes: readonly string[];
  /** Imperative sentences, one remedy each. */
  readonly help: readonly string[];
  /** The module that is not loaded, if that is the cause. */
  readonly module?: string;
}

/** Returns what is missing to authenticate a user; undefined if nothing is, or if unknown modules may do it. */
export function findMissingAuth(state: AccessState): MissingAuth | undefined {
  const { project, layers, request } = state;
  if (layers.some(setsUser) || layers.some(({ directives }) => directives.some(isOfUnknownModule))) return undefined;
  const authentication = authenticate({ ...state, request: { ...request, user: "somebody" } });
  if (authentication.kind === "none")
    return hasOwnAuthModule(project) || hasMisspeltLine("AuthType", state) ? undefined : missingType(state);
  const [code] = authentication.kind === "broken" ? authentication.codes : [];
  const line = state.config.setting("authtype");
  // The behaviour of 2.2 in these cases was not observed.
  if (code === undefined || line === undefined || !isSince(project.release, "2.4")) return undefined;
  const type = { line, name: authTypeOf(state) ?? "" };
  // A file that does not exist here may exist on the server.
  const isSet =
    authentication.kind === "broken" && authentication.by.some(({ key }) => key === files[code]?.toLowerCase());
  if (isSet) return undefined;
  return code === NO_MODULE ? missingModule(type, state) : missingSetting(code, type, state);
}

/**
 * Returns whether a line that applies is a misspelt form of a directive: the finding about that line covers this one,
 * too.
 */
export function hasMisspeltLine(name: string, { layers, project: { release } }: AccessState): boolean {
  return layers.some(({ directives }) => directives.some((line) => suggestIntendedName(line, release) === name));
}

function missingType(state: AccessState): MissingAuth {
  const none = state.config.setting("authtype");
  return {
    codes: ["AH00027", "AH00028"],
    wrong: none ? `${formatLineTitle(none)} applies` : "`AuthType` is not set",
    notes: ["httpd cannot ask for a user without an authentication type"],
    help: none
      ? [
          "to allow every client, use `Require all granted` in this section",
          "to require a login, set another `AuthType`",
        ]
      : [
          "add `AuthType` with `AuthName` and `AuthUserFile`",
          "to allow access without a login, use a `Require` that does not need a user",
        ],
  };
}

/** The AuthType that applies. */
interface AuthTypeLine {
  readonly line: Directive;
  /** In lower case. */
  readonly name: string;
}

const NO_MODULE = "AH01796";

function missingModule({ line, name }: AuthTypeLine, { project }: AccessState): MissingAuth | undefined {
  const { modules, modulesAreKnown } = project;
  const module = authModuleOf(name);
  const codes = [NO_MODULE];
  const missing = module === undefined ? findMissingSwitch(name, project) : undefined;
  if (missing !== undefined)
    return { codes, wrong: `\`${missing}\` is not set`, notes: [], help: [`add \`${missing}\``] };
  if (module === undefined)
    return {
      codes,
      wrong: `no loaded module provides ${formatLineTitle(line)}`,
      notes: [],
      help: ["use `AuthType Basic`", "to keep this type, load the module that provides it"],
    };
  if (!modulesAreKnown || modules.has(module)) return undefined;
  const wrong = `\`${module}\` is not loaded`;
  return {
    codes,
    module,
    wrong,
    notes: [`${formatLineTitle(line)} needs \`${module}\``],
    help: [`load \`${module}\``],
  };
}

/** The required directive of a provider, by the message number that reports it as missing. */
const files: Readonly<Record<string, string>> = {
  AH01619: "AuthUserFile",
  AH01621: "AuthUserFile",
  AH10285: "AuthDBMUserFile",
  AH02558: "AuthLDAPURL",
};

/** The providers that look up passwords, by the directive that sets them up. */
const providersBySetting: readonly (readonly [setting: string, provider: string])[] = [
  ["AuthLDAPURL", "ldap"],
  ["AuthDBDUserPWQuery", "dbd"],
  ["AuthDBMUserFile", "dbm"],
];

function missingSetting(code: string, { line, name }: AuthTypeLine, state: AccessState): MissingAuth | undefined {
  const codes = [code];
  if (["AH01615", "AH01780", "AH01810"].includes(code)) {
    if (hasMisspeltLine("AuthName", state)) return undefined;
    const isFile = authnProvidersOf(state, `auth${name}provider`).names[0] === "file";
    const lacksFile = isFile && state.config.setting("authuserfile") === undefined;
    return {
      codes,
      wrong: "`AuthName` is not set",
      notes: [`${formatLineTitle(line)} cannot ask for a user without \`AuthName\``],
      help: [`add \`AuthName\`, such as \`AuthName "Members"\``, ...(lacksFile ? ["add `AuthUserFile`"] : [])],
    };
  }
  const file = Object.hasOwn(files, code) ? files[code] : undefined;
  if (file === undefined || hasMisspeltLine(file, state)) return undefined;
  const provider = `Auth${name.charAt(0).toUpperCase()}${name.slice(1)}Provider`;
  const other = providersBySetting.find(([setting]) => state.config.setting(setting.toLowerCase()) !== undefined);
  if (other !== undefined && other[0] !== file) {
    const [setting, word] = other;
    return {
      codes,
      wrong: `\`${provider}\` does not name \`${word}\``,
      notes: [`\`${setting}\` is set, but the provider is \`file\` by default, which needs \`${file}\``],
      help: [`add \`${provider} ${word}\``],
    };
  }
  return {
    codes,
    wrong: `\`${file}\` is not set`,
    notes: [`httpd cannot look up a user without \`${file}\``],
    help: [`add \`${file}\``, `to look up users elsewhere, set another provider with \`${provider}\``],
  };
}
