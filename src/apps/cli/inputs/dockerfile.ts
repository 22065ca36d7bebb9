import { posix } from "node:path";

/** A COPY or ADD of the build context into an image. */
export interface ImageCopy {
  /** Paths in the build context, possibly with wildcards. */
  readonly sources: readonly string[];
  /** An absolute path in the image. */
  readonly target: string;
  /** Whether the target is a directory whatever the sources are. */
  readonly isIntoDirectory: boolean;
}

/** The files that the last stage of a Dockerfile copies from the build context. */
export interface ImageFiles {
  readonly copies: readonly ImageCopy[];
  /** The working directories, which exist in the image. */
  readonly directories: readonly string[];
  /** Targets copied from other stages or images, whose files are not in the build context. */
  readonly fromStages: readonly string[];
  /** The image that the stages are based on: `debian:12`. Undefined if it is known only at build time. */
  readonly image: string | undefined;
  /** The packages that commands install, as written: `apache2`, `apache2=2.4.57-2`. */
  readonly packages: readonly string[];
}

/**
 * Parses the files that a Dockerfile copies into its image: those of the last stage and of the stages it is based on.
 */
export function parseDockerfile(text: string): ImageFiles {
  const globals = new Map<string, string | undefined>();
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { name, rest } of parseInstructions(text)) {
    if (name === "FROM") {
      const [image = "", , alias] = rest.split(/\s+/).filter((word) => !word.startsWith("--"));
      const base = expand(image, (variable) => globals.get(variable)) ?? "";
      stage = startStage(base, stages, globals);
      stages.set(String(stages.size), stage);
      if (alias !== undefined) stages.set(alias.toLowerCase(), stage);
    } else if (stage === undefined) {
      if (name === "ARG") for (const [variable, value] of parseAssignments(rest)) globals.set(variable, value);
    } else executeInstruction(name, rest, stage);
  }
  return stage ?? { copies: [], directories: [], fromStages: [], image: undefined, packages: [] };
}

/** Returns the value of a variable. */
type Lookup = (variable: string) => string | undefined;

interface Stage {
  readonly globals: ReadonlyMap<string, string | undefined>;
  /** Values by name; undefined if known only at build time. */
  readonly variables: Map<string, string | undefined>;
  workdir: string;
  readonly copies: ImageCopy[];
  readonly directories: string[];
  readonly fromStages: string[];
  readonly image: string | undefined;
  readonly packages: string[];
}

/** Facts about the official images with httpd. */
const knownImages: readonly { readonly image: RegExp; readonly workdir: string; readonly env: [string, string][] }[] = [
  {
    image: /(?:^|\/)httpd(?:[:@]|$)/,
    workdir: "/usr/local/apache2",
    env: [["HTTPD_PREFIX", "/usr/local/apache2"]],
  },
  {
    image: /(?:^|\/)php:[^@]*apache/,
    workdir: "/var/www/html",
    env: [["APACHE_CONFDIR", "/etc/apache2"]],
  },
];

function startStage(base: string, stages: ReadonlyMap<string, Stage>, globals: Stage["globals"]): Stage {
  const earlier = stages.get(base.toLowerCase());
  if (earlier)
    return {
      ...earlier,
      variables: new Map(earlier.variables),
      copies: [...earlier.copies],
      directories: [...earlier.directories],
      fromStages: [...earlier.fromStages],
      image: earlier.image,
      packages: [...earlier.packages],
    };
  const known = knownImages.find(({ image }) => image.test(base));
  return {
    globals,
    variables: new Map(known?.env),
    workdir: known?.workdir ?? "/",
    copies: [],
    directories: known === undefined ? [] : [known.workdir],
    fromStages: [],
    image: base === "" ? undefined : base,
    packages: [],
  };
}

function executeInstruction(name: string, rest: string, stage: Stage): void {
  const lookUp = (variable: string) => stage.variables.get(variable);
  switch (name) {
    case "ARG":
      for (const [variable, value] of parseAssignments(rest))
        if (!stage.variables.has(variable)) stage.variables.set(variable, defaultOf(variable, value, stage));
      return;
    case "ENV":
      for (const [variable, value] of parseAssignments(rest))
        stage.variables.set(variable, value === undefined ? undefined : expand(value, lookUp));
      return;
    case "WORKDIR": {
      const path = expand(rest.trim(), lookUp);
      if (path !== undefined) stage.workdir = posix.resolve("/", stage.workdir, path);
      stage.directories.push(stage.workdir);
      return;
    }
    case "COPY":
    case "ADD":
      addCopy(rest, stage, lookUp);
      return;
    case "RUN":
      stage.packages.push(...installedPackages(rest, lookUp));
  }
}

/** The commands that install packages. */
const installing =
  /(?:^|[\s;&|(])(?:apt-get|apt|aptitude|yum|dnf|microdnf|zypper|apk)\s+(?:-\S+\s+)*(?:install|in|add)\s+([^;&|)]*)/g;

