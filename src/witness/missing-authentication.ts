import { authenticate, authModuleOf, authnProvidersOf, authTypeOf, setsUser } from "../access/decide/authentication.js";
import { type AccessState, findEffectiveSetting } from "../access/model/access-state.js";
import { hasOwnAuthModule } from "../access/rules/providers.js";
import { type Directive, suggestIntendedName } from "../project/model/directive.js";
import { formatLineTitle } from "./probe-visitor.js";

/** Missing parts of an authentication setup, as clauses. */
export interface MissingAuth {
  /** The message numbers that may report it. */
  readonly codes: readonly string[];
  readonly wrong: string;
  readonly remedy: string;
  /** The module that is not loaded, if that is the cause. */
  readonly module?: string;
}

/** Returns what is missing to authenticate a user; undefined if nothing is, or if unknown modules may do it. */
export function findMissingAuth(state: AccessState): MissingAuth | undefined {
  const { project, layers, request } = state;
  if (layers.some(setsUser)) return undefined;
  const authentication = authenticate({ ...state, request: { ...request, user: "somebody" } });
  if (authentication.kind === "none")
    return hasOwnAuthModule(project) || hasMisspeltLine("AuthType", state) ? undefined : missingType(state);
  const [code] = authentication.kind === "broken" ? authentication.codes : [];
  const line = findEffectiveSetting(state, "authtype");
  // The behaviour of 2.2 in these cases was not observed.
  if (code === undefined || line === undefined || project.release === "2.2") return undefined;
  const type = { line, name: authTypeOf(state) ?? "" };
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
  const none = findEffectiveSetting(state, "authtype");
  return {
    codes: ["AH00027", "AH00028"],
    wrong: none ? `${formatLineTitle(none)} is in force` : "no AuthType is in force to ask for one",
    remedy: "add AuthType with AuthName and AuthUserFile, or write a Require that needs no user",
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
  if (module === undefined)
    return {
      codes,
      wrong: `no loaded module knows ${formatLineTitle(line)}`,
      remedy: "write `AuthType Basic`, or load the module that brings it",
    };
  if (!modulesAreKnown || modules.has(module)) return undefined;
  const wrong = `${formatLineTitle(line)} needs \`${module}\`, which is not loaded`;
  return { codes, module, wrong, remedy: "load the module" };
}

/** The required directive of a provider, by the message number that reports it as missing. */
const files: Readonly<Record<string, string>> = {
  AH01619: "AuthUserFile",
  AH01621: "AuthUserFile",
  AH10285: "AuthDBMUserFile",
  AH02558: "AuthLDAPURL",
};

function missingSetting(code: string, { line, name }: AuthTypeLine, state: AccessState): MissingAuth | undefined {
  const codes = [code];
  if (["AH01615", "AH01780", "AH01810"].includes(code)) {
    if (hasMisspeltLine("AuthName", state)) return undefined;
    const wrong = `no AuthName is in force, without which ${formatLineTitle(line)} asks nobody`;
    const isFile = authnProvidersOf(state, `auth${name}provider`).names[0] === "file";
    const file = isFile && findEffectiveSetting(state, "authuserfile") === undefined ? ", and AuthUserFile" : "";
    return { codes, wrong, remedy: `add AuthName, such as \`AuthName "Members"\`${file}` };
  }
  const file = Object.hasOwn(files, code) ? files[code] : undefined;
  if (file === undefined || hasMisspeltLine(file, state)) return undefined;
  const provider = `Auth${name.charAt(0).toUpperCase()}${name.slice(1)}Provider`;
  const wrong = `no ${file} is in force to look one up in`;
  return { codes, wrong, remedy: `add ${file}, or name with ${provider} what knows the users` };
}
