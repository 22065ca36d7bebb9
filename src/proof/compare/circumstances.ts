import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { mayShareFacts } from "../../config/queries/line-effects.js";
import { type Circumstance, type Fact, negotiationHeaders, protocolHeaders } from "../../facts/effects.js";
import { argumentValuesOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { isEarlyHeader } from "../../server/request/early-headers.js";
import { linkOptionsOf, mayRefuseLinks } from "../../server/sections/options.js";
import { memoize } from "../../text/memoize.js";
import { findOpenHandler, hasContentHandler, mayReplaceStatus } from "./file-contents.js";

type CircumstanceTest = (placed: PlacedLine, project: Project, deciding: ReadonlySet<Fact>) => boolean;

/** Reports whether the circumstances of the table of effects hold for a line, in a configuration with some deciding facts. */
export const circumstances: Readonly<Record<Circumstance, CircumstanceTest>> = {
  "changes-links": ({ line }, project) => refusesLinks(project) && linkOptionsOf(argumentValuesOf(line)) !== "",
  "changes-variants": ({ line }, project) => changesVariants(line, project),
  "computes-value": ({ line }) => line.argumentText.includes("%{"),
  "extensions-in-path-info": (_, project) => readsPathInfo(project),
  "handlers-by-content": ({ line }, project) => findOpenHandler(line, project) === "file-content",
  "handlers-by-method": ({ line }, project) => findOpenHandler(line, project) === "effect-on-answer",
  "is-early": ({ line }, project) => isEarlyHeader(line, project),
  "logins-by-digest": (_, _project, deciding) => deciding.has("config:mod_auth_digest"),
  "maps-by-content": (_, project) => hasContentHandler(project),
  negotiation: (_, { modules }) => modules.mayHave("negotiation_module"),
  "replaces-status": ({ line }, project) => mayReplaceStatus(line, project),
  "tests-own-names": (_, project) => testsHostNames(project),
  "uses-dav": (_, project) => usesDav(project),
  "writes-negotiation-headers": ({ effects }) => mayShareFacts(effects?.writes ?? noFacts, negotiationHeaders),
  "writes-protocol-headers": ({ effects }) => mayShareFacts(effects?.writes ?? noFacts, protocolHeaders),
};

const noFacts: ReadonlySet<Fact> = new Set();

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
  placedLinesOf(project).some(({ line }) => line.key === "options" && /multiviews/i.test(line.argumentText)),
);

/** Reports whether a line may keep the server from following symbolic links; else all Options lines have one meaning for them. */
const refusesLinks = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key === "options" && mayRefuseLinks(argumentValuesOf(line))),
);

const usesDav = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key === "dav" && keywordArgumentOf(line) !== "off"),
);

const testsHostNames = memoize((project: Project) =>
  placedLinesOf(project).some(
    ({ line }) =>
      /SERVER_(?:NAME|PORT)|REMOTE_HOST/i.test(line.argumentText) ||
      (line.key === "stricthostcheck" && keywordArgumentOf(line) === "on"),
  ),
);