/** Returns the packages that the commands of a line install; those whose names are known only at build time are left out. */
function installedPackages(command: string, lookUp: Lookup): readonly string[] {
  const text = parseJsonArguments(command)?.join(" ") ?? command;
  return [...text.matchAll(installing)].flatMap(([, list = ""]) =>
    list
      .split(/\s+/)
      .filter((word) => word !== "" && !word.startsWith("-"))
      .flatMap((word) => expand(word, lookUp) ?? []),
  );
}

/** Returns the default of an ARG; without one, that of the ARG of the same name before the first FROM. */
function defaultOf(variable: string, value: string | undefined, { globals, variables }: Stage): string | undefined {
  return value === undefined ? globals.get(variable) : expand(value, (name) => variables.get(name));
}

function addCopy(rest: string, stage: Stage, lookUp: Lookup): void {
  const { flags, words } = parseCopyArguments(rest);
  const expanded = words.map((word) => expand(word, lookUp));
  const target = expanded.pop();
  const sources = expanded.filter((source) => source !== undefined);
  // A path that is known only at build time cannot be resolved.
  if (target === undefined || sources.length === 0) return;
  const path = posix.resolve("/", stage.workdir, target);
  if (flags.some((flag) => flag.startsWith("--from="))) {
    stage.fromStages.push(path);
    return;
  }
  const isIntoDirectory = /(?:^|\/)\.{0,2}$/.test(target) || expanded.length > 1;
  stage.copies.push({ sources, target: path, isIntoDirectory });
}

/** Parses the flags and arguments of COPY and ADD, in either form. */
function parseCopyArguments(rest: string): { readonly flags: readonly string[]; readonly words: readonly string[] } {
  const [, before = "", after = ""] = /^((?:--\S+\s+)*)([\s\S]*)$/.exec(rest) ?? [];
  const flags = before.split(/\s+/).filter(Boolean);
  return { flags, words: parseJsonArguments(after) ?? after.split(/\s+/).filter(Boolean) };
}

function parseJsonArguments(text: string): readonly string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === "string") ? words : undefined;
  } catch {
    return undefined;
  }
}

/** Parses `NAME=VALUE …`, `NAME VALUE` and, for ARG, `NAME`; values are as written, with their quotes. */
function parseAssignments(rest: string): readonly (readonly [name: string, value: string | undefined])[] {
  const words = rest.match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|["'\\])+/g) ?? [];
  const [first = ""] = words;
  if (!first.includes("=") && words.length > 1) return [[first, rest.slice(first.length).trim()]];
  return words.map((word) => {
    const equals = word.indexOf("=");
    return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
  });
}

const PIECE =
  /'([^']*)'|\\([\s\S])|\$\{(\w+)(?:(:?[-+])((?:[^{}]|\$\{\w+\})*))?\}|\$(\w+)|\$\{[^}]*\}|"|[^'"\\$]+|[\s\S]/g;

/** Resolves the quotes and variables of a word; undefined if a value is unknown. */
function expand(word: string, lookUp: Lookup): string | undefined {
  let expanded = "";
  for (const [piece, literal, escaped, braced, operator, alternative = "", bare] of word.matchAll(PIECE)) {
    const variable = braced ?? bare;
    let value: string | undefined = piece;
    if (literal !== undefined || escaped !== undefined) value = literal ?? escaped;
    else if (variable !== undefined) value = substitute(lookUp(variable), operator, alternative, lookUp);
    else if (piece === '"') value = "";
    else if (piece.startsWith("${")) value = undefined;
    if (value === undefined) return undefined;
    expanded += value;
  }
  return expanded;
}

function substitute(
  value: string | undefined,
  operator: string | undefined,
  alternative: string,
  lookUp: Lookup,
): string | undefined {
  if (operator === undefined) return value;
  const isSet = value !== undefined && (value !== "" || !operator.startsWith(":"));
  if (operator.endsWith("-")) return isSet ? value : expand(alternative, lookUp);
  return isSet ? expand(alternative, lookUp) : "";
}

interface Instruction {
  /** In upper case. */
  readonly name: string;
  readonly rest: string;
}

/** Yields the instructions of a Dockerfile, with continued lines joined and without comments and here-documents. */
function* parseInstructions(text: string): Generator<Instruction> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const continuation = /^(?:#[^\n]*\n)*?#\s*escape\s*=\s*(\S)/i.exec(text)?.[1] === "`" ? "`" : "\\";
  for (let index = 0; index < lines.length; index++) {
    let joined = "";
    for (; index < lines.length; index++) {
      const line = lines[index] ?? "";
      if (/^\s*(?:#|$)/.test(line)) {
        if (joined === "") break;
        continue;
      }
      const trimmed = line.trimEnd();
      if (!trimmed.endsWith(continuation)) {
        joined += line;
        break;
      }
      joined += trimmed.slice(0, -1);
    }
    const [, name = "", rest = ""] = /^\s*([A-Za-z]+)\s+([\s\S]*?)\s*$/.exec(joined) ?? [];
    if (name === "") continue;
    yield { name: name.toUpperCase(), rest };
    if (!/^(?:run|copy|add)$/i.test(name)) continue;
    for (const [, , end] of rest.matchAll(/<<-?(["']?)([A-Za-z_]\w*)\1/g))
      while (index + 1 < lines.length && lines[++index]?.trim() !== end);
  }
}
