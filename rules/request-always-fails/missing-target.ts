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
    const found = names.find((name) => /^(?:index|default)\.\w+$/.test(name));
    const answer = found === undefined ? undefined : client.ask(server, { path: base }, "disk");
    if (found === undefined || !answer || !isWithoutIndex(answer)) return;
    const lines = answer.layers.flatMap(({ directives }) => directives);
    if (lines.findLast(({ key }) => key === "directoryindex") !== line) return;
    yield {
      message: missingTargetMessages.noIndex(base, answer.status, describeAnswer(answer), found),
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
    const isLost = answer?.status === 404 || answer?.log.includes("AH00125") === true;
    if (answer && isLost && answer.answeredBy === undefined)
      yield {
        message: missingTargetMessages.relative(relative.value, describeAnswer(answer), answer.status),
        span: line.spanOf(relative),
        witness: witnessOf(answer),
      };
    return;
  }
  if (target === undefined) return;
  const span = target.word ? line.spanOf(target.word) : line.span;
  const name = target.path.slice(target.path.lastIndexOf("/") + 1);
  const own = names.includes(name) && !target.path.startsWith(base) ? `${base}${name}` : undefined;
  const answer = client.ask(server, { path: target.path }, "disk");
  // A FallbackResource that does not exist is looked up again and again (mod_dir.c `fixup_dir`).
  const isMissing = answer?.status === 404 || answer?.log.includes("AH00125") === true;
  if (answer && isMissing && answer.answeredBy === undefined && target.base && own !== undefined)
    yield {
      message: missingTargetMessages.otherBase(target.path, answer.status, describeAnswer(answer), target.base, base),
      span: target.base.span,
      related: [{ message: missingTargetLabels.rule, span }],
      witness: witnessOf(answer),
      cause: { key: `base ${lineKeyOf(target.base)}`, also: missingTargetLabels.rule },
    };
  else if (answer && isMissing && answer.answeredBy === undefined)
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

/** Reports whether a directory has no index file: mod_autoindex refuses its list, or is not loaded. */
function isWithoutIndex({ status, log, answeredBy }: DefiniteAnswer): boolean {
  return log.includes("AH01276") || (status === 404 && answeredBy === undefined);
}

/** Returns the URL path of a file that a line names in full. */
function targetOf({
  line,
  scope,
}: ExposedLine):
  | { readonly path: string; readonly word: Argument | undefined; readonly base?: Directive | undefined }
  | undefined {
  const isFile = (path: string) => /^\/(?:[\w.-]+\/)*[\w-][\w.-]*\.\w+$/.test(path);
  if (line.key === "fallbackresource") {
    const [word] = line.arguments;
    return word && isFile(word.value) ? { path: word.value, word } : undefined;
  }
  if (line.key === "action") {
    const [, word, modifier] = line.arguments;
    const isProgram = word !== undefined && modifier === undefined && /^\/(?:[\w.-]+\/)*[\w-][\w.-]*$/.test(word.value);
    return isProgram ? { path: word.value, word } : undefined;
  }
  const isOn = scope.directives.some(
    ({ key, argumentText }) => key === "rewriteengine" && /^"?on\b/i.test(argumentText),
  );
  const [rule] = isOn ? parseRewriteRules([line]) : [];
  const written = rule?.output?.replace(/\?.*$/s, "") ?? "";
  const base = written.startsWith("/") ? undefined : scope.directives.findLast(({ key }) => key === "rewritebase");
  const path = base ? `${base.arguments[0]?.value.replace(/\/*$/, "")}/${written}` : written;
  if (rule === undefined || rule.flags.names.has("redirect") || rule.flags.names.has("proxy") || !isFile(path))
    return undefined;
  return { path, word: parseRewriteWords(line.argumentText)?.[1], base };
}
