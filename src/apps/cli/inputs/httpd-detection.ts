import { existsSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { findOuterSyntax, findOuterSyntaxOfText } from "../../../../grammar/embedded.js";
import { parseFile } from "../../../../grammar/parser.js";
import { fillTemplate, isTemplateName, parseTemplate } from "../../../../grammar/template.js";
import { isHtaccessName } from "../../../config/entry.js";
import { listEmbeddedFiles, listUnreadTexts, type UnreadText } from "../../../config/files/embedded-files.js";
import { readFileStart } from "../../../config/files/file-content.js";
import { mainFileNames } from "../../../config/main-files.js";
import { beginsWithTag } from "../../../config/model/placeholders.js";
import {
  findDirectiveFacts,
  findThirdPartyDirective,
  listDirectiveNames,
  suggestDirectiveName,
} from "../../../facts/directives.js";
import { computeOnce } from "../../../text/memoize.js";

/** Number of bytes at the start of a file that are examined. */
const MAX_START_BYTES = 64 * 1024;
const SAMPLE = 50;
/** With fewer directives than this, one known or misspelt directive is enough in a folder such as `conf.d`. */
const MIN_DIRECTIVES = 4;

/**
 * Reports whether a file found by its name is httpd configuration: many programs use `.conf`. The syntax of another
 * program is checked first. After that, half of the directives must be known, unless the file is in a folder named as
 * httpd's are.
 *
 * @param confine the directory outside which nothing is read
 */
export function isLikelyHttpd(path: string, confine?: string): boolean {
  const name = basename(path);
  if (/htaccess/i.test(name) && isHtaccessName(name)) return true;
  if (prose.test(name)) return false;
  const text = readFileStart(path, MAX_START_BYTES, confine);
  // A file that cannot be read is reported later, not skipped.
  return text === undefined || isLikelyText(path, text);
}

/** Reports whether the text of a file is likely to be httpd configuration. @param path of the file */
function isLikelyText(path: string, text: string): boolean {
  const name = basename(path);
  const evidence = collectEvidence(text);
  const { known, weak, unknown, foreign } = evidence;
  if (foreign > known) return false;
  if (mainFileNames.includes(name)) return true;
  const isMostlyKnown = known >= unknown.length + foreign;
  const hasOnlyWeak = weak > 0 && weak === known;
  if (isMostlyKnown && !hasOnlyWeak) return true;
  const folder = folderKindOf(path);
  if (folder === undefined) return false;
  if (folder === "shared") {
    const misspelt = unknown.filter(
      (each) => /[A-Z]/.test(each) && suggestDirectiveName("2.4", each) !== undefined,
    ).length;
    const recognized = (hasOnlyWeak ? 0 : known) + misspelt;
    const all = known + unknown.length;
    return recognized > 0 && (all < MIN_DIRECTIVES || recognized * 2 >= all);
  }
  if (isMostlyKnown) return true;
  const recognized = known + unknown.filter((each) => suggestDirectiveName("2.4", each) !== undefined).length;
  // Directives of unknown modules are few; a long file without any known one is another program's.
  if ([".conf", ".load", ".vhost"].includes(extname(name))) return recognized > 0 || unknown.length < MIN_DIRECTIVES;
  return recognized * 2 >= known + unknown.length;
}

/** Documentation next to configuration files. */
const prose = /^(?:readme|license|changelog)|\.(?:md|rst|txt)$/i;

/** Reports whether a template produces httpd configuration. */
export function hasHttpdTemplate(path: string, confine?: string): boolean {
  const text = readFileStart(path, MAX_START_BYTES, confine);
  return text !== undefined && isLikelyTemplate(text);
}

/** Reports whether a file is of a format that may contain files: by its name, as a script without one, or as a template of YAML. */
export function isOuterFile(path: string, confine?: string): boolean {
  if (findOuterSyntax(basename(path)) !== undefined) return true;
  const isTemplate = isTemplateName(path);
  if (extname(path) !== "" && !isTemplate) return false;
  const start = readFileStart(path, isTemplate ? MAX_START_BYTES : MAX_FIRST_LINE, confine);
  return start !== undefined && findOuterSyntaxOfText(start, isTemplate) !== undefined;
}

/** Number of bytes in which the first line of a script ends. */
const MAX_FIRST_LINE = 256;

/** Number of bytes of a file in which texts of other files are found. */
const MAX_OUTER_BYTES = 8 * 1024 * 1024;

/**
 * Returns the paths of the configurations in a file of another format, such as here-documents, as `withEmbeddedFiles` reads
 * them.
 *
 * @param given the text of the file, if it is not the one on disk
 */
export function findEmbeddedHttpd(path: string, confine?: string, given?: string): readonly string[] {
  const text = given ?? readFileStart(path, MAX_OUTER_BYTES, confine);
  return text === undefined ? [] : listEmbeddedFiles(path, text, isLikelyEmbedded);
}

/**
 * Returns the commands in a file of another format that write or change httpd configuration in a way that cannot be read.
 *
 * @param given the text of the file, if it is not the one on disk
 */
export function findUnreadHttpd(path: string, confine?: string, given?: string): readonly UnreadText[] {
  const text = given ?? readFileStart(path, MAX_OUTER_BYTES, confine);
  return text === undefined ? [] : listUnreadTexts(path, text, isHttpdTarget);
}

/** Reports whether the path of a file tells that it is httpd configuration: many programs use `.conf`. */
function isHttpdTarget(target: string): boolean {
  const name = basename(target);
  if (/htaccess/i.test(name)) return isHtaccessName(name);
  return (
    (configPath.test(target) || mainFileNames.includes(name)) &&
    /apache|httpd|(?:mods|conf)-(?:available|enabled)/i.test(target)
  );
}

/** Names and folders of configuration files. */
const configPath =
  /\.(?:conf|load|vhost)$|(?:^|\/)(?:(?:sites|conf|mods)-(?:available|enabled)|(?:sites|vhosts)\.d)\/[^/]+$/i;

/** Reports whether a text in another file is httpd configuration. @param target the path or the key of the text */
function isLikelyEmbedded(target: string, text: string): boolean {
  const name = basename(target);
  if (/htaccess/i.test(name) && isHtaccessName(name)) {
    const { known, foreign } = collectEvidence(fill(text));
    return text.trim() !== "" && foreign <= known;
  }
  // Most texts have no line that begins like a directive.
  if (!/^[ \t]*<?[A-Za-z]{3,}[>\s]/m.test(text) || prose.test(name)) return false;
  const filled = fill(text);
  return (configPath.test(target) && isLikelyText(join("/", target), filled)) || isConvincing(collectEvidence(filled));
}

/**
 * Reports whether most of a text is httpd configuration once the template is filled in. A single directive may be an ordinary
 * word.
 */
function isLikelyTemplate(text: string): boolean {
  const { known, weak, unknown, foreign, hasSection } = collectEvidence(fill(text));
  return known >= unknown.length + foreign && (known - weak > 1 || hasSection);
}

/** Reports whether a text without a telling name is httpd configuration. `Use` and `Allow` also begin sentences. */
function isConvincing({ known, telling, unknown, foreign, hasSection }: Evidence): boolean {
  return known >= unknown.length + foreign && ((known > 1 && telling > 0) || hasSection);
}

/** Fills in a template; any other text remains as it is. */
function fill(text: string): string {
  const template = parseTemplate(text);
  return template ? fillTemplate(text, template, new Map()).text : text;
}

/** Syntactic evidence from the first lines of a text. */
interface Evidence {
  /** Number of directives of httpd or of a known module. */
  readonly known: number;
  /** Number of these that are plain words in lower case, which other programs also use: `alias`, `options`. */
  readonly weak: number;
  /** Number of these whose name has several words, such as `ServerName`. */
  readonly telling: number;
  readonly unknown: readonly string[];
  /** Number of lines in the syntax of another program. */
  readonly foreign: number;
  /** Whether it has an httpd section. */
  readonly hasSection: boolean;
}

function collectEvidence(text: string): Evidence {
  const tree = parseFile({ path: "", realPath: "", text });
  const unknown: string[] = [];
  let known = 0;
  let weak = 0;
  let telling = 0;
  let foreign = 0;
  let hasSection = false;
  let isCode = false;
  for (const line of tree.lines) {
    if (known + unknown.length + foreign >= SAMPLE) break;
    if (line.kind === "blank" || line.kind === "comment") continue;
    if (beginsWithTag(text.slice(line.nameStart, line.end))) continue;
    const name = text.slice(line.nameStart, line.nameEnd).replace(/>$/, "");
    // Perl code in httpd configuration looks like the syntax of another program.
    if (/^<\/?Perl$/i.test(name)) isCode = line.kind === "open";
    if (isCode) continue;
    const written = text.slice(line.start, line.end).trim();
    if (isForeign(written)) foreign++;
    else if (line.kind === "close") continue;
    else if (isKnown(name)) {
      known++;
      if (isWeak(name, written)) weak++;
      if (compoundNames().has(name.toLowerCase())) telling++;
      hasSection ||= line.kind === "open";
    } else unknown.push(name);
  }
  return { known, weak, telling, unknown, foreign, hasSection };
}

/** Sections of INI files, assignments, YAML, JSON, XML, dotted names, the blocks of nginx, paths, passwords of users, and sentences. */
const foreignSyntax = [
  /^\[[^\]]+\]$/,
  /^[\w.[\]-]+\s*[+:]?=(?!=)/,
  /^"?[\w.-]+"?\s*:(?:\s|$)/,
  /^<(?:\?xml|!doctype)/i,
  /^[a-z][\w-]*\.[\w.-]+(?:\s|$)/i,
  /[;{]$|^[}/]/,
  /^[^\s:<>]+:\S+$/,
  /^[A-Za-z]+(?: [a-z]{2,}){3,}[^"']*\.$/,
];

function isForeign(line: string): boolean {
  return foreignSyntax.some((syntax) => syntax.test(line));
}

function isKnown(name: string): boolean {
  // Many other programs spell it in lower case; httpd configuration hardly ever does.
  if (name === "include") return false;
  const releases = ["2.4", "2.2"] as const;
  return (
    releases.some((release) => findDirectiveFacts(release, name).length > 0) ||
    findThirdPartyDirective(name) !== undefined
  );
}

/** Reports whether a known name is weak evidence: one word in lower case, unless its arguments are httpd's. */
function isWeak(name: string, line: string): boolean {
  if (/[A-Z_<]/.test(name)) return false;
  if (/^(?:order\s+(?:allow|deny|mutual)|(?:allow|deny)\s+from\s)/.test(line)) return false;
  return !compoundNames().has(name);
}

/**
 * Returns, in lower case, the names that the manual writes with several capitals: other programs do not have
 * `documentroot`.
 */
const compoundNames = computeOnce(
  () =>
    new Set(
      (["2.4", "2.2"] as const)
        .flatMap((release) => listDirectiveNames(release))
        .filter((name) => /[A-Z].*[A-Z]/.test(name))
        .map((name) => name.toLowerCase()),
    ),
);

/** Folders that distributions and projects use for httpd files; `apache-tomcat` is not one of them. */
const httpdFolder =
  /^(?:conf\.modules\.d|(?:apache|httpd)(?:[^-]*|-(?:conf.*|vhosts?|sites))|.*-(?:available|enabled))$/i;

/** Folders that other programs also use. */
const sharedFolder = /^(?:conf\.d|(?:sites|vhosts).*)$/i;

/** Returns the kind of folder that a file is in, within its repository: the path of the repository is irrelevant. */
function folderKindOf(path: string): "httpd" | "shared" | undefined {
  let found: "shared" | undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return found;
    if (httpdFolder.test(basename(folder))) return "httpd";
    if (sharedFolder.test(basename(folder))) found = "shared";
  }
}
