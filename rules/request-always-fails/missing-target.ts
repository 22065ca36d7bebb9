import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  type OutsideClient,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  indexDirectives,
  keywordArgumentOf,
  lineKeyOf,
  parseRewriteRules,
  parseRewriteWords,
} from "../../src/lint/api/configuration.js";
import { quoteText, type Report } from "../../src/lint/api/rule.js";

export const missingTargetMessages = {
  relative: (name: string, answer: string, status: number) => ({
    message: `requests below another directory return ${status}: the target ${quoteText(name)} is relative`,
    notes: [answer, "httpd looks for the file in the directory of each URL, and not in that of this line"],
    help: [`use ${quoteText(`/${name}`)}, or the whole URL path of the file`],
  }),
  missing: (path: string, status: number, answer: string, own: string | undefined, isProgram = false) => ({
    message: `requests return ${status}: the target ${quoteText(path)} does not exist`,
    notes: [answer],
    help: [
      own !== undefined
        ? `use ${quoteText(own)}, which exists`
        : isProgram
          ? "add a `ScriptAlias` for the directory of the program, or correct the path"
          : "create the file, or correct the path",
    ],
  }),
  otherBase: (path: string, status: number, answer: string, base: Directive, right: string) => ({
    message: `requests return ${status}: \`${base.name}\` makes the target ${quoteText(path)}, which does not exist`,
    notes: [answer, `httpd puts the path of \`${base.name}\` before a target that does not begin with \`/\``],
    help: [`use ${quoteText(`${base.name} ${right}`)}, where the file exists`],
  }),
  redirected: (path: string, own: string, answer: string) => ({
    message: `clients are redirected to ${quoteText(path)}, which does not exist`,
    notes: [
      answer,
      "a target that begins with `/` is a path from the document root, not from the directory of the file",
    ],
    help: [`use ${quoteText(own)}, which exists`],
  }),
  elsewhere: (path: string, own: string) => ({
    message: `the target ${quoteText(path)} is outside of this directory, which has ${quoteText(own)}`,
    notes: ["a target that begins with `/` is a path from the document root, not from the directory of the file"],
    help: [`use ${quoteText(own)}, and its directory in \`RewriteBase\``],
  }),
  noIndex: (path: string, status: number, answer: string, found: string) => ({
    message: `requests for ${quoteText(path)} return ${status}: no file of \`DirectoryIndex\` exists`,
    notes: [answer, `the directory has ${quoteText(found)}`],
    help: [`add ${quoteText(found)} to \`DirectoryIndex\``],
  }),
  noLanguage: (path: string, status: number, answer: string, found: string) => ({
    message: `requests for ${quoteText(path)} return ${status}: no file of \`DirectoryIndex\` exists`,
    notes: [answer, `the directory has ${quoteText(found)}, which httpd selects by language only with \`MultiViews\``],
    help: ["add `MultiViews` to `Options`", `or add ${quoteText(found)} to \`DirectoryIndex\``],
  }),
};

const missingTargetLabels = { rule: "leads to this target" };

/** Directives whose lines name a file of the site. */
export const targetDirectives = ["action", "directoryindex", "fallbackresource", "rewriterule"] as const;

