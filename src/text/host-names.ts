/** Names of files that also look like a domain: their last part is an extension. */
const fileExtensions =
  /\.(?:aspx?|cgi|css|fcgi|gif|html?|ico|inc|jpe?g|json?|jsp|m?js|map|pdf|ph(?:p\d?|tml)|pl|png|py|rb|s?html|sh|svg|te?xt|tpl|webp|woff2?|xhtml|xml|zip)$/i;

/**
 * Returns the name of a host at the start of a text that has no scheme, such as `www.example.org` of
 * `www.example.org/page`; undefined if it looks like the name of a file or directory.
 */
export function findHostName(text: string): string | undefined {
  const name = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?=:\d|[/?#]|$)/i.exec(text)?.[0];
  return name === undefined || (!/^www\./i.test(name) && fileExtensions.test(name)) ? undefined : name;
}
