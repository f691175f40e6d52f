import type { Finding } from "../Finding.ts"

/** What will work with these upstreams, and what keeps it from working. */
export interface Judgement {
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
  { what: "the platform's prices", needs: [], anyOf: ["prices (PolyBolt)", "prices (RTDS)"] },
  { what: "web search", needs: ["web search"] },
  { what: "social search", needs: ["social search (X)"] },
]

const severity = { ok: 0, warn: 1, fail: 2 } as const

/** A check without the host that it names. */
const kindOf = ({ check }: Finding) =>
  check.replace(/^node \S+ (\S+)$/, "node $1").replace(/^web search .*/, "web search")

const findingText = ({ detail, advice }: Finding) => (advice === undefined ? detail : `${detail}: ${advice}`)

/** The best of the checks of a kind: of several nodes one that works is enough. */
const bestOf = (findings: ReadonlyArray<Finding>, kind: string): Finding | undefined =>
  findings
    .filter((finding) => kindOf(finding) === kind)
    .reduce<Finding | undefined>(
      (best, each) => (best === undefined || severity[each.state] < severity[best.state] ? each : best),
      undefined,
    )

/** What a check is left out for: a socket is not asked for more if it does not open, and a node if it does not answer. */
const insteadOf = (kind: string) =>
  kind === "node pending" ? "node socket" : kind.replace(/^node .*/, "node reachable")

const judge = (findings: ReadonlyArray<Finding>, { what, needs, wants = [], anyOf = [] }: Feature): Judgement => {
  const find = (kind: string) => bestOf(findings, kind) ?? bestOf(findings, insteadOf(kind))
  const failing = (kinds: ReadonlyArray<string>) => kinds.filter((kind) => find(kind)?.state !== "ok")
  const because = (kinds: ReadonlyArray<string>) => {
    const found = kinds.flatMap((kind) => find(kind) ?? []).at(-1)
    return found === undefined ? "not configured" : findingText(found)
  }
  const alternatives = failing(anyOf)
  const missing = anyOf.length > 0 && alternatives.length === anyOf.length ? alternatives : failing(needs).slice(0, 1)
  if (missing.length > 0) return { what, works: "no", because: because(missing) }
  const less = failing(wants).slice(0, 1)
  return less.length === 0 ? { what, works: "yes" } : { what, works: "partly", because: because(less) }
}

/** What will work, in words. */
export const whatWorks = (findings: ReadonlyArray<Finding>): ReadonlyArray<Judgement> =>
  features.map((feature) => judge(findings, feature))
