import { type Directive, isIfSection } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { expressionOf } from "../../config/queries/expressions.js";
import { mayFilterFail, mayShareFacts } from "../../config/queries/line-effects.js";
import { behaves } from "../../facts/behaviours.js";
import {
  type Circumstance,
  davHeaders,
  type EffectName,
  type Fact,
  negotiationFacts,
  protocolHeaders,
} from "../../facts/effects.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { isEarlyHeader } from "../../server/request/early-headers.js";
import { linkOptionsOf, mayRefuseLinks } from "../../server/sections/options.js";
import { memoize } from "../../text/memoize.js";
import { findOpenHandler, hasContentHandler, mayReplaceStatus } from "../paths/file-contents.js";

type CircumstanceTest = (placed: PlacedLine, project: Project, deciding: ReadonlySet<Fact>) => boolean;

/** Reports whether the circumstances of the table of effects hold for a line, in a configuration with some deciding facts. */
export const circumstances: Readonly<Record<Circumstance, CircumstanceTest>> = {
  "accepts-any-certificate": (_, project) => acceptsAnyCertificate(project),
  "accepts-other-requests": (_, project) => acceptsOtherRequests(project),
  "changes-links": ({ line }, project) => refusesLinks(project) && linkOptionsOf(argumentValuesOf(line)) !== "",
  "changes-variants": ({ line }, project) => changesVariants(line, project),
  "computes-value": ({ line }) => line.argumentText.includes("%{"),
  "extends-trace": (_, project) => extendsTrace(project),
  "extensions-in-path-info": (_, project) => readsPathInfo(project),
  "filters-may-fail": ({ line }) => mayFilterFail(line),
  "handlers-by-content": ({ line }, project) => findOpenHandler(line, project) === "file-content",
  "handlers-by-method": ({ line }, project) => findOpenHandler(line, project) === "effect-on-answer",
  "is-early": ({ line }, project) => isEarlyHeader(line, project),
  "keeps-directory-urls": ({ effects }) => mayShareFacts(effects?.writes ?? noFacts, carefulRedirects),
  "keeps-slashes": (_, project) => keepsSlashes(project),
  "logins-by-digest": (_, _project, deciding) => deciding.has("config:mod_auth_digest"),
  "maps-by-content": (_, project) => hasContentHandler(project),
  // A variant without a type is left out, and one whose type the client does not accept (mod_negotiation.c `read_types_multi`).
  "negotiates-types": (_, project) => project.modules.mayHave("negotiation_module") && usesVariants(project),
  negotiation: (_, { modules }) => modules.mayHave("negotiation_module"),
  "replaces-errors": (_, project) => placedLinesOf(project).some(({ line }) => line.key === "errordocument"),
  "replaces-status": ({ line }, project) => mayReplaceStatus(line, project),
  "tests-own-names": (_, project) => testsHostNames(project),
  "tests-tls-variables": ({ line }, project) => setsTestedVariables(line, project),
  "uses-dav": (_, project) => usesDav(project),
  "writes-dav-headers": ({ effects }, project) =>
    usesDav(project) && mayShareFacts(effects?.writes ?? noFacts, davHeaders),
  "writes-negotiation-facts": ({ effects }, { modules }) =>
    modules.mayHave("negotiation_module") && mayShareFacts(effects?.writes ?? noFacts, negotiationFacts),
  "writes-protocol-headers": ({ effects }) => mayShareFacts(effects?.writes ?? noFacts, protocolHeaders),
};

/** With it, mod_dir does not redirect some clients to a directory (`fixup_dir`). */
const carefulRedirects: ReadonlySet<Fact> = new Set<Fact>(["variable:redirect-carefully"]);

const noFacts: ReadonlySet<Fact> = new Set();

/** Reports whether a line changes which malformed requests the server accepts: other lines state the default. */
const acceptsOtherRequests = memoize((project: Project) =>
  placedLinesOf(project).some(
    ({ line }) => line.key === "httpprotocoloptions" && /\b(?:unsafe|require1\.0)\b/i.test(line.argumentText),
  ),
);

const keepsSlashes = memoize(
  (project: Project) =>
    behaves(project.release, "slashes-merged") !== true ||
    placedLinesOf(project).some(({ line }) => line.key === "mergeslashes" && keywordArgumentOf(line) === "off"),
);

/** Conditions, which may test the text of the path. */
const conditions: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["condition", "rewrite-condition", "access-by-rule", "access-by-expression"] as const),
  ...(["variables-by-attribute", "variables-by-expression"] as const),
]);

