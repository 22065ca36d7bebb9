import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  mayHaveHandler,
  modulesOfHandler,
  type OutsideClient,
  optionsOf,
  overrideClassesOf,
  samplePattern,
  virtualPageHandlers,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, iterateDirectives, type Project } from "../../src/lint/api/configuration.js";
import { memoize, quoteText, type Report } from "../../src/lint/api/rule.js";

export const unusedHandlerMessages = {
  noModule: (handler: string, answer: DefiniteAnswer, project: Project) => ({
    message: `no loaded module has the handler ${quoteText(handler)}: httpd sends the source of the files`,
    notes: [`${describeAnswer(answer)}, with the file itself`],
    help: [helpFor(handler, project)],
  }),
  noPage: (handler: string, project: Project) => ({
    message: `no loaded module has the handler ${quoteText(handler)}: httpd looks for a file instead`,
    notes: ["requests return 404, unless there is a file with this path"],
    help: [helpFor(handler, project)],
  }),
  replacedType: (extension: string, type: string, answer: DefiniteAnswer) => ({
    message: `the files with ${quoteText(extension)} are sent as source: ${quoteText(type)} replaces the type that runs them`,
    notes: [
      `${describeAnswer(answer)}, with the file itself`,
      "a file has one type, and the type of this line is not one that a module runs",
    ],
    help: [`delete ${quoteText(extension)} from this line`],
  }),
  unprocessed: (answer: DefiniteAnswer) => ({
    message: "httpd sends the pages without their includes, because `Includes` is off",
    notes: [
      "the filter `INCLUDES` removes itself where `Options` has neither `Includes` nor `IncludesNOEXEC` (AH01374)",
      describeAnswer(answer),
    ],
    help: ["add `Options +IncludesNOEXEC` to the `<Directory>` section, or `Options +Includes` if pages run programs"],
  }),
};

const unusedHandlerLabels = { replaced: "the type that runs them" };

/** Directives that name handlers, types and filters for files, or whose files have a handler. */
export const unusedHandlerDirectives = [
  "scriptalias",
  "scriptaliasmatch",
  "addhandler",
  "sethandler",
  "addtype",
  "addoutputfilter",
  "forcetype",
  "setoutputfilter",
] as const;

/** Finds files that a line is to pass to a program or filter, and that httpd sends as they are. */
export function* findUnusedHandlers(exposed: ExposedLine, client: OutsideClient): Generator<Report> {
  const { line } = exposed;
  const [name] = line.arguments;
  if (name === undefined) return;
  if (
    line.key === "addoutputfilter" ||
    line.key === "setoutputfilter" ||
    name.value.toLowerCase() === "server-parsed"
  ) {
    yield* findUnprocessedPages(exposed, client);
    return;
  }
  const handler = isProgramAlias(line) ? "cgi-script" : name.value.toLowerCase();
  yield* virtualPageHandlers.has(handler)
    ? findMissingPage(exposed, handler)
    : findMissingHandler(exposed, client, handler);
  if (line.key === "addtype") yield* findReplacedType(exposed, client);
}

/** Names of handlers that run programs or read headers in a file: the files of other handlers are not a source text. */
const programNames =
  /^(?:[\w-]*(?:cgi|php|perl|python|wsgi|ruby|lsapi|lsphp)[\w-]*|application\/x-(?:httpd-|lsphp)[\w-]*|send-as-is|lua-script)$/;

/** Finds a page that no module makes (server/config.c `ap_invoke_handler`). */
function* findMissingPage({ line, context: { project } }: ExposedLine, handler: string): Generator<Report> {
  const hasAction = indexDirectives(project)
    .named("action")
    .some(({ arguments: [name] }) => name?.value.toLowerCase() === handler);
  if (line.key !== "sethandler" || !project.modulesAreKnown || hasAction || mayHaveHandler(handler, project)) return;
  yield { message: unusedHandlerMessages.noPage(handler, project), span: line.span };
}

function isProgramAlias({ key }: Directive): boolean {
  return key === "scriptalias" || key === "scriptaliasmatch";
}

function* findMissingHandler(
  { line, scope, server, context: { project } }: ExposedLine,
  client: OutsideClient,
  name: string,
): Generator<Report> {
  const handler = name === "application/x-httpd-cgi" ? "cgi-script" : name;
  if (!project.modulesAreKnown || !programNames.test(handler)) return;
  for (const path of pathsFor(line, client.findPathInto(scope, server))) {
    const answer = client.ask(server, { path });
    if (answer === undefined || !isSentAsFile(answer) || answer.handler !== handler) continue;
    // Distributions have such a line for the main server, for programs that an operator may add.
    if (isProgramAlias(line) && !(hasProgramBeside(answer, client) ?? scope.place !== "server")) return;
    const message = unusedHandlerMessages.noModule(name, answer, project);
    yield { message, span: line.span, witness: witnessOf(answer) };
    return;
  }
}

