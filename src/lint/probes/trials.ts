import { completeAtBase } from "../../config/complete-part.js";
import type { DirectoryEntry } from "../../config/files/file-access.js";
import { pathKey, withTrailingSlash } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { UNLISTED_CLIENT_IP } from "../../proof/requests/sample-clients.js";
import { matchGroupsOf, samplePattern } from "../../proof/requests/sample-text.js";
import { answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import { createPermissiveFileTree, memberFilesOf } from "../../server/file-trees.js";
import type { FileKind, FileTree } from "../../server/model/file-tree.js";
import { enumerateRuns, Oracle } from "../../server/model/oracle.js";
import { mainPassesOf, type Pass, passesOf, restartsOf } from "../../server/model/pass.js";
import { defaultPortOf, type Request } from "../../server/model/request.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { prepareSimulation } from "../../server/process-request.js";
import { compileServerAlias, stripServerName } from "../../server/request/server-names.js";
import { parseRewriteRules, type RewriteRule } from "../../server/rewrite/rule-parser.js";
import { findRedirectOfIndex } from "../../server/trace/side-effects.js";
import { markUnmodelledDirectives } from "../../server/unmodelled-directives.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import type { RuleContext } from "../rule.js";
import { enclosingHostOf } from "./access-scopes.js";
import { forwardedSchemeOf, hasTls } from "./forwarded-scheme.js";
import {
  findPathWithBlank,
  hostOfTarget,
  type Lead,
  type LineRequest,
  requestsForErrorDocument,
  requestsForRedirect,
  requestsForRule,
} from "./line-requests.js";
import { clientAnywhereOf, type OutsideClient, type OutsideServer } from "./outside-client.js";
import { ReturningLines } from "./returning-lines.js";
import { lineWithoutOwnNames, TriedHosts } from "./tried-hosts.js";

/** One request of a client, and its answer. */
export interface Hop {
  readonly request: Request;
  readonly answer: DefiniteAnswer;
}

/** Requests that never end: the server gives up, or the client does. */
export type EndlessRequest =
  /** A URL that rules lead to again and again, until the server answers 500 (AH00124). */
  | {
      readonly kind: "internal";
      readonly hop: Hop;
      readonly lines: readonly Directive[];
      readonly paths: readonly string[];
    }
  /** Rules that the flag N starts again and again, until the server answers 500 (AH02596, or the URL is too long). */
  | {
      readonly kind: "restarts";
      readonly hop: Hop;
      readonly lines: readonly Directive[];
      /** The texts that the rules start with in the first rounds. */
      readonly paths: readonly string[];
      readonly rounds: number;
      readonly isTooLong: boolean;
    }
  /** Redirects that lead back to a URL, or to more and more of them. */
  | {
      readonly kind: "redirects";
      readonly hops: readonly Hop[];
      /** The lines that redirect; one of another module has none. */
      readonly lines: readonly Directive[];
      readonly isCycle: boolean;
      /** Whether a proxy in front of the server takes the requests to https. */
      readonly isBehindProxy: boolean;
    };

/** What is assumed of the file that is requested. */
export type FileGuess = "disk" | "missing" | "file" | "directory" | "with extension";

/** A trial of a line: a request that the line was written for, and does not end. */
export interface Trial {
  readonly endless: EndlessRequest;
  readonly guess: FileGuess;
  readonly sent: Request;
}

/** An answer with a file that mod_negotiation has found. */
export interface NegotiatedAnswer {
  readonly answer: DefiniteAnswer;
  readonly file: string;
}

/** A request whose variable an internal redirect renames, so that the access check of the result does not find it. */
export interface LostVariable {
  readonly answer: DefiniteAnswer;
  /** The line that leads to the result. */
  readonly by: Directive;
  readonly path: string;
}

/** A redirect with R that does not end the rules, so that a later rule changes its target. */
export interface ContinuedRedirect {
  readonly answer: DefiniteAnswer;
  /** The later rule. */
  readonly by: Directive;
  /** The URL in the response; undefined if it has none. */
  readonly location: string | undefined;
}

/** A result of a rule that another rule of its list takes in the next round. */
export interface RetakenTarget {
  readonly answer: DefiniteAnswer;
  /** The other rule. */
  readonly by: Directive;
  /** The URL path that the rule leads to. */
  readonly target: string;
}

/** A request for which a rule sets variables, and then leads to another path by an internal redirect. */
export interface RenamedVariables {
  readonly answer: DefiniteAnswer;
  /** The URL path that the rule leads to. */
  readonly target: string;
  /** What comes before the names of the variables then. */
  readonly prefix: string;
}

/** A request for a file that exists, and that a rule leads to its own target. */
export interface TakenFiles {
  readonly answer: DefiniteAnswer;
  /** Whether the disk has the file. */
  readonly isOnDisk: boolean;
}

/** A request for a file that exists, and that a line redirects to its path with a slash at the end. */
export interface SlashedFile extends TakenFiles {
  /** The URL path of the redirect, which returns 404. */
  readonly path: string;
}

/** Limit of the requests for one line: the first ones are those that it was most likely written for. */
const MAX_REQUESTS_FOR_LINE = 8;
/** Limit of the paths that mod_negotiation is asked for. */
const MAX_PATHS_FOR_NEGOTIATION = 3;
/** Limit of the requests whose rounds of rules are followed for a line. */
const MAX_ROUNDS = 3;
/** Limit of the answers of all lines. */
const MAX_ANSWERS = 600;
/** Limit of the ErrorDocument lines that are tried: large servers have some in each virtual host. */
const MAX_DOCUMENTS = 25;
/** Number of unknown facts that an answer may depend on. */
const MAX_FACTS = 3;
/** Number of redirects after which browsers give up. */
const MAX_REDIRECTS = 20;
/** Number of servers in which a line outside of virtual hosts is tried. */
const MAX_SERVERS = 2;
/** Number of names of a directory that are requested. */
const MAX_NAMES = 4;

/** The host of requests to a server without a name. */
const ASSUMED_HOST = "www.example.com";

/** The messages for a query with a blank: of a rule of a server, and of a directory. */
const refusedQueries = ["AH10410", "AH10411"];

/** Extensions of files that rules leave out of URLs. */
const usualExtensions = ["html", "php", "htm"];

/** Files that pages of sites refer to: a rule that leaves out the folders of one kind is for a site that has them. */
const usualMedia = [
  ...["style.css", "script.js", "logo.png"],
  ...["css/style.css", "js/script.js", "images/logo.png", "img/logo.png"],
  ...["assets/style.css", "static/style.css", "public/style.css", "media/logo.png", "uploads/logo.png"],
];

function isMedia(name: string, kind: DirectoryEntry["kind"]): boolean {
  return kind === "file" && /^[\w-][\w.-]*\.(?:css|js|mjs|png|jpe?g|gif|svg|webp|ico|woff2?)$/i.test(name);
}

/** The files that exist for some requests. */
interface AssumedFiles {
  /** The keys of their paths; those of directories end in a slash. */
  readonly existing: ReadonlySet<string>;
  /** Whether a path that the disk does not have exists if a rule names it. */
  readonly targets: ReadonlySet<string>;
}

/** What is known of a path when its file is guessed. */
interface GuessedPath {
  readonly isUsual: boolean;
  /** Whether rules test whether files exist. */
  readonly testsFiles: boolean;
  /** The extensions that rules may add. */
  readonly extensions: readonly string[];
}

/** Returns the requests for a line on a server. @param base the URL path of its directory; undefined for a server */
type RequestLister = (
  server: OutsideServer,
  base: string | undefined,
) => readonly (LineRequest & { readonly extensions: readonly string[] })[];

const noFiles: AssumedFiles = { existing: new Set(), targets: new Set() };

/**
 * Tries lines: answers the requests that they were written for, as the server does, and follows redirects to the server
 * itself. The rules of a run share it.
 */
export class LineTrials {
  private readonly project: Project;
  private readonly client: OutsideClient;
  private readonly setup: SimulationSetup;
  private readonly isPart: boolean;
  private files: AssumedFiles = noFiles;
  private left = MAX_ANSWERS;
  private documentsLeft = MAX_DOCUMENTS;
  /** The lines for which no answers were left. */
  readonly untried = new Set<Directive>();
  private readonly disk: FileTree | undefined;
  private readonly alike: TriedHosts;
  private readonly returning: ReturningLines;
  /** The results for ErrorDocument lines, which several rules ask for. */
  private readonly documents = new Map<Directive, { readonly trial: Trial | undefined }>();
  private readonly targets = new Map<Scope, ReadonlySet<string>>();
  private readonly serversOf = new Map<Directive | undefined, readonly OutsideServer[]>();
  private readonly names = new Map<OutsideServer, Map<string, readonly string[]>>();

  /** @param disk the files of the server; undefined if they are unknown */
  constructor(
    private readonly part: Project,
    disk: FileTree | undefined,
  ) {
    const complete = completeAtBase(part);
    this.alike = new TriedHosts(complete, disk);
    this.disk = this.alike.disk;
    this.project = withNegotiation(complete);
    this.client = clientAnywhereOf(complete);
    this.isPart = part.isPart;
    this.returning = new ReturningLines(part);
    this.setup = prepareSimulation(this.project, this.createTree());
  }

  /** Returns a request that a rule of a scope was written for, and that never ends because of it. */
  tryRule(rule: RewriteRule, scope: Scope): Trial | undefined {
    const { output = "" } = rule;
    const own = this.ownHostsOf(rule, scope);
    const mayReturn = rule.flags.names.has("next") || this.returning.mayReturn(rule.directive);
    if (!this.mayLeadHere(output, own) || !mayReturn) return undefined;
    return this.tryLine(rule.directive, scope, own, (server, base) => {
      const hosts = [server.at.host ?? [], this.isPart ? [ASSUMED_HOST, "example.com"] : namesOf(server)].flat();
      const names = this.namesIn(server, base ?? "/");
      const leads = leadsIn(this.project);
      return requestsForRule(rule, { base, names, hosts, leads }).map((each) => ({
        ...each,
        path: base === undefined ? `/${each.path.replace(/^\//, "")}` : base + each.path,
        extensions: extensionsIn(rule, output),
      }));
    });
  }

  /** Returns a request that a Redirect of a scope was written for, and that never ends because of it. */
  tryRedirect(line: Directive, scope: Scope): Trial | undefined {
    if (!this.mayLeadHere(line.arguments.at(-1)?.value ?? "", undefined) || !this.returning.mayReturn(line))
      return undefined;
    return this.tryLine(line, scope, undefined, (server, base) =>
      requestsForRedirect(line, base, this.namesIn(server, "/")).map((each) => ({ ...each, extensions: [] })),
    );
  }

  /** Returns a request with the status of an ErrorDocument, which leads to a URL with that status again. */
  tryErrorDocument(line: Directive, scope: Scope): Trial | undefined {
    const known = this.documents.get(line);
    if (known !== undefined) return known.trial;
    const trial = this.mayRedirectErrors(line) ? this.tryDocument(line, scope) : undefined;
    this.documents.set(line, { trial });
    return trial;
  }

  /** Reports whether the document of an error may be redirected to this server. */
  private mayRedirectErrors(line: Directive): boolean {
    const target = line.arguments[1]?.value ?? "";
    const isUrl = hostOfTarget(target) !== undefined;
    return isUrl ? this.mayLeadHere(target, undefined) : this.returning.mayLeadOn(line);
  }

  private tryDocument(line: Directive, scope: Scope): Trial | undefined {
    if (this.documentsLeft-- <= 0) {
      this.untried.add(line);
      return undefined;
    }
    return this.tryLine(line, scope, undefined, (_, base) =>
      requestsForErrorDocument(line, base ?? "/").map((each) => ({ ...each, extensions: [] })),
    );
  }

  /** Reports whether a target may be a URL of the server: most redirects lead to other sites. */
  private mayLeadHere(target: string, ownHosts: ReadonlySet<string> | undefined): boolean {
    const host = hostOfTarget(target);
    return host === undefined || ownHosts?.has(host) === true || hostNamesOf(this.project)(host);
  }

  /**
   * Returns the answer to a request that a rule of a directory was written for, and that does not reach it, because
   * mod_negotiation finds another file first (mod_negotiation.c `handle_multi`).
   */
  findNegotiated(rule: RewriteRule, scope: Scope): NegotiatedAnswer | undefined {
    const { directive, output = "" } = rule;
    let left = MAX_PATHS_FOR_NEGOTIATION;
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === undefined || base === null) continue;
      const targets = this.isPart ? this.targetsOf(scope, server, base) : noFiles.targets;
      for (const { path, isUsual, ...sent } of requestsForRule(rule, { base, names: [], hosts: [], leads: [] })) {
        if (isUsual || left-- <= 0) continue;
        if (this.left-- <= 0) {
          this.untried.add(directive);
          continue;
        }
        this.files = { existing: new Set(), targets };
        const oracle = new Oracle(new Map());
        const request: Request = { ...requestTo(server), ...sent, path: encodeUrlPath(base + path) };
        const answer = this.answerUnder(request, oracle);
        const file = answer.pass?.variant?.walked?.filename;
        if (file === undefined || oracle.undecidable !== undefined || appliesIn(answer, directive)) continue;
        // The rule leads to the same file.
        const [target = ""] = output.replace(/^\//, "").split(/\/?[$%]/);
        if (!output.includes("?") && file.endsWith(`/${target}`)) continue;
        return { answer, file };
      }
    }
    return undefined;
  }

  /**
   * Returns the answer to a request that a rule with R was written for, if a later rule of its list takes the URL that the
   * client is to be redirected to (mod_rewrite.c `apply_rewrite_list`).
   */
  findContinuedRedirect(rule: RewriteRule, scope: Scope): ContinuedRedirect | undefined {
    const { directive, output = "" } = rule;
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === null) continue;
      const hosts = [server.at.host ?? [], namesOf(server)].flat();
      const targets = this.targetsOf(scope, server, base);
      for (const { path, ...sent } of requestsForRule(rule, { base, names: [], hosts, leads: [] }).slice(0, 2)) {
        if (this.left-- <= 0) {
          this.untried.add(directive);
          return undefined;
        }
        this.files = { existing: new Set(), targets };
        const written = base === undefined ? `/${path.replace(/^\//, "")}` : base + path;
        const request: Request = { ...requestTo(server), ...sent, path: encodeUrlPath(written) };
        const runs = enumerateRuns((oracle) => this.answerUnder(request, oracle)) ?? [];
        const found = runs.map(({ result, undecidable }) =>
          undecidable === undefined ? continuedRedirectIn(result, directive, output) : undefined,
        );
        if (found.length > 0 && found.every((each) => each !== undefined)) return found[0];
      }
    }
    return undefined;
  }

  /** Returns the answer to a request without TLS into a scope, if a line of the scope refuses it. */
  findRefusal(line: Directive, scope: Scope): DefiniteAnswer | undefined {
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === null || base === undefined || server.at.scheme === "https") continue;
      if (this.left-- <= 0) {
        this.untried.add(line);
        return undefined;
      }
      this.files = { existing: new Set(), targets: this.targetsOf(scope, server, base) };
      const runs = enumerateRuns((oracle) => this.answerUnder({ ...requestTo(server), path: base }, oracle)) ?? [];
      const isRefused = runs.every(
        ({ result, undecidable }) =>
          undecidable === undefined && result.status === 403 && result.decidedBy.includes(line),
      );
      if (isRefused && runs[0]) return runs[0].result;
    }
    return undefined;
  }

  /**
   * Returns the answer to a request that a rule of a directory was written for, if another rule of its list takes the result:
   * after an internal redirect, the rules run again (mod_rewrite.c `hook_fixup`).
   */
  findRetakenTarget(rule: RewriteRule, scope: Scope): RetakenTarget | undefined {
    const own = new Set(scope.directives);
    for (const answers of this.redirectedAnswers(rule, scope)) {
      const found = answers.map((answer) => retakenTargetIn(answer, rule.directive, own));
      if (found.every((each) => each !== undefined)) return found[0];
    }
    return undefined;
  }

  /**
   * Returns the answer to a request for which a rule of a directory sets variables, and leads to another path: their names then
   * begin with `REDIRECT_` (modules/http/http_request.c `rename_original_env`).
   *
   * @param setters the lines that set the variables
   */
  findRenamedVariables(rule: RewriteRule, setters: ReadonlySet<Directive>, scope: Scope): RenamedVariables | undefined {
    for (const answers of this.redirectedAnswers(rule, scope)) {
      const found = answers.map((answer) => renamedVariablesIn(answer, rule.directive, setters));
      const [first] = found;
      if (first !== undefined && found.every((each) => each?.prefix === first.prefix)) return first;
    }
    return undefined;
  }

  /**
   * Returns the answer to a request whose path sets a variable, and that rules of a directory lead to another path, whether or not
   * the file exists: its name then begins with `REDIRECT_`.
   *
   * @param setters the SetEnvIf lines that set the variable from the path
   */
  findRenamedByPath(
    variable: string,
    setters: readonly Directive[],
    scope: Scope,
  ): (RenamedVariables & { readonly by: Directive }) | undefined {
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === undefined || base === null) continue;
      for (const path of setters.flatMap((setter) => pathsOfSetter(setter, base))) {
        if (this.left-- <= 0) return undefined;
        const request: Request = { ...requestTo(server), path: encodeUrlPath(path) };
        const targets = this.targetsOf(scope, server, base);
        const found = [new Set<string>(), new Set(this.keyOfFile(server, path))].flatMap((existing) => {
          this.files = { existing, targets };
          const runs = enumerateRuns((oracle) => this.answerUnder(request, oracle)) ?? [];
          const renamed = runs.map(({ result, undecidable }) =>
            undecidable === undefined ? renamedByPathIn(result, variable) : undefined,
          );
          return renamed.length === 0 ? [undefined] : renamed;
        });
        const [first] = found;
        if (first !== undefined && found.every((each) => each?.prefix === first.prefix && each.by === first.by))
          return first;
      }
    }
    return undefined;
  }

  /**
   * Yields the possible answers to requests that a rule of a directory was written for, if it leads all of them to another path.
   * Files exist that the conditions of the rule test for.
   */
  private *redirectedAnswers(rule: RewriteRule, scope: Scope): Generator<readonly DefiniteAnswer[]> {
    const { directive } = rule;
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === undefined || base === null) continue;
      const place = { base, names: this.namesIn(server, base), hosts: namesOf(server), leads: [] };
      for (const { path, isUsual: _, index: __, ...sent } of requestsForRule(rule, place).slice(0, MAX_ROUNDS)) {
        if (this.left-- <= 0) {
          this.untried.add(directive);
          return;
        }
        const existing = this.isDiskOf(server) ? new Set<string>() : this.filesTestedBy(rule, server, base, path);
        this.files = { existing, targets: this.targetsOf(scope, server, base) };
        const request: Request = { ...requestTo(server), ...sent, path: encodeUrlPath(base + path) };
        const runs = enumerateRuns((oracle) => this.answerUnder(request, oracle)) ?? [];
        const leads = runs.every(
          ({ result, undecidable }) => undecidable === undefined && roundOf(result, directive) !== undefined,
        );
        if (runs.length > 0 && leads) yield runs.map(({ result }) => result);
      }
    }
  }

  private isDiskOf(server: OutsideServer): boolean {
    return !this.isPart && this.isDiskKnown(server);
  }

  /** Returns the files that must exist so that the conditions of a rule hold for a path of its directory. */
  private filesTestedBy(
    { conditions, pattern, flags }: RewriteRule,
    server: OutsideServer,
    base: string,
    path: string,
  ): ReadonlySet<string> {
    const groups = matchGroupsOf(pattern, path, flags.names.has("nocase")) || [];
    const fileOf = (url: string) => this.client.fileAt(server, url)?.replace(/\/+$/, "") ?? "%";
    const files = conditions.flatMap(({ input, test, isNegated }) => {
      if (test.kind !== "file" || test.test !== "f" || isNegated) return [];
      const file = input
        .replace(/%\{DOCUMENT_ROOT\}/gi, () => fileOf("/"))
        .replace(/%\{REQUEST_URI\}/gi, () => base + path)
        .replace(/%\{REQUEST_FILENAME\}/gi, () => fileOf(base + path))
        .replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "");
      return /[%$]/.test(file) ? [] : [pathKey(file)];
    });
    return new Set(files);
  }

  /**
   * Returns the answer to a request with a blank that a rule was written for, if httpd refuses the query of its result
   * (mod_rewrite.c).
   */
  findRefusedBlank(
    { directive, pattern, output = "", isNegated }: RewriteRule,
    scope: Scope,
  ): DefiniteAnswer | undefined {
    const relative = isNegated || !/\?.*[$%]\d/.test(output) ? undefined : findPathWithBlank(pattern);
    if (relative === undefined) return undefined;
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === null) continue;
      if (this.left-- <= 0) {
        this.untried.add(directive);
        continue;
      }
      this.files = { existing: new Set(), targets: this.targetsOf(scope, server, base) };
      const path = encodeUrlPath(base === undefined ? `/${relative.replace(/^\//, "")}` : base + relative);
      const request: Request = { ...requestTo(server), path };
      const runs = enumerateRuns((oracle) => this.answerUnder(request, oracle)) ?? [];
      const isRefused = runs.every(
        ({ result, undecidable }) =>
          undecidable === undefined &&
          result.status === 403 &&
          refusedQueries.some((code) => result.log.includes(code)),
      );
      if (isRefused && runs[0]) return runs[0].result;
    }
    return undefined;
  }

  /**
   * Returns the answer to a request that access control allows because of a variable of its path, and that it denies after
   * rules have led to another path: there, the variable has the name `REDIRECT_…` (server/request.c,
   * modules/http/http_request.c `rename_original_env`).
   *
   * @param setters the SetEnvIf lines that set the variable from the path
   */
  findLostVariable(line: Directive, setters: readonly Directive[], scope: Scope): LostVariable | undefined {
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === null) continue;
      for (const path of setters.flatMap((setter) => pathsOfSetter(setter, base ?? "/"))) {
        if (this.left-- <= 0) {
          this.untried.add(line);
          return undefined;
        }
        this.files = { existing: new Set(), targets: this.targetsOf(scope, server, base) };
        const request: Request = { ...requestTo(server), path: encodeUrlPath(path) };
        const runs = enumerateRuns((oracle) => this.answerUnder(request, oracle)) ?? [];
        const lost = runs.map(({ result, undecidable }) => (undecidable ? undefined : lostVariableIn(result)));
        if (lost.length > 0 && lost.every((each) => each !== undefined)) return lost[0];
      }
    }
    return undefined;
  }

  /**
   * Returns the answers to requests for files that exist, and that a rule of a directory leads to its own target: style sheets,
   * scripts and pictures of the disk, or else usual names of them.
   *
   * @returns none if one of the files is sent, or if an answer is not known
   */
  findTakenFiles(rule: RewriteRule, scope: Scope): TakenFiles | undefined {
    const { directive } = rule;
    const isServer = scope.place === "server" || scope.place === "virtualhost";
    return isServer
      ? undefined
      : this.findForMedia(
          directive,
          scope,
          (answer, targets) =>
            appliesIn(answer, directive) && answer.file !== undefined && targets.has(pathKey(answer.file)),
        );
  }

  /**
   * Returns the answers to requests for files that exist, and that a line redirects to a path that is none of a file: its own with a
   * slash at the end (server/core.c `default_handler`: 404 with AcceptPathInfo for programs only).
   */
  findSlashedFiles(line: Directive, scope: Scope): SlashedFile | undefined {
    const found = this.findForMedia(line, scope, (answer, _, server) => {
      if (answer.status < 300 || answer.status > 399 || redirectingLineOf(answer) !== line) return false;
      const { request } = answer;
      const path = `${request.path}/`;
      const location = answer.outcome.location ?? "";
      const isOwn = location === path || location.endsWith(`//${request.host}${path}`);
      if (!isOwn || this.left-- <= 0) return false;
      const runs = enumerateRuns((oracle) => this.answerUnder({ ...requestTo(server), path }, oracle)) ?? [];
      return (
        runs.length > 0 && runs.every(({ result, undecidable }) => undecidable === undefined && result.status === 404)
      );
    });
    return found && { ...found, path: `${found.answer.request.path}/` };
  }

  /**
   * Asks for files that exist in the directory of a scope, and returns the first answer if each is as described.
   *
   * @param isTaken tests an answer; the keys are those of the files to which rules lead
   */
  private findForMedia(
    line: Directive,
    scope: Scope,
    isTaken: (answer: DefiniteAnswer, targets: ReadonlySet<string>, server: OutsideServer) => boolean,
  ): TakenFiles | undefined {
    this.alike.enter(undefined);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      const directory = base === null ? undefined : this.client.fileAt(server, base ?? "/");
      if (base === null || directory === undefined) continue;
      const isOnDisk = !this.isPart && this.isDiskKnown(server);
      const names = isOnDisk ? this.listMedia(withTrailingSlash(directory)) : usualMedia;
      const targets = this.targetsOf(scope, server, base);
      const take = (name: string) => {
        if (this.left-- <= 0) return undefined;
        const key = pathKey(withTrailingSlash(directory) + name);
        this.files = { existing: isOnDisk ? new Set() : new Set([key]), targets };
        const request: Request = { ...requestTo(server), path: encodeUrlPath((base ?? "/") + name) };
        const runs = enumerateRuns((oracle) => this.answerUnder(request, oracle)) ?? [];
        const areTaken = runs.every(
          ({ result, undecidable }) => undecidable === undefined && isTaken(result, targets, server),
        );
        return areTaken ? runs[0]?.result : undefined;
      };
      const [first = "", ...others] = names;
      const answer = names.length === 0 ? undefined : take(first);
      const areTaken = answer !== undefined && others.every((name) => take(name) !== undefined);
      if (this.left <= 0) this.untried.add(line);
      if (areTaken) return { answer, isOnDisk };
    }
    return undefined;
  }

  /** Returns the names of style sheets, scripts and pictures in a directory and in those in it. */
  private listMedia(directory: string): readonly string[] {
    const entriesOf = (path: string) => this.disk?.list?.(path.replace(/\/+$/, "")) ?? [];
    const mediaOf = (path: string) => entriesOf(path).flatMap(({ name, kind }) => (isMedia(name, kind) ? [name] : []));
    const inner = entriesOf(directory).filter(({ name, kind }) => kind === "directory" && !name.startsWith("."));
    const below = inner.flatMap(({ name }) => mediaOf(directory + name).map((each) => `${name}/${each}`));
    return [...mediaOf(directory), ...below].slice(0, MAX_NAMES);
  }

  private tryLine(
    line: Directive,
    scope: Scope,
    ownHosts: ReadonlySet<string> | undefined,
    requestsIn: RequestLister,
  ): Trial | undefined {
    const host = enclosingHostOf(scope)?.section;
    const group = this.alike.enter(host);
    const text = group && host && lineWithoutOwnNames(host, line, scope.section);
    if (text !== undefined && group?.ended.has(text)) return undefined;
    let left = MAX_REQUESTS_FOR_LINE;
    for (const { request, guess, files } of this.left > 0 ? this.guessedRequests(scope, requestsIn) : []) {
      if (left-- <= 0 || this.left <= 0) break;
      this.files = files;
      const endless = this.follow(request, ownHosts, (each) => each) ?? this.follow(request, ownHosts, withPortInHost);
      if (endless?.lines.includes(line)) return { endless, guess, sent: request };
    }
    if (this.left <= 0) this.untried.add(line);
    else if (text !== undefined) group?.ended.add(text);
    return undefined;
  }

  /** Yields the requests for a line, each with the files that may exist. */
  private *guessedRequests(
    scope: Scope,
    requestsIn: RequestLister,
  ): Generator<{ readonly request: Request; readonly guess: FileGuess; readonly files: AssumedFiles }> {
    const testsFiles = testsFilesIn(scope.directives);
    for (const server of this.serversWith(scope)) {
      const base = this.baseOf(scope, server);
      if (base === null) continue;
      const targets = this.targetsOf(scope, server, base);
      for (const { extensions, path, isUsual, index, ...sent } of requestsIn(server, base)) {
        const request: Request = { ...requestTo(server), ...sent, path: encodeUrlPath(path) };
        const all = index === undefined ? targets : new Set([...targets, ...this.keyOfFile(server, path + index)]);
        for (const [guess, existing] of this.guessesFor(server, path, { isUsual, testsFiles, extensions }))
          yield { request, guess, files: { existing, targets: all } };
      }
    }
  }

  private keyOfFile(server: OutsideServer, path: string): readonly string[] {
    const file = this.client.fileAt(server, path);
    return file === undefined ? [] : [pathKey(file)];
  }

  /** Yields sets of files that may exist when a path is requested: those of the disk, or else what sites have. */
  private *guessesFor(
    server: OutsideServer,
    path: string,
    { isUsual, testsFiles, extensions }: GuessedPath,
  ): Generator<readonly [FileGuess, ReadonlySet<string>]> {
    const file = this.client.fileAt(server, path);
    const bare = file === undefined ? "" : pathKey(file.replace(/\/+$/, ""));
    const isOnDisk = !this.isPart && this.disk !== undefined && this.isDiskKnown(server);
    if (isOnDisk || bare === "") {
      yield ["disk", new Set()];
      return;
    }
    yield ["missing", new Set()];
    if (isUsual && (testsFiles || path.endsWith("/")) && !/\.\w+$/.test(bare))
      yield ["directory", new Set([`${bare}/`])];
    if (testsFiles && !path.endsWith("/")) yield ["file", new Set([bare])];
    if (extensions.length > 0) yield ["with extension", new Set(extensions.map((extension) => `${bare}.${extension}`))];
  }

  private isDiskKnown(server: OutsideServer): boolean {
    const root = this.client.fileAt(server, "/");
    return root !== undefined && this.disk?.kindOf(root.replace(/\/+$/, "")) === "directory";
  }

  /**
   * Sends a request, and follows redirects to the server itself, until it ends, or never does.
   *
   * @param toSent the Host header: without a port, the client reaches the server by another one, such as that of a container
   */
  private follow(
    first: Request,
    ownHosts: ReadonlySet<string> | undefined,
    toSent: (request: Request) => Request | undefined,
  ): EndlessRequest | undefined {
    const hops: Hop[] = [];
    const seen = new Map<string, number>();
    let isBehindProxy = false;
    for (let request: Request | undefined = first; request !== undefined; ) {
      const key = keyOf(request);
      const before = seen.get(key);
      if (before !== undefined || hops.length > MAX_REDIRECTS) {
        const looped = hops.slice(before ?? 0);
        const lines = [...new Set(looped.flatMap(({ answer }) => redirectingLineOf(answer) ?? []))];
        return { kind: "redirects", hops: looped, lines, isCycle: before !== undefined, isBehindProxy };
      }
      const sent = toSent(request);
      const answer = sent && this.answer(sent);
      if (answer === undefined) return undefined;
      const hop = { request, answer };
      if (answer.status === 500 && answer.log.includes("AH00124")) return internalLoopOf(hop);
      const restarts = endlessRestartsIn(hop);
      if (restarts !== undefined) return restarts;
      seen.set(key, hops.length);
      hops.push(hop);
      if (mayDependOnCookies(answer)) return undefined;
      const next = this.nextRequest(hop, ownHosts);
      if (next && !hasTls(this.project) && mayDependOnProxy(answer, forwardedSchemeOf(this.project)?.header))
        return undefined;
      isBehindProxy ||= next?.isBehindProxy ?? false;
      request = next?.request;
    }
    return undefined;
  }

  /**
   * Returns the answer; undefined if it depends on facts that are unknown. Of an answer that ends the request, one run is
   * enough.
   */
  private answer(request: Request): DefiniteAnswer | undefined {
    if (this.left-- <= 0) return undefined;
    const oracle = new Oracle(new Map());
    const first = this.answerUnder(request, oracle);
    if (oracle.undecidable !== undefined || !mayContinue(first)) return undefined;
    if (oracle.answered.size === 0) return first;
    if (oracle.answered.size > MAX_FACTS) return undefined;
    const { status, outcome } = first;
    const runs = enumerateRuns((each) => this.answerUnder(request, each)) ?? [];
    const isSame = runs.every(
      ({ result, undecidable }) =>
        undecidable === undefined && result.status === status && result.outcome.location === outcome.location,
    );
    return isSame && runs.length > 0 ? first : undefined;
  }

  private answerUnder(request: Request, oracle: Oracle): DefiniteAnswer {
    const answer = answerUnder(this.setup, request, oracle);
    markUnmodelledDirectives(answer);
    return answer;
  }

  /** Returns the request that a client sends after a redirect, if the server itself gets it. */
  private nextRequest(
    { request, answer }: Hop,
    ownHosts: ReadonlySet<string> | undefined,
  ): { readonly request: Request; readonly isBehindProxy: boolean } | undefined {
    const { location } = answer.outcome;
    if (location === undefined || answer.status < 300 || answer.status >= 400) return undefined;
    const url = readLocation(location, request);
    if (url === undefined) return undefined;
    const { query: _, headers = {}, ...rest } = request;
    const bare = { ...rest, path: url.path, ...(url.query === undefined ? {} : { query: url.query }) };
    const own = forwardedSchemeOf(this.project);
    const clientScheme = own && headers[own.header] === own.https ? "https" : schemeOf(request);
    const isSameHost = url.host === (request.host ?? "").toLowerCase();
    const isSameAuthority = url.scheme === clientScheme && url.port === portOf(request, clientScheme);
    if (isSameHost && isSameAuthority) return { request: { ...bare, headers }, isBehindProxy: false };
    const host = { host: url.host };
    if (!isSameHost && !this.isOwnHost(url.host, request, ownHosts)) return undefined;
    if (own) {
      const { [own.header]: _omitted, ...others } = headers;
      const forwarded = url.scheme === "https" ? { ...others, [own.header]: own.https } : others;
      return { request: { ...bare, ...host, headers: forwarded }, isBehindProxy: url.scheme === "https" };
    }
    if (isSameAuthority) return this.ifNamed({ ...bare, ...host, headers }, isSameHost);
    const port = url.port === defaultPortOf(url.scheme) ? {} : { port: url.port };
    const { port: _port, ...noPort } = bare;
    const next: Request = { ...noPort, ...host, ...port, headers, scheme: url.scheme };
    return this.isListening(next, url.port) ? this.ifNamed(next, isSameHost) : undefined;
  }

  /** Returns a request to another name only if the server has that name. */
  private ifNamed(request: Request, isSameHost: boolean) {
    const isNamed =
      isSameHost || this.isPart || this.setup.servers.hostSelectionFor(request, new Oracle(new Map())) === "named";
    return isNamed ? { request, isBehindProxy: false } : undefined;
  }

  /** Reports whether a URL of another host leads to this server. */
  private isOwnHost(host: string, request: Request, ownHosts: ReadonlySet<string> | undefined): boolean {
    if (!this.isPart || ownHosts?.has(host)) return true;
    return host.replace(/^www\./, "") === (request.host ?? "").toLowerCase().replace(/^www\./, "");
  }

  /** Returns the host in the target of a rule that tests the host: such a rule gives a site its one name. */
  private ownHostsOf({ output = "" }: RewriteRule, { directives }: Scope): ReadonlySet<string> | undefined {
    const target = hostOfTarget(output);
    // Another rule with this target and such a condition shows as well that the site has both names.
    const isOwn = target !== undefined && hostsOfOneNameIn(directives).has(target);
    return isOwn ? new Set([target]) : undefined;
  }

  /** Reports whether a server takes requests of a scheme at a port. Of a `.htaccess` file on its own, both are assumed. */
  private isListening({ scheme }: Request, port: number): boolean {
    if (this.part.kind === "htaccess") return true;
    const servers = this.client.listServers(200);
    return servers.some(({ at }) => schemeOf(at) === scheme && portOf(at, scheme) === port);
  }

  private serversWith(scope: Scope): readonly OutsideServer[] {
    const host = enclosingHostOf(scope)?.section;
    return getOrCreate(this.serversOf, host, () =>
      host ? this.client.findServer(host) : this.client.listServers(MAX_SERVERS),
    );
  }

  /** Returns the URL path of a directory or section; undefined for a server, null if there is none. */
  private baseOf(scope: Scope, server: OutsideServer): string | undefined | null {
    if (scope.place === "server" || scope.place === "virtualhost") return undefined;
    const path = this.client.findPathInto(scope, server);
    if (path === undefined) return null;
    const isDirectory = scope.place === "directory" || scope.place === "htaccess" || scope.place === "unknown";
    return isDirectory ? path.replace(/[^/]*$/, "") : path;
  }

  /** Returns some names in the directory at a URL path. */
  private namesIn(server: OutsideServer, base: string): readonly string[] {
    const directory = this.client.fileAt(server, base);
    if (directory === undefined) return [];
    const known = getOrCreate(this.names, server, () => new Map<string, readonly string[]>());
    return getOrCreate(known, directory, () => this.listNames(directory.replace(/\/+$/, "")));
  }

  private listNames(directory: string): readonly string[] {
    const entries = this.disk?.list?.(directory) ?? [];
    const shown = entries.filter(({ name }) => /^[\w-]+(?:\.\w+)?$/.test(name));
    const directories = shown.filter(({ kind }) => kind === "directory").slice(0, MAX_NAMES / 2);
    const files = shown.filter(({ kind }) => kind === "file").slice(0, MAX_NAMES / 2);
    return [...directories.flatMap(({ name }) => [`${name}/`, name]), ...files.map(({ name }) => name)];
  }

  /** Returns the files that rules of a scope name in full: front controllers exist, whatever is known of the disk. */
  private targetsOf(scope: Scope, server: OutsideServer, base: string | undefined): ReadonlySet<string> {
    return getOrCreate(this.targets, scope, () => {
      const found = new Set<string>();
      const written = scope.directives.findLast(({ key }) => key === "rewritebase")?.arguments[0]?.value;
      const start = written === undefined ? (base ?? "/") : withTrailingSlash(written);
      for (const { output } of parseRewriteRules(scope.directives)) {
        const [, variable, path] = /^(%\{[^}]+\}\/?)?([\w./-]*?\.\w+)(?=$|[/?#])/.exec(output ?? "") ?? [];
        const isRelative = variable !== undefined || !path?.startsWith("/");
        const url = path === undefined || !isRelative ? path : start + path;
        const file = url === undefined ? undefined : this.client.fileAt(server, url);
        if (file !== undefined) found.add(pathKey(file));
      }
      return found;
    });
  }

  /** Returns the files of the disk, completed by those that are assumed for a request. */
  private createTree(): FileTree {
    const { disk, project } = this;
    const named = createPermissiveFileTree(project);
    const members = memberFilesOf(project);
    const isNamed = (path: string) => named.kindOf(path, true) === "directory";
    const { linkAt, list, textOf } = disk ?? {};
    const kindOf = (path: string): FileKind => {
      const key = pathKey(path);
      const { existing, targets } = this.files;
      if (existing.has(`${key}/`)) return "directory";
      if (existing.has(key) || members.has(key)) return "file";
      const kind = disk?.kindOf(path) ?? "unknown";
      if (kind === "file" || kind === "directory") return kind;
      if (targets.has(key)) return "file";
      if (isNamed(path)) return "directory";
      const isAbove = [...existing, ...targets].some((each) => each.startsWith(`${key}/`));
      return isAbove ? "directory" : "missing";
    };
    const listAll = (path: string) => this.listWithTargets(path, list?.(path));
    return { mayChange: true, kindOf, list: listAll, ...(linkAt ? { linkAt } : {}), ...(textOf ? { textOf } : {}) };
  }

  /** Adds the files that rules name to the entries of a directory, which is empty if it is not known. */
  private listWithTargets(path: string, entries: readonly DirectoryEntry[] = []): readonly DirectoryEntry[] {
    const start = `${pathKey(path)}/`;
    const names = [...this.files.targets]
      .filter((each) => each.startsWith(start))
      .map((each) => each.slice(start.length));
    const added = names.filter((name) => !name.includes("/") && entries.every((each) => each.name !== name));
    return added.length === 0 ? entries : [...entries, ...added.map((name) => ({ name, kind: "file" as const }))];
  }
}

