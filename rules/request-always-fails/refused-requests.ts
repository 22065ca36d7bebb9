import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  formatLineTitle,
  type OutsideClient,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  hasProxyFlag,
  indexDirectives,
  isWholeServer,
  type Project,
  parseRewriteRules,
} from "../../src/lint/api/configuration.js";
import {
  isWithin,
  nativePath,
  quoteText,
  type Report,
  resolvePath,
  stripTrailingSlash,
} from "../../src/lint/api/rule.js";

export const refusedMessages = {
  noProxy: (answer: DefiniteAnswer) => ({
    message: "requests of this rule return 403: the flag `P` needs `mod_proxy`, which is not loaded",
    notes: [describeAnswer(answer), "httpd starts without a warning (AH00669)"],
    help: ["load `proxy_module` and the module for the backend, such as `proxy_http_module`"],
  }),
  proxyDenied: (line: Directive, section: Directive, answer: DefiniteAnswer) => ({
    message: `every request for the backend of ${formatLineTitle(line)} returns 403`,
    notes: [
      describeAnswer(answer),
      `${formatLineTitle(section)} also applies to the backends of \`ProxyPass\` and of rules`,
    ],
    help: ["set `ProxyRequests Off` and delete the section: clients then reach only the backends that lines name"],
  }),
  noHomes: (line: Directive) => ({
    message: `${formatLineTitle(line)} has no effect: no \`UserDir\` line names a directory`,
    notes: ["httpd has no default for it: requests such as `/~user/` return 404"],
    help: ["add `UserDir public_html`, or the directory of the pages in each home directory"],
  }),
  noGrant: (line: Directive, directory: string, by: Directive, answer: DefiniteAnswer, own?: Directive) => ({
    message: `every request for a directory of \`${line.name}\` returns 403`,
    notes: [
      describeAnswer(answer),
      `${formatLineTitle(by)} applies to ${quoteText(nativePath(directory))}, and nothing grants access to it`,
    ],
    help: [
      own
        ? `add \`Require all granted\` to ${formatLineTitle(own)}`
        : `add \`Require all granted\` in a ${quoteText(`<Directory "${nativePath(directory)}">`)} section`,
    ],
  }),
};

const labels = { backend: "names the backend", denial: "denies access to it, too" };

/** Directives whose requests fail as a whole if another line, or a missing module, refuses them. */
export const refusedDirectives = [
  "aliasmatch",
  "scriptaliasmatch",
  "proxypass",
  "proxypassmatch",
  "rewriterule",
  "userdir",
  "virtualdocumentroot",
] as const;

/** Finds lines whose requests are all refused: a client is answered, and the line that decides is for every client. */
export function* findRefusedRequests(exposed: ExposedLine, client: OutsideClient): Generator<Report> {
  const { line, scope, server } = exposed;
  if (line.key === "userdir") {
    yield* findClosedHomes(exposed, client);
    return;
  }
  const path = pathFor(line) ?? client.findPathInto(scope, server);
  const answer = path === undefined ? undefined : client.ask(server, { path });
  if (answer === undefined || answer.status !== 403) return;
  const witness = witnessOf(answer);
  if (answer.log.includes("AH00669")) {
    yield { severity: "error", message: refusedMessages.noProxy(answer), span: line.span, witness };
    return;
  }
  const by = answer.decidedBy.find(deniesEveryone);
  const section = by?.parent;
  if (by === undefined || section === undefined) return;
  if (line.key === "virtualdocumentroot" || isPatternAlias(line)) {
    const directory = isPatternAlias(line) ? directoryPatternOf(line) : commonDirectoryOf(line);
    if (section.key !== "<directory" || directory === undefined) return;
    if (isPatternAlias(line) && !isClosedFromAbove(line, directory, section, answer)) return;
    const message = refusedMessages.noGrant(line, directory, by, answer);
    yield { message, span: line.span, related: [{ message: labels.denial, span: by.span }], witness };
  } else if (section.key.startsWith("<proxy") && answer.backend?.by === line) {
    const message = refusedMessages.proxyDenied(line, section, answer);
    yield { message, span: by.span, related: [{ message: labels.backend, span: line.span }], witness };
  }
}

