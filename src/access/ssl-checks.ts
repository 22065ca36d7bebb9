import type { Directive } from "../project/directive.js";
import { conditionIn, holds } from "../scope/expression-value.js";
import { settingIn } from "../scope/layer.js";
import { Once } from "../scope/once.js";
import type { PerDirConfig } from "../scope/per-dir-config.js";
import { Questions } from "../scope/questions.js";
import { keywordOf } from "../scope/words.js";
import type { Refusal } from "./access-checker.js";
import { type AccessState, inForce } from "./state.js";

const sslRequire: ReadonlySet<string> = new Set(["sslrequire"]);
const sslOptions: ReadonlySet<string> = new Set(["ssloptions"]);

const asking = new Once((config: PerDirConfig) =>
  ["sslrequiressl", "sslrequire", "sslverifyclient"].some((key) => config.has(key)),
);

/** Whether anything of TLS is asked for that may be refused. */
export function asksForTls({ config }: AccessState): boolean {
  return asking.of(config);
}

/**
 * SSLRequireSSL, SSLRequire and SSLVerifyClient (modules/ssl/ssl_engine_kernel.c `ssl_hook_Access`). Once said, they hold in
 * all sections further in.
 */
export function sslRefusal(state: AccessState): Refusal | undefined {
  if (!asksForTls(state)) return undefined;
  if (state.request.scheme !== "https") return withoutTls(state);
  const verify = certificateAsked(state);
  if (verify) {
    const isTaken = state.questions.ask("whether the client shows a certificate that `SSLVerifyClient require` takes");
    if (!isTaken) return refusal(state, [], [verify]);
  }
  const unmet = linesOf(state, sslRequire).find((line) => !isMet(line, state));
  return unmet && refusal(state, ["AH02229"], [unmet]);
}

/** The SSLVerifyClient of a section that asks for a certificate; where the server's own does, no request comes without. */
function certificateAsked({ groups }: AccessState): Directive | undefined {
  const verifyIn = (isServer: boolean) =>
    settingIn(
      groups.flatMap(({ kind, layers }) => ((kind === "server") === isServer ? layers : [])),
      "sslverifyclient",
    );
  const isRequired = (line: Directive | undefined) => keywordOf(line) === "require";
  const asked = verifyIn(false);
  return isRequired(asked) && !isRequired(verifyIn(true)) ? asked : undefined;
}

/** The checks beside SSLRequireSSL are for TLS alone. */
function withoutTls(state: AccessState): Refusal | undefined {
  const required = inForce(state, "sslrequiressl");
  if (required === undefined) return undefined;
  const engine = keywordOf(inForce(state, "sslengine"));
  // On 2.2 the client may go on with TLS on the same connection; late 2.4 takes the word for none (AH10510).
  if (engine === "optional" && state.project.release === "2.2")
    return { status: 426, log: [], by: [required], isStrict: false };
  return refusal(state, ["AH02219"], [required]);
}

function refusal(state: AccessState, log: readonly string[], by: readonly Directive[]): Refusal {
  const isNew = state.project.release === "2.4";
  return { status: 403, log: isNew ? log : [], by, isStrict: isStrict(state) };
}

function linesOf({ layers }: AccessState, keys: ReadonlySet<string>): readonly Directive[] {
  return layers.flatMap((layer) => layer.only(keys));
}

/** SSLOptions, whose words count in any case: with a sign a word changes what is inherited, without it replaces all. */
function isStrict(state: AccessState): boolean {
  let strict = false;
  for (const line of linesOf(state, sslOptions)) {
    const words = line.arguments.map(({ value }) => value);
    if (words.some((word) => !/^[+-]/.test(word))) strict = false;
    for (const word of words)
      if (word.replace(/^[+-]/, "").toLowerCase() === "strictrequire") strict = !word.startsWith("-");
  }
  return strict;
}

/** Comparisons that order texts are of a kind of their own in SSLRequire, and what only TLS knows is not known here. */
function isMet(line: Directive, state: AccessState): boolean {
  const written = line.argumentText;
  const question = `whether \`SSLRequire ${written}\` holds`;
  const bare = written.replace(/"[^"]*"|m#[^#]*#i?|m\/[^/]*\/i?/g, "");
  if (/[<>]|\b(lt|le|gt|ge)\b/.test(bare)) return state.questions.ask(question);
  const condition = conditionIn(asExpression(written));
  if (condition === undefined) return state.questions.ask(question);
  const asked = new Questions(new Map());
  const isHeld = holds(condition, { ...state, user: undefined, questions: asked });
  return asked.asked.size > 0 ? state.questions.ask(question) : isHeld;
}

/** There, `eq` and `ne` compare texts. */
function asExpression(written: string): string {
  return written.replace(/"[^"]*"|\s(eq|ne)\s/g, (found, word) =>
    word === "eq" ? " == " : word === "ne" ? " != " : found,
  );
}
