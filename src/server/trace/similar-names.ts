import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import { interpolateRoot, isVirtualRoot } from "../mapping/virtual-roots.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { mainPassesOf, type Pass } from "../model/pass.js";
import { portOf } from "../model/request.js";
import { isOneTypingError, spellingSettingsOf } from "../phases/spelling.js";
import { normalizeHostName } from "../request/server-names.js";
import type { ExplainedRun } from "./causes.js";
import { publicDirectories } from "./file-causes.js";
import { nameDirectory } from "./own-directory.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/** A name beside the first part of a path that does not exist. */
interface SimilarName {
  readonly name: string;
  /** Why httpd does not take it, as a clause after "… exists". */
  readonly why: string;
  readonly isOfCase?: true;
}

/**
 * Returns the file or directory that a missing path probably means: its directory has the name in another case, without `www.`, or with
 * one typing error (as mod_speling.c `spdist` finds them), and the rest of the path exists below it.
 */
export function explainSimilarName({ outcome: { pass, status }, files, project }: ExplainedRun): readonly Cause[] {
  const last = pass && mainPassesOf(pass)[0];
  const { walked, mapping } = last ?? {};
  if (status !== 404 || !last || walked?.kind !== "missing" || mapping?.kind !== "file") return [];
  const missing = walked.filename.replace(/\/+$/, "");
  const at = missing.lastIndexOf("/");
  const [folder, name] = [missing.slice(0, at), missing.slice(at + 1)];
  const rest = mapping.filename.slice(missing.length).replace(/\/+$/, "");
  const names = (files.list?.(folder) ?? []).map((entry) => entry.name);
  if (name === "" || names.includes(name)) return [];
  const isRoot = mapping.by !== undefined && isOfTarget(mapping.by, missing, last);
  const exists = (each: string) => files.kindOf(`${folder}/${each}${rest}`, true) !== "missing";
  const ofHost = isRoot ? explainOtherPart(last, folder, names, files) : [];
  const similar = ofHost.length > 0 ? undefined : findSimilar(name, names.filter(exists), isRoot);
  if (similar === undefined) return ofHost;
  const text = `\`${nativePath(toReadable(`${folder}/${similar.name}`))}\` exists${similar.why}`;
  if (isRoot && mapping.by && !isVirtualRoot(mapping.by)) {
    const corrected = mapping.by.argumentText.replace(missing, () => `${folder}/${similar.name}`);
    const isWritten = corrected !== mapping.by.argumentText;
    const help = isWritten ? [`use ${quoteWritten(formatWholeLine(mapping.by, corrected))}`] : [];
    return [{ text, line: mapping.by, help }];
  }
  const renamed = `rename \`${toReadable(similar.name)}\` to \`${toReadable(name)}\``;
  if (last !== pass || isRoot || !last.path.replace(/\/+$/, "").endsWith(name + rest))
    return [{ text, help: [renamed] }];
  const path = last.path.replace(/\/+$/, "");
  const url = path.slice(0, path.length - name.length - rest.length) + similar.name + rest;
  const canCorrect =
    similar.isOfCase && last.state && project.modules.has("speling_module") && !spellingSettingsOf(last.state);
  const correct = `to redirect such URLs, add ${quoteWritten("CheckSpelling On", "CheckCaseOnly On")} to ${nameDirectory(last)}`;
  return [{ text, help: [`use \`${toReadable(url)}\` in links, or ${renamed}`, ...(canCorrect ? [correct] : [])] }];
}

function findSimilar(name: string, names: readonly string[], isRoot: boolean): SimilarName | undefined {
  const only = (fits: (other: string) => boolean) => {
    const [found, ...more] = names.filter(fits);
    return more.length === 0 ? found : undefined;
  };
  const lower = name.toLowerCase();
  const ofCase = only((other) => other.toLowerCase() === lower);
  if (ofCase !== undefined) return { name: ofCase, why: "; names are case-sensitive on Linux", isOfCase: true };
  const bare = only((other) => lower === `www.${other.toLowerCase()}`);
  if (bare !== undefined) return { name: bare, why: ", without `www.`" };
  // Numbers in names count files: `a1.html` is not meant by `a2.html`.
  const letters = (text: string) => text.replace(/\d+/g, "");
  const typed = only((other) => isOneTypingError(lower, other.toLowerCase()) && letters(name) !== letters(other));
  if (typed !== undefined && name.length >= MIN_LENGTH) return { name: typed, why: ", a similar name" };
  const ofPublic =
    isRoot && publicDirectories.includes(name) ? only((other) => publicDirectories.includes(other)) : undefined;
  return ofPublic === undefined ? undefined : { name: ofPublic, why: "" };
}

/** Shorter names differ by one letter by chance. */
const MIN_LENGTH = 4;

/** Reports whether a path is that of the target of a line, or of a directory above it, so that the line has the wrong name. */
function isOfTarget(by: Directive, path: string, pass: Pass): boolean {
  if (by.key === "rewriterule") return false;
  const words = argumentValuesOf(by);
  const target = isVirtualRoot(by) ? rootFor(by.argumentText, pass) : (words.at(-1) ?? "");
  return `${target.replace(/["']|\/+$/g, "")}/`.startsWith(`${path}/`);
}

/** Parts of the name of a host, by which the directory of another part may be found (mod_vhost_alias.c). */
const otherParts = ["%0", "%2+", "%-2.%-1", "%-2", "%1"];

/** A directory that another part of the name of the host leads to. */
function explainOtherPart(pass: Pass, folder: string, names: readonly string[], files: FileTree): readonly Cause[] {
  const by = pass.mapping.by;
  if (by === undefined || !isVirtualRoot(by) || by.key.endsWith("ip")) return [];
  const [used, ...more] = by.argumentText.match(/%-?\d\+?/g) ?? [];
  if (used === undefined || more.length > 0) return [];
  const exists = (template: string, host?: string) => {
    const root = rootFor(template, pass, host);
    return names.includes(root.slice(folder.length + 1)) && files.kindOf(root) === "directory";
  };
  const bare = normalizeHostName(pass.request.host)?.replace(/^www\./, "");
  const needsBare = exists(by.argumentText, bare);
  const templates = otherParts.map((part) => by.argumentText.replace(used, () => part));
  const found = templates.find((each) => exists(each) && (!needsBare || exists(each, bare)));
  if (found === undefined) return [];
  const shown = nativePath(toReadable(rootFor(by.argumentText, pass)));
  const other = nativePath(toReadable(rootFor(found, pass)));
  const text = `\`${used}\` of ${quoteLine(by)} leads to \`${shown}\`; \`${other}\` exists`;
  return [{ text, line: by, help: [`use ${quoteWritten(formatWholeLine(by, found))}`] }];
}

/** Returns the directory that a template leads to for a host; that of the request by default. */
function rootFor(template: string, { request }: Pass, host = normalizeHostName(request.host)): string {
  return interpolateRoot(template, host ?? "", portOf(request))
    .replace(/^["']|["']$/g, "")
    .replace(/\/+$/, "");
}
