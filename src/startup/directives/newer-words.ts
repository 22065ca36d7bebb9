import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { wordingOf } from "../../config/refusals/refusal.js";
import type { Release } from "../../facts/release.js";
import { findNewerWord } from "../../facts/versions.js";
import type { Span } from "../../text/source.js";
import type { DirectiveCheck } from "../refusal.js";

/** A word that httpd compares with those it knows. */
interface Keyword {
  readonly word: string;
  readonly span: Span;
}

/** Returns the words of a directive that httpd rejects if it does not know them. */
type KeywordReader = (directive: Directive) => readonly Keyword[];

const toKeyword = (directive: Directive, argument: Argument, word = argument.value): Keyword => ({
  word,
  span: directive.spanOf(argument),
});

/** Each argument is a word, maybe with a sign. */
const ofEachArgument: KeywordReader = (directive) =>
  directive.arguments.map((argument) => toKeyword(directive, argument, argument.value.replace(/^[-+]/, "")));

/** The name of each parameter: `upgrade=websocket`, or `mapping=servlet`. */
const ofParameters: KeywordReader = (directive) =>
  directive.arguments.flatMap((argument) => {
    const [, name] = /^([a-z]+)=/i.exec(argument.value) ?? [];
    return name === undefined ? [] : [toKeyword(directive, argument, name)];
  });

/** The action of a header line, after its condition. */
const ofAction: KeywordReader = (directive) => {
  const [first, second] = directive.arguments;
  const isCondition = directive.key === "header" && /^(?:always|onsuccess)$/i.test(first?.value ?? "");
  const action = isCondition ? second : first;
  return action === undefined ? [] : [toKeyword(directive, action)];
};

/** The flags of a rewrite rule, without their values. */
const ofFlags: KeywordReader = (directive) => {
  const flags = parseRewriteWords(directive.argumentText)?.[2];
  if (flags === undefined) return [];
  const names = flags.value.replace(/^\[|\]$/g, "").split(",");
  return names.map((flag) => toKeyword(directive, flags, flag.trim().replace(/=[\s\S]*/, "")));
};

const ofProvider: KeywordReader = (directive) => {
  const provider = directive.arguments.find(({ value }) => value.toLowerCase() !== "not");
  return provider === undefined ? [] : [toKeyword(directive, provider)];
};

/**
 * The directives whose words differ between versions, and that httpd rejects with a word that it does not know. Others take
 * an unknown word as a name or a value.
 */
const readers: Readonly<Record<string, KeywordReader>> = {
  "<proxy": ofParameters,
  balancermember: ofParameters,
  fileetag: ofEachArgument,
  header: ofAction,
  indexoptions: ofEachArgument,
  luascope: ofEachArgument,
  proxypass: ofParameters,
  proxypassmatch: ofParameters,
  proxyset: ofParameters,
  requestheader: ofAction,
  requestreadtimeout: ofParameters,
  require: ofProvider,
  rewriteoptions: ofEachArgument,
  rewriterule: ofFlags,
  sslcarevocationcheck: ofEachArgument,
  sslprotocol: ofEachArgument,
  sslproxycarevocationcheck: ofEachArgument,
  sslproxyprotocol: ofEachArgument,
};

/** The server's messages about an unknown word, where they name it. */
const serverMessages: Readonly<Record<string, (word: string) => string>> = {
  require: (word) => `Unknown Authz provider: ${word}`,
  rewriteoptions: (word) => `RewriteOptions: unknown option '${word}'`,
  rewriterule: (word) => `RewriteRule: unknown flag '${word}'`,
  sslprotocol: (word) => `SSLProtocol: Illegal protocol '${word}'`,
  sslproxyprotocol: (word) => `SSLProxyProtocol: Illegal protocol '${word}'`,
};

/** A word, and the first version that knows it. */
export interface NewerKeyword extends Keyword {
  readonly since: Release;
}

/** Returns the first word of a directive that only later versions than a release know; undefined if there is none. */
export function findNewerKeyword(directive: Directive, release: Release): NewerKeyword | undefined {
  const read = Object.hasOwn(readers, directive.key) ? readers[directive.key] : undefined;
  for (const keyword of read?.(directive) ?? []) {
    const since = findNewerWord(directive.key, keyword.word, release);
    if (since !== undefined) return { ...keyword, since };
  }
  return undefined;
}

/** Checks that the version of the server knows all words of a directive. */
export const checkNewerWords: DirectiveCheck = (directive, { project: { release } }) => {
  const newer = findNewerKeyword(directive, release);
  if (newer === undefined) return undefined;
  const server = serverMessages[directive.key]?.(newer.word);
  return {
    ...wordingOf("word-of-later-version", newer.word, newer.since, release),
    ...(server ? { server } : {}),
    span: newer.span,
  };
};
