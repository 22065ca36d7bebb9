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

/**
 * The filters that httpd and its modules add to requests themselves, in upper case, with the identifier of the module; that
 * is `core_module` for those of the program. A configuration can name them as well.
 */
export const internalFilters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bucketeer_module: ["BUCKETEER"],
    cache_module: ["CACHE_INVALIDATE", "CACHE_OUT", "CACHE_OUT_SUBREQ", "CACHE_REMOVE_URL", "CACHE_SAVE_SUBREQ"],
    case_filter_module: ["CASEFILTER"],
    core_module: ["CONTENT_LENGTH", "CORE", "OLD_WRITE", "SUBREQ_CORE"],
    dumpio_module: ["DUMPIO_OUT"],
    headers_module: ["FIXUP_HEADERS_ERR", "FIXUP_HEADERS_OUT"],
    http_module: ["BYTERANGE", "CHUNK", "HTTP_HEADER", "HTTP_OUTERROR"],
    logio_module: ["LOGIO_TTFB_OUT"],
    proxy_ftp_module: ["PROXY_SEND_DIR"],
    reqtimeout_module: ["REQTIMEOUT"],
    session_module: ["MOD_SESSION_OUT"],
  }).flatMap(([module, names]) => names.map((name): [string, string] => [name, module])),
);
