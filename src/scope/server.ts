import type { Directive } from "../project/directive.js";
import type { Layer } from "./layer.js";

/** The main server or a virtual host. */
export interface Server {
  /** Undefined for the main server. */
  readonly section: Directive | undefined;
  readonly layer: Layer;
  /** The server that it takes from what it does not say itself; undefined for the main one. */
  readonly main: Server | undefined;
  /** What is in force for it itself: the main server's layer, then its own. */
  readonly layers: readonly Layer[];
}
