import { type ConfigLayer, keywordArgumentOf } from "../../../server/model/config-layer.js";
import { davLineOf } from "../../../server/phases/dav.js";
import { answersWithOnePage } from "../../../server/phases/handler-lookup.js";
import { spellingSettingsOf } from "../../../server/phases/spelling.js";
import type { MergeContext } from "./contexts.js";

/**
 * The Location sections whose handler answers every request with the same page, by their path. A client that is allowed
 * there does not learn more from a GET request to a path below.
 */
export type VirtualPages = ReadonlyMap<ConfigLayer, string>;

/** Returns the virtual pages whose own section decides access to them, and is the last one to set a handler. */
export function findVirtualPages(contexts: readonly MergeContext[]): VirtualPages {
  const pages = new Map<ConfigLayer, string>();
  for (const context of contexts) {
    const layer = context.layers.at(-1);
    const path = layer?.section?.arguments[0]?.value;
    if (layer && path !== undefined && isPageOf(layer, context) && context.paths.has(path)) pages.set(layer, path);
  }
  return new Map(
    [...pages].filter(([layer]) =>
      contexts.every((context) => !context.layers.includes(layer) || isPageOf(layer, context)),
    ),
  );
}

/** Reports whether a section sets both the page and, as the last one, the access rules of requests. */
function isPageOf(layer: ConfigLayer, { layers, state, isHandlerForced }: MergeContext): boolean {
  const { config, project } = state;
  const handler = config.setting("sethandler");
  if (layers.at(-1) !== layer || handler === undefined || layer.setting("sethandler") !== handler) return false;
  return (
    !isHandlerForced &&
    davLineOf(state) === undefined &&
    // mod_speling redirects a path without a file to the names that exist, before the handler is called.
    spellingSettingsOf(state) === undefined &&
    isPlainLocation(layer) &&
    answersWithOnePage(keywordArgumentOf(handler) ?? "", project)
  );
}

/** Reports whether a section is a Location with a plain path, without wildcards. */
function isPlainLocation({ section }: ConfigLayer): boolean {
  const [path, ...others] = section?.arguments ?? [];
  return section?.key === "<location" && others.length === 0 && /^\/[^*?[\]]*[^/*?[\]]$/.test(path?.value ?? "");
}
