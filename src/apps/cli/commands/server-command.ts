import type { Block, BlockOptions, BlockReport } from "../../../report/blocks/block.js";
import { renderBlocksMarkdown } from "../../../report/blocks/markdown-layout.js";
import { blockOptionsOf } from "../../../report/blocks/text-layout.js";
import { renderBlocksPage } from "../../../report/html/blocks-page.js";
import { joinIntoChunks } from "../../../report/index.js";
import type { TextStyle } from "../../../report/text/text-printer.js";
import { version } from "../../package-files.js";
import {
  collectFilesRead,
  type LoadedServer,
  loadServer,
  type ModuleSupply,
  maskServerVariables,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type ChosenServer, chooseServer, type ServerChoice } from "../inputs/project-settings.js";
import { type CommandResult, type ExitCode, exitCodes } from "../output/command-result.js";
import { type OutputStyle, type OutputStyleFlags, outputStyleOf } from "../output/terminal.js";

/** The flags of a command that reports on a server. */
export interface ReportFlags extends OutputStyle {
  /** Whether text lists everything, however long. */
  readonly verbose?: boolean | undefined;
  /** Whether findings leave the exit code at 0. */
  readonly exitZero: boolean;
  /** How often `-q` was given. */
  readonly quiet?: number | undefined;
}

/** The report of a command on the servers that it has read. */
export interface ServerReport {
  readonly pieces: Iterable<string>;
  /** Notes besides those on reading. */
  readonly notes?: readonly string[];
  /** Read after all pieces are written, since it may depend on them. */
  readonly exitCode: ExitCode;
}

/** Runs a command on the server that flags and configuration file select. */
export function withServer<F extends ServerChoice & OutputStyleFlags>(
  flags: F,
  run: (flags: F & OutputStyle & ChosenServer) => CommandResult,
): CommandResult {
  const server = chooseServer(flags);
  return server.ok ? run({ ...flags, ...outputStyleOf(flags), ...server.value }) : server.error;
}

/**
 * Loads a server, or the same in several ways, and reports on it. Secrets are masked in the report, and the output does
 * not overwrite a file that was read.
 *
 * @param report is called with a server for each reading, in the same order
 * @param supply see `loadServer`
 */
export function runServerCommand(
  { exitZero }: ReportFlags,
  [first, ...others]: readonly [ServerFlags, ...ServerFlags[]],
  report: (servers: readonly [LoadedServer, ...LoadedServer[]]) => ServerReport,
  supply: ModuleSupply = "none",
): CommandResult {
  const loaded = loadServer(first, supply);
  if (!loaded.ok) return loaded.error;
  const servers: [LoadedServer, ...LoadedServer[]] = [loaded.value];
  for (const reading of others) {
    const other = loadServer(reading, supply);
    if (!other.ok) return other.error;
    servers.push(other.value);
  }
  const reported = report(servers);
  return {
    output: joinIntoChunks(maskServerVariables(reported.pieces, servers)),
    read: collectFilesRead(...servers),
    notes: [...collectNotes(servers), ...(reported.notes ?? [])],
    get exitCode() {
      const { exitCode } = reported;
      return exitZero && exitCode === exitCodes.findings ? exitCodes.clean : exitCode;
    },
  };
}

/** Returns the notes on reading; those on several readings each once. */
function collectNotes(servers: readonly LoadedServer[]): readonly string[] {
  const notes = servers.flatMap((server) => server.notes);
  return servers.length === 1 ? notes : [...new Set(notes)];
}

/** Returns the renderers of a report as a document, for the formats that are the same for all such reports. */
export function documentRenderers(
  head: Omit<BlockReport, "blocks">,
  list: (options: BlockOptions) => Iterable<Block>,
  style: TextStyle,
) {
  const options = blockOptionsOf(style);
  const report = (): BlockReport => ({ ...head, blocks: list(options) });
  return {
    html: () => renderBlocksPage(report(), options.places, version),
    markdown: () => renderBlocksMarkdown(report(), options.places),
  };
}

/** Returns the style of text for the flags. */
export function textStyleOf({
  colour,
  width,
  verbose = false,
}: OutputStyle & Pick<ReportFlags, "verbose">): TextStyle & { readonly base: string } {
  return { base: process.cwd(), colour, isVerbose: verbose, ...(width === undefined ? {} : { width }) };
}
