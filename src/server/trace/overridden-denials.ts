import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import type { AccessState } from "../access/access-state.js";
import { checkProvider } from "../access/provider-checks.js";
import { parseRequireLine } from "../access/require-rules.js";
import type { Miss } from "../model/answer.js";
import { argumentValuesOf, type ConfigLayer, findSetting, firstArgumentOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { targetOf } from "../sections/section-index.js";
import { decidesAccess, deniesEveryone } from "./access-causes.js";
import { layerEffectOf } from "./layer-effects.js";
import { missOf, type SearchedPass } from "./miss.js";
import { ownDirectoryOf, urlOfSection } from "./own-directory.js";
import { findMatch } from "./pattern-parts.js";
import { formatWholeLine, nameServer, quoteLine, quoteWritten } from "./step.js";
import { escapeRegex } from "./written-lines.js";

/** Access lines that deny a request, and the sections and files that replace them, of which the last one grants access. */
interface Override {
  readonly denial: ConfigLayer;
  readonly line: Directive;
  readonly grants: readonly ConfigLayer[];
  readonly last: ConfigLayer;
  readonly kind: GrantKind;
  /** Whether both are of one kind, so that the order of the lines decides, or the depth of their directories. */
  readonly isOfOneKind: boolean;
}

type GrantKind = "directory" | "files" | "location";
const kindNames = { directory: "Directory", files: "Files", location: "Location" } as const;

/**
 * Access lines that deny a request, and that a section or file merged later replaces, so that httpd answers it. A grant for a part of
 * what the denial is for is an exception, and a denial for all URLs a default (manual, "Configuration Sections"; mod_authz_core.c
 * `merge_authz_core_dir_config`, mod_access_compat.c `merge_access_compat_dir_config`).
 */
export function findOverriddenDenials(searched: SearchedPass): readonly Miss[] {
  const { pass, outcome } = searched;
  if (!pass.isAuthorized || outcome.status >= 400) return [];
  const found = findOverride(searched);
  if (found === undefined || !isUnexpected(found, searched)) return [];
  const { line, last, kind, isOfOneKind } = found;
  const [granting] = last.directives.filter(({ key }) => key === "require" || key === "allow");
  if (granting === undefined) return [];
  const { section } = last;
  const name = section ? quoteLine(section) : "the `.htaccess` file of its directory";
  const order = isOfOneKind ? "" : `, as all ${kindNames[kind]} sections are`;
  const reason = `${name} is merged later${order}, and its ${quoteLine(granting)} replaces this line`;
  return [{ ...missOf(line, reason, helpFor(found, searched)), change: section ?? granting }];
}

/** Returns the last lines that deny the request and are replaced. */
function findOverride({ pass: { state }, setup: { project } }: SearchedPass): Override | undefined {
  const groups = state?.groups ?? [];
  const deciding = groups
    .flatMap(({ kind, layers }, group) => layers.map((layer, index) => ({ kind, layer, group, index })))
    .filter(({ layer }) => layer.directives.some(decidesAccess));
  const at = deciding.findLastIndex(({ layer }) => state !== undefined && denies(layer, state));
  const [denied, next] = deciding.slice(at);
  const last = deciding.at(-1);
  if (at < 0 || denied === undefined || next === undefined || last === undefined) return undefined;
  const later = deciding.slice(at + 1);
  if (!later.every(({ kind, layer }) => kind in kindNames && (deniesEveryone(denied.layer) || isOpen(layer))))
    return undefined;
  const effects = later.map(({ group, index }) => layerEffectOf(groups, group, index, project));
  if (!effects[0]?.replaced.some(({ layer }) => layer === denied.layer)) return undefined;
  if (effects.some(({ combined }) => combined.length > 0)) return undefined;
  const line = denied.layer.directives.find(({ key }) => key === "require" || key === "deny");
  const { kind, layer } = last;
  if (line === undefined || (kind !== "directory" && kind !== "files" && kind !== "location")) return undefined;
  const isOfOneKind = denied.kind === kind;
  return { denial: denied.layer, line, grants: later.map((each) => each.layer), last: layer, kind, isOfOneKind };
}

/** Reports whether the access lines of a section deny a request on their own, whatever is unknown. */
function denies(layer: ConfigLayer, state: AccessState): boolean {
  if (deniesEveryone(layer)) return true;
  const lines = layer.directives.filter((line) => decidesAccess(line) && !line.key.startsWith("<require"));
  return lines.length > 0 && lines.every((line) => line.key === "require" && isDenied(line, state));
}

function isDenied(line: Directive, state: AccessState): boolean {
  const oracle = new Oracle(new Map());
  const result = checkProvider(parseRequireLine(line), { ...state, oracle }, undefined);
  const isLogin = result === "no-user" && state.request.user === undefined;
  return (isLogin || result === "denied") && oracle.answered.size === 0;
}

/** Reports whether the access lines of a section only grant access to all clients. */
function isOpen({ directives }: ConfigLayer): boolean {
  return directives
    .filter(decidesAccess)
    .every((line) => line.key === "order" || /^(?:all granted|from all)$/i.test(argumentValuesOf(line).join(" ")));
}

/** A name that no section has. */
const OTHER_NAME = "httpd-lint-other";

/**
 * Reports whether each grant is also for a file without the denial, next to the requested one or above it, or for exactly the same
 * paths, and the denial is not for the whole server.
 */
function isUnexpected({ denial, grants }: Override, { pass, outcomeAt }: SearchedPass): boolean {
  const { path } = pass;
  const [extension = ""] = /\.[^./]+$/.exec(path) ?? [];
  const probes = [...path.matchAll(/\//g)].flatMap(({ index }) =>
    [...new Set(["", extension])].map((end) => path.slice(0, index + 1) + OTHER_NAME + end),
  );
  const found = probes.map((probe) => outcomeAt(probe).pass?.state?.layers ?? []);
  if (found[0]?.includes(denial) !== false) return false;
  return grants.every(
    (grant) =>
      isTwin(denial, grant, pass) || found.some((layers) => layers.includes(grant) && !layers.includes(denial)),
  );
}

/** Reports whether two sections of one server have the same paths, or a section has those of a `.htaccess` file. */
function isTwin(
  { section: one }: ConfigLayer,
  { section: other, content }: ConfigLayer,
  pass: SearchedPass["pass"],
): boolean {
  const text = one && targetOf(one)?.text;
  if (one === undefined || text === undefined) return false;
  if (other !== undefined)
    return one.key === other.key && one.parent === other.parent && targetOf(other)?.text === text;
  const [line] = content;
  return (
    one.key === "<directory" && line !== undefined && ownDirectoryOf(line, pass)?.path === text.replace(/\/+$/, "")
  );
}

/** Returns the section to deny the request in, which is merged after the grant, and how to grant less. */
function helpFor(override: Override, { pass }: SearchedPass): readonly string[] {
  const { denial, line, last } = override;
  const { section } = last;
  if (section === undefined) return ["delete that line, or do not allow it with `AllowOverride`"];
  const { section: own } = denial;
  const isMovable = own !== undefined && own.parent === section.parent;
  if (isMovable && (own.key.startsWith("<location") || own.key === section.key))
    return [
      isTwin(denial, last, pass)
        ? `keep only one of the ${quoteLine(own)} sections`
        : `move ${quoteLine(own)} after ${quoteLine(section)}`,
    ];
  const opening = sectionFor(override, pass);
  const narrower = narrowGrant(override, pass);
  if (opening === undefined) return narrower;
  const isAfter = section.key.startsWith("<location");
  const place = isAfter ? `after ${quoteLine(section)}` : `to ${nameServer(pass.server.section)}`;
  const closing = opening.replace(/^<(\w+).*$/s, "</$1>");
  const repeated = deniesEveryone(denial)
    ? `to deny it, add ${quoteWritten(opening, formatWholeLine(line), closing)} ${place}`
    : `to apply its lines, add ${quoteWritten(opening, closing)} with them ${place}`;
  return [repeated, ...narrower];
}

/** Returns the opening line of a Location section for the URLs that lines deny; undefined if they do not show it. */
function sectionFor({ denial, line }: Override, pass: SearchedPass["pass"]): string | undefined {
  const { section } = denial;
  const target = section && targetOf(section);
  const isWithin = section?.parent !== undefined && section.parent.key !== "<virtualhost";
  if (section === undefined || target === undefined) {
    const { url } = ownDirectoryOf(line, pass) ?? {};
    return section !== undefined || url === undefined ? undefined : sectionOfUrl(url);
  }
  if (section.key.startsWith("<location")) return formatWholeLine(section);
  if (isWithin || ownDirectoryOf(line, pass)) return undefined;
  if (section.key === "<directory" && !target.isPattern) {
    const url = hasWildcard(target.text) ? undefined : urlOfSection(section, pass);
    return url && sectionOfUrl(url);
  }
  const pattern = section.key.startsWith("<files") ? patternOfName(target) : target.text;
  return pattern !== undefined && findMatch(pattern, pass.path)
    ? `<LocationMatch "${toReadable(pattern)}">`
    : undefined;
}

function sectionOfUrl(url: string): string {
  return `<Location "${toReadable(url.replace(/(?<=.)\/+$/, ""))}">`;
}

/** Returns the pattern of URL paths for the names of a Files section; undefined for one with alternatives. */
function patternOfName({
  text,
  isPattern,
}: {
  readonly text: string;
  readonly isPattern: boolean;
}): string | undefined {
  if (!isPattern) {
    if (/[[\]\\]/.test(text)) return undefined;
    const name = escapeRegex(text).replace(/\\\*/g, "[^/]*").replace(/\\\?/g, "[^/]");
    return `/${name}$`;
  }
  const isWhole = !text.includes("|") || /^\^?(?:\\.|[^()|\\])*\([^()]*\)(?:\\.|[^()|\\])*\$?$/.test(text);
  if (!isWhole || text.lastIndexOf("^") > 0) return undefined;
  return text.replace(/^\^/, "/") + (/(?<!\\)\$$/.test(text) ? "" : "[^/]*$");
}

/** Returns the Directory section that grants access to the document root only, and which is merged before other sections. */
function narrowGrant({ grants, denial, last }: Override, { server, mapping }: SearchedPass["pass"]): readonly string[] {
  const { section } = last;
  const root = firstArgumentOf(findSetting(server.layers, "documentroot"))?.replace(/\/+$/, "");
  const isRoot = section?.key === "<location" && argumentValuesOf(section).join(" ") === "/";
  if (section === undefined || !isRoot || grants.length > 1 || denial.section?.key.startsWith("<location")) return [];
  if (!root || mapping.kind !== "file" || !mapping.filename.startsWith(`${root}/`)) return [];
  if (!section.children?.every(decidesAccess)) return [];
  const written = quoteWritten(`<Directory "${nativePath(toReadable(root))}">`, "</Directory>");
  return [`or, to grant access to the document root only, use ${written} in place of ${quoteLine(section)}`];
}
