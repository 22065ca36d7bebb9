import { compileFnmatch } from "../project/fnmatch.js";

/** A pattern over names as the server compares them: a leading period is nothing special. */
export function anyName(pattern: string): (name: string) => boolean {
  const fits = compileFnmatch(pattern.startsWith(".") ? pattern : `.${pattern}`);
  return (name) => fits(pattern.startsWith(".") ? name : `.${name}`);
}

/** A pattern over a whole path, in which nothing but a slash matches a slash; one that is escaped is one, too. */
export function pathWildcard(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/\\(.)/gs, (escaped, byte: string) => (byte === "/" ? byte : escaped));
  const parts = plain.split("/").map(anyName);
  return (path) => {
    const names = path.split("/");
    return names.length === parts.length && parts.every((fits, index) => fits(names[index] ?? ""));
  };
}
