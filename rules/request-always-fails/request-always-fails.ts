import {
  type AccessAnswer,
  describeProbe,
  findWitness,
  formatLineTitle,
  type Inspector,
  lineTrialsOf,
  type ProbeContext,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  indexDirectives,
  isWholeServer,
  iterateDirectives,
  type Project,
  parseRewriteRules,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  isWithin,
  nativePath,
  pathKey,
  quoteText,
  type Report,
  type RuleContext,
  resolvePath,
  shortenText,
  stripTrailingSlash,
} from "../../src/lint/api/rule.js";
import { findMissingTarget, missingTargetMessages, targetDirectives } from "./missing-target.js";
import { findRefusedRequests, refusedDirectives, refusedMessages } from "./refused-requests.js";
import { findUnreachedWellKnown, wellKnownDirectives, wellKnownMessages } from "./unreached-well-known.js";

/** A cause that Options has: the option that is off, and what fails without it. */
interface OptionCause {
  readonly option: string;
  readonly fails: string;
  readonly reason: string;
  readonly help: string;
}

const noPrograms: OptionCause = {
  option: "ExecCGI",
  fails: "every script here",
  reason: "runs no program where `Options` does not have `ExecCGI`",
  help: "add `ExecCGI` to `Options`",
};

/** The causes by the number of the message that httpd logs. */
const optionCauses: ReadonlyMap<string, OptionCause> = new Map([
  // Of mod_cgid and mod_cgi.
  ["AH01262", noPrograms],
  ["AH02809", noPrograms],
  [
    "AH00670",
    {
      option: "FollowSymLinks",
      fails: "every request here",
      reason: "rewrites nothing in a directory where `Options` does not have `FollowSymLinks`, and refuses the request",
      help: "add `FollowSymLinks` or `SymLinksIfOwnerMatch` to `Options`",
    },
  ],
]);

const describeRefused = (
  message: string,
  directory: string,
  answer: AccessAnswer,
  by: Directive,
  own: Directive | undefined,
) => ({
  message,
  notes: [
    describeProbe(answer),
    `${formatLineTitle(by)} applies to all directories below, and nothing grants access to this one`,
  ],
  help: [
    own
      ? `add \`Require all granted\` to ${formatLineTitle(own)}`
      : `add \`Require all granted\` in a ${quoteText(`<Directory "${nativePath(directory)}">`)} section`,
  ],
});

const messages = {
  refused: (root: string, directory: string, answer: AccessAnswer, by: Directive, own: Directive | undefined) =>
    describeRefused(`every request for a file of ${quoteText(root)} returns 403`, directory, answer, by, own),
  relativeRoot: (root: string, directory: string, answer: AccessAnswer, absolute: string) => ({
    message: `every request for a file of ${quoteText(root)} returns 403`,
    notes: [
      describeProbe(answer),
      `the path is relative to the ServerRoot: it means ${quoteText(nativePath(directory))}`,
    ],
    help: [`use ${quoteText(absolute)}, with the slash at its start`],
  }),
  refusedScript: (script: string, directory: string, answer: AccessAnswer, by: Directive, own: Directive | undefined) =>
    describeRefused(`every request for the application ${quoteText(script)} returns 403`, directory, answer, by, own),
  refusedFile: (file: string, directory: string, answer: AccessAnswer, by: Directive, own: Directive | undefined) =>
    describeRefused(`every request for the file ${quoteText(file)} returns 403`, directory, answer, by, own),
  merged: (root: string, answer: AccessAnswer, by: Directive, merging: Directive) => ({
    message: `every request for a file of ${quoteText(root)} returns 403`,
    notes: [
      describeProbe(answer),
      `with ${formatLineTitle(merging)}, the inherited ${formatLineTitle(by)} must hold, too`,
    ],
    help: [`delete ${formatLineTitle(merging)}`],
  }),
  blank: (path: string) => ({
    message: `requests such as ${quoteText(path)} return 403: the rule puts a blank into the query`,
    notes: ["httpd refuses a query with a blank (AH10411, or AH10410 outside of directories)"],
    help: ["add the flag `B`, which encodes what the groups matched"],
  }),
  option: ({ option, fails, reason, help }: OptionCause, code: string, path: string) => ({
    message: `${fails} returns 403, because \`${option}\` is off`,
    notes: [
      `httpd ${reason} (${code})`,
      `a request for ${quoteText(path)} from a client that access control allows returns 403`,
    ],
    help: [help],
  }),
};

