import { knownProviders } from "../access/providers.js";
import { directiveFacts, directiveNames, type Release } from "../directives/directives.js";
import { allModules } from "../directives/modules.js";
import { sharedObjectOf } from "../project/modules.js";
import { levels } from "../refusals/logs.js";
import { builtInMethods } from "../refusals/methods.js";
import { etagNames, indexNames, optionNames, overrideNames } from "../refusals/options.js";
import { values } from "../refusals/values.js";
import type { NamedPlace, NameKind, Outline } from "./jobs.js";

/** A place for a word in the arguments of a directive. */
export interface Gap {
  /** Lower case; a section's with its `<`. */
  readonly key: string;
  /** How many words stand before it. */
  readonly index: number;
  /** Those words. */
  readonly before: readonly string[];
  readonly release: Release;
  readonly names: readonly NamedPlace[];
  readonly outline: Outline | undefined;
}

type Words = (gap: Gap) => readonly string[];

const always =
  (...words: readonly string[]): Words =>
  () =>
    words;
const first =
  (...words: readonly string[]): Words =>
  ({ index }) =>
    index === 0 ? words : [];
const signed = (words: readonly string[]): readonly string[] => [
  ...words,
  ...words.filter((word) => !/^(None|All)$/.test(word)).flatMap((word) => [`+${word}`, `-${word}`]),
];

const userProviders: Words = ({ names }) => [
  ...["file", "dbm", "dbd", "ldap", "anon", "socache"],
  ...called(names, "authn alias"),
];
const methods: Words = () => builtInMethods;
const headerActions = "set append add merge unset echo edit edit* note setifempty".split(" ");

/** By the name of the directive, what may stand at a place in it. What `values` knows is not repeated here. */
const words: Readonly<Record<string, Words>> = {
  allow: hostWords,
  allowmethods: ({ index }) => [...(index === 0 ? ["reset"] : []), ...builtInMethods],
  allowoverride: always(...overrideNames, "Options="),
  allowoverridelist: ({ release }) => ["None", ...directiveNames(release).filter((name) => !name.startsWith("<"))],
  authbasicprovider: userProviders,
  authdigestprovider: userProviders,
  authformprovider: userProviders,
  authtype: first("None", "Basic", "Digest", "Form"),
  deny: hostWords,
  fileetag: always(...etagNames),
  header: ({ index, before }) => {
    if (index === 0) return [...headerActions, "always", "onsuccess"];
    return index === 1 && /^(always|onsuccess)$/i.test(before[0] ?? "") ? headerActions : [];
  },
  indexoptions: always(...signed(indexNames)),
  loglevel: always(...levels),
  loadmodule: ({ index, before, release }) => {
    if (index === 0) return allModules(release).map(({ identifier }) => identifier);
    return index === 1 ? [`modules/${sharedObjectOf(before[0] ?? "")}`] : [];
  },
  options: always(...signed(optionNames)),
  order: first("Deny,Allow", "Allow,Deny", "Mutual-Failure"),
  redirect: first("permanent", "temp", "seeother", "gone"),
  redirectmatch: first("permanent", "temp", "seeother", "gone"),
  require: requireWords,
  requestheader: first(...headerActions),
  sethandler: first("None", "server-status", "server-info", "cgi-script", "default-handler", "balancer-manager"),
  sslprotocol: always("all", ...signed(["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"])),
  undefmacro: ({ names, index }) => (index === 0 ? called(names, "macro") : []),
  undefine: ({ names, index }) => (index === 0 ? called(names, "define") : []),
  use: ({ names, index }) => (index === 0 ? called(names, "macro") : []),
  "<authnprovideralias": ({ index }) => (index === 0 ? ["file", "dbm", "dbd", "ldap", "anon", "socache"] : []),
  "<authzprovideralias": ({ index }) => (index === 0 ? knownProviders : []),
  "<ifdefine": ({ index, names, outline }) => (index === 0 ? definedNames(names, outline) : []),
  "<ifmodule": ({ index, release }) =>
    index === 0 ? allModules(release).flatMap(({ file, identifier }) => [file, identifier, `!${file}`]) : [],
  "<ifversion": first("=", ">=", ">", "<=", "<", "~"),
  "<limit": methods,
  "<limitexcept": methods,
};

function hostWords({ index }: Gap): readonly string[] {
  if (index === 0) return ["from"];
  return index === 1 ? ["all", "env="] : ["env="];
}

/** The words of Require; behind `not` another one. */
function requireWords({ before, names, release }: Gap): readonly string[] {
  const own = before[0]?.toLowerCase() === "not" ? before.slice(1) : before;
  const [provider] = own;
  if (provider === undefined) {
    if (release === "2.2") return ["valid-user", "user", "group", "file-owner", "file-group"];
    return [...(before.length === 0 ? ["not"] : []), ...knownProviders, ...called(names, "authz alias")];
  }
  if (provider.toLowerCase() === "all") return own.length === 1 ? ["granted", "denied"] : [];
  return provider.toLowerCase() === "method" ? builtInMethods : [];
}

/** The names that something was given, each once. */
function called(names: readonly NamedPlace[], kind: NameKind): readonly string[] {
  return [...new Set(names.filter((each) => each.kind === kind).map(({ name }) => name))];
}

/** What `${}` may ask for. */
export function definedNames(names: readonly NamedPlace[], outline: Outline | undefined): readonly string[] {
  return [...new Set([...called(names, "define"), ...(outline?.given ?? [])])];
}

const closedSets = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), [value].flat()]));

/** The words that may stand at a place, where they are of a fixed set. */
export function wordsAt(gap: Gap): readonly string[] {
  const { key, index, release } = gap;
  const own = Object.hasOwn(words, key) ? words[key] : undefined;
  if (own) return own(gap);
  const isHere = (of: number | "all" = 0) => of === "all" || of === index;
  const closed = (closedSets.get(key) ?? []).filter(({ of }) => isHere(of));
  if (closed.length > 0)
    return closed.flatMap(({ words: known = [], signed: isSigned }) => (isSigned ? signed(known) : known));
  const isFlag = directiveFacts(release, key).some(({ argumentKind }) => argumentKind === "FLAG");
  return isFlag && index === 0 ? ["On", "Off"] : [];
}
