import { json, type Service, type WireRequest, type WireResponse } from "../wire.ts"

/** A browser says where a request comes from: `none` is the address bar. */
const ownSites = new Set([undefined, "none", "same-origin"])

const isForeignPage = ({ headers }: WireRequest): boolean =>
  !ownSites.has(headers["sec-fetch-site"]) ||
  (headers.origin !== undefined && headers.origin.replace(/^https?:\/\//, "") !== headers.host)

const refusal = (request: WireRequest, isKnownHost: (host: string) => boolean): WireResponse | undefined => {
  const { host } = request.headers
  if (host !== undefined && !isKnownHost(host)) {
    return json(
      {
        error: `the controls do not answer under the name ${host.slice(0, 100)}: use localhost or an address, or add the name to HTTP_ALLOWED_HOSTS`,
      },
      421,
    )
  }
  return isForeignPage(request)
    ? json({ error: "web pages of another origin may not use the controls: send the request from a program" }, 403)
    : undefined
}

/**
 * Keeps web pages from controlling the venue of a visitor who runs it. Programs send neither Origin nor Sec-Fetch-Site, and
 * need nothing else.
 */
export const guarded =
  (service: Service, isKnownHost: (host: string) => boolean): Service =>
  (request, blocksBehind) =>
    refusal(request, isKnownHost) ?? service(request, blocksBehind)
