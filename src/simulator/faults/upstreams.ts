export type Channel = "http" | "socket"

/** What can fail, and over which channels it is spoken to. */
export const upstreams = {
  gamma: ["http"],
  clob: ["http", "socket"],
  data: ["http"],
  site: ["http"],
  rpc: ["http", "socket"],
  rtds: ["socket"],
  datastreams: ["http", "socket"],
  sports: ["socket"],
  searxng: ["http"],
  x: ["http"],
} as const satisfies Readonly<Record<string, ReadonlyArray<Channel>>>

export type Upstream = keyof typeof upstreams

export const upstreamNames = Object.keys(upstreams) as ReadonlyArray<Upstream>

export const speaks = (upstream: Upstream, channel: Channel): boolean =>
  upstreams[upstream].some((each) => each === channel)

/** The upstream that answers under a prefix; none for the simulator's own control and page. */
export const upstreamOf = (prefix: string): Upstream | undefined => {
  const name = prefix.split("/")[1]
  // The second address of the data streams, for clients that drop what stands before it.
  return name === "api" ? "datastreams" : upstreamNames.find((each) => each === name)
}
