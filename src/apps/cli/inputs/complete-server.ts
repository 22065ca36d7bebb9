import { describeSupplied, findServerFailure } from "../../server-failure.js";
import { type LoadedServer, loadServer, type ServerFlags } from "./load-server.js";

/** Reads a server again as if it had the modules without which it answers no request. */
export type ServerCompletion = (server: LoadedServer, flags: ServerFlags) => LoadedServer;

/**
 * Completes a server that does not start or fails every request: a view of its errors would look as if nobody had access.
 * `startup` then has the reasons, and `assumptions` the modules.
 */
export const completeServer: ServerCompletion = (server, flags) => {
  const failure = findServerFailure(server.project, server.startup);
  if (failure === undefined) return server;
  const { findings: startup, modules } = failure;
  const moreModules = [...(flags.moreModules ?? []), ...modules];
  const loaded = modules.length === 0 ? server : loadServer({ ...flags, moreModules });
  if ("failed" in loaded || modules.length === 0) return { ...server, startup };
  return { ...loaded, startup, assumptions: [...server.assumptions, describeSupplied(modules)] };
};

/** Completes a server that does not start. One that fails every request answers, with an error. */
export const completeUnstarted: ServerCompletion = (server, flags) =>
  server.startup.length === 0 ? server : completeServer(server, flags);