const known = memoize((_: Project) => new Map<RuleContext["files"], LineTrials>());

/** Returns the trials of a project; rules share them. */
export function lineTrialsOf({ project, files }: Pick<RuleContext, "project" | "files">): LineTrials {
  return getOrCreate(known(project), files, () => new LineTrials(project, files));
}

/** Returns the lines that rules would have tried, and for which no answers were left. */
export function listUntriedLines({ project, files }: Pick<RuleContext, "project" | "files">): readonly Directive[] {
  return [...(known(project).get(files)?.untried ?? [])];
}

/** Reports whether a line turns MultiViews on. */
export const usesMultiViews = memoize((project: Project): boolean =>
  indexDirectives(project)
    .named("options")
    .some(({ argumentText }) => /(?:^|[\s+])MultiViews/i.test(argumentText)),
);

/** Assumes that mod_negotiation is loaded if a line turns MultiViews on, and nothing lists all modules. */
function withNegotiation(project: Project): Project {
  if (!project.modules.isOpen || !usesMultiViews(project)) return project;
  const modules = project.modules.copy();
  modules.assume("negotiation_module");
  return { ...project, modules };
}

/** Returns the request of a simple client to a server, without its path. */
function requestTo({ at }: OutsideServer): Omit<Request, "path"> {
  return { method: "GET", clientIp: UNLISTED_CLIENT_IP, host: ASSUMED_HOST, ...at };
}

