import { type Directive, findSectionAround } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import type { EffectName } from "../../facts/effects.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { memoize } from "../../text/memoize.js";
import { mayPassOnRequests } from "../paths/file-contents.js";

/**
 * Reports whether a line decides whether access is checked again after a handler passes a request on to another URL, and whether the
 * check may have another result there. httpd checks again only if other sections or `.htaccess` files apply to that URL
 * (server/request.c `ap_process_request_internal` compares `per_dir_config`); an empty section counts.
 */
export function mayRepeatCheck({ effects }: PlacedLine, project: Project): boolean {
  const effect = effects?.of.effect;
  return effect !== undefined && dividingEffects.has(effect) && mayPassOnRequests(project) && checksUrls(project);
}

/** Lines that decide which sections and `.htaccess` files apply to a URL. */
const dividingEffects: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["condition", "file-section", "overrides", "path-section"] as const),
]);

/** Reports whether a check of access may have another result for the second URL and its method, which is GET. */
const checksUrls = memoize((project: Project): boolean => placedLinesOf(project).some(checksUrl));

function checksUrl({ line, effects }: PlacedLine): boolean {
  switch (effects?.of.effect) {
    case "access-by-expression":
      return true;
    case "access-by-host":
      return isForMethods(line) || argumentValuesOf(line).some((word) => /^env=/i.test(word));
    case "access-by-rule":
      return (
        isForMethods(line) ||
        !argumentValuesOf(line)
          .slice(0, 2)
          .some((word) => clientWords.test(word))
      );
    default:
      return line.key === "allowmethods" || (effects?.of.effect === "access" && isForMethods(line));
  }
}

/** First words of Require that test the client or the login, which the second request shares. */
const clientWords = /^(?:all|forward-dns|group|host|ip|ldap-.*|local|ssl|ssl-verify-client|user|valid-user)$/i;

function isForMethods(line: Directive): boolean {
  return findSectionAround(line, ({ key }) => key === "<limit" || key === "<limitexcept") !== undefined;
}
