import { BroughtEnvironment } from "../scope/brought-environment.js";
import { lateVariables } from "../scope/environment.js";
import type { Layer } from "../scope/layer.js";
import { type Mapping, mapUrl } from "../scope/mapping.js";
import type { PerDirConfig } from "../scope/per-dir-config.js";
import { environmentOf, type Request, rewrittenRequest } from "../scope/request.js";
import { RequestWalk, type Url } from "../scope/request-walk.js";
import type { Rewriting } from "../scope/rewriting/rewriting.js";
import { type Before, leftStatus, type Run } from "./pass.js";
import { type OnItsWay, rewrittenUrl } from "./rewriting.js";

/** A request whose URL leads somewhere. */
export interface Mapped {
  /** With the path and query that the server's own rules made of it. */
  readonly way: OnItsWay;
  /** The same request, which notes what is looked at. */
  readonly request: Request;
  readonly mapping: Mapping;
  /** What is in force by then. */
  readonly early: PerDirConfig;
  /** What the server's own rules came to. */
  readonly rewriting: Rewriting | undefined;
}

/** Rewrites a URL and maps it to a file, a backend or an answer (`translate_name`). */
export function mapRequest(run: Run, asked: Request, url: Url, before: Before): Mapped {
  const { setup, server, questions, watch } = run;
  const { project, files, walks } = setup;
  const { outer, previous = outer } = before;
  const watched = (each: Request) => watch?.request(each) ?? each;
  const given = environmentBehind(asked, before);
  const env = watch?.environment(given) ?? given;
  const around = { project, walks, server, questions };
  const walk = new RequestWalk(around, watched(asked), url, env, outer?.walk, previous?.walk);
  const early = walk.early();
  const asSent: OnItsWay = { project, files, questions, server, env, walk, request: asked, path: url.path };
  const rewriting = before.isEnded ? undefined : rewrittenUrl(asSent, early);
  const own = requestBehind(asked, rewriting);
  const path = rewriting?.to?.kind === "passed" ? rewriting.to.path : url.path;
  const request = watched(own);
  if (own !== asked) walk.leadTo(request, path);
  const textOf = (text: string) => walk.textOf(text, early, "");
  const mapping = mappedBy(rewriting?.to) ?? mapUrl(path, server, project, files, questions, early, textOf);
  const way = own === asked && path === url.path ? asSent : { ...asSent, request: own, path };
  return { way, request, mapping, early, rewriting };
}

function requestBehind(asked: Request, rewriting: Rewriting | undefined): Request {
  const isSame = rewriting === undefined || (rewriting.query === asked.query && rewriting.to?.kind !== "passed");
  return isSame ? asked : rewrittenRequest(asked, asked.path, rewriting.query);
}

function mappedBy(to: Rewriting["to"]): Mapping | undefined {
  if (to?.kind === "mapped") return to.mapping;
  if (to?.kind === "answered") return { kind: "answered", status: to.status, by: to.by };
  return to?.kind === "passed" && !to.path.startsWith("/") ? { kind: "answered", status: 400, by: to.by } : undefined;
}

/**
 * The variables that a pass starts with: an index file has those of its directory; for a URL that rewriting led to, those
 * from before are called `REDIRECT_…` (modules/http/http_request.c `rename_original_env`).
 */
function environmentBehind(request: Request, { outer, previous }: Before): Map<string, string> {
  if (outer?.state) return withLate(outer.state.layers, outer.state.env);
  const env = environmentOf(request);
  if (previous?.state === undefined) return env;
  for (const [name, value] of [...lateVariables(previous.state.layers), ...previous.state.env])
    env.set(`redirect_${name}`, value);
  return env.set("redirect_status", String(leftStatus(previous) ?? 200));
}

/** Variables that a request brings along for one that the server makes of it; what SetEnv leaves does not take their place. */
function withLate(layers: readonly Layer[], env: ReadonlyMap<string, string>): Map<string, string> {
  const late = lateVariables(layers);
  if (!(env instanceof BroughtEnvironment)) return new Map([...late, ...env]);
  const all = env.copy();
  for (const [name, value] of late) if (!all.has(name)) all.set(name, value);
  return all;
}