/** Returns a request as a client sends it to a port that is not the usual one; undefined at the usual port. */
function withPortInHost(request: Request): Request | undefined {
  const { host, port = 0, scheme } = request;
  const isUsual = host === undefined || portOf(request, scheme) === defaultPortOf(scheme);
  return isUsual ? undefined : { ...request, host: `${host}:${port}` };
}

/** Reports whether a rule has applied to a request. */
function appliesIn({ pass }: DefiniteAnswer, line: Directive): boolean {
  return (pass ? passesOf(pass) : []).some(({ rewriting: { url, sections } }) =>
    [...(url?.steps ?? []), ...(sections?.steps ?? [])].some(({ rule }) => rule.directive === line),
  );
}

/** Finds a later rule that changed the URL of a redirect: the response has no URL, or one that does not begin as written. */
function continuedRedirectIn(answer: DefiniteAnswer, line: Directive, output: string): ContinuedRedirect | undefined {
  for (const { rewriting } of answer.pass ? passesOf(answer.pass) : []) {
    const steps = (rewriting.sections?.steps ?? rewriting.url?.steps ?? []).filter(({ isNote }) => !isNote);
    const index = steps.findIndex(({ rule }) => rule.directive === line);
    const later = index < 0 ? undefined : steps.slice(index + 1).find(({ rule }) => rule.output !== undefined)?.rule;
    if (later === undefined) continue;
    const { location } = answer.outcome;
    const [, fixed = "", host] = /^((?:https?:\/\/([\w.-]+))?[^$%?]*)/i.exec(output) ?? [];
    const isKept =
      host === undefined ? location?.includes(fixed) : location?.toLowerCase().startsWith(fixed.toLowerCase());
    return isKept === true ? undefined : { answer, by: later.directive, location };
  }
  return undefined;
}

