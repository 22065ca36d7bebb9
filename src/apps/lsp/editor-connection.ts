import {
  type Connection,
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { MessageFrameFilter } from "./message-framing.js";

/** Connects to an editor over standard input and output. The process ends when the editor disconnects. */
export function connectEditor(): Connection {
  const writer = new StreamMessageWriter(process.stdout);
  const input = new MessageFrameFilter(
    (why) => process.stderr.write(`httpd-lint: ${why}\n`),
    (answer) => void writer.write(answer),
  );
  const reader = new StreamMessageReader(process.stdin.pipe(input));
  const connection = createConnection(ProposedFeatures.all, reader, writer);
  // An end without a shutdown request is an error (LSP, exit notification).
  let isShutDown = false;
  connection.onShutdown(() => {
    isShutDown = true;
  });
  input.on("end", () => process.exit(isShutDown ? 0 : 1));
  return connection;
}
