/** The mechanisms of locks that 2.2 and 2.4 call alike; those with files need a folder for them. */
const mechanism = /^(?:fcntl|flock|file|posixsem|sysvsem|sem|pthread)$/i;

/** The mechanism where it is one with files. */
export function fileBased(how: string | undefined): string | undefined {
  return how !== undefined && /^(?:fcntl|flock|file)$/i.test(how) ? how : undefined;
}

/**
 * The Mutex line for a lock of 2.2: where that named a file, 2.4 takes its folder.
 *
 * @param how the mechanism, with a file behind a colon
 */
export function mutexLine(how: string, type: string): string | undefined {
  const [, name = "", file] = /^([^:]*)(?::(.*))?$/s.exec(how) ?? [];
  if (!mechanism.test(name)) return undefined;
  if (file === undefined || fileBased(name) === undefined) return `Mutex ${name} ${type}`;
  const folder = file.replace(/\/+[^/]*$/, "");
  const place = `${name}:${folder === file ? "." : folder || "/"}`;
  return `Mutex ${/[\t-\r ]/.test(place) ? `"${place}"` : place} ${type}`;
}
