/** Names that the addresses of pages contain. */
export interface Names {
  readonly market: string
  readonly wallet: string
  /** A token that the wallet traded. */
  readonly token: string
  readonly game: string
  readonly webhook: string
}

export interface Shown {
  readonly name: string
  readonly path: string
}

const parts = (path: string, names: ReadonlyArray<string>): ReadonlyArray<Shown> =>
  names.map((name) => ({ name: `${path.slice(1)}-${name}`, path: `${path}/${name}` }))

/** Every page of the dashboard. */
export const dashboardPages = ({ webhook }: Pick<Names, "webhook">): ReadonlyArray<Shown> => [
  { name: "dashboard-usage", path: "/dashboard" },
  ...parts("/dashboard", ["keys", "webhooks", "copy-pool", "streams"]),
  { name: "dashboard-webhook", path: `/dashboard/webhooks/${webhook}` },
  { name: "dashboard-webhook-edit", path: `/dashboard/webhooks/${webhook}/edit` },
  { name: "dashboard-webhook-new", path: "/dashboard/webhooks/new" },
]

/** Every page of the explorer. */
export const explorerPages = ({ market, wallet, token, game }: Omit<Names, "webhook">): ReadonlyArray<Shown> => [
  { name: "explore-markets", path: "/explore" },
  ...parts("/explore", ["wallets", "leaderboards", "sports", "live"]),
  { name: "explore-market", path: `/explore/markets/${market}` },
  { name: "explore-wallet", path: `/explore/wallets/${wallet}` },
  { name: "explore-explain", path: `/explore/wallets/${wallet}/explain/${token}` },
  { name: "explore-game", path: `/explore/sports/${game}` },
]

/** Every page of the console. */
export const consolePages: ReadonlyArray<Shown> = [
  { name: "console-overview", path: "/console" },
  ...parts("/console", ["sources", "actors", "jobs", "events", "deliveries", "processes", "limits", "settings"]),
  ...parts("/console", ["accounts", "checks", "audit"]),
]

/** The documentation: one page of each kind, and every guide would look like the others. */
export const docsPages: ReadonlyArray<Shown> = [
  { name: "docs-home", path: "/docs" },
  { name: "docs-guide", path: "/docs/guides/streams" },
  { name: "docs-units", path: "/docs/guides/units" },
  { name: "docs-operation", path: "/docs/reference/tradeLists.all" },
  { name: "docs-change", path: "/docs/reference/webhooks.create" },
  { name: "docs-streams", path: "/docs/streams" },
  { name: "docs-message", path: "/docs/streams/subscribe" },
  { name: "docs-webhooks", path: "/docs/webhooks" },
  { name: "docs-delivery", path: "/docs/webhooks/large_trade" },
]
