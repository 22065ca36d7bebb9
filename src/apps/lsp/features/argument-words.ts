import { sharedObjectOf } from "../../../config/model/modules.js";
import { findDirectiveFacts, listDirectiveNames } from "../../../facts/directives.js";
import { listModules } from "../../../facts/modules.js";
import { isSince, type Release } from "../../../facts/release.js";
import { knownProviders } from "../../../server/access/providers.js";
import { builtInMethods } from "../../../server/request/method-registry.js";
import { logLevels } from "../../../startup/directives/logs.js";
import { etagNames, indexNames, optionNames, overrideNames } from "../../../startup/directives/options.js";
import { allowedValues } from "../../../startup/directives/values.js";
import type { DocumentOutline, NamedLocation, NameKind } from "../job.js";

/** A position for a word in the arguments of a directive. */
export interface ArgumentSlot {
  /** In lower case; a section's name includes its `<`. */
  readonly key: string;
  /** Number of words before it. */
  readonly index: number;
  /** The words before it. */
  readonly before: readonly string[];
  readonly release: Release;
  readonly names: readonly NamedLocation[];
  readonly outline: DocumentOutline | undefined;
}

type WordProvider = (gap: ArgumentSlot) => readonly string[];

const onOff =
  (...words: readonly string[]): WordProvider =>
  () =>
    words;
const first =
  (...words: readonly string[]): WordProvider =>
  ({ index }) =>
    index === 0 ? words : [];
const signed = (words: readonly string[]): readonly string[] => [
  ...words,
  ...words.filter((word) => !/^(None|All)$/.test(word)).flatMap((word) => [`+${word}`, `-${word}`]),
];

const userProviders: WordProvider = ({ names }) => [
  ...["file", "dbm", "dbd", "ldap", "anon", "socache"],
  ...listNamesOfKind(names, "authn alias"),
];
const methods: WordProvider = () => builtInMethods;
const headerActions = "set append add merge unset echo edit edit* note setifempty".split(" ");

/** Completions by directive name. Words in `values` are not repeated here. */
const wordProviders: Readonly<Record<string, WordProvider>> = {
  allow: suggestHosts,
  allowmethods: ({ index }) => [...(index === 0 ? ["reset"] : []), ...builtInMethods],
  allowoverride: onOff(...overrideNames, "Options="),
  allowoverridelist: ({ release }) => ["None", ...listDirectiveNames(release).filter((name) => !name.startsWith("<"))],
  authbasicprovider: userProviders,
  authdigestprovider: userProviders,
  authformprovider: userProviders,
  authtype: first("None", "Basic", "Digest", "Form"),
  deny: suggestHosts,
  fileetag: onOff(...etagNames),
  header: ({ index, before }) => {
    if (index === 0) return [...headerActions, "always", "onsuccess"];
    return index === 1 && /^(always|onsuccess)$/i.test(before[0] ?? "") ? headerActions : [];
  },
  indexoptions: onOff(...signed(indexNames)),
  loglevel: onOff(...logLevels),
  loadmodule: ({ index, before, release }) => {
    if (index === 0) return listModules(release).map(({ identifier }) => identifier);
    return index === 1 ? [`modules/${sharedObjectOf(before[0] ?? "")}`] : [];
  },
  options: onOff(...signed(optionNames)),
  order: first("Deny,Allow", "Allow,Deny", "Mutual-Failure"),
  redirect: first("permanent", "temp", "seeother", "gone"),
  redirectmatch: first("permanent", "temp", "seeother", "gone"),
  require: suggestRequireWords,
  requestheader: first(...headerActions),
  sethandler: first("None", "server-status", "server-info", "cgi-script", "default-handler", "balancer-manager"),
  sslprotocol: onOff("all", ...signed(["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"])),
  undefmacro: ({ names, index }) => (index === 0 ? listNamesOfKind(names, "macro") : []),
  undefine: ({ names, index }) => (index === 0 ? listNamesOfKind(names, "define") : []),
  use: ({ names, index }) => (index === 0 ? listNamesOfKind(names, "macro") : []),
  "<authnprovideralias": ({ index }) => (index === 0 ? ["file", "dbm", "dbd", "ldap", "anon", "socache"] : []),
  "<authzprovideralias": ({ index }) => (index === 0 ? knownProviders : []),
  "<ifdefine": ({ index, names, outline }) => (index === 0 ? listDefinedNames(names, outline) : []),
  "<ifmodule": ({ index, release }) =>
    index === 0 ? listModules(release).flatMap(({ file, identifier }) => [file, identifier, `!${file}`]) : [],
  "<ifversion": first("=", ">=", ">", "<=", "<", "~"),
  "<limit": methods,
  "<limitexcept": methods,
};

function suggestHosts({ index }: ArgumentSlot): readonly string[] {
  if (index === 0) return ["from"];
  return index === 1 ? ["all", "env="] : ["env="];
}

/** Returns the completions for Require; after `not`, a provider is completed. */
function suggestRequireWords({ before, names, release }: ArgumentSlot): readonly string[] {
  const own = before[0]?.toLowerCase() === "not" ? before.slice(1) : before;
  const [provider] = own;
  if (provider === undefined) {
    if (!isSince(release, "2.4")) return ["valid-user", "user", "group", "file-owner", "file-group"];
    return [...(before.length === 0 ? ["not"] : []), ...knownProviders, ...listNamesOfKind(names, "authz alias")];
  }
  if (provider.toLowerCase() === "all") return own.length === 1 ? ["granted", "denied"] : [];
  return provider.toLowerCase() === "method" ? builtInMethods : [];
}

/** Returns the names of one kind, each once. */
function listNamesOfKind(names: readonly NamedLocation[], kind: NameKind): readonly string[] {
  return [...new Set(names.filter((each) => each.kind === kind).map(({ name }) => name))];
}

/** Returns the names that `${}` can refer to. */
export function listDefinedNames(
  names: readonly NamedLocation[],
  outline: DocumentOutline | undefined,
): readonly string[] {
  return [...new Set([...listNamesOfKind(names, "define"), ...(outline?.given ?? [])])];
}

const closedSets = new Map(Object.entries(allowedValues).map(([name, value]) => [name.toLowerCase(), [value].flat()]));

/** Returns the words allowed at a position, if they form a fixed set. */
export function suggestWords(gap: ArgumentSlot): readonly string[] {
  const { key, index, release } = gap;
  const own = Object.hasOwn(wordProviders, key) ? wordProviders[key] : undefined;
  if (own) return own(gap);
  const isHere = (of: number | "all" = 0) => of === "all" || of === index;
  const closed = (closedSets.get(key) ?? []).filter(({ of }) => isHere(of));
  if (closed.length > 0)
    return closed.flatMap(({ words: known = [], signed: isSigned }) => (isSigned ? signed(known) : known));
  const isFlag = findDirectiveFacts(release, key).some(({ argumentKind }) => argumentKind === "FLAG");
  return isFlag && index === 0 ? ["On", "Off"] : [];
}
