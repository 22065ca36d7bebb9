import type { DefiniteAnswer, OutsideClient, OutsideServer } from "../../src/lint/api/access.js";
import type { Scope } from "../../src/lint/api/configuration.js";

/** The answer to a request below a denied path. */
interface AnswerBelow {
  readonly answer: DefiniteAnswer;
  readonly isAssumed: boolean;
}

/** Returns a request below a denied path with a granted answer: from the same backend, program or directory. */
export function findAnswerBelow(
  { file, backend }: DefiniteAnswer,
  path: string,
  scope: Scope,
  server: OutsideServer,
  client: OutsideClient,
): AnswerBelow | undefined {
  const ask = (name: string, files: "assumed" | "disk") => {
    const answer = client.ask(server, { path: `${path}/${name}` }, files);
    return answer?.status === 200 ? { answer, isAssumed: files === "assumed" && backend === undefined } : undefined;
  };
  const last = path.slice(path.lastIndexOf("/"));
  if (backend !== undefined) {
    const below = hasExtension.test(last) && !program.test(last) ? undefined : ask("x", "assumed");
    return below?.answer.backend?.by === backend.by ? below : undefined;
  }
  if (file === undefined || scope.directives.some(({ key }) => targetLines.has(key))) return undefined;
  const name = file.replace(/\/(?:index\.html)?$/, "");
  switch (client.disk?.kindOf(name) ?? "unknown") {
    case "missing":
      return undefined;
    case "directory": {
      const found = client.findFileIn(name);
      const below = found && ask(found.slice(name.length + 1), "disk");
      return below && below.answer.file === found ? below : undefined;
    }
    case "file": {
      const below = ask("x", "disk");
      return below?.answer.answeredBy === "program" ? below : undefined;
    }
    case "unknown": {
      const below = hasExtension.test(last) ? undefined : ask("index.html", "assumed");
      return below?.answer.file === `${name}/index.html` ? below : undefined;
    }
  }
}

/** Lines that answer the URL of the section only, not those below it. */
const targetLines: ReadonlySet<string> = new Set(["sethandler", "proxypass", "proxypassmatch"]);

const hasExtension = /^\/.+\./;
const program = /\.(?:php|cgi|pl|py)$/;
