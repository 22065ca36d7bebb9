import { indexDirectives } from "../../config/queries/directive-index.js";
import { parseAddress } from "../../text/addresses.js";
import { toReadable } from "../../text/source.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { findNearbyPool } from "../phases/fpm-pools.js";
import { backendOf, handlerBackendOf } from "../phases/handler.js";
import { blockableHostOf, blockNames } from "../phases/proxy-block.js";
import type { ExplainedRun } from "./causes.js";
import { formatWholeLine, nameServer, quoteLine, quoteWritten } from "./step.js";
import { escapeRegex } from "./written-lines.js";

/**
 * A backend with TLS for which SSLProxyEngine is off, although a line sets it (mod_ssl.c `ssl_hook_ssl_bind_outgoing`). If no line
 * does, a check reports that on the line with the backend.
 */
export function backendWithoutTls({ outcome, project }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, log } = outcome;
  const { state, server } = served ?? {};
  if (log.at(-1) !== "AH01961" || state === undefined || server === undefined) return [];
  const line = state.config.setting("sslproxyengine");
  if (line)
    return [{ text: `${quoteLine(line)} turns off TLS to the backend`, line, help: [`use \`${line.name} On\``] }];
  const other = indexDirectives(project)
    .named("sslproxyengine")
    .find(({ parent }) => parent?.key.startsWith("<proxy") === true);
  if (other?.parent === undefined) return [];
  const text = `${quoteLine(other)} applies to ${quoteLine(other.parent)} only`;
  return [
    {
      text,
      line: other,
      help: [`add ${quoteWritten("SSLProxyEngine On")} to ${nameServer(server.section)}`],
      stays: true,
    },
  ];
}

/** A socket of PHP-FPM that may be a wrong one: pools have others in its folder. */
export function explainOtherPools({ outcome, files }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status } = outcome;
  const backend = served && (backendOf(served) ?? handlerBackendOf(served));
  if (status !== 200 || served === undefined || backend === undefined) return [];
  const { by } = backend;
  // The name of a handler is in small letters, so the line is read.
  const written = argumentValuesOf(by).find((word) => word.toLowerCase().includes("fcgi://")) ?? "";
  const [, socket] = /^(?:proxy:)?unix:([^|]*)\|fcgi:\/\//i.exec(written) ?? [];
  const { walked, path } = served;
  const pool =
    socket === undefined ? undefined : findNearbyPool(socket, walked?.kind === "file" ? walked.filename : path, files);
  if (socket === undefined || pool === undefined) return [];
  const text = `\`${toReadable(pool.file)}\` has \`listen = ${toReadable(pool.listen)}\`; if no other pool listens at \`${toReadable(socket)}\`, httpd responds 503`;
  const corrected = formatWholeLine(
    by,
    by.argumentText.replace(socket, () => pool.listen),
  );
  return [{ text, line: by, help: [`for this pool, use ${quoteWritten(corrected)}`] }];
}

/** A host that ProxyBlock blocks because a word is in its name, or does not block because of the case of letters. */
export function explainProxyBlock({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, log, status } = outcome;
  const backend = served && backendOf(served);
  const host = backend && blockableHostOf(backend.target);
  if (served === undefined || host === undefined) return [];
  const isBlocked = log.includes("AH00916");
  if (!isBlocked && status !== 200) return [];
  const found = served.server.layers
    .flatMap((layer) => layer.pick(blockNames))
    .flatMap((line) => argumentValuesOf(line).map((word) => ({ line, word })))
    .find(({ word }) => (isBlocked ? word.startsWith("*") || host.includes(word) : host.includes(word.toLowerCase())));
  if (found === undefined) return [];
  const { line, word } = found;
  const [name, shown] = [`\`${toReadable(word)}\``, `\`${toReadable(host)}\``];
  if (!isBlocked) {
    const written = formatWholeLine(
      line,
      line.argumentText.replace(word, () => word.toLowerCase()),
    );
    const text = `${name} does not block ${shown}: the case of letters counts, and httpd makes those of the host small`;
    return [{ text, line, help: [`use ${quoteWritten(written)}`] }];
  }
  if (word.startsWith("*"))
    return [{ text: `${name} begins with \`*\`, which blocks all hosts`, line, help: ["write the hosts to block"] }];
  const isNamed = host === word || host.endsWith(`.${word.replace(/^\./, "")}`);
  const section = `<ProxyMatch "^[^:]+://([^/]*@)?${escapeRegex(toReadable(word))}(:|/|$)">`;
  const help = isNamed
    ? `delete ${name} from this line to allow the host`
    : parseAddress(word) === undefined
      ? `use a longer word in place of ${name}, such as the whole name of the host to block`
      : `delete ${name}, and deny this host with ${quoteWritten(section)} and ${quoteWritten("Require all denied")}`;
  const text = isNamed ? `${name} blocks ${shown}` : `${name} is a part of ${shown}: httpd compares no whole names`;
  return [{ text, line, help: [help] }];
}
