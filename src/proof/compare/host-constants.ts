import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Redirect, readRedirect } from "../../server/mapping/redirects.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { DEFAULT_SERVER_IP } from "../../server/model/request.js";
import type { Server } from "../../server/model/server.js";
import { hostSubnetOf, parseAddress, readSubnet, type Subnet } from "../../text/addresses.js";
import type { EntryPoint } from "../model/server-pairs.js";
import { isInert, isInertLine } from "../paths/inert-lines.js";
import { findExpressionConstants, wordPattern } from "./expression-constants.js";
import type { OwnedSection } from "./owned-sections.js";

/** The lines of a virtual host, divided into their text without constants and the constants. */
export interface HostShape {
  /** Equal for hosts that are alike up to constants. */
  readonly text: string;
  /** The parts of the text as written, apart from each other. */
  readonly written: readonly string[];
  /** The words of names, paths, users and patterns, in order. */
  readonly words: readonly string[];
  /** The networks of clients, in order; their sizes are part of the text. */
  readonly subnets: readonly Subnet[];
}

/** Directives whose arguments no access decision depends on, though it may depend on whether they are there. */
const freeDirectives: ReadonlySet<string> = new Set([
  ...["serveradmin", "authname", "sslcertificatefile", "sslcertificatekeyfile", "sslcertificatechainfile"],
  ...["fcgiwrapper", "fcgidwrapper"],
]);

/** How the constants of an argument are read. */
type Reading = "text" | "name" | "path" | "member" | "target" | "page" | "backend";

/** How the arguments of a directive are read, in order; the last reading is that of all others, too. */
const readingsOf: ReadonlyMap<string, readonly Reading[]> = new Map<string, readonly Reading[]>([
  ...["documentroot", "<directory", "<location", "alias", "scriptalias", "wsgiscriptalias", "fallbackresource"].map(
    (key): [string, readonly Reading[]] => [key, ["path"]],
  ),
  ["rewritebase", ["path"]],
  ["servername", ["name"]],
  ["serveralias", ["name"]],
  ["authuserfile", ["member"]],
  ["authgroupfile", ["member"]],
  ["aliasmatch", ["text", "target"]],
  ["scriptaliasmatch", ["text", "target"]],
  ["proxypass", ["backend"]],
  ["proxypassmatch", ["text", "backend"]],
  ["sethandler", ["backend"]],
  ["errordocument", ["text", "page"]],
]);

/** Returns the networks that texts may contain. */
export function findSubnets(texts: readonly string[]): readonly Subnet[] {
  const parts = new Set(texts.flatMap((text) => text.match(/[\w.:/]+/g) ?? []));
  return [...parts].flatMap((part) => {
    const read = readSubnet(part);
    return read.ok ? [read.value] : [];
  });
}

/** An absolute path without wildcards, escapes, and names that are only dots. */
export const plainPath = /^(?:\/(?!\.+(?:\/|$))[\w.-]+)*\/?$/;

/** A whole name in the target of a line that may contain variables. */
const nameInTarget = /(?<=\/)(?!\.+(?:\/|$))[\w.-]+(?=\/|$)/g;

/** A variable or a lookup of a map with a slash in its name, whose parts do not name directories. */
const variableWithSlash = /[%$]\{[^}]*\//;

/** The URL of a backend, also as an argument of SetHandler, with the path of a socket. Its host has no pattern or variable. */
const backendUrl =
  /^(?<handler>proxy:)?(?:unix:(?<socket>\/[^|]*)\|)?(?<scheme>[a-z][a-z\d+]*:\/\/)(?<host>[\w.-]+)(?::(?<port>\d{1,5}))?(?<path>\/.*)?$/i;
const MAX_PORT = 65_535;

/** The target of a redirect to a host. No access decision depends on the rest of it. */
const locationUrl = /^https?:\/\/[\w.-]+(?=[:/?$%]|$)/i;
/** A part that the server computes, or a query, and the other words. */
const partsOfLocation = /[%$](?:\{[^}]*\}|\w*)|[\w.-]+/g;

/** A file that a condition tests for, and the test. */
const testedFile = /^(?:%\{DOCUMENT_ROOT\})?\//i;
const fileTest = /^!?-[defhlsL]$/;

/** A text that a condition compares for equality with the name of the server or with a header. */
const equalityTest = /^!?=[\w.-]+$/;
const comparedName = /^%\{SERVER_NAME\}$/i;

/** The path of a password or group file: it is only compared as a whole. */
const memberPath = /^(?:\/(?!\.+(?:\/|$))[\w.@-]+)*$/;