function* findReplacedType(
  { line, scope, server, context: { project } }: ExposedLine,
  client: OutsideClient,
): Generator<Report> {
  const path = client.findPathInto(scope, server);
  const [type, ...words] = line.arguments;
  if (type === undefined || programNames.test(type.value.toLowerCase())) return;
  for (const word of words) {
    const extension = extensionOf(word.value);
    const running = programTypesOf(project).get(extension);
    const [sample] = running === undefined ? [] : pathsFor(line, path, [extension]);
    const answer = sample === undefined ? undefined : client.ask(server, { path: sample });
    if (running === undefined || answer === undefined || !isSentAsFile(answer)) continue;
    const lines = answer.layers.flatMap(({ directives }) => directives);
    const isForIt = (each: Directive) =>
      each.key === "addtype" && each.arguments.slice(1).some(({ value }) => extensionOf(value) === extension);
    if (lines.findLast(isForIt) !== line || !lines.includes(running)) continue;
    yield {
      severity: "error",
      message: unusedHandlerMessages.replacedType(word.value, type.value, answer),
      span: line.spanOf(word),
      related: [{ message: unusedHandlerLabels.replaced, span: running.span }],
      witness: witnessOf(answer),
    };
    return;
  }
}

/** Returns the last lines that give a type of programs to an extension. */
const programTypesOf = memoize((project: Project): ReadonlyMap<string, Directive> => {
  const lines = indexDirectives(project).named("addtype");
  return new Map(
    lines
      .filter(({ arguments: [type] }) => type !== undefined && programNames.test(type.value.toLowerCase()))
      .flatMap((line) => line.arguments.slice(1).map(({ value }) => [extensionOf(value), line] as const)),
  );
});

/** Finds pages with includes in a directory without the option for them (modules/filters/mod_include.c `includes_filter`). */
function* findUnprocessedPages(
  { line, scope, server, context: { project, files } }: ExposedLine,
  client: OutsideClient,
): Generator<Report> {
  const [filter] = line.arguments;
  const isFilter = filter !== undefined && /^(?:.*;)?INCLUDES(?:;.*)?$|^server-parsed$/i.test(filter.value);
  // Distributions have such a line for the main server, where no pages need it.
  if (scope.place === "server" || !isFilter || !project.modules.has("include_module") || mayInclude(project)) return;
  for (const path of pathsFor(line, client.findPathInto(scope, server))) {
    const answer = client.ask(server, { path });
    if (answer?.status !== 200 || answer.answeredBy !== undefined) continue;
    const options = optionsOf(answer);
    const isOn = options.has("includes") || options.has("includesnoexec");
    // A file that is not known here may add the option.
    if (isOn || (files === undefined && overrideClassesOf(answer, project).has("Options"))) continue;
    yield { message: unusedHandlerMessages.unprocessed(answer), span: line.span, witness: witnessOf(answer) };
    return;
  }
}

/** Reports whether `Options` has Includes anywhere: the pages are probably there. */
const mayInclude = memoize((project: Project) =>
  [...iterateDirectives(project)].some(
    ({ key, arguments: words }) =>
      key === "options" && words.some(({ value }) => /^\+?(?:Includes(?:NOEXEC)?|All)$/i.test(value)),
  ),
);

/** The examples that httpd installs (docs/cgi-examples). */
const exampleProgram = /^(?:printenv|test-cgi)(?:\.\w+)?$/;

/** Reports whether the directory of a file has programs of its operator; undefined if it is not on the disk. */
function hasProgramBeside({ file = "" }: DefiniteAnswer, { disk }: OutsideClient): boolean | undefined {
  const directory = file.slice(0, file.lastIndexOf("/"));
  if (disk?.kindOf(directory) !== "directory") return undefined;
  return disk.list?.(directory)?.some(({ name }) => !name.startsWith(".") && !exampleProgram.test(name));
}

function isSentAsFile({ status, answeredBy, file }: DefiniteAnswer): boolean {
  return status === 200 && answeredBy === undefined && file !== undefined;
}

/** Returns paths of files that a line is for: with each of its extensions, or any path of its scope. */
function pathsFor(line: Directive, path: string | undefined, only?: readonly string[]): readonly string[] {
  const [first] = line.arguments;
  if (line.key === "scriptalias") return first ? [first.value.replace(/\/*$/, "/hello.cgi")] : [];
  if (line.key === "scriptaliasmatch") return first ? [samplePattern(first.value) ?? []].flat() : [];
  if (path === undefined) return [];
  if (["forcetype", "sethandler", "setoutputfilter"].includes(line.key)) return [path];
  const extensions = only ?? line.arguments.slice(1).map(({ value }) => extensionOf(value));
  return extensions
    .filter((each) => /^[\w-]+$/.test(each))
    .slice(0, 2)
    .map((each) => path.replace(/[^/]*$/, `page.${each}`));
}

function extensionOf(word: string): string {
  return word.replace(/^\./, "").toLowerCase();
}

function helpFor(handler: string, { modules }: Project): string {
  if (/^(?:cgi-script|application\/x-httpd-cgi)$/.test(handler.toLowerCase())) {
    const isPrefork = modules.has("mpm_prefork_module");
    return `load \`${isPrefork ? "cgi_module" : "cgid_module"}\``;
  }
  const [module] = modulesOfHandler(handler);
  if (module !== undefined) return `load \`${module}\``;
  const isPhp = /php/i.test(handler);
  if (isPhp && modules.listIdentifiers().some((each) => /^php\d?_module$/.test(each)))
    return "use `application/x-httpd-php`, which the loaded module of PHP has, or delete the line";
  if (isPhp) return 'load the module of PHP, or use `<FilesMatch "\\.php$">` with `SetHandler "proxy:fcgi://…"`';
  return "load the module that has this handler, or correct the name";
}