/** The passes of an answer from the one in which a rule of a directory leads to another path. */
function roundOf({ pass }: DefiniteAnswer, line: Directive): readonly Pass[] | undefined {
  const passes = pass ? mainPassesOf(pass).toReversed() : [];
  const index = passes.findIndex(({ next }) => next?.by === line);
  const rounds = index < 0 ? [] : passes.slice(index);
  const isUnsure = rounds.some(({ rewriting }) => rewriting.sections?.steps.some(({ isNote }) => isNote) === true);
  return rounds.length < 2 || isUnsure ? undefined : rounds;
}

/** Finds the rule that takes the result of another one, and an end of the request other than the file of that result. */
function retakenTargetIn(
  answer: DefiniteAnswer,
  line: Directive,
  own: ReadonlySet<Directive>,
): RetakenTarget | undefined {
  const [, second] = roundOf(answer, line) ?? [];
  const to = second?.rewriting.sections?.to;
  if (second === undefined || (to?.kind !== "answered" && to?.kind !== "redirected")) return undefined;
  if (to.by === line || !own.has(to.by) || answer.log.includes("AH00124")) return undefined;
  const found = { answer, by: to.by, target: second.path };
  if (to.kind === "answered") return to.status >= 400 ? found : undefined;
  const file = second.walked?.filename;
  // A path without a file may be meant for the other rule, such as that of a front controller.
  const isFile = file !== undefined && answer.setup.files.kindOf(file) === "file";
  return isFile && answer.file !== undefined && answer.file !== file ? found : undefined;
}