/** Headers in patterns of SetEnvIf: no rule knows their values. */
export const headerNames: ReadonlySet<string> = new Set(["user-agent", "referer", "host", "cookie", "accept-language"]);

/** The header that a rewrite condition tests, and a condition that is a pattern. */
const testedHeader = /^%\{HTTP_([A-Z_]+)\}$/i;
const conditionPattern = /^!?(?![-<>=!])./;

/** The flags of a rule that redirects and ends the rules: no other rule reads its target. */
const redirectFlag = /[[,]\s*(?:R|redirect)\s*(?:=[^\],]*)?[\],]/i;
const proxyFlag = /[[,]\s*(?:P|proxy)\s*[\],]/i;
const lastFlag = /[[,]\s*(?:L|last|END)\s*[\],]/i;

/** A name of a user or a group without a part that the server computes. */
const plainName = /^[\w.@-]+$/;

/**
 * Reads the shape of a virtual host that requests to an entry point reach.
 * Lines that cannot change the class of an answer are left out.
 *
 * @param sections those outside of the host that belong to it
 * @param readsBackends whether a line reads the URLs of backends
 */
export function readHostShape(
  server: Server,
  entryPoint: EntryPoint,
  project: Project,
  sections: readonly OwnedSection[],
  readsBackends: boolean,
): HostShape {
  const reader = new ShapeReader(project, readsBackends);
  reader.entryPoint(entryPoint);
  if (server.section) reader.section(server.section, server.layer.content);
  for (const each of sections) reader.ownedSection(each);
  return reader;
}

class ShapeReader implements HostShape {
  text = "";
  readonly written: string[] = [];
  readonly words: string[] = [];
  readonly subnets: Subnet[] = [];

  constructor(
    private readonly project: Project,
    private readonly readsBackends: boolean,
  ) {}

  entryPoint({ scheme, port, host, serverIp = DEFAULT_SERVER_IP }: EntryPoint): void {
    const address = parseAddress(serverIp);
    if (address) this.subnets.push(hostSubnetOf(address));
    this.put(scheme, port, address?.family);
    this.constant(host ?? "");
  }

  section(section: Directive, content: readonly Directive[]): void {
    for (const line of [section, ...content]) this.line(line);
  }

  ownedSection({ section, place }: OwnedSection): void {
    this.put("\noutside", place);
    this.line(section);
  }

  private line(line: Directive): void {
    if (isLeftOut(line, this.project)) return;
    this.put("\n", line.key);
    this.arguments(line);
    for (const child of line.children && line.key !== "<virtualhost" ? line.children : []) this.line(child);
    if (line.children) this.put("\nend");
  }

  private arguments(line: Directive): void {
    const { key, argumentText } = line;
    const values = argumentValuesOf(line);
    const [first = "", second = "", ...rest] = values;
    const readings = readingsOf.get(key);
    if (freeDirectives.has(key)) return;
    const redirect = readRedirect(line, true);
    if (readings) for (const [index, value] of values.entries()) this.read(value, readings[index] ?? readings.at(-1));
    else if (redirect) this.redirect(key, redirect);
    else if ((key === "allow" || key === "deny") && first.toLowerCase() === "from") this.networks(values);
    else if (key === "require" && /^ip$/i.test(first)) this.networks(values);
    else if (key === "require" && /^(?:user|group)$/i.test(first) && values.every((value) => plainName.test(value))) {
      this.put(first);
      for (const value of values.slice(1)) this.constant(value);
    } else if (/^setenvif(?:nocase)?$/.test(key) && headerNames.has(first.toLowerCase())) {
      this.put(first);
      this.pattern(second);
      this.put(...rest);
    } else if (key === "rewritecond") this.condition(first, second, rest);
    else if (key === "rewriterule") this.rule(first, second, rest);
    else if (key === "<if" || key === "<elseif") {
      const { text, words } = findExpressionConstants(argumentText);
      this.put(text);
      this.words.push(...words);
    } else this.put(argumentText);
  }

  private read(value: string, reading: Reading = "text"): void {
    if (reading === "text") this.put(value);
    else if (reading === "target") this.target(value);
    else if (reading === "page" && locationUrl.test(value)) this.location(value);
    else if (reading === "backend" && this.isConstantBackend(value)) this.backend(value);
    else if (reading === "name" || (reading === "member" ? memberPath : plainPath).test(value)) this.constant(value);
    else this.put(value);
  }

  private redirect(key: string, { status, from, to }: Redirect): void {
    this.put(status);
    this.read(from ?? "", key === "redirectmatch" ? "text" : "path");
    this.read(to ?? "", "page");
  }