const labels = {
  denial: "denies access to this directory, too",
  options: (option: string) => `turns \`${option}\` off`,
};

export const requestAlwaysFails = defineRule({
  id: "request-always-fails",
  title: "Every request fails",
  group: "correctness",
  severity: "warning",
  description:
    "A DocumentRoot, an Alias, scripts, backends or rewrite rules for which every request returns 403, or a target or index file that does not exist.",
  help: "A request is simulated for each DocumentRoot and Alias, and for each directory with scripts or rewrite rules. The rule reports what no client can get: a directory outside of all those to which the configuration grants access, scripts without ExecCGI, and rewrite rules without FollowSymLinks.",
  tags: ["correctness"],
  needsWholeServer: { reason: "another file may grant access", part: "findings about DocumentRoot and Alias" },
  messages: { ...messages, ...missingTargetMessages, ...refusedMessages, ...wellKnownMessages },
  check: (context) => {
    let mayRunPrograms: boolean | undefined;
    return {
      exposure: {
        fromAnywhere: true,
        onParts: true,
        holding: [...new Set([...targetDirectives, ...refusedDirectives, ...wellKnownDirectives])],
        *check(exposed, client) {
          if (context.project.isPart) {
            yield* findRefusedRequests(exposed, client);
            return;
          }
          const unreached = [...findUnreachedWellKnown(exposed, client)];
          yield* unreached.length > 0 ? unreached : findMissingTarget(exposed, client);
          yield* findRefusedRequests(exposed, client);
        },
      },
      scope: {
        holding: ["rewriterule"],
        visit(scope) {
          for (const rule of parseRewriteRules(scope.directives)) {
            if (!/\?.*[$%]\d/.test(rule.output ?? "")) continue;
            const refused = lineTrialsOf(context).findRefusedBlank(rule, scope);
            if (refused === undefined) continue;
            const message = messages.blank(shortenText(refused.request.path, 32));
            context.report({ message, span: rule.directive.span, witness: witnessOf(refused) });
          }
        },
      },
      probe: {
        checksServers: true,
        holding: [...mappings.keys(), "rewriterule", "sethandler", "addhandler"],
        applies: ({ directives }, _, { project }) =>
          directives.some((line) => isTried(line) && (isWholeServer(project) || !mappings.has(line.key))),
        check(situation, inspector, _, { project, files }) {
          const lines = situation.scope.directives.filter(isTried);
          for (const line of lines.filter(({ key }) => mappings.has(key))) {
            const refusal = findRefusal(line, situation, inspector, { project, files });
            if (refusal) return refusal;
          }
          const { place } = situation.scope;
          const isOfServer = place === "server" || place === "virtualhost";
          if (!isOfServer) return findOption(lines, situation, inspector);
          // Rewrite rules of a server need no option, and its handlers are for each directory with scripts.
          const handlers = lines.filter(isHandler);
          if (handlers.length === 0) return undefined;
          mayRunPrograms ??= allowsPrograms(project);
          return mayRunPrograms ? undefined : findOption(handlers, situation, inspector);
        },
      },
    };
  },
});

function isTried(line: Directive): boolean {
  return isHandler(line) || line.key === "rewriterule" || mappings.has(line.key);
}

function isHandler({ key, arguments: [handler] }: Directive): boolean {
  return (key === "sethandler" || key === "addhandler") && handler?.value.toLowerCase() === "cgi-script";
}

/**
 * Returns whether `Options` has ExecCGI anywhere on a server, or `.htaccess` files may add it: scripts are probably there. The
 * directory of a ScriptAlias does not count, because its files need no handler.
 */
