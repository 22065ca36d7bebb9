import { existsSync } from "node:fs";
import type { Outcome } from "./outcome.js";
import { type MeantServer, type ServerChoice, serverMeant } from "./settings.js";

/** Runs a command on the server that flags and settings mean. */
export function onServer(choice: ServerChoice, run: (server: MeantServer) => Outcome): Outcome {
  const server = serverMeant(choice);
  return "failed" in server ? server.failed : run(server);
}

/** The entry that is meant, if any, where a command can do without. */
export function entryMeant(choice: ServerChoice): string | undefined {
  const server = choice.entry === undefined ? serverMeant(choice) : { entry: choice.entry };
  return "failed" in server ? undefined : server.entry;
}

/** What `explain` is given: of one word alone, it is the URL where the settings name the server. */
export function explainWords<T extends ServerChoice & { readonly url?: string | undefined }>(
  flags: T,
  log: unknown,
): T {
  const { entry, url } = flags;
  if (entry === undefined || url !== undefined || log !== undefined) return flags;
  const asked = { ...flags, entry: undefined, url: entry };
  return "failed" in serverMeant(asked) && existsSync(entry) ? flags : asked;
}

/** What `test` is given: one word alone that ends in `.json` is the file of expectations, which no configuration does. */
export function testWords<T extends ServerChoice & { readonly file?: string | undefined }>(flags: T): T {
  const { entry, file } = flags;
  if (entry === undefined || file !== undefined || !entry.endsWith(".json")) return flags;
  return { ...flags, entry: undefined, file: entry };
}
