import { categories, type Engine } from "./engines.ts"
import { sites } from "./sites.ts"

const languages = [...new Set(sites.map(({ language }) => language))].toSorted()

/** What the instance says about itself. */
export const configJson = (engines: ReadonlyArray<Engine>) => ({
  categories,
  engines: engines.map(({ name, category, shortcut, enabled, paging, safesearch, timeRange }) => ({
    name,
    categories: [category],
    shortcut,
    enabled,
    paging,
    language_support: true,
    languages,
    regions: [],
    safesearch,
    time_range_support: timeRange,
    timeout: 3,
  })),
  plugins: [],
  instance_name: "SearXNG",
  locales: { en: "English" },
  default_locale: "",
  autocomplete: "",
  safe_search: 0,
  default_theme: "simple",
  version: "2026.8.22",
  brand: { PRIVACYPOLICY_URL: null, CONTACT_URL: null, GIT_URL: "", GIT_BRANCH: "", DOCS_URL: "" },
  limiter: {
    enabled: false,
    "botdetection.ip_limit.link_token": false,
    "botdetection.ip_lists.pass_searxng_org": false,
  },
  doi_resolvers: [],
  default_doi_resolver: "",
  public_instance: false,
})
