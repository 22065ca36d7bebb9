import type { Request } from "../scope/request.js";

/** The same request, which notes whether anybody looks at its client. */
export function watchedRequest(request: Request, looks: { atClient: boolean }): Request {
  const { clientIp, ...rest } = request;
  const noting = (value: string | undefined) => ({
    enumerable: true,
    get() {
      looks.atClient = true;
      return value;
    },
  });
  return Object.defineProperties(
    { clientIp, ...rest },
    { clientIp: noting(clientIp), clientHost: noting(undefined), user: noting(undefined) },
  );
}
