import { Context, Effect, Layer, Redacted, Schedule, Stream } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import { everyAccount } from "#src/keys/AuthCache.ts"
import { Authenticator } from "#src/keys/Authenticator.ts"

/** A change to the key of an open connection. */
export type KeyChange =
  /** The key was revoked or its account deactivated. */
  | { readonly _tag: "Gone" }
  /** The plan or the agreed limits changed. */
  | { readonly _tag: "Changed"; readonly caller: Caller }

type OnChange = (change: KeyChange) => void

interface Watched {
  readonly key: Redacted.Redacted<string>
  caller: Caller
  readonly listeners: Set<OnChange>
}

/** Change notifications can get lost with Redis. */
const checkEvery = "1 minute"
/** A lookup that began before the change may still answer with the old state, so the key is checked once more. */
const recheckAfter = "5 seconds"
const concurrency = 8

const isSame = (a: Caller, b: Caller) =>
  a.account === b.account &&
  a.key === b.key &&
  a.plan === b.plan &&
  a.standardPerMinute === b.standardPerMinute &&
  a.heavyPerMinute === b.heavyPerMinute

/** Watches the keys of open connections, which were only valid when the connection was opened. */
export class KeyWatch extends Context.Service<
  KeyWatch,
  {
    /** Calls `onChange` until the returned function is called. */
    readonly watch: (key: Redacted.Redacted<string>, caller: Caller, onChange: OnChange) => () => void
    /** Checks all keys now; also runs every minute. A key that cannot be checked keeps its state. */
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

  const notify = ({ listeners }: Watched, change: KeyChange) => {
    for (const onChange of [...listeners]) onChange(change)
  }

  const checkKey = (watched: Watched) =>
    Effect.matchEager(authenticator.authenticate(watched.key), {
      onFailure: () => undefined,
      onSuccess: (result) => {
        if (result._tag !== "Known") return notify(watched, { _tag: "Gone" })
        if (isSame(result.caller, watched.caller)) return
        watched.caller = result.caller
        notify(watched, { _tag: "Changed", caller: result.caller })
      },
    })

  const checkWhere = (isAffected: (watched: Watched) => boolean) =>
    Effect.suspend(() =>
      Effect.forEach([...byKey.values()].filter(isAffected), checkKey, { concurrency, discard: true }),
    )

  const check = checkWhere(() => true)
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(check, checkEvery), Schedule.forever))

  yield* authenticator.changes.pipe(
    Stream.runForEach((account) => {
      const recheck = checkWhere(({ caller }) => account === everyAccount || caller.account === account)
      return Effect.andThen(recheck, Effect.forkIn(Effect.delay(recheck, recheckAfter), scope))
    }),
    Effect.forkScoped,
  )

  return KeyWatch.of({
    check,
    watch: (key, caller, onChange) => {
      const text = Redacted.value(key)
      const watched = byKey.get(text) ?? { key, caller, listeners: new Set() }
      byKey.set(text, watched)
      // A new function each time, because two connections may pass the same one.
      const listener: OnChange = (change) => onChange(change)
      watched.listeners.add(listener)
      // The caller may be older than the state known by now.
      if (!isSame(caller, watched.caller)) listener({ _tag: "Changed", caller: watched.caller })
      return () => {
        watched.listeners.delete(listener)
        if (watched.listeners.size === 0 && byKey.get(text) === watched) byKey.delete(text)
      }
    },
  })
})