function allowsPrograms(project: Project): boolean {
  const lines = [...iterateDirectives(project)];
  const scriptDirectories = lines
    .filter(({ key }) => key === "scriptalias")
    .map(({ arguments: [, path] }) => pathKey(pathOf(path, project)));
  return lines.some(({ key, arguments: words, parent }) => {
    const isAdded = key === "options" && words.some(({ value }) => /^\+?(?:ExecCGI|All)$/i.test(value));
    const isOfOverride =
      key === "allowoverride" && words.some(({ value }) => /^(?:All$|Options(?:$|=.*ExecCGI))/i.test(value));
    return isOfOverride || (isAdded && !scriptDirectories.includes(pathKey(pathOf(parent?.arguments[0], project))));
  });
}

/** Returns the path in an argument, without a slash at its end. */
function pathOf(argument: Argument | undefined, { serverRoot }: Project): string {
  return stripTrailingSlash(resolvePath(serverRoot, argument?.value ?? ""));
}

/** Directives that map URL paths to a directory, and which argument names it. */
const mappings: ReadonlyMap<string, number> = new Map([
  ["documentroot", 0],
  ["alias", 1],
  ["scriptalias", 1],
  ["wsgiscriptalias", 1],
]);

/** Paths that begin with a usual directory of the root. */
const topDirectory = /^\/(?:Applications|home|Library|mnt|opt|srv|Users|usr|var|www)\//;

/** Directories that systems keep empty or do not have. */
const emptyDirectory = /^\/(?:dev\/null|var\/empty|nonexistent|none)$/;

/** Reports a directory with a URL to which a section for a directory above it denies all clients access. */
function findRefusal(
  line: Directive,
  probed: ProbeContext,
  inspector: Inspector,
  { project, files }: Pick<RuleContext, "project" | "files">,
): Report | undefined {
  const path = mappings.has(line.key) ? line.arguments[mappings.get(line.key) ?? 0] : undefined;
  // The path of an application of mod_wsgi is that of its script, which is in the directory.
  const isScript = line.key === "wsgiscriptalias";
  const target = pathOf(path, project);
  const isKnownFile = !isScript && files?.kindOf(target) === "file";
  const directory = isScript || isKnownFile ? target.replace(/\/[^/]*$/, "") : target;
  // A file that is not here may grant access, and some directories are named so that nothing is served.
  if (path === undefined || !isWholeServer(project) || emptyDirectory.test(directory)) return undefined;
  const [url] = line.arguments;
  const isOfRoot = url === path;
  // An Alias that is probably for one file has no directory.
  if (url === undefined || (!isOfRoot && !isKnownFile && /\.\w+$/.test(url.value)) || directory === "")
    return undefined;
  const from = stripTrailingSlash(url.value);
  const fileUrl = url.value.endsWith("/") ? `${from}/x` : url.value;
  const sample = isScript ? from || "/" : isKnownFile ? fileUrl : `${from}/index.html`;
  const situation = isOfRoot ? probed : inspector.contextAt(probed, sample);
  const { layers, filename } = situation?.state ?? {};
  if (situation === undefined || layers === undefined || filename === undefined) return undefined;
  // A section for the name of a script decides, and whether the path is that of a file is not known.
  if (!isWithin(filename, directory) || (isScript && hasOwnSection(target, project))) return undefined;
  const lines = layers.flatMap(({ directives }) => directives);
  const answers = inspector.sampleRequests(situation, lines).map((request) => inspector.probe(situation, request));
  const [answer] = answers;
  if (answer === undefined || answers.some((each) => each?.class !== "403")) return undefined;
  const [by] = answer.decidedBy;
  const section = by?.parent;
  if (by === undefined || section?.key !== "<directory") return undefined;
  const isOwn = (each: Directive) => pathKey(pathOf(each.arguments[0], project)) === pathKey(directory);
  if (isOwn(section) || !isWithin(directory, pathOf(section.arguments[0], project))) return undefined;
  // The path after the name of a known file is not that of a section for it.
  const isExact = isKnownFile && !url.value.endsWith("/");
  const mayBeFile = isKnownFile ? hasOwnSection(target, project) : isFile(directory, project);
  if ((!isOfRoot && !isExact && mayBeFile) || isNamedRelative(directory, project)) return undefined;
  const own = layers.find(({ section: each }) => each?.key === "<directory" && isOwn(each))?.section;
  const merging = own?.children?.find(isMerging);
  if (merging)
    return {
      message: messages.merged(path.value, answer, by, merging),
      span: merging.span,
      related: [{ message: labels.denial, span: by.span }],
      witness: inspector.witness(answer),
    };
  const absolute = `/${path.value}`;
  const isRelative = !/^(?:[/~]|[a-z]:)/i.test(path.value);
  if (isRelative && (topDirectory.test(absolute) || files?.kindOf(absolute) === "directory"))
    return {
      message: messages.relativeRoot(path.value, directory, answer, absolute),
      span: line.spanOf(path),
      related: [{ message: labels.denial, span: by.span }],
      witness: inspector.witness(answer),
    };
  return {
    message: (isScript ? messages.refusedScript : isKnownFile ? messages.refusedFile : messages.refused)(
      path.value,
      nativePath(directory),
      answer,
      by,
      own,
    ),
    span: line.spanOf(path),
    related: [{ message: labels.denial, span: by.span }],
    witness: inspector.witness(answer),
  };
}