/** Finds the internal redirects after a rule that has set variables, unless a line sets them again. */
function renamedVariablesIn(
  answer: DefiniteAnswer,
  line: Directive,
  setters: ReadonlySet<Directive>,
): RenamedVariables | undefined {
  const [, ...later] = roundOf(answer, line) ?? [];
  const [second] = later;
  const isSetAgain = later.some(({ rewriting }) =>
    rewriting.sections?.steps.some(({ rule }) => setters.has(rule.directive)),
  );
  if (second === undefined || isSetAgain || answer.log.includes("AH00124")) return undefined;
  return { answer, target: second.path, prefix: "REDIRECT_".repeat(later.length) };
}

/** Finds the internal redirects that rename a variable of the first path. */
function renamedByPathIn(
  answer: DefiniteAnswer,
  variable: string,
): (RenamedVariables & { readonly by: Directive }) | undefined {
  const passes = answer.pass ? mainPassesOf(answer.pass).toReversed() : [];
  const [first, last] = [passes[0], passes.at(-1)];
  const prefix = "REDIRECT_".repeat(passes.length - 1);
  const name = variable.toLowerCase();
  const isRenamed =
    first?.state?.env.has(name) === true &&
    last?.state?.env.has(name) === false &&
    last.state.env.has(`${prefix.toLowerCase()}${name}`);
  return isRenamed && first.next ? { answer, by: first.next.by, target: first.next.pass.path, prefix } : undefined;
}

