import type { ConfigTree } from "../../grammar/ast.js";
import type { Answer } from "../access/answer.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import type { AccessState } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { findRefusals } from "../refusals/refusals.js";
import { setEnvironment, setsEarly } from "../scope/environment.js";
import { conditionOf, holds } from "../scope/expression-value.js";
import type { FileTree } from "../scope/files.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { type Mapping, mapUrl } from "../scope/mapping.js";
import { explore, type Questions } from "../scope/questions.js";
import { environmentOf, type Request } from "../scope/request.js";
import { type Server, Servers } from "../scope/servers.js";
import { normalPath } from "../scope/url.js";
import { type Group, holdingIfs, Walks } from "../scope/walk.js";

export type DecisionClass = "allowed" | "401" | "403" | "500" | "unknown";

/** What the server answers, and why. */
export interface Decision {
  /** Of the answer; undefined where it is unknown. Where access is granted, 200 unless something else is known. */
  readonly status: number | undefined;
  readonly class: DecisionClass;
  readonly log: readonly string[];
  /** The lines that decide. */
  readonly decidedBy: readonly Directive[];
  /** What the decision hangs on where it is unknown. */
  readonly unknown: readonly string[];
}

interface Outcome {
  readonly status: number;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
}

/** Decides requests against one configuration; what does not depend on the request is made ready once. */
export class Decider {
  private readonly servers: Servers;
  private readonly walks: Walks;

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
  ) {
    this.servers = new Servers(project.directives, project.release);
    this.walks = new Walks(project, files, brokenFiles(project));
  }

  decide(request: Request): Decision {
    const runs = explore((questions) => this.run(request, questions));
    const [first] = runs ?? [];
    if (runs === undefined || first === undefined)
      return { status: undefined, class: "unknown", log: [], decidedBy: [], unknown: ["too much is unknown"] };
    const { result } = first;
    if (runs.every((run) => run.result.status === result.status && String(run.result.log) === String(result.log)))
      return {
        status: result.status,
        class: classOf(result.status),
        log: result.log,
        decidedBy: result.by,
        unknown: [],
      };
    const classes = new Set(runs.map((run) => classOf(run.result.status)));
    const [only] = classes;
    const reasons = [...new Set(runs.flatMap((run) => [...run.answers.keys()]))];
    return {
      status: undefined,
      class: classes.size === 1 && only ? only : "unknown",
      log: [],
      decidedBy: result.by,
      unknown: reasons,
    };
  }

  private run(request: Request, questions: Questions): Outcome {
    const normal = normalPath(request.path, this.project.release);
    if ("status" in normal) return { status: normal.status, log: [], by: [] };
    const server = this.servers.serverOf(request, questions);
    const mapping = mapUrl(normal.path, server, this.project, questions);
    if (mapping.kind === "answered") return { status: mapping.status, log: [], by: [mapping.by] };
    return this.access(request, normal.path, server, mapping, questions, true);
  }

  private access(
    request: Request,
    path: string,
    server: Server,
    mapping: Mapping & { kind: "file" | "proxy" },
    questions: Questions,
    looksForIndex: boolean,
  ): Outcome {
    const { walks, project } = this;
    const walked = mapping.kind === "file" ? walks.directories(mapping.filename, server, questions) : undefined;
    if (walked?.refused) {
      const { directive } = walked.refused;
      return { status: 500, log: [], by: directive ? [directive] : [] };
    }
    const groups: Group[] = [
      { kind: "server", layers: server.main ? [server.main.layer, server.layer] : [server.layer] },
    ];
    if (mapping.kind === "proxy")
      groups.push({ kind: "proxy", layers: walks.proxies(mapping.target, server, questions) });
    if (walked) {
      groups.push({ kind: "directory", layers: walked.layers });
      groups.push({ kind: "files", layers: walks.filesSections(walked.filename, server, walked.layers, questions) });
    }
    groups.push({ kind: "location", layers: walks.locations(path, server, questions) });

    const env = environmentOf(request);
    const serverName = settingIn(groups[0]?.layers ?? [], "servername")?.arguments[0]?.value;
    const context = { request, path, env, user: undefined, filename: walked?.filename, serverName, questions };
    const holdsFor = (directive: Directive) => {
      const condition = conditionOf(directive);
      return condition !== undefined && holds(condition, context);
    };
    const setEnv = (layers: readonly Layer[]) => {
      for (const layer of layers) {
        if (layer.directives.some(({ key }) => setsEarly(key)))
          setEnvironment(layer.directives, request, path, env, questions, holdsFor);
      }
    };
    setEnv(groups[0]?.layers ?? []);
    if (project.release === "2.4") {
      for (let layers = groups.flatMap((group) => group.layers); ; ) {
        const inner = holdingIfs(layers, holdsFor);
        if (inner.length === 0) break;
        groups.push({ kind: "if", layers: inner });
        layers = inner;
      }
    }
    setEnv(groups.slice(1).flatMap((group) => group.layers));
    const state: AccessState = {
      project,
      files: this.files,
      request,
      path,
      filename: walked?.filename,
      serverName,
      env,
      groups,
      layers: groups.flatMap((group) => group.layers),
      questions,
    };
    const answer = project.release === "2.4" ? decide24(state) : decide22(state);
    if (answer.status !== undefined) return { status: answer.status, log: answer.log, by: answer.by };
    return looksForIndex && walked?.kind === "directory" && path.endsWith("/")
      ? this.index(request, path, server, state, answer, questions)
      : { status: walked?.kind === "missing" ? 404 : 200, log: answer.log, by: answer.by };
  }

  /** A directory is answered by its index file, which is asked for like a request of its own (mod_dir). */
  private index(
    request: Request,
    path: string,
    server: Server,
    state: AccessState,
    answer: Answer,
    questions: Questions,
  ): Outcome {
    const names = settingIn(state.layers, "directoryindex")?.arguments.map((word) => word.value) ?? ["index.html"];
    let refused: Outcome | undefined;
    for (const name of names) {
      if (name.startsWith("/") || name.toLowerCase() === "disabled") break;
      const inner = path + name;
      const mapping = mapUrl(inner, server, this.project, questions);
      if (mapping.kind === "answered") return { status: mapping.status, log: answer.log, by: [mapping.by] };
      const outcome = this.access({ ...request, method: "GET" }, inner, server, mapping, questions, false);
      if (outcome.status === 200) return { ...outcome, log: [...answer.log, ...outcome.log] };
      if (outcome.status !== 404) refused ??= { ...outcome, log: [...answer.log, ...outcome.log] };
    }
    return refused ?? { status: 404, log: answer.log, by: answer.by };
  }
}

/** `.htaccess` files that cannot be read or hold what the server refuses. */
function brokenFiles(project: Project): ReadonlyMap<HtaccessFile, string> {
  const reasons = new Map<ConfigTree, string>();
  for (const { directive, message } of findRefusals(project).htaccess) reasons.set(directive.reading.tree, message);
  for (const { kind, span, message } of project.problems) {
    const tree = kind === "syntax" || kind === "refused" ? project.files.get(span.file.path) : undefined;
    if (tree) reasons.set(tree, message);
  }
  const broken = new Map<HtaccessFile, string>();
  for (const file of project.htaccess) {
    const reason = reasons.get(file.tree);
    if (reason !== undefined) broken.set(file, reason);
  }
  return broken;
}

function classOf(status: number): DecisionClass {
  return status === 401 || status === 403 || status === 500 ? `${status}` : "allowed";
}