/** Finds a file that a line leads to, and that does not exist; only where the files of the site are known. */
export function* findMissingTarget(exposed: ExposedLine, client: OutsideClient): Generator<Report> {
  const { line, scope, server, context } = exposed;
  const isOfServer = scope.place === "server" || scope.place === "virtualhost";
  const base = isOfServer ? "/" : client.findPathInto(scope, server)?.replace(/[^/]*$/, "");
  const directory = base === undefined ? undefined : client.fileAt(server, base)?.replace(/\/+$/, "");
  const names = directory === undefined ? undefined : context.files?.list?.(directory)?.map(({ name }) => name);
  if (base === undefined || names === undefined) return;
  if (line.key === "directoryindex") {
    if (/^disabled$/i.test(line.argumentText)) return;
    const inLanguage = names.find((name) => isInLanguage(name, exposed));
    const found = names.find((name) => /^(?:index|default)\.\w+$/.test(name)) ?? inLanguage;
    const answer = found === undefined ? undefined : client.ask(server, { path: base }, "disk");
    if (found === undefined || !answer || !isWithoutIndex(answer)) return;
    // A line such as VirtualDocumentRoot leads the request to another directory.
    if (answer.destination.file?.replace(/\/+$/, "") !== directory) return;
    const lines = answer.layers.flatMap(({ directives }) => directives);
    if (lines.findLast(({ key }) => key === "directoryindex") !== line) return;
    yield {
      message: (found === inLanguage ? missingTargetMessages.noLanguage : missingTargetMessages.noIndex)(
        base,
        answer.status,
        describeAnswer(answer),
        found,
      ),
      span: line.span,
      witness: witnessOf(answer),
    };
    return;
  }
  const target = targetOf(exposed);
  const root = client.fileAt(server, "/");
  if (root === undefined || client.findFileIn(root) === undefined) return;
  const [relative] = line.key === "fallbackresource" ? line.arguments : [];
  if (relative && /^[\w-][\w./-]*\.\w+$/.test(relative.value)) {
    const answer = client.ask(server, { path: `${base}no-such-directory/page` }, "disk");
    if (answer && isLost(answer))
      yield {
        message: missingTargetMessages.relative(relative.value, describeAnswer(answer), answer.status),
        span: line.spanOf(relative),
        witness: witnessOf(answer),
      };
    return;
  }
  if (target === undefined) {
    // The document root has the start page of another application, if any.
    const index = names.find((each) => /^index\.\w+$/.test(each));
    const word = base !== "/" && scope.place === "htaccess" && index !== undefined ? targetRootOf(exposed) : undefined;
    if (word !== undefined)
      yield { severity: "info", message: missingTargetMessages.elsewhere("/", base), span: line.spanOf(word) };
    return;
  }
  if (target.mayBeFile && isOfServer && isOnDisk(target.path, context.files)) return;
  const span = target.word ? line.spanOf(target.word) : line.span;
  const name = target.path.slice(target.path.lastIndexOf("/") + 1);
  const isElsewhere = target.base ? target.path !== `${base}${name}` : !target.path.startsWith(base);
  const own = names.includes(name) && isElsewhere ? `${base}${name}` : undefined;
  const answer = client.ask(server, { path: target.path }, "disk");
  // Rules may lead to a file without an end although it exists.
  const file = client.fileAt(server, target.path);
  const exists = file !== undefined && context.files?.kindOf(file) === "file";
  const isMissing = answer !== undefined && !exists && isLost(answer);
  if (target.isRedirect) {
    if (isMissing && own !== undefined)
      yield {
        message: missingTargetMessages.redirected(target.path, own, describeAnswer(answer)),
        span,
        witness: witnessOf(answer),
      };
  } else if (isMissing && target.base && own !== undefined)
    yield {
      message: missingTargetMessages.otherBase(target.path, answer.status, describeAnswer(answer), target.base, base),
      span: target.base.span,
      related: [{ message: missingTargetLabels.rule, span }],
      witness: witnessOf(answer),
      cause: { key: `base ${lineKeyOf(target.base)}`, also: missingTargetLabels.rule },
    };
  else if (isMissing)
    yield {
      message: missingTargetMessages.missing(
        target.path,
        answer.status,
        describeAnswer(answer),
        own,
        line.key === "action",
      ),
      span,
      witness: witnessOf(answer),
    };
  else if (answer !== undefined && own !== undefined && scope.place === "htaccess")
    yield { severity: "info", message: missingTargetMessages.elsewhere(target.path, own), span };
}

/** Reports whether a file is one of the names of a DirectoryIndex line, with the extension of a language at the end. */
function isInLanguage(name: string, { line, context: { project } }: ExposedLine): boolean {
  const [, start, extension = ""] = /^(.+)\.([\w-]+)$/.exec(name) ?? [];
  if (!line.arguments.some(({ value }) => value === start) || !project.modules.mayHave("negotiation_module"))
    return false;
  const isSame = ({ value }: Argument) => value.replace(/^\./, "").toLowerCase() === extension.toLowerCase();
  return indexDirectives(project)
    .named("addlanguage")
    .some(({ arguments: [, ...extensions] }) => extensions.some(isSame));
}

