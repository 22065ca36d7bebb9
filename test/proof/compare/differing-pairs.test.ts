import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { answerUnder, type DefiniteAnswer } from "../../../src/server/definite-answer.js";
import { accessClassOf } from "../../../src/server/model/access-class.js";
import { answerClassOf } from "../../../src/server/model/answer-class.js";
import { enumerateRuns } from "../../../src/server/model/oracle.js";
import { prepareSimulation } from "../../../src/server/process-request.js";
import { type DifferingPair, linesOf, modulesOf, pairFiles, pairGroups } from "../../support/cases/differing-pairs.js";
import { load } from "../../support/projects.js";

function sideOf(pair: DifferingPair, own: readonly string[]) {
  const lines = [
    "ServerName x.test",
    "ServerRoot /srv",
    "DocumentRoot /srv/htdocs",
    "Listen 80",
    ...linesOf(pair, own),
  ];
  const text = `${lines.join("\n").replaceAll("DOCROOT", "/srv/htdocs")}\n`;
  const options = { release: "2.4", kind: "server", modules: modulesOf(pair) } as const;
  return { project: load({ "/etc/httpd/httpd.conf": text }, options), semantics: "server" } as const;
}

const files = new Map(Object.entries(pairFiles).map(([path, text]) => [`/srv/htdocs/${path}`, text]));

/** Returns the classes of the answers to a request, one for each combination of unknown facts that matter. */
function classesOf({ project }: ReturnType<typeof sideOf>, request: DifferingPair["requests"][number]) {
  const setup = prepareSimulation(project, {
    kindOf: (path) =>
      files.has(path)
        ? "file"
        : [...files.keys()].some((each) => each.startsWith(`${path}/`))
          ? "directory"
          : "missing",
    textOf: (path) => files.get(path),
  });
  const [path = "", query] = request.path.split("?");
  const sent = { method: "GET" as string, clientIp: "192.0.2.1", host: "x.test", ...request, path };
  const runs = enumerateRuns((oracle) =>
    classOf(answerUnder(setup, query === undefined ? sent : { ...sent, query }, oracle)),
  );
  // Facts do not matter if each combination has the same class.
  const isSettled = new Set(runs?.map(({ result }) => result)).size === 1;
  return runs
    ?.map(({ answers, result }) => (isSettled ? "" : [...answers].join(" ")) + result)
    .slice(0, isSettled ? 1 : undefined);
}

/** The handler of files rejects methods that another handler may accept. */
function classOf({ outcome, accessStatus }: DefiniteAnswer) {
  return accessStatus === 405 ? answerClassOf(accessStatus) : accessClassOf(outcome);
}

describe.each(Object.entries(pairGroups))("%s", (_, pairs) => {
  test.each(pairs)("$name: $verdict", (pair) => {
    const [before, after] = [sideOf(pair, pair.before), sideOf(pair, pair.after)];
    expect(compare(before, after).verdict).toBe(pair.verdict);
    // The order of the sides does not matter.
    expect(compare(after, before).verdict).toBe(pair.verdict);
    expect(compare(before, before).verdict).not.toBe("different");
    const answers = pair.requests.map((request) => [classesOf(before, request), classesOf(after, request)] as const);
    if (pair.verdict === "equivalent") for (const [one, other] of answers) expect(one).toEqual(other);
    if (pair.verdict === "different") expect(answers.some(([one, other]) => String(one) !== String(other))).toBe(true);
  });
});