/** Reports whether a line makes the inherited Require lines hold, too. */
function isMerging({ key, arguments: [word] }: Directive): boolean {
  return key === "authmerging" && word?.value.toLowerCase() === "and";
}

/** Reports whether a path is that of a file: of a program, or one with a section for its name. */
function isFile(path: string, project: Project): boolean {
  return /\.(?:cgi|fcgi|php|pl|py|rb|sh|wsgi)$/i.test(path) || hasOwnSection(path, project);
}

/** Reports whether there is a section for the name of a file. */
function hasOwnSection(path: string, project: Project): boolean {
  const name = path.replace(/^.*\//, "").toLowerCase();
  const sections = indexDirectives(project).named("<files");
  return sections.some(({ arguments: [word] }) => word?.value.toLowerCase() === name);
}

/** Reports whether a section for a directory has a relative path, which never matches: another rule reports that. */
function isNamedRelative(directory: string, project: Project): boolean {
  const sections = indexDirectives(project).named("<directory");
  return sections.some(
    ({ arguments: [word] }) =>
      word !== undefined &&
      !/^(?:[/~]|[a-z]:)/i.test(word.value) &&
      [pathOf(word, project), `/${stripTrailingSlash(word.value)}`].some(
        (path) => pathKey(path) === pathKey(directory),
      ),
  );
}

/** Reports scripts and rewrite rules that need an option. */
function findOption(lines: readonly Directive[], situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { layers, path, config } = situation.state;
  const options = config.setting("options");
  const allowed = findWitness(
    inspector,
    situation,
    layers.flatMap(({ directives }) => directives),
    ({ isAuthorized }) => isAuthorized,
  );
  // What the rest of the server sets is not known in a part.
  if (allowed === undefined || (options === undefined && inspector.isPart)) return undefined;
  for (const line of lines) {
    const request =
      line.key === "addhandler" ? { ...allowed.request, path: scriptBeside(path, line) } : allowed.request;
    const failure = inspector.findFailure(request);
    const [code = ""] = failure?.codes.filter((each) => optionCauses.has(each)) ?? [];
    const cause = optionCauses.get(code);
    if (failure === undefined || cause === undefined) continue;
    return {
      message: messages.option(cause, code, request.path),
      span: line.span,
      ...(options ? { related: [{ message: labels.options(cause.option), span: options.span }] } : {}),
      witness: failure.witness,
    };
  }
  return undefined;
}

/** Returns the path of a file with the first extension of an AddHandler line, beside another file. */
function scriptBeside(path: string, { arguments: [, extension] }: Directive): string {
  return path.replace(/[^/]*$/, `index.${(extension?.value ?? "").replace(/^\./, "")}`);
}
