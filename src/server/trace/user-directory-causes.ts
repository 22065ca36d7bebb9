import { toReadable } from "../../text/source.js";
import { findUserSwitch } from "../mapping/user-directories.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { ExplainedRun } from "./causes.js";
import { formatWholeLine, nameServer, quoteLine, quoteWritten } from "./step.js";

/**
 * A path `/~name` that UserDir does not map, because it is off for the user: the path is one below the document root then
 * (mod_userdir.c `translate_userdir`).
 */
export function explainUserDirectory({ outcome: { pass, status }, project }: ExplainedRun): readonly Cause[] {
  const found =
    pass?.mapping.kind === "file" && status === 404 ? findUserSwitch(pass.path, pass.server, project) : undefined;
  if (found === undefined || (pass?.mapping.by?.key ?? "documentroot") !== "documentroot") return [];
  const { user, source, by, isForAll, enabled } = found;
  const shown = toReadable(user);
  const names = argumentValuesOf(by).slice(1);
  if (!isForAll) {
    const others = names.filter((each) => each.toLowerCase() !== user.toLowerCase());
    const text = `${quoteLine(by)} turns off the directory of \`${shown}\``;
    // The distributors turn it off for root, whose files are not for clients: no help says how to turn it on.
    if (user.toLowerCase() === "root") return [{ text, line: by }];
    const written = quoteWritten(formatWholeLine(by, ["disabled", ...others].join(" ")));
    return [{ text, line: by, help: [others.length === 0 ? "delete this line" : `use ${written}`] }];
  }
  if (user.toLowerCase() === "root") return [];
  if (enabled === undefined) {
    const help = `add ${quoteWritten(`UserDir enabled ${shown}`)} to ${nameServer(source.section)}, or delete this line`;
    return [{ text: `${quoteLine(by)} turns off the directories of all users`, line: by, help: [help] }];
  }
  const text = `${quoteLine(by)} turns off the directories of all users, except those in ${quoteLine(enabled)}`;
  const written = formatWholeLine(enabled, `${enabled.argumentText} ${user}`);
  return [{ text, line: enabled, help: [`use ${quoteWritten(written)}`] }];
}