/** Finds directories of users to which no section grants access (mod_userdir.c `translate_userdir`). */
function* findClosedHomes(
  { line, server, context: { project } }: ExposedLine,
  client: OutsideClient,
): Generator<Report> {
  const [word, ...more] = line.arguments;
  if (
    /^enabled$/i.test(word?.value ?? "") &&
    more.length > 0 &&
    !indexDirectives(project).named("userdir").some(namesPlace)
  ) {
    if (isWholeServer(project)) yield { message: refusedMessages.noHomes(line), span: line.span };
    return;
  }
  const written = stripTrailingSlash(word?.value ?? "");
  if (more.length > 0 || !/^[\w./*-]+$/.test(written) || /^(?:disabled|enabled)$/i.test(written)) return;
  const name = written.replace(/^.*\*\/?/, "");
  const sections = indexDirectives(project).named("<directory");
  const own = sections.find(({ arguments: [path] }) => stripTrailingSlash(path?.value ?? "").endsWith(`/*/${name}`));
  const directory = written.startsWith("/") ? written : `/home/*/${name}`;
  const folder = own ? stripTrailingSlash(own.arguments[0]?.value ?? "") : directory;
  // Where the home directories of users are, the system decides.
  const isElsewhere = own === undefined && !written.startsWith("/") && sections.some(namesHomes);
  if (!folder.includes("*") || isElsewhere) return;
  if (own === undefined && !written.startsWith("/") && grantsElsewhere(sections, project)) return;
  const file = `${folder.replaceAll("*", "user")}/index.html`;
  const answer = client.askAsFile(server, { path: "/~user/index.html" }, file);
  const by = answer?.status === 403 ? answer.decidedBy.find(deniesEveryone) : undefined;
  if (answer === undefined || by?.parent?.key !== "<directory" || by.parent === own) return;
  const message = refusedMessages.noGrant(line, folder, by, answer, own);
  yield { message, span: line.span, related: [{ message: labels.denial, span: by.span }], witness: witnessOf(answer) };
}

/** Reports whether a UserDir line names a directory or a URL (mod_userdir.c `set_user_dir`). */
function namesPlace({ arguments: [word] }: Directive): boolean {
  return word !== undefined && !/^(?:disabled|enabled)$/i.test(word.value);
}

/** Reports whether a section is for directories of users, wherever these are. */
function namesHomes({ arguments: [path] }: Directive): boolean {
  return /^\/(?:Users|u\d*)(?:\/|$)|\/home(?:\/|$)|[*?[~]/.test(path?.value ?? "");
}

const servedBy = ["documentroot", "alias", "scriptalias"];

/** Reports whether a section grants access to a directory that no other line serves: the directories of users may be there. */
function grantsElsewhere(sections: readonly Directive[], project: Project): boolean {
  const pathOf = (word = "") => stripTrailingSlash(resolvePath(project.serverRoot, word));
  const served = servedBy
    .flatMap((key) => indexDirectives(project).named(key))
    .map((line) => pathOf(line.arguments.at(-1)?.value));
  return sections.some(({ arguments: [word], children = [] }) => {
    const path = pathOf(word?.value);
    // No system has home directories in /usr, except below a `home`.
    if (path === "" || isWithin(path, "/usr")) return false;
    if (served.some((each) => isWithin(each, path) || isWithin(path, each))) return false;
    return children.some(
      ({ key, argumentText }) => key === "allow" || (key === "require" && !/^"?all"?\s+"?denied/i.test(argumentText)),
    );
  });
}

/** Returns a URL path that a line was written for; undefined for one of a section. */
function pathFor(line: Directive): string | undefined {
  const [first] = line.arguments;
  if (line.key === "virtualdocumentroot") return "/index.html";
  if (line.key === "rewriterule") {
    const [rule] = hasProxyFlag(line.argumentText) ? parseRewriteRules([line]) : [];
    return rule && !rule.isNegated ? toPath(samplePattern(rule.pattern)) : undefined;
  }
  if (first === undefined) return undefined;
  if (line.key === "proxypassmatch" || isPatternAlias(line)) return toPath(samplePattern(first.value));
  return /^\/[\w./~-]*$/.test(first.value) ? first.value : undefined;
}

function toPath(sample: string | undefined): string | undefined {
  const path = sample === undefined ? undefined : `/${sample.replace(/^\//, "")}`;
  return path !== undefined && /^\/[\w./~-]*$/.test(path) ? path : undefined;
}

/** Reports whether a line denies access, and no line of its section allows a client. */
function deniesEveryone({ key, argumentText, parent }: Directive): boolean {
  const isDenial =
    (key === "require" && /^"?all"?\s+"?denied/i.test(argumentText)) ||
    (key === "deny" && /^from\s+all$/i.test(argumentText));
  const others = parent?.children ?? [];
  return isDenial && others.every((each) => each.key !== "allow" && (each.key !== "require" || key === "require"));
}

function isPatternAlias({ key }: Directive): boolean {
  return key === "aliasmatch" || key === "scriptaliasmatch";
}

/** Reports whether a line maps a request to a directory, and a section for one above it decides. */
function isClosedFromAbove(line: Directive, directory: string, section: Directive, { pass }: DefiniteAnswer): boolean {
  const above = stripTrailingSlash(section.arguments[0]?.value ?? "");
  const isMapped = pass?.mapping.kind === "file" && pass.mapping.by === line;
  return isMapped && above !== directory && isWithin(directory, above === "" ? "/" : above);
}

/** Returns the pattern of the directories that an AliasMatch leads to: `/srv/*` for `/srv/$1/$2`. */
function directoryPatternOf({ arguments: [, target] }: Directive): string | undefined {
  const [, directory] = /^(\/.*)\/[^/]*$/.exec(target?.value ?? "") ?? [];
  return directory?.replace(/[^/]*\$\d[^/]*/g, "*");
}

/** Returns the directory above those of all names, which is before the first `%`. */
function commonDirectoryOf({ arguments: [word] }: Directive): string | undefined {
  const [, directory] = /^(\/[^%]*)\/[^/%]*%/.exec(word?.value ?? "") ?? [];
  return directory;
}