  private condition(input: string, test: string, rest: readonly string[]): void {
    const isOfName = isTestedHeader(input) || comparedName.test(input);
    if (testedFile.test(input) && fileTest.test(test)) {
      this.target(input);
      this.put(test);
    } else {
      this.put(input);
      if (isOfName && equalityTest.test(test)) this.constant(test);
      else if (isTestedHeader(input) && conditionPattern.test(test)) this.pattern(test);
      else this.put(test);
    }
    this.put(...rest);
  }

  private rule(pattern: string, output: string, rest: readonly string[]): void {
    const [flags = ""] = rest;
    this.put(pattern, ...rest);
    if (redirectFlag.test(flags) && lastFlag.test(flags) && locationUrl.test(output)) this.location(output);
    else if (proxyFlag.test(flags) && this.isConstantBackend(output)) this.backend(output);
    else this.target(output);
  }

  /** Adds the target of a line: the whole names in its path are constants. */
  private target(value: string): void {
    const [path = "", ...query] = value.split(/(?=\?)/);
    const names = testedFile.test(path) && !variableWithSlash.test(path) ? path.match(nameInTarget) : null;
    this.put(names ? path.replace(nameInTarget, "\0") : path, ...query);
    this.words.push(...(names ?? []));
  }

  /** Adds the target of a redirect to a host: its form, and what the server computes. */
  private location(value: string): void {
    this.put(value.replace(partsOfLocation, (part) => (/^[%$]/.test(part) ? part : "\0")));
  }

  private isConstantBackend(value: string): boolean {
    return !this.readsBackends && backendUrl.test(value);
  }

  private backend(value: string): void {
    const { handler, socket = "", scheme, host = "", port, path = "" } = backendUrl.exec(value)?.groups ?? {};
    this.put(handler, scheme);
    this.read(socket, "path");
    this.constant(host);
    // The server only refuses a port that is too large.
    this.put(port && String(Number(port) <= MAX_PORT));
    this.target(path);
  }

  /** Adds text that hosts of one shape share. */
  private put(...parts: readonly (string | number | undefined)[]): void {
    this.text += `${JSON.stringify(parts)} `;
    for (const part of parts) if (typeof part === "string") this.written.push(part);
  }

  private constant(value: string): void {
    this.put(value.replace(wordPattern, "\0"));
    this.words.push(...(value.match(wordPattern) ?? []));
  }

  /** Adds a pattern for a header. Words that may be a part of its syntax are not constants. */
  private pattern(value: string): void {
    this.put(value.replace(wordPattern, (word, at: number) => (isPlainPart(word, at, value) ? "\0" : word)));
    for (const { 0: word, index } of value.matchAll(wordPattern))
      if (isPlainPart(word, index, value)) this.words.push(word);
  }

  private networks(values: readonly string[]): void {
    for (const value of values) {
      const read = readSubnet(value);
      if (read.ok && isPrefix(read.value)) {
        this.put(read.value.family, String(read.value.mask));
        this.subnets.push(read.value);
      } else this.put(value);
    }
  }
}

/**
 * Reports whether a line is not part of a shape: it cannot change an answer. Rules of mod_rewrite stay, because flags may
 * count them.
 */
export function isLeftOut(line: Directive, project: Project): boolean {
  return line.children ? isInert(line, project) : !line.key.startsWith("rewrite") && isInertLine(line, project);
}

/** Reports whether a word in a pattern is not a part of its syntax: `.com` in `example\.com` is an escaped dot and a word. */
function isPlainPart(word: string, at: number, pattern: string): boolean {
  const before = pattern.charAt(at - 1);
  if (before === "\\") return /^[.-]/.test(word) && pattern.charAt(at - 2) !== "\\";
  // After a group, `?` only repeats it: in `(www\.)?example`, the word is a name.
  if (before === "?") return pattern.charAt(at - 2) !== "(";
  return !/[{,[<$%(]/.test(before);
}

/** Reports whether a rewrite condition tests a header, whose values no rule knows. */
function isTestedHeader(input: string): boolean {
  const header = testedHeader.exec(input)?.[1]?.toLowerCase().replaceAll("_", "-");
  return header !== undefined && headerNames.has(header);
}

/** Reports whether a mask consists of leading bits: two such networks are disjoint, or one contains the other. */
function isPrefix({ family, mask }: Subnet): boolean {
  const rest = ((1n << (family === 4 ? 32n : 128n)) - 1n) ^ mask;
  return (rest & (rest + 1n)) === 0n;
}
