import type { Classifier } from "../logic/classifier.js";
import { sentPath } from "../text/sent-path.js";

/** A pattern that starts with text that is sent as it is, and has nothing else that an escape might match. */
const sentAlike = /^\^(?:[\w/~-]|\\\.)*\$?$/;

/** Whether a pattern says the same of a path as it is sent and of what the server makes of it. */
export function readsSentAlike(pattern: string): boolean {
  return sentAlike.test(pattern);
}

const nothing = new Uint8Array();

/** Asks the same of a path as it is sent: with no escapes but those that it takes. */
export function asSent(of: Classifier): Classifier {
  const bytesFor = Array.from({ length: 256 }, (_, byte) => {
    return Uint8Array.from(sentPath(String.fromCharCode(byte)), (each) => of.classOf[each.charCodeAt(0)] ?? 0);
  });
  const known = new Map<string, number>();
  const steps: Uint8Array[] = [];
  const classOf = new Uint8Array(256);
  for (const [byte, classes] of bytesFor.entries()) {
    const key = classes.join();
    const number = known.get(key) ?? steps.push(classes) - 1;
    known.set(key, number);
    classOf[byte] = number;
  }
  return {
    classOf,
    classes: steps.length,
    next: (state, byteClass) => (steps[byteClass] ?? nothing).reduce((at, each) => of.next(at, each), state),
    output: (state, view) => of.output(state, view),
  };
}
