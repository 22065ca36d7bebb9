import { type Fault, quoted } from "./problems.js";

/**
 * A variable that no value was put in place of: the server's environment may have one. `${map:key}` is mod_rewrite's
 * (server/core.c `ap_resolve_env`).
 *
 * @returns as it is written: `${NAME}`
 */
export function unsetVariable(text: string): string | undefined {
  const stop = /[}:]/g;
  for (let at = text.indexOf("${"); at >= 0; at = text.indexOf("${", stop.lastIndex)) {
    stop.lastIndex = at;
    const [found] = stop.exec(text) ?? [];
    if (found !== ":") return found && text.slice(at, stop.lastIndex);
    // Every name that starts before the colon contains it.
  }
  return undefined;
}

/** Whether a text begins and ends like one whose variables have no value. */
export function mayStandFor(written: string, text: string): boolean {
  const start = written.slice(0, written.indexOf("${"));
  const end = written.slice(written.lastIndexOf("}") + 1);
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

/** That other lines are not read, since whether or which they are hangs on such a variable. */
export function unsetFault(written: string, variable: string): Fault {
  return {
    wrong: `${quoted(written)} hangs on ${quoted(variable)}, which has no value here`,
    so: "what it would bring is not looked at",
    remedy: REMEDY,
  };
}

/** What gives a variable its value. */
export const REMEDY = "define it, or name the server's environment file with --envvars";
