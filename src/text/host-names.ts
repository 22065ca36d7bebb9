/** What follows the last dot of names that are rarely those of files, and other endings if a path follows. */
const commonEnding = /\.(?:com|org|net|edu|gov|info|biz|(?:ac|com?|gov|net|org)\.[a-z]{2})$/i;
const countryEnding = /\.[a-z]{2}$/i;

/**
 * Returns the name of a host at the start of a text that has no scheme, such as `www.example.org` of
 * `www.example.org/page`; undefined if it may be the name of a file or directory, such as `feed.rss`.
 */
export function findHostName(text: string): string | undefined {
  const name = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?=:\d|[/?#]|$)/i.exec(text)?.[0];
  if (name === undefined) return undefined;
  const next = text[name.length];
  const isHost =
    /^www\./i.test(name) || next === ":" || commonEnding.test(name) || (next === "/" && countryEnding.test(name));
  return isHost ? name : undefined;
}
