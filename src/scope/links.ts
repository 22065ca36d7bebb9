import type { LinkFacts } from "../project/files.js";
import type { FileKind } from "./files.js";
import type { Layer } from "./layer.js";
import { optionsIn } from "./options.js";
import type { Questions } from "./questions.js";

/** A link on the way to a file, where the server looks at it. */
export interface MetLink {
  readonly path: string;
  readonly link: LinkFacts;
  /** What it leads to. */
  readonly kind: FileKind;
}

/** Whether the server follows a link under some Options (server/request.c `resolve_symlink`). */
export function isFollowed({ path, link, kind }: MetLink, layers: readonly Layer[], questions: Questions): boolean {
  const options = optionsIn(layers);
  const isOwnersAsked = options.has("symlinksifownermatch");
  if (!isOwnersAsked && !options.has("followsymlinks")) return false;
  if (kind === "missing") return false;
  if (!isOwnersAsked) return true;
  return link.isOwners ?? questions.ask(`whether the link \`${path}\` and what it leads to have the same owner`);
}

/** Where links are followed without a look, an existing file is a level of its own like a directory. */
export function followsBlindly(layers: readonly Layer[]): boolean {
  const options = optionsIn(layers);
  return options.has("followsymlinks") && !options.has("symlinksifownermatch");
}
