import type { Finding } from "../Finding.ts"

/** What will work with these upstreams, and what keeps it from working. */
export interface Work {
  readonly what: string
  readonly works: "yes" | "partly" | "no"
  readonly because?: string
}

interface Feature {
  readonly what: string
  /** Checks that it needs; of several nodes one must pass. */
  readonly needs: ReadonlyArray<string>
  /** Checks without which it works less well. */
  readonly wants?: ReadonlyArray<string>
  /** One of these is enough. */
  readonly anyOf?: ReadonlyArray<string>
}

const features: ReadonlyArray<Feature> = [
  {
    what: "trades, positions, streams and webhooks, live",
    needs: ["node chain"],
    wants: ["node head", "node socket", "node balances"],
  },
  { what: "matches before their block", needs: ["node chain", "node pending"] },
  { what: "history behind the head", needs: ["node chain"], wants: ["node history", "node range"] },
  { what: "titles, lists of markets and games", needs: ["catalogue"] },
  { what: "order books", needs: ["order books", "order books live"] },
  { what: "live scores", needs: ["scores"] },
  { what: "oracle prices with bid and ask", needs: ["prices (Data Streams)"] },
  { what: "the platform's prices", needs: [], anyOf: ["prices (RTDS)", "prices (PolyBolt)"] },
  { what: "web search", needs: ["web search"] },
  { what: "social search", needs: ["social search (X)"] },
]

const severity = { ok: 0, warn: 1, fail: 2 } as const

/** A check without the host that it names. */
const kindOf = ({ check }: Finding) => check.replace(/^(node|web search) \S*[.:]\S*( |$)/, "$1 ").trim()

const textOf = ({ detail, advice }: Finding) => (advice === undefined ? detail : `${detail}: ${advice}`)

/** The best of the checks of a kind: of several nodes one that works is enough. */
const bestOf = (findings: ReadonlyArray<Finding>, kind: string): Finding | undefined =>
  findings
    .filter((finding) => kindOf(finding) === kind)
    .reduce<Finding | undefined>(
      (best, each) => (best === undefined || severity[each.state] < severity[best.state] ? each : best),
      undefined,
    )

const judge = (findings: ReadonlyArray<Finding>, { what, needs, wants = [], anyOf }: Feature): Work => {
  const find = (kind: string) => bestOf(findings, kind) ?? bestOf(findings, kind.replace(/^node .*/, "node reachable"))
  const bad = (kind: string): ReadonlyArray<Finding | undefined> => {
    const found = find(kind)
    return found?.state === "ok" ? [] : [found]
  }
  const missing =
    anyOf === undefined ? needs.flatMap(bad) : anyOf.every((kind) => bad(kind).length > 0) ? bad(anyOf[0] ?? "") : []
  const [first] = missing
  if (missing.length > 0) return { what, works: "no", because: first === undefined ? "not configured" : textOf(first) }
  const [less] = wants.flatMap(bad)
  return less === undefined ? { what, works: "yes" } : { what, works: "partly", because: textOf(less) }
}

/** What will work, in words. */
export const whatWorks = (findings: ReadonlyArray<Finding>): ReadonlyArray<Work> =>
  features.map((feature) => judge(findings, feature))
