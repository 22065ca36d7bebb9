/** A response header that limits browsers. */
export interface ExpectedHeader {
  readonly header: string;
  /** In lower case: one of these is enough. */
  readonly names: readonly string[];
  readonly cis: string;
  readonly effect: string;
  readonly example: string;
}

export const expectedHeaders: readonly ExpectedHeader[] = [
  {
    header: "Content-Security-Policy",
    names: ["content-security-policy", "x-frame-options"],
    cis: "5.16",
    effect: "without `Content-Security-Policy` or `X-Frame-Options`, other sites can show the pages in a frame",
    example: "Content-Security-Policy \"frame-ancestors 'self'\"",
  },
  {
    header: "Referrer-Policy",
    names: ["referrer-policy"],
    cis: "5.17",
    effect: "without `Referrer-Policy`, the browser decides how much of a URL other sites see",
    example: 'Referrer-Policy "strict-origin-when-cross-origin"',
  },
  {
    header: "Permissions-Policy",
    names: ["permissions-policy"],
    cis: "5.18",
    effect: "without `Permissions-Policy`, scripts of the page can ask for the camera and the location",
    example: 'Permissions-Policy "camera=(), geolocation=()"',
  },
];
