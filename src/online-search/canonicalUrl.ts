/** Parameters that say where a visitor came from, not what the page is. */
const tracking =
  /^(utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|twclid|yclid|igshid|mc_[ce]id|_ga|_gl|ref_src|ref_url|cmpid|ocid)$/i

const maxLength = 2_000

/** Some applications keep the path in the fragment. */
const isRoute = (hash: string) => /^#[!/]/.test(hash)

export interface CanonicalUrl {
  /** The address without credentials, tracking and marks within the page. */
  readonly url: string
  readonly domain: string
  /** The same for addresses of one page. */
  readonly key: string
}

/** Undefined unless it is an address of the web. */
export const canonicalUrl = (text: string): CanonicalUrl | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") return undefined
  url.username = ""
  url.password = ""
  if (!isRoute(url.hash)) url.hash = ""
  const parameters = [...url.searchParams].filter(([name]) => !tracking.test(name))
  if (parameters.length < url.searchParams.size) url.search = String(new URLSearchParams(parameters))
  if (url.href.length > maxLength) return undefined
  const host = url.host.replace(/^www\./, "").replace(/\.$/, "")
  const sorted = parameters.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
  const query = sorted.length === 0 ? "" : `?${new URLSearchParams(sorted)}`
  return {
    url: url.href,
    domain: url.host,
    key: `${host}${url.pathname.replace(/\/+$/, "")}${query}${url.hash}`,
  }
}