/**
 * Reports whether a line, or a section around it, matches the text of a path in which the server keeps repeated slashes.
 * Plain paths match with and without them (mod_alias.c `alias_matches`, server/request.c `ap_location_walk`), and so do the
 * names of files.
 */
export function matchesRepeatedSlashes({ line, effects }: PlacedLine, project: Project): boolean {
  if (!keepsSlashes(project)) return false;
  const mayTestPath = line.key !== "require" || expressionOf(line) !== undefined;
  if (effects && mayTestPath && conditions.has(effects.of.effect) && effects.reads.has("path")) return true;
  for (let each: Directive | undefined = line; each; each = each.parent) if (matchesPathText(each)) return true;
  return false;
}

function matchesPathText(line: Directive): boolean {
  const { key, parent } = line;
  // Rules in sections for directories match the path of the file.
  if (key === "rewriterule") return parent === undefined || !/^<(?:directory|files)/.test(parent.key);
  if (isIfSection(line)) return true;
  const mayBePattern = /^(?:<location|<proxy|(?:script|wsgiscript)?alias|redirect|proxypass)/.test(key);
  return key === "userdir" || (mayBePattern && (/match>?$/.test(key) || firstArgumentOf(line) === "~"));
}

/** Reports whether the rest of a path may have extensions that count: proofs only know those of files. */
const readsPathInfo = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key === "modmimeusepathinfo" && keywordArgumentOf(line) === "on"),
);

/**
 * Reports whether an Options line sets whether the server looks for variants of a missing file: it names MultiViews, or
 * replaces the options of other lines of which one does.
 */
function changesVariants({ argumentText }: Directive, project: Project): boolean {
  if (!project.modules.mayHave("negotiation_module")) return false;
  if (/multiviews/i.test(argumentText)) return true;
  return usesVariants(project) && argumentText.split(/[\t ]+/).some((word) => /^"?[a-z]/i.test(word));
}

const usesVariants = memoize((project: Project) =>
  placedLinesOf(project).some(
    ({ line }) => line.key === "options" && argumentValuesOf(line).some((word) => /^\+?multiviews$/i.test(word)),
  ),
);

/** Reports whether a line may keep the server from following symbolic links; else all Options lines have one meaning for them. */
const refusesLinks = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key === "options" && mayRefuseLinks(argumentValuesOf(line))),
);

/** Reports whether some lines accept a certificate that others do not, of which any client may have one. */
const acceptsAnyCertificate = memoize((project: Project) =>
  placedLinesOf(project).some(
    ({ line }) => line.key === "sslverifyclient" && keywordArgumentOf(line) === "optional_no_ca",
  ),
);

const extendsTrace = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key === "traceenable" && keywordArgumentOf(line) === "extended"),
);

/**
 * Reports whether an SSLOptions line decides which variables of TLS the environment of a request has, or what form the name in a
 * certificate has, and another line tests that. `%{SSL:…}` asks mod_ssl itself.
 */
function setsTestedVariables(line: Directive, project: Project): boolean {
  const words = argumentValuesOf(line);
  const sets = (names: RegExp) => words.some((word) => names.test(word) || /^\w/.test(word));
  const { environment, name } = testedTlsOf(project);
  return (environment && sets(/^[+-](?:stdenvvars|exportcertdata)$/i)) || (name && sets(/^[+-]legacydnstringformat$/i));
}

const testedTlsOf = memoize((project: Project) => {
  const texts = placedLinesOf(project).map(({ line }) => `${line.key} ${line.argumentText}`);
  return {
    environment: texts.some((text) => /(?:^require (?:not )?env\b|env=|\breqenv\b|%\{ENV:).*SSL_/i.test(text)),
    name: texts.some((text) => /^sslusername\b|SSL_CLIENT_[IS]_DN\b/i.test(text)),
  };
});

const usesDav = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key === "dav" && keywordArgumentOf(line) !== "off"),
);

const testsHostNames = memoize((project: Project) =>
  placedLinesOf(project).some(
    ({ line }) =>
      /SERVER_(?:NAME|PORT)|SCRIPT_URI|REMOTE_HOST/i.test(line.argumentText) ||
      (line.key === "stricthostcheck" && keywordArgumentOf(line) === "on") ||
      mayNameOwnUrl(line),
  ),
);

/** Reports whether a rule stays on the server if its target is a URL of the host itself (mod_rewrite.c `reduce_uri`). */
function mayNameOwnUrl(line: Directive): boolean {
  const [, target = "", flags = ""] = argumentValuesOf(line);
  const isUrl = line.key === "rewriterule" && /^[a-z][a-z\d+.-]*:\/\//i.test(target);
  return isUrl && !/[[,]\s*(?:r|redirect|p|proxy)\s*[=,\]]/i.test(flags);
}
