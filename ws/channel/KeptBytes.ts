/** Whose limit is reached. */
export type Keeper = "connection" | "account" | "process"

export type KeptLimits = Readonly<Record<Keeper, number>>

/** Counts what clients make this gateway keep, such as filters and messages that wait, and limits it. */
export class KeptBytes {
  readonly #limits: () => KeptLimits
  readonly #byAccount = new Map<string, number>()
  #total = 0

  constructor(limits: () => KeptLimits) {
    this.#limits = limits
  }

  get total(): number {
    return this.#total
  }

  get limits(): KeptLimits {
    return this.#limits()
  }

  /** What is kept for one connection, until it is closed. */
  open(account: string): KeptForConnection {
    return new KeptForConnection(this, account)
  }

  of(account: string): number {
    return this.#byAccount.get(account) ?? 0
  }

  add(account: string, bytes: number): void {
    this.#total += bytes
    const now = this.of(account) + bytes
    if (now === 0) this.#byAccount.delete(account)
    else this.#byAccount.set(account, now)
  }
}

export class KeptForConnection {
  readonly #all: KeptBytes
  readonly #account: string
  readonly #byName = new Map<string, number>()
  #total = 0
  #isClosed = false

  constructor(all: KeptBytes, account: string) {
    this.#all = all
    this.#account = account
  }

  get total(): number {
    return this.#total
  }

  /** The first limit that `bytes` under a name, in place of what is kept there now, would exceed. */
  exceeded(name: string, bytes: number): Keeper | undefined {
    const more = bytes - (this.#byName.get(name) ?? 0)
    if (more <= 0) return undefined
    const { connection, account, process } = this.#all.limits
    if (this.#total + more > connection) return "connection"
    if (this.#all.of(this.#account) + more > account) return "account"
    return this.#all.total + more > process ? "process" : undefined
  }

  /** Replaces what is kept under a name. A subscription may still be prepared when its connection is closed. */
  keep(name: string, bytes: number): void {
    if (this.#isClosed) return
    const more = bytes - (this.#byName.get(name) ?? 0)
    this.#total += more
    this.#all.add(this.#account, more)
    if (bytes === 0) this.#byName.delete(name)
    else this.#byName.set(name, bytes)
  }

  close(): void {
    this.#isClosed = true
    this.#all.add(this.#account, -this.#total)
    this.#total = 0
    this.#byName.clear()
  }
}