/**
 * Reports whether the first part of a path is on the disk: a rule of a server then takes the target as the path of a file
 * (mod_rewrite.c `prefix_stat`).
 */
function isOnDisk(path: string, files: ExposedLine["context"]["files"]): boolean {
  const [first] = /^\/[^/]+/.exec(path) ?? [];
  const kind = first === undefined ? "missing" : files?.kindOf(first);
  return kind === "directory" || kind === "file";
}

/**
 * Reports whether no file answers. A FallbackResource that does not exist is looked up again and again (mod_dir.c
 * `fixup_dir`), and so is a target of rules for files that do not exist (http_request.c `ap_is_recursion_limit_exceeded`).
 */
export function isLost({ status, log, answeredBy }: DefiniteAnswer): boolean {
  const isEndless = log.includes("AH00125") || log.includes("AH00124");
  return (status === 404 || isEndless) && answeredBy === undefined;
}

/** Reports whether a directory has no index file: mod_autoindex refuses its list, or is not loaded. */
function isWithoutIndex({ status, log, answeredBy }: DefiniteAnswer): boolean {
  return log.includes("AH01276") || (status === 404 && answeredBy === undefined);
}

/** A file of the site that a line names in full. */
interface Target {
  /** Its URL path. */
  readonly path: string;
  readonly word: Argument | undefined;
  /** The RewriteBase that begins it. */
  readonly base?: Directive | undefined;
  readonly isRedirect?: boolean;
  /** Whether it is of a rule that may lead to the path of a file on the disk. */
  readonly mayBeFile?: boolean;
}

/** Returns the target of a rule that leads other paths than its own to the document root. */
function targetRootOf({ line, scope }: ExposedLine): Argument | undefined {
  const isOn = scope.directives.some((each) => each.key === "rewriteengine" && keywordArgumentOf(each) === "on");
  const [rule] = isOn ? parseRewriteRules([line]) : [];
  const isResult = rule?.output === "/" && !rule.flags.names.has("redirect") && !rule.flags.answers;
  return isResult ? parseRewriteWords(line.argumentText)?.[1] : undefined;
}

/** Returns the file that a line leads to; a path may follow its name. */
function targetOf({ line, scope }: ExposedLine): Target | undefined {
  if (line.key === "fallbackresource") {
    const [word] = line.arguments;
    const path = word && fileIn(word.value);
    return path === undefined || path !== word?.value ? undefined : { path, word };
  }
  if (line.key === "action") {
    const [, word, modifier] = line.arguments;
    const isProgram = word !== undefined && modifier === undefined && /^\/(?:[\w.-]+\/)*[\w-][\w.-]*$/.test(word.value);
    return isProgram ? { path: word.value, word } : undefined;
  }
  const isOn = scope.directives.some((each) => each.key === "rewriteengine" && keywordArgumentOf(each) === "on");
  const [rule] = isOn ? parseRewriteRules([line]) : [];
  if (rule?.output === undefined || rule.flags.names.has("proxy")) return undefined;
  const isRedirect = rule.flags.names.has("redirect");
  const url = rule.output.replace(/\?.*$/s, "");
  const written = isRedirect ? url.replace(/^https?:\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}(?=\/)/i, "") : url;
  const base = written.startsWith("/") ? undefined : scope.directives.findLast(({ key }) => key === "rewritebase");
  const path = fileIn(base ? `${base.arguments[0]?.value.replace(/\/*$/, "")}/${written}` : written);
  if (path === undefined) return undefined;
  const mayBeFile = !isRedirect && !rule.flags.names.has("passthrough");
  return { path, word: parseRewriteWords(line.argumentText)?.[1], base, isRedirect, mayBeFile };
}

/** Returns the part of a URL path up to a name with an extension. */
export function fileIn(path: string): string | undefined {
  return /^\/(?:[\w.-]+\/)*?[\w-][\w.-]*\.\w+(?=\/|$)/.exec(path)?.[0];
}
