import { toReadable } from "../text/source.js";
import { aDirectory, type FileFailure } from "./files.js";
import { type Again, type Below, type ClosedDirectory, MOST_DIRECTORIES } from "./htaccess.js";
import { parentOf } from "./paths.js";
import { type Fault, type Problem, quoted } from "./problems.js";

/** A fault with what it leaves unknown of `.htaccess` files. */
export interface UnreadFault extends Fault, Required<Pick<Problem, "directory">>, Pick<Problem, "andBelow"> {}

/** What is wrong where a `.htaccess` file cannot be read. */
export function closedFile(path: string, failure: FileFailure): UnreadFault {
  const wrong = `${quoted(path)} cannot be read: ${failure.failed}`;
  const directory = toReadable(parentOf(path));
  const so = "what it says of access is not known";
  if (failure.system === undefined) return { wrong, so, remedy: OPEN, directory };
  const remedy = "put a regular file in its place, or take it away";
  const refused = "where the server looks for it, it answers 403 to all that lies there";
  return { wrong, so: failure === aDirectory ? refused : so, remedy, directory };
}

/** What is wrong where a directory cannot be looked at in which such files may lie. */
export function closedDirectory({ path, failure }: ClosedDirectory): UnreadFault {
  const wrong = `the directory ${quoted(path)} cannot be listed: ${failure.failed}`;
  const so = "what `.htaccess` files there say of access is not known";
  return { wrong, so, remedy: OPEN, directory: toReadable(path), andBelow: [] };
}

const OPEN = "let httpd-lint read it, such as by running it as root";

/** That a folder was not looked through, in words. */
export function unfinishedFault({ path: root, by }: Below): UnreadFault {
  const most = MOST_DIRECTORIES.toLocaleString("en");
  return {
    wrong: `with what lies below ${quoted(root)} there are more than ${most} directories, and httpd-lint looks for \`.htaccess\` files in no more`,
    so: "such files in the others are not checked, and answers for them are not sure",
    remedy: `let ${quoted(by.name)} name a smaller folder, or keep httpd-lint to one with \`--confine\``,
    directory: toReadable(root),
    andBelow: [],
  };
}

/** That a folder is not looked through, in which a line may lead anywhere. */
export function passedFault({ path, by }: Below, searched: readonly string[]): UnreadFault {
  return {
    wrong: `\`${by.name}\` may lead anywhere in ${quoted(path)}, which is not searched for \`.htaccess\` files`,
    so: "what they say of access is not known",
    remedy: "name the folder in an Alias of its own to have it searched",
    directory: toReadable(path),
    andBelow: [path, ...searched.filter((each) => each.startsWith(path === "/" ? path : `${path}/`))].map(toReadable),
  };
}

/** That a directory was looked in by another name. */
export function againFault({ path, first }: Again): UnreadFault {
  return {
    wrong: `${quoted(path)} is the directory ${quoted(first)}, and its \`.htaccess\` files are looked at by that name`,
    so: "what they say of it by the other name is not looked at",
    remedy: "ask for it by that name",
    directory: toReadable(path),
    andBelow: [],
  };
}
