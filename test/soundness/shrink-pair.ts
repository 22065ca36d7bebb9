import type { Request } from "../../src/server/model/request.js";
import type { ServerPairText, ServerText } from "./configuration-tree.js";
import { linesOf, withoutServerLines } from "./mutations.js";

/** A pair with a request that both sides answer differently. */
export interface FailingPair {
  readonly pair: ServerPairText;
  readonly request: Request;
}

/** A smaller form of a failing pair. */
type Step = (failing: FailingPair) => FailingPair;

/**
 * Deletes parts of a failing pair for as long as it fails: lines of both sides or of one, modules, files, and parts of the
 * request.
 */
export async function shrinkPair(
  first: FailingPair,
  fails: (smaller: FailingPair) => Promise<boolean>,
): Promise<FailingPair> {
  let failing = first;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const step of stepsFor(failing)) {
      const smaller = step(failing);
      if (!isChange(failing, smaller) || !(await fails(smaller))) continue;
      failing = smaller;
      isSmaller = true;
    }
  }
  return failing;
}

function stepsFor({ pair, request }: FailingPair): readonly Step[] {
  const { before, after } = pair;
  const ids = [...new Set([...linesOf(before), ...linesOf(after)].map(({ id }) => id))];
  const modules = [...new Set([...before.modules, ...after.modules])];
  const files = [...new Set([...Object.keys(before.htaccess), ...Object.keys(after.htaccess)])];
  const bothWith = (edit: (server: ServerText) => ServerText): Step => {
    return (each) => ({
      ...each,
      pair: { ...each.pair, before: edit(each.pair.before), after: edit(each.pair.after) },
    });
  };
  return [
    ...modules.map((module) =>
      bothWith((server) => ({ ...server, modules: server.modules.filter((each) => each !== module) })),
    ),
    ...files.map((file) =>
      bothWith((server) => ({
        ...server,
        htaccess: Object.fromEntries(Object.entries(server.htaccess).filter(([path]) => path !== file)),
      })),
    ),
    ...ids.map((id) => bothWith((server) => withoutServerLines(server, new Set([id])))),
    ...requestSteps(request),
  ];
}

function isChange(one: FailingPair, other: FailingPair): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

function requestSteps(request: Request): readonly Step[] {
  const change = (edit: (request: Request) => Request): Step => {
    return (each) => ({ ...each, request: edit(each.request) });
  };
  return [
    ...Object.keys(request.headers ?? {}).map((name) =>
      change(({ headers = {}, ...rest }) => ({
        ...rest,
        headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
      })),
    ),
    change(({ user: _user, dbmGroups: _groups, ...rest }) => rest),
    change(({ query: _query, ...rest }) => rest),
    change((each) => ({ ...each, method: "GET" })),
    change((each) => ({ ...each, host: "x.test" })),
  ];
}