/** Returns a function that reports whether a host is a name of a server. */
const hostNamesOf = memoize((project: Project) => {
  const index = indexDirectives(project);
  const lines = [...index.named("servername"), ...index.named("serveralias")];
  const words = lines.flatMap(({ arguments: each }) => each.map(({ value }) => stripServerName(value)));
  const names = new Set(words.filter((word) => !/[*?]/.test(word)));
  const patterns = [...new Set(words)].filter((word) => /[*?]/.test(word)).map((word) => compileServerAlias(word));
  return (host: string) => names.has(host) || patterns.some((matches) => matches(host));
});

/** Limit of the lines that lead from one path to another, and of which the rules may change the second one. */
const MAX_LEADS = 16;

/** Returns the paths that httpd goes on with for a directory, a missing file or an error, as far as lines name them. */
const leadsIn = memoize((project: Project): readonly Lead[] => {
  const index = indexDirectives(project);
  const indexes = index.named("directoryindex").flatMap(({ arguments: words }) => words);
  const documents = index.named("errordocument").flatMap(({ arguments: [, word] }) => word ?? []);
  const fallbacks = index.named("fallbackresource").flatMap(({ arguments: [word] }) => word ?? []);
  const names = indexes.length === 0 ? ["index.html", "index.php"] : indexes.map(({ value }) => value);
  const found: readonly Lead[] = [
    ...names.filter((name) => /^[\w.-]+\.\w+$/.test(name)).map((to) => ({ from: "", to, isIndex: true })),
    ...[...documents, ...fallbacks]
      .filter(({ value }) => /^\/[\w./-]+$/.test(value))
      .map(({ value }) => ({ from: "no-such-page", to: value, isIndex: false })),
  ];
  return [...new Map(found.map((each) => [each.to, each])).values()].slice(0, MAX_LEADS);
});

