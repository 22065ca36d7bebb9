import {
  type Argument,
  type Directive,
  indexDirectives,
  isWholeServer,
  type Project,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
  readRedirect,
  type Scope,
} from "../../src/lint/api/configuration.js";

/** A redirect that leads clients to their own machine, or to a backend that only the server reaches. */
export interface OwnMachineTarget {
  readonly directive: Directive;
  readonly word: Argument | undefined;
  readonly target: string;
  /** Whether the line is a rule without R, so that it was probably meant for the proxy. */
  readonly lacksFlag: boolean;
}

/** Schemes of backends; browsers follow redirects only to `http` and `https`. */
const backendScheme = /^(?:ajp|balancer|fcgi|h2c?|scgi|uwsgi|wss?):\/\//i;

const ownMachine = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)(:\d+)?(?=[/?]|$)/i;

/** A name without a dot, with a port: that of a container, for example. */
const shortName = /^https?:\/\/[a-z][\w-]*:\d+(?=[/?]|$)/i;

/** Yields the redirects of a scope to the machine of the client (mod_rewrite.c `apply_rewrite_rule`, mod_alias.c `fixup_redir`). */
export function* findOwnMachineTargets(scope: Scope, project: Project): Generator<OwnMachineTarget> {
  if (!scope.directives.some(({ argumentText }) => argumentText.includes("://"))) return;
  const isNamed = namesAround(scope, project).some((name) => name.includes("."));
  if (isLocal(scope, project)) return;
  for (const rule of parseRewriteRules(scope.directives)) {
    const { directive, flags, output = "" } = rule;
    if (flags.names.has("proxy") || flags.answers || isForLocal(rule)) continue;
    const lacksFlag = !flags.names.has("redirect");
    const port = ownMachine.exec(output)?.[1];
    const isOwn = ownMachine.test(output) && (isNamed || (lacksFlag && port !== undefined));
    const isBackend = lacksFlag && (backendScheme.test(output) || shortName.test(output));
    if (isOwn || isBackend)
      yield { directive, word: parseRewriteWords(directive.argumentText)?.[1], target: output, lacksFlag };
  }
  if (!isNamed) return;
  for (const directive of scope.directives) {
    const to = readRedirect(directive, scope.place !== "server" && scope.place !== "virtualhost")?.to;
    const word = directive.arguments.findLast(({ value }) => value === to);
    if (to !== undefined && ownMachine.test(to)) yield { directive, word, target: to, lacksFlag: false };
  }
}

/** Reports whether a rule applies only to requests of this machine. */
function isForLocal({ conditions }: RewriteRule): boolean {
  return conditions.some(
    ({ input, directive }) =>
      /HTTP_HOST|SERVER_NAME|SERVER_ADDR|REMOTE_|HTTP:Host/i.test(input) &&
      /local|127|::1|\blan\b/i.test(directive.argumentText.slice(input.length)),
  );
}

/** Reports whether the clients of a scope are on this machine: it has a local name, or the server listens only there. */
function isLocal(scope: Scope, project: Project): boolean {
  if (namesAround(scope, project).some((name) => /^(?:.*\.)?local(?:host|domain)?(?::|$)|^127\./i.test(name)))
    return true;
  const addresses = indexDirectives(project)
    .named("listen")
    .map(({ arguments: [word] }) => word?.value ?? "");
  const isLoopback = (address: string) => /^(?:127\.|\[::1\]|localhost:)/i.test(address);
  return isWholeServer(project) && addresses.length > 0 && addresses.every(isLoopback);
}

/** Returns the names of the virtual host around a scope, or of the main server. */
function namesAround(scope: Scope, project: Project): readonly string[] {
  let around: Scope | undefined = scope;
  while (around && around.place !== "virtualhost") around = around.parent;
  const lines = around ? around.directives : scope.place === "htaccess" ? [] : project.directives;
  return lines
    .filter(({ key }) => key === "servername" || key === "serveralias")
    .flatMap(({ arguments: words }) => words.map(({ value }) => value));
}
