import type { AllowingChange, NoChange } from "../../proof/allow/allow.js";
import { toReadable } from "../../text/source.js";

/**
 * Returns how to allow only the client of a denied request, with the lines to write; none if the change is not one run of lines of one
 * file, or reaches other clients.
 */
export function describeRemedy(found: AllowingChange | NoChange): readonly string[] {
  if (typeof found === "string" || found.reach !== "client") return [];
  const [file, ...others] = found.files;
  if (file === undefined || others.length > 0) return [];
  const [before, after] = [file.before.split("\n"), file.after.split("\n")];
  const isSame = (at: number) => before.at(at) === after.at(at);
  let start = 0;
  while (start < before.length && isSame(start)) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && isSame(-1 - end)) end++;
  const added = after.slice(start, after.length - end).map((line) => `\`${toReadable(line.trim())}\``);
  const removed = before.length - end - start;
  const words = added.filter((line) => line !== "``").join(", ");
  if (removed === 0) return [`to allow this client, add ${words} after line ${start}`];
  return removed === 1 && words !== "" ? [`to allow this client, use ${words} in line ${start + 1}`] : [];
}