/** Returns the hosts in the targets of rules that test the host. */
const hostsOfOneNameIn = memoize((directives: readonly Directive[]): ReadonlySet<string> => {
  const rules = parseRewriteRules(directives).filter(({ conditions }) =>
    conditions.some(({ input }) => /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(input)),
  );
  return new Set(rules.flatMap(({ output = "" }) => hostOfTarget(output) ?? []));
});

/** Reports whether rules test whether files exist. */
const testsFilesIn = memoize((directives: readonly Directive[]) =>
  parseRewriteRules(directives).some(({ conditions }) => conditions.some(({ test }) => test.kind === "file")),
);

/** Reports whether a request may go on after an answer, or never ends. */
function mayContinue({ status, outcome: { location }, log, pass }: DefiniteAnswer): boolean {
  if (location !== undefined) return true;
  return status === 500 && (log.includes("AH00124") || restartsOf(pass).length > 0);
}

/** Returns paths that a SetEnvIf line sets its variables for. */
function pathsOfSetter({ key, arguments: [, word] }: Directive, base: string): readonly string[] {
  const pattern = word?.value ?? "";
  const sample = samplePattern(pattern);
  if (sample === undefined) return [];
  const start = sample.startsWith("/") ? sample : base + sample;
  const isFor = (path: string) => matchGroupsOf(pattern, path, key === "setenvifnocase") !== false;
  return [`${start.replace(/\/+$/, "")}/page`, start].filter((path) => path.startsWith(base) && isFor(path));
}

