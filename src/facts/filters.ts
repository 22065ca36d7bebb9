/**
 * The filters that people name in a configuration, in upper case, with the identifier of the module that has them. httpd
 * ignores the case (calls of `ap_register_output_filter` in modules of 2.4).
 */
export const filterModules: ReadonlyMap<string, string> = new Map([
  ["BROTLI_COMPRESS", "brotli_module"],
  ["BUFFER", "buffer_module"],
  ["CACHE", "cache_module"],
  ["CACHE_SAVE", "cache_module"],
  ["DATA", "data_module"],
  ["DEFLATE", "deflate_module"],
  ["INCLUDES", "include_module"],
  ["INFLATE", "deflate_module"],
  ["MOD_EXPIRES", "expires_module"],
  ["PROXY-HTML", "proxy_html_module"],
  ["RATE_LIMIT", "ratelimit_module"],
  ["SED", "sed_module"],
  ["SUBSTITUTE", "substitute_module"],
  ["XLATEOUT", "charset_lite_module"],
  ["XML2ENC", "xml2enc_module"],
]);

/** The filters that httpd and its modules add to requests themselves, in upper case. A configuration can name them as well. */
export const internalFilters: ReadonlySet<string> = new Set([
  ...["BUCKETEER", "BYTERANGE", "CACHE_INVALIDATE", "CACHE_OUT", "CACHE_OUT_SUBREQ", "CACHE_REMOVE_URL"],
  ...["CACHE_SAVE_SUBREQ", "CASEFILTER", "CHUNK", "CONTENT_LENGTH", "CORE", "DUMPIO_OUT", "FIXUP_HEADERS_ERR"],
  ...["FIXUP_HEADERS_OUT", "HTTP_HEADER", "HTTP_OUTERROR", "LOGIO_TTFB_OUT", "MOD_SESSION_OUT", "OLD_WRITE"],
  ...["PROXY_SEND_DIR", "REQTIMEOUT", "SUBREQ_CORE"],
]);
