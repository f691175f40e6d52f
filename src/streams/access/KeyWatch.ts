import { Context, Effect, Layer, Redacted, Schedule, Stream } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { everyAccount } from "#src/keys/verdicts.ts"

/** What became of the key of an open connection. */
export type KeyChange =
  /** Revoked, or its account is not active. */
  | { readonly _tag: "Gone" }
  /** Its plan or what was agreed is another now. */
  | { readonly _tag: "Changed"; readonly caller: Caller }

type Tell = (change: KeyChange) => void

interface Watched {
  readonly key: Redacted.Redacted<string>
  caller: Caller
  readonly listeners: Set<Tell>
}

/** Word of a change can be lost with Redis. */
const checkEvery = "1 minute"
/** A read that began before the change may answer after it: whoever shared it is asked about once more. */
const secondLook = "5 seconds"
const atATime = 8

const isSame = (a: Caller, b: Caller) =>
  a.account === b.account &&
  a.key === b.key &&
  a.plan === b.plan &&
  a.standardPerMinute === b.standardPerMinute &&
  a.heavyPerMinute === b.heavyPerMinute

/** Looks after the keys of open connections: they were good when the connection was made. */
export class KeyWatch extends Context.Service<
  KeyWatch,
  {
    /** Tells when something changes, until the function that it gives back is called. */
    readonly watch: (key: Redacted.Redacted<string>, caller: Caller, tell: Tell) => () => void
    /** Looks at all keys now; happens by itself every minute. A key that cannot be checked is left as it is. */
    readonly check: Effect.Effect<void>
  }
>()("presage/streams/access/KeyWatch") {
  static readonly layer = Layer.effect(
    KeyWatch,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const scope = yield* Effect.scope
  const byKey = new Map<string, Watched>()

  const tellAll = ({ listeners }: Watched, change: KeyChange) => {
    for (const tell of [...listeners]) tell(change)
  }

  const look = (watched: Watched) =>
    Effect.matchEager(authenticator.identify(watched.key), {
      onFailure: () => undefined,
      onSuccess: (verdict) => {
        if (verdict._tag !== "Known") return tellAll(watched, { _tag: "Gone" })
        if (isSame(verdict.caller, watched.caller)) return
        watched.caller = verdict.caller
        tellAll(watched, { _tag: "Changed", caller: verdict.caller })
      },
    })

  const lookAtAll = (isConcerned: (watched: Watched) => boolean) =>
    Effect.suspend(() =>
      Effect.forEach([...byKey.values()].filter(isConcerned), look, { concurrency: atATime, discard: true }),
    )

  const check = lookAtAll(() => true)
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(check, checkEvery), Schedule.forever))

  yield* authenticator.changes.pipe(
    Stream.runForEach((account) => {
      const concerned = lookAtAll(({ caller }) => account === everyAccount || caller.account === account)
      return Effect.andThen(concerned, Effect.forkIn(Effect.delay(concerned, secondLook), scope))
    }),
    Effect.forkScoped,
  )

  return KeyWatch.of({
    check,
    watch: (key, caller, tell) => {
      const text = Redacted.value(key)
      const watched = byKey.get(text) ?? { key, caller, listeners: new Set() }
      byKey.set(text, watched)
      // Of its own, so that the same function can be given for two connections.
      const listener: Tell = (change) => tell(change)
      watched.listeners.add(listener)
      // It may be older than what is known by now.
      if (!isSame(caller, watched.caller)) listener({ _tag: "Changed", caller: watched.caller })
      return () => {
        watched.listeners.delete(listener)
        if (watched.listeners.size === 0 && byKey.get(text) === watched) byKey.delete(text)
      }
    },
  })
})