function lostVariableIn(answer: DefiniteAnswer): LostVariable | undefined {
  const { pass, status } = answer;
  const passes = pass ? mainPassesOf(pass).toReversed() : [];
  const [first, second] = passes;
  if (first?.next === undefined || second === undefined || !first.isAuthorized) return undefined;
  const isDenied = (status === 401 || status === 403) && passes.at(-1)?.isAuthorized === false;
  return isDenied ? { answer, by: first.next.by, path: second.path } : undefined;
}

function namesOf({ section }: OutsideServer): readonly string[] {
  const lines = (section?.children ?? []).filter(({ key }) => key === "serveralias");
  return lines.flatMap(({ arguments: words }) => words.map(({ value }) => value)).filter((name) => !/[*?]/.test(name));
}

/** Returns the extensions that a rule may add to a path. */
function extensionsIn({ conditions }: RewriteRule, output: string): readonly string[] {
  const texts = [output, ...conditions.flatMap(({ input, test }) => (test.kind === "file" ? [input] : []))];
  const found = texts.flatMap((text) => /[})\d]\.(\w+)(?=$|[?/])/.exec(text)?.[1] ?? []);
  return found.length === 0 ? [] : [...new Set([...found, ...usualExtensions])];
}

function internalLoopOf(hop: Hop): EndlessRequest {
  const { pass } = hop.answer;
  const passes = pass ? mainPassesOf(pass).toReversed() : [];
  const lines = passes.slice(-5).flatMap(({ next }) => next?.by ?? []);
  return { kind: "internal", hop, lines: [...new Set(lines)], paths: passes.map(({ path }) => path) };
}

function endlessRestartsIn(hop: Hop): EndlessRequest | undefined {
  const [restarts] = restartsOf(hop.answer.pass);
  if (restarts === undefined || hop.answer.status !== 500) return undefined;
  const { loop, by } = restarts;
  return {
    kind: "restarts",
    hop,
    lines: [...new Set([by, ...loop.lines])],
    paths: loop.urls,
    rounds: loop.rounds,
    isTooLong: loop.isTooLong,
  };
}

/** Returns the line that redirects; undefined for the slash of a directory, which no line adds. */
export function redirectingLineOf(answer: DefiniteAnswer): Directive | undefined {
  return findRedirectOfIndex(answer.outcome)?.line ?? ownRedirectOf(answer);
}

function ownRedirectOf({ outcome, pass }: DefiniteAnswer): Directive | undefined {
  const replaced = outcome.replacedBy?.at(-1);
  if (replaced?.key === "errordocument") return replaced;
  const last = pass && mainPassesOf(pass)[0];
  const rules = last?.rewriting.sections?.to ?? last?.rewriting.url?.to;
  if (rules?.kind === "answered") return rules.by;
  if (last?.redirect) return last.redirect.by;
  return last?.mapping.kind === "answered" ? last.mapping.by : outcome.replacedBy?.at(-1);
}

/** Returns the line that leads to the URL whose answer is the last one, and its path; undefined if that of the request is. */
export function innerTargetOf({ pass }: DefiniteAnswer): { readonly by: Directive; readonly path: string } | undefined {
  const next = pass && mainPassesOf(pass)[1]?.next;
  return next && { by: next.by, path: next.pass.path };
}

/**
 * Reports whether a redirect to another scheme or host may not repeat because a proxy sends another value of a header
 * then, such as `CloudFront-Forwarded-Proto`.
 *
 * @param known the header whose values are known
 */
function mayDependOnProxy(answer: DefiniteAnswer, known = ""): boolean {
  const line = redirectingLineOf(answer);
  if (line?.key !== "rewriterule" || !/^https?:/i.test(answer.outcome.location ?? "")) return false;
  const rule = rulesAround(line, answer).find(({ directive }) => directive === line);
  const names = rule?.conditions.flatMap(({ input }) => /%\{HTTP:([^}]+)\}/i.exec(input)?.[1] ?? []) ?? [];
  return names.some((name) => name.toLowerCase() !== known.toLowerCase() && !browserHeaders.has(name.toLowerCase()));
}

/** Headers that browsers send, alike after a redirect. */
const browserHeaders: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "accept-language", "host", "referer", "user-agent"],
]);

/** Reports whether a redirect may not repeat because a browser has another cookie then. */
function mayDependOnCookies(answer: DefiniteAnswer): boolean {
  const line = redirectingLineOf(answer);
  if (line?.key !== "rewriterule") return false;
  const rule = rulesAround(line, answer).find(({ directive }) => directive === line);
  const sets = /\[(?:.*,)?\s*CO(?:OKIE)?=/i.test(line.argumentText);
  return sets || rule?.conditions.some(({ input }) => /HTTP_COOKIE|HTTP:Cookie/i.test(input)) === true;
}

function rulesAround(line: Directive, { layers, pass }: DefiniteAnswer): readonly RewriteRule[] {
  const all = [...layers, ...(pass ? pass.server.layers : [])];
  return all.flatMap(({ directives }) => (directives.includes(line) ? parseRewriteRules(directives) : []));
}

function keyOf({ scheme, host, port, path, query, headers = {} }: Request): string {
  return JSON.stringify([scheme, host, port, path, query, headers]);
}

function schemeOf({ scheme = "http" }: Pick<Request, "scheme">): "http" | "https" {
  return scheme;
}

function portOf({ port }: Pick<Request, "port">, scheme: Request["scheme"]): number {
  return port ?? defaultPortOf(scheme);
}

interface Url {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly query: string | undefined;
}

/** Returns the URL of a Location header; undefined for one of another scheme. */
function readLocation(location: string, request: Request): Url | undefined {
  const [, scheme, authority = "", rest = ""] = /^(?:(https?):\/\/([^/?#]*))?([^#]*)/i.exec(location) ?? [];
  const [, path = "", query] = /^([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  if (scheme === undefined) {
    if (!/^\/(?!\/)/.test(location)) return undefined;
    return {
      scheme: schemeOf(request),
      host: request.host ?? "",
      port: portOf(request, schemeOf(request)),
      path,
      query,
    };
  }
  const [, host = "", port] = /^(.*?)(?::(\d+))?$/.exec(authority.toLowerCase()) ?? [];
  const own = scheme.toLowerCase() === "https" ? "https" : "http";
  return { scheme: own, host, port: port === undefined ? defaultPortOf(own) : Number(port), path: path || "/", query };
}
