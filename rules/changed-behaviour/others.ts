import type { Directive } from "../../src/project/directive.js";
import { quoted } from "../../src/project/problems.js";
import { linesBehind } from "../../src/text/edits.js";
import { type Behaviour, fixed, shared, word } from "./behaviour.js";

const substitute: Behaviour = {
  names: ["substitute"],
  takesServer: true,
  look(_, scope, surroundings) {
    if (surroundings.find(scope, ({ key }) => key === "substitutemaxlinelength")) return undefined;
    const message =
      "2.4 answers 500 where a page that Substitute goes through has a line of more than 1 MB (AH01328), where 2.2 knew no limit; write `SubstituteMaxLineLength` with what the longest line needs, such as `10m`, if there are such pages";
    return { severity: "info", ...shared("substitute", message) };
  },
};

const dumpio: Behaviour = {
  names: ["dumpioinput", "dumpiooutput"],
  takesServer: true,
  look(line, scope, surroundings) {
    const server = surroundings.serverOf(scope);
    const levels = server.inForce("loglevel");
    if (!/^on$/i.test(word(line)) || levels.some(tracesAll)) return undefined;
    // What 2.2 did not log either is no change.
    const wasLogged =
      levels.some((level) => /^debug$/i.test(word(level))) || server.inForce("dumpiologlevel").length > 0;
    if (!wasLogged) return undefined;
    const keep = "LogLevel dumpio:trace7";
    const behind = server.own("loglevel").at(-1) ?? line;
    return {
      severity: "info",
      message: `2.4 logs what ${quoted(line.name)} asks for at \`trace7\` alone, so nothing of it is in the error log any more; write \`${keep}\` behind the last LogLevel without a module`,
      ...fixed("Log it again", linesBehind(behind.span, [keep])),
    };
  },
};

function tracesAll({ arguments: words }: Directive): boolean {
  return words.some(({ value }) => /^(?:(?:mod_)?dumpio(?:_module|\.c)?:)?trace[78]$/i.test(value));
}

const davLocks: Behaviour = {
  names: ["davlockdb"],
  look: (line) => ({
    severity: "info",
    message: `2.4 keys the locks in ${quoted(word(line))} by path where 2.2 took inodes, so locks that 2.2 wrote there hold nobody off; stop the server, and take the files of that name away before 2.4 first starts`,
  }),
};

export const otherBehaviours: readonly Behaviour[] = [substitute, dumpio, davLocks];
